import { Button, Group, Kbd, Text } from '@mantine/core'
import type { Triage } from './use-triage'
import { WriteButton } from '../../session/write-button'

type Props = { triage: Triage; label: string }

export function TriageBar({ triage, label }: Props) {
  const { targets, change, setAsking, undo } = triage
  const actions: [key: string, text: string, act: () => void][] = [
    ['e', 'Done', () => change({ kind: 'status', status: 'fixed' })],
    ['i', 'In progress', () => change({ kind: 'status', status: 'in_progress' })],
    ['s', 'Snooze', () => setAsking('snooze')],
    ['a', 'Assign', () => setAsking('assign')],
  ]
  return (
    <Group gap={3} role="group" aria-label={label}>
      {actions.map(([key, text, act]) => (
        <WriteButton
          key={key}
          size="compact-sm"
          variant="default"
          disabled={targets.length === 0}
          px={4}
          rightSection={
            <Kbd size="xs" visibleFrom="md">
              {key}
            </Kbd>
          }
          onClick={act}
        >
          {text}
        </WriteButton>
      ))}
      <Button
        size="compact-sm"
        variant="subtle"
        px={4}
        rightSection={
          <Kbd size="xs" visibleFrom="md">
            u
          </Kbd>
        }
        onClick={undo}
      >
        Undo
      </Button>
      {targets.length > 1 && <Text size="sm">{targets.length} selected</Text>}
    </Group>
  )
}

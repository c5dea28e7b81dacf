import { Button, Group, Modal, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { vexJustifications } from '../../../worker/domain/vex'
import type { StatusChange } from '../../../worker/triage/contract'
import { reasonWords } from '../../lib/vex-words'
import { statusLabels } from '../status-labels'
import { setStatusMutation } from './api'

type Props = { id: number; stated: StatusChange; onClose: () => void }

export function ReasonDialog({ id, stated, onClose }: Props) {
  const [reason, setReason] = useState(stated)
  const { isPending, mutate } = useMutation(setStatusMutation)
  const { status, justification, note, owner, expires_at } = reason
  const set = (change: Partial<StatusChange>) => setReason({ ...reason, ...change })
  const save = () =>
    mutate(
      { id, status, justification, note: note || null, owner: owner || null, expires_at: expires_at || null },
      { onSuccess: onClose },
    )
  return (
    <Modal opened onClose={onClose} title={`Why: ${statusLabels[status]}`} centered>
      <Stack gap="sm">
        {status === 'not_interesting' && (
          <JustificationField value={justification} onChange={(value) => set({ justification: value })} />
        )}
        <Textarea
          label="Note"
          autosize
          minRows={2}
          maxLength={1_000}
          value={note ?? ''}
          onChange={({ currentTarget: { value } }) => set({ note: value })}
        />
        <TextInput
          label="Owner"
          description="A person or team"
          maxLength={100}
          value={owner ?? ''}
          onChange={({ currentTarget: { value } }) => set({ owner: value })}
        />
        <TextInput
          type="date"
          label="Valid until"
          description="After that the vulnerability has no status"
          value={expires_at ?? ''}
          onChange={({ currentTarget: { value } }) => set({ expires_at: value })}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={isPending} onClick={save}>
            Save
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

type Justification = StatusChange['justification']

const JustificationField = ({
  value,
  onChange,
}: {
  value: Justification
  onChange: (value: Justification) => void
}) => (
  <>
    <NativeSelect
      label="Justification"
      value={value ?? ''}
      data={[
        { value: '', label: 'None' },
        ...vexJustifications.map((one) => ({ value: one, label: reasonWords[one] })),
      ]}
      onChange={({ currentTarget }) => onChange(vexJustifications.find((one) => one === currentTarget.value) ?? null)}
      data-autofocus
    />
    <Text size="xs" c="dimmed">
      With a justification, VEX documents state that you are not affected.
    </Text>
  </>
)

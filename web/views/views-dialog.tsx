import { ActionIcon, Button, Group, Modal, Stack, Switch, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { ViewRow } from '../../worker/views/contract'
import { updateViewMutation, removeViewMutation } from './api'
import { useFocusBack } from '../ui/focus-back'

type Props = { views: ViewRow[]; query: string; onClose: () => void }

export function ViewsDialog({ views, query, onClose }: Props) {
  useFocusBack()
  return (
    <Modal opened onClose={onClose} title="My views" size="lg" centered>
      <Stack gap="sm">
        {views.length === 0 && <Text size="sm">You have no saved views.</Text>}
        {views.map((view) => (
          <ViewLine key={view.id} view={view} query={query} />
        ))}
      </Stack>
    </Modal>
  )
}

function ViewLine({ view: { id, name, is_shared, query: saved }, query }: { view: ViewRow; query: string }) {
  const change = useMutation(updateViewMutation)
  const remove = useMutation(removeViewMutation)
  return (
    <Group justify="space-between" gap="sm" role="group" aria-label={name}>
      <Text fw={600} size="sm" flex={1} miw={120} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
      <Switch
        size="sm"
        label="Shared"
        checked={is_shared}
        disabled={change.isPending}
        onChange={({ currentTarget }) => change.mutate({ id, is_shared: currentTarget.checked })}
      />
      <Button
        size="compact-sm"
        variant="default"
        disabled={saved === query}
        loading={change.isPending}
        onClick={() => change.mutate({ id, query })}
      >
        Use the current filters
      </Button>
      <ActionIcon
        variant="subtle"
        color="red.9"
        aria-label={`Remove ${name}`}
        loading={remove.isPending}
        onClick={() => remove.mutate(id)}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  )
}

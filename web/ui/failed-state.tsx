import { Button, Text } from '@mantine/core'
import { IconCloudOff, IconRefresh } from '@tabler/icons-react'
import { ApiError } from '../lib/call'
import { EmptyState } from './empty-state'

type Props = { title?: string; query: { error: Error | null; refetch: () => unknown } }

export function FailedState({ title = 'This could not be loaded', query: { error, refetch } }: Props) {
  if (!error) return null
  return (
    <EmptyState
      title={title}
      text={error instanceof ApiError ? (error.issues[0]?.message ?? error.message) : error.message}
      icon={IconCloudOff}
    >
      {error instanceof ApiError && error.reference && (
        <Text size="xs" c="dimmed">
          Reference {error.reference}
        </Text>
      )}
      <Button size="xs" leftSection={<IconRefresh size={14} />} onClick={() => void refetch()}>
        Retry
      </Button>
    </EmptyState>
  )
}

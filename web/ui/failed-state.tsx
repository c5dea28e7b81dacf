import { Button, Text } from '@mantine/core'
import { IconCloudOff, IconRefresh } from '@tabler/icons-react'
import { ApiError } from '../lib/call'
import { EmptyState } from './empty-state'

type Props = { title?: string; error: Error | null; onRetry: () => void }

export function FailedState({ title = 'This could not be loaded', error, onRetry }: Props) {
  return (
    <EmptyState
      title={title}
      text={error instanceof ApiError ? (error.issues[0]?.message ?? error.message) : error?.message}
      icon={<IconCloudOff size={28} stroke={1.5} aria-hidden />}
    >
      {error instanceof ApiError && error.reference && (
        <Text size="xs" c="dimmed">
          Reference {error.reference}
        </Text>
      )}
      <Button variant="default" size="xs" leftSection={<IconRefresh size={14} />} onClick={onRetry}>
        Retry
      </Button>
    </EmptyState>
  )
}

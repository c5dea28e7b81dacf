import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { startSyncMutation } from './api'

/** The specification wants it here; Settings → Sync shows its progress. */
export function SyncButton() {
  const { isPending, mutate } = useMutation(startSyncMutation)
  return (
    <Button variant="default" loading={isPending} onClick={() => mutate()}>
      Sync data
    </Button>
  )
}

import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { startSyncMutation } from './api'

/** The specification's sync from the organization administration; Settings → Sync shows what becomes of it. */
export function SyncButton() {
  const { isPending, mutate } = useMutation(startSyncMutation)
  return (
    <Button variant="default" loading={isPending} onClick={() => mutate()}>
      Sync data
    </Button>
  )
}

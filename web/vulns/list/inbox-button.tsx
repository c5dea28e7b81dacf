import { Button } from '@mantine/core'
import { IconInbox } from '@tabler/icons-react'
import { useInboxPlace } from './use-inbox-place'

export function InboxButton() {
  const { isInbox, start, stop } = useInboxPlace()
  return (
    <Button
      variant={isInbox ? 'light' : 'subtle'}
      size="compact-sm"
      aria-pressed={isInbox}
      leftSection={<IconInbox size={15} aria-hidden />}
      onClick={isInbox ? stop : start}
    >
      Inbox
    </Button>
  )
}

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { leaveHeld, useHeld } from '../session/session'
import { useFocusBack } from '../ui/focus-back'

/** Typed text is worth more than the session: signing in happens in a tab of its own, which all tabs hear of. */
export const EndedDialog = () => (
  <Modal
    opened={useHeld()}
    onClose={() => undefined}
    withCloseButton={false}
    closeOnClickOutside={false}
    closeOnEscape={false}
    title="Your session has ended"
    zIndex={400}
  >
    <Ways />
  </Modal>
)

function Ways() {
  useFocusBack()
  const tab = useRef<Window>(null)
  useEffect(() => () => tab.current?.close(), [])
  return (
    <Stack gap="md">
      <Text size="sm">
        What you typed is still here and not saved. Sign in again in another tab: this page then goes on where it is.
      </Text>
      <Group justify="flex-end">
        <Button onClick={leaveHeld}>Leave the page</Button>
        <Button variant="filled" data-autofocus onClick={() => void (tab.current = window.open('/auth'))}>
          Sign in
        </Button>
      </Group>
    </Stack>
  )
}

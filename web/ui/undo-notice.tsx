import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { findPlace, focusPlace } from '../lib/held-focus'
import { closing } from '../lib/notice'

/** Long enough to see what went wrong. */
export const undoShown_ms = 8_000

/** Answers a function that takes the notice away. */
export function showUndo(message: string, undo: () => void) {
  const id = crypto.randomUUID()
  const place = findPlace()
  const back = () => {
    notifications.hide(id)
    // The button goes with its notice.
    focusPlace(place)
    undo()
  }
  notifications.show({
    id,
    color: 'petrol',
    autoClose: undoShown_ms,
    ...closing,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>{message}</span>
        <Button size="compact-sm" flex="none" onClick={back}>
          Undo
        </Button>
      </Group>
    ),
  })
  return () => notifications.hide(id)
}

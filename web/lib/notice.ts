import { notifications } from '@mantine/notifications'
import { leaveNotice } from './held-focus'

const shown_ms = 3000
/** As every notice has it. */
export const closing = {
  closeButtonProps: { 'aria-label': 'Close' },
  onClose: ({ id }: { id?: string }) => leaveNotice(id),
}
const look = { ...closing, autoClose: shown_ms }

/** One with an id stands once. */
export function showError(message: string, reason?: string, autoClose = shown_ms, id?: string) {
  const words = reason ? { title: message, message: reason } : { title: 'Error', message }
  notifications.show({ ...look, ...words, autoClose, color: 'red', ...(id && { id }) })
}

export function showWarning(message: string) {
  notifications.show({ ...look, message, color: 'yellow' })
}

export function showSuccess(message: string) {
  notifications.show({ ...look, message, color: 'petrol' })
}

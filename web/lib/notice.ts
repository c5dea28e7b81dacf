import { notifications } from '@mantine/notifications'

const shown_ms = 3000
const look = {
  autoClose: shown_ms,
  closeButtonProps: { 'aria-label': 'Close' },
  styles: { description: { color: 'var(--mantine-color-text)' } },
}

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

import { notifications } from '@mantine/notifications'

const shown_ms = 3000

export function showError(message: string, reason?: string) {
  const words = reason ? { title: message, message: reason } : { title: 'Error', message }
  notifications.show({ ...words, color: 'red', autoClose: shown_ms })
}

export function showSuccess(message: string) {
  notifications.show({ message, color: 'petrol', autoClose: shown_ms })
}

import { notifications } from '@mantine/notifications'

const shown_ms = 3000

export function showError(message: string) {
  notifications.show({ title: 'Error', message, color: 'red', autoClose: shown_ms })
}

export function showSuccess(message: string) {
  notifications.show({ message, color: 'petrol', autoClose: shown_ms })
}

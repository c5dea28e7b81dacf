import { Text } from '@mantine/core'
import { useState, type KeyboardEvent } from 'react'

export function useCapsLock() {
  const [isOn, setIsOn] = useState(false)
  const look = (event: KeyboardEvent) => setIsOn(event.getModifierState('CapsLock'))
  return { isOn, handlers: { onKeyDown: look, onKeyUp: look } }
}

export function CapsLockHint({ isOn }: { isOn: boolean }) {
  return (
    <Text size="xs" role="status" fw={600} c="var(--warning)" hidden={!isOn}>
      Caps Lock is on
    </Text>
  )
}

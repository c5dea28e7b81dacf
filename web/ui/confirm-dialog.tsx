import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  title: string
  /** The label of the confirming button. */
  action: string
  color?: string
  isOpen: boolean
  isPending: boolean
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}

export function ConfirmDialog({
  title,
  action,
  color = 'red.9',
  isOpen,
  isPending,
  onConfirm,
  onClose,
  children,
}: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} centered>
      <Stack gap="md">
        <Text component="div" size="sm">
          {children}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color={color} loading={isPending} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { UseMutationOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSaving } from '../lib/saving'
import { FocusBack } from './focus-back'

type Props<Answer, Given, Result> = {
  title: string
  /** The label of the confirming button. */
  action: string
  color?: string
  isOpen?: boolean
  change: UseMutationOptions<Answer, Error, Given, Result>
  given: Given
  /** Without it the dialog closes. */
  onDone?: (answer: Answer) => void
  onClose: () => void
  children: ReactNode
}

export function ConfirmDialog<Answer, Given, Result>({
  title,
  action,
  color = 'red.9',
  isOpen = true,
  change,
  given,
  onClose,
  onDone = onClose,
  children,
}: Props<Answer, Given, Result>) {
  const { isPending, save } = useSaving(change, onDone)
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} centered>
      <Stack gap="md">
        <FocusBack />
        <Text component="div" size="sm">
          {children}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color={color} loading={isPending} onClick={() => save(given)}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

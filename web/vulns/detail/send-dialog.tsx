import { Button, Group, Modal, Stack, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { formErrors } from '../../lib/form-rules'
import { sendDetailsMutation } from './api'

type Props = { id: number; isOpen: boolean; onClose: () => void }

export function SendDialog({ id, isOpen, onClose }: Props) {
  const [emails, setEmails] = useState('')
  const { error, isPending, mutate, reset } = useMutation(sendDetailsMutation)
  const close = () => {
    reset()
    onClose()
  }
  return (
    <Modal opened={isOpen} onClose={close} title="Send details by mail" centered>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          mutate({ id, emails }, { onSuccess: close })
        }}
      >
        <Stack gap="md">
          <Textarea
            label="E-mail addresses"
            description="Separated by commas or one per line, maximum 10"
            autosize
            minRows={3}
            maxRows={10}
            data-autofocus
            value={emails}
            error={error && formErrors(error).emails}
            onChange={({ currentTarget }) => setEmails(currentTarget.value)}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending} disabled={!emails.trim()}>
              Send
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

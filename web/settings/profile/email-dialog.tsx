import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { askEmailChange } from '../../../worker/account/contract'
import { formRules } from '../../lib/form-rules'
import { isWrongPassword } from '../../lib/outcome'
import { updateEmailMutation } from './api'

type Props = { isOpen: boolean; onClose: () => void }

export function EmailDialog({ isOpen, onClose }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Change e-mail" centered>
      <EmailForm onClose={onClose} />
    </Modal>
  )
}

function EmailForm({ onClose }: Pick<Props, 'onClose'>) {
  const form = useForm({ initialValues: { email: '', password: '' }, validate: formRules(askEmailChange) })
  const change = useMutation(updateEmailMutation)
  const submit = form.onSubmit((values) =>
    change.mutate(values, {
      onSuccess: onClose,
      onError: (error) => {
        if (isWrongPassword(error)) form.setFieldError('password', error.message)
      },
    }),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">A link goes to the new address. The old one stays until you open it.</Text>
        <TextInput
          type="email"
          label="New e-mail"
          autoComplete="email"
          data-autofocus
          maxLength={254}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          maxLength={256}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          {...form.getInputProps('password')}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            Send the link
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

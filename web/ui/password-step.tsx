import { PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { checkPassword } from '../../worker/account/contract'
import { formRules } from '../lib/form-rules'
import { FormFoot } from './form-dialog'

type Props = {
  action: string
  isPending: boolean
  isWrong: boolean
  onSubmit: (password: string) => void
  onCancel: () => void
}

export function PasswordStep({ action, isPending, isWrong, onSubmit, onCancel }: Props) {
  const form = useForm({ initialValues: { password: '' }, validate: formRules(checkPassword) })
  return (
    <form onSubmit={form.onSubmit(({ password }) => onSubmit(password))} noValidate>
      <Stack gap="sm">
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          data-autofocus
          maxLength={256}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          {...form.getInputProps('password')}
          error={form.errors.password ?? isWrong}
        />
        <FormFoot action={action} isPending={isPending} onClose={onCancel} />
      </Stack>
    </form>
  )
}

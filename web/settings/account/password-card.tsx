import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { changePassword } from '../../../worker/account/contract'
import { formRules } from '../../lib/form-rules'
import { isWrongPassword } from '../../lib/outcome'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { PasswordRules } from '../../ui/password-rules'
import classes from '../settings.module.css'
import { updatePasswordMutation } from './api'

const nothing = { old_password: '', new_password1: '', new_password2: '' }
const toggle = { maxLength: 256, visibilityToggleButtonProps: { 'aria-label': 'Show the password' } }

export function PasswordCard({ username }: { username: string }) {
  const form = useForm({ initialValues: nothing, validate: formRules(changePassword) })
  const change = useMutation(updatePasswordMutation)
  const { new_password1, new_password2 } = form.values
  const isMismatch = new_password2 !== '' && new_password1 !== new_password2

  const submit = form.onSubmit((passwords) =>
    change.mutate(passwords, {
      onSuccess: () => form.reset(),
      onError: (error) => {
        if (isWrongPassword(error)) form.setFieldError('old_password', error.message)
      },
    }),
  )
  return (
    <Card title="Password">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <input type="hidden" autoComplete="username" value={username} readOnly />
          <PasswordInput
            label="Old password"
            autoComplete="current-password"
            {...toggle}
            {...form.getInputProps('old_password')}
          />
          <PasswordInput
            label="New password"
            autoComplete="new-password"
            {...toggle}
            {...form.getInputProps('new_password1')}
          />
          <PasswordRules password={new_password1} />
          <PasswordInput
            label="New password again"
            autoComplete="new-password"
            {...toggle}
            {...form.getInputProps('new_password2')}
            error={isMismatch ? 'Password mismatch.' : form.errors.new_password2}
          />
          <Group justify="flex-end">
            <Button
              type="submit"
              loading={change.isPending}
              disabled={!new_password1 || new_password1 !== new_password2}
            >
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

export const NoPasswordCard = () => (
  <Card title="Password">
    <p className={classes.note}>
      This account has none: it signs in by your organization’s provider. The first one ends all devices, passkeys, API
      tokens and the second factor that were set up without it. <AppLink to="/lostpassword">Set one by mail</AppLink>
    </p>
  </Card>
)

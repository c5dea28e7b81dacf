import { Button, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { joinMutation } from './api'
import { fieldErrors } from './field-errors'
import { NewPasswordFields, NewPasswords } from './new-password-fields'

type Props = { token: string; email: string; onJoined: () => void }

const choose = 'choose the organization in the menu with your name'

export function JoinForm({ token, email, isSignedIn, onJoined }: Props & { isSignedIn: boolean }) {
  const joining = useMutation(joinMutation(token, isSignedIn ? choose : undefined))
  return (
    <Stack gap="sm">
      <Text size="sm">
        There is an account for <strong>{email}</strong>. Join with it, then {!isSignedIn && 'sign in as usual and '}
        {choose}.
      </Text>
      <Button loading={joining.isPending} onClick={() => joining.mutate({}, { onSuccess: onJoined })} fullWidth>
        Join
      </Button>
    </Stack>
  )
}

/** An account that only an organization's provider vouched for gets its first password from the reader of its mailbox. */
export function FirstPasswordForm({ token, email, onJoined }: Props) {
  const joining = useMutation(joinMutation(token))
  const form = useForm({
    initialValues: { password: '', password_confirm: '' },
    validate: schemaResolver(NewPasswords, { sync: true }),
  })
  const submit = form.onSubmit(({ password }) =>
    joining.mutate({ password }, { onSuccess: onJoined, onError: (error) => form.setErrors(fieldErrors(error)) }),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">
          Until now you signed in through your company only. Choose a password to reach all your organizations. Your
          present devices, passkeys and API tokens are signed out.
        </Text>
        <TextInput label="E-mail" type="email" readOnly variant="filled" value={email} />
        <NewPasswordFields
          isFirst
          password={form.values.password}
          inputs={{ first: form.getInputProps('password'), second: form.getInputProps('password_confirm') }}
        />
        <Button type="submit" loading={joining.isPending} fullWidth mt="xs">
          Join
        </Button>
      </Stack>
    </form>
  )
}

import { Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useSaving } from '../lib/saving'
import { ChangeButton } from '../ui/label-button'
import { joinMutation } from './api'
import { AuthForm } from './auth-form'
import { NewPasswordFields, NewPasswords } from './new-password-fields'

type Props = { token: string; email: string; onJoined: () => void }

const choose = 'choose the organization in the menu with your name'

export const JoinForm = ({ token, email, isSignedIn, onJoined }: Props & { isSignedIn: boolean }) => (
  <Stack>
    <Text size="sm">
      There is an account for <strong>{email}</strong>. Join with it, then {!isSignedIn && 'sign in as usual and '}
      {choose}.
    </Text>
    <ChangeButton
      variant="filled"
      fullWidth
      label="Join"
      change={joinMutation(token, isSignedIn ? choose : undefined)}
      given={{}}
      onDone={onJoined}
    />
  </Stack>
)

/** An account that only an organization's provider vouched for gets its first password from the reader of its mailbox. */
export function FirstPasswordForm({ token, email, onJoined }: Props) {
  const form = useForm({
    initialValues: { password: '', password_confirm: '' },
    validate: schemaResolver(NewPasswords, { sync: true }),
  })
  const { isPending, save } = useSaving(joinMutation(token), onJoined, form)
  return (
    <AuthForm onSubmit={form.onSubmit(({ password }) => save({ password }))} action="Join" isPending={isPending}>
      <Text size="sm">
        Until now you signed in through your company only. Choose a password to reach all your organizations. Your
        present devices, passkeys and API tokens are signed out.
      </Text>
      <TextInput label="E-mail" type="email" readOnly variant="filled" value={email} />
      <NewPasswordFields isFirst form={form} />
    </AuthForm>
  )
}

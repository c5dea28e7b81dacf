import { Checkbox, CloseButton, Group, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Login } from '../../worker/auth/contract'
import { WrongCredentials, type Owed } from '../session/sign-in'
import { signInMutation } from './api'
import { AuthForm, AuthLink } from './auth-form'
import { CapsLockHint, useCapsLock } from './caps-lock'
import { useTimeout } from '@mantine/hooks'
import classes from './auth.module.css'
import { PasswordField } from '../ui/password-field'

type Props = { onSignedIn: (isFirstVisit: boolean) => void; onOwed: (owed: Owed, isFirstVisit: boolean) => void }

const firstVisit = { label: 'First visit', description: 'Shows the first steps: choose products and who is alerted' }

export function LoginForm({ onSignedIn, onOwed }: Props) {
  const form = useForm({
    initialValues: { username: '', password: '', isFirstVisit: false },
    validate: schemaResolver(Login, { sync: true }),
  })
  const passwordRef = useRef<HTMLInputElement>(null)
  const capsLock = useCapsLock()
  const signIn = useMutation(signInMutation)
  const wrong = useWrongCredentials()

  const submit = form.onSubmit(({ username, password, isFirstVisit }) =>
    signIn.mutate(
      { username, password },
      {
        onSuccess: (owed) => (owed ? onOwed(owed, isFirstVisit) : onSignedIn(isFirstVisit)),
        onError: (error) => {
          wrong.tell(error)
          // The notice goes: the field says it until it is corrected.
          if (error instanceof WrongCredentials) form.setFieldError('password', error.message)
          passwordRef.current?.select()
        },
      },
    ),
  )
  return (
    <>
      {wrong.dialog}
      <AuthForm onSubmit={submit} action="Sign in" isPending={signIn.isPending}>
        <TextInput
          label="Username or e-mail"
          autoComplete="username webauthn"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          autoFocus
          {...form.getInputProps('username')}
        />
        <PasswordField
          ref={passwordRef}
          label="Password"
          autoComplete="current-password"
          {...capsLock.handlers}
          {...form.getInputProps('password')}
        />
        <CapsLockHint isOn={capsLock.isOn} />
        <Group justify="space-between" gap="md" align="flex-start" wrap="nowrap">
          <Checkbox {...firstVisit} {...form.getInputProps('isFirstVisit', { type: 'checkbox' })} />
          <AuthLink to="/lostpassword">Lost password?</AuthLink>
        </Group>
      </AuthForm>
    </>
  )
}

const shown_ms = 3000

/** Takes no focus, so that nobody who corrects the password at once is held up. */
function useWrongCredentials() {
  const [problem, setProblem] = useState<string>()
  const close = () => setProblem(undefined)
  const closing = useTimeout(close, shown_ms)

  function tell(error: Error) {
    if (!(error instanceof WrongCredentials)) return
    setProblem(error.message)
    closing.clear()
    closing.start()
  }

  const dialog = problem && (
    <div className={classes.dialog} role="dialog" aria-label="Error">
      <p role="alert">{problem}</p>
      <CloseButton size="sm" aria-label="Close" onClick={close} />
    </div>
  )
  return { tell, dialog }
}

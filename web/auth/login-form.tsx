import { Button, Checkbox, Group, PasswordInput, Stack, TextInput, CloseButton } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Login } from '../../worker/auth/contract'
import { WrongCredentials } from '../session/sign-in'
import type { Owed } from '../session/sign-in'
import { AppLink } from '../ui/app-link'
import { signInMutation } from './api'
import { CapsLockHint, useCapsLock } from './caps-lock'
import { useTimeout } from '@mantine/hooks'
import classes from './auth.module.css'

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
          passwordRef.current?.select()
        },
      },
    ),
  )
  return (
    <form onSubmit={submit} noValidate>
      {wrong.dialog}
      <Stack gap="sm">
        <TextInput
          label="Username or e-mail"
          autoComplete="username webauthn"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          autoFocus
          {...form.getInputProps('username')}
        />
        <PasswordInput
          ref={passwordRef}
          label="Password"
          autoComplete="current-password"
          maxLength={256}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          {...capsLock.handlers}
          {...form.getInputProps('password')}
        />
        <CapsLockHint isOn={capsLock.isOn} />
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <Checkbox {...firstVisit} {...form.getInputProps('isFirstVisit', { type: 'checkbox' })} />
          <AppLink to="/lostpassword" fz="sm" flex="none">
            Lost password?
          </AppLink>
        </Group>
        <Button type="submit" loading={signIn.isPending} fullWidth mt="xs">
          Sign in
        </Button>
      </Stack>
    </form>
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

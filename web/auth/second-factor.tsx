import { Anchor, Button, Group, Stack, Text, TextInput, PinInput } from '@mantine/core'
import { useState, useRef } from 'react'
import { hasExpired, type Owed } from '../session/sign-in'
import { useMutation } from '@tanstack/react-query'
import { IconFingerprint } from '@tabler/icons-react'
import { hasPasskeys } from '../session/passkey'
import { clockHint } from '../ui/clock-hint'
import { passkeyMutation, recoveryMutation, codeMutation } from './api'
import { schemaResolver, useForm } from '@mantine/form'
import * as z from 'zod'
import '@mantine/core/styles/PinInput.css'
import { AuthForm } from './auth-form'

const forms = { totp: CodeForm, passkey: PasskeyStep, recovery: RecoveryForm }
const switches = {
  totp: 'Use a code of the authenticator app',
  passkey: 'Use a passkey',
  recovery: 'Use a recovery code',
}
const preference = ['totp', 'passkey', 'recovery'] as const

type Props = { owed: Owed; onSignedIn: () => void; onBack: () => void }

export function SecondFactor({ owed, onSignedIn, onBack }: Props) {
  const methods = preference.filter((method) => owed.methods.includes(method))
  const [method, setMethod] = useState(methods[0] ?? 'totp')
  const Way = forms[method]
  return (
    <Stack gap="md">
      <Way eph_token={owed.token} onSignedIn={onSignedIn} onExpired={onBack} />
      <Stack gap={6} align="flex-start">
        {methods
          .filter((other) => other !== method)
          .map((other) => (
            <Anchor key={other} component="button" type="button" fz="sm" onClick={() => setMethod(other)}>
              {switches[other]}
            </Anchor>
          ))}
      </Stack>
      <Group>
        <Button onClick={onBack}>Back</Button>
      </Group>
    </Stack>
  )
}

type WayProps = { eph_token: string; onSignedIn: () => void; onExpired: () => void }

function PasskeyStep({ eph_token, onSignedIn, onExpired }: WayProps) {
  const passkey = useMutation(passkeyMutation)
  const confirm = () =>
    passkey.mutate(eph_token, { onSuccess: onSignedIn, onError: (error) => hasExpired(error) && onExpired() })

  if (!hasPasskeys()) return <Text size="sm">This browser cannot use passkeys.</Text>
  return (
    <Stack>
      <Text size="sm">Confirm with a passkey that you added to your account.</Text>
      <Button
        variant="filled"
        autoFocus
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={passkey.isPending}
        onClick={confirm}
      >
        Continue with a passkey
      </Button>
    </Stack>
  )
}

const Recovery = z.object({ code: z.string().trim().min(8, 'A recovery code is longer').max(40) })

function RecoveryForm({ eph_token, onSignedIn, onExpired }: WayProps) {
  const form = useForm({ initialValues: { code: '' }, validate: schemaResolver(Recovery, { sync: true }) })
  const signIn = useMutation(recoveryMutation)
  const submit = form.onSubmit(({ code }) =>
    signIn.mutate({ eph_token, code }, { onSuccess: onSignedIn, onError: (error) => hasExpired(error) && onExpired() }),
  )
  return (
    <AuthForm onSubmit={submit} action="Sign in" isPending={signIn.isPending}>
      <TextInput
        label="Recovery code"
        description="One of the codes you saved when you switched on the second factor. Each works once."
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        maxLength={40}
        {...form.getInputProps('code')}
      />
    </AuthForm>
  )
}

const digits = 6

function CodeForm({ eph_token, onSignedIn, onExpired }: WayProps) {
  const [code, setCode] = useState('')
  const firstRef = useRef<HTMLInputElement>(null)
  const signIn = useMutation(codeMutation)

  const startAgain = (error: Error) => {
    if (hasExpired(error)) return onExpired()
    setCode('')
    firstRef.current?.focus()
  }
  const type = (typed: string) => {
    setCode(typed)
    if (typed.length === digits && !signIn.isPending)
      signIn.mutate({ eph_token, code: typed }, { onSuccess: onSignedIn, onError: startAgain })
  }
  return (
    <Stack gap="xs">
      <Text size="sm" id="code-hint">
        Enter the six digits that your authenticator app shows for Earshot.
      </Text>
      <PinInput
        ref={firstRef}
        aria-label="2FA code"
        aria-describedby="code-hint"
        aria-busy={signIn.isPending}
        length={digits}
        type="number"
        placeholder=""
        oneTimeCode
        autoFocus
        gap={8}
        size="md"
        value={code}
        onChange={type}
        readOnly={signIn.isPending}
        error={signIn.isError && code === ''}
        getInputProps={(index) => ({ 'aria-label': `Digit ${index + 1} of ${digits}` })}
      />
      <Text size="sm" c="dimmed" role="status" mih="1.5em">
        {signIn.isPending ? 'Checking the code…' : signIn.isError && clockHint}
      </Text>
    </Stack>
  )
}

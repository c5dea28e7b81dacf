import '@mantine/core/styles/PinInput.css'
import { PinInput, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { hasExpired } from '../session/sign-in'
import { codeMutation } from './api'

const digits = 6

type Props = { eph_token: string; onSignedIn: () => void; onExpired: () => void }

export function CodeForm({ eph_token, onSignedIn, onExpired }: Props) {
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
        {signIn.isPending && 'Checking the code…'}
      </Text>
    </Stack>
  )
}

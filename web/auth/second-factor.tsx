import { Anchor, Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Owed } from '../session/sign-in'
import { CodeForm } from './code-form'
import { PasskeyStep } from './passkey-step'
import { RecoveryForm } from './recovery-form'

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
  const Form = forms[method]
  return (
    <Stack gap="md">
      <Form eph_token={owed.token} onSignedIn={onSignedIn} onExpired={onBack} />
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
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
      </Group>
    </Stack>
  )
}

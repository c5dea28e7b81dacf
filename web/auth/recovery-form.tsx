import { Button, Stack, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { z } from 'zod'
import { hasExpired } from '../session/sign-in'
import { recoveryMutation } from './api'

const Recovery = z.object({ code: z.string().trim().min(8, 'A recovery code is longer').max(40) })

type Props = { eph_token: string; onSignedIn: () => void; onExpired: () => void }

export function RecoveryForm({ eph_token, onSignedIn, onExpired }: Props) {
  const form = useForm({ initialValues: { code: '' }, validate: schemaResolver(Recovery, { sync: true }) })
  const signIn = useMutation(recoveryMutation)
  const submit = form.onSubmit(({ code }) =>
    signIn.mutate({ eph_token, code }, { onSuccess: onSignedIn, onError: (error) => hasExpired(error) && onExpired() }),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
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
        <Button type="submit" loading={signIn.isPending} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}

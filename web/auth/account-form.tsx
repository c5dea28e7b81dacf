import { Button, Stack, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { UseMutationOptions } from '@tanstack/react-query'
import { Registration } from '../../worker/auth/joining-contract'
import type { Account } from './api'
import { Agreement } from './agreement'
import { fieldErrors } from './field-errors'
import { NewPasswordFields } from './new-password-fields'

type Props<Reply> = {
  email: string
  label: string
  create: UseMutationOptions<Reply, Error, Account>
  onCreated: () => void
}

export function AccountForm<Reply>({ email, label, create, onCreated }: Props<Reply>) {
  const form = useForm({
    initialValues: { email, username: '', password: '', password_confirm: '', first_name: '', last_name: '' },
    validate: schemaResolver(Registration, { sync: true }),
  })
  const creation = useMutation(create)
  const submit = form.onSubmit((account) =>
    creation.mutate(account, { onSuccess: onCreated, onError: (error) => form.setErrors(fieldErrors(error)) }),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput label="E-mail" type="email" readOnly variant="filled" {...form.getInputProps('email')} />
        <TextInput
          label="Username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          maxLength={128}
          {...form.getInputProps('username')}
        />
        <NewPasswordFields
          password={form.values.password}
          inputs={{ first: form.getInputProps('password'), second: form.getInputProps('password_confirm') }}
        />
        <TextInput label="First name" autoComplete="given-name" maxLength={128} {...form.getInputProps('first_name')} />
        <TextInput label="Last name" autoComplete="family-name" maxLength={128} {...form.getInputProps('last_name')} />
        <Agreement />
        <Button type="submit" loading={creation.isPending} fullWidth mt="xs">
          {label}
        </Button>
      </Stack>
    </form>
  )
}

import { TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import type { UseMutationOptions } from '@tanstack/react-query'
import { Registration } from '../../worker/auth/joining-contract'
import { useSaving } from '../lib/saving'
import { Agreement } from './agreement'
import type { Account } from './api'
import { AuthForm } from './auth-form'
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
  const { isPending, save } = useSaving(create, onCreated, form)
  return (
    <AuthForm onSubmit={form.onSubmit(save)} action={label} isPending={isPending}>
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
      <NewPasswordFields form={form} />
      <TextInput label="First name" autoComplete="given-name" maxLength={128} {...form.getInputProps('first_name')} />
      <TextInput label="Last name" autoComplete="family-name" maxLength={128} {...form.getInputProps('last_name')} />
      <Agreement />
    </AuthForm>
  )
}

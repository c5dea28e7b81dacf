import { Button, Checkbox, Stack, Text } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { redirect, useLoaderData } from 'react-router-dom'
import type { LoaderFunctionArgs } from 'react-router-dom'
import { AppLink } from '../ui/app-link'
import { Page } from '../ui/page'
import { resetMutation } from './api'
import { hideToken } from './hide-token'
import { Done } from './success-card'
import { fieldErrors } from './field-errors'
import { useLoginSoon } from './login-soon'
import { NewPasswordFields, NewPasswords } from './new-password-fields'

export function requireToken({ request }: LoaderFunctionArgs) {
  const token = new URL(request.url).searchParams.get('token')
  if (!token) throw redirect('/lostpassword')
  hideToken('/newpassword')
  return token
}

export function NewPasswordPage() {
  const token = useLoaderData<typeof requireToken>()
  const form = useForm({
    initialValues: { password: '', password_confirm: '', keep_access: false },
    validate: schemaResolver(NewPasswords, { sync: true }),
  })
  const reset = useMutation(resetMutation)

  const submit = form.onSubmit(({ password, keep_access }) =>
    reset.mutate({ token, password, keep_access }, { onError: (error) => form.setErrors(fieldErrors(error)) }),
  )

  if (reset.isSuccess) return <Changed />
  return (
    <Page title="New password">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <NewPasswordFields
            isFirst
            password={form.values.password}
            inputs={{ first: form.getInputProps('password'), second: form.getInputProps('password_confirm') }}
          />
          <Checkbox
            label="Keep my passkeys and API tokens"
            description="Only if all of them are yours. Otherwise they stop working with the old password."
            {...form.getInputProps('keep_access', { type: 'checkbox' })}
          />
          <Button type="submit" loading={reset.isPending} fullWidth mt="xs">
            Set the new password
          </Button>
          {reset.isError && (
            <Text size="sm">
              A link works once, and only for a short time: <AppLink to="/lostpassword">ask for a new one</AppLink>.
            </Text>
          )}
        </Stack>
      </form>
    </Page>
  )
}

function Changed() {
  useLoginSoon()
  return (
    <Page title="New password">
      <Done message="Your password has been successfully changed !">
        <Text size="sm">All devices are signed out.</Text>
      </Done>
      <AppLink to="/auth" fz="sm">
        Sign in
      </AppLink>
    </Page>
  )
}

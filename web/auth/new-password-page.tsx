import { Checkbox, Text } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { redirect, useLoaderData, type LoaderFunctionArgs } from 'react-router-dom'
import { formErrors } from '../lib/form-rules'
import { AppLink } from '../ui/app-link'
import { Page } from '../ui/page'
import { resetMutation } from './api'
import { AuthForm, hideToken } from './auth-form'
import { NewPasswordFields, NewPasswords } from './new-password-fields'
import { DonePage } from './outcome'

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
    reset.mutate({ token, password, keep_access }, { onError: (error) => form.setErrors(formErrors(error)) }),
  )

  if (reset.isSuccess)
    return (
      <DonePage title="New password" message="Your password has been successfully changed !" link="Sign in">
        All devices are signed out.
      </DonePage>
    )
  const retry = (
    <Text size="sm">
      A link works once, and only for a short time: <AppLink to="/lostpassword">ask for a new one</AppLink>.
    </Text>
  )
  return (
    <Page title="New password">
      <AuthForm
        onSubmit={submit}
        action="Set the new password"
        isPending={reset.isPending}
        below={reset.isError && retry}
      >
        <NewPasswordFields isFirst form={form} />
        <Checkbox
          label="Keep my passkeys and API tokens"
          description="Only if all of them are yours. Otherwise they stop working with the old password."
          {...form.getInputProps('keep_access', { type: 'checkbox' })}
        />
      </AuthForm>
    </Page>
  )
}

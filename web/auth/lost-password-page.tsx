import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { askReset } from '../../worker/auth/contract'
import { formRules } from '../lib/form-rules'
import { Page } from '../ui/page'
import { askResetMutation } from './api'
import { AuthForm, AuthLink, EmailField } from './auth-form'
import { useHumanCheck } from './human-check'
import { DonePage } from './outcome'

export function LostPasswordPage() {
  const form = useForm({ initialValues: { email: '' }, validate: formRules(askReset) })
  const ask = useMutation(askResetMutation)
  const human = useHumanCheck()

  if (ask.isSuccess)
    return (
      <DonePage title="Lost password" message="You will receive an email" link="Back to sign in">
        If an account has this address, a link to set a new password is on its way. Check your spam folder, too.
      </DonePage>
    )
  return (
    <Page title="Lost password">
      <AuthForm
        onSubmit={form.onSubmit(({ email }) => ask.mutate({ email, turnstile: human.token }))}
        action="Send me a link"
        isPending={ask.isPending}
        isReady={!human.isOwed}
        below={<AuthLink to="/auth">Back to sign in</AuthLink>}
      >
        <EmailField {...form.getInputProps('email')} />
        {human.widget}
      </AuthForm>
    </Page>
  )
}

import { Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { askReset } from '../../worker/auth/contract'
import { formRules } from '../lib/form-rules'
import { AppLink } from '../ui/app-link'
import { Page } from '../ui/page'
import { EmailField } from './email-field'
import { askResetMutation } from './api'
import { Done } from './success-card'
import { useLoginSoon } from './login-soon'
import { useHumanCheck } from './human-check'

export function LostPasswordPage() {
  const form = useForm({ initialValues: { email: '' }, validate: formRules(askReset) })
  const ask = useMutation(askResetMutation)
  const human = useHumanCheck()

  if (ask.isSuccess) return <Sent />
  return (
    <Page title="Lost password">
      <form onSubmit={form.onSubmit(({ email }) => ask.mutate({ email, turnstile: human.token }))} noValidate>
        <Stack gap="sm">
          <EmailField {...form.getInputProps('email')} />
          {human.widget}
          <Button type="submit" loading={ask.isPending} disabled={human.isOwed} fullWidth>
            Send me a link
          </Button>
          <AppLink to="/auth" fz="sm">
            Back to sign in
          </AppLink>
        </Stack>
      </form>
    </Page>
  )
}

function Sent() {
  useLoginSoon()
  return (
    <Page title="Lost password">
      <Done message="You will receive an email">
        <Text size="sm">
          If an account has this address, a link to set a new password is on its way. Check your spam folder, too.
        </Text>
      </Done>
      <AppLink to="/auth" fz="sm">
        Back to sign in
      </AppLink>
    </Page>
  )
}

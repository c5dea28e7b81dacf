import { Button, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { startTrial } from '../../worker/auth/joining-contract'
import { removalDays } from '../../worker/domain/alerts/trial-news'
import { formRules } from '../lib/form-rules'
import { Page } from '../ui/page'
import { askTrialMutation } from './api'
import { Agreement } from './agreement'
import { AuthForm, AuthLink, EmailField } from './auth-form'
import { Done } from './outcome'
import { useHumanCheck } from './human-check'

export function TrialPage() {
  const form = useForm({ initialValues: { email: '', org_name: '' }, validate: formRules(startTrial) })
  const ask = useMutation(askTrialMutation)
  const human = useHumanCheck()

  if (ask.isSuccess)
    return (
      <Page title="Free 14-day trial">
        <Done message="Check your mailbox">
          <Text size="sm">
            A mail is on its way to <strong>{form.values.email}</strong>. Open the link in it to create your
            organization. If no mail comes within a few minutes, check your spam folder.
          </Text>
        </Done>
        <Button onClick={ask.reset}>Use another address</Button>
      </Page>
    )
  return (
    <Page title="Free 14-day trial">
      <AuthForm
        onSubmit={form.onSubmit((fields) => ask.mutate({ ...fields, turnstile: human.token }))}
        action="Start the trial"
        isPending={ask.isPending}
        isReady={!human.isOwed}
        below={<AuthLink to="/auth">I have an account</AuthLink>}
      >
        <Text size="sm">
          All features for 14 days, without a payment card. After that your organization can only be read, and{' '}
          {removalDays.done} days later it is removed. You are told before each.
        </Text>
        <EmailField {...form.getInputProps('email')} />
        <TextInput
          label="Organization"
          autoComplete="organization"
          maxLength={100}
          {...form.getInputProps('org_name')}
        />
        <Agreement />
        {human.widget}
      </AuthForm>
    </Page>
  )
}

import { Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { Email } from '../../../worker/domain/people/password'
import { Card } from '../../ui/card'
import { Mark } from '../../ui/mark'
import { keepSaved, pickChanged, useSaving } from '../../lib/saving'
import { Form, FormFoot } from '../../ui/form'
import classes from './alerting.module.css'
import { testEmailMutation, updateOrgSettingsMutation, updateChannelMutation, type AlertSettings } from './api'
import { AddressInput, Unconfirmed } from './channel-fields'
import { ChannelHealth, ChannelMark } from './health'
import { fromOldNames, pickRules, RuleFields, thresholdRules, toOldNames } from './rule-fields'
import type { ComponentProps } from 'react'
import { BackTestButton } from './back-test'
import { Limits, pickLimits } from './limits'
import { Sample } from './sample'
import { useReadOnly } from '../../session/known-org'
import { WriteButton } from '../../session/write-button'

type Props = { settings: AlertSettings; channel: ChannelRow | undefined }

export function AlertingCard({ settings, channel }: Props) {
  const { alerts_emails_max: max, alerts_emails_unconfirmed: unconfirmed } = settings
  // Stored addresses may stay, even an invalid one such as the first admin's at localhost.
  const isStored = (emails: string[]) => emails.join() === settings.alerts_emails.join()
  const form = useForm({
    initialValues: pickFields(settings),
    validateInputOnChange: true,
    validate: { alerts_emails: (emails) => (isStored(emails) ? null : findProblem(emails, max)), ...thresholdRules },
  })
  const saving = useSaving(updateOrgSettingsMutation, (saved) => keepSaved(form, pickFields(saved)))
  const submit = form.onSubmit((values) => {
    const { alerts_emails, ...rules } = pickChanged(form, values)
    const emails = alerts_emails && { alerts_emails, listed: form.getInitialValues().alerts_emails }
    saving.save({ ...toOldNames(rules), ...emails, org_id: values.org_id })
  })
  return (
    <Card title="Alerts by e-mail" aside={channel && <ChannelMark channel={channel} />}>
      <Form onSubmit={submit} gap="md">
        <AddressInput
          label="Contact e-mails"
          description={`Up to ${max} addresses; Enter or a comma adds one`}
          placeholder={form.values.alerts_emails.length < max ? 'security@example.com' : ''}
          clearable
          clearButtonProps={{ 'aria-label': 'Remove all addresses' }}
          {...form.getInputProps('alerts_emails')}
        />
        <Addresses emails={settings.alerts_emails} unconfirmed={unconfirmed} />
        {channel && <ChannelHealth channel={channel} />}
        <fieldset className={classes.part}>
          <legend>At once</legend>
          <RuleFields form={form} />
        </fieldset>
        <FormFoot readOnly={useReadOnly()} isPending={saving.isPending} also={<TestButton />} />
      </Form>
      {channel && <EmailLimits channel={channel} rules={() => pickRules(form.values)} />}
    </Card>
  )
}

function TestButton() {
  const testing = useMutation(testEmailMutation)
  return (
    <WriteButton loading={testing.isPending} onClick={() => testing.mutate()}>
      Send a test e-mail
    </WriteButton>
  )
}

const confirmed = { tone: 'calm', children: 'Confirmed' } as const
const waiting = { tone: 'warning', children: 'Not confirmed yet' } as const

function Addresses({ emails, unconfirmed }: { emails: string[]; unconfirmed: string[] }) {
  if (!emails.length) return null
  return (
    <div>
      <ul className={classes.addresses} aria-label="State of the addresses">
        {emails.map((email) => (
          <li key={email} className={classes.address}>
            <span>{email}</span>
            <Mark {...(unconfirmed.includes(email) ? waiting : confirmed)} />
          </li>
        ))}
      </ul>
      <Unconfirmed addresses={unconfirmed} />
    </div>
  )
}

const pickFields = (settings: AlertSettings) => ({
  org_id: settings.org_id,
  alerts_emails: settings.alerts_emails,
  ...fromOldNames(settings),
})

function findProblem(emails: string[], max: number) {
  const wrong = emails.find((email) => !Email.safeParse(email).success)
  if (wrong) return `E-mail must be valid: ${wrong}`
  return emails.length > max ? `At most ${max} addresses` : null
}

type LimitsProps = { channel: ChannelRow } & ComponentProps<typeof BackTestButton>

function EmailLimits({ channel, rules }: LimitsProps) {
  const form = useForm({ initialValues: pickLimits(channel) })
  const saving = useSaving(updateChannelMutation, (saved) => keepSaved(form, pickLimits(saved)), form)
  const submit = form.onSubmit((values) =>
    saving.save({ channel: 'email', change: pickChanged(form, { ...values, min_score: values.min_score || 0 }) }),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" component="fieldset" className={classes.part}>
        <legend>Limits for e-mail alerts</legend>
        <Limits form={form} />
        <Sample kind="email" route={channel.is_configured ? 'email' : undefined} />
        <Group justify="space-between" align="flex-start">
          <BackTestButton rules={() => ({ ...rules(), ...form.values, min_score: form.values.min_score || 0 })} />
          <WriteButton type="submit" loading={saving.isPending}>
            Save the limits
          </WriteButton>
        </Group>
      </Stack>
    </form>
  )
}

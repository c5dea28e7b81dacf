import { Button, Group, Stack, TagsInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { Email } from '../../../worker/domain/people/password'
import { Card } from '../../ui/card'
import { Mark } from '../../ui/mark'
import classes from './alerting.module.css'
import { testEmailMutation, updateOrgSettingsMutation } from './api'
import type { AlertSettings } from './api'
import { EmailLimits } from './email-limits'
import { ChannelHealth, ChannelMark } from './health'
import { RuleFields, thresholdRules } from './rule-fields'
import type { RuleNames } from './rule-fields'

const names: RuleNames = {
  new: 'enable_email_alert_new_vuln',
  updated: 'enable_email_alert_update_vuln',
  exploitable: 'enable_instant_email_report_exploitable',
  kev: 'enable_instant_email_report_kev',
  fix: 'enable_instant_email_report_fix',
  malicious: 'enable_instant_email_report_malicious',
  cleared: 'enable_instant_email_report_malicious',
  due: 'enable_instant_email_report_due',
  overdue: 'enable_instant_email_report_due',
  end_of_life: 'enable_instant_email_report_end_of_life',
  cra: 'enable_instant_email_report_cra',
  score: 'enable_instant_email_report_score',
  cvss: 'enable_instant_email_report_cvss',
  cvss3: 'enable_instant_email_report_cvss3',
  epss: 'enable_instant_email_report_epss',
  values: {
    score: 'enable_instant_email_report_score_value',
    cvss: 'enable_instant_email_report_cvss_value',
    cvss3: 'enable_instant_email_report_cvss3_value',
    epss: 'enable_instant_email_report_epss_value',
  },
}

type Props = { settings: AlertSettings; channel: ChannelRow | undefined }

export function AlertingCard({ settings, channel }: Props) {
  const { alerts_emails_max: max, alerts_emails_unconfirmed: unconfirmed } = settings
  const saving = useMutation(updateOrgSettingsMutation)
  // Stored addresses may stay, even an invalid one such as the first admin's at localhost.
  const isStored = (emails: string[]) => emails.join() === settings.alerts_emails.join()
  const form = useForm({
    initialValues: pickFields(settings),
    validateInputOnChange: true,
    validate: {
      alerts_emails: (emails) => (isStored(emails) ? null : findProblem(emails, max)),
      ...thresholdRules(names),
    },
  })
  const submit = form.onSubmit(({ alerts_emails, ...switches }) =>
    saving.mutate(
      { ...switches, ...(isStored(alerts_emails) ? {} : { alerts_emails }) },
      {
        onSuccess: (answer) => {
          const saved = pickFields(answer)
          form.setValues(saved)
          form.resetDirty(saved)
        },
      },
    ),
  )
  return (
    <Card title="Alerts by e-mail" aside={channel && <ChannelMark channel={channel} />}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TagsInput
            label="Contact e-mails"
            description={`Up to ${max} addresses; Enter or a comma adds one`}
            placeholder={form.values.alerts_emails.length < max ? 'security@example.com' : ''}
            inputMode="email"
            autoComplete="off"
            splitChars={[',', ';', ' ']}
            acceptValueOnBlur
            clearable
            clearButtonProps={{ 'aria-label': 'Remove all addresses' }}
            {...form.getInputProps('alerts_emails')}
          />
          <Addresses emails={settings.alerts_emails} unconfirmed={unconfirmed} />
          {channel && <ChannelHealth channel={channel} />}
          <fieldset className={classes.part}>
            <legend>At once</legend>
            <RuleFields form={form} names={names} />
          </fieldset>
          <Actions isSaving={saving.isPending} />
        </Stack>
      </form>
      {channel && <EmailLimits channel={channel} rules={() => pickRules(form.values)} />}
    </Card>
  )
}

const pickRules = (values: ReturnType<typeof pickFields>) => ({
  on_new: values.enable_email_alert_new_vuln,
  on_update: values.enable_email_alert_update_vuln,
  on_exploitable: values.enable_instant_email_report_exploitable,
  on_kev: values.enable_instant_email_report_kev,
  on_fix: values.enable_instant_email_report_fix,
  on_malicious: values.enable_instant_email_report_malicious,
  on_due: values.enable_instant_email_report_due,
  on_cra: values.enable_instant_email_report_cra,
  on_score: values.enable_instant_email_report_score,
  score_value: values.enable_instant_email_report_score_value,
  on_cvss: values.enable_instant_email_report_cvss,
  cvss_value: values.enable_instant_email_report_cvss_value,
  on_cvss3: values.enable_instant_email_report_cvss3,
  cvss3_value: values.enable_instant_email_report_cvss3_value,
  on_epss: values.enable_instant_email_report_epss,
  epss_value: values.enable_instant_email_report_epss_value,
})

const Actions = ({ isSaving }: { isSaving: boolean }) => (
  <Group justify="flex-end" gap="xs">
    <TestButton />
    <Button type="submit" loading={isSaving}>
      Save
    </Button>
  </Group>
)

function TestButton() {
  const testing = useMutation(testEmailMutation)
  return (
    <Button variant="default" loading={testing.isPending} onClick={() => testing.mutate()}>
      Send a test e-mail
    </Button>
  )
}

function Addresses({ emails, unconfirmed }: { emails: string[]; unconfirmed: string[] }) {
  if (!emails.length) return null
  return (
    <div>
      <ul className={classes.addresses} aria-label="State of the addresses">
        {emails.map((email) => (
          <li key={email} className={classes.address}>
            <span>{email}</span>
            {unconfirmed.includes(email) ? (
              <Mark tone="warning">Not confirmed yet</Mark>
            ) : (
              <Mark tone="calm">Confirmed</Mark>
            )}
          </li>
        ))}
      </ul>
      {unconfirmed.length > 0 && (
        <p className={classes.health} role="note">
          Not confirmed yet: {unconfirmed.join(', ')}. A link was sent there. Until it is opened, no alerts go there.
        </p>
      )}
    </div>
  )
}

const pickFields = (settings: AlertSettings) => ({
  org_id: settings.org_id,
  alerts_emails: settings.alerts_emails,
  enable_email_alert_new_vuln: settings.enable_email_alert_new_vuln,
  enable_email_alert_update_vuln: settings.enable_email_alert_update_vuln,
  enable_instant_email_report_exploitable: settings.enable_instant_email_report_exploitable,
  enable_instant_email_report_kev: settings.enable_instant_email_report_kev,
  enable_instant_email_report_fix: settings.enable_instant_email_report_fix,
  enable_instant_email_report_malicious: settings.enable_instant_email_report_malicious,
  enable_instant_email_report_due: settings.enable_instant_email_report_due,
  enable_instant_email_report_end_of_life: settings.enable_instant_email_report_end_of_life,
  enable_instant_email_report_cra: settings.enable_instant_email_report_cra,
  enable_instant_email_report_score: settings.enable_instant_email_report_score,
  enable_instant_email_report_score_value: settings.enable_instant_email_report_score_value,
  enable_instant_email_report_cvss: settings.enable_instant_email_report_cvss,
  enable_instant_email_report_cvss_value: settings.enable_instant_email_report_cvss_value,
  enable_instant_email_report_cvss3: settings.enable_instant_email_report_cvss3,
  enable_instant_email_report_cvss3_value: settings.enable_instant_email_report_cvss3_value,
  enable_instant_email_report_epss: settings.enable_instant_email_report_epss,
  enable_instant_email_report_epss_value: settings.enable_instant_email_report_epss_value,
})

function findProblem(emails: string[], max: number) {
  const wrong = emails.find((email) => !Email.safeParse(email).success)
  if (wrong) return `E-mail must be valid: ${wrong}`
  return emails.length > max ? `At most ${max} addresses` : null
}

import { Group, Switch } from '@mantine/core'
import { useForm } from '@mantine/form'
import { AppLink } from '../../ui/app-link'
import { findShownZone } from '../../lib/zone'
import { Card } from '../../ui/card'
import { NowLinks } from '../../reports/now-links'
import { keepSaved, pickChanged, useSaving } from '../../lib/saving'
import { Form, FormFoot } from '../../ui/form'
import classes from './alerting.module.css'
import { updateOrgSettingsMutation, type AlertSettings } from './api'
import { HourField, ZoneField } from './times'
import { useReadOnly } from '../../session/known-org'

const kinds = [
  {
    name: 'enable_daily_email_report',
    label: 'A daily report',
    text: 'New, changed and fixed vulnerabilities, each day.',
  },
  { name: 'enable_weekly_email_report', label: 'A weekly report', text: 'The same for a week, on Monday.' },
  {
    name: 'enable_monthly_email_report',
    label: 'A monthly report',
    text: 'The same for a month, on the first day of the next.',
  },
  {
    name: 'enable_quiet_email_report',
    label: 'Also when there is nothing to report',
    text: 'Sends empty reports, too.',
  },
] as const

export function ReportsCard({ settings }: { settings: AlertSettings }) {
  const isChosen = settings.reports_time_zone !== ''
  const form = useForm({ initialValues: pickFields(settings) })
  const saving = useSaving(updateOrgSettingsMutation, (saved) => keepSaved(form, pickFields(saved)))
  const submit = form.onSubmit((values) =>
    saving.save({
      ...pickChanged(form, values),
      ...(!isChosen && { reports_time_zone: values.reports_time_zone }),
      org_id: settings.org_id,
    }),
  )
  return (
    <Card title="Reports by e-mail">
      <Form onSubmit={submit} gap="md">
        <div className={classes.rules}>
          {kinds.map(({ name, label, text }) => (
            <Switch key={name} label={label} description={text} {...form.getInputProps(name, { type: 'checkbox' })} />
          ))}
        </div>
        <Group gap="sm" align="flex-start" grow>
          <ZoneField
            description={isChosen ? 'Of the organization' : 'Guessed from your own; save to set it'}
            {...form.getInputProps('reports_time_zone')}
          />
          <HourField
            label="Hour"
            description="The hour at which reports are sent"
            {...form.getInputProps('reports_hour')}
          />
        </Group>
        <p className={classes.told}>
          They go to the contact e-mails above, and tell what a daily number of alerts held back. All of them stand in{' '}
          <AppLink to="/reports">Reports</AppLink>. As it would be now: <NowLinks />.
        </p>
        <FormFoot readOnly={useReadOnly()} isPending={saving.isPending} />
      </Form>
    </Card>
  )
}

const pickFields = (settings: AlertSettings) => ({
  enable_daily_email_report: settings.enable_daily_email_report,
  enable_weekly_email_report: settings.enable_weekly_email_report,
  enable_monthly_email_report: settings.enable_monthly_email_report,
  enable_quiet_email_report: settings.enable_quiet_email_report,
  reports_time_zone: settings.reports_time_zone || findShownZone(),
  reports_hour: String(settings.reports_hour),
})

import { Button, Group, Stack, Switch, TagsInput, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { Email } from '../../../worker/domain/password'
import { Card } from '../../ui/card'
import { updateOrgSettingsMutation } from './api'
import type { AlertSettings } from './api'

export function AlertingCard({ settings }: { settings: AlertSettings }) {
  const { alerts_emails_max: max, alerts_emails_unconfirmed: unconfirmed } = settings
  const initialValues = pickFields(settings)
  const saving = useMutation(updateOrgSettingsMutation)
  // An address of this machine, as the first admin has, may stay: it is only not taken anew.
  const isStored = (emails: string[]) => emails.join() === settings.alerts_emails.join()
  const form = useForm({
    initialValues,
    validateInputOnChange: true,
    validate: { alerts_emails: (emails) => (isStored(emails) ? null : findProblem(emails, max)) },
  })
  const submit = form.onSubmit(({ alerts_emails, ...switches }) =>
    saving.mutate(
      { ...switches, alerts_emails: isStored(alerts_emails) ? undefined : alerts_emails },
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
    <Card title="Alerts by e-mail">
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
          <Unconfirmed emails={unconfirmed} />
          <Switch
            label="A new vulnerability"
            description="Mail when a vulnerability of something we monitor is published"
            {...form.getInputProps('enable_email_alert_new_vuln', { type: 'checkbox' })}
          />
          <Switch
            label="A changed vulnerability"
            description="Mail when one that concerns us changes: its scores, exploits or affected versions"
            {...form.getInputProps('enable_email_alert_update_vuln', { type: 'checkbox' })}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={saving.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

const pickFields = ({
  org_id,
  alerts_emails,
  enable_email_alert_new_vuln,
  enable_email_alert_update_vuln,
}: AlertSettings) => ({ org_id, alerts_emails, enable_email_alert_new_vuln, enable_email_alert_update_vuln })

function Unconfirmed({ emails }: { emails: string[] }) {
  if (!emails.length) return null
  return (
    <Text size="sm" role="note">
      Not confirmed yet: {emails.join(', ')}. A link went there; until it is opened nothing else is sent.
    </Text>
  )
}

function findProblem(emails: string[], max: number) {
  const wrong = emails.find((email) => !Email.safeParse(email).success)
  if (wrong) return `E-mail must be valid: ${wrong}`
  return emails.length > max ? `At most ${max} addresses` : null
}

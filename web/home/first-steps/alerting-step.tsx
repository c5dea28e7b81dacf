import { Loader, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../session/session'
import { FailedState } from '../../ui/failed-state'
import { orgSettingsQuery } from '../../settings/alerting/api'
import { ContactEmails } from './contact-emails'
import { Step } from './step'

type Props = { onNext: () => void; onBack: () => void }

export function AlertingStep({ onNext, onBack }: Props) {
  const { user, org } = useSession()
  const { data, error, refetch } = useQuery(orgSettingsQuery(org?.id ?? 0))
  const mayChange = user?.is_admin || user?.profile.manage_alert_email

  if (data && user && mayChange)
    return <ContactEmails settings={data} own={user.email} onNext={onNext} onBack={onBack} />
  return (
    <Step title="Who should be alerted?" onSubmit={onNext} onBack={onBack}>
      {error && <FailedState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loader size="sm" />}
      {data && !mayChange && (
        <Text size="sm">
          Alerts {data.alerts_emails.length ? `go to ${data.alerts_emails.join(', ')}` : 'do not go to your address'}.
          An administrator of your organization can change that.
        </Text>
      )}
    </Step>
  )
}

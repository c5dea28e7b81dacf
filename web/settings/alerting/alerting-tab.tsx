import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../session/session'
import { FailedState } from '../../ui/failed-state'
import classes from '../settings.module.css'
import { AlertingCard } from './alerting-card'
import { orgSettingsQuery } from './api'

export function AlertingTab() {
  const { org } = useSession()
  if (!org) return null
  return (
    <div className={classes.narrow}>
      <Alerting org_id={org.id} />
    </div>
  )
}

function Alerting({ org_id }: { org_id: number }) {
  const { data: settings, error, refetch } = useQuery(orgSettingsQuery(org_id))
  if (error)
    return <FailedState title="Unable to get org settings profile" error={error} onRetry={() => void refetch()} />
  return settings ? <AlertingCard settings={settings} /> : <Skeleton height={280} />
}

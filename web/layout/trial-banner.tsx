import { useQuery } from '@tanstack/react-query'
import { IconHourglass, IconLock } from '@tabler/icons-react'
import { Timestamp } from '../ui/timestamp'
import { orgInfoQuery } from './api'
import classes from './trial-banner.module.css'
import { describeTrial } from './trial-state'

export function TrialBanner() {
  const { data } = useQuery(orgInfoQuery)
  const trial = data && describeTrial(data)
  if (!trial) return null

  const Icon = trial.isOver ? IconLock : IconHourglass
  return (
    <aside className={classes.banner} aria-label="Trial" data-over={trial.isOver || undefined}>
      <Icon size={16} aria-hidden />
      <p>
        <strong>{trial.title}</strong>
        {trial.isOver ? (
          <>: {data.org_name} is read-only and its alerts are paused. Nothing is deleted. Contact us to go on.</>
        ) : (
          <>
            , on <Timestamp at={data.trial_ends_at} />. Contact us to stay.
          </>
        )}
      </p>
    </aside>
  )
}

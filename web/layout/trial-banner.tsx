import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconHourglass, IconLock } from '@tabler/icons-react'
import { publicSettingsQuery } from '../lib/public-settings'
import { knownOrg } from '../session/known-org'
import { useSession } from '../session/session'
import { AppLink } from '../ui/app-link'
import { Timestamp } from '../ui/timestamp'
import { orgInfoQuery } from './api'
import classes from './banner.module.css'
import { describeTrial } from './trial-state'

export function TrialBanner() {
  const { org } = useSession()
  const { data = knownOrg(org?.id) } = useQuery(orgInfoQuery)
  if (data?.removal_at) return <RemovalBanner name={data.org_name} at={data.removal_at} />
  const trial = data && describeTrial(data)
  if (!trial) return null

  const Icon = trial.isOver ? IconLock : IconHourglass
  return (
    <aside className={classes.banner} aria-label="Trial" data-urgent={trial.isOver || undefined}>
      <Icon size={16} aria-hidden />
      <p>
        <strong>{trial.title}</strong>
        {trial.isOver ? (
          <>: {data.org_name} can only be read, and its alerts are paused. Exporting and removing work. </>
        ) : (
          <>
            , on <Timestamp at={data.trial_ends_at} />.{' '}
          </>
        )}
        <HowToStay />
      </p>
    </aside>
  )
}

const RemovalBanner = ({ name, at }: { name: string; at: string }) => (
  <aside className={classes.banner} aria-label="Removal" data-urgent>
    <IconLock size={16} aria-hidden />
    <p>
      <strong>
        {name} is removed on <Timestamp at={at} />
      </strong>
      : until then it can only be read, and its alerts are paused.{' '}
      <AppLink to="/settings">Its admins can restore it</AppLink>.
    </p>
  </aside>
)

function HowToStay() {
  const { data } = useQuery(publicSettingsQuery)
  if (!data?.contact)
    return (
      <span className={classes.appearing} data-is-there={data !== undefined}>
        Ask the people who run this Earshot for you to extend it.
      </span>
    )
  return (
    <>
      <Anchor inherit underline="always" href={`mailto:${data.contact}`}>
        Contact us
      </Anchor>{' '}
      to keep using Earshot.
    </>
  )
}

import { Anchor, Button } from '@mantine/core'
import { useQuery, useMutation } from '@tanstack/react-query'
import { useNetwork } from '@mantine/hooks'
import { IconHourglass, IconLock, IconUserShield, IconWifiOff } from '@tabler/icons-react'
import { publicSettingsQuery } from '../lib/public-settings'
import { knownOrg, orgInfoQuery } from '../session/known-org'
import { useSession } from '../session/session'
import { AppLink } from '../ui/app-link'
import { Timestamp } from '../ui/timestamp'
import { stopActingMutation } from './api'
import classes from './banner.module.css'
import { plural } from '../lib/format'
import { removalDays } from '../../worker/domain/alerts/trial-news'

export function TrialBanner() {
  const { org } = useSession()
  const { data = knownOrg(org?.id) } = useQuery(orgInfoQuery)
  if (data?.removal_at) return <RemovalBanner name={data.org_name} at={data.removal_at} />
  const trial = data && describeTrial(data)
  if (!trial) return null

  const removed_at = data.trial_ends_at && addDays(data.trial_ends_at, removalDays.done)
  const Icon = trial.isOver ? IconLock : IconHourglass
  return (
    <aside className={classes.banner} aria-label="Trial" data-urgent={trial.isOver || undefined}>
      <Icon size={16} aria-hidden />
      <p>
        <strong>{trial.title}</strong>
        {trial.isOver ? (
          <>
            : {data.org_name} can only be read, and its alerts are paused. Exporting and removing work.{' '}
            {removed_at && (
              <>
                On <Timestamp at={removed_at} /> it is removed with all that belongs to it.{' '}
              </>
            )}
          </>
        ) : (
          <>
            , on <Timestamp at={data.trial_ends_at} />. From then on it can only be read, and its alerts pause.{' '}
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
  if (!data?.contact && !data?.plans_url)
    return (
      <span className={classes.appearing} data-is-there={data !== undefined}>
        Ask whoever runs this Earshot to extend it.
      </span>
    )
  const { contact, plans_url } = data
  return (
    <>
      {plans_url && (
        <Anchor inherit underline="always" href={plans_url} target="_blank" rel="noopener">
          Choose a plan
        </Anchor>
      )}
      {plans_url && contact && ' or '}
      {contact && (
        <Anchor inherit underline="always" href={`mailto:${contact}`}>
          {plans_url ? 'contact us' : 'Contact us'}
        </Anchor>
      )}{' '}
      to keep using Earshot.
    </>
  )
}

const day_ms = 86_400_000

const addDays = (at: string, days: number) => new Date(Date.parse(at) + days * day_ms).toISOString()

type Info = { is_read_only: boolean; trial_ends_at: string | null }

export function describeTrial({ is_read_only, trial_ends_at }: Info, now = new Date()) {
  if (!trial_ends_at) return null
  const left_ms = new Date(trial_ends_at).getTime() - now.getTime()
  if (is_read_only || left_ms <= 0) return { isOver: true, title: 'Your trial has ended' }
  if (left_ms < day_ms) return { isOver: false, title: 'Your trial ends within a day' }
  return { isOver: false, title: `Your trial ends in ${plural(Math.ceil(left_ms / day_ms), 'day')}` }
}

export function OfflineBanner() {
  if (useNetwork().online) return null
  return (
    <aside className={classes.banner} aria-label="Connection" role="status" data-urgent>
      <IconWifiOff size={16} aria-hidden />
      <p>
        <strong>You are offline.</strong> This screen may be old, and changes cannot be saved.
      </p>
    </aside>
  )
}

export function ActingBanner() {
  const { user, org } = useSession()
  const leaving = useMutation(stopActingMutation)
  if (!user?.is_acting || !org) return null

  return (
    <aside className={classes.banner} aria-label="Acting" data-urgent>
      <IconUserShield size={16} aria-hidden />
      <p>
        <strong>Acting in {org.name}.</strong> You are not a member: your changes here change this organization, and its
        audit log says that it was you.
      </p>
      <Button size="compact-sm" variant="default" loading={leaving.isPending} onClick={() => leaving.mutate()}>
        Leave {org.name}
      </Button>
    </aside>
  )
}

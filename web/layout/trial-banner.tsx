import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNetwork } from '@mantine/hooks'
import { IconHourglass, IconLock, IconUserShield, IconWifiOff, type Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { publicSettingsQuery } from '../lib/public-settings'
import { knownOrg, orgInfoQuery } from '../session/known-org'
import { useSession } from '../session/session'
import { AppLink } from '../ui/app-link'
import { ChangeButton } from '../ui/label-button'
import { Timestamp } from '../ui/timestamp'
import { stopActingMutation } from './api'
import classes from './banner.module.css'
import { plural } from '../lib/format'
import { removalDays } from '../../worker/domain/alerts/trial-news'

type BannerProps = {
  label: string
  icon: Icon
  isUrgent?: boolean
  role?: 'status'
  action?: ReactNode
  children: ReactNode
}

const Banner = ({ label, icon: Icon, isUrgent = true, role, action, children }: BannerProps) => (
  <aside className={classes.banner} aria-label={label} role={role} data-urgent={isUrgent || undefined}>
    <Icon size={16} aria-hidden />
    <p>{children}</p>
    {action}
  </aside>
)

export function TrialBanner() {
  const { org } = useSession()
  const { data = knownOrg(org?.id) } = useQuery(orgInfoQuery)
  if (data?.removal_at)
    return (
      <Banner label="Removal" icon={IconLock}>
        <strong>
          {data.org_name} is removed on <Timestamp at={data.removal_at} />
        </strong>
        : until then it can only be read, and its alerts are paused.{' '}
        <AppLink to="/settings">Its admins can restore it</AppLink>.
      </Banner>
    )
  const trial = data && describeTrial(data)
  if (!trial) return null

  const removed_at = data.trial_ends_at && addDays(data.trial_ends_at, removalDays.done)
  return (
    <Banner label="Trial" icon={trial.isOver ? IconLock : IconHourglass} isUrgent={trial.isOver}>
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
    </Banner>
  )
}

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

export const OfflineBanner = () =>
  !useNetwork().online && (
    <Banner label="Connection" role="status" icon={IconWifiOff}>
      <strong>You are offline.</strong> This screen may be old, and changes cannot be saved.
    </Banner>
  )

export function ActingBanner() {
  const { user, org } = useSession()
  if (!user?.is_acting || !org) return null
  const leave = (
    <ChangeButton size="compact-sm" label={`Leave ${org.name}`} change={stopActingMutation} given={undefined} />
  )
  return (
    <Banner label="Acting" icon={IconUserShield} action={leave}>
      <strong>Acting in {org.name}.</strong> You are not a member: your changes here change this organization, and its
      audit log says that it was you.
    </Banner>
  )
}

import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { settingsChannels } from '../../../worker/domain/alerts/alert-rules'
import { useSession } from '../../session/session'
import { FailedState } from '../../ui/failed-state'
import classes from '../settings.module.css'
import { AlertingCard } from './alerting-card'
import { channelsQuery, orgSettingsQuery, type AlertSettings } from './api'
import { ChannelCard } from './channel-card'
import { FeedsCard } from './feeds-card'
import { FurtherRoutes } from './further-routes'
import { NewsletterCard } from './newsletter-card'
import { ReportsCard } from './reports-card'

export function AlertingTab() {
  const { org } = useSession()
  return org ? <Alerting org_id={org.id} /> : null
}

function Alerting({ org_id }: { org_id: number }) {
  const { data: settings, error, refetch } = useQuery(orgSettingsQuery(org_id))
  const channels = useQuery(channelsQuery)
  if (error && !settings) return <FailedState title="Unable to get org settings profile" query={{ error, refetch }} />
  if (!settings || channels.isPending) return <Skeleton height={280} />
  const rows = channels.data ?? []
  const isFirst = ({ channel }: ChannelRow) => settingsChannels.some((name) => name === channel)
  return (
    <div className={classes.cards}>
      <div className={classes.column}>
        <AlertingCard settings={settings} channel={rows.find(({ channel }) => channel === 'email')} />
        <ReportsCard settings={settings} />
        <FeedsCard />
        <NewsletterCard />
      </div>
      <div className={classes.column}>
        <FailedState query={channels} />
        {listShown(settings).flatMap((name) =>
          rows.filter(({ channel }) => channel === name).map((row) => <ChannelCard key={name} channel={row} />),
        )}
        <FurtherRoutes rows={rows.filter((row) => !isFirst(row))} />
      </div>
    </div>
  )
}

/** Beside e-mail, without channels that the organization may not see. */
const listShown = ({ show_slack_settings, show_thehive_settings, show_misp_settings }: AlertSettings) => {
  const isShown = new Map<string, boolean>([
    ['email', false],
    ['slack', show_slack_settings],
    ['thehive', show_thehive_settings],
    ['misp', show_misp_settings],
  ])
  return settingsChannels.filter((name) => isShown.get(name) ?? true)
}

import { Skeleton, Button, Group } from '@mantine/core'
import { useQuery, useMutation } from '@tanstack/react-query'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { useSession } from '../../session/session'
import { FailedState } from '../../ui/failed-state'
import settingsClasses from '../settings.module.css'
import { AlertingCard } from './alerting-card'
import { channelsQuery, orgSettingsQuery, renewKeyMutation } from './api'
import { settingsChannels } from '../../../worker/domain/alerts/alert-rules'
import type { ChannelName, RouteName } from '../../../worker/domain/alerts/alert-rules'
import type { AlertSettings } from './api'
import { ChannelCard } from './channel-card'
import type { ChannelWords } from './channel-card'
import { FeedsCard } from './feeds-card'
import { FurtherRoutes } from './further-routes'
import { NewsletterCard } from './newsletter-card'
import { ReportsCard } from './reports-card'
import { CopyField } from '../../ui/copy-field'
import { Timestamp } from '../../ui/timestamp'
import classes from './alerting.module.css'

const others: [ChannelName, ChannelWords][] = [
  ['slack', { title: 'Slack', url: 'Incoming webhook', hint: 'https://hooks.slack.com/services/…' }],
  [
    'teams',
    {
      title: 'Microsoft Teams',
      url: 'Webhook of a workflow',
      hint: 'Made in Teams: Workflows, "when a webhook request is received"',
    },
  ],
  [
    'thehive',
    { title: 'TheHive', url: 'Address', hint: 'TheHive 5, for example https://thehive.example.com', apikey: 'API key' },
  ],
  ['misp', { title: 'MISP', url: 'Address', hint: 'For example https://misp.example.com', apikey: 'Automation key' }],
  ['webhook', { title: 'Webhook', url: 'Address', hint: 'Signed by the rules of Standard Webhooks 1.0' }],
]

export function AlertingTab() {
  const { org } = useSession()
  return org ? <Alerting org_id={org.id} /> : null
}

function Alerting({ org_id }: { org_id: number }) {
  const { data: settings, error, refetch } = useQuery(orgSettingsQuery(org_id))
  const channels = useQuery(channelsQuery)
  if (error && !settings)
    return <FailedState title="Unable to get org settings profile" error={error} onRetry={() => void refetch()} />
  if (!settings || channels.isPending) return <Skeleton height={280} />
  const byName = new Map((channels.data ?? []).map((row) => [row.channel, row]))
  return (
    <div className={settingsClasses.cards}>
      <div className={settingsClasses.column}>
        <AlertingCard settings={settings} channel={byName.get('email')} />
        <ReportsCard settings={settings} />
        <FeedsCard />
        <NewsletterCard />
      </div>
      <div className={settingsClasses.column}>
        {channels.error && <FailedState error={channels.error} onRetry={() => void channels.refetch()} />}
        {others.map(([name, words]) => (
          <Other key={name} settings={settings} channel={byName.get(name)} words={words} />
        ))}
        <FurtherRoutes rows={(channels.data ?? []).filter(({ channel }) => !settingsNames.has(channel))} />
      </div>
    </div>
  )
}

type OtherProps = { settings: AlertSettings; channel: ChannelRow | undefined; words: ChannelWords }

/** Hides channels that the organization may not see. */
function Other({ settings, channel, words }: OtherProps) {
  if (!channel || !isShown(settings, channel.channel)) return null
  return (
    <ChannelCard channel={channel} words={words}>
      {channel.channel === 'webhook' ? (key) => <WebhookKey channel={channel} made={key} /> : undefined}
    </ChannelCard>
  )
}

const settingsNames = new Set<string>(settingsChannels)

function isShown(settings: AlertSettings, channel: RouteName) {
  if (channel === 'slack') return settings.show_slack_settings
  if (channel === 'thehive') return settings.show_thehive_settings
  return channel === 'misp' ? settings.show_misp_settings : true
}

function WebhookKey({ channel: { signing }, made }: { channel: ChannelRow; made: string | undefined }) {
  const renewing = useMutation(renewKeyMutation)
  const key = renewing.data?.key ?? made
  if (!signing) return <p className={classes.health}>When you save, a signing key is made and shown once.</p>
  return (
    <>
      {key && <CopyField label="Signing key, shown only now" value={key} />}
      {renewing.data && (
        <p className={classes.health}>
          <span>
            The former key is also valid until <Timestamp at={renewing.data.old_key_until} withTime />.
          </span>
        </p>
      )}
      <Group gap="xs">
        <Button variant="default" size="xs" loading={renewing.isPending} onClick={() => renewing.mutate('hmac')}>
          New secret (HMAC)
        </Button>
        <Button variant="default" size="xs" loading={renewing.isPending} onClick={() => renewing.mutate('ed25519')}>
          New key pair (ed25519)
        </Button>
      </Group>
    </>
  )
}

import type { ChannelName } from '../../domain/alert-rules'

export const channelLabels: Record<ChannelName, string> = {
  email: 'e-mail',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  thehive: 'TheHive',
  misp: 'MISP',
  webhook: 'webhook',
}

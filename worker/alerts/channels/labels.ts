import { findKind, routeNumber } from '../../domain/alerts/alert-rules'
import type { ChannelName, RouteName } from '../../domain/alerts/alert-rules'

const labels: Record<ChannelName, string> = {
  email: 'e-mail',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  thehive: 'TheHive',
  misp: 'MISP',
  webhook: 'webhook',
  mattermost: 'Mattermost',
  pagerduty: 'PagerDuty',
  jira: 'Jira',
  json: 'JSON webhook',
}

/** In a sentence: "Slack", "e-mail #2". */
export function labelRoute(route: RouteName) {
  const number = routeNumber(route)
  return number > 1 ? `${labels[findKind(route)]} #${number}` : labels[findKind(route)]
}

import type { VulnSeverity } from '../../domain/scores/severity'
import type { AlertFacts } from './facts'
import type { Channel, FollowUp, Line } from './channel'
import { NotTaken, sendOut } from './outgoing'
import { cutText } from '../../domain/words/short-lists'
import { factLine, testText, testTitle } from './words'

/** PagerDuty Events API v2. */
export type PagerDutyEvent = {
  event_action: 'trigger' | 'acknowledge' | 'resolve'
  dedup_key: string
  client?: 'Earshot'
  client_url?: string
  links?: { href: string; text: string }[]
  payload?: {
    summary: string
    source: string
    severity: 'critical' | 'error' | 'warning' | 'info'
    timestamp: string
    component: string
    group: string
    class: string
    custom_details: Record<string, string | string[]>
  }
}

const maxSummary = 1_024
const maxLines = 20
const usualHost = 'https://events.pagerduty.com'

const levels: Record<VulnSeverity, 'critical' | 'error' | 'warning' | 'info'> = {
  critical: 'critical',
  high: 'error',
  medium: 'warning',
  low: 'info',
  unscored: 'warning',
}

export const pagerduty: Channel<PagerDutyEvent> = {
  limit: 1,
  render: ([telling]) => {
    if (!telling) throw new Error('Nothing to tell')
    return trigger(telling.alert)
  },
  send: enqueue,
  follow: ({ action, ...incident }, line) => enqueue({ event_action: action, dedup_key: dedupKey(incident) }, line),
  test: async (_, line) => {
    const event = { dedup_key: `earshot-test-${line.org_id}`, client: 'Earshot' as const }
    const text = `${testTitle}: ${testText}`
    await enqueue({ ...event, event_action: 'trigger', payload: { ...emptyPayload, summary: text, ...at(line) } }, line)
    return enqueue({ ...event, event_action: 'resolve' }, line)
  },
}

const at = ({ now }: Line) => ({ timestamp: now.toISOString() })
const emptyPayload = {
  source: 'Earshot',
  severity: 'info' as const,
  component: 'Earshot',
  group: 'Earshot',
  class: 'test',
  custom_details: {},
}

function enqueue(event: PagerDutyEvent, { env, secrets: { url, apikey } }: Line) {
  if (!apikey) throw new NotTaken('The channel has no integration key')
  return sendOut(env, {
    url: `${(url || usualHost).replace(/\/+$/, '')}/v2/enqueue`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ routing_key: apikey, ...event }),
  })
}

/** One incident a vulnerability: later changes join it as long as it is open. */
const dedupKey = ({ org_id, vuln_id }: Omit<FollowUp, 'action'>) => `earshot-org${org_id}-PH-${vuln_id}`

function trigger(alert: AlertFacts): PagerDutyEvent {
  const { vuln, name, headline, severity, link, org_name, ours, changed, fixes, came } = alert
  const lines = (list: string[]) => list.slice(0, maxLines).map((line) => cutText(line, 500))
  return {
    event_action: 'trigger',
    dedup_key: dedupKey({ org_id: alert.org_id, vuln_id: vuln.id }),
    client: 'Earshot',
    client_url: link,
    links: [{ href: link, text: `PH-${vuln.id} in Earshot` }],
    payload: {
      summary: cutText(`${name} ${headline}: ${vuln.summary.replace(/\s+/g, ' ')}`, maxSummary),
      source: 'Earshot',
      severity: levels[severity],
      timestamp: alert.at,
      component: cutText(ours[0] ?? name, 255),
      group: cutText(org_name, 255),
      class: alert.rule,
      custom_details: {
        facts: factLine(alert),
        concerns: lines(ours),
        changes: lines([...changed, ...came]),
        fixes: lines(fixes),
      },
    },
  }
}

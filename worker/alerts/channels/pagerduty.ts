import type { VulnSeverity } from '../../domain/scores/severity'
import type { AlertFacts } from './facts'
import type { Channel, FollowUp, Line } from './channel'
import { NotTaken, postToChannel } from './outgoing'
import { cutText } from '../../domain/words/short-lists'
import { factLine, shortSummary, testText, testTitle } from './words'

const maxSummary = 1_024
const maxLines = 20
const usualHost = 'https://events.pagerduty.com'

const levels: Record<VulnSeverity, string> = {
  critical: 'critical',
  high: 'error',
  medium: 'warning',
  low: 'info',
  unscored: 'warning',
}

/** PagerDuty Events API v2. */
export const pagerduty: Channel<object> = {
  limit: 1,
  render: ([{ alert }]) => trigger(alert),
  send: enqueue,
  follow: ({ action, ...incident }, line) => enqueue({ event_action: action, dedup_key: dedupKey(incident) }, line),
  test: async (_, line) => {
    const event = { dedup_key: `earshot-test-${line.org_id}`, client: 'Earshot' }
    const payload = {
      source: 'Earshot',
      severity: 'info',
      component: 'Earshot',
      group: 'Earshot',
      class: 'test',
      custom_details: {},
      summary: `${testTitle}: ${testText}`,
      timestamp: line.now.toISOString(),
    }
    await enqueue({ ...event, event_action: 'trigger', payload }, line)
    return enqueue({ ...event, event_action: 'resolve' }, line)
  },
}

function enqueue(event: object, { env, secrets: { url, apikey } }: Line) {
  if (!apikey) throw new NotTaken('The channel has no integration key')
  const to = `${(url || usualHost).replace(/\/+$/, '')}/v2/enqueue`
  return postToChannel({ env, secrets: { url: to } }, { routing_key: apikey, ...event })
}

/** One incident a vulnerability: later changes join it as long as it is open. */
const dedupKey = ({ org_id, vuln_id }: Omit<FollowUp, 'action'>) => `earshot-org${org_id}-PH-${vuln_id}`

function trigger(alert: AlertFacts) {
  const { vuln, name, headline, severity, link, org_name, ours, changed, fixes, came } = alert
  const lines = (list: string[]) => list.slice(0, maxLines).map((line) => cutText(line, 500))
  return {
    event_action: 'trigger',
    dedup_key: dedupKey({ org_id: alert.org_id, vuln_id: vuln.id }),
    client: 'Earshot',
    client_url: link,
    links: [{ href: link, text: `PH-${vuln.id} in Earshot` }],
    payload: {
      summary: cutText(`${name} ${headline}: ${shortSummary(alert, maxSummary)}`, maxSummary),
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

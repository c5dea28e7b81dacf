import { describeChange } from '../domain/change'
import type { VulnChange } from '../domain/change'
import { productLabel } from '../domain/product'
import type { Message } from '../mail/message'
import type { VulnDetail } from '../vulns/detail/contract'
import { vulnMail } from '../vulns/mail'

export type Alert = {
  id: number
  rule: 'new' | 'updated'
  org_name: string
  changes: VulnChange[]
  vuln: VulnDetail
}

/** The mail of one alert to one address. */
export async function alertMail(
  alert: Alert,
  { to, from, app_url, delivery_id }: { to: string; from: string; app_url: string; delivery_id: number },
): Promise<Message> {
  const { vuln } = alert
  const title = `PH-${vuln.id} / ${headline(alert)}`
  const footer = `You receive this because ${alert.org_name} lists this address for its alerts at ${app_url}.`
  const sections = [
    { title: 'Why it concerns you', items: vuln.monitored_by.map(reasonLine) },
    { title: 'What changed', items: alert.changes.map(describeChange) },
  ]
  return {
    to,
    from,
    subject: `[Earshot] ${title}`.slice(0, 200),
    ...(await vulnMail(vuln, { title, footer, app_url, sections })),
    message_id: `<delivery-${delivery_id}@${new URL(app_url).hostname}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'List-Unsubscribe': `<${app_url}/settings?tab=alerting>`,
    },
  }
}

function headline({ rule, changes, vuln }: Alert) {
  const id = vuln.cveid ?? `PH-${vuln.id}`
  if (rule === 'new') return `new vulnerability (${id})`
  const says = (test: (change: VulnChange) => boolean) => changes.some(test)
  if (says((change) => change.field === 'state' && change.to === 'rejected')) return `rejected (${id})`
  if (says((change) => change.field === 'kev_added_at' && change.to !== null)) return `is known to be exploited (${id})`
  if (says((change) => change.field === 'is_exploitable' && change.to)) return `has known exploits (${id})`
  return `updated (${id})`
}

function reasonLine({ via, name, vendor }: VulnDetail['monitored_by'][number]) {
  if (via === 'vuln') return 'You monitor this vulnerability'
  return `You monitor the ${via} ${vendor === null ? name : productLabel(vendor, name)}`
}

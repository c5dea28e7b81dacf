import type { Message } from '../mail/message'
import { vulnMail } from '../vulns/mail'
import type { AlertFacts } from './facts'

export async function alertMail(
  alert: AlertFacts,
  { to, from, app_url, delivery_id }: { to: string; from: string; app_url: string; delivery_id: number },
): Promise<Message> {
  const { vuln } = alert
  const title = `PH-${vuln.id} / ${alert.headline} (${alert.name})`
  const footer = `You receive this because ${alert.org_name} lists this address for its alerts at ${app_url}.`
  const sections = [
    { title: 'Why it concerns you', items: alert.ours },
    { title: 'What changed', items: alert.changed },
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

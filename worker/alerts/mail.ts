import { html } from 'hono/html'
import type { Message } from '../mail/message'
import { vulnMail } from '../vulns/mail'
import { factLine, severityWords } from './channels/words'
import { vulnIdLink } from './facts'
import type { AlertFacts, AlertSeverity } from './facts'

/** So many lines of each kind stand on the first screen of a phone; the link leads to the others. */
const leadLines = 3

/** Dark enough for white letters beside them, and never the only sign: the word stands there too. */
const bands: Record<AlertSeverity, string> = {
  critical: '#c92a2a',
  high: '#c4510c',
  medium: '#8a6d00',
  low: '#1864ab',
  unscored: '#5f6770',
}
const buttonStyle =
  'display:inline-block;padding:12px 22px;border-radius:6px;background:#0f5c5c;color:#ffffff;font-weight:600;text-decoration:none'

/** The mail of one alert to one address: what, how bad, what of ours, what changed, what fixes it, one button; then the rest. */
export async function alertMail(
  alert: AlertFacts,
  { to, from, app_url, delivery_id }: { to: string; from: string; app_url: string; delivery_id: number },
): Promise<Message> {
  const { vuln, name, headline } = alert
  const footer = `You receive this because ${alert.org_name} lists this address for its alerts at ${app_url}.`
  return {
    to,
    from,
    subject: `[Earshot] PH-${vuln.id} / ${headline} (${name})`.slice(0, 200),
    ...(await vulnMail(vuln, { title: `${name} ${headline}`, footer, app_url, lead: leadFor(alert) })),
    message_id: `<delivery-${delivery_id}@${new URL(app_url).hostname}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'List-Unsubscribe': `<${app_url}/settings?tab=alerting>`,
    },
  }
}

function leadFor(alert: AlertFacts) {
  const { vuln, severity, link, ours, changed, fixes } = alert
  const home = vulnIdLink(vuln.cveid)
  const lists = [
    { title: 'Why it concerns you', lines: ours },
    { title: 'What changed', lines: changed },
    { title: 'What fixes it', lines: fixes },
  ].filter(({ lines }) => lines.length)
  return {
    html: html`
      <div style="display:none;max-height:0;overflow:hidden">${factLine(alert)}</div>
      <div style="border-left:5px solid ${bands[severity]};padding-left:12px">
        <p class="tight">
          <b>${severityWords[severity]}</b> · <a href="${link}">PH-${vuln.id}</a>
          ${vuln.cveid ? html` · ${home ? html`<a href="${home}">${vuln.cveid}</a>` : vuln.cveid}` : ''}
        </p>
        <div>${listFacts(alert).map(fact)}</div>
      </div>
      ${lists.map(
        ({ title, lines }) =>
          html`<p class="tight"><b>${title}</b></p>
            <ul>
              ${lines.slice(0, leadLines).map((line) => html`<li>${line}</li>`)}
              ${lines.length > leadLines ? html`<li>and ${lines.length - leadLines} more</li>` : ''}
            </ul>`,
      )}
      <p><a href="${link}" style="${buttonStyle}">Open in Earshot</a></p>
    `,
    text: [
      `${severityWords[severity]} · PH-${vuln.id}${vuln.cveid ? ` · ${vuln.cveid}` : ''}`,
      factLine(alert),
      ...lists.map(({ title, lines }) => [title, ...lines.map((line) => `- ${line}`)].join('\n')),
      `Open in Earshot: ${link}`,
    ].join('\n\n'),
  }
}

type Fact = { label: string; value: string }

const listFacts = ({ score, cvss, epss, kev, exploits }: AlertFacts): Fact[] => [
  { label: 'Score', value: score },
  ...cvss.slice(0, 1),
  { label: 'EPSS', value: epss ?? 'n/a' },
  { label: 'CISA KEV', value: kev ?? 'no' },
  { label: 'Exploits', value: exploits ?? 'none known' },
]

const fact = ({ label, value }: Fact) =>
  html`<div style="display:inline-block;vertical-align:top;min-width:130px;margin:0 14px 8px 0">
    <span class="quiet">${label}</span><br /><b>${value}</b>
  </div>`

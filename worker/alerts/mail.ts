import { html } from 'hono/html'
import { describeChange } from '../domain/change'
import type { Change } from '../domain/change'
import { explainVector, severity } from '../domain/cvss'
import { productLabel } from '../domain/product'
import { scoreWord } from '../domain/rating'
import { mailLayout } from '../mail/layout'
import type { Message } from '../mail/message'
import type { VulnDetail } from '../vulns/contract'

export type Alert = {
  id: number
  rule: 'new' | 'updated'
  org_name: string
  changes: Change[]
  vuln: VulnDetail
}

type Line = { label: string; value: string; more?: string }

const maxReferences = 10
const maxProducts = 8
const maxSummary = 1_500

/** The mail of one alert to one address. */
export async function alertMail(
  alert: Alert,
  { to, from, app_url, delivery_id }: { to: string; from: string; app_url: string; delivery_id: number },
): Promise<Message> {
  const { vuln } = alert
  const link = `${app_url}/vulns/${vuln.id}`
  const title = `PH-${vuln.id} / ${headline(alert)}`
  const footer = `You receive this because ${alert.org_name} lists this address for its alerts at ${app_url}.`
  const lines = factsOf(vuln)
  const changes = alert.changes.map(describeChange)
  const why = vuln.monitored_by.map(reasonLine)
  const affected = vuln.affected.slice(0, maxProducts)
  const references = vuln.reflinks.slice(0, maxReferences)
  const products = affected.map(productLine)
  const moreProducts = vuln.product_count - new Set(affected.map(({ product_id }) => product_id)).size
  const moreReferences = vuln.reflinks.length - references.length
  const summary = cut(vuln.summary)

  const body = html`
    <p>
      <a href="${link}"><b>PH-${vuln.id}</b></a>
      ${vuln.cveid ? html` · <a href="https://nvd.nist.gov/vuln/detail/${vuln.cveid}">${vuln.cveid}</a>` : ''}
    </p>
    ${section('Why it concerns you', why)} ${section('What changed', changes)}
    <h2>Summary</h2>
    <p class="lines">${summary}</p>
    <table>
      ${lines.map(
        ({ label, value, more }) =>
          html`<tr>
            <td>${label}</td>
            <td><b>${value}</b>${more ? html`<br /><span class="quiet">${more}</span>` : ''}</td>
          </tr>`,
      )}
    </table>
    ${section('Affected', products, moreProducts)}
    ${section(
      'References',
      references.map((url) => html`<a href="${url}">${url}</a>`),
      moreReferences,
    )}
    <p><a href="${link}">Open in Earshot</a></p>
  `

  return {
    to,
    from,
    subject: `[Earshot] ${title}`.slice(0, 200),
    html: await mailLayout({ title, body, footer }),
    text: [
      title,
      `PH-${vuln.id}${vuln.cveid ? ` · ${vuln.cveid}` : ''}`,
      textSection('Why it concerns you', why),
      textSection('What changed', changes),
      summary,
      lines.map(({ label, value, more }) => `${label}: ${value}${more ? ` (${more})` : ''}`).join('\n'),
      textSection('Affected', products, moreProducts),
      textSection('References', references, moreReferences),
      link,
      `-- \n${footer}`,
    ]
      .filter(Boolean)
      .join('\n\n'),
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
  const says = (test: (change: Change) => boolean) => changes.some(test)
  if (says((change) => change.field === 'state' && change.to === 'rejected')) return `rejected (${id})`
  if (says((change) => change.field === 'kev_added_at' && change.to !== null)) return `is known to be exploited (${id})`
  if (says((change) => change.field === 'is_exploitable' && change.to)) return `has known exploits (${id})`
  return `updated (${id})`
}

function factsOf(vuln: VulnDetail): Line[] {
  const cvss = (label: string, version: 2 | 3 | 4, score: number | null, vector: string | null): Line[] =>
    score === null
      ? []
      : [{ label, value: `${score.toFixed(1)} ${severity(version, score)}`, ...(vector && { more: inWords(vector) }) }]
  return [
    { label: 'Score', value: vuln.score === null ? 'n/a' : `${vuln.score}/100 ${scoreWord(vuln.score)}` },
    ...cvss('CVSS 4', 4, vuln.cvss4, vuln.cvss4_vector),
    ...cvss('CVSS 3', 3, vuln.cvss3, vuln.cvss3_vector),
    ...cvss('CVSS 2', 2, vuln.cvss, vuln.cvss_vector),
    ...(vuln.epss === null ? [] : [{ label: 'EPSS', value: `${percent(vuln.epss)} in 30 days` }]),
    {
      label: 'CISA KEV',
      value: vuln.kev ? `added ${vuln.kev.added}${vuln.kev.due ? `, due ${vuln.kev.due}` : ''}` : 'no',
    },
    { label: 'Confirmed', value: vuln.is_confirmed ? 'yes' : 'no' },
    { label: 'Exploits', value: vuln.is_exploitable ? `known (${vuln.exploit_count} referenced)` : 'none known' },
  ]
}

const inWords = (vector: string) =>
  `${vector}: ${explainVector(vector)
    .map(({ name, meaning }) => `${name} ${meaning}`)
    .join(', ')}`

// As on the screens: what is above zero never reads as zero, and what is below one never as all.
const percent = (share: number) =>
  share > 0 && share < 0.001 ? '<0.1%' : `${(100 * (share < 1 ? Math.min(share, 0.999) : share)).toFixed(1)}%`

function reasonLine({ via, name, vendor }: VulnDetail['monitored_by'][number]) {
  if (via === 'vuln') return 'You monitor this vulnerability'
  return `You monitor the ${via} ${vendor === null ? name : productLabel(vendor, name)}`
}

const productLine = ({ vendor, product, versions }: VulnDetail['affected'][number]) =>
  `${productLabel(vendor, product)}: ${versions.slice(0, 5).join('; ')}${versions.length > 5 ? '; …' : ''}`

const cut = (text: string) => (text.length > maxSummary ? `${text.slice(0, maxSummary).trimEnd()} …` : text)

const section = (title: string, items: unknown[], more = 0) =>
  items.length
    ? html`<h2>${title}</h2>
        <ul>
          ${items.map((item) => html`<li>${item}</li>`)} ${more > 0 ? html`<li>and ${more} more</li>` : ''}
        </ul>`
    : ''

const textSection = (title: string, items: string[], more = 0) =>
  items.length
    ? [title, ...items.map((item) => `- ${item}`), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
    : ''

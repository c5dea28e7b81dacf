import { html } from 'hono/html'
import { explainVector, severity } from '../domain/cvss'
import { epssPercent } from '../domain/epss'
import { idLinks } from '../domain/id-links'
import { productLabel } from '../domain/product'
import { scoreWord } from '../domain/rating'
import { provisionalNote } from '../domain/score'
import { mailLayout } from '../mail/layout'
import type { VulnDetail } from './detail/contract'

type Line = { label: string; value: string; more?: string }

const maxReferences = 10
const maxProducts = 8
const maxSummary = 1_500

/** A vulnerability as a mail tells of it, after what leads to it; as HTML and as text. */
export async function vulnMail(
  vuln: VulnDetail,
  { title, footer, app_url, lead }: { title: string; footer: string; app_url: string; lead?: Lead },
) {
  const link = `${app_url}/vulns/${vuln.id}`
  const lines = listFacts(vuln)
  const affected = vuln.affected.slice(0, maxProducts)
  const references = vuln.reflinks.slice(0, maxReferences)
  const products = affected.map(productLine)
  const packages = vuln.affected_packages.slice(0, maxProducts).map(packageLine)
  const moreProducts = vuln.product_count - new Set(affected.map(({ product_id }) => product_id)).size
  const moreReferences = vuln.reflinks.length - references.length
  const summary = cut(vuln.summary)
  const [home] = idLinks(vuln.cveid ?? '')

  const body = html`
    ${
      lead
        ? lead.html
        : html`<p>
            <a href="${link}"><b>PH-${vuln.id}</b></a>
            ${vuln.cveid ? html` · ${home ? html`<a href="${home.url}">${vuln.cveid}</a>` : vuln.cveid}` : ''}
          </p>`
    }
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
    ${section('Affected', products, moreProducts)} ${section('Affected packages', packages)}
    ${section(
      'References',
      references.map((url) => html`<a href="${url}">${url}</a>`),
      moreReferences,
    )}
    <p><a href="${link}">Open in Earshot</a></p>
  `
  return {
    html: await mailLayout({ title, body, footer }),
    text: [
      title,
      lead ? lead.text : `PH-${vuln.id}${vuln.cveid ? ` · ${vuln.cveid}` : ''}`,
      summary,
      lines.map(({ label, value, more }) => `${label}: ${value}${more ? ` (${more})` : ''}`).join('\n'),
      textSection('Affected', products, moreProducts),
      textSection('Affected packages', packages),
      textSection('References', references, moreReferences),
      link,
      `-- \n${footer}`,
    ]
      .filter(Boolean)
      .join('\n\n'),
  }
}

type Lead = { html: ReturnType<typeof html>; text: string }

function listFacts(vuln: VulnDetail): Line[] {
  const cvss = (label: string, version: 2 | 3 | 4, score: number | null, vector: string | null): Line[] =>
    score === null
      ? []
      : [{ label, value: `${score.toFixed(1)} ${severity(version, score)}`, ...(vector && { more: inWords(vector) }) }]
  return [
    {
      label: 'Score',
      value: vuln.score === null ? 'n/a' : `${vuln.score}/100 ${scoreWord(vuln.score)}`,
      ...(vuln.is_score_provisional && { more: provisionalNote }),
    },
    ...cvss('CVSS 4', 4, vuln.cvss4, vuln.cvss4_vector),
    ...cvss('CVSS 3', 3, vuln.cvss3, vuln.cvss3_vector),
    ...cvss('CVSS 2', 2, vuln.cvss, vuln.cvss_vector),
    ...(vuln.epss === null ? [] : [{ label: 'EPSS', value: `${epssPercent(vuln.epss)} in 30 days` }]),
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

const productLine = ({ vendor, product, versions }: VulnDetail['affected'][number]) =>
  `${productLabel(vendor, product)}: ${versions.slice(0, 5).join('; ')}${versions.length > 5 ? '; …' : ''}`

const packageLine = ({ purl, versions, fixed }: VulnDetail['affected_packages'][number]) =>
  `${purl}: ${versions.slice(0, 5).join('; ')}${versions.length > 5 ? '; …' : ''}${fixed.length ? `, fixed in ${fixed.slice(0, 3).join(', ')}` : ''}`

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

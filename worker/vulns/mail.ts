import { html } from '../http/html'
import { explainVector } from '../domain/scores/cvss'
import { decisionLines } from '../domain/decisions/decision'
import type { Running } from '../domain/decisions/running'
import { epssPercent } from '../domain/scores/epss'
import { describeKnownExploits, describeFlag } from '../domain/scores/flags'
import { idLinks } from '../domain/names/id-links'
import { productLabel } from '../domain/names/product'
import { provisionalNote } from '../domain/scores/score'
import { severityLabels, vulnSeverity } from '../domain/scores/severity'
import { cutText, joinSome } from '../domain/words/short-lists'
import { speakRange } from '../domain/versions/range'
import { mailButton, mailLayout } from '../mail/layout'
import type { VulnDetail } from './detail/contract'

type Line = { label: string; value: string; more?: string; url?: string }

const maxReferences = 10
const maxProducts = 8
const maxSummary = 1_500

type Lead = { html: ReturnType<typeof html>; text: string; preview: string }
type Frame = { title: string; footer: string; app_url: string; lead?: Lead }

export async function vulnMail(vuln: VulnDetail, { title, footer, app_url, lead }: Frame) {
  const link = `${app_url}/vulns/${vuln.id}`
  const lines = listFacts(vuln)
  const { product: ofProducts = [], package: ofPackages = [] } = Object.groupBy(vuln.affected_items, ({ via }) => via)
  const sections = [
    newSection('Affected', ofProducts.map(itemLine), { most: maxProducts, count: vuln.product_count }),
    newSection('Affected packages', ofPackages.map(itemLine), { most: maxProducts }),
    newSection('References', vuln.reflinks, { most: maxReferences, count: vuln.reflinks.length, toItem: toLink }),
  ].filter(({ items }) => items.length)
  const summary = cutText(vuln.summary, maxSummary)

  const body = html`
    ${lead ? lead.html : leadAlone(vuln, link)}
    <h2>Summary</h2>
    <p class="lines">${summary}</p>
    ${factTable(lines)}
    ${sections.map(
      ({ title: heading, items, more, toItem }) =>
        html`<h2>${heading}</h2>
          <ul>
            ${items.map((item) => html`<li>${toItem(item)}</li>`)} ${more > 0 ? html`<li>and ${more} more</li>` : ''}
          </ul>`,
    )}
  `
  return {
    html: await mailLayout({ title, body, footer, preview: lead?.preview ?? vuln.summary.slice(0, 140) }),
    text: [
      title,
      lead ? lead.text : textAlone(vuln, link),
      summary,
      writeLines(lines),
      ...sections.map(({ title: heading, items, more }) =>
        [heading, ...items.map((item) => `- ${item}`), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n'),
      ),
      `-- \n${footer}`,
    ]
      .filter(Boolean)
      .join('\n\n'),
  }
}

type SectionOptions = { most: number; count?: number; toItem?: (text: string) => unknown }

function newSection(title: string, all: string[], { most, count = 0, toItem = (text) => text }: SectionOptions) {
  const items = all.slice(0, most)
  return { title, items, more: count - items.length, toItem }
}

const toLink = (url: string) => html`<a href="${url}" style="overflow-wrap:anywhere">${url}</a>`

// Somebody outside the organization may receive these details, so they do not tell what it runs.
function leadAlone(vuln: VulnDetail, link: string) {
  const { id, known_as } = vuln
  const [home] = idLinks(known_as)
  return html`<p>
      <a href="${link}"><b>PH-${id}</b></a>
      ${known_as === `PH-${id}` ? '' : html` · ${home ? html`<a href="${home.url}">${known_as}</a>` : known_as}`}
    </p>
    ${factTable(listDecision(vuln))} ${mailButton({ label: 'Open in Earshot', url: link })}`
}

const textAlone = (vuln: VulnDetail, link: string) =>
  [
    [...new Set([`PH-${vuln.id}`, vuln.known_as])].join(' · '),
    writeLines(listDecision(vuln)),
    `Open in Earshot: ${link}`,
  ]
    .filter(Boolean)
    .join('\n\n')

/** As on the screen of the vulnerability; `running` adds which affected versions the reader runs. */
export const listDecision = (vuln: VulnDetail, running?: Running): Line[] =>
  vuln.state === 'rejected' ? [] : decisionLines(vuln, running).map(({ text, ...line }) => ({ ...line, value: text }))

export const writeLines = (lines: Line[]) =>
  lines
    .map(({ label, value, more, url }) => `${label}: ${value}${more ? ` (${more})` : ''}${url ? ` ${url}` : ''}`)
    .join('\n')

/** The first column never wraps; long texts belong in the second. */
export const factTable = (lines: Line[]) => html`
  <table cellpadding="0" cellspacing="0" border="0" width="100%" style="line-height:1.35">
    ${lines.map(
      ({ label, value, more, url }) =>
        html`<tr>
          <td class="quiet" style="padding:2px 16px 2px 0;vertical-align:top;white-space:nowrap">${label}</td>
          <td width="99%" style="padding:2px 0;vertical-align:top;overflow-wrap:anywhere">
            <b>${url ? html`<a href="${url}">${value}</a>` : value}</b
            >${more ? html`<br /><span class="quiet" style="overflow-wrap:anywhere">${more}</span>` : ''}
          </td>
        </tr>`,
    )}
  </table>
`
function listFacts(vuln: VulnDetail): Line[] {
  const cvss = (label: string, score: number | null, vector: string | null): Line[] =>
    score === null ? [] : [{ label, value: score.toFixed(1), ...(vector && { more: inWords(vector) }) }]
  return [
    { label: 'Severity', value: severityLabels[vulnSeverity(vuln)] },
    {
      label: 'Score',
      value: vuln.score === null ? 'n/a' : `${vuln.score}/100`,
      ...(vuln.is_score_provisional && !vuln.is_malicious && { more: provisionalNote }),
    },
    ...cvss('CVSS 4', vuln.cvss4, vuln.cvss4_vector),
    ...cvss('CVSS 3', vuln.cvss3, vuln.cvss3_vector),
    ...cvss('CVSS 2', vuln.cvss, vuln.cvss_vector),
    ...(vuln.epss === null ? [] : [{ label: 'EPSS', value: `${epssPercent(vuln.epss)} in 30 days` }]),
    {
      label: 'CISA KEV',
      value: vuln.kev ? `added ${vuln.kev.added}${vuln.kev.due ? `, due ${vuln.kev.due}` : ''}` : 'no',
    },
    { label: 'Confirmed', value: describeFlag(vuln, 'is_confirmed').toLowerCase() },
    { label: 'Exploits', value: vuln.is_exploitable ? describeKnownExploits(vuln.exploit_count) : 'none known' },
  ]
}

const inWords = (vector: string) =>
  `${vector}: ${explainVector(vector)
    .map(({ name, meaning }) => `${name} ${meaning}`)
    .join(', ')}`

function itemLine({ vendor, name, purl, versions, fixed, is_name_only }: VulnDetail['affected_items'][number]) {
  const ranges = is_name_only ? 'by its name only' : joinSome(versions.map(speakRange), 5, '; ')
  const fixes = fixed.length ? `, fixed in ${joinSome(fixed, 6)}` : ''
  return `${purl ?? productLabel(vendor, name)}: ${ranges}${fixes}`
}

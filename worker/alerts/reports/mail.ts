import { html } from '../../http/html'
import { formatPeriod } from '../../domain/alerts/report-times'
import {
  describeExploits,
  describeNumbers,
  describeSubject,
  grouped,
  groupByProduct,
  listSupportEnds,
  supportTitle,
} from '../../domain/alerts/report-words'
import { severities, severityLabels } from '../../domain/scores/severity'
import { mailButton, mailLayout, type MailBody } from '../../mail/layout'
import { cutText } from '../../domain/words/short-lists'
import { verdictWords } from '../channels/words'
import type { ReportFacts, ReportRow } from './contract'

/** A mail program cuts off what is beyond 100 kB: so much stands in it, and the link leads to the others. */
const maxima = { rows: 40, products: 15, perProduct: 5, summary: 140, org: 60, pages: 25 }

/** Dark enough beside white, bright enough on black; the words stand there, too. */
const barColours = { critical: '#d6336c', high: '#e8590c', medium: '#b08500', low: '#1c7ed6', unscored: '#868e96' }

type ProductSection = { product: string; rows: ReportRow[] }
type Links = { app_url: string; report_url: string }

/** `facts` hold the rows of all pages here. */
export async function reportMail(facts: ReportFacts, links: Links) {
  const title = `${facts.org_name}: ${facts.kind} report`
  const [wide, sections] = [facts.rows.slice(0, maxima.rows), groupByProduct(facts.rows).slice(0, maxima.products)]
  const more = facts.more + facts.rows.length - wide.length
  const numbers = describeNumbers(facts)
  const pages = listPages(facts, links)
  const body: MailBody = html`
    <p class="quiet">${formatPeriod(facts)}</p>
    <p>${numbers}</p>
    ${picture(facts)} ${mailButton({ label: 'Open the report', url: links.report_url })}
    ${pages.length ? html`<p>Pages of the report: ${pages.map(({ page, url }) => html`<a href="${url}">${page}</a> `)}</p>` : ''}
    ${wide.length ? rowTable(wide, links) : ''}
    ${more > 0 ? html`<p><a href="${links.report_url}">${describeMore(facts, more)}</a></p>` : ''}
    ${sections.map((section) => productSection(section, links))} ${supportSection(facts)}
  `
  const settled = await body
  return {
    subject: `[Earshot] ${cutText(facts.org_name, maxima.org)}: ${facts.kind} report, ${describeSubject(facts)}`,
    html: (footer: string) => mailLayout({ title, body: settled, footer, preview: numbers }),
    text: (footer: string) =>
      [...textParts(facts, { wide, sections, pages, more, title, links }), `-- \n${footer}`].join('\n\n'),
  }
}

/** For several pages. */
const listPages = ({ pages }: ReportFacts, { report_url }: Links) =>
  pages === 1
    ? []
    : Array.from({ length: Math.min(pages, maxima.pages) }, (_, at) => ({
        page: at + 1,
        url: `${report_url}&page=${at + 1}`,
      }))

const describeMore = (facts: ReportFacts, more: number) =>
  [
    ...(more > facts.more ? [`${grouped(more - facts.more)} more in the report`] : []),
    ...(facts.more ? [`${grouped(facts.more)} of lower risk, which the report only counts`] : []),
  ]
    .map((part) => `and ${part}`)
    .join(', ')

/** The open ones by severity as bars of a table, which every mail program shows, and three numbers. */
function picture({ open, new: added, updated, fixed }: ReportFacts) {
  const longest = Math.max(1, ...severities.map((band) => open[band]))
  const numbers = { New: added, Changed: updated, Fixed: fixed }
  return html`
    <table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0">
      <tr>
        ${Object.entries(numbers).map(
          ([label, count]) =>
            html`<td style="padding:0 28px 8px 0">
              <b style="font-size:22px">${grouped(count)}</b><br /><span class="quiet">${label}</span>
            </td>`,
        )}
      </tr>
    </table>
    <p class="tight"><b>Open at the end</b></p>
    <table cellpadding="0" cellspacing="0" border="0" width="100%" style="margin:0 0 8px">
      ${severities.map((band) => {
        const share = Math.ceil((100 * open[band]) / longest)
        return html`<tr>
          <td width="90" style="padding:2px 8px 2px 0">${severityLabels[band]}</td>
          <td style="padding:2px 0">
            <table role="presentation" cellpadding="0" cellspacing="0" border="0" width="100%">
              <tr>
                ${share ? html`<td width="${share}%" height="12" bgcolor="${barColours[band]}" style="font-size:1px;line-height:12px;border-radius:3px">&nbsp;</td>` : ''}
                ${share < 100 ? html`<td height="12" style="font-size:1px;line-height:12px">&nbsp;</td>` : ''}
              </tr>
            </table>
          </td>
          <td width="60" align="right" style="padding:2px 0 2px 8px"><b>${grouped(open[band])}</b></td>
        </tr>`
      })}
    </table>
  `
}

const columns = [
  ['Status', '12%'],
  ['Product', '20%'],
  ['Summary', '31%'],
  ['CVSS', '12%'],
  ['Score', '10%'],
  ['Exploits', '15%'],
] as const
const cell = 'padding:8px 8px 8px 0;font-size:14px;vertical-align:top;text-align:left'

/** On a phone each row is a block of its own, with the words of the head before its values. */
const rowTable = (rows: ReportRow[], { app_url }: Links) => html`
  <h2>What changed</h2>
  <table class="stack" style="table-layout:fixed" cellpadding="0" cellspacing="0" border="0" width="100%">
    <tr class="wide">
      ${columns.map(([label, width]) => html`<th scope="col" width="${width}" class="quiet" style="${cell}">${label}</th>`)}
    </tr>
    ${rows.map(
      (row) =>
        html`<tr class="line">
          <td class="line" style="${cell}">
            <b>${row.is_new ? 'New' : 'Update'}</b
            >${row.is_held ? html`<br /><span class="quiet">held back</span>` : ''}
          </td>
          <td class="line" style="${cell};overflow-wrap:anywhere">
            <span class="narrow quiet">Product </span
            >${row.products[0] ?? 'n/a'}${row.products.length > 1 ? html` <span class="quiet">+${row.products.length - 1}</span>` : ''}
          </td>
          <td class="line" style="${cell}">
            <a href="${app_url}/vulns/${row.id}"><b>${row.name}</b></a
            ><br />${cutText(row.summary, maxima.summary)}
          </td>
          <td class="line" style="${cell}"><span class="narrow quiet">CVSS </span>${row.cvss ?? 'n/a'}</td>
          <td class="line" style="${cell}">
            <span class="narrow quiet">Score </span
            ><b>${row.score ?? 'n/a'}</b
            >${row.is_score_provisional ? html`<br /><span class="quiet">provisional</span>` : ''}
          </td>
          <td class="line" style="${cell}"><span class="narrow quiet">Exploits </span>${describeExploits(row)}</td>
        </tr>`,
    )}
  </table>
`

const productSection = ({ product, rows }: ProductSection, { app_url }: Links) => html`
  <h2>${product}</h2>
  <ul>
    ${rows
      .slice(0, maxima.perProduct)
      .map(
        (row) =>
          html`<li style="margin:0 0 6px">
            <a href="${app_url}/vulns/${row.id}">${row.name}</a>, ${describeRisk(row)}
            ${row.changed.length ? html`<br /><span class="quiet">${row.changed.join(' · ')}</span>` : ''}
          </li>`,
      )}
    ${rows.length > maxima.perProduct ? html`<li>and ${rows.length - maxima.perProduct} more</li>` : ''}
  </ul>
`

const supportSection = (facts: ReportFacts) =>
  facts.support_ends.length
    ? html`<h2>${supportTitle}</h2>
        <ul>
          ${listSupportEnds(facts).map((line) => html`<li style="margin:0 0 6px">${line}</li>`)}
        </ul>`
    : ''

const describeRisk = (row: ReportRow) =>
  [
    `score ${row.score ?? 'n/a'}${row.is_score_provisional ? ' (provisional)' : ''}`,
    ...(row.cvss ? [`CVSS ${row.cvss}`] : []),
    ...(row.epss ? [`EPSS ${row.epss}`] : []),
    ...(row.kev ? ['exploited (CISA KEV)'] : []),
    ...(row.is_exploitable ? [row.exploit_count > 1 ? `${row.exploit_count} exploits known` : 'exploit known'] : []),
    ...(row.verdict ? [verdictWords[row.verdict]] : []),
  ].join(', ')

type Shown = {
  wide: ReportRow[]
  sections: ProductSection[]
  pages: ReturnType<typeof listPages>
  more: number
  title: string
  links: Links
}

function textParts(facts: ReportFacts, { wide, sections, pages, more, title, links }: Shown) {
  const open = severities.map((band) => `${severityLabels[band]} ${grouped(facts.open[band])}`).join(' · ')
  return [
    title,
    formatPeriod(facts),
    describeNumbers(facts),
    `Open at the end: ${open}`,
    `Open the report: ${links.report_url}`,
    ...(pages.length ? [['Pages of the report:', ...pages.map(({ url }) => url)].join('\n')] : []),
    ...wide.map((row) =>
      [
        `${row.is_new ? 'New' : 'Update'}${row.is_held ? ' (held back)' : ''}: ${[row.name, ...row.products.slice(0, 1)].join(' · ')}`,
        cutText(row.summary, maxima.summary),
        describeRisk(row),
        ...(row.changed.length ? [row.changed.join(' · ')] : []),
        `${links.app_url}/vulns/${row.id}`,
      ].join('\n'),
    ),
    ...(more > 0 ? [describeMore(facts, more)] : []),
    ...sections.map(({ product, rows }) =>
      [
        product,
        ...rows.slice(0, maxima.perProduct).map((row) => `- ${row.name}: ${describeRisk(row)}`),
        ...(rows.length > maxima.perProduct ? [`and ${rows.length - maxima.perProduct} more`] : []),
      ].join('\n'),
    ),
    ...(facts.support_ends.length
      ? [[supportTitle, ...listSupportEnds(facts).map((line) => `- ${line}`)].join('\n')]
      : []),
  ]
}

import { html } from '../http/html'
import type { Census } from '../census/find'
import { writeCensusStatement } from '../census/statement'
import { anySource, censusSources, censusWaits, sumCounts, sumMonths, type CensusMonth } from '../domain/service/census'
import type { Env } from '../env'
import { censusParts, groupDigits, formatShare, showParts, showShares } from './census-charts'
import { scrolling } from './card'
import { mayIndex, showPage, type Html } from './page'

const cacheSeconds = 300
/** So many months stand by themselves; older ones are folded into years. */
const shownMonths = 24

const columns = [{ id: anySource, name: 'Any source' }, ...censusSources]
const withVersions = (month: CensusMonth, id: string) => month.sources[id] && sumCounts(month.sources[id])

const showShare = (count: number | undefined, total: number) =>
  count === undefined
    ? html`<span class="quiet">not read</span>`
    : html`${groupDigits(count)}${total ? html` <span class="quiet">(${formatShare(count, total)})</span>` : ''}`

type Row = { name: string; month: CensusMonth | undefined }

/** The list of the same CVEs, for whoever is signed in. */
const listAddress = (name: string) => {
  const [year = 0, number = 1] = name.split('-').map(Number)
  const next = name.includes('-') && number < 12 ? `${year}-${String(number + 1).padStart(2, '0')}` : String(year + 1)
  const first = (text: string) => (text.includes('-') ? `${text}-01` : `${text}-01-01`)
  return `/vulns?q=${encodeURIComponent(`published>=${first(name)} AND published<${first(next)}`)}`
}

const showRow = ({ name, month }: Row, heads: number, cells: (month: CensusMonth) => (number | undefined)[]) =>
  html`<tr>
    <th scope="row"><a href="${listAddress(name)}">${name}</a></th>
    ${
      month
        ? html`<td>${groupDigits(month.cves)}</td>
            ${cells(month).map((count) => html`<td>${showShare(count, month.cves)}</td>`)}`
        : html`<td class="quiet" colspan="${heads}">not counted yet</td>`
    }
  </tr>`

/** `heads` lead to the query behind their numbers, the `plain` ones before them do not. */
const showTable = (plain: string[], heads: string[], rows: Html[], classes = '') =>
  html`<table class="${classes}">
    <thead>
      <tr>
        ${plain.map((head) => html`<th scope="col">${head}</th>`)}
        ${heads.map((head) => html`<th scope="col"><a href="#query">${head}</a></th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`

type Rows = { recent: Row[]; years: Row[] }

/** Whole years; one of which a month is missing is not counted. */
function listRows({ months, listed }: Census): Rows {
  const known = new Map(months.map((month) => [month.month, month]))
  const toRow = (name: string): Row => ({ name, month: known.get(name) })
  const [newestOlder = ''] = listed.slice(shownMonths)
  const inYears = Map.groupBy(listed, (month) => month.slice(0, 4))
  const older = [...inYears].filter(([year]) => year <= newestOlder)
  const years = older.map(([year, names]): Row => {
    const found = names.flatMap((name) => known.get(name) ?? [])
    const isWhole = found.length === names.length
    return { name: year, month: isWhole ? sumMonths(year, found) : undefined }
  })
  return { recent: listed.slice(0, shownMonths).map(toRow), years }
}

function showFolded(
  label: string,
  { recent, years }: Rows,
  heads: string[],
  cells: (month: CensusMonth) => (number | undefined)[],
) {
  const show = (rows: Row[], name: string) => {
    const shown = rows.map((row) => showRow(row, heads.length + 1, cells))
    return scrolling(name, showTable(['Published', 'CVEs'], heads, shown, 'months'), 'scroll')
  }
  return html`${show(recent, label)}
    <details>
      <summary>Older years</summary>
      ${show(years, `${label}, older years`)}
    </details>`
}

const showLegend = (total: CensusMonth) =>
  html`<ul class="legend">
    ${censusParts.map(
      ({ id, name, count }) =>
        html`<li>
          <svg viewBox="0 0 1 1" aria-hidden="true"><path class="${id}" d="M0 0h1v1h-1z" /></svg> ${name}:
          ${showShare(count(total), total.cves)}
        </li>`,
    )}
  </ul>`

function showSource(id: string, name: string, total: CensusMonth, recent: Row[]) {
  const count = withVersions(total, id)
  const oldestFirst = recent.toReversed()
  const told =
    count === undefined ? 'not read' : `${formatShare(count, total.cves || 1)} of ${groupDigits(total.cves)} CVEs`
  const chart = {
    label: `${name}, ${recent.length} months: ${told}`,
    names: oldestFirst.map((row) => row.name),
    months: oldestFirst.map(({ month }) => month),
  }
  return html`<section class="card" aria-label="${name}">
    <div class="objective">
      <h3>${name}</h3>
      <span>${told}</span>
    </div>
    ${showShares(chart, (month) => withVersions(month, id))}
  </section>`
}

function showWaits(total: CensusMonth) {
  const heads = [...censusWaits.map(({ name }) => name), 'Not so far']
  const rows = columns.map(({ id, name }) => {
    const waits = total.sources[id]
    const counts = waits && [...waits, total.cves - sumCounts(waits)]
    return html`<tr>
      <th scope="row">${name}</th>
      ${
        counts
          ? counts.map((count) => html`<td>${showShare(count, total.cves)}</td>`)
          : html`<td class="quiet" colspan="${heads.length}">not read</td>`
      }
    </tr>`
  })
  return scrolling('How soon after publication', showTable(['Source'], heads, rows))
}

function showFigures(census: Census) {
  const rows = listRows(census)
  const found = rows.recent.flatMap(({ month }) => month ?? [])
  const total = sumMonths('', found)
  const oldestFirst = rows.recent.toReversed()
  const names = oldestFirst.map(({ name }) => name)
  const label = `CVEs of ${names.length} months: ${censusParts.map(({ name, count }) => `${name} ${groupDigits(count(total))}`).join(', ')}`
  return html`<h2 class="differences">What can be judged</h2>
    <section class="card" aria-label="What can be judged">
      ${showParts({ label, names, months: oldestFirst.map(({ month }) => month) })} ${showLegend(total)}
      ${showFolded(
        'What can be judged, by month',
        rows,
        censusParts.map(({ name }) => name),
        (month) => censusParts.map(({ count }) => count(month)),
      )}
    </section>
    <h2 class="differences">Who says it</h2>
    <p class="lead">
      CISA’s are products of which the CNA names no version in its record, and CISA does. A record that was read before
      the two were told apart counts as its CNA’s until it changes. Advisories of GitHub count as GitHub’s where OSV
      brings them, too.
    </p>
    <div class="row">${columns.map(({ id, name }) => showSource(id, name, total, rows.recent))}</div>
    <section class="card offers" aria-label="Who says it">
      ${showFolded(
        'CVEs with versions, by source and month',
        rows,
        columns.map(({ name }) => name),
        (month) => columns.map(({ id }) => withVersions(month, id)),
      )}
    </section>
    <h2 class="differences">How soon after publication</h2>
    <p class="lead">
      Of the last ${shownMonths} months. “Within” is at the latest: by the date at which the source changed its record
      last, or by the moment at which its versions came here. “Later” and earlier moments are told only of CVEs that
      stood here within a day of their publication. <strong>Not known</strong>: the source has versions now, and nobody
      can tell since when, because it changed its record again, or was read for the first time long after.
    </p>
    ${showWaits(total)}`
}

function describeProgress({ counted_from, months, months_total }: Census) {
  if (!counted_from)
    return 'Nothing was counted yet: nobody can say how many there are. Counting begins when first loads are done, and takes an hour or two.'
  const since = `Counted at ${counted_from.slice(0, 16).replace('T', ' ')} UTC or later: the last ${shownMonths} months each day, older ones each week.`
  return months.length < months_total
    ? `${months.length} of ${months_total} months are counted so far; the others say so. ${since}`
    : since
}

/** Of how many CVEs somebody states affected versions for machines; `/api/public/census` says the same to machines. */
export function censusPage(env: Env, census: Census) {
  const { undated, reserved, rejected } = census
  return showPage(env, {
    title: 'Census of affected versions',
    description: 'Of how many CVEs, month by month, somebody states affected versions for machines: who, and how soon.',
    path: '/census',
    cache_seconds: cacheSeconds,
    head: mayIndex,
    body: html`<h1>Census of affected versions</h1>
      <p class="lead">
        A version can be judged where somebody states affected versions that a machine reads. This page counts of how
        many CVEs that is so, who states them, and how soon after publication. If only a product is named, or nothing at
        all, nobody can judge, and Earshot answers that it is not known.
      </p>
      <p class="lead">
        <strong>${describeProgress(census)}</strong> The same is at <a href="/api/public/census">/api/public/census</a>,
        and as <a href="/api/public/census/export/csv">CSV</a>.
      </p>
      ${census.counted_from ? showFigures(census) : ''}
      <h2 class="differences">Not counted</h2>
      <p class="lead">
        ${groupDigits(rejected)} rejected CVEs, and ${groupDigits(reserved)} that are reserved: a catalogue names them,
        and nobody described them yet. Nor is what has no CVE id.
        ${undated === null ? '' : html`${groupDigits(undated)} CVEs have no date of publication here, and stand in no month.`}
      </p>
      <h2 class="differences" id="query">The query behind each number</h2>
      <p class="lead">
        This statement counts the CVEs of a month, some hundred at a time: <b>:from</b> and <b>:to</b> are the first
        seconds of the month and of the next one in Unix time, <b>:after_time</b> and <b>:after_id</b> stand for the
        last CVE before (0 and 0 begin), <b>:limit</b> for how many at once (-1 for all). <b>wait</b> is the place among
        ${censusWaits.map(({ name }) => `“${name}”`).join(', ')}, from 0. A range counts when it names a version or a
        bound and calls it affected. The name of a month leads members to the list of what was published in it.
      </p>
      ${scrolling('The query', html`<pre>${writeCensusStatement()}</pre>`)}`,
  })
}

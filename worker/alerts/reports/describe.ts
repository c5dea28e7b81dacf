import { epssPercent } from '../../domain/scores/epss'
import { itemName } from '../../domain/names/product'
import { newestCvss, severities, severityLabels, vulnSeverity, type VulnSeverity } from '../../domain/scores/severity'
import { verdictAtRank } from '../../domain/versions/verdict'
import { knownId } from '../../domain/names/cve'
import { sameFields } from '../../http/fields'
import { changedLines, readLoggedChanges } from '../change-log'
import { cutText } from '../../domain/words/short-lists'
import type { ReportFacts, DescribedPage, ReportRow } from './contract'
import type { DueReport } from './due-reports'
import { perPage, type ChangedRow, type Period, type ReportSpan } from './periods'
import { compareText } from '../../domain/versions/orders/order'

const maxChanges = 6
const maxSummary = 240

type Described = { facts: ReportFacts; further: DescribedPage[] }

/** The report with its first page, and the pages after it. */
export function describeReport(
  due: Pick<DueReport, 'org_name' | 'kind' | 'time_zone'>,
  period: string,
  span: ReportSpan,
  read: Period,
): Described {
  const { changed } = read
  const pages = Array.from({ length: Math.max(1, Math.ceil(changed.length / perPage)) }, (_, at) =>
    describePage(changed.slice(at * perPage, (at + 1) * perPage), read.items),
  )
  const [page = { rows: [] }, ...further] = pages
  const facts = {
    org_name: due.org_name,
    kind: due.kind,
    period,
    starts_at: span.starts_at,
    ends_at: span.ends_at,
    time_zone: due.time_zone || 'UTC',
    open: countOpen(read.open),
    overdue: read.open.reduce((sum, { overdue }) => sum + overdue, 0),
    soon: read.open.reduce((sum, { soon }) => sum + soon, 0),
    fixed: read.fixed,
    support_ends: [],
    more_ends: 0,
    ...countChanged(changed),
    held_pages: pages.flatMap(({ rows }, at) => (rows.some(({ is_held }) => is_held) ? [at + 1] : [])),
    pages: pages.length,
    ...page,
  }
  return { facts, further }
}

/** From the whole set, of which every row knows the sums. */
function countChanged([first]: ChangedRow[]) {
  if (!first) return { new: 0, updated: 0, kev: 0, highest: null, held: 0, parked: 0, untold: 0, more: 0 }
  const { total, total_new, total_kev, total_held, total_parked, total_untold, highest, highest_rated, listed } = first
  return {
    new: total_new,
    updated: total - total_new,
    kev: total_kev,
    highest: highest === null ? null : { score: highest, is_score_provisional: highest_rated !== highest },
    held: total_held,
    parked: total_parked,
    untold: total_untold,
    more: total - listed,
  }
}

function describePage(changed: ChangedRow[], items: Period['items']): DescribedPage {
  const rows = changed.map((row) => describeRow(row, items.get(row.id) ?? []))
  const best = bestScores(rows)
  const rank = (product: string | undefined) => best.get(product ?? '') ?? -2
  for (const row of rows) row.products.sort((a, b) => rank(b) - rank(a) || compareText(a, b))
  rows.sort(
    (a, b) =>
      rank(b.products[0]) - rank(a.products[0]) ||
      compareText(a.products[0] ?? '', b.products[0] ?? '') ||
      (b.score ?? -1) - (a.score ?? -1) ||
      a.id - b.id,
  )
  return { rows }
}

function bestScores(rows: ReportRow[]) {
  const best = new Map<string, number>()
  for (const { products, score } of rows)
    for (const product of products) best.set(product, Math.max(best.get(product) ?? -1, score ?? -1))
  return best
}

type Items = NonNullable<ReturnType<Period['items']['get']>>

function describeRow(row: ChangedRow, items: Items): ReportRow {
  const { id, cveid, score, epss, kev_added_at, is_exploitable, exploit_count } = row
  return {
    id,
    name: knownId(cveid) ?? `PH-${id}`,
    summary: cutText(row.summary, maxSummary),
    is_new: row.is_new === 1,
    is_held: row.is_held === 1,
    score,
    is_score_provisional: row.is_provisional === 1,
    cvss: describeCvss(row),
    epss: epss === null ? null : epssPercent(epss),
    kev: kev_added_at !== null,
    is_exploitable: is_exploitable === 1,
    exploit_count,
    products: [...new Set(listItems(row, items).map(itemName))].slice(0, 10),
    verdict: verdictAtRank(row.verdict),
    changed: changedLines(readLoggedChanges(row.details)).slice(-maxChanges),
  }
}

/** No CVSS judges malice. */
function describeCvss(row: ChangedRow) {
  if (row.is_malicious) return `${severityLabels.critical} (malicious)`
  const newest = newestCvss(row)
  return newest && `${newest.base.toFixed(1)} ${severityLabels[vulnSeverity(row)]}`
}

type TopProducts = [id: number, vendor: string, name: string][]

type NamedItem = Pick<Items[number], 'via' | 'vendor' | 'name'>

/** A product that is watched by its vendor or with its vulnerability alone is named, too, where it is known. */
function listItems({ top_products }: ChangedRow, items: Items): NamedItem[] {
  const top = JSON.parse(top_products) as TopProducts
  return items.flatMap((item): NamedItem[] => {
    const { via, name } = item
    if (via !== 'vendor' && via !== 'vuln') return [item]
    const products = via === 'vendor' ? top.filter(([, maker]) => maker === name) : top
    if (!products.length) return [item]
    return products.slice(0, 2).map(([, vendor, product]) => ({ via: 'product', vendor, name: product }))
  })
}

function countOpen(rows: Period['open']) {
  const counts: Record<VulnSeverity, number> = sameFields(severities, 0)
  for (const { count, ...bases } of rows) counts[vulnSeverity(bases)] += count
  return counts
}

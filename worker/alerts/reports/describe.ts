import { severity } from '../../domain/cvss'
import { epssPercent } from '../../domain/epss'
import { itemName, rawNames } from '../../domain/product'
import { scoreBand } from '../../domain/rating'
import { verdictAtRank } from '../../domain/verdict'
import { knownId } from '../../domain/cve'
import { readLoggedChanges } from '../change-log'
import { changedLines } from '../changed-lines'
import { cutText } from '../channels/words'
import type { ReportFacts, ReportRow } from './contract'
import type { DueReport } from './due-reports'
import type { ChangedRow, Period, ReportSpan } from './periods'
import { compareText } from '../../domain/versions/order'

const maxChanges = 6
const maxSummary = 240

export function describeReport(due: DueReport, period: string, span: ReportSpan, read: Period): ReportFacts {
  const raw_names = new Map<string, string>()
  const rows = read.changed.map((row) => describeRow(row, read.items.get(row.id) ?? [], raw_names))
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
  const [first] = read.changed
  const [total, total_new] = [first?.total ?? 0, first?.total_new ?? 0]
  return {
    org_name: due.org_name,
    kind: due.kind,
    period,
    starts_at: span.starts_at,
    ends_at: span.ends_at,
    time_zone: due.time_zone || 'UTC',
    open: countOpen(read.open),
    new: total_new,
    updated: total - total_new,
    fixed: read.fixed,
    held: first?.total_held ?? 0,
    rows,
    more: total - rows.length,
    raw_names: [...raw_names],
  }
}

function bestScores(rows: ReportRow[]) {
  const best = new Map<string, number>()
  for (const { products, score } of rows)
    for (const product of products) best.set(product, Math.max(best.get(product) ?? -1, score ?? -1))
  return best
}

type Items = NonNullable<ReturnType<Period['items']['get']>>

function describeRow(row: ChangedRow, items: Items, raw_names: Map<string, string>): ReportRow {
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
    products: listProducts(row, items, raw_names),
    verdict: verdictAtRank(row.verdict),
    changed: changedLines(readLoggedChanges(row.details)).slice(-maxChanges),
  }
}

function describeCvss({ cvss, cvss3, cvss4 }: ChangedRow) {
  const found = (
    [
      [4, cvss4],
      [3, cvss3],
      [2, cvss],
    ] as const
  ).find(([, value]) => value !== null)
  if (!found || found[1] === null) return null
  return `${found[1].toFixed(1)} ${severity(found[0], found[1])}`
}

type TopProducts = [id: number, vendor: string, name: string][]

type NamedItem = Pick<Items[number], 'via' | 'vendor' | 'name'>

/** A product that is watched by its vendor or with its vulnerability alone is named, too, where it is known. */
function listItems({ top_products }: ChangedRow, items: Items): NamedItem[] {
  const top = JSON.parse(top_products) as TopProducts
  return items.flatMap((item): NamedItem[] => {
    const { via, name } = item
    if (via !== 'vendor' && via !== 'vuln') return [item]
    const own = via === 'vendor' ? top.filter(([, maker]) => maker === name) : top
    if (!own.length) return [item]
    return own.slice(0, 2).map(([, vendor, product]) => ({ via: 'product', vendor, name: product }))
  })
}

/** `raw_names` learns what each readable name stands for. */
function listProducts(row: ChangedRow, items: Items, raw_names: Map<string, string>) {
  const labels = listItems(row, items).map((item) => {
    const [label, raw] = [itemName(item), rawNames(item)]
    if (raw) raw_names.set(label, raw)
    return label
  })
  return [...new Set(labels)].slice(0, 10)
}

const bandNames = { red: 'critical', orange: 'high', yellow: 'medium', blue: 'low' } as const

function countOpen(rows: Period['open']) {
  const counts = { critical: 0, high: 0, medium: 0, low: 0, unscored: 0 }
  for (const { score, count } of rows) {
    const band = scoreBand(score)
    counts[band ? bandNames[band] : 'unscored'] += count
  }
  return counts
}

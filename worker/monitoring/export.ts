import { csvFormatRows } from 'd3-dsv'
import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { isCveId } from '../domain/names/cve'
import { watchedKinds, type WatchedKind } from '../domain/names/watch-item'
import { itemTables, parseList } from '../watchlist/item-tables'
import { quoteCell } from './cells'
import type { ExportKind, ListFormat } from './import-contract'

/** One line of an exported list. */
type ExportLine = {
  type: WatchedKind
  value: string
  groups: string[]
  versions: string[]
  /** False for a product that was taken out of its monitored vendor. */
  monitored: boolean
  /** Word of the organization on the item itself; null for none. */
  publicly_exposed: boolean | null
}
type Row = {
  value: string | null
  id: number | null
  groups: string | null
  versions: string | null
  is_monitored: number
  is_exposed: number | null
}

export const watchedByList = { vendors: 'vendor', products: 'product', packages: 'package', vulns: 'vuln' } as const

export async function exportWatchlist(db: Db, org_id: number, kind: ExportKind, { format }: ListFormat) {
  const kinds = kind === 'all' ? watchedKinds : [watchedByList[kind]]
  const found = kinds.map((watched) => findWatched(db, org_id, watched, { isWhole: kind === 'all', nameVuln }))
  const lines = (await Promise.all(found)).flat()
  const [type, body] =
    format === 'json'
      ? ['application/json; charset=utf-8', `${JSON.stringify(lines, null, 2)}\n`]
      : ['text/csv; charset=utf-8', formatCsv(lines)]
  return new Response(body, {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="ph_export_monitored_${kind}.${format}"`,
      'x-total-rows': String(lines.length),
    },
  })
}

/** Items `i` of rows `m` of watchlists; a condition may follow. */
export const selectItems = (kind: WatchedKind) => sql`
  SELECT ${itemTables[kind].value} AS value, i.id, m.groups, ${itemTables[kind].versions} AS versions, ${itemTables[kind].isOn} AS is_monitored
  FROM ${itemTables[kind].watched} m CROSS JOIN ${itemTables[kind].items} i ON i.id = m.${itemTables[kind].id}`

/** A product that says no more than its vendor has no row. */
const exposedOfVendors = sql`SELECT ${itemTables.product.value} AS value, i.id, NULL AS groups, NULL AS versions, 1 AS is_monitored FROM public_exposures m
  JOIN products i ON i.id = m.item_id JOIN monitored_vendors v ON v.org_id = m.org_id AND v.vendor_id = i.vendor_id
  WHERE m.kind = 'product' AND m.label = '' AND NOT EXISTS (SELECT 1 FROM monitored_products o WHERE o.org_id = m.org_id AND o.product_id = i.id)`

const nameVuln = (stored: string, id: number) => (isCveId(stored) ? stored : `PH-${id}`)

/** By their names; `nameVuln` names a vulnerability by the id that is stored. */
type Naming = { isWhole: boolean; nameVuln: (stored: string, id: number) => string }

/** A product is told as taken out only beside its vendor. */
export async function findWatched(db: Db, org_id: number, kind: WatchedKind, naming: Naming): Promise<ExportLine[]> {
  const { isWhole } = naming
  const rows = await db.all<Row>(sql`
    SELECT w.*, (SELECT e.is_exposed FROM public_exposures e WHERE e.org_id = ${org_id} AND e.kind = ${kind} AND e.item_id = w.id AND e.label = '') AS is_exposed
    FROM (${selectItems(kind)} WHERE m.org_id = ${org_id} ${kind === 'product' ? sql`UNION ALL ${exposedOfVendors} AND m.org_id = ${org_id}` : sql``}) w
    WHERE is_monitored = 1 OR ${isWhole}
    UNION ALL
    SELECT a.value, NULL, a.groups, a.versions, 1, NULL FROM awaited a WHERE a.org_id = ${org_id} AND a.kind = ${kind}
    ORDER BY value, id`)
  return rows.map(({ value, id, groups, versions, is_monitored, is_exposed }) => ({
    type: kind,
    value: kind === 'vuln' && id !== null ? naming.nameVuln(value ?? '', id) : (value ?? ''),
    groups: parseList(groups),
    versions: parseList(versions),
    monitored: is_monitored === 1,
    publicly_exposed: is_exposed === null ? null : is_exposed === 1,
  }))
}

const tellExposed = (publicly_exposed: boolean | null) =>
  publicly_exposed === null ? '' : publicly_exposed ? 'yes' : 'no'

// Columns that nobody filled are left out: older readers know three.
function formatCsv(lines: ExportLine[]) {
  const columns: [string, (line: ExportLine) => string][] = [
    ['type', ({ type }) => type],
    ['value', ({ value }) => value],
    ['groups', ({ groups }) => groups.join(';')],
  ]
  if (lines.some(({ versions }) => versions.length)) columns.push(['versions', ({ versions }) => versions.join(';')])
  if (lines.some(({ monitored }) => !monitored))
    columns.push(['monitored', ({ monitored }) => (monitored ? 'yes' : 'no')])
  if (lines.some(({ publicly_exposed }) => publicly_exposed !== null))
    columns.push(['publicly_exposed', ({ publicly_exposed }) => tellExposed(publicly_exposed)])
  const rows = lines.map((line) => columns.map(([, read]) => quoteCell(read(line))))
  return [columns.map(([name]) => name), ...rows].map((row) => `${csvFormatRows([row])}\r\n`).join('')
}

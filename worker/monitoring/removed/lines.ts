import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { jsonChunks, readAll } from '../../db/bulk'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { watchedKinds } from '../../domain/names/watch-item'
import type { WatchedKind } from '../../domain/names/watch-item'
import { itemTables, parseList } from '../../watchlist/item-tables'
import { quoteCell } from '../cells'
import { selectItems } from '../export'
import type { Watchlist } from '../import/current'

export type Removed = Partial<Record<WatchedKind, number[]>>
type Row = {
  type: WatchedKind
  value: string
  id: number
  groups: string | null
  versions: string | null
  is_monitored: number
}

export const lineHeader = ['type', 'value', 'groups', 'versions', 'monitored']

/** The watched ones of the items, as rows of a list that the import reads back; vendors come before their products. */
export async function findRemovedLines(db: Db, org_id: number, removed: Removed) {
  const selects = watchedKinds.flatMap((kind) =>
    jsonChunks(removed[kind] ?? []).flatMap((json) => selectLines(kind, org_id, json)),
  )
  const rows = await readAll<Row>(
    db,
    selects.map((one) => statement(db, one)),
  )
  return rows.map(({ type, value: name, id, groups, versions, is_monitored }) => {
    const value = type === 'vuln' ? `PH-${id}` : name
    return toCells(type, {
      value,
      groups: parseList(groups),
      versions: parseList(versions),
      monitored: is_monitored === 1,
    })
  })
}

export const toAwaitedLines = (forgotten: { kind: WatchedKind; value: string }[], { awaited }: Watchlist) =>
  forgotten.map(({ kind, value }) => {
    const { groups = [], versions = [] } = awaited.get(`${kind} ${value}`) ?? {}
    return toCells(kind, { value, groups, versions, monitored: true })
  })

type Line = { value: string; groups: string[]; versions: string[]; monitored: boolean }
const toCells = (type: WatchedKind, { value, groups, versions, monitored }: Line) =>
  [type, value, groups.join(';'), versions.join(';'), monitored ? 'yes' : 'no'].map(quoteCell)

/** A product's own row goes with its vendor; a product without a row of its own follows its vendor. */
function selectLines(kind: WatchedKind, org_id: number, json: string): SQL[] {
  const ids = sql`(SELECT j.value FROM jsonb_each(${json}) j)`
  const select = (type: WatchedKind, isWanted: SQL) =>
    sql`SELECT ${type} AS type, l.* FROM (${selectItems(type)} WHERE m.org_id = ${org_id} AND ${isWanted}) l`
  switch (kind) {
    case 'vendor':
      return [select(kind, sql`i.id IN ${ids}`), select('product', sql`i.vendor_id IN ${ids}`)]
    case 'product':
      return [
        sql`SELECT ${kind} AS type, ${itemTables[kind].value} AS value, i.id, m.groups, m.versions, 1 AS is_monitored
          FROM products i LEFT JOIN monitored_products m ON m.org_id = ${org_id} AND m.product_id = i.id WHERE i.id IN ${ids}
            AND coalesce(m.is_monitored, EXISTS (SELECT 1 FROM monitored_vendors v WHERE v.org_id = ${org_id} AND v.vendor_id = i.vendor_id))`,
      ]
    default:
      return [select(kind, sql`i.id IN ${ids}`)]
  }
}

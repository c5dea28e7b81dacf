import { sql, and, desc, eq, gt, lt, type SQL } from 'drizzle-orm'
import { auditedBy, type AuditedWrite, type By } from '../../auth/audited-by'
import { jsonChunks, readAll } from '../../db/bulk'
import type { Db } from '../../db/open'
import { prune } from '../../db/prune'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { watchedKinds, type WatchedKind } from '../../domain/names/watch-item'
import { users } from '../../schema/auth'
import { removedLists } from '../../schema/watchlist'
import { itemTables, parseList } from '../../watchlist/item-tables'
import { quoteCell } from '../cells'
import type { RemovedList } from '../import-contract'
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

const keptDays = 30
/** Of one organization; the oldest go. So many, that nobody drives out a large removal by many small ones. */
const maxLists = 1_000
const maxLines = 100_000
const findStart = (now: Date) => stamp(plusSeconds(now, -keptDays * 86_400))

/** Belongs in the batch that removes: the items that it took off the watchlist, to be taken back. */
function keepStatements(db: Db, { gone: lines, key = crypto.randomUUID() }: Leaving, { actor, now }: By) {
  const { org_id, user_id } = actor
  const at = stamp(now)
  return [
    ...jsonChunks(lines).map((json, part) =>
      statement(
        db,
        db
          .insert(removedLists)
          .values({ org_id, key, part, removed_at: at, removed_by: user_id, count: lines.length, lines: json }),
      ),
    ),
    statement(
      db,
      sql`DELETE FROM removed_lists WHERE org_id = ${org_id} AND key IN (
        SELECT key FROM (
          SELECT key, row_number() OVER newest AS place, sum(count) OVER newest AS total FROM removed_lists
          WHERE org_id = ${org_id} AND part = 0 WINDOW newest AS (ORDER BY removed_at DESC, key = ${key} DESC, key))
        WHERE place > ${maxLists} OR (total > ${maxLines} AND place > 1))`,
    ),
  ]
}

/** So many are named in the log. */
const maxNamed = 20

/** `key` names the list of several. */
type Leaving = { gone: string[][]; changed?: string[][]; write?: AuditedWrite; key?: string }

/** The log names each item that leaves the watchlist or is changed; several that leave at once are kept, so that they can be taken back. */
export async function writeRemoving(
  db: Db,
  { gone, changed = [], write = (all, entry) => auditedBy(db, all, entry, by), key }: Leaving,
  by: By,
  statements: D1PreparedStatement[],
) {
  if (!gone.length && !changed.length) return db.$client.batch(statements)
  const kept = gone.length > 1 ? keepStatements(db, { gone, ...(key && { key }) }, by) : []
  const [left, others] = [nameItems(gone), nameItems(changed)]
  const entry = gone.length
    ? {
        action: 'monitoring.remove' as const,
        ...left,
        detail: { ...left.detail, ...(changed.length && { changed: others.target }) },
      }
    : { action: 'monitoring.update' as const, ...others }
  return write([...statements, ...kept], entry)
}

/** For the log: one by its name, several by their number and the first names. */
export function nameItems(lines: string[][]) {
  const first = lines.slice(0, maxNamed).map(([type, value]) => `${type} ${value}`)
  const [single] = first
  return lines.length === 1 && single
    ? { target: single, detail: {} }
    : { target: describeItems(lines.length), detail: { first } }
}

export const isKept = (org_id: number, now: Date) =>
  and(eq(removedLists.org_id, org_id), gt(removedLists.removed_at, findStart(now)))

export async function findRemovedLists(db: Db, org_id: number, now: Date): Promise<RemovedList[]> {
  const { key, removed_at, count, part } = removedLists
  const rows = await db
    .select({ key, removed_at, count, removed_by: users.username })
    .from(removedLists)
    .leftJoin(users, eq(users.id, removedLists.removed_by))
    .where(and(isKept(org_id, now), eq(part, 0)))
    .orderBy(desc(removed_at), key)
  return rows.map((row) => ({ ...row, ends_at: stamp(plusSeconds(new Date(row.removed_at), keptDays * 86_400)) }))
}

export const describeItems = (count: number) => (count === 1 ? '1 item' : `${count} items`)

export const removeOldLists = (db: Db, now: Date) =>
  prune(db, [
    {
      table: removedLists,
      key: [removedLists.org_id, removedLists.key, removedLists.part],
      isOld: lt(removedLists.removed_at, findStart(now)),
    },
  ])

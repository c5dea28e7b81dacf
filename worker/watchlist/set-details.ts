import { sql, type SQL } from 'drizzle-orm'
import { jsonChunks } from '../db/bulk'
import { isAborted, refuseBeyond } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import type { WatchedKind } from '../domain/names/watch-item'
import { overQuota } from '../http/errors'
import { isJudged, itemTables } from './item-tables'

/** Of each kind. An organization that needs more monitors vendors, which bring their products. */
export const maxMonitored = 20_000

type Kind = 'vendor' | 'product' | 'package' | 'vuln' | 'bulletin'

/** For a batch, behind what adds items. */
export function refuseTooMany(org_id: number, kind: Kind) {
  const isMonitored = kind === 'product' ? sql`is_monitored = 1` : sql`TRUE`
  const monitored = sql`SELECT count(*) FROM ${sql.raw(`monitored_${kind}s`)} WHERE org_id = ${org_id} AND ${isMonitored}`
  return refuseBeyond(monitored, maxMonitored, 'watchlist')
}

export function orTooManyMonitored(error: unknown): never {
  if (!isAborted(error, 'watchlist')) throw error
  const limit = maxMonitored.toLocaleString('en-US')
  throw overQuota(
    `An organization monitors at most ${limit} vendors, and as many products, packages, vulnerabilities or bulletins: remove some first`,
  )
}

export type WatchItem = { id: number; groups?: string[] | undefined; versions?: string[] | undefined }

export type Details = { kind: WatchedKind; items: WatchItem[]; now: Date }

export function detailStatements(db: Db, org_id: number, { kind, items, now }: Details) {
  const rows = items.map(({ id, groups, versions }) => [id, toJson(groups), toJson(versions)])
  const statements = jsonChunks(rows).flatMap((json) => {
    const ids = sql`(SELECT j.value->>0 FROM jsonb_each(${json}) j)`
    return [
      ...keepGroups(org_id, kind, ids, putDetails(org_id, kind, { json, at: stamp(now) })),
      ...(kind === 'product' ? [followVendors(org_id, ids)] : []),
    ]
  })
  const within = items.length ? [refuseTooMany(org_id, kind)] : []
  return [...statements, ...within, removeStats(org_id)].map((template) => statement(db, template))
}

const toJson = (list: string[] | undefined) => (list ? JSON.stringify(list) : null)

function putDetails(org_id: number, kind: WatchedKind, { json, at }: { json: string; at: string }): SQL[] {
  const { watched: table, id } = itemTables[kind]
  const details = isJudged(kind) ? ['groups', 'versions'] : ['groups']
  const set = details.map((name) => sql.raw(`${name} = coalesce(excluded.${name}, monitored_${kind}s.${name})`))
  const none = details.map((name) => sql.raw(`${name} = nullif(${name}, '[]')`))
  const isNone = details.map((name) => sql.raw(`${name} = '[]'`))
  const places = details.map((_, at_) => sql.raw(`j.value->>${at_ + 1}`))
  const columns = sql.raw(['org_id', `${kind}_id`, 'created_at', ...details].join(', '))
  const [more, one] = kind === 'product' ? [sql`, is_monitored`, sql`, 1`] : [sql``, sql``]
  const own = sql`org_id = ${org_id} AND ${id} IN (SELECT j.value->>0 FROM jsonb_each(${json}) j)`
  return [
    sql`INSERT INTO ${table}(${columns}${more})
      SELECT ${org_id}, j.value->>0, ${at}, ${sql.join(places, sql`, `)}${one} FROM jsonb_each(${json}) j WHERE TRUE
      ON CONFLICT DO UPDATE SET ${sql.join(set, sql`, `)}${kind === 'product' ? sql`, is_monitored = 1` : sql``}`,
    sql`UPDATE ${table} SET ${sql.join(none, sql`, `)} WHERE ${own} AND (${sql.join(isNone, sql` OR `)})`,
    // Verdicts on versions that nobody ran may have left.
    ...(isJudged(kind)
      ? [
          sql`INSERT INTO judged_versions(kind, item_id, version) SELECT ${kind}, ${id}, n.value
            FROM ${table} m CROSS JOIN json_each(m.versions) n WHERE ${own} ON CONFLICT DO NOTHING`,
        ]
      : []),
  ]
}

export const isByVendor = (org_id: number) =>
  sql`EXISTS (SELECT 1 FROM monitored_vendors m WHERE m.org_id = ${org_id} AND m.vendor_id = p.vendor_id)`

/** A product that says no more than its vendor needs no row. */
const followVendors = (org_id: number, ids: SQL) =>
  sql`DELETE FROM monitored_products WHERE org_id = ${org_id} AND is_monitored = 1 AND groups IS NULL AND versions IS NULL
    AND product_id IN (SELECT p.id FROM products p WHERE p.id IN ${ids} AND ${isByVendor(org_id)})`

export function keepGroups(org_id: number, kind: WatchedKind, ids: SQL, changes: SQL[]): SQL[] {
  const { watched: table, id } = itemTables[kind]
  const labels = sql`FROM ${table} m CROSS JOIN json_each(m.groups) g WHERE m.org_id = ${org_id} AND m.${id} IN ${ids}`
  return [
    sql`DELETE FROM watch_groups WHERE org_id = ${org_id} AND (label, kind, item_id) IN (SELECT g.value, ${kind}, m.${id} ${labels})`,
    ...changes,
    sql`INSERT INTO watch_groups(org_id, label, kind, item_id) SELECT ${org_id}, g.value, ${kind}, m.${id} ${labels} ON CONFLICT DO NOTHING`,
  ]
}

/** The counts of the monitoring screen are no longer true. */
export const removeStats = (org_id: number) => sql`DELETE FROM org_stats WHERE org_id = ${org_id}`

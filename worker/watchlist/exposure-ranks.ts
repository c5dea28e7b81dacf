import { sql, type SQL } from 'drizzle-orm'
import { exposureRanks } from '../domain/decisions/due'
import type { ExposedKind, WatchedKind } from '../domain/names/watch-item'

const findRank = (publicly_exposed: boolean | null) => exposureRanks.indexOf(publicly_exposed)
export const unknownExposure = sql.raw(String(findRank(null)))
const rank = (is_exposed: SQL) =>
  sql`CASE ${is_exposed} WHEN 1 THEN ${sql.raw(String(findRank(true)))} WHEN 0 THEN ${sql.raw(String(findRank(false)))} END`

/** Word of the organization of a row `m` on one item itself; null for none. */
const saidByItself = (kind: ExposedKind, item: SQL) => sql`(SELECT ${rank(sql`e.is_exposed`)} FROM public_exposures e
  WHERE e.org_id = m.org_id AND e.kind = '${sql.raw(kind)}' AND e.item_id = ${item} AND e.label = '')`

/** The worst that it says of the groups of the item. */
const saidByGroups = (
  kind: WatchedKind,
  item: SQL,
) => sql`(SELECT ${rank(sql`max(e.is_exposed)`)} FROM public_exposures e
  WHERE e.org_id = m.org_id AND e.kind = 'group' AND e.item_id = 0 AND EXISTS (
    SELECT 1 FROM watch_groups g WHERE g.org_id = e.org_id AND g.label = e.label AND g.kind = '${sql.raw(kind)}' AND g.item_id = ${item}))`

const said = (kind: WatchedKind, item: SQL) => sql`${saidByItself(kind, item)}, ${saidByGroups(kind, item)}`

// Each is an answer for a link `l` and a row `m` (watchlist/monitored): an item's own word counts before that of its groups.

/** A vulnerability on the watchlist is no asset: where nothing is said of it, other items tell. */
export const exposureOfVuln = sql`coalesce(${said('vuln', sql`m.vuln_id`)})`
/** A product without a word is as exposed as its vendor. */
export const exposureOfProduct = sql`coalesce(${said('product', sql`l.product_id`)}, ${said('vendor', sql`l.vendor_id`)}, ${unknownExposure})`
export const exposureOfPackage = sql`coalesce(${said('package', sql`l.package_id`)}, ${unknownExposure})`
export const exposureOfInventory = sql`coalesce(${saidByItself('inventory', sql`m.inventory_id`)}, ${unknownExposure})`

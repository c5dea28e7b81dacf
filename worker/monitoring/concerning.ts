import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { WatchedKind } from '../domain/names/watch-item'
import { itemTables } from '../watchlist/item-tables'
import type { MonitoredItem } from './contract'

/** So many links are read for a page, three rows each: an item has its share. */
const maxLinks = 12_000

// Else all that the item has concerns the organization, and is counted already.
const isPart = {
  vendor: (
    org_id: number,
  ) => sql`i.id IN (SELECT p.vendor_id FROM monitored_products x CROSS JOIN products p ON p.id = x.product_id
    WHERE x.org_id = ${org_id} AND (x.is_monitored = 0 OR x.versions IS NOT NULL))`,
  product: () => sql`m.versions IS NOT NULL`,
  package: () => sql`m.versions IS NOT NULL`,
}

/** Of an item `i` of a watchlist's row `m`, as JSON: as many as the list of vulnerabilities finds by the item and `monitored`. */
export function selectConcerning(kind: WatchedKind, org_id: number, limit: number): SQL {
  if (kind === 'vuln') return sql`'[[1,1],[0,1]]'`
  const most = Math.floor(maxLinks / limit)
  const count = (owner: SQL) => sql`(
    SELECT json_array(count(DISTINCT v.id), count(*) <= ${most})
    FROM (SELECT vuln_id FROM ${itemTables[kind].links} WHERE ${itemTables[kind].id} = i.id AND org_id ${owner} LIMIT ${most + 1}) l
    LEFT JOIN org_vulns o ON o.org_id = ${org_id} AND o.vuln_id = l.vuln_id
    LEFT JOIN vulns v ON v.id = o.vuln_id AND v.state <> 'rejected')`
  const shared = sql`CASE WHEN ${isPart[kind](org_id)} THEN ${count(sql`IS NULL`)} ELSE json_array(i.vulns_count, 1) END`
  return sql`json_array(json(${shared}), json(${count(sql`= ${org_id}`)}))`
}

type Count = [count: number, is_exact: number]

export function toConcerning(json: string): MonitoredItem['concerning'] {
  const [shared, own] = JSON.parse(json) as [Count, Count]
  return { count: shared[0] + own[0], is_exact: shared[1] + own[1] === 2 }
}

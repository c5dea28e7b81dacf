import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'

/**
 * The one meaning of "monitored": an organization monitors a vulnerability by itself, by one of its products or
 * packages, by a vendor unless that product was taken out, or by an inventory that it affects or may affect. Each way reads the links (`l`) of a vulnerability and then
 * the watchlist items (`m`) of each: a cross join, because the other order would read a whole watchlist.
 */
const ways = {
  vuln: { from: sql`monitored_vulns m`, vuln_id: sql`m.vuln_id`, item: sql`m.vuln_id`, where: sql`1` },
  product: {
    from: sql`vuln_products l cross join monitored_products m on m.product_id = l.product_id`,
    vuln_id: sql`l.vuln_id`,
    item: sql`l.product_id`,
    where: sql`m.is_monitored = 1`,
  },
  package: {
    from: sql`vuln_packages l cross join monitored_packages m on m.package_id = l.package_id`,
    vuln_id: sql`l.vuln_id`,
    item: sql`l.package_id`,
    where: sql`1`,
  },
  vendor: {
    from: sql`vuln_products l cross join monitored_vendors m on m.vendor_id = l.vendor_id`,
    vuln_id: sql`l.vuln_id`,
    item: sql`l.vendor_id`,
    where: sql`not exists (select 1 from monitored_products x where x.org_id = m.org_id and x.product_id = l.product_id and x.is_monitored = 0)`,
  },
  inventory: {
    from: sql`inventory_vulns m`,
    vuln_id: sql`m.vuln_id`,
    item: sql`m.inventory_id`,
    where: sql`1`,
  },
}
type Via = keyof typeof ways
const vias = ['vuln', 'product', 'package', 'vendor', 'inventory'] as const satisfies Via[]

/** Whether the organization monitors the vulnerability of the row (of `vulns`, which the select must not rename). */
export const isMonitored = (org_id: number) =>
  sql<boolean>`exists (select 1 from org_vulns o where o.org_id = ${org_id} and o.vuln_id = vulns.id)`.mapWith(Boolean)

/** The ids of all vulnerabilities that the organization monitors. */
export const monitoredIds = (org_id: number) => sql`select o.vuln_id from org_vulns o where o.org_id = ${org_id}`

/** Pairs of `org_id` and a row of `vulns` (`id`, `updated_at`), for those among `vulns` that somebody watches by any way. */
export const watchedAmong = (among: SQL) =>
  unionWays(
    ({ from, vuln_id, where }) =>
      sql`select m.org_id, v.id as vuln_id, v.updated_at as touched from ${among} v cross join ${from} where ${vuln_id} = v.id and ${where}`,
  )

/** Whether the organization watches the vulnerability by any way, each given as a column. */
export const isWatched = (org_id: SQL, id: SQL) =>
  sql`exists (${unionWays(
    ({ from, vuln_id, where }) =>
      sql`select 1 from ${from} where m.org_id = ${org_id} and ${vuln_id} = ${id} and ${where}`,
  )})`

const since = sql`l.since_seq < c.seq`
const isOld = { vuln: sql`1`, product: since, package: since, vendor: since, inventory: sql`m.since_seq < c.seq` }

/** A row for each link that makes a changed vulnerability concern an organization; `is_old` if it was there before. */
export const concerned = (changed: SQL) =>
  unionWays(
    ({ from, vuln_id, where }, via) => sql`
      select c.seq, c.vuln_id, c.kind, m.org_id, ${isOld[via]} as is_old
      from ${changed} c cross join ${from} where ${vuln_id} = c.vuln_id and ${where}`,
  )

/** Asks which items of its watchlist make an organization monitor a vulnerability. */
export function monitoredBy(db: Db, org_id: number, vuln_id: number) {
  const { vuln_id: _, ...columns } = monitoredByColumns
  return db.select(columns).from(namedItems(org_id, [vuln_id], 50))
}

/** The same of several, told apart by `vuln_id`. */
export const monitoredByEach = (db: Db, org_id: number, vuln_ids: number[]) =>
  db.select(monitoredByColumns).from(namedItems(org_id, vuln_ids, 50 * vuln_ids.length))

const monitoredByColumns = {
  vuln_id: sql<number>`vuln_id`.as('vuln_id'),
  via: sql<Via>`via`.as('via'),
  id: sql<number>`id`.as('id'),
  name: sql<string>`name`.as('name'),
  vendor: sql<string | null>`vendor`.as('vendor'),
}

function namedItems(org_id: number, vuln_ids: number[], limit: number) {
  const among = valuesTable(vuln_ids)
  const items = unionWays(
    ({ from, vuln_id: id, item, where }, via) =>
      sql`select distinct ${via} as via, ${item} as id, c.item as vuln_id from ${among} c cross join ${from} where m.org_id = ${org_id} and ${id} = c.item and ${where}`,
  )
  return sql`(
    select i.vuln_id, i.via, i.id, coalesce(p.name, k.name, v.name, y.name, 'PH-' || i.id) as name, coalesce(p.vendor, k.type) as vendor
    from (${items}) i
    left join products p on i.via = 'product' and p.id = i.id
    left join packages k on i.via = 'package' and k.id = i.id
    left join vendors v on i.via = 'vendor' and v.id = i.id
    left join inventories y on i.via = 'inventory' and y.org_id = ${org_id} and y.id = i.id
    limit ${limit}) named`
}

const unionWays = (select: (way: (typeof ways)[Via], via: Via) => SQL) =>
  sql.join(
    vias.map((via) => select(ways[via], via)),
    sql` union all `,
  )

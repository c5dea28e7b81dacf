import { sql, type SQLWrapper } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { WatchedKind } from '../domain/names/watch-item'
import { counters } from '../schema/counters'
import { monitoredPackages, monitoredProducts, monitoredVendors, watchGroups } from '../schema/watchlist'

// Drizzle writes a column of a one-table select without its table, and inside a subquery the bare name means another
// column: the columns of the row are therefore spelled out.

export const isVendorMonitored = (org_id: number) =>
  sql<boolean>`EXISTS (SELECT 1 FROM ${monitoredVendors} mv WHERE mv.org_id = ${org_id} AND mv.vendor_id = vendors.id)`.mapWith(
    Boolean,
  )

/** By its own word, else by its vendor. */
export const isProductMonitored = (org_id: number) =>
  sql<boolean>`coalesce(
    (SELECT mp.is_monitored FROM ${monitoredProducts} mp WHERE mp.org_id = ${org_id} AND mp.product_id = products.id),
    EXISTS (SELECT 1 FROM ${monitoredVendors} mv WHERE mv.org_id = ${org_id} AND mv.vendor_id = products.vendor_id)
  )`.mapWith(Boolean)

export const isPackageMonitored = (org_id: number) =>
  sql<boolean>`EXISTS (SELECT 1 FROM ${monitoredPackages} mk WHERE mk.org_id = ${org_id} AND mk.package_id = packages.id)`.mapWith(
    Boolean,
  )

/** Of the knowledge base, for everybody. */
export async function countKnown(db: Db) {
  const counted = await db.select({ name: counters.name, value: counters.value }).from(counters)
  const read = (name: string) => counted.find((counter) => counter.name === name)?.value ?? 0
  return {
    vulns: read('vulns'),
    vulns_exploitable: read('vulns_exploitable'),
    vulns_remote: read('vulns_remote'),
    exploits: read('exploits'),
    threats: read('threats'),
  }
}

export async function countMonitored(db: Db, org_id: number) {
  const count = (table: string, more = 'TRUE') =>
    sql`(SELECT count(*) FROM ${sql.raw(table)} t WHERE t.org_id = ${org_id} AND ${sql.raw(more)})`
  const [found] = await db.all<Record<'vendors' | 'products' | 'packages' | 'vulns' | 'inventories', number>>(sql`
    SELECT ${count('monitored_vendors')} AS vendors, ${count('monitored_products', 't.is_monitored = 1')} AS products,
      ${count('monitored_packages')} AS packages, ${count('monitored_vulns')} AS vulns,
      ${count('inventories', 't.removed_at IS NULL')} AS inventories`)
  const { vendors = 0, products = 0, packages = 0, vulns = 0, inventories = 0 } = found ?? {}
  return { vendors, products, packages, vulns, inventories, all: vendors + products + packages + vulns + inventories }
}

/** Whether an item of the organization's watchlist has a label. */
export const hasLabel = (org_id: number, kind: WatchedKind, id: SQLWrapper, label: string) =>
  sql`${id} IN (SELECT g.item_id FROM ${watchGroups} g WHERE g.org_id = ${org_id} AND g.label = ${label} AND g.kind = ${kind})`

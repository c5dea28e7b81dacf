import { and, eq, sql } from 'drizzle-orm'
import type { SQLWrapper } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { WatchedKind } from '../domain/names/watch-item'
import {
  monitoredPackages,
  monitoredProducts,
  monitoredVendors,
  monitoredVulns,
  watchGroups,
} from '../schema/watchlist'

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

export async function countMonitored(db: Db, org_id: number) {
  const [vendorCount, productCount, packageCount, vulnCount] = await db.batch([
    db
      .select({ count: sql<number>`count(*)` })
      .from(monitoredVendors)
      .where(eq(monitoredVendors.org_id, org_id)),
    db
      .select({ count: sql<number>`count(*)` })
      .from(monitoredProducts)
      .where(and(eq(monitoredProducts.org_id, org_id), eq(monitoredProducts.is_monitored, true))),
    db
      .select({ count: sql<number>`count(*)` })
      .from(monitoredPackages)
      .where(eq(monitoredPackages.org_id, org_id)),
    db
      .select({ count: sql<number>`count(*)` })
      .from(monitoredVulns)
      .where(eq(monitoredVulns.org_id, org_id)),
  ])
  return {
    vendors: vendorCount[0]?.count ?? 0,
    products: productCount[0]?.count ?? 0,
    packages: packageCount[0]?.count ?? 0,
    vulns: vulnCount[0]?.count ?? 0,
  }
}

/** Whether an item of the organization's watchlist has a label. */
export const hasLabel = (org_id: number, kind: WatchedKind, id: SQLWrapper, label: string) =>
  sql`${id} IN (SELECT g.item_id FROM ${watchGroups} g WHERE g.org_id = ${org_id} AND g.label = ${label} AND g.kind = ${kind})`

import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { notFound } from '../http/errors'
import { products, vendors } from '../schema/kb'
import { orgStatuses } from '../schema/triage'
import { requireVuln } from './visible'
import { monitoredPackages, monitoredProducts, monitoredVendors, monitoredVulns } from '../schema/watchlist'

type Setting = { monitored: boolean; now: Date }
export type VendorRef = { vendor_id?: number | undefined; vendor_name?: string | undefined }
export type ProductRef = {
  product_id?: number | undefined
  vendor_name?: string | undefined
  product_name?: string | undefined
}

/** A vendor is set with all its products, whatever their own state was; products that come later follow it. */
export async function setVendorMonitored(db: Db, org_id: number, ref: VendorRef, { monitored, now }: Setting) {
  const vendor_id = await getVendorId(db, ref)
  const itsProducts = db.select({ id: products.id }).from(products).where(eq(products.vendor_id, vendor_id))
  await db.batch([
    db
      .delete(monitoredProducts)
      .where(and(eq(monitoredProducts.org_id, org_id), inArray(monitoredProducts.product_id, itsProducts))),
    monitored
      ? db
          .insert(monitoredVendors)
          .values({ org_id, vendor_id, created_at: stamp(now) })
          .onConflictDoNothing()
      : db
          .delete(monitoredVendors)
          .where(and(eq(monitoredVendors.org_id, org_id), eq(monitoredVendors.vendor_id, vendor_id))),
  ])
}

/** One product; taken out of a monitored vendor, it stays out until the vendor is set again. */
export async function setProductMonitored(db: Db, org_id: number, ref: ProductRef, { monitored, now }: Setting) {
  const { id: product_id, vendor_id } = await getProductIds(db, ref)
  const [vendor] = await db
    .select({ id: monitoredVendors.vendor_id })
    .from(monitoredVendors)
    .where(and(eq(monitoredVendors.org_id, org_id), eq(monitoredVendors.vendor_id, vendor_id)))

  const isSaidByVendor = monitored === Boolean(vendor)
  if (isSaidByVendor)
    await db
      .delete(monitoredProducts)
      .where(and(eq(monitoredProducts.org_id, org_id), eq(monitoredProducts.product_id, product_id)))
  else
    await db
      .insert(monitoredProducts)
      .values({ org_id, product_id, is_monitored: monitored, created_at: stamp(now) })
      .onConflictDoUpdate({
        target: [monitoredProducts.org_id, monitoredProducts.product_id],
        set: { is_monitored: monitored },
      })
}

export async function setVulnMonitored(db: Db, org_id: number, vuln_id: number, { monitored, now }: Setting) {
  await requireVuln(db, org_id, vuln_id)

  const ofVuln = and(eq(monitoredVulns.org_id, org_id), eq(monitoredVulns.vuln_id, vuln_id))
  await db.batch([
    monitored
      ? db
          .insert(monitoredVulns)
          .values({ org_id, vuln_id, created_at: stamp(now) })
          .onConflictDoNothing()
      : db.delete(monitoredVulns).where(ofVuln),
    // The status starts anew with the monitoring (specification 2, section 4).
    db.delete(orgStatuses).where(and(eq(orgStatuses.org_id, org_id), eq(orgStatuses.vuln_id, vuln_id))),
  ])
}

async function getVendorId(db: Db, { vendor_id, vendor_name }: VendorRef) {
  const is = vendor_id === undefined ? eq(vendors.name, vendor_name ?? '') : eq(vendors.id, vendor_id)
  const [vendor] = await db.select({ id: vendors.id }).from(vendors).where(is)
  if (!vendor) throw notFound('Vendor')
  return vendor.id
}

async function getProductIds(db: Db, { product_id, vendor_name, product_name }: ProductRef) {
  const is =
    product_id === undefined
      ? and(eq(products.vendor, vendor_name ?? ''), eq(products.name, product_name ?? ''))
      : eq(products.id, product_id)
  const [product] = await db.select({ id: products.id, vendor_id: products.vendor_id }).from(products).where(is)
  if (!product) throw notFound('Product')
  return product
}

// Drizzle writes a column of a one-table select without its table, and inside a subquery the bare name means another
// column: the columns of the row are therefore spelled out.

/** Whether the organization monitors the vendor of the row. */
export const isVendorMonitored = (org_id: number) =>
  sql<boolean>`exists (select 1 from ${monitoredVendors} mv where mv.org_id = ${org_id} and mv.vendor_id = vendors.id)`.mapWith(
    Boolean,
  )

/** Whether the organization monitors the product of the row: by its own word, else by its vendor. */
export const isProductMonitored = (org_id: number) =>
  sql<boolean>`coalesce(
    (select mp.is_monitored from ${monitoredProducts} mp where mp.org_id = ${org_id} and mp.product_id = products.id),
    exists (select 1 from ${monitoredVendors} mv where mv.org_id = ${org_id} and mv.vendor_id = products.vendor_id)
  )`.mapWith(Boolean)

/** Whether the organization monitors the package of the row. */
export const isPackageMonitored = (org_id: number) =>
  sql<boolean>`exists (select 1 from ${monitoredPackages} mk where mk.org_id = ${org_id} and mk.package_id = packages.id)`.mapWith(
    Boolean,
  )

/** How many items the organization monitors, by kind. */
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

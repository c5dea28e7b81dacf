import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { vendorAliases } from '../domain/names/aliases'
import { resolveAlias } from '../domain/names/product-names'
import { normalizePackageName } from '../domain/names/purl'
import { notFound } from '../http/errors'
import { packages, products, vendors } from '../schema/kb'

type VendorRef = { vendor_id?: number | undefined; vendor_name?: string | undefined }
type ProductRef = {
  product_id?: number | undefined
  vendor_name?: string | undefined
  product_name?: string | undefined
}
type PackageRef = {
  package_id?: number | undefined
  package_type?: string | undefined
  package_name?: string | undefined
}

/** By its id or its name; 404 where there is none. */
export async function requireVendorId(db: Db, { vendor_id, vendor_name = '' }: VendorRef) {
  if (vendor_id !== undefined) return vendor_id
  const [vendor] = await db
    .select({ id: vendors.id })
    .from(vendors)
    .where(inArray(vendors.name, [vendor_name, vendorAliases.get(vendor_name) ?? vendor_name]))
  if (!vendor) throw notFound('Vendor')
  return vendor.id
}

export async function requireProductId(db: Db, { product_id, vendor_name = '', product_name = '' }: ProductRef) {
  if (product_id !== undefined) return product_id
  const meant = resolveAlias({ vendor: vendor_name, product: product_name })
  const [product] = await db
    .select({ id: products.id })
    .from(products)
    .where(
      sql`(${products.vendor}, ${products.name}) IN (VALUES (${vendor_name}, ${product_name}), (${meant.vendor}, ${meant.product}))`,
    )
  if (!product) throw notFound('Product')
  return product.id
}

export async function requirePackageId(db: Db, { package_id, package_type = '', package_name = '' }: PackageRef) {
  if (package_id !== undefined) return package_id
  const type = package_type.toLowerCase()
  const [found] = await db
    .select({ id: packages.id })
    .from(packages)
    .where(and(eq(packages.type, type), eq(packages.name, normalizePackageName(type, package_name))))
  if (!found) throw notFound('Package')
  return found.id
}

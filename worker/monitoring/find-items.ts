import type * as z from 'zod'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { vendorAliases } from '../domain/names/aliases'
import { resolveAlias } from '../domain/names/product-names'
import { normalizePackageName } from '../domain/names/purl'
import { notFound } from '../http/errors'
import { packages, products, vendors } from '../schema/kb'
import type { togglePackage, toggleProduct, toggleVendor } from './contract'

type Named<Toggling extends { body?: z.ZodType }> = Omit<z.output<NonNullable<Toggling['body']>>, 'monitored'>

/** By its id or its name; 404 where there is none. */
export async function requireVendorId(db: Db, { vendor_id, vendor_name = '' }: Named<typeof toggleVendor>) {
  if (vendor_id !== undefined) return vendor_id
  const [vendor] = await db
    .select({ id: vendors.id })
    .from(vendors)
    .where(inArray(vendors.name, [vendor_name, vendorAliases.get(vendor_name) ?? vendor_name]))
  if (!vendor) throw notFound('Vendor')
  return vendor.id
}

export async function requireProductId(
  db: Db,
  { product_id, vendor_name = '', product_name = '' }: Named<typeof toggleProduct>,
) {
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

export async function requirePackageId(
  db: Db,
  { package_id, package_type = '', package_name = '' }: Named<typeof togglePackage>,
) {
  if (package_id !== undefined) return package_id
  const [found] = await db
    .select({ id: packages.id })
    .from(packages)
    .where(and(eq(packages.type, package_type), eq(packages.name, normalizePackageName(package_type, package_name))))
  if (!found) throw notFound('Package')
  return found.id
}

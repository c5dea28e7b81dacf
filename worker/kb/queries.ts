import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { ftsParts } from '../db/fts'
import type { Db } from '../db/open'
import { notFound } from '../http/errors'
import { countCap, offsetOf } from '../http/page'
import { isProductMonitored, isVendorMonitored } from '../watchlist/queries'
import { monitoredProducts, monitoredVendors } from '../watchlist/tables'
import type { ProductQuery, VendorQuery } from './contract'
import { products, vendors } from './tables'

const productColumns = (org_id: number) => ({
  id: products.id,
  name: products.name,
  vendor: products.vendor,
  vendor_id: products.vendor_id,
  vulns_count: products.vulns_count,
  updated_at: products.updated_at,
  monitored: isProductMonitored(org_id).as('monitored'),
})

export async function findProducts(db: Db, org_id: number, query: ProductQuery) {
  const { search, vendor_id, monitored } = query
  const where = and(
    search ? nameMatches('products', search) : undefined,
    vendor_id === undefined ? undefined : eq(products.vendor_id, vendor_id),
    monitored ? sql`${products.id} in (${monitoredProductIds(org_id)}) and ${isProductMonitored(org_id)}` : undefined,
  )
  const [results, counted] = await db.batch([
    db
      .select(productColumns(org_id))
      .from(products)
      .where(where)
      .orderBy(...productOrder(query.sorted_by))
      .limit(query.limit)
      .offset(offsetOf(query)),
    where ? countOf(db, products, where) : countAll(db, products),
  ])
  return { results, ...exactness(counted[0]?.count ?? 0, where !== undefined) }
}

export async function getProductRow(db: Db, org_id: number, id: number) {
  const [product] = await db.select(productColumns(org_id)).from(products).where(eq(products.id, id))
  if (!product) throw notFound('Product')
  return product
}

export async function findVendors(db: Db, org_id: number, query: VendorQuery) {
  const { search, monitored } = query
  const where = and(
    search ? nameMatches('vendors', search) : undefined,
    monitored
      ? sql`${vendors.id} in (select vendor_id from ${monitoredVendors} mv where mv.org_id = ${org_id})`
      : undefined,
  )
  const descending = query.sorted_by.startsWith('-')
  const direction = descending ? desc : asc
  const column = query.sorted_by.endsWith('updated_at') ? vendors.updated_at : vendors.name
  const [results, counted] = await db.batch([
    db
      .select({
        id: vendors.id,
        name: vendors.name,
        products_count: vendors.products_count,
        vulns_count: vendors.vulns_count,
        updated_at: vendors.updated_at,
        monitored: isVendorMonitored(org_id).as('monitored'),
      })
      .from(vendors)
      .where(where)
      .orderBy(direction(column), direction(vendors.id))
      .limit(query.limit)
      .offset(offsetOf(query)),
    where ? countOf(db, vendors, where) : countAll(db, vendors),
  ])
  return { results, ...exactness(counted[0]?.count ?? 0, where !== undefined) }
}

type Names = typeof products | typeof vendors

function countOf(db: Db, table: Names, where: SQL) {
  const found = db
    .select({ one: sql`1`.as('one') })
    .from(table)
    .where(where)
    .limit(countCap + 1)
    .as('found')
  return db.select({ count: sql<number>`count(*)`.as('count') }).from(found)
}

// Names are never deleted, so the highest id is how many there are.
const countAll = (db: Db, table: Names) =>
  db.select({ count: sql<number>`coalesce(max(${table.id}), 0)`.as('count') }).from(table)

const exactness = (count: number, isFiltered: boolean) =>
  isFiltered ? { count: Math.min(count, countCap), count_is_exact: count <= countCap } : { count, count_is_exact: true }

/** Any part of a name from three characters on; fewer are looked for at its beginning. */
function nameMatches(table: 'products' | 'vendors', search: string) {
  const part = ftsParts(search)
  const fts = sql.raw(`${table}_fts`)
  if (part) return sql`${sql.raw(table)}.id in (select rowid from ${fts} where ${fts} match ${part})`
  const lower = search.toLowerCase()
  const upper = `${lower}\u{10ffff}`
  return table === 'products'
    ? sql`((${products.name} >= ${lower} and ${products.name} < ${upper}) or (${products.vendor} >= ${lower} and ${products.vendor} < ${upper}))`
    : sql`${vendors.name} >= ${lower} and ${vendors.name} < ${upper}`
}

const monitoredProductIds = (org_id: number) => sql`
  select product_id from ${monitoredProducts} mp where mp.org_id = ${org_id}
  union
  select p.id from ${monitoredVendors} mv join products p on p.vendor_id = mv.vendor_id where mv.org_id = ${org_id}`

function productOrder(sorted_by: ProductQuery['sorted_by']) {
  const direction = sorted_by.startsWith('-') ? desc : asc
  const columns = { name: [products.name], vendor: [products.vendor, products.name], updated_at: [products.updated_at] }
  const field = sorted_by.replace(/^-/, '')
  const chosen = field === 'name' ? columns.name : field === 'updated_at' ? columns.updated_at : columns.vendor
  return [...chosen, products.id].map((column) => direction(column))
}

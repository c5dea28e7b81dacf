import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { cpeFromTail } from '../domain/cpe'
import { notFound } from '../http/errors'
import { offsetOf } from '../http/page'
import { isProductMonitored } from '../watchlist/queries'
import { monitoredProducts, monitoredVendors } from '../watchlist/tables'
import type { CpeQuery, ProductQuery } from './contract'
import { byRelevance, countOf, exactness, findNamed, monitoredParts, nameContains } from './name-search'
import { products } from './tables'

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
  const { monitored, sorted_by } = query
  const isMonitored = sql`(${products.id} in (${monitoredProductIds(org_id)}) and ${isProductMonitored(org_id)})`
  const named = await findNamed(db, products, query.search)
  const others = and(
    ...nameFilters(query),
    monitored === undefined ? undefined : monitored ? isMonitored : sql`not ${isMonitored}`,
  )
  const where = and(named.where, others)
  const rows = offsetOf(query) + query.limit
  const isByMonitored = sorted_by?.endsWith('monitored')
  const [results, counted] = await Promise.all([
    db
      .select(productColumns(org_id))
      .from(products)
      .where(isByMonitored ? monitoredParts(products, { where, isMonitored, order: sql`vendor, name`, rows }) : where)
      .orderBy(...productOrder(query))
      .limit(query.limit)
      .offset(offsetOf(query)),
    countOf(db, products, where, others ? undefined : named),
  ])
  return { results, ...exactness(counted, where, named) }
}

export async function getProductRow(db: Db, org_id: number, id: number) {
  const [product] = await db.select(productColumns(org_id)).from(products).where(eq(products.id, id))
  if (!product) throw notFound('Product')
  return product
}

/** Products by their CPE names; of which part (a, o, h) they are is left open, as sources differ. */
export async function findCpes(db: Db, query: CpeQuery) {
  const named = await findNamed(db, products, query.search)
  const others = and(...nameFilters(query))
  const where = and(named.where, others)
  const [rows, counted] = await Promise.all([
    db
      .select({ id: products.id, vendor: products.vendor, name: products.name })
      .from(products)
      .where(where)
      .orderBy(...productOrder(query))
      .limit(query.limit)
      .offset(offsetOf(query)),
    countOf(db, products, where, others ? undefined : named),
  ])
  const results = rows.map(({ id, vendor, name }) => ({
    id,
    title: `${worded(vendor)} ${worded(name)}`,
    vector: cpeFromTail(vendor, name, '*'),
    vendor,
    product: name,
  }))
  return { results, ...exactness(counted, where, named) }
}

const worded = (name: string) => name.replaceAll('_', ' ')

type NameFilters = Pick<ProductQuery, 'name' | 'name__icontains' | 'vendor' | 'vendor_id'>

const nameFilters = ({ name, name__icontains, vendor, vendor_id }: NameFilters) => [
  name ? eq(products.name, name.toLowerCase()) : undefined,
  name__icontains ? nameContains(products, name__icontains) : undefined,
  vendor ? eq(products.vendor, vendor.toLowerCase()) : undefined,
  vendor_id === undefined ? undefined : eq(products.vendor_id, vendor_id),
]

const monitoredProductIds = (org_id: number) => sql`
  select product_id from ${monitoredProducts} mp where mp.org_id = ${org_id}
  union
  select p.id from ${monitoredVendors} mv join products p on p.vendor_id = mv.vendor_id where mv.org_id = ${org_id}`

function productOrder({ sorted_by, search, vendor_id }: Pick<ProductQuery, 'sorted_by' | 'search' | 'vendor_id'>) {
  if (!sorted_by && search) return byRelevance(products, search)
  if (!sorted_by) return vendor_id === undefined ? byVendor(asc) : [asc(products.name)]
  const direction = sorted_by.startsWith('-') ? desc : asc
  switch (sorted_by) {
    case 'monitored':
    case '-monitored':
      return [direction(sql`monitored`), ...byVendor(asc)]
    case 'name':
    case '-name':
      return [direction(products.name), direction(products.id)]
    case 'vulns_count':
    case '-vulns_count':
      return [direction(products.vulns_count), direction(products.id)]
    case 'updated_at':
    case '-updated_at':
      return [direction(products.updated_at), direction(products.id)]
    default:
      return byVendor(direction)
  }
}

const byVendor = (direction: typeof asc) =>
  [products.vendor, products.name, products.id].map((column) => direction(column))

import { and, eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { cpeFromTail } from '../domain/cpe'
import { notFound } from '../http/errors'
import { offsetOf } from '../http/page'
import { isProductMonitored } from '../watchlist/queries'
import { monitoredProducts, monitoredVendors } from '../schema/watchlist'
import type { CpeQuery, ProductQuery } from './contract'
import { byRelevance, searchNames, soughtOf } from './name-hits'
import type { Sought } from './name-hits'
import { directionOf, orderBy, upwards } from './name-order'
import type { Direction, Order } from './name-order'
import { countOf, exactness, monitoredParts, nameContains } from './name-search'
import { products, vendors } from '../schema/kb'

const maxWords = 20

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
  const sought = soughtOf(query)
  const where = and(
    ...nameFilters(query),
    monitored === undefined ? undefined : monitored ? isMonitored : sql`not ${isMonitored}`,
    sought && isOfVendor(query) ? hasWords(sought) : undefined,
  )
  const order = productOrder(query, isMonitored)
  const read = (is: SQL | undefined) => db.select(productColumns(org_id)).from(products).where(is)
  if (sought && !isOfVendor(query))
    return searchNames(db, { table: products, ...sought, where, order, page: query }, read)

  const rows = offsetOf(query) + query.limit
  const isByMonitored = sorted_by?.endsWith('monitored')
  const [results, count] = await Promise.all([
    read(isByMonitored ? monitoredParts(products, { where, isMonitored, order: sql`vendor, name`, rows }) : where)
      .orderBy(...orderBy(order))
      .limit(query.limit)
      .offset(offsetOf(query)),
    isOfVendorAlone(query) ? countOfVendor(db, query) : countOf(db, products, where),
  ])
  return { results, ...exactness(count, where) }
}

const isOfVendor = ({ vendor, vendor_id }: NameFilters) => Boolean(vendor) || vendor_id !== undefined
const isOfVendorAlone = (query: ProductQuery) =>
  isOfVendor(query) && !soughtOf(query) && !query.name && query.monitored === undefined

/** Of one vendor each product is looked at: none is missed, however many others are called so. */
function hasWords({ search, isOfName = false }: Sought) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords)
  const has = (word: string) => sql`instr(${products.name}, ${word}) > 0`
  return and(
    ...words.map((word) => (isOfName ? has(word) : sql`(${has(word)} or instr(${products.vendor}, ${word}) > 0)`)),
  )
}

/** How many products a vendor has is kept. */
async function countOfVendor(db: Db, { vendor, vendor_id }: ProductQuery) {
  const [row] = await db
    .select({ count: vendors.products_count })
    .from(vendors)
    .where(
      and(
        vendor ? eq(vendors.name, vendor.toLowerCase()) : undefined,
        vendor_id === undefined ? undefined : eq(vendors.id, vendor_id),
      ),
    )
  return row?.count ?? 0
}

export async function getProductRow(db: Db, org_id: number, id: number) {
  const [product] = await db.select(productColumns(org_id)).from(products).where(eq(products.id, id))
  if (!product) throw notFound('Product')
  return product
}

/** Products by their CPE names; of which part (a, o, h) they are is left open, as sources differ. */
export async function findCpes(db: Db, query: CpeQuery) {
  const sought = soughtOf(query)
  const where = and(...nameFilters(query), sought && isOfVendor(query) ? hasWords(sought) : undefined)
  const order = productOrder(query)
  const read = (is: SQL | undefined) =>
    db.select({ id: products.id, vendor: products.vendor, name: products.name }).from(products).where(is)
  if (sought && !isOfVendor(query)) {
    const found = await searchNames(db, { table: products, ...sought, where, order, page: query }, read)
    return { ...found, results: found.results.map(withCpe) }
  }
  const [rows, count] = await Promise.all([
    read(where)
      .orderBy(...orderBy(order))
      .limit(query.limit)
      .offset(offsetOf(query)),
    countOf(db, products, where),
  ])
  return { results: rows.map(withCpe), ...exactness(count, where) }
}

const withCpe = ({ id, vendor, name }: { id: number; vendor: string; name: string }) => ({
  id,
  title: `${worded(vendor)} ${worded(name)}`,
  vector: cpeFromTail(vendor, name, '*'),
  vendor,
  product: name,
})

const worded = (name: string) => name.replaceAll('_', ' ')

type NameFilters = Pick<ProductQuery, 'search' | 'name' | 'name__icontains' | 'vendor' | 'vendor_id'>

const nameFilters = ({ search, name, name__icontains, vendor, vendor_id }: NameFilters) => [
  name ? eq(products.name, name.toLowerCase()) : undefined,
  search && name__icontains ? nameContains(products, name__icontains) : undefined,
  vendor ? eq(products.vendor, vendor.toLowerCase()) : undefined,
  vendor_id === undefined ? undefined : eq(products.vendor_id, vendor_id),
]

const monitoredProductIds = (org_id: number) => sql`
  select product_id from ${monitoredProducts} mp where mp.org_id = ${org_id}
  union
  select p.id from ${monitoredVendors} mv join products p on p.vendor_id = mv.vendor_id where mv.org_id = ${org_id}`

type Sorting = Pick<ProductQuery, 'sorted_by' | 'search' | 'vendor_id'>

function productOrder({ sorted_by, search, vendor_id }: Sorting, isMonitored = sql`0`): Order {
  if (!sorted_by && search) return byRelevance(products, search)
  if (!sorted_by) return vendor_id === undefined ? byVendor(upwards) : [upwards(products.name)]
  const direction = directionOf(sorted_by)
  switch (sorted_by) {
    case 'monitored':
    case '-monitored':
      return [direction(isMonitored), ...byVendor(upwards)]
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

const byVendor = (direction: Direction) =>
  [products.vendor, products.name, products.id].map((column) => direction(column))

import { and, eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { notFound } from '../http/errors'
import { offsetOf } from '../http/page'
import { isVendorMonitored } from '../watchlist/queries'
import { monitoredVendors } from '../schema/watchlist'
import type { VendorQuery } from './contract'
import { byRelevance, searchNames, soughtOf } from './name-hits'
import { directionOf, orderBy, upwards } from './name-order'
import type { Order } from './name-order'
import { countOf, exactness, monitoredParts, nameContains } from './name-search'
import { vendors } from '../schema/kb'

const vendorColumns = (org_id: number) => ({
  id: vendors.id,
  name: vendors.name,
  products_count: vendors.products_count,
  vulns_count: vendors.vulns_count,
  updated_at: vendors.updated_at,
  monitored: isVendorMonitored(org_id).as('monitored'),
})

export async function findVendors(db: Db, org_id: number, query: VendorQuery) {
  const { search, name, name__icontains, monitored, sorted_by } = query
  const isMonitored = sql`${vendors.id} in (${monitoredVendorIds(org_id)})`
  const where = and(
    name ? eq(vendors.name, name.toLowerCase()) : undefined,
    search && name__icontains ? nameContains(vendors, name__icontains) : undefined,
    monitored === undefined ? undefined : monitored ? isMonitored : sql`not ${isMonitored}`,
  )
  const order = vendorOrder(query, isMonitored)
  const read = (is: SQL | undefined) => db.select(vendorColumns(org_id)).from(vendors).where(is)
  const sought = soughtOf(query)
  if (sought) return searchNames(db, { table: vendors, ...sought, where, order, page: query }, read)

  const rows = offsetOf(query) + query.limit
  const isByMonitored = sorted_by?.endsWith('monitored')
  const [results, count] = await Promise.all([
    read(isByMonitored ? monitoredParts(vendors, { where, isMonitored, order: sql`name, id`, rows }) : where)
      .orderBy(...orderBy(order))
      .limit(query.limit)
      .offset(offsetOf(query)),
    countOf(db, vendors, where),
  ])
  return { results, ...exactness(count, where) }
}

export async function getVendorRow(db: Db, org_id: number, id: number) {
  const [vendor] = await db.select(vendorColumns(org_id)).from(vendors).where(eq(vendors.id, id))
  if (!vendor) throw notFound('Vendor')
  return vendor
}

const monitoredVendorIds = (org_id: number) =>
  sql`select vendor_id from ${monitoredVendors} mv where mv.org_id = ${org_id}`

function vendorOrder({ sorted_by, search }: VendorQuery, isMonitored: SQL): Order {
  const byName = [upwards(vendors.name), upwards(vendors.id)]
  if (!sorted_by) return search ? byRelevance(vendors, search) : byName
  const direction = directionOf(sorted_by)
  switch (sorted_by) {
    case 'monitored':
    case '-monitored':
      return [direction(isMonitored), ...byName]
    case 'products_count':
    case '-products_count':
      return [direction(vendors.products_count), direction(vendors.id)]
    case 'vulns_count':
    case '-vulns_count':
      return [direction(vendors.vulns_count), direction(vendors.id)]
    case 'updated_at':
    case '-updated_at':
      return [direction(vendors.updated_at), direction(vendors.id)]
    default:
      return [direction(vendors.name), direction(vendors.id)]
  }
}

import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { notFound } from '../http/errors'
import { offsetOf } from '../http/page'
import { isVendorMonitored } from '../watchlist/queries'
import { monitoredVendors } from '../watchlist/tables'
import type { VendorQuery } from './contract'
import { byRelevance, countOf, exactness, findNamed, monitoredParts, nameContains } from './name-search'
import { vendors } from './tables'

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
  const named = await findNamed(db, vendors, search)
  const others = and(
    name ? eq(vendors.name, name.toLowerCase()) : undefined,
    name__icontains ? nameContains(vendors, name__icontains) : undefined,
    monitored === undefined ? undefined : monitored ? isMonitored : sql`not ${isMonitored}`,
  )
  const where = and(named.where, others)
  const rows = offsetOf(query) + query.limit
  const isByMonitored = sorted_by?.endsWith('monitored')
  const [results, counted] = await Promise.all([
    db
      .select(vendorColumns(org_id))
      .from(vendors)
      .where(isByMonitored ? monitoredParts(vendors, { where, isMonitored, order: sql`name, id`, rows }) : where)
      .orderBy(...vendorOrder(query))
      .limit(query.limit)
      .offset(offsetOf(query)),
    countOf(db, vendors, where, others ? undefined : named),
  ])
  return { results, ...exactness(counted, where, named) }
}

export async function getVendorRow(db: Db, org_id: number, id: number) {
  const [vendor] = await db.select(vendorColumns(org_id)).from(vendors).where(eq(vendors.id, id))
  if (!vendor) throw notFound('Vendor')
  return vendor
}

const monitoredVendorIds = (org_id: number) =>
  sql`select vendor_id from ${monitoredVendors} mv where mv.org_id = ${org_id}`

function vendorOrder({ sorted_by, search }: VendorQuery) {
  if (!sorted_by) return search ? byRelevance(vendors, search) : [asc(vendors.name), asc(vendors.id)]
  const direction = sorted_by.startsWith('-') ? desc : asc
  switch (sorted_by) {
    case 'monitored':
    case '-monitored':
      return [direction(sql`monitored`), asc(vendors.name), asc(vendors.id)]
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

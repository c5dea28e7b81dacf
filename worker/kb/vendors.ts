import { eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import { listVendorAliases } from '../domain/names/aliases'
import { withMeantSearch } from '../domain/names/product-names'
import { notFound } from '../http/errors'
import { hasLabel, isVendorMonitored } from '../watchlist/queries'
import { monitoredVendors } from '../schema/watchlist'
import type { VendorDetail, VendorQuery, VendorRow } from './contract'
import { findNames, getName, type NameKind } from './find-names'
import { toNameSearch } from './name-hits'
import { vendors } from '../schema/kb'

const kind: NameKind<VendorRow> = {
  title: 'Vendor',
  table: vendors,
  findRows: (db, org_id, ids) =>
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
      .where(sql`${vendors.id} IN ${valuesTable(ids)}`),
  isMonitored: (org_id) =>
    sql`${vendors.id} IN (SELECT vendor_id FROM ${monitoredVendors} mv WHERE mv.org_id = ${org_id})`,
  byName: [vendors.name],
  sorts: new Map([
    ['name', [vendors.name]],
    ['products_count', [vendors.products_count]],
    ['vulns_count', [vendors.vulns_count]],
    ['updated_at', [vendors.updated_at]],
  ]),
}

export function findVendors(db: Db, org_id: number, given: VendorQuery) {
  const query = withMeantSearch(given)
  return findNames(db, { kind, org_id }, query, {
    filters: [
      query.name ? eq(vendors.name, query.name.toLowerCase()) : undefined,
      query.group ? hasLabel(org_id, 'vendor', vendors.id, query.group) : undefined,
    ],
    sought: toNameSearch(query),
  })
}

export const getVendorRow = (db: Db, org_id: number, id: number) => getName(db, { kind, org_id }, id)

export async function getVendorDetail(db: Db, org_id: number, id: number): Promise<VendorDetail> {
  const vendor = await getVendorRow(db, org_id, id)
  return { ...vendor, aliases: listVendorAliases(vendor.name) }
}

/** Its number, of a text that may be one. */
export function selectVendorId(text: string) {
  const id = Number(text)
  return sql`coalesce((SELECT n.id FROM vendors n WHERE n.name = ${text.toLowerCase()}), ${Number.isSafeInteger(id) ? id : 0})`
}

export async function requireVendor(db: Db, text: string) {
  const found = await db
    .select({ id: vendors.id })
    .from(vendors)
    .where(eq(vendors.id, selectVendorId(text)))
  if (!found.length) throw notFound(kind.title)
}

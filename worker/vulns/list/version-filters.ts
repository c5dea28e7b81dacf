import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { parseCpe, versionlessInCpe } from '../../domain/names/cpe'
import { completeCpe } from '../../domain/query/values'
import type { VulnFilters } from '../contract'
import { chunk, findAffecting, findAffectingAny, findAllAffecting } from './affected-version'
import type { Depth, Windows } from './affected-version'
import { productsNamed, productsOfCpe, vendorsNamed } from './named-items'

/** A CPE name can be one of many conditions, so a page judges only this many windows of its product. */
const cpeWindows = 4

/** Undefined for a CPE name without a version. */
export async function findAffectingCpe(db: Db, org_id: number, cpe: string, depth: Depth) {
  const version = versionOfCpe(cpe)
  if (!version) return undefined
  const find = (request: Windows) => findAffecting(db, productsOfCpe(cpe), request)
  const request = { version, org_id }
  if (depth === 'all') return findAllAffecting(find, request)
  return find({ ...request, window: 1, windows: depth === 'page' ? cpeWindows : chunk.windows })
}

/** Without a product it looks at a vendor's products, or at all; undefined without a version. */
export async function findOfVersion(db: Db, org_id: number, filters: VulnFilters, depth: Depth) {
  const { product_version: version, version_window: window } = filters
  if (!version) return undefined
  const find = findBy(db, filters)
  const request = { version, org_id }
  if (depth === 'all' && window === undefined) return findAllAffecting(find, request)
  return find({
    ...request,
    window: window ?? 1,
    windows: depth === 'page' || window !== undefined ? 1 : chunk.windows,
  })
}

function findBy(db: Db, { product, product_name, vendor, vendor_name }: VulnFilters) {
  if (product !== undefined) return (request: Windows) => findAffecting(db, sql`SELECT ${product} AS id`, request)
  if (product_name) {
    const name = vendor_name ? `${vendor_name}:${product_name}` : product_name
    return (request: Windows) => findAffecting(db, productsNamed('eq', name), request)
  }
  const ofVendor = vendor_name ? vendorsNamed('eq', vendor_name) : undefined
  const vendors = vendor === undefined ? ofVendor : sql`SELECT ${vendor} AS id`
  return (request: Windows) => findAffectingAny(db, vendors, request)
}

/** The version with its update behind it, as vendors write both; undefined for any version. */
function versionOfCpe(text: string) {
  const cpe = parseCpe(completeCpe(text))
  if (!cpe || cpe.product === '*' || cpe.version === '*') return undefined
  if (cpe.version === '-') return versionlessInCpe(cpe) ?? undefined
  return ['*', '-'].includes(cpe.update) ? cpe.version : `${cpe.version}${cpe.update}`
}

import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { parseCpe } from '../../domain/cpe'
import { completeCpe } from '../../domain/query/values'
import type { VulnFilters } from '../contract'
import { findAffecting } from './affected-version'
import { productsNamed, productsOfCpe } from './named-items'

/** A CPE name is one condition of many: so many windows of its product are judged at once. */
const cpeWindows = 4

/** What affects the version that a CPE name tells; undefined if it tells none. */
export async function findAffectingCpe(db: Db, org_id: number, cpe: string) {
  const version = versionOfCpe(cpe)
  return version
    ? findAffecting(db, productsOfCpe(cpe), { version, org_id, window: 1, windows: cpeWindows })
    : undefined
}

/** The vulnerabilities of a product, by its id or name, that affect the version asked for; undefined if none is. */
export async function findOfVersion(db: Db, org_id: number, filters: VulnFilters) {
  const { product, product_name, vendor_name, product_version: version, version_window: window = 1 } = filters
  if (!version) return undefined
  if (product !== undefined) return findAffecting(db, sql`select ${product} as id`, { version, org_id, window })
  if (!product_name) return undefined
  const name = vendor_name ? `${vendor_name}:${product_name}` : product_name
  return findAffecting(db, productsNamed('eq', name), { version, org_id, window })
}

/** The version of a CPE name, its update beside it as vendors write it; undefined where any version is meant. */
function versionOfCpe(text: string) {
  const cpe = parseCpe(completeCpe(text))
  if (!cpe || cpe.product === '*' || ['*', '-'].includes(cpe.version)) return undefined
  return ['*', '-'].includes(cpe.update) ? cpe.version : `${cpe.version}${cpe.update}`
}

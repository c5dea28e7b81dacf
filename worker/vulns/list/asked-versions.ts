import type { Db } from '../../db/open'
import { parseCpe } from '../../domain/cpe'
import type { Query } from '../../domain/query/ast'
import { completed } from '../../domain/query/values'
import { findAffecting, findAffectingAny } from './affected-version'
import type { VulnFilters } from '../contract'
import { productsNamed, productsOfCpe } from './named-items'

/** By the CPE names of a query that name a version: the vulnerabilities whose ranges say that it is affected. */
export async function findAskedVersions(db: Db, query: Query | undefined) {
  const affecting = new Map<string, number[]>()
  for (const text of cpesIn(query)) {
    const version = versionOf(text)
    if (version && !affecting.has(text))
      affecting.set(text, await findAffectingAny(db, productsOfCpe(text), { version, window: 1 }))
  }
  return affecting
}

/** The vulnerabilities of a product, by its id or name, that affect the version asked for; undefined if none is. */
export async function findOfVersion(db: Db, asked: VulnFilters & { version_window?: number | undefined }) {
  const { product, product_name, vendor_name, product_version: version, version_window: window = 1 } = asked
  if (!version) return undefined
  if (product !== undefined) return findAffecting(db, product, { version, window })
  if (!product_name) return undefined
  const named = vendor_name ? `${vendor_name}:${product_name}` : product_name
  return findAffectingAny(db, productsNamed('eq', named), { version, window })
}

function cpesIn(query: Query | undefined): string[] {
  if (!query || query.kind === 'text') return []
  if (query.kind === 'compare') return query.field === 'cpe' ? [String(query.value)] : []
  return (query.kind === 'not' ? [query.term] : query.terms).flatMap(cpesIn)
}

/** The version of a CPE name, its update beside it as vendors write it; undefined where any version is meant. */
function versionOf(text: string) {
  const cpe = parseCpe(completed(text))
  if (!cpe || cpe.product === '*' || ['*', '-'].includes(cpe.version)) return undefined
  return ['*', '-'].includes(cpe.update) ? cpe.version : `${cpe.version}${cpe.update}`
}

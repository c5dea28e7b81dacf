import { parseCpe, versionInCpe } from '../../worker/domain/names/cpe'
import { canBeAwaited, canonicalId, isAdvisoryId, isCveId } from '../../worker/domain/names/cve'
import { parsePurl } from '../../worker/domain/names/purl'
import type { WatchedKind } from '../../worker/domain/names/watch-item'
import { findField } from '../../worker/domain/query/fields'

/** The item to watch to hear of a name that no source has yet; `canCome` where one may have it some day. */
export type WatchLine = { kind: WatchedKind; value: string; version: string | null; canCome: boolean }

/** Of the id of a vulnerability. */
export function findIdLine(term: string): WatchLine | undefined {
  const id = isCveId(term.toUpperCase()) ? term.toUpperCase() : isAdvisoryId(term) ? canonicalId(term) : undefined
  return id === undefined ? undefined : { kind: 'vuln', value: id, version: null, canCome: canBeAwaited(id) }
}

/** Of a purl, a CPE name or `vendor:product`. */
export function findItemLine(term: string): WatchLine | undefined {
  const purl = parsePurl(term)
  if (purl) return { kind: 'package', value: `${purl.type}:${purl.name}`, version: purl.version, canCome: true }
  const cpe = parseCpe(term)
  const [vendor = '', product = ''] = cpe ? [cpe.vendor, cpe.product] : term.split(':')
  const isNamed = cpe ? vendor !== '*' && product !== '*' : /^[\w.-]+:[\w.-]+$/.test(term) && !findField(vendor)
  const version = cpe && versionInCpe(cpe)
  return isNamed
    ? { kind: 'product', value: `${vendor}:${product}`.toLowerCase(), version: version ?? null, canCome: true }
    : undefined
}

import { canonicalId, isAdvisoryId, isCveId } from '../domain/names/cve'
import type { Named } from '../watchlist/awaited-names'
import type { Writes } from './writes'

export function listNamed({ names, vulns, aliases }: Writes): Named[] {
  const vendors = [...new Set(names.products.created.map(([vendor]) => vendor))]
  return [
    ...vendors.map((vendor) => ({ kind: 'vendor' as const, first: vendor, second: '', value: vendor.toLowerCase() })),
    ...names.products.created.map(([first, second]) => ({
      kind: 'product' as const,
      first,
      second,
      value: `${first}:${second}`.toLowerCase(),
    })),
    ...names.packages.created.map(([first, second]) => ({
      kind: 'package' as const,
      first,
      second,
      value: `${first}:${second}`,
    })),
    ...[...vulns.map(({ derived: { cveid } }) => [cveid, cveid] as const), ...aliases]
      .filter(([, id]) => isCveId(id) || isAdvisoryId(id))
      .map(([cveid, id]) => ({ kind: 'vuln' as const, first: cveid, second: '', value: canonicalId(id) })),
  ]
}

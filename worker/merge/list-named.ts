import { isCveId } from '../domain/names/cve'
import type { Named } from '../watchlist/awaited-names'
import type { Writes } from './writes'

export function listNamed({ names, vulns }: Writes): Named[] {
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
    ...vulns
      .filter(({ derived: { cveid } }) => isCveId(cveid))
      .map(({ derived: { cveid } }) => ({ kind: 'vuln' as const, first: cveid, second: '', value: cveid })),
  ]
}

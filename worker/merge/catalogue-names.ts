import type { Records } from '../domain/merge'
import { parseSource } from '../domain/record'
import type { SourceKey } from '../domain/record'
import { joinName, splitName } from './derive'
import type { Affected, NameRanges } from './derive'

export function nameParts(name: string): [first: string, name: string] {
  const [first = '', second = ''] = splitName(name)
  return [first, second]
}

const nameOnly = { json: '[]', count: 0 }

/**
 * Adds products that only titles and catalogues name; leaves them out as soon as a source lists products, but for that of KEV
 * where nobody lists one of its vendor: Red Hat speaks of its own packages alone (Zerologon).
 */
export function withNames({ products, packages }: Affected, records: Records): Affected {
  const given = Object.entries(records).filter(([, record]) => record?.named)
  if (!given.length) return { products, packages }
  const listed: NameRanges = new Map()
  for (const [name, bySource] of products) {
    const sources = [...bySource].filter(([key, { json }]) => json !== nameOnly.json || !records[key]?.named)
    if (sources.length) listed.set(name, new Map(sources))
  }
  if (listed.size) return { products: withKevNames(listed, records), packages }
  const names: NameRanges = new Map()
  for (const [key, record] of given)
    for (const { vendor, product } of record?.named ?? []) {
      const name = joinName(vendor, product)
      names.set(name, new Map(names.get(name)).set(key, nameOnly))
    }
  return { products: names, packages }
}

function withKevNames(listed: NameRanges, { kev }: Records): NameRanges {
  const vendors = new Set(
    [...listed].flatMap(([name, bySource]) => ([...bySource.keys()].every(isDistribution) ? [] : nameParts(name)[0])),
  )
  const added = (kev?.named ?? []).filter(({ vendor }) => !vendors.has(vendor))
  const products = new Map(listed)
  for (const { vendor, product } of added) {
    const name = joinName(vendor, product)
    products.set(name, new Map(listed.get(name)).set('kev', nameOnly))
  }
  return products
}

const isDistribution = (key: SourceKey) => parseSource(key) === 'redhat'

import type { Records } from '../domain/words/merge'
import { parseSource, type ProductName, type SourceKey, type VulnRecord } from '../domain/words/record'
import { joinName, splitName, type Affected, type NameRanges } from './derive'

const nameOnly = { json: '[]', count: 0 }

/**
 * Adds products that only titles and catalogues name, and guesses that others name; leaves them out as soon as a source lists products, but for that of KEV
 * where nobody lists one of its vendor by a word of its name: Red Hat speaks of its own packages alone (Zerologon), and Oracle's
 * record of a flaw in WebLogic of a tape library that has it (CVE-2019-2725).
 */
export function withNames({ products, packages }: Affected, records: Records, known = new Set<string>()): Affected {
  const given = Object.entries(records).filter(([, record]) => record?.named ?? record?.guesses)
  if (!given.length) return { products, packages }
  const byName = new Set(given.map(([key]) => key))
  const listed: NameRanges = new Map()
  for (const [name, bySource] of products) {
    const sources = [...bySource].filter(([key, { json }]) => json !== nameOnly.json || !byName.has(key))
    if (sources.length) listed.set(name, new Map(sources))
  }
  if (listed.size) return { products: withKevNames(listed, records), packages }
  const names: NameRanges = new Map()
  for (const [key, record] of given)
    for (const name of listNames(record, known)) names.set(name, new Map(names.get(name)).set(key, nameOnly))
  return { products: names, packages }
}

function listNames({ named = [], guesses = [] }: Pick<VulnRecord, 'named' | 'guesses'> = {}, known: Set<string>) {
  const join = ({ vendor, product }: ProductName) => joinName(vendor, product)
  return [...named.map(join), ...guesses.map(join).filter((name) => known.has(name))]
}

function withKevNames(listed: NameRanges, { kev }: Records): NameRanges {
  const own = [...listed].flatMap(([name, bySource]) =>
    [...bySource.keys()].every(isDistribution) ? [] : [splitName(name)],
  )
  const isListed = ({ vendor, product }: ProductName) =>
    own.some(([first, name]) => first === vendor && sharesWord(product, name))
  const products = new Map(listed)
  for (const { vendor, product } of (kev?.named ?? []).filter((name) => !isListed(name))) {
    const name = joinName(vendor, product)
    products.set(name, new Map(listed.get(name)).set('kev', nameOnly))
  }
  return products
}

/** Words that many products have beside their name. */
const kindWords = new Set(
  'and for manager management multiple of product products security server service services software the'.split(' '),
)

function sharesWord(one: string, other: string) {
  if (one === other || one.split('_').includes('multiple')) return true
  const words = new Set(listWords(one))
  return listWords(other).some((word) => words.has(word))
}

const listWords = (name: string) => (name.match(/[a-z]{2,}|\d+/g) ?? []).filter((word) => !kindWords.has(word))

const isDistribution = (key: SourceKey) => parseSource(key) === 'redhat'

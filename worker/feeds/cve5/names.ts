import { parseCpe } from '../../domain/names/cpe'
import { isNoName, parseName, toCpeWord } from '../../domain/names/product-names'
import type { ProductName } from '../../domain/words/record'
import type { ParsedAffected } from './schema'

/** Some entries name only the package, or its home on GitHub. */
export function readFreeName({ vendor, product, packageName, collectionURL = '' }: ParsedAffected) {
  const owner = /^https:\/\/github\.com\/([\w.-]+)\//.exec(collectionURL)?.[1]
  return parseName(vendor ?? owner, product ?? packageName)
}

export function readCpeNames({ cpes = [] }: ParsedAffected): ProductName[] {
  const byName = new Map<string, ProductName>()
  for (const text of cpes) {
    const cpe = parseCpe(text)
    if (!cpe || isNoName(cpe.vendor) || isNoName(cpe.product) || cpe.product === '*') continue
    byName.set(`${cpe.vendor}:${cpe.product}`, { vendor: cpe.vendor, product: cpe.product })
  }
  return [...byName.values()]
}

/** The product of an entry whose vendor says nothing ("Unknown", "n/a"). */
export function readVendorless(entry: ParsedAffected) {
  const { vendor = '', product = '' } = entry
  return isNoName(vendor) && !isNoName(product) && !readFreeName(entry) ? toCpeWord(product) : null
}

const toLetters = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Whether one vendor's name may be another spelling of the other: they share a word, or one is part of the other. */
export function isSameVendor(one: string, other: string) {
  const [left, right] = [toLetters(one), toLetters(other)]
  if (!left || !right || left.includes(right) || right.includes(left)) return true
  return one.split(/[^a-z0-9]+/).some((word) => word.length > 2 && right.includes(word))
}

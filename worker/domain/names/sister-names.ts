import { isUnbounded } from '../versions/range-match'
import { distinctRanges, rangeTail } from '../versions/range'
import type { AffectedProduct, AffectedRange } from '../words/record'

/** Records with more products of one vendor list its hardware. */
const maxCompared = 40
const shortestName = 4

/**
 * Gives two names of one product what a record says of either: NVD lists Rails 3.0.7 as `rails` and 3.1.9 as `ruby_on_rails` in
 * CVE-2013-0156.
 */
export function joinSisters(affected: AffectedProduct[]): AffectedProduct[] {
  const sisters = new Map<AffectedProduct, AffectedProduct[]>()
  for (const [vendor, all] of Map.groupBy(affected, (one) => one.vendor)) {
    if (all.length === 1 || all.length > maxCompared) continue
    const words = toWords(vendor).join('')
    const names = all.map((entry) => ({ one: entry, ...readName(entry, words) }))
    for (const own of names) {
      const found = names.filter((other) => other !== own && isSister(own, other, words))
      sisters.set(
        own.one,
        found.map(({ one }) => one),
      )
    }
  }
  return affected.map((product) => {
    const found = sisters.get(product)
    return found?.length ? { ...product, ranges: join(product.ranges, found) } : product
  })
}

/** A name without versions adds nothing to one that has some. */
function join(own: AffectedRange[], sisters: AffectedProduct[]) {
  const part = partIn(own[0])
  const others = sisters
    .flatMap(({ ranges }) => ranges)
    .filter((range) => !isUnbounded(range) && partIn(range) === part)
  return distinctRanges([...own, ...others])
}

/** Hardware is not the software in it. */
const partIn = (range: AffectedRange | undefined) => (range === undefined ? null : rangeTail(range))?.charAt(0)

/** Its words without the vendor's, joined as they stand and in the order of letters. */
function readName({ product }: AffectedProduct, vendor: string) {
  const own = withoutVendor(toWords(product), vendor)
  return { name: own.join(''), sorted: own.toSorted().join('') }
}
type ReadName = ReturnType<typeof readName>

/** The same words in another order, with the vendor's name in front, or the vendor's name and its end (`ruby_on_rails`). */
function isSister(own: ReadName, other: ReadName, vendor: string) {
  if (own.name === other.name || own.sorted === other.sorted) return true
  const isVendor = own.name === vendor || other.name === vendor
  return isVendor && isEnding(vendor, own.name) && isEnding(vendor, other.name)
}

const isEnding = (vendor: string, name: string) => name.length >= shortestName && vendor.endsWith(name)

const toWords = (name: string) => name.match(/[a-z0-9]+|[+#]/g) ?? []

function withoutVendor(words: string[], vendor: string) {
  const at = words.findIndex((_, index) => words.slice(0, index + 1).join('') === vendor)
  return at === -1 || at === words.length - 1 ? words : words.slice(at + 1)
}

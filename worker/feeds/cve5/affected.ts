import { cpeTail, parseCpe } from '../../domain/cpe'
import { parseCve5Ranges } from '../../domain/cve5-status'
import type { AffectedProduct, AffectedRange, ProductName } from '../../domain/record'
import { readCpeNames, readFreeName } from './names'
import type { ParsedAffected } from './schema'

/**
 * The products that the CNA and the ADP containers call affected. A product goes by its CPE name where an entry gives
 * one; a free name of the CNA that can only mean a product with a CPE name joins it. Products that are named only to
 * say that they are not affected are left out.
 */
export function readCve5Affected(cna: ParsedAffected[], adp: ParsedAffected[]): AffectedProduct[] {
  const entries = [...settleDefaults(cna), ...settleDefaults(adp)]
  const known = uniqueNames(entries.flatMap(readCpeNames))
  const free = uniqueNames(cna.flatMap((entry) => (readCpeNames(entry).length ? [] : (readFreeName(entry) ?? []))))
  const only = known.length === 1 && free.length === 1 ? known[0] : undefined

  const byName = new Map<string, AffectedProduct & { seen: Set<string> }>()
  for (const entry of entries) {
    const ranges = readRanges(entry)
    if (!ranges) continue
    for (const name of findNames(entry, known, only)) {
      const key = `${name.vendor}:${name.product}`
      let named = byName.get(key)
      if (!named) byName.set(key, (named = { ...name, ranges: [], seen: new Set() }))
      for (const range of ranges.length ? ranges : versionedCpes(entry, name)) addOnce(named, range)
    }
  }
  return [...byName.values()].map(({ vendor, product, ranges }) => ({ vendor, product, ranges }))
}

/**
 * Where elements of one container do not agree on all other versions of a product, "unaffected" of one is no comfort on what
 * another calls affected: it counts as not said.
 */
function settleDefaults(entries: ParsedAffected[]): ParsedAffected[] {
  const affected = new Set(entries.filter((entry) => entry.defaultStatus === 'affected').flatMap(listNames))
  if (!affected.size) return entries
  return entries.map((entry) => {
    const isOpen = entry.defaultStatus === 'unaffected' && entry.versions?.length
    return isOpen && listNames(entry).some((name) => affected.has(name))
      ? { ...entry, defaultStatus: undefined }
      : entry
  })
}

const listNames = (entry: ParsedAffected) =>
  [...readCpeNames(entry), readFreeName(entry)].flatMap((name) => (name ? `${name.vendor}:${name.product}` : []))

function findNames(entry: ParsedAffected, known: ProductName[], only: ProductName | undefined) {
  const named = readCpeNames(entry)
  if (named.length) return named
  const free = readFreeName(entry)
  if (!free) return []
  return [only ?? sameProduct(known, free) ?? free]
}

// The product's name says it; where several vendors have one of that name, the vendor's has to agree.
function sameProduct(known: ProductName[], { vendor, product }: ProductName) {
  const named = known.filter((one) => one.product === product)
  return named.length === 1 ? named[0] : named.find((one) => one.vendor === vendor)
}

/** What an entry says of versions; null when nothing of it is affected. */
function readRanges(entry: ParsedAffected): AffectedRange[] | null {
  const ranges = parseCve5Ranges(entry, findPart(entry))
  if (ranges.some(isAffected)) return ranges
  const { defaultStatus, versions = [] } = entry
  const isDenied = defaultStatus === 'unaffected' || versions.some(({ status }) => status !== 'affected')
  if (ranges.length || (isDenied && !versions.some(({ status }) => status === 'affected'))) return null
  return []
}

const findPart = ({ cpes = [] }: ParsedAffected) => cpes.map((text) => parseCpe(text)?.part).find(Boolean) ?? 'a'

const isAffected = (range: AffectedRange) =>
  typeof range === 'string' || !('status' in range) || range.status === undefined

// An entry that says nothing of versions may still do so in its CPE names.
const versionedCpes = ({ cpes = [] }: ParsedAffected, { vendor, product }: ProductName) =>
  cpes.flatMap((text) => {
    const cpe = parseCpe(text)
    const isIt = cpe?.vendor === vendor && cpe.product === product && cpe.version !== '*'
    return isIt ? [cpeTail(cpe)] : []
  })

function addOnce(product: { ranges: AffectedRange[]; seen: Set<string> }, range: AffectedRange) {
  const text = typeof range === 'string' ? range : JSON.stringify(range)
  if (product.seen.has(text)) return
  product.seen.add(text)
  product.ranges.push(range)
}

const uniqueNames = (names: ProductName[]) => [
  ...new Map(names.map((name) => [`${name.vendor}:${name.product}`, name])).values(),
]

import { endFixesAtBranches, listEndedBranches } from '../../domain/versions/branch-ends'
import { cpeTail, parseCpe } from '../../domain/names/cpe'
import { parseCve5Ranges } from '../../domain/versions/cve5-status'
import { isNarrowerRange, isUnbounded, matchRange, namesNoVersion, toInterval } from '../../domain/versions/range-match'
import { isVersionRange } from '../../domain/versions/range'
import { rangeStatus } from '../../domain/versions/range-verdict'
import type { AffectedRange, ProductName, VersionRange } from '../../domain/words/record'
import { isSameVendor, readCpeNames, readFreeName, readVendorless } from './names'
import type { ParsedAffected } from './schema'

type ProductRanges = ProductName & { ranges: AffectedRange[] }

/** Versions times products of an entry; the largest record of the CVE list has 30,000. */
const maxStatements = 200_000

/**
 * Names a product by the entry's CPE name; a free name joins the product that it must mean. Leaves out products that no entry calls
 * affected. `isAdded`: only the `adp` names versions of it.
 */
export function readCve5Affected(
  cna: ParsedAffected[],
  adp: ParsedAffected[],
  assigner = '',
  areCut = true,
): (ProductRanges & { isAdded: boolean })[] {
  const entries = [...settleDefaults(cna.map(moveCpeNames)), ...settleDefaults(adp.map(moveCpeNames))]
  const known = indexNames(entries.flatMap(readCpeNames))
  const free = indexNames(cna.flatMap((entry) => (readCpeNames(entry).length ? [] : (readFreeName(entry) ?? []))))
  // A CNA that writes CPE names itself means something else by a name without one: Red Hat names what it ships beside its products.
  const isMeant = !cna.some((entry) => readCpeNames(entry).length) && known.byKey.size === 1 && free.byKey.size === 1
  const only = isMeant ? [...known.byKey.values()][0] : undefined
  const vendorless = new Set(cna.flatMap((entry) => (readCpeNames(entry).length ? [] : (readVendorless(entry) ?? []))))
  const meant: Meant = {
    known,
    only,
    onlyVendorless:
      vendorless.size === 1 && known.byKey.size === 1 && !free.byKey.size ? [...known.byKey.values()][0] : undefined,
    assigner: assigner.toLowerCase(),
    areCut,
  }

  let statements = 0
  const byName = new Map<string, ProductRanges & { seen: Set<string>; voices: Set<'cna' | 'adp'> }>()
  /** Affected ranges of each product by the CNA. */
  const byCna = new Map<string, AffectedRange[]>()
  for (const [at, entry] of entries.entries()) {
    const names = findNames(entry, meant)
    const isOfCna = at < cna.length
    const stated = isOfCna ? [] : names.flatMap((name) => byCna.get(toKey(name)) ?? [])
    const isAdded = stated.some(isEnded)
    const ranges = withoutTakenBack(readRanges(entry), stated)?.filter((range) => !(isAdded && isForAll(range)))
    if (!ranges || (isAdded && !ranges.length)) continue
    statements += names.length * Math.max(1, ranges.length)
    if (statements > maxStatements) throw new Error(`Names more than ${maxStatements} versions of its products`)
    if (isOfCna) for (const name of names) addAll(byCna, toKey(name), ranges.filter(isAffected))
    const tails = ranges.length ? new Map<string, string[]>() : versionedTails(entry)
    for (const name of names) {
      const key = toKey(name)
      let named = byName.get(key)
      if (!named) byName.set(key, (named = { ...name, ranges: [], seen: new Set(), voices: new Set() }))
      const said = ranges.length ? ranges : (tails.get(key) ?? [])
      if (said.some(namesVersion)) named.voices.add(isOfCna ? 'cna' : 'adp')
      for (const range of said) addOnce(named, range)
    }
  }
  return [...byName.values()].map(({ vendor, product, ranges, voices }) => ({
    vendor,
    product,
    isAdded: voices.has('adp') && !voices.has('cna'),
    ranges: [...endFixesAtBranches(ranges), ...closeBranches(cna, meant, byCna.get(toKey({ vendor, product })) ?? [])],
  }))
}

/**
 * These write an element for each branch, without its beginning: Firefox ESR 102.14 beside 115.1 (CVE-2023-4046). Apple leaves out
 * the last number: macOS 12.6 is 12.6.3 (CVE-2023-23513). Microsoft begins all of them at 10.0.0 and gives several one CPE name:
 * Windows 10 1809 has 10.0.17763.1999 beside 10.0.19041.1052 (CVE-2021-1675). Elsewhere elements of one name may be different products.
 */
function closeBranches(cna: ParsedAffected[], { assigner, areCut }: Meant, stated: AffectedRange[]) {
  const ranges = stated.filter(isVersionRange)
  if (assigner === 'microsoft') return listEndedBranches(listBuilds(cna, ranges))
  return assigner === 'mozilla' || assigner === 'apple' ? listEndedBranches(ranges, assigner === 'apple' && areCut) : []
}

/** The ends that name a branch: builds, and those of a title ("ASP.NET Core 6.0" before 6.0.27, CVE-2024-21386). */
function listBuilds(cna: ParsedAffected[], ranges: VersionRange[]): VersionRange[] {
  const titled = new Set(
    cna.flatMap(({ product = '', versions = [] }) => {
      const branch = product.trim().split(' ').at(-1) ?? ''
      return /^\d+\.\d+$/.test(branch)
        ? versions.flatMap(({ lessThan }) => (lessThan?.startsWith(`${branch}.`) ? [lessThan] : []))
        : []
    }),
  )
  return ranges.flatMap(({ order, lt = '' }) => (build.test(lt) || titled.has(lt) ? [{ order, lt }] : []))
}

const build = /^\d+(?:\.\d+){3}$/

/**
 * If elements of one container disagree on the default status of a product, "unaffected" of one says nothing about what
 * another calls affected: we ignore it, and no end of a range is a fix.
 */
function settleDefaults(entries: ParsedAffected[]): ParsedAffected[] {
  const affected = new Set(entries.filter((one) => one.defaultStatus === 'affected').flatMap(listNames))
  const isDenying = ({ defaultStatus, versions }: ParsedAffected) => defaultStatus === 'unaffected' && versions?.length
  const unaffected = new Set(entries.filter(isDenying).flatMap(listNames))
  const isDisputed = (name: string) => affected.has(name) && unaffected.has(name)
  if (!affected.size || !unaffected.size) return entries
  return entries.map((entry) => {
    if (!listNames(entry).some(isDisputed)) return entry
    const versions = (entry.versions ?? []).map((one) => ({ ...one, is_fix_unstated: true as const }))
    return { ...entry, versions, ...(isDenying(entry) && { defaultStatus: undefined }) }
  })
}

const listNames = (entry: ParsedAffected) =>
  [...readCpeNames(entry), readFreeName(entry)].flatMap((name) => (name ? toKey(name) : []))

type Meant = {
  known: Names
  only: ProductName | undefined
  onlyVendorless: ProductName | undefined
  assigner: string
  /** The ends of Apple lack their last number. */
  areCut: boolean
}

function findNames(entry: ParsedAffected, { known, only, onlyVendorless, assigner }: Meant) {
  const named = readCpeNames(entry)
  if (named.length) return named
  const free = readFreeName(entry)
  if (!free) return findVendorless(entry, known) ?? (onlyVendorless && readVendorless(entry) ? [onlyVendorless] : [])
  const meant = only ?? sameProduct(known, free)
  if (!meant) return [free, ...findRespelled(known, free)]
  // A CNA that numbers its own product knows its name: CISA names Chrome as one of "360" in CVE-2024-4671.
  const isOwn = assigner === free.vendor || assigner === free.product
  return isOwn && !isSameVendor(free.vendor, meant.vendor) ? [free, meant] : [meant]
}

function findVendorless(entry: ParsedAffected, { byProduct }: Names) {
  const own = byProduct.get(readVendorless(entry) ?? '')
  return own?.length === 1 ? own : null
}

// The product's name decides; if several vendors have such a product, the vendor must agree, too.
function sameProduct({ byKey, byProduct }: Names, name: ProductName) {
  const [first, ...others] = byProduct.get(name.product) ?? []
  return others.length ? byKey.get(toKey(name)) : first
}

/** The CNA's statement on its wbr-6013 holds for CISA's wbr_6013, too; other records name either, so that both stay. */
const findRespelled = ({ byLetters }: Names, { vendor, product }: ProductName) =>
  (byLetters.get(lettersIn(product)) ?? []).filter((one) => isSameVendor(one.vendor, vendor))

/** Null if nothing of the entry is affected. */
function readRanges(entry: ParsedAffected): AffectedRange[] | null {
  const ranges = parseCve5Ranges(entry, findPart(entry))
  const { defaultStatus, versions = [] } = entry
  // "Red Hat Ceph Storage 7" is affected by default: release 7 of ceph_storage, which its CPE name tells (CVE-2024-6387).
  if (defaultStatus === 'affected' && !versions.length && namesVersions(entry)) return []
  if (ranges.some(isAffected)) return ranges
  const isDenied = defaultStatus === 'unaffected' || versions.some(({ status }) => status !== 'affected')
  if (ranges.length || (isDenied && !versions.some(({ status }) => status === 'affected'))) return null
  return []
}

const findPart = ({ cpes = [] }: ParsedAffected) => cpes.map((text) => parseCpe(text)?.part).find(Boolean) ?? 'a'

const isAffected = (range: AffectedRange) => rangeStatus(range) === 'affected'

const namesVersion = (range: AffectedRange) => isAffected(range) && !isUnbounded(range) && !namesNoVersion(range)

/** CISA's "*" beside a range of the CNA that ends adds nothing: it stands where nobody looked at the versions. */
const isForAll = (range: AffectedRange) => isAffected(range) && isUnbounded(range)

/** How many ranges are compared with each other; with more of them, none that is unaffected counts. */
const maxCompared = 20_000

/** CISA repeats as unaffected what the CNA calls affected (Ivanti's CVE-2024-32842): it takes nothing back. */
function withoutTakenBack(ranges: AffectedRange[] | null, stated: AffectedRange[]) {
  const ended = stated.filter((own) => !isUnbounded(own))
  if (!ranges || !ended.length) return ranges
  const isTooMany = ranges.length * ended.length > maxCompared
  return ranges.filter(
    (range) => rangeStatus(range) !== 'unaffected' || !(isTooMany || ended.some((own) => isWithin(range, own))),
  )
}

/** Numbers lie within no range of commits. */
function isWithin(range: AffectedRange, own: AffectedRange) {
  const [inner, outer] = [toInterval(range), toInterval(own)]
  if (inner.is !== undefined) return matchRange(own, inner.is).holds === true
  return (inner.order === 'git') === (outer.order === 'git') && isNarrowerRange(range, own)
}

const isEnded = (range: AffectedRange) =>
  typeof range !== 'string' && (range.lt ?? range.le) !== undefined && isAffected(range)

const namesVersions = ({ cpes = [] }: ParsedAffected) =>
  cpes.length > 0 && cpes.every((text) => /^\d/.test(parseCpe(text)?.version ?? ''))

// An entry without versions may have them in its CPE names.
function versionedTails({ cpes = [] }: ParsedAffected) {
  const tails = new Map<string, string[]>()
  for (const text of cpes) {
    const cpe = parseCpe(text)
    if (!cpe || cpe.version === '*') continue
    const own = tails.get(toKey(cpe))
    if (own) own.push(cpeTail(cpe))
    else tails.set(toKey(cpe), [cpeTail(cpe)])
  }
  return tails
}

/** IBM writes CPE names where versions belong, too (Liberty of CVE-2024-22354). */
function moveCpeNames(entry: ParsedAffected): ParsedAffected {
  const { cpes = [], versions = [] } = entry
  const isName = ({ version, status }: (typeof versions)[number]) => status === 'affected' && /^cpe:/i.test(version)
  if (!versions.some(isName)) return entry
  const names = versions.filter(isName).map(({ version }) => version)
  return { ...entry, cpes: [...cpes, ...names], versions: versions.filter((one) => !isName(one)) }
}

function addAll<Value>(byKey: Map<string, Value[]>, key: string, values: Value[]) {
  const known = byKey.get(key) ?? []
  byKey.set(key, known)
  for (const value of values) known.push(value)
}

function addOnce(product: { ranges: AffectedRange[]; seen: Set<string> }, range: AffectedRange) {
  const text = typeof range === 'string' ? range : JSON.stringify(range)
  if (product.seen.has(text)) return
  product.seen.add(text)
  product.ranges.push(range)
}

const toKey = ({ vendor, product }: ProductName) => `${vendor}:${product}`

type Names = ReturnType<typeof indexNames>
function indexNames(names: ProductName[]) {
  const byKey = new Map(names.map((name) => [toKey(name), name]))
  const all = [...byKey.values()]
  return {
    byKey,
    byProduct: Map.groupBy(all, ({ product }) => product),
    byLetters: Map.groupBy(all, ({ product }) => lettersIn(product)),
  }
}

/** "CHARX SEC-3000 (1139022)" is charx_sec_3000 (CVE-2024-3913): signs between words say nothing, nor does the number of an article. */
const lettersIn = (product: string) => product.replace(/_?\(\d+\)$/, '').replace(/[\s_-]+/g, '')

import { toInterval } from './range-match'
import { rangeStatus } from './range-verdict'
import { toOpen } from './spoken-ends'
import type { AffectedProduct, AffectedRange, VersionRange } from '../words/record'
import { compareVersions, sortVersions } from './versions'

const maxText = 10_000
const maxNamed = 100
const maxEnds = 200
/** Numbers and dots, two numbers at least. */
const plain = /^\d{1,9}(?:\.\d{1,9}){1,5}$/

/**
 * Leaves open what lies between the end of a range and a later fix of the same first number that the CNA's `solutions` name instead
 * of the end: CyberPower writes "< 4.9.0" and "v4.10.1 or later" (CVE-2024-31409), and means that 4.9.0 is the last affected one. An
 * end of another range is that range's fix. Source: CVE Record Format 5.1, `solutions`, which are prose.
 */
export function leaveLateFixesOpen(solutions: string, affected: AffectedProduct[]): AffectedProduct[] {
  const named = listPlainVersions(solutions)
  if (!named.length) return affected
  const ends = new Set(affected.flatMap(({ ranges }) => listEnds(ranges)))
  if (ends.size > maxEnds) return affected
  return affected.map((product) => {
    const open = [...new Set(listEnds(product.ranges))].flatMap((end) => openUntilFix(end, named, ends))
    return open.length ? { ...product, ranges: [...product.ranges, ...open] } : product
  })
}

/** "v4.10.1 or later" names 4.10.1, and "10.x, 3.1.4-rc1" none. */
const listPlainVersions = (text: string) =>
  text
    .slice(0, maxText)
    .split(/[^\w.-]+/)
    .map((word) => word.replace(/^v|\.$/gi, ''))
    .filter((word) => plain.test(word))
    .slice(0, maxNamed)

const listEnds = (ranges: AffectedRange[]) =>
  ranges.flatMap((range) => (rangeStatus(range) === 'affected' && toInterval(range).bounds.lt) || [])

function openUntilFix(end: string, named: string[], ends: ReadonlySet<string>): VersionRange[] {
  if (!plain.test(end)) return []
  const near = named.filter((version) => findMajor(version) === findMajor(end))
  const isLater = (version: string) => (compareVersions('loose', version, end) ?? 0) > 0
  const [lt] = sortVersions(
    'loose',
    near.filter((version) => isLater(version) && !ends.has(version)),
  )
  const isNamed = near.some((version) => compareVersions('loose', version, end) === 0)
  return lt === undefined || isNamed ? [] : [toOpen({ ge: end, lt })]
}

const findMajor = (version: string) => version.split('.')[0]

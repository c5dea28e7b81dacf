import type { AffectedRange, VersionRange } from '../words/record'
import { isVersionRange } from './range'
import { compareVersions } from './versions'

/** More are left as they stand: only hostile records have so many ends without beginnings. */
const maxEnds = 200

type Ended = { range: VersionRange; end: string; numbers: string[] }

/**
 * Ours, beside CVE Record Format 5.x, docs/versions.md. "8.0.36 and prior" beside "8.3.0 and prior" means two branches, or the first
 * would say nothing (CVE-2024-21160): what lies behind the end of a branch is left open, and likely fixed if the end is the fix.
 */
export function leaveEndedBranchesOpen(ranges: VersionRange[]): VersionRange[] {
  const open = listEndedBranches(ranges)
  return open.length ? [...ranges, ...open] : ranges
}

/** Versions behind the ends in their branches; nothing is called a fix where ends are cut (`areCut`). */
export function listEndedBranches(ranges: VersionRange[], areCut = false): VersionRange[] {
  return [...Map.groupBy(ranges.filter(isWithoutStart), ({ order }) => order).values()].flatMap((own) => {
    const ends = sortEnds(own, ({ lt, le }) => lt ?? le)
    return ends.flatMap((one, at): VersionRange[] => {
      const differing = findDiffering(one, ends[at + 1])
      if (differing === -1 || differing >= one.numbers.length - 1) return []
      const le = `${one.numbers.slice(0, differing + 1).join('.')}.*`
      const { order } = one.range
      if (one.range.lt === undefined) return [{ order, gt: one.end, le, status: 'unknown' }]
      if (areCut) return [{ order, ge: one.end, le, status: 'unknown' }]
      return [{ order, ge: one.end, le, status: 'unaffected', is_guess: true }]
    })
  })
}

/**
 * Ours, too: of several fixes without end each is that of its branch: 2.13.9 says nothing of 3.2.0 where 3.2.9 is a fix as well
 * (CVE-2023-5675).
 */
export function endFixesAtBranches<One extends AffectedRange>(ranges: One[]): (One | VersionRange)[] {
  const ended = new Map<AffectedRange, VersionRange>()
  const fixes = ranges.flatMap((range) => (isOpenFix(range) ? [range] : []))
  for (const own of Map.groupBy(fixes, ({ order }) => order).values()) {
    const starts = sortEnds(own, ({ ge }) => ge)
    for (const [at, one] of starts.entries()) {
      const next = starts[at + 1]
      const differing = findDiffering(one, next)
      if (next && differing !== -1)
        ended.set(one.range, { ...one.range, lt: next.numbers.slice(0, differing + 1).join('.') })
    }
  }
  return ended.size ? ranges.map((range) => ended.get(range) ?? range) : ranges
}

/**
 * The kernel calls all before 6.8 unaffected, and 6.1.105 the fix of its branch (CVE-2024-42258): a backport brought the fault there,
 * in a release that nobody names. The branch is left open from its first release to its fix.
 */
export function leaveBackportsOpen(ranges: VersionRange[]): VersionRange[] {
  const before = ranges.find(
    ({ status, ge, gt, lt, on }) => status === 'unaffected' && lt && (ge ?? gt ?? on) === undefined,
  )
  if (before === undefined) return ranges
  const { order, lt = '' } = before
  const open = ranges.flatMap(({ order: own, status, ge, le }): VersionRange[] => {
    const branch = /^(.+)\.\*$/.exec(le ?? '')?.[1]
    const isFix = status === 'unaffected' && own === order && ge !== undefined && branch !== undefined
    const isBefore = isFix && (compareVersions(order, ge, lt) ?? 0) < 0 && (compareVersions(order, branch, ge) ?? 0) < 0
    return isBefore ? [{ order, gt: branch, lt: ge, status: 'unknown' }] : []
  })
  return open.length ? [...ranges, ...open] : ranges
}

function isOpenFix(range: AffectedRange): range is VersionRange {
  if (!isVersionRange(range)) return false
  const { status, ge, gt, le, lt, is, on } = range
  return status === 'unaffected' && ge !== undefined && (gt ?? le ?? lt ?? is ?? on) === undefined
}

const isWithoutStart = ({ status, ge, gt, le, lt, is, on }: VersionRange) =>
  (status ?? ge ?? gt ?? is ?? on) === undefined && (le ?? lt) !== undefined

function sortEnds(ranges: VersionRange[], endIn: (range: VersionRange) => string | undefined): Ended[] {
  if (ranges.length < 2 || ranges.length > maxEnds) return []
  const ends = ranges.flatMap((range): Ended[] => {
    const end = endIn(range) ?? ''
    const [, numbers] = /^v?(\d+(?:\.\d+)*)(?!\.?[*\d])/i.exec(end) ?? []
    return numbers === undefined ? [] : [{ range, end, numbers: numbers.split('.') }]
  })
  return ends.toSorted((a, b) => compareVersions(a.range.order, a.end, b.end) ?? 0)
}

/** Start of the branch of a version that another one stands before: 1.16 for 1.15.15 and 1.16.10. */
export function findBranchStart(before: string, version: string) {
  const [first, second] = [before, version].map((text) => /^v?(\d+(?:\.\d+)+)$/i.exec(text)?.[1]?.split('.'))
  if (!first || !second) return undefined
  const at = second.findIndex((number, place) => Number(number) !== Number(first[place]))
  return at === -1 || at >= first.length ? undefined : second.slice(0, at + 1).join('.')
}

/** The place of the first number in which two differ; -1 where one only goes on, or there is no other. */
function findDiffering({ numbers }: Ended, other: Ended | undefined) {
  const length = Math.min(numbers.length, other?.numbers.length ?? 0)
  return numbers.slice(0, length).findIndex((number, at) => Number(number) !== Number(other?.numbers[at]))
}

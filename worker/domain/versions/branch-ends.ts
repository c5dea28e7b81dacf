import type { AffectedRange, VersionRange } from '../words/record'
import { compareVersions } from './versions'

/** More are left as they stand: only hostile records have so many ends without beginnings. */
const maxEnds = 200

type Ended = { range: VersionRange; end: string; numbers: string[] }

/**
 * Ours, beside CVE Record Format 5.x, docs/versions.md. "8.0.36 and prior" beside "8.3.0 and prior" means two branches, or
 * the first would say nothing (CVE-2024-21160): what lies behind the end of a branch in it is left open, and is likely fixed
 * where the end is the fix.
 */
export function leaveEndedBranchesOpen(ranges: VersionRange[]): VersionRange[] {
  const open = listEndedBranches(ranges)
  return open.length ? [...ranges, ...open] : ranges
}

/** What lies behind the ends in their branches; nothing is called a fix where ends are cut (`areCut`). */
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
 * Ours, too: of several fixes without end each is that of its branch, up to where that of the next begins: 2.13.9 says nothing of
 * 3.2.0 where 3.2.9 is a fix as well (CVE-2023-5675).
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

function isOpenFix(range: AffectedRange): range is VersionRange {
  if (typeof range === 'string' || !('order' in range)) return false
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

/** The place of the first number in which two differ; -1 where one only goes on, or there is no other. */
function findDiffering({ numbers }: Ended, other: Ended | undefined) {
  const length = Math.min(numbers.length, other?.numbers.length ?? 0)
  return numbers.slice(0, length).findIndex((number, at) => Number(number) !== Number(other?.numbers[at]))
}

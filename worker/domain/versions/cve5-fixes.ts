import { findBranch } from './branch'
import type { Cve5Affected, Cve5Version } from './cve5-status'
import { matchRange } from './range-match'
import type { VersionRange } from '../words/record'
import { sortVersions } from './versions'

const hasEnd = ({ lessThan, lessThanOrEqual }: Cve5Version) => (lessThan ?? lessThanOrEqual) !== undefined
const isNumber = (text: string) => /^v?\d+\.\d/i.test(text.trim())

/**
 * GitHub calls all affected by default, and lists the fix of each branch as the only exceptions: a later version of the branch has
 * it, too (CVE-2024-1084: 3.12 and 3.8.15).
 */
export function namesFixesAlone({ defaultStatus, versions = [] }: Cve5Affected) {
  const fixes = versions.flatMap(({ status = 'affected', version, changes = [] }) => [
    ...(status === 'unaffected' ? [version] : []),
    ...changes.flatMap(({ at, status: next }) => (next === 'unaffected' ? at : [])),
  ])
  const isPlain = (one: Cve5Version) =>
    one.status === 'unaffected'
      ? !hasEnd(one) && !one.changes?.length
      : one.status !== 'unknown' && (one.changes ?? []).every(({ status }) => status === 'unaffected')
  return (
    defaultStatus === 'affected' &&
    fixes.length > 0 &&
    fixes.every(isNumber) &&
    versions.every(isPlain) &&
    versions.some((one) => one.status !== 'unaffected' && hasEnd(one))
  )
}

/** Versions left to the default: all before the listed ones. */
export function beforeListed(ranges: VersionRange[]): VersionRange | undefined {
  const affected = ranges.filter(({ status }) => status === undefined)
  const starts = affected.flatMap(({ ge, is }) => ge ?? is ?? [])
  const [order = 'loose', ...others] = new Set(affected.map((range) => range.order))
  const common = others.length ? 'loose' : order
  const [lt] = starts.length < affected.length ? [] : sortVersions(common, starts)
  return lt === undefined ? undefined : { order: common, lt, is_fix_unstated: true }
}

/** Up to the end of its branch, unless it lies within what is affected and nothing ends in its branch. */
export function openFixes(ranges: VersionRange[]): VersionRange[] {
  const affected = ranges.filter(({ status }) => status === undefined)
  const ended = new Set(affected.flatMap(({ le, lt }) => findBranch(le ?? lt ?? '')))
  return ranges.flatMap((range): VersionRange[] => {
    const { order, is, status } = range
    const branch = status === 'unaffected' && is !== undefined ? findBranch(is) : ''
    if (is === undefined || !branch.endsWith('.x')) return [range]
    if (!ended.has(branch) && affected.some((one) => matchRange(one, is).holds)) return [range]
    return [range, { order, ge: is, le: branch.replace(/x$/, '*'), status: 'unaffected', is_guess: true }]
  })
}

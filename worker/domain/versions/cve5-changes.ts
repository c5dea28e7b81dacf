import { findBranchStart } from './branch-ends'
import type { Bounds, VersionOrder, VersionRange } from '../words/record'
import { compareVersions } from './versions'

type Change = { at: string; status: 'affected' | 'unaffected' | 'unknown'; is_guess?: true }
const hotfix = /^(.{0,40}\d\.)(\d{1,6})-h\d{1,6}$/i

/**
 * Palo Alto fixes 10.2.9-h11, 10.2.10-h4 and 10.2.11: a hotfix is of its own release, and 10.2.10 is affected. HashiCorp lists the
 * fix of each branch as a change of one range: 1.15.15 says nothing of 1.16.0 where 1.16.10 is a fix as well (CVE-2024-7594).
 */
export function listChanges(changes: Change[], order: VersionOrder, { lt }: Bounds): Change[] {
  const sorted = changes.toSorted((a, b) => compareVersions(order, a.at, b.at) ?? 0)
  const end: Change[] = lt !== undefined && sorted.length > 1 ? [{ at: lt, status: 'unaffected' }] : []
  const all = [...sorted, ...end]
  return sorted.flatMap((change, at): Change[] => {
    const later = all[at + 1]
    if (change.status !== 'unaffected' || !later) return [change]
    const next = findNext(change, later)
    if (next === undefined || (compareVersions(order, later.at, next) ?? -1) <= 0) return [change]
    return [change, { at: next, status: 'affected', ...(!hotfix.test(change.at) && { is_guess: true }) }]
  })
}

/** End of a fix: with its release where it is a hotfix, else with its branch where the next one is a fix, too. */
function findNext(change: Change, later: Change) {
  const [, branch = '', release] = hotfix.exec(change.at) ?? []
  if (release !== undefined) return `${branch}${Number(release) + 1}`
  return later.status === 'unaffected' ? findBranchStart(change.at, later.at) : undefined
}

/** The end is the first of the fixes where hotfixes are named behind it. */
export function endAtHotfixes(end: Bounds, changes: Change[]): Bounds {
  const last = changes.at(-1)
  const isHotfixed = end.lt !== undefined && changes.some(({ at }) => at === end.lt) && hotfix.test(end.lt)
  return isHotfixed && last ? { lt: last.at } : end
}

/**
 * Nobody speaks of what lies between the last affected version and a fix that does not follow right on it (CVE-2024-22155: 8.5.2 and
 * 8.6.0).
 */
export function leaveGapOpen(order: VersionOrder, last: string | undefined, fix: string): VersionRange[] {
  const [, start = '', number = ''] = /^(.*?)(\d{1,8})$/.exec(last ?? '') ?? []
  if (last === undefined || fix === `${start}${Number(number) + 1}`) return []
  return (compareVersions(order, last, fix) ?? 0) < 0 ? [{ order, gt: last, lt: fix, status: 'unknown' }] : []
}

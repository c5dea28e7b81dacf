import type { Judgement } from './compiled'
import type { VersionOrder } from '../words/record'
import { compareVersions, sortVersions } from './versions'

/** Verdict on a version by one of the vulnerabilities that an upgrade must not run into. */
export type Standing = Pick<Judgement, 'status' | 'is_disputed' | 'fixed_in' | 'first_unlisted'> & { vuln_id: number }
/** `because` are the vulnerabilities that ask for a higher version than `first`, step by step; `still` are those that affect `to`, too. */
type SafeUpgrade = { to: string; because: number[]; still: number[] }

export type OtherVuln = { id: number; cveid: string | null }

/** Each step is higher than the one before; real products need two. */
const maxSteps = 8

/**
 * The lowest version from `first` on that no source calls affected, as far as they name fixes: the fix of one vulnerability may have
 * the next one (2.15.0 of Log4j). Without one the version stays, and `still` says what affects it.
 */
export function findSafeUpgrade(
  first: string,
  order: VersionOrder,
  judge: (version: string) => Standing[],
): SafeUpgrade {
  let found: SafeUpgrade = { to: first, because: [], still: [] }
  for (let step = 0; step < maxSteps; step++) {
    const affecting = judge(found.to).filter(({ status, is_disputed }) => status === 'affected' || is_disputed)
    const still = affecting.map(({ vuln_id }) => vuln_id)
    const isAbove = (version: string) => (compareVersions(order, version, found.to) ?? 0) > 0
    const ends = affecting.flatMap(({ fixed_in, first_unlisted }) => fixed_in ?? first_unlisted ?? [])
    const to = sortVersions(order, ends.filter(isAbove)).at(-1)
    if (to === undefined) return { ...found, still }
    const asking = affecting.filter(({ fixed_in, first_unlisted }) => (fixed_in ?? first_unlisted) === to).slice(0, 1)
    found = { to, because: [...found.because, ...asking.map(({ vuln_id }) => vuln_id)], still }
  }
  return found
}

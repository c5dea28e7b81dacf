import type { VersionRange } from '../words/record'

/** Whether a record is about a package that is itself an attack. Source: OSSF malicious-packages, ids `MAL-<year>-<number>`. */
export const isMaliciousId = (id: string) => id.startsWith('MAL-')

const afterRemoval =
  'replace from another machine each secret that could be read where it ran, and look through those machines since the day it was installed.'

/** Advice to users who have installed one, as no update mends the harm. */
export const maliceAdvice = `This package is malicious; no update mends what it did. Remove it, ${afterRemoval}`
/** The same beside vulnerabilities of other kinds. */
export const maliceAdviceOfSome = `No update mends what a malicious package did: remove it, ${afterRemoval}`

const isEverything = ({ is, ge, gt, le, lt }: VersionRange) => [is, ge, gt, le, lt].every((end) => end === undefined)

/**
 * The malicious versions of a package. If a record says "all" beside some that it names, those named are certain, the others likely.
 * Source: OSV schema, "Evaluation"; records such as MAL-2025-47141.
 */
export function weighMalicious(ranges: VersionRange[]): VersionRange[] {
  const hasNamed = ranges.some((range) => !isEverything(range))
  return ranges.map((range) => (hasNamed && isEverything(range) ? { ...range, is_guess: true } : range))
}

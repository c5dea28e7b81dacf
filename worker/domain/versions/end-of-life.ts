/** How long a release is looked after. `security`: fixes of vulnerabilities alone; `extended`: these too, mostly for money. */
export const supportStates = ['supported', 'security', 'extended', 'ended'] as const
export type SupportState = (typeof supportStates)[number]

/**
 * When a phase ends: the last day (YYYY-MM-DD) that still counts; `true` or `false` where it is over or not and nobody names a day;
 * null where there is no such phase.
 */
export type PhaseEnd = string | boolean | null

/** A release line of a product, such as 3.0 of OpenSSL; `active`, `security` and `extended` tell when that support ends. */
export type Release = {
  name: string
  label: string
  active: PhaseEnd
  security: PhaseEnd
  extended: PhaseEnd
  /** The newest version of it. */
  latest: string | null
}

export type Support = { state: SupportState; until: string | null }

const isOver = (end: PhaseEnd, day: string) => (typeof end === 'string' ? end < day : end === true)
const readDay = (end: PhaseEnd) => (typeof end === 'string' ? end : null)

/**
 * The state of a release on a day (YYYY-MM-DD) and the day until which it lasts, or since which it is over; null where none is
 * named. Booleans of the source are of the day on which it was asked, so that dates count where there are any. Source:
 * endoflife.date, API v1, "eoas", "eol" and "eoes".
 */
export function findSupport({ active, security, extended }: Release, day: string): Support {
  if (!isOver(security, day)) {
    const isActive = active !== null && !isOver(active, day)
    if (active === null) return { state: 'supported', until: readDay(security) }
    return isActive ? { state: 'supported', until: readDay(active) } : { state: 'security', until: readDay(security) }
  }
  if (extended !== null && !isOver(extended, day)) return { state: 'extended', until: readDay(extended) }
  return { state: 'ended', until: readDay(security) }
}

/** The release that a version belongs to: the longest name before a border (`2.12` before `2`, never `1.1` of 1.10). */
export function findReleaseLine<One extends { name: string }>(
  releases: readonly One[],
  version: string,
): One | undefined {
  const asked = version.toLowerCase().replace(/^v(?=\d)/, '')
  return releases
    .filter(({ name }) => asked.startsWith(name.toLowerCase()) && !/^\d/.test(asked.slice(name.length)))
    .reduce<One | undefined>((best, one) => (one.name.length > (best?.name.length ?? 0) ? one : best), undefined)
}

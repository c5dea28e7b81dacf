import { compareVersions } from './versions'

/** How long a release is looked after. `security`: fixes of vulnerabilities alone; `extended`: these too, mostly for money. */
export const supportStates = ['supported', 'security', 'extended', 'ended'] as const
export type SupportState = (typeof supportStates)[number]

/**
 * When a phase ends: the last day (YYYY-MM-DD) that counts; `true` (over) or `false` where nobody names a day; null without such a
 * phase.
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

/** A release as it is on a day; `fixes_until` is the last day of fixes for everybody (YYYY-MM-DD), null where none is named. */
export type ReleaseSupport = Pick<Release, 'name' | 'label' | 'latest'> & Support & { fixes_until: string | null }

const isOver = (end: PhaseEnd, day: string) => (typeof end === 'string' ? end < day : end === true)
const readDay = (end: PhaseEnd) => (typeof end === 'string' ? end : null)

/**
 * The state of a release on a day (YYYY-MM-DD), and the day until which it lasts or since which it is over; null where none is named.
 * Dates count before booleans, which are of the day on which the source was asked. Source: endoflife.date, API v1, "eoas", "eol" and
 * "eoes".
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

export const toReleaseSupport = (release: Release, day: string): ReleaseSupport => ({
  name: release.name,
  label: release.label,
  latest: release.latest,
  fixes_until: readDay(release.security),
  ...findSupport(release, day),
})

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

/** `pinned` names the release that all versions are of, where their own text does not tell. */
export const findOwnRelease = <One extends { name: string }>(
  { releases, pinned }: { releases: readonly One[]; pinned: string | null },
  version: string,
) => (pinned === null ? findReleaseLine(releases, version) : releases.find(({ name }) => name === pinned))

/** Days before the end of support from which on it is told. */
export const soonDays = 90

/** So many days before the last day of fixes it is told, and once that day is over (0). */
export const endStages = [90, 30, 0] as const
export type EndStage = (typeof endStages)[number]
/** An end so many days ago is no news. */
const newsDays = 30

const dayNumber = (day: string) => Date.parse(`${day}T00:00:00Z`) / 86_400_000

/** How far the end of support is (days as YYYY-MM-DD, `ends_on` is the last that counts); null where it is not to be told. */
export function findEndStage(ends_on: string, today: string): EndStage | null {
  const left = dayNumber(ends_on) - dayNumber(today)
  if (left < 0) return left >= -newsDays ? 0 : null
  return left <= 30 ? 30 : left <= 90 ? 90 : null
}

/** Whether everybody gets fixes of vulnerabilities beyond a day (YYYY-MM-DD), as far as anybody says. */
const isMendedBeyond = (day: string, { state, fixes_until }: ReleaseSupport) =>
  (state === 'supported' || state === 'security') && (fixes_until === null || fixes_until > day)

/** Whether everybody gets fixes until the day `soon` (YYYY-MM-DD) and longer. */
export const isEnding = (release: ReleaseSupport, soon: string) => !isMendedBeyond(soon, release)

/** By their newest versions, where both are known: 2 of Log4j is later than its 2.12. */
const compareReleases = (a: ReleaseSupport, b: ReleaseSupport) =>
  (a.latest && b.latest ? compareVersions('loose', a.latest, b.latest) : compareVersions('loose', a.name, b.name)) ?? 0

/**
 * Successor of a release: the nearest later one with fixes beyond the day `soon` (YYYY-MM-DD), else the nearest with any; undefined
 * without one.
 */
export function findSuccessor(releases: readonly ReleaseSupport[], own: ReleaseSupport, soon: string) {
  const later = releases
    .filter((one) => isMendedBeyond('', one) && compareReleases(one, own) > 0)
    .toSorted(compareReleases)
  return later.find((release) => isMendedBeyond(soon, release)) ?? later[0]
}

const untilWords = (day: string | null) => (day === null ? '' : ` until ${day}`)

/** In words, with the release to go to: '3.0 ended on 2026-09-07: no fix will come; 3.5 is supported until 2030-04-08'. */
export const describeSupport = (release: ReleaseSupport, next: ReleaseSupport | null) =>
  [describeRelease(release), ...(next ? [describeRelease(next)] : [])].join('; ')

function describeRelease({ label, state, until, fixes_until }: ReleaseSupport) {
  const ended = fixes_until === null ? `${label} ended` : `${label} ended on ${fixes_until}`
  if (state === 'ended') return `${ended}: no fix will come`
  if (state === 'extended') return `${ended}: fixes come by extended support alone${untilWords(until)}`
  if (state === 'security') return `${label} gets security fixes alone${untilWords(fixes_until)}`
  return `${label} is supported${untilWords(fixes_until)}`
}

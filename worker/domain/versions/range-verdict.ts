import type { AffectedStatus, Confidence } from './affected-status'
import { isVersionRange } from './range'
import { isNarrowerRange, isUnbounded, namedVersions, newMatcher, namesNoVersion, toInterval } from './range-match'
import type { Match, Matcher } from './range-match'
import type { AffectedRange, VersionOrder } from '../words/record'
import { isVersion } from './versions'
import { isOnRelease } from '../names/purl-release'
import { upstreamVersion } from './orders/upstream'

/** `range` decided it, or could not be read; null when none speaks of the version. */
export type Verdict = { status: AffectedStatus; confidence: Confidence; range: AffectedRange | null }

export const unknownVerdict: Verdict = { status: 'unknown', confidence: 'name_only', range: null }

/**
 * Verdict of the ranges of one source on a version: the narrowest that holds it decides, and affected wins where none is the
 * narrower. Held by none it is not affected, or unknown while one cannot be read; no range at all names the product alone. `on` is
 * the release of a distribution; without it each counts, and affected wins. `match` may remember. A distribution's build is also
 * tried as its upstream version where the ranges are about that: Debian's 5.6.1-1 is likely 5.6.1 (CVE-2024-3094).
 */
export function judgeVersion(
  version: string,
  ranges: AffectedRange[],
  on?: string,
  match = newMatcher(version),
): Verdict {
  const spoken = ranges.filter(isBySummary)
  if (!spoken.length) return judgeStated(version, ranges, on, match)
  const stated = ranges.filter((range) => !isBySummary(range))
  const verdict = judgeStated(version, stated, on, match)
  const isLeftOut = verdict.status === 'not_affected' && (verdict.range === null || isUnbounded(verdict.range))
  const holding = isLeftOut && spoken.find((range) => match(range).holds)
  return holding ? { ...unknownVerdict, range: holding } : verdict
}

/** Words open what a list leaves out, and change nothing else. */
export const isBySummary = (range: AffectedRange) => isVersionRange(range) && range.is_by_summary === true

function judgeStated(version: string, ranges: AffectedRange[], on: string | undefined, match: Matcher): Verdict {
  const verdict = verdictByRanges(version, ranges, on, match)
  const mayBeBuild = verdict.status !== 'affected' && isBuild(version, ranges) && isAboutUpstream(ranges)
  const upstream = mayBeBuild ? upstreamVersion(version) : null
  if (upstream === null) return verdict
  const ofUpstream = verdictByRanges(upstream, ranges, on, newMatcher(upstream))
  if (ofUpstream.status !== 'affected' && verdict.status !== 'unknown') return verdict
  return ofUpstream.confidence === 'confirmed' ? { ...ofUpstream, confidence: 'likely' } : ofUpstream
}

const distributions = new Set<VersionOrder>(['deb', 'rpm', 'apk', 'alpm'])
/** A bound with a revision or an epoch: compare with it. */
const hasRevision = /-\w|^\d+:/

const isAboutUpstream = (ranges: AffectedRange[]) =>
  ranges.every(
    (range) =>
      !distributions.has(toInterval(range).order) && !namedVersions(range).some((text) => hasRevision.test(text)),
  )

// In an order of a standard a hyphen has a meaning of its own: there only the mark of a distribution tells a build.
const isBuild = (version: string, ranges: AffectedRange[]) =>
  ranges.every((range) => toInterval(range).order === 'loose') || distributionMark.test(version)
const distributionMark = /^\d+:|[+~](?:dfsg|really|deb\d|ubuntu)|\.(?:el|fc|amzn)\d/

function verdictByRanges(version: string, ranges: AffectedRange[], on: string | undefined, match: Matcher): Verdict {
  if (!ranges.length) return unknownVerdict
  const byPlace = Map.groupBy(ranges, rangeRelease)
  const everywhere = byPlace.get(undefined) ?? []
  byPlace.delete(undefined)
  if (!byPlace.size) return verdictAt(version, ranges, match)
  if (byPlace.size * everywhere.length > maxPlaced) return unknownVerdict

  const own = on === undefined ? undefined : byPlace.get(on)
  if (own) return verdictAt(version, [...everywhere, ...own], match)
  const verdicts = findOwnBranch(version, findOtherPlaces(byPlace, on)).map((others) =>
    verdictAt(version, [...everywhere, ...others], match),
  )
  const [worst = unknownVerdict] = verdicts.sort((a, b) => rankSeverity(a) - rankSeverity(b))
  return worst.confidence === 'confirmed' ? { ...worst, confidence: 'likely' } : worst
}

/** Those of the streams of a release that has no package of that name itself; of any release where none is said. */
function findOtherPlaces(byPlace: Map<string | undefined, AffectedRange[]>, on: string | undefined) {
  const places = [...byPlace].flatMap(([place, ranges]) =>
    place && (on === undefined || isOnRelease(place, on)) ? [ranges] : [],
  )
  return places.length ? places : [[]]
}

/** An image of 4.14 is fixed by the build of that branch: the fixes of 4.15 say nothing of it (CVE-2024-34156). */
function findOwnBranch(version: string, places: AffectedRange[][]) {
  const [, branch] = /^v?(\d+\.\d+\.)/i.exec(version) ?? []
  if (branch === undefined || places.length < 2) return places
  const isOwn = (ranges: AffectedRange[]) =>
    listLooseEnds(ranges).some((end) => end.replace(/^v/i, '').startsWith(branch))
  return places.some(isOwn) ? places.filter((ranges) => isOwn(ranges) || !listLooseEnds(ranges).length) : places
}

const listLooseEnds = (ranges: AffectedRange[]) =>
  ranges.map(toInterval).flatMap(({ order, bounds: { lt } }) => (order === 'loose' ? (lt ?? []) : []))

/** Ranges of no release count in each release: so many are matched, and more only hostile records have. */
const maxPlaced = 20_000

/** The lower, the worse. */
export const rankSeverity = ({ status }: Verdict) => ['affected', 'unknown', 'not_affected'].indexOf(status)

/** Status that a range gives the versions that it holds. */
export const rangeStatus = (range: AffectedRange) => (isVersionRange(range) ? range.status : undefined) ?? 'affected'
/** The release of a distribution that a range speaks of; undefined where it speaks of every version. */
export const rangeRelease = (range: AffectedRange) => (isVersionRange(range) ? range.on : undefined)

const isOfCommits = (range: AffectedRange) => isVersionRange(range) && range.order === 'git'

function verdictAt(version: string, all: AffectedRange[], match: Matcher): Verdict {
  const verdict = verdictByMatches(version, all, match)
  if (verdict.status !== 'not_affected') return verdict
  if (isReleaseName(version) && all.every(isOfBuilds)) return { ...unknownVerdict, range: all[0] ?? null }
  const [, branch] = branchAlone.exec(version) ?? []
  const within = branch === undefined ? undefined : all.find((range) => namesRelease(range, branch))
  return within === undefined ? verdict : { ...unknownVerdict, range: within }
}

/**
 * Microsoft names releases by a year or half of one: 1809 and 2019 are none of the builds 10.0.17763 and its like, and not above
 * them.
 */
export const isReleaseName = (version: string) => /^(?:\d{4}|\d\dh[12])$/i.test(version)

function isOfBuilds(range: AffectedRange) {
  const named = namedVersions(range)
  return named.some((text) => text !== '0') && named.every((text) => /^(?:0$|\d{1,2}\.\d)/.test(text))
}

/** Junos and products that Ivanti took over number releases within a branch: 21.1 is none of them, 21.1R1 is its first. */
const branchAlone = /^v?(\d+\.\d+)(?:-evo)?$/i
const release = /^ ?r\d/i

/** A branch that is named alone may be any of its releases, so that one of these in a range leaves it open. */
const namesRelease = (range: AffectedRange, branch: string) =>
  namedVersions(range).some(
    (text) => text.startsWith(branch) && release.test(text.slice(branch.length, branch.length + 3)),
  )

function verdictByMatches(version: string, all: AffectedRange[], match: Matcher): Verdict {
  const isCommit = isVersion('git', version) && !isVersion('loose', version)
  const matches = all
    .filter((range) => (isCommit ? isOfCommits(range) || namesNoVersion(range) : !isOfCommits(range)))
    .map((range) => ({ range, ...match(range) }))
  const held = matches.filter(({ holds }) => holds)
  const [first, ...others] = held
  if (!first) return verdictOfNone(matches)

  const chosen = others.reduce((best, one) => (isChosen(one.range, best.range) ? one : best), first)
  const status = rangeStatus(chosen.range)
  const unread = status === 'unaffected' && isUnbounded(chosen.range) && matches.find(isUnreadAffected)
  if (unread) return { ...unknownVerdict, range: unread.range }
  const isSure = chosen.is_sure && matches.every(({ range, is_sure }) => is_sure || rangeStatus(range) === status)
  if (namesNoVersion(chosen.range)) return { ...unknownVerdict, range: chosen.range }
  const confidence = isSure ? 'confirmed' : 'likely'
  return { status: status === 'unaffected' ? 'not_affected' : status, confidence, range: chosen.range }
}

function isChosen(range: AffectedRange, best: AffectedRange) {
  if (isNarrowerRange(range, best)) return true
  return rangeStatus(range) === 'affected' && rangeStatus(best) !== 'affected' && !isNarrowerRange(best, range)
}

type RangeMatch = Match & { range: AffectedRange }
const isUnreadAffected = ({ range, holds, is_sure }: RangeMatch) =>
  holds === null && !is_sure && rangeStatus(range) === 'affected'

function verdictOfNone(matches: RangeMatch[]): Verdict {
  const affected = matches.filter(({ range }) => rangeStatus(range) === 'affected')
  const unread = affected.find(isUnreadAffected)
  if (unread) return { ...unknownVerdict, range: unread.range }
  const decided = affected.filter(({ holds }) => holds === false)
  if (decided.every(({ is_other_kind }) => is_other_kind)) return unknownVerdict
  const isSure = decided.every(({ is_sure }) => is_sure)
  return { status: 'not_affected', confidence: isSure ? 'confirmed' : 'likely', range: null }
}

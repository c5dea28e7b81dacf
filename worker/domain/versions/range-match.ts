import { findBranch } from './branch'
import { parseTail } from '../names/cpe'
import { compareAttributes } from './cpe-match'
import type { AffectedRange, Bounds, VersionOrder, VersionRange } from '../words/record'
import { isVersionRange } from './range'
import { branchWildcard, highest, isNarrower, isWithin, lowest } from './version-bounds'
import { compareVersions, isVersion } from './versions'
import { isEarlyWord, isSentence } from './orders/loose'
import { listSpellings, type Spelling } from './orders/spellings'

/**
 * Whether a range holds a version (null: that cannot be said), and whether this is certain. `is_other_kind` where one is a name
 * (`r2`) and the other a number: they differ, which says nothing of numbers where no range names one.
 */
export type Match = { holds: boolean | null; is_sure: boolean; is_other_kind?: true }

/** A range as an interval of its order, or as one version. */
type Span = { order: VersionOrder; bounds: Bounds; is?: string }

const yes: Match = { holds: true, is_sure: true }
const no: Match = { holds: false, is_sure: true }
const another: Match = { holds: false, is_sure: false }
const otherKind: Match = { holds: false, is_sure: false, is_other_kind: true }
const unreadable: Match = { holds: null, is_sure: false }
/** CPE's NA is no version, and says nothing of any (NISTIR 7696). */
const notVersioned: Match = { holds: null, is_sure: true }

/** Certain: the order of a standard, the loose one between plain numbers, and the same text. All else is likely: that two texts differ, too. */
export function matchRange(range: AffectedRange, version: string): Match {
  const [, ownUpdate = ''] = versionless.exec(version) ?? []
  if (version === '-' || ownUpdate) return matchVersionless(range, ownUpdate)
  if (typeof range === 'string') return matchTail(range, version)
  if (!('cpe' in range)) {
    const match =
      range.is === undefined ? matchBounds(range.order, range, version) : matchExact(range.order, range.is, version)
    return range.is_guess && match.holds ? { ...match, is_sure: false } : match
  }

  const named = matchTail(range.cpe, version)
  const bounded = matchBounds('loose', readCpeBounds(range), version)
  if (named === notVersioned || named.holds === false) return named
  return named.holds ? { ...bounded, is_sure: named.is_sure && bounded.is_sure } : unreadable
}

/** `- sp1`: NVD's text for Windows 7 SP1, which has no version. */
const versionless = /^- (\S.*)$/

/** NA is NA alone (NISTIR 7696, table 6-2), and may have any update where none is said; of versions it tells nothing. */
function matchVersionless(range: AffectedRange, own: string): Match {
  if (typeof range !== 'string') return 'order' in range && isUnbounded(range) ? yes : unreadable
  const { version, update } = parseTail(range)
  if (version === '*' || anyVersion.test(version)) return yes
  if (version !== '-' && !noVersion.test(version)) return unreadable
  if (update === '*' || folded(update) === folded(own)) return yes
  return own ? no : unreadable
}

/** NVD writes "up to 1.5.0 update35" as a bound and an update: both are one version. */
function readCpeBounds(range: Exclude<AffectedRange, string | VersionRange>): Bounds {
  if (range.le === undefined) return range
  const { update } = parseTail(range.cpe)
  return saysUpdate(update) ? { ...range, le: `${range.le} ${update}` } : range
}

const saysUpdate = (update: string) => update !== '*' && update !== '-' && !noVersion.test(update)

export type Matcher = (range: AffectedRange) => Match

/** Matches ranges with one version; `isRemembering` for many ranges, in which the same tails of CPE names stand again and again. */
export function newMatcher(version: string, isRemembering = false): Matcher {
  const known = new Map<AffectedRange, Match>()
  const spellings = listSpellings(version)
  return (range) => {
    const found = known.get(range) ?? matchBuild(range, version, matchSpelled(range, version, spellings))
    if (isRemembering && typeof range === 'string') known.set(range, found)
    return found
  }
}

const localOfPypi = /^([^+]+)\+[a-z0-9][a-z0-9._-]*$/i

/**
 * A build of a public version (`2.5.1+cu121` of PyTorch) is likely matched as that version where the range names no build. Source:
 * PEP 440, "Version matching" and "Inclusive ordered comparison".
 */
function matchBuild(range: AffectedRange, version: string, match: Match): Match {
  if (!isVersionRange(range) || range.order !== 'pypi') return match
  const [, released] = localOfPypi.exec(version) ?? []
  if (released === undefined || namedVersions(range).some((text) => text.includes('+'))) return match
  const asReleased = matchRange(range, released)
  return asReleased.holds === match.holds ? match : { ...asReleased, is_sure: false }
}

/** In the spelling that the range itself uses. */
function matchSpelled(range: AffectedRange, version: string, spellings: Spelling[]): Match {
  if (!spellings.length) return matchRange(range, version)
  const named = namedVersions(range)
  const isUsed = ({ isUsedIn, drops }: Spelling) =>
    named.some((text) => isUsedIn.test(text)) && !(drops && named.some((text) => drops.test(text)))
  const used = spellings.find(isUsed)
  const match = matchRange(range, used?.version ?? version)
  return used?.drops ? { ...match, is_sure: false } : match
}

export function toInterval(range: AffectedRange): Span {
  if (typeof range !== 'string') {
    if ('cpe' in range) return { order: 'loose', bounds: readCpeBounds(range) }
    return { order: range.order, bounds: range, ...(range.is !== undefined && { is: range.is }) }
  }
  const { version, update } = parseTail(range)
  if (version === '*' || version === '-') return { order: 'loose', bounds: {} }
  return { order: 'loose', bounds: {}, is: update === '*' || update === '-' ? version : `${version} ${update}` }
}

/** The versions that a range names: an exact one, and its bounds. */
export function namedVersions(range: AffectedRange) {
  const { is, bounds } = toInterval(range)
  return [...(is === undefined ? [] : [is]), ...boundsIn(bounds)]
}

/** Whether `a` says something of fewer versions than `b`, all of which are among those of `b`. */
export function isNarrowerRange(a: AffectedRange, b: AffectedRange) {
  const [inner, outer] = [toInterval(a), toInterval(b)]
  if (inner.is !== undefined || outer.is !== undefined) return outer.is === undefined
  return isNarrower(inner.order === outer.order ? inner.order : 'loose', inner.bounds, outer.bounds)
}

/** All versions: without bounds, and none by name. */
export const isUnbounded = (range: AffectedRange) => namedVersions(range).length === 0

const boundsIn = ({ ge, gt, le, lt }: Bounds) => [ge, gt, le, lt].filter((bound) => bound !== undefined)

/** A CPE name without version or bounds: the product as a whole. */
export const namesNoVersion = (range: AffectedRange) => typeof range === 'string' && parseTail(range).version === '*'

function matchTail(tail: string, version: string): Match {
  const { version: named, update } = parseTail(tail)
  if (named === '*' || anyVersion.test(named)) return yes
  const isUpdated = update !== '*' && update !== '-'
  const isSame = folded(isUpdated ? named + update : named) === folded(version)
  if (named === '-' || (noVersion.test(named) && !isSame)) return notVersioned
  if (isUpdated) return matchUpdated(named, update, version)
  if (wildcard.test(named) && !branchWildcard.test(named))
    return compareAttributes(named, version.toLowerCase()) === 'superset' ? yes : no
  const exact = disjoint(matchExact('loose', named, version), named, version)
  return !exact.holds && update === '*' && isSameUpdate(named, version) ? { holds: true, is_sure: false } : exact
}

/** A version without its update may be any of its updates (SUBSET of NISTIR 7696), but a release is none of its betas. */
function matchUpdated(named: string, update: string, version: string): Match {
  const match = disjoint(matchExact('loose', `${named} ${update}`, version), named, version)
  if (match.holds || !matchExact('loose', named, version).holds) return match
  return { holds: !isEarlyWord(update), is_sure: false }
}

// Words in old CPE names, from before CPE had signs for them.
const anyVersion = /^(?:all|any)(?:_versions?)?$/
const noVersion = /^(?:_nil_|nil|none|null|undefined|unknown|unspecified)$/

// Two values of an attribute that differ are disjoint, readable or not (NISTIR 7696, table 6-2): `trunk` is no 4.5.0. But
// `4.6_before_patch_1767` is a sentence about many.
const disjoint = (match: Match, named: string, version: string) =>
  match === unreadable && isVersion('loose', version) && !isSentence(named) ? otherKind : match

function matchExact(order: VersionOrder, is: string, version: string): Match {
  if (branchWildcard.test(is)) return matchBounds(order, { ge: is, le: is }, version)
  const ordered = compareVersions(order, version, is)
  const sign = ordered ?? (isGuessed(order) ? compareVersions('loose', version, is) : null)
  if (!sign && folded(is) === folded(version)) return yes
  if (sign !== null) return { holds: sign === 0, is_sure: ordered !== null && isStandard(order, [is, version]) }
  if (!isReadable(order, version)) return unreadable
  if (isReadable(order, is)) return beginsByNumber(is) === beginsByNumber(version) ? another : otherKind
  return isName(order, is) ? otherKind : unreadable
}

const beginsByNumber = (text: string) => /^\s*v?\d/i.test(text)

const isReadable = (order: VersionOrder, text: string) => isVersion(order, text) || isVersion('loose', text)

// A tag or branch (`trunk`) that OSV enumerates; a text in its place in a CVE record may be a sentence about many.
const isName = (order: VersionOrder, text: string) => order !== 'loose' && /^\S+$/.test(text)

function matchBounds(order: VersionOrder, bounds: Bounds, version: string): Match {
  const named = boundsIn(bounds)
  if (!named.length) return yes
  const holds = order === 'git' ? ofCommits(bounds, version) : isWithin(order, version, bounds)
  // A wrong exception takes nothing back (CVE-2024-0010: unaffected from 11.0 to below 10.1.10-h1).
  if (holds === false && !('status' in bounds) && isInverted(order, bounds))
    return matchInverted(order, bounds, version)
  if (holds !== null) return { holds, is_sure: isStandard(order, [version, ...named]) }
  return isGuessed(order) ? { holds: isWithin('loose', version, bounds), is_sure: false } : unreadable
}

/** Whether it begins above its end: `>= 17.3, < 17.2.5`. */
export function isInverted(order: VersionOrder, { ge, gt, le, lt }: Bounds) {
  const [start, end] = [ge ?? gt, le ?? lt]
  if (start === undefined || end === undefined || order === 'git') return false
  return (compareVersions(order, lowest(start), le === undefined ? lowest(end) : highest(end)) ?? 0) > 0
}

/**
 * One of the bounds is wrong, or the order is (5.4.4 to 5.4.4-132 of Acronis is no pre-release). The start, and versions of the end's
 * branch below the end, are affected; those between are unknown.
 */
function matchInverted(order: VersionOrder, bounds: Bounds, version: string): Match {
  const { ge, gt, le, lt } = bounds
  if ([ge, le].some((bound) => bound !== undefined && matchExact(order, bound, version).holds)) return yes
  const isHeld = (own: Bounds) => isWithin('loose', version, own)
  if (order !== 'loose' && !isInverted('loose', bounds)) return { holds: isHeld(bounds), is_sure: false }
  const end = le === undefined ? { lt } : { le }
  const branch = findBranch(le ?? lt ?? '').replace(/x$/, '*')
  if (isHeld({ ge: branch, le: branch })) return { holds: isHeld(end), is_sure: false }
  return isHeld({ lt: ge ?? gt }) && isHeld(end) === false ? unreadable : no
}

// Whether the loose order may compare what this order cannot read.
const isGuessed = (order: VersionOrder) => order !== 'git' && order !== 'unordered'

// The commit that introduced it is affected and the one that fixes it is not; of the others the history would tell.
function ofCommits({ ge, lt }: Bounds, commit: string) {
  if (ge !== undefined && compareVersions('git', ge, commit) === 0) return true
  return lt !== undefined && compareVersions('git', lt, commit) === 0 ? false : null
}

const isStandard = (order: VersionOrder, texts: string[]) =>
  order !== 'loose' || texts.every((text) => /^v?\d+(?:\.\d+)*(?:\.\*)?$/i.test(text))

const wildcard = /^[*?]|(?<!\\)[*?]$/
const withoutV = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, '')
const folded = (text: string) => withoutV(text).replace(/[\s_-]+/g, '')

// ANY update of 1.0.1 is its beta1 too, but not 1.0.1a, which is another version.
function isSameUpdate(named: string, version: string) {
  if (!version.includes(named)) return false
  const plain = withoutV(version)
  return plain.startsWith(named) && updateWords.test(plain.slice(named.length))
}
const updateWords =
  /^[-_. ]?(?:(?:alpha|beta|rc|cr|pre|dev|snapshot|milestone|patch|update|sp|hotfix|hf)[-_. ]?\d*|[pu]\d+)$/

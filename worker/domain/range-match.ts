import { parseTail } from './cpe'
import { compareAttributes } from './cpe-match'
import type { AffectedRange, Bounds, VersionOrder } from './record'
import { branchWildcard, isNarrower, isWithin } from './version-bounds'
import { compareVersions, isVersion } from './versions'
import { isSentence } from './versions/loose'

/**
 * Whether a range holds a version (null: that cannot be said), and whether this is certain. `is_other_kind` where the range is a
 * name (`r2`) and the version a number: they differ, which says nothing of numbers where no range names one.
 */
export type Match = { holds: boolean | null; is_sure: boolean; is_other_kind?: true }

/** A range as an interval of its order, or as one version. */
type Span = { order: VersionOrder; bounds: Bounds; is?: string }

const yes: Match = { holds: true, is_sure: true }
const no: Match = { holds: false, is_sure: true }
const otherKind: Match = { ...no, is_other_kind: true }
const unreadable: Match = { holds: null, is_sure: false }
/** CPE's NA is no version, and says nothing of any (NISTIR 7696). */
const notVersioned: Match = { holds: null, is_sure: true }

/** Certain: the order of a standard, the loose one between plain numbers, and the same text. The loose order is likely otherwise. */
export function matchRange(range: AffectedRange, version: string): Match {
  if (typeof range === 'string') return matchTail(range, version)
  if (!('cpe' in range))
    return range.is === undefined
      ? matchBounds(range.order, range, version)
      : matchExact(range.order, range.is, version)

  const named = matchTail(range.cpe, version)
  const bounded = matchBounds('loose', range, version)
  if (named === notVersioned || named.holds === false) return named
  return named.holds ? { ...bounded, is_sure: named.is_sure && bounded.is_sure } : unreadable
}

export type Matcher = (range: AffectedRange) => Match

/** Matches ranges with one version; `isRemembering` for many ranges, in which the same tails of CPE names stand again and again. */
export function newMatcher(version: string, isRemembering = false): Matcher {
  const known = new Map<AffectedRange, Match>()
  return (range) => {
    const found = known.get(range) ?? matchRange(range, version)
    if (isRemembering && typeof range === 'string') known.set(range, found)
    return found
  }
}

/** The versions that a range names: one, or its bounds. */
export function toInterval(range: AffectedRange): Span {
  if (typeof range !== 'string') {
    if ('cpe' in range) return { order: 'loose', bounds: range }
    return { order: range.order, bounds: range, ...(range.is !== undefined && { is: range.is }) }
  }
  const { version, update } = parseTail(range)
  if (version === '*' || version === '-') return { order: 'loose', bounds: {} }
  return { order: 'loose', bounds: {}, is: update === '*' || update === '-' ? version : `${version} ${update}` }
}

/** Whether `a` says something of fewer versions than `b`, all of which are among those of `b`. */
export function isNarrowerRange(a: AffectedRange, b: AffectedRange) {
  const [inner, outer] = [toInterval(a), toInterval(b)]
  if (inner.is !== undefined || outer.is !== undefined) return outer.is === undefined
  return isNarrower(inner.order === outer.order ? inner.order : 'loose', inner.bounds, outer.bounds)
}

/** All versions: without bounds, and none by name. */
export function isUnbounded(range: AffectedRange) {
  const { is, bounds } = toInterval(range)
  return is === undefined && boundsIn(bounds).length === 0
}

const boundsIn = ({ ge, gt, le, lt }: Bounds) => [ge, gt, le, lt].filter((bound) => bound !== undefined)

/** A CPE name without version or bounds: the product as a whole. */
export const namesNoVersion = (range: AffectedRange) => typeof range === 'string' && parseTail(range).version === '*'

function matchTail(tail: string, version: string): Match {
  const { version: named, update } = parseTail(tail)
  if (named === '*' || anyVersion.test(named)) return yes
  const isUpdated = update !== '*' && update !== '-'
  const isSame = folded(isUpdated ? named + update : named) === folded(version)
  if (named === '-' || (noVersion.test(named) && !isSame)) return notVersioned
  if (isUpdated) return disjoint(matchExact('loose', `${named} ${update}`, version), named, version)
  if (wildcard.test(named) && !branchWildcard.test(named))
    return compareAttributes(named, version.toLowerCase()) === 'superset' ? yes : no
  const exact = disjoint(matchExact('loose', named, version), named, version)
  return !exact.holds && update === '*' && isSameUpdate(named, version) ? { holds: true, is_sure: false } : exact
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
  const sign = compareVersions(order, version, is) ?? (isGuessed(order) ? compareVersions('loose', version, is) : null)
  if (sign !== null && sign !== 0) return no
  if (folded(is) === folded(version)) return yes
  if (sign === 0) return { holds: true, is_sure: isStandard(order, [is, version]) }
  if (!isReadable(order, version)) return unreadable
  if (isReadable(order, is)) return sign === null && beginsByNumber(is) !== beginsByNumber(version) ? otherKind : no
  return isName(order, is) ? otherKind : unreadable
}

const beginsByNumber = (text: string) => /^\s*v?\d/i.test(text)

const isReadable = (order: VersionOrder, text: string) => isVersion(order, text) || isVersion('loose', text)

// A tag or branch (`trunk`) that OSV enumerates; what stands in a CVE record in its place may be a sentence about many.
const isName = (order: VersionOrder, text: string) => order !== 'loose' && /^\S+$/.test(text)

function matchBounds(order: VersionOrder, bounds: Bounds, version: string): Match {
  const named = boundsIn(bounds)
  if (!named.length) return yes
  const holds = order === 'git' ? ofCommits(bounds, version) : isWithin(order, version, bounds)
  if (holds !== null) return { holds, is_sure: isStandard(order, [version, ...named]) }
  return isGuessed(order) ? { holds: isWithin('loose', version, bounds), is_sure: false } : unreadable
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

import { confidences } from './affected-status'
import { findBranchEnd } from './branch'
import { findPassedEnd, isCorrecting, withoutEchoes } from './corrections'
import { findOtherKind, type CpeKind } from './cpe-match'
import { isVersionRange } from './range'
import { isInverted, matchRange, namedVersions, newMatcher, toInterval, type Matcher } from './range-match'
import { isOnRelease } from '../names/purl-release'
import { isBySummary, rangeRelease, rankSeverity, rangeStatus, unknownVerdict, judgeVersion } from './range-verdict'
import type { Verdict } from './range-verdict'
import { parseSource, summarySource } from '../words/record'
import type { AffectedRange, Source, SourceKey, VersionOrder } from '../words/record'
import type { RunVerdict } from './verdict'
import { compareVersions, sortVersions } from './versions'

/** Statement of a source on one product or package. */
export type Statement = { source: SourceKey; ranges: AffectedRange[] }
/**
 * `fixed_in` is the lowest version above that the source names as a fix; `first_unlisted` the lowest above that it merely does not
 * list as affected (`< 2.0` of NVD and of most CNAs).
 */
type SourceVerdict = Verdict & {
  source: SourceKey
  fixed_in: string | null
  first_unlisted: string | null
  /** Why it is not what its ranges say by the letter, as a sentence. */
  reason: string | null
}
/** The verdict that counts, whose it is, and those of all. `is_disputed` when some source says otherwise of the version. */
export type Answer = Verdict & {
  source: SourceKey | null
  fixed_in: string | null
  first_unlisted: string | null
  reason: string | null
  is_disputed: boolean
  by: SourceVerdict[]
}

/** Order of belief between equally certain sources: curated ones before collected ones. */
const precedence: readonly Source[] = ['manual', 'overrides', 'ghsa', 'osv', 'redhat', 'nvd', 'cve']
/** In these sources the end of a range is the fix. */
const fixNaming: readonly Source[] = ['manual', 'ghsa', 'osv', 'redhat']

/**
 * Whether a version is affected, by which range of which source, and what fixes it. Statements that name versions come before those
 * of a name alone, confirmed before likely ones, and then `precedence` decides; of one source whichever says affected. If sources
 * disagree, "not affected" counts only as a correction by hand; else "affected" does, as likely. The fix is that of the best source
 * that names one. `on` is the release of a distribution; without it any counts. `kind` is what the CPE name says beside its version:
 * ranges of another kind do not count. `matcherFor` may remember matches of a version.
 */
export function judgeStatements(version: string, statements: Statement[], beside: Beside = {}): Answer {
  const judged = statements.map((statement) => verdictOfSource(version, statement, beside))
  const by = withoutEchoes(judged, statements)
  const { ranked, chosen, is_disputed } = decide(by)
  if (!chosen)
    return { ...unknownVerdict, source: null, fixed_in: null, first_unlisted: null, reason: null, is_disputed, by }
  const findFirst = (field: 'fixed_in' | 'first_unlisted') =>
    (chosen.status !== 'not_affected' && ranked.find((verdict) => verdict[field] !== null)?.[field]) || null
  const fixed_in = findFirst('fixed_in')
  return {
    ...chosen,
    reason: chosen.status === 'affected' ? null : (ranked.find(({ reason }) => reason !== null)?.reason ?? null),
    fixed_in,
    first_unlisted: fixed_in === null ? findFirst('first_unlisted') : null,
    is_disputed,
    by,
  }
}

function decide<One extends SourcedVerdict>(by: One[]) {
  const ranked = ranking(by)
  const [first] = ranked
  const versioned = ranked.filter(({ status }) => status !== 'unknown')
  const affected = versioned.find(({ status }) => status === 'affected')
  const is_disputed =
    by.some(({ range }) => range !== null && isVersionRange(range) && range.is_disputed) ||
    (affected !== undefined && versioned.some(({ status }) => status === 'not_affected'))
  const isOverruled = is_disputed && first?.status === 'not_affected' && !isCorrecting(first)
  const chosen = isOverruled && affected ? { ...affected, confidence: 'likely' as const } : first
  return { ranked, chosen, is_disputed }
}

/** Verdict of one source. */
type SourcedVerdict = Verdict & { source: SourceKey }

/** The verdict on a version that runs; unknown where the sources name the product without versions. */
export function toRunVerdict({ status, confidence }: Pick<Verdict, 'status' | 'confidence'>): RunVerdict {
  if (status !== 'affected') return status
  return confidence === 'name_only' ? 'unknown' : confidence
}

/**
 * The verdict of ranges, as their source's. A version that an element of CVE 5 does not name has its `defaultStatus`, a range if
 * given and else unknown (CVE Record Format, docs/versions.md); but behind the end of an exclusive range, in its branch, is likely
 * the fix. A summary speaks of the versions that it names alone, and never for certain.
 */
export function judgeBySource(
  version: string,
  { source, ranges }: Statement,
  { on, matcherFor = newMatcher }: Beside = {},
): SourcedVerdict {
  const verdict = judgeVersion(version, ranges, on, matcherFor(version))
  const isLeftOpen =
    verdict.status === 'not_affected' && verdict.range === null && ['cve', summarySource].includes(parseSource(source))
  if (!isLeftOpen) {
    const passed = verdict.status === 'not_affected' && verdict.range === null && findPassedEnd(source, ranges, version)
    if (passed) return { ...verdict, confidence: 'likely', range: passed, source }
    const isWordsAlone = source === summarySource && verdict.confidence === 'confirmed'
    return { ...verdict, ...(isWordsAlone && { confidence: 'likely' }), source }
  }
  const passed = ranges.find((range) => isBehindEnd(range, version))
  return passed ? { ...verdict, confidence: 'likely', range: passed, source } : { ...unknownVerdict, source }
}

function isBehindEnd(range: AffectedRange, version: string) {
  if (!isVersionRange(range) || rangeStatus(range) !== 'affected') return false
  const { order, lt } = range
  if (lt === undefined || range.is_fix_unstated || isInverted(order, range)) return false
  return matchRange({ order, ge: lt, le: findBranchEnd(range) }, version).holds === true
}

/** The strongest verdict of each source; the first is believed first. */
const ranking = <One extends SourcedVerdict>(by: One[]) =>
  [...new Set(by.map(({ source }) => parseSource(source)))]
    .flatMap((source) => strongest(by.filter((verdict) => parseSource(verdict.source) === source)))
    .sort((a, b) => rankKind(a) - rankKind(b) || rankCertainty(a) - rankCertainty(b) || rankBelief(a) - rankBelief(b))

/** The versions that ranges state, exact ones and bounds, from the lowest; equal ones once, and no prose ("Snapdragon 8 Gen 1"). */
export function findKnownVersions(ranges: AffectedRange[]): string[] {
  const stated = ranges.filter((range) => !isBySummary(range))
  const named = stated.flatMap(namedVersions).filter((text) => shortVersion.test(text))
  return inOrder(named, chooseOrder(stated))
}

// A number, perhaps behind a letter or two (`r37p0`), and at most one more word (`1.0 beta1`).
const shortVersion = /^[a-z]{0,2}\.?\d\S*(?: \S+)?$/i

/** The versions that end affected ranges, or begin unaffected ones above them, from the lowest. */
export function findFixes(ranges: AffectedRange[]): string[] {
  if (!ranges.some(mayNameFix)) return []
  const order = chooseOrder(ranges)
  const listSpans = (status: string) => ranges.filter((range) => rangeStatus(range) === status).map(toInterval)
  const affected = listSpans('affected')
  const starts = affected.map(({ is, bounds: { ge, gt } }) => is ?? ge ?? gt)
  const named = starts.filter((start) => start !== undefined)
  const lowest = sortVersions(order, named).slice(0, maxTried)
  const isAbove = (version: string) =>
    named.length < starts.length || lowest.some((start) => (compareVersions(order, version, start) ?? 0) > 0)
  const begun = listSpans('unaffected').flatMap(({ is, bounds: { ge } }) => is ?? ge ?? [])
  return inOrder([...affected.flatMap(({ bounds: { lt } }) => lt ?? []), ...begun.filter(isAbove)], order)
}

// Thousands of exact versions need no comparing.
const mayNameFix = (range: AffectedRange) => typeof range !== 'string' && ('lt' in range || 'status' in range)

const strongest = <One extends SourcedVerdict>(verdicts: One[]) =>
  verdicts.sort((a, b) => rankKind(a) - rankKind(b) || rankSeverity(a) - rankSeverity(b)).slice(0, 1)

const rankKind = ({ status }: Verdict) => Number(status === 'unknown')
const rankCertainty = ({ confidence }: Verdict) => confidences.indexOf(confidence)
const rankBelief = ({ source }: SourcedVerdict) => {
  const place = precedence.indexOf(parseSource(source))
  return place === -1 ? precedence.length : place
}

type MatcherFor = (version: string) => Matcher
type Beside = { on?: string | undefined; kind?: CpeKind | undefined; matcherFor?: MatcherFor }

function verdictOfSource(version: string, { source, ranges: all }: Statement, beside: Beside): SourceVerdict {
  const { on, kind, matcherFor = newMatcher } = beside
  const ranges = kind ? all.filter((range) => findOtherKind(range, kind) === null) : all
  const isOfOthers = !ranges.length && all.length > 0
  const verdict = isOfOthers
    ? { ...notOfThisKind(all), source }
    : judgeBySource(version, { source, ranges }, { on, matcherFor })
  const isAffectedHere = verdict.status === 'affected'
  const fix = isAffectedHere
    ? (commitIn(verdict.range) ?? fixFor(version, ranges, beside) ?? findSpokenNext(verdict, ranges))
    : findSpokenEnd(verdict)
  const isNamed = fix !== null && (commitIn(verdict.range) === fix || newFixTest(source, ranges)(fix))
  const fixed_in = isNamed ? fix : null
  const other = kind && verdict.status !== 'affected' && all.find((range) => isHeldElsewhere(version, range, kind))
  const otherKind = other && findOtherKind(other, kind)
  return {
    ...verdict,
    fixed_in,
    first_unlisted: fixed_in === null ? fix : null,
    reason: otherKind ? `A range that contains it is ${otherKind}.` : findReason(verdict),
  }
}

/** If a version is unknown because of the words alone, these say what comes next (2.3.32 of Struts in CVE-2017-5638). */
const findSpokenEnd = ({ range }: Verdict) =>
  (range !== null && isBySummary(range) ? toInterval(range).bounds.lt : null) ?? null

/** If a range only says where it ends, the words may say which version is the first that is not affected. */
function findSpokenNext({ range }: Verdict, ranges: AffectedRange[]) {
  const { le, lt } = range === null ? {} : toInterval(range).bounds
  const end = le ?? lt
  const spoken = ranges.filter(isBySummary).map((one) => toInterval(one).bounds)
  return (end !== undefined && spoken.find(({ ge, gt }) => (gt ?? ge) === end)?.lt) || null
}

function findReason({ status, range }: Verdict) {
  if (range === null) return null
  if (isVersionRange(range) && range.is_disputed) return 'Two lists of the record contradict each other about it.'
  if (isBySummary(range))
    return 'A range that contains it is told by the words of the record alone, not by its list of versions.'
  const isEnded = status === 'not_affected' && isVersionRange(range) && rangeStatus(range) === 'affected'
  return isEnded ? 'The record ends its range here, and says nothing of later versions.' : null
}
const notOfThisKind = ([range]: AffectedRange[]): Verdict => ({
  status: 'not_affected',
  confidence: 'likely',
  range: range ?? null,
})

const isHeldElsewhere = (version: string, range: AffectedRange, kind: CpeKind) =>
  findOtherKind(range, kind) !== null && matchRange(range, version).holds === true

/** Whether a source states a version as a fix: an unaffected range begins there, or it ends ranges at fixes. */
export function newFixTest(source: SourceKey, ranges: AffectedRange[]) {
  const isNamingEnds = fixNaming.includes(parseSource(source))
  const starts = new Set(ranges.flatMap((range) => (rangeStatus(range) === 'unaffected' ? findStart(range) : [])))
  const unstated = new Set(
    ranges.flatMap((range) => (isVersionRange(range) && range.is_fix_unstated ? (range.lt ?? []) : [])),
  )
  return (version: string) => starts.has(version) || (isNamingEnds && !unstated.has(version))
}

function findStart(range: AffectedRange) {
  const { is, bounds } = toInterval(range)
  return is ?? bounds.ge ?? []
}

const commitIn = (range: AffectedRange | null) =>
  range !== null && isVersionRange(range) && range.order === 'git' && !range.is_fix_unstated ? range.lt : undefined

/** How many versions we try as a fix; with many ranges fewer, because each is matched with all of them. */
const maxTried = 50
const maxMatched = 20_000

function fixFor(version: string, ranges: AffectedRange[], { on, matcherFor = newMatcher }: Beside) {
  const here = ranges.filter((range) => on === undefined || isOnRelease(rangeRelease(range) ?? on, on))
  if (!here.some(mayNameFix)) return null
  const order = chooseOrder(here)
  const above = findFixes(here).filter((fix) => (compareVersions(order, fix, version) ?? 0) > 0)
  const tried = Math.min(maxTried, Math.max(1, Math.floor(maxMatched / here.length)))
  return (
    above.slice(0, tried).find((fix) => judgeVersion(fix, here, on, matcherFor(fix)).status === 'not_affected') ?? null
  )
}

/** The order that all ranges share, or the loose one when they have several. */
function chooseOrder(ranges: AffectedRange[]): VersionOrder {
  const orders = new Set(ranges.map((range) => toInterval(range).order).filter((order) => order !== 'git'))
  const [first = 'loose'] = orders
  return orders.size > 1 ? 'loose' : first
}

// 9.3.* and 9.x.x sort where their branch begins.
const inOrder = (versions: string[], order: VersionOrder) => sortVersions(order, versions.map(withoutWildcards))

function withoutWildcards(version: string) {
  let end = version.length
  while (/^\.[*x]$/.test(version.slice(Math.max(0, end - 2), end))) end -= 2
  return version.slice(0, end)
}

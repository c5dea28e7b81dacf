import { judgeStatements, type Answer, type Statement } from './affected'
import { findBranchEnd } from './branch'
import type { CpeKind } from './cpe-match'
import { parseTail } from '../names/cpe'
import { rangeTail } from './range'
import { isInverted, namedVersions, newMatcher, toInterval, type Matcher } from './range-match'
import type { AffectedRange } from '../words/record'
import { isReleaseName } from './range-verdict'
import { branchWildcard, highest, lowest } from './version-bounds'
import { compareVersions, isVersion } from './versions'

/** The same statements of several vulnerabilities of one product or package. */
export type Said = { vuln_ids: number[]; statements: Statement[] }
export type Judgement = Omit<Answer, 'by'>
/** The version and further facts that decide: the release of a distribution, the edition and system of a CPE name. */
export type Asked = { version: string; on?: string | undefined; kind?: CpeKind | undefined }

/** `points` are the places of its bounds among those of the name; null where only the text of a version tells. */
type Entry = Said & { points: Int32Array | null }
/** Of an entry: its verdicts by the gap of a plain number, or by the text of a version. */
type Known = Map<number | string, Judgement>

/** From so many versions on, the bounds of a name are put in order. */
const manyVersions = 3
/** So many verdicts are remembered for each version that is no plain number. */
const maxKnown = 200_000
/** Of so many versions and fixes it is remembered what was matched. */
const maxMatchers = 200

/**
 * Judges many versions of one product or package, each as `judgeStatements` does. Between two neighbouring bounds all plain numbers
 * have the same verdict, so that each such gap is judged once, and a version looks for its place among all bounds once.
 */
export function compileName(said: Said[]) {
  const entries = said.map((one): Entry => ({ ...one, points: null }))
  const byPlace = new Map<string, Known[]>()
  const versions = new Set<string>()
  let order: string[] | null = null
  let remembered = 0
  const matchers = new Map<string, Matcher>()
  const matcherFor = (version: string) => {
    const known = matchers.get(version) ?? newMatcher(version, true)
    if (matchers.size < maxMatchers) matchers.set(version, known)
    return known
  }
  const verdictsFor = ({ on, kind }: Asked) => {
    const also = JSON.stringify([on, sayingKind(kind)])
    const known = byPlace.get(also) ?? entries.map((): Known => new Map())
    byPlace.set(also, known)
    return known
  }
  return (asked: Asked): [said: Said, verdict: Judgement][] => {
    versions.add(asked.version)
    if (!order && versions.size >= manyVersions && entries.length > 1) order = putInOrder(entries)
    const place = order && isPlaced(asked.version) ? findPlace(order, asked.version) : null
    const known = verdictsFor(asked)
    return entries.map((entry, at) => {
      const key = place !== null && entry.points ? findGap(entry.points, place) : asked.version
      const found = known[at]?.get(key)
      if (found) return [entry, found]
      const verdict = judge(entry, asked, matcherFor)
      if (remembered++ < maxKnown) known[at]?.set(key, verdict)
      return [entry, verdict]
    })
  }
}

export type NameJudge = ReturnType<typeof compileName>

function judge(
  { statements }: Said,
  { version, on, kind }: Asked,
  matcherFor: (version: string) => Matcher,
): Judgement {
  const { by: _, ...verdict } = judgeStatements(version, statements, { on, kind: sayingKind(kind), matcherFor })
  const { status, confidence, range, source, reason, is_disputed } = verdict
  if (status === 'affected' || range || reason) return verdict
  const key = `${status} ${confidence} ${source} ${is_disputed}`
  const same = plainVerdicts.get(key)
  if (!same) plainVerdicts.set(key, verdict)
  return same ?? verdict
}

/** Verdicts of a version that no range holds: the same few for all. */
const plainVerdicts = new Map<string, Judgement>()

/** A name that says nothing beside its version is of no kind. */
const sayingKind = (kind: CpeKind | undefined) =>
  kind && [kind.edition, kind.language, kind.sw_edition, kind.target_sw, kind.target_hw, kind.other].some(isSaid)
    ? kind
    : undefined
const isSaid = (value: string) => value !== '*' && value !== '-'

/** A version whose verdict its place among the bounds of a name decides: the name of a release is compared with no builds. */
const isPlaced = (version: string) => plainNumber.test(version) && !isReleaseName(version)
export const plainNumber = /^(?=.{1,100}$)\d+(?:\.\d+)*$/

/** Gives each entry the places of its bounds in the order of all, which it returns. */
function putInOrder(entries: Entry[]) {
  const named = entries.map(({ statements }) => listBounds(statements.flatMap(({ ranges }) => ranges)))
  const sorted = [...new Set(named.flatMap((bounds) => bounds ?? []))].sort(
    (a, b) => compareVersions('loose', a, b) ?? 0,
  )
  const places = new Map<string, number>()
  const order: string[] = []
  for (const [at, bound] of sorted.entries()) {
    if (at === 0 || compareVersions('loose', sorted[at - 1] ?? '', bound) !== 0) order.push(bound)
    places.set(bound, order.length - 1)
  }
  for (const [at, bounds] of named.entries()) {
    const entry = entries[at]
    if (bounds && entry) entry.points = new Int32Array(new Set(bounds.map((bound) => places.get(bound) ?? 0))).sort()
  }
  return order
}

/** Twice the number of bounds that are lower; odd where one is equal. */
function findPlace(order: string[], version: string) {
  const at = countBelow(order.length, (middle) => (compareVersions('loose', order[middle] ?? '', version) ?? 0) < 0)
  const isEqual = at < order.length && compareVersions('loose', order[at] ?? '', version) === 0
  return 2 * at + Number(isEqual)
}

/** Of sorted places, how many are below what is looked for. */
function countBelow(length: number, isBelow: (place: number) => boolean) {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBelow(middle)) low = middle + 1
    else high = middle
  }
  return low
}

function findGap(points: Int32Array, place: number) {
  const at = countBelow(points.length, (middle) => 2 * (points[middle] ?? 0) + 1 < place)
  return 2 * at + Number(2 * (points[at] ?? -1) + 1 === place)
}

/** The versions at which a plain number's verdict may change; null where its text says more than its place. */
function listBounds(ranges: AffectedRange[]): string[] | null {
  const bounds: string[] = []
  for (const range of ranges) {
    const { order, bounds: ends } = toInterval(range)
    if ((order !== 'loose' && order !== 'git') || isInverted(order, ends)) return null
    const texts = textsIn(range)
    // A commit is its text: 3.0 is not commit 3.
    if (order === 'git' && texts.some((text) => plainNumber.test(text))) return null
    for (const text of [...texts, findBranchEnd(ends) ?? '']) {
      const plain = text.replace(branchWildcard, '')
      if (text.length > 100 || isPattern.test(plain) || hasReleases.test(plain)) return null
      for (const bound of plain === text ? [text] : [lowest(text), highest(text), plain])
        if (isVersion('loose', bound) && compareVersions('loose', bound, '0') !== null) bounds.push(bound)
    }
  }
  return bounds
}

/** More than a branch of versions; and a release within a branch (21.1R1), which a branch alone may be. */
const isPattern = /[*?\\]|\.x(?:\.|$)/
const hasReleases = /\d ?r\d/i

function textsIn(range: AffectedRange) {
  const tail = rangeTail(range)
  return [...(tail === null ? [] : namedIn(tail)), ...namedVersions(range)]
}

function namedIn(tail: string) {
  const { version, update } = parseTail(tail)
  const isAlone = update === '*' || update === '-'
  return version === '*' || version === '-' ? [] : isAlone ? [version] : [version, `${version} ${update}`]
}

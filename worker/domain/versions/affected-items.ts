import { rangeStatus } from './range-verdict'
import { findKnownVersions, judgeBySource, type Statement } from './affected'
import { describeRange } from './range'
import { isNarrowerRange, matchRange, namesNoVersion, toInterval } from './range-match'
import { parseSource, type AffectedRange, type SourceKey, type VulnRecord } from '../words/record'
import { compareText } from './orders/order'
import { sortVersions } from './versions'

/**
 * Place of an affected product or package on a page: those that the organization monitors, subjects of the vulnerability (its CNA
 * or its own words name it), others that have it inside, and the builds and images of distributions.
 */
export const affectedPlaces = ['monitored', 'named', 'other', 'distribution'] as const
type AffectedPlace = (typeof affectedPlaces)[number]

/** `group` is the vendor of a product or the type of a package. */
export type AffectedTarget = {
  via: 'product' | 'package'
  group: string
  name: string
  monitored: boolean
  statements: Statement[]
}

const distributors = new Set(
  (
    'almalinux alpinelinux amazon_linux canonical centos debian fedoraproject gentoo mageia mandriva novell opensuse ' +
    'oracle_linux red_hat redhat rockylinux slackware suse turbolinux ubuntu wolfi'
  ).split(' '),
)
/** Types of packages and images that distributions build of what others write. */
export const distributedTypes = ['alpm', 'apk', 'deb', 'docker', 'ebuild', 'generic', 'oci', 'rpm', 'rpmmod']

/** Sources that say what a vulnerability is about: the CNA in its record, CISA in its catalogue, or a person here. */
const speaksForIt = (source: SourceKey) => ['cve', 'kev', 'manual'].includes(parseSource(source))
/** Advisories that somebody wrote of the very package. */
const speaksOfIt = (source: SourceKey) => ['ghsa', 'overrides'].includes(parseSource(source))

/** Puts blanks around each word, so that a search finds whole names only: "log4j-core" gives ` log4j core `. */
export const toWords = (text: string) => ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `

/** We look for each affected product in this many characters; later ones name nothing new. */
export const maxSpoken = 10_000

/** A vulnerability's own words: the name that CISA gave it, and its summary. */
export const spokenText = ({ kev, summary }: { kev?: VulnRecord['kev'] | null; summary: string }) =>
  `${kev?.name ?? ''} ${summary}`

type Placed = Omit<AffectedTarget, 'statements'> & { statements: { source: SourceKey }[] }

/** Orders what is affected for one vulnerability by its `spokenText`. */
export function newPlacing(words: string) {
  const spoken = toWords(words.slice(0, maxSpoken))
  const isSpoken = (text: string) => text.length > 2 && spoken.includes(toWords(text))
  return ({ via, group, name, monitored, statements }: Placed): { place: AffectedPlace; weight: number } => {
    const [artifact = name, owner = group] = splitTarget({ via, group, name })
    const isNamed = isSpoken(artifact)
    const isOwned = splitOwner(owner).some(isSpoken)
    const isByCna = statements.some(({ source }) => speaksForIt(source))
    const weight =
      Number(isNamed) * 4 +
      Number(isByCna || statements.some(({ source }) => speaksOfIt(source))) * 2 +
      Number(isOwned) +
      (isNamed ? Math.min(artifact.length, 50) / 100 : 0)
    if (monitored) return { place: 'monitored', weight }
    const isOfDistribution =
      via === 'package' ? distributedTypes.includes(group) : distributors.has(group) && !(isNamed && isOwned)
    if (isOfDistribution) return { place: 'distribution', weight }
    return { place: isNamed || isByCna ? 'named' : 'other', weight }
  }
}

/** The name that people say, and its owner: `org.apache.logging.log4j:log4j-core` is log4j-core, `@angular/core` core. */
export function splitTarget({ via, group, name }: Pick<AffectedTarget, 'via' | 'group' | 'name'>) {
  const at = via === 'product' ? -1 : Math.max(name.lastIndexOf(':'), name.lastIndexOf('/'))
  return at === -1 ? [name, group] : [name.slice(at + 1), name.slice(0, at)]
}

const splitOwner = (owner: string) => owner.replace(/_/g, ' ').split(/[./:@]/)

/** Places in their order; within each what weighs more, and with it all that the same version fixes. */
export function orderAffected<One extends { place: AffectedPlace; weight: number; fix: string | null }>(items: One[]) {
  const heaviest = new Map<string, number>()
  const groupKey = ({ place, fix }: One) => `${place} ${fix ?? ''}`
  for (const one of items) heaviest.set(groupKey(one), Math.max(heaviest.get(groupKey(one)) ?? 0, one.weight))
  const place = (one: One) => affectedPlaces.indexOf(one.place)
  const group = (one: One) => heaviest.get(groupKey(one)) ?? 0
  const compareKeys = (a: One, b: One) => compareText(groupKey(a), groupKey(b))
  return items.toSorted(
    (a, b) => place(a) - place(b) || group(b) - group(a) || compareKeys(a, b) || b.weight - a.weight,
  )
}

/** Each range is compared with all others; above this number we compare their texts only. */
const maxCompared = 40

/** Each range once, without those that lie inside another. A source that names only the product adds nothing to one that names versions. */
export function uniteRanges(statements: Statement[]): AffectedRange[] {
  const all = statements.flatMap(({ ranges }) => ranges).filter((range) => rangeStatus(range) === 'affected')
  const telling = all.some((range) => !namesNoVersion(range)) ? all.filter((range) => !namesNoVersion(range)) : all
  const distinct = sortRanges([...new Map(telling.map((range) => [describeRange(range), range])).values()])
  if (distinct.length > maxCompared) return distinct
  return distinct.filter((range) => !distinct.some((other) => other !== range && isHeld(range, other)))
}

/** Ranges first, then single versions; each by place and end where there are few enough to sort. */
function sortRanges(ranges: AffectedRange[]) {
  const ordered = ranges.map((range) => ({ range, on: placeIn(range) ?? '', end: endIn(toInterval(range)) }))
  const order = ranges[0] === undefined || ranges.length > maxSorted ? 'unordered' : toInterval(ranges[0]).order
  const ends =
    order === 'unordered' || order === 'git' ? [] : sortVersions(order, [...new Set(ordered.map(({ end }) => end))])
  const places = new Map(ends.map((version, at) => [version, at]))
  return ordered
    .toSorted(
      (one, other) =>
        rangesFirst(one.range, other.range) ||
        Number(one.end === '') - Number(other.end === '') ||
        compareText(one.on, other.on) ||
        (places.get(one.end) ?? 0) - (places.get(other.end) ?? 0),
    )
    .map(({ range }) => range)
}

const endIn = ({ bounds: { lt, le, ge, gt }, is }: ReturnType<typeof toInterval>) => is ?? lt ?? le ?? ge ?? gt ?? ''

const maxSorted = 500
const rangesFirst = (one: AffectedRange, other: AffectedRange) => Number(isSingle(one)) - Number(isSingle(other))
const isSingle = (range: AffectedRange) => toInterval(range).is !== undefined

function isHeld(range: AffectedRange, other: AffectedRange) {
  const [inner, outer] = [toInterval(range), toInterval(other)]
  if (outer.is !== undefined || placeIn(range) !== placeIn(other)) return false
  // A sure range stands beside a doubted one.
  if (isDoubted(other) && !isDoubted(range)) return false
  if (inner.is === undefined) return inner.order === outer.order && isNarrowerRange(range, other)
  return matchRange(other, inner.is).holds === true
}

export const isDoubted = (range: AffectedRange) => typeof range !== 'string' && 'is_guess' in range
const placeIn = (range: AffectedRange) => (typeof range !== 'string' && 'on' in range ? range.on : undefined)

/** How many versions we test at most; with many ranges fewer. */
const maxAsked = 40
const maxMatched = 4_000

/** Whether some version that the ranges name is affected to one source, and not to another. */
export function isDisputed(statements: Statement[]) {
  if (new Set(statements.map(({ source }) => parseSource(source))).size < 2) return false
  const ranges = statements.flatMap((statement) => statement.ranges)
  const count = Math.min(maxAsked, Math.floor(maxMatched / ranges.length))
  return findKnownVersions(ranges)
    .slice(0, count)
    .some((version) => {
      const told = statements.map((statement) => judgeBySource(version, statement).status)
      return told.includes('affected') && told.includes('not_affected')
    })
}

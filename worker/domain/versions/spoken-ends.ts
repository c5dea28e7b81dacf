import { toWords } from './affected-items'
import { isUnbounded, toInterval } from './range-match'
import { rangeStatus } from './range-verdict'
import type { AffectedProduct, AffectedRange, Bounds, VersionRange } from '../words/record'
import { compareVersions, isVersion } from './versions'

const version = String.raw`v?(\d[\w.+-]{0,60}(?:\(\w[\w.]{0,20}\)\w{0,20}){0,3})`
const beginning = String.raw`(?:\b${version}(?: versions?| releases?)?,? )?`
const untilWords = String.raw`\b(?:before|prior to|earlier than|lower than|older than|below|until|through|up to(?: and including)?)`
const endings = [
  // The end is only looked at, so that "19.x through 21.x before 21.0.2" has two of them.
  new RegExp(String.raw`${beginning}${untilWords} (?:the )?(?:versions? |releases? )?(?=${version})`, 'gi'),
  new RegExp(
    String.raw`(\b)${version},?(?: and| or)?(?: all)? (?:earlier|prior|below|previous|lower|older)\b(?! (?:to|than)\b)`,
    'gi',
  ),
  new RegExp(String.raw`(<)=? ?${version}`, 'gi'),
]
const deniedBefore =
  /(?:not|n['’]t) (?:be )?(?:reproduc|affect|vulnerab|impact|present|occur|exist)\w{0,9}[^.;]{0,40}$/i
const deniedBehind = /^(?:[^.;,]|\.(?! )){0,80} (?:are|is) (?:not|un)[ -]?(?:affected|vulnerable|impacted)/i
/** What stands between the name of a product and the end of its versions: "Firefox versions 3.5.x and 3.6.x before 3.6.2". */
const numberWords = new Set(
  'and or all the version versions release releases x before prior to through earlier up'.split(' '),
)
const maxRead = 4_000
const maxEnds = 40
/** How far before an end we look for what it is of. */
const maxBetween = 200
/** Where the list is longer than this, each end would be compared with too many. */
const maxListed = 2_000

type SpokenEnd = { bounds: Bounds & { lt: string }; words: string }

/**
 * Leaves open what a summary calls affected and a list of exact versions leaves out: NVD lists PHP 7.0.1 alone for
 * CVE-2015-8617, whose summary says "7.x before 7.0.1". An end is that of a product which lists the end or the beginning, or
 * whose name stands right before it. Nothing becomes affected: the list may be right, and the words may be.
 */
export function leaveSpokenOpen(summary: string, affected: AffectedProduct[]): AffectedProduct[] {
  if (!affected.some(({ ranges }) => listsVersions(ranges))) return affected
  const ends = findEnds(summary.slice(0, maxRead))
  if (!ends.length) return affected
  return affected.map((one) => (listsVersions(one.ranges) ? { ...one, ranges: withOpen(one, ends) } : one))
}

/** Whether what is affected is a list of exact versions, without ranges. */
function listsVersions(ranges: AffectedRange[]) {
  if (ranges.length > maxListed) return false
  const listed = ranges.filter((range) => toInterval(range).is !== undefined)
  const others = ranges.filter((range) => toInterval(range).is === undefined)
  return (
    listed.some((range) => rangeStatus(range) === 'affected') &&
    others.every((range) => isUnbounded(range) && rangeStatus(range) === 'unaffected')
  )
}

function findEnds(summary: string): SpokenEnd[] {
  const matches = endings.flatMap((pattern) => [...summary.matchAll(pattern)])
  return matches.slice(0, maxEnds).flatMap(({ 0: text, 1: start, 2: end = '', index }) => {
    const [ge, lt] = [toBound(start ?? ''), toBound(end)]
    const before = summary.slice(Math.max(0, index - maxBetween), index)
    const isDenied = deniedBefore.test(before) || deniedBehind.test(summary.slice(index + text.length))
    if (!lt || isDenied) return []
    return [{ bounds: { ...(ge && { ge }), lt }, words: toWords(before) }]
  })
}

/** `7` of "7.x", `9.0(1.2)` as it is; empty for what is no version. */
function toBound(text: string) {
  const plain = text.replace(/[.+-]+$/, '').replace(/(?:\.x)+\w{0,3}$/i, '')
  return isVersion('loose', plain) ? plain : ''
}

function withOpen({ product, ranges }: AffectedProduct, ends: SpokenEnd[]): AffectedRange[] {
  const listed = ranges.flatMap((range) => toInterval(range).is ?? [])
  const isListed = (bound: string) => listed.some((one) => compareVersions('loose', one, bound) === 0)
  const name = toWords(product)
  const own = ends.filter(({ bounds: { ge, lt }, words }) => {
    if (ge !== undefined && (compareVersions('loose', ge, lt) ?? 0) >= 0) return false
    return isListed(lt) || (ge?.includes('.') && isListed(ge)) || (lt.includes('.') && endsWithName(words, name))
  })
  const open = own.map(({ bounds }): VersionRange => ({
    order: 'loose',
    ...bounds,
    status: 'unknown',
    is_by_summary: true,
  }))
  return [...ranges, ...new Map(open.map((range) => [JSON.stringify(range), range])).values()]
}

/** Whether nothing but numbers stands between the name and what follows. */
function endsWithName(words: string, name: string) {
  const at = words.lastIndexOf(name)
  if (at === -1 || name.length < 4) return false
  const between = words.slice(at + name.length).split(' ')
  return between.every((word) => !word || numberWords.has(word) || /^v?\d/.test(word))
}

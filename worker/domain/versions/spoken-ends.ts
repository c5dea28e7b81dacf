import { toWords } from './affected-items'
import { distinctRanges } from './range'
import { isUnbounded, matchRange, toInterval } from './range-match'
import { rangeStatus } from './range-verdict'
import type { AffectedProduct, AffectedRange, Bounds, VersionRange } from '../words/record'
import { isWithin } from './version-bounds'
import { compareVersions, isVersion, sortVersions } from './versions'

const version = String.raw`v?(\d[\w.+-]{0,60}(?:\(\w[\w.]{0,20}\)\w{0,20}){0,3})`
const beginning = String.raw`(?:\b${version}(?: versions?| releases?)?,? )?`
const untilWords = String.raw`\b(?:before|prior to|earlier than|lower than|older than|below|until|through|up to(?: and including)?)`
/** These words name the first version that is not meant; the others the last one that is. */
const isExclusive = /\b(?:before|prior to|(?:earli|low|old)er than|below) (?:the )?(?:versions? |releases? )?$|^<(?!=)/i
const endings = [
  // The end is only looked at, so that "19.x through 21.x before 21.0.2" has two of them.
  new RegExp(String.raw`${beginning}${untilWords} (?:the )?(?:versions? |releases? )?(?=${version})`, 'gi'),
  new RegExp(
    String.raw`(\b)${version},?(?: and| or)?(?: all)? (?:earlier|prior|below|previous|lower|older)\b(?! (?:to|than)\b)`,
    'gi',
  ),
  new RegExp(String.raw`(<)=? ?${version}`, 'gi'),
]
/** Text before such words does not call a version affected: "could not be reproduced on kernels <= v6.3". */
export const deniedBefore =
  /(?:not|n['’]t) (?:be )?(?:reproduc|affect|vulnerab|impact|present|occur|exist)\w{0,9}[^.;]{0,40}$/i
const deniedBehind = /^(?:[^.;,]|\.(?! )){0,80} (?:are|is) (?:not|un)[ -]?(?:affected|vulnerable|impacted)/i
/** Words between the name of a product and the end of its versions: "Firefox versions 3.5.x and 3.6.x before 3.6.2". */
const numberWords = new Set(
  'and or all the version versions release releases x before prior to through earlier up'.split(' '),
)
const maxRead = 4_000
const maxEnds = 40
/** How far before an end we look for what it is of. */
const maxBetween = 200
/** In a longer list each end would be compared with too many. */
const maxListed = 2_000

type SpokenEnd = { ge: string | undefined; end: string; is_exclusive: boolean; words: string }

/**
 * Leaves open versions that a summary calls affected and a list of exact versions leaves out: NVD lists PHP 7.0.1 alone for
 * CVE-2015-8617, whose summary says "7.x before 7.0.1". An end is that of a product which lists the end or the beginning, or whose
 * name stands right before it. Nothing becomes affected: either may be right. Versions between the last affected one of a range and
 * the first that the words except are left open, too, and end there (CVE-2014-100005: up to 2.16ww, and "firmware before 2.17b02").
 */
export function leaveSpokenOpen(summary: string, affected: AffectedProduct[]): AffectedProduct[] {
  const isOpen = ({ ranges }: AffectedProduct) => listsVersions(ranges) || findLastAffected(ranges).length > 0
  if (!affected.some(isOpen)) return affected
  const ends = findEnds(summary.slice(0, maxRead))
  if (!ends.length) return affected
  return affected.map((product) => {
    const open = listsVersions(product.ranges) ? openList(product, ends) : openBehindLast(product, ends)
    return open.length ? { ...product, ranges: [...product.ranges, ...open] } : product
  })
}

const plainVersion = String.raw`[a-z]{0,2}\d{1,9}(?:\.\d{1,9}){1,5}`
const andEarlier = String.raw`(?: and| or)?(?: all)? (?:earlier|prior|below|previous|lower|older)\b(?! (?:(?:versions?|releases?) )?(?:to|than)\b)`
const endList = new RegExp(
  String.raw`\b(?:${plainVersion}(?: ?\(and earlier\))?(?:,? (?:and|or) |, ?)(?:versions? )?){1,8}${plainVersion}(?:,?${andEarlier}| ?\(and earlier\))`,
  'gi',
)

/** A part of `endList` that is quickly found. */
const earlierWord = /earlier|prior|below|previous|lower|older/i

/**
 * "20.005.30539, 23.008.20470 and earlier" names the last affected version of each branch (CVE-2024-20726): a range up to the later
 * one says nothing of 20.005.30574.
 */
export function leaveSpokenBranchesOpen(summary: string, affected: AffectedProduct[]): AffectedProduct[] {
  if (!earlierWord.test(summary)) return affected
  const lists = [...summary.slice(0, maxRead).matchAll(endList)].slice(0, maxEnds).map(([text]) => listPlain(text))
  if (!lists.length) return affected
  return affected.map((product) => {
    if (product.ranges.length > maxEnds) return product
    const open = distinctRanges(lists.flatMap((ends) => openBranches(product.ranges, ends)))
    return open.length ? { ...product, ranges: [...product.ranges, ...open] } : product
  })
}

const listPlain = (text: string) =>
  [...text.matchAll(new RegExp(plainVersion, 'gi'))].map(([found]) => found.replace(/^[a-z]+/i, ''))

function openBranches(ranges: AffectedRange[], ends: string[]): VersionRange[] {
  const ended = ranges.flatMap((range) => {
    const { order, bounds } = toInterval(range)
    const end = bounds.le?.replace(/^v/i, '') ?? ''
    return rangeStatus(range) === 'affected' && ends.includes(end) ? [{ range, order, end }] : []
  })
  const byBranch = new Map(sortVersions('loose', ends).map((end) => [end.split('.').slice(0, -1).join('.'), end]))
  return [...byBranch].flatMap(([branch, gt]): VersionRange[] => {
    const beyond = ended.find(({ range, end }) => !end.startsWith(`${branch}.`) && matchRange(range, gt).holds)
    return beyond ? [{ order: beyond.order, gt, le: `${branch}.*`, status: 'unknown' }] : []
  })
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
  return matches.slice(0, maxEnds).flatMap(({ 0: text, 1: start, 2: behind = '', index }) => {
    const [ge, end] = [toBound(start ?? ''), toBound(behind)]
    const before = summary.slice(Math.max(0, index - maxBetween), index)
    const isDenied = deniedBefore.test(before) || deniedBehind.test(summary.slice(index + text.length))
    if (!end || isDenied || (ge && (compareVersions('loose', ge, end) ?? 0) >= 0)) return []
    return [{ ge: ge || undefined, end, is_exclusive: isExclusive.test(text), words: toWords(before) }]
  })
}

/** `7` of "7.x", `9.0(1.2)` as it is; empty for what is no version. */
function toBound(text: string) {
  const plain = text.replace(/[.+-]+$/, '').replace(/(?:\.x)+\w{0,3}$/i, '')
  return isVersion('loose', plain) ? plain : ''
}

/** Range that the words of a record leave open. */
export const toOpen = (bounds: Bounds): VersionRange => ({
  order: 'loose',
  ...bounds,
  status: 'unknown',
  is_by_summary: true,
})

function openList({ product, ranges }: AffectedProduct, ends: SpokenEnd[]): VersionRange[] {
  const listed = ranges.flatMap((range) => toInterval(range).is ?? [])
  const isListed = (bound: string) => listed.some((named) => compareVersions('loose', named, bound) === 0)
  const own = ends.filter(
    ({ ge, end, words }) =>
      isListed(end) || (ge?.includes('.') && isListed(ge)) || (end.includes('.') && endsWithName(words, product)),
  )
  const open = own.map(({ ge, end, is_exclusive }) =>
    toOpen({ ...(ge !== undefined && { ge }), ...(is_exclusive ? { lt: end } : { le: end }) }),
  )
  return distinctRanges(open)
}

/** The last affected versions of ranges, where none ends before the first one that is not. */
function findLastAffected(ranges: AffectedRange[]) {
  if (ranges.length > maxEnds) return []
  const affected = ranges.filter((range) => rangeStatus(range) === 'affected').map(toInterval)
  const isLoose = affected.every(({ order, bounds }) => order === 'loose' && bounds.lt === undefined)
  return isLoose ? affected.flatMap(({ bounds: { le } }) => (le === undefined || /[*x]$/.test(le) ? [] : le)) : []
}

function openBehindLast({ product, ranges }: AffectedProduct, ends: SpokenEnd[]): VersionRange[] {
  const own = ends.filter(
    ({ end, is_exclusive, words }) => is_exclusive && end.includes('.') && endsWithName(words, product),
  )
  return [...new Set(findLastAffected(ranges))].flatMap((last) => {
    const above = own.filter(({ ge, end }) => isWithin('loose', last, { ...(ge !== undefined && { ge }), lt: end }))
    const [lt] = sortVersions(
      'loose',
      above.map(({ end }) => end),
    )
    return lt === undefined ? [] : [toOpen({ gt: last, lt })]
  })
}

/** Whether nothing but numbers stands between the name and the words after it, and beside the name of a device the word firmware. */
function endsWithName(words: string, product: string) {
  const name = toWords(product)
  const [device = name] = name.split('firmware ')
  const at = words.lastIndexOf(device)
  if (at === -1 || device.length < 4) return false
  const between = words.slice(at + device.length).split(' ')
  const isOfDevice = device !== name && between.length < 10 && between.includes('firmware')
  const behind = isOfDevice ? between.slice(between.lastIndexOf('firmware') + 1) : between
  return behind.every((word) => !word || numberWords.has(word) || /^v?\d/.test(word))
}

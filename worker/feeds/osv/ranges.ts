import { weighMalicious } from '../../domain/scores/malice'
import { parseOsvRanges, type OsvAffected, type OsvEvent } from '../../domain/versions/osv-events'
import { distinctRanges } from '../../domain/versions/range'
import type { VersionOrder, VersionRange } from '../../domain/words/record'
import { compareVersions, isVersion, sortVersions } from '../../domain/versions/versions'

type Range = NonNullable<OsvAffected['ranges']>[number]

type Given = {
  ranges: Range[]
  versions: string[]
  /** Go's ranges of versions that the module proxy does not have, such as tags of v2 and up. */
  custom?: Range[] | undefined
  /** GitHub's `< 0.3`, which stands outside of the ranges where it names no fix. */
  lastKnown?: string | undefined
}

export function readRanges({ ranges, versions, custom, lastKnown }: Given, order: VersionOrder, on?: string) {
  const ended = lastKnown === undefined ? ranges : ranges.map((range) => endRange(range, lastKnown, order))
  if (!custom) return parseOsvRanges({ ranges: ended, versions }, order, on)
  const own = custom.flatMap((range) => splitStarts(range, order))
  return joinCustom(parseOsvRanges({ ranges }, order, on), parseOsvRanges({ ranges: own, versions }, order, on), order)
}

/** Versions that are named keep their own statement beside one of all: the latter alone is doubted. */
export const readMalicious = ({ ranges, versions }: Given, order: VersionOrder, on?: string) =>
  weighMalicious([
    ...parseOsvRanges({ versions }, order, on),
    ...ranges.flatMap((range) => parseOsvRanges({ ranges: [range] }, order, on)),
  ])

/** Each start behind all ends begins a stretch of its own: 2.11.0 and 2.12.0 end in their branches (GO-2026-5102). */
function splitStarts(range: Range, order: VersionOrder): Range[] {
  const named = range.events.flatMap(({ fixed, last_affected, limit }) => fixed ?? last_affected ?? limit ?? [])
  if (!named.every((end) => isVersion(order, end))) return [range]
  const end = sortVersions(order, named).at(-1)
  const isLast = ({ introduced }: OsvEvent) =>
    introduced !== undefined &&
    introduced !== '0' &&
    (end === undefined || (compareVersions(order, introduced, end) ?? 0) > 0)
  const last = range.events.filter(isLast)
  const others = range.events.filter((event) => !isLast(event))
  return [...(others.length ? [others] : []), ...last.map((event) => [event])].map((events) => ({ ...range, events }))
}

/** Ends a range that is open at the last version that GitHub knows to be affected, if all that it names is before that. */
function endRange(range: Range, lastKnown: string, order: VersionOrder): Range {
  const [, sign, last = ''] = /(?:^|,)\s*(<=?)\s*([^\s,]+)\s*$/.exec(lastKnown) ?? []
  const isOpen = range.events.every(({ introduced }) => introduced !== undefined)
  if (sign === undefined || range.type === 'GIT' || !isOpen) return range
  const isBefore = ({ introduced = '0' }: OsvEvent) =>
    introduced === '0' || (compareVersions(order, introduced, last) ?? 0) < 0
  if (!range.events.every(isBefore)) return range
  return { ...range, events: [...range.events, sign === '<' ? { limit: last } : { last_affected: last }] }
}

/** No version of a module without tags is as high: v0.0.0-20240101000000-abcdef012345. */
const firstTag = '0.0.0'

/**
 * Go's two lists of one module together. Stretches of the first that end count as they are; one that does not end only
 * says that the proxy has no fix, which the second may name. A range without an end there ends with the first, and one without a
 * beginning begins behind it: a module v0.17 may have the tag v17.
 */
function joinCustom(known: VersionRange[], custom: VersionRange[], order: VersionOrder): VersionRange[] {
  const closed = known.filter(({ lt, le }) => lt !== undefined || le !== undefined)
  const ends = sortVersions(
    order,
    closed.flatMap(({ lt }) => lt ?? []),
  )
  const others = custom.map((range) => withinEnds(range, ends, order))
  const isTagged = ({ ge, is }: VersionRange) => (compareVersions(order, ge ?? is ?? '0.0.0-0', firstTag) ?? 0) >= 0
  const isUntaggedOpen = !closed.length && others.every(isTagged)
  const untagged: VersionRange[] = isUntaggedOpen ? [{ order, lt: firstTag, status: 'unknown' }] : []
  const disputed = closed.length < known.length ? listDisputed(others, order) : []
  return distinctRanges([...closed, ...others, ...untagged, ...disputed])
}

/** v0.0.0-20250521183405-c7a690348df7: a commit, counted from the tag before it. */
const pseudoVersion = /\d{14}-[\da-f]{10,}$/
const lastCommit = '99991231235959-ffffffffffff'

/**
 * A commit that is called the fix says nothing of tags: all of them are above it in order, the old ones too, and the first list
 * calls all of them affected (CVE-2025-6023 of Grafana).
 */
function listDisputed(custom: VersionRange[], order: VersionOrder): VersionRange[] {
  const starts = sortVersions(
    order,
    custom.flatMap(({ ge, is }) => ge ?? is ?? []),
  )
  return custom.flatMap(({ lt = '' }): VersionRange[] => {
    if (!pseudoVersion.test(lt)) return []
    const next = findAbove(starts, lt, order)
    const gt = lt.replace(pseudoVersion, lastCommit)
    return [{ order, gt, ...(next !== undefined && { lt: next }), status: 'unknown', is_disputed: true }]
  })
}

function withinEnds(range: VersionRange, ends: string[], order: VersionOrder): VersionRange {
  const { is, ge, le, lt } = range
  if (is !== undefined) return range
  const isAbove = (version: string, other: string) => (compareVersions(order, version, other) ?? 0) > 0
  const end = lt ?? le ?? findAbove(ends, ge ?? '0', order)
  const highest = ends.at(-1) ?? firstTag
  const behind = isAbove(highest, firstTag) ? highest : firstTag
  const start = ge ?? (ends.length && (end === undefined || isAbove(end, behind)) ? behind : undefined)
  return {
    ...range,
    ...(start !== undefined && { ge: start }),
    ...(lt === undefined && le === undefined && end !== undefined && { lt: end }),
  }
}

/** The lowest of sorted versions that is above another. */
function findAbove(sorted: string[], version: string, order: VersionOrder) {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((compareVersions(order, sorted[middle] ?? '', version) ?? 0) > 0) high = middle
    else low = middle + 1
  }
  return sorted[low]
}

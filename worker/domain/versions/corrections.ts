import { toInterval } from './range-match'
import { isBySummary, rangeStatus, unknownVerdict, type Verdict } from './range-verdict'
import { parseSource, type AffectedRange, type Source, type SourceKey } from '../words/record'
import { compareVersions } from './versions'

/** These sources contradict others on purpose. */
const corrections: readonly Source[] = ['manual', 'overrides']

/**
 * Whether "not affected" of a correction by hand overrules what others call affected. The last affected version says nothing of later
 * ones (CVE-2024-45855: up to 24.9.2.1, and no fix).
 */
export const isCorrecting = ({ source, range }: { source: SourceKey; range: AffectedRange | null }) =>
  corrections.includes(parseSource(source)) && (range === null || rangeStatus(range) !== 'affected')

/** The range of overrides whose last affected version all others end before, and the version lies behind. */
export function findPassedEnd(source: SourceKey, ranges: AffectedRange[], version: string) {
  if (parseSource(source) !== 'overrides') return undefined
  const affected = ranges.filter((range) => rangeStatus(range) === 'affected')
  const ends = affected.map((range) => ({ range, bounds: toInterval(range).bounds }))
  const [first, ...others] = ends
  if (!first || !ends.every(({ bounds }) => isBehind(version, bounds.le ?? bounds.lt))) return undefined
  const last = others.reduce(
    (best, one) => (isBehind(one.bounds.le ?? one.bounds.lt ?? '', best.bounds.le ?? best.bounds.lt) ? one : best),
    first,
  )
  return last.bounds.le === undefined ? undefined : last.range
}

type Judged = Verdict & { source: SourceKey }

/**
 * If the words of a CNA leave open what follows the end of its range (`later-fixes`), a source that repeats this end knows no more:
 * after CyberPower's 4.9.0, NVD's `< 4.9.0` is no comfort (CVE-2024-31409).
 */
export function withoutEchoes<One extends Judged>(by: One[], statements: { ranges: AffectedRange[] }[]): One[] {
  const open = by.find(
    ({ source, status, range }) => parseSource(source) === 'cve' && status === 'unknown' && range && isBySummary(range),
  )
  const end = open?.range ? toInterval(open.range).bounds.ge : undefined
  if (!open || end === undefined) return by
  const isEcho = ({ source, status }: One, at: number) =>
    echoing.includes(parseSource(source)) &&
    status === 'not_affected' &&
    statements[at]?.ranges.some((range) => toInterval(range).bounds.lt === end)
  return by.map((one, at) => (isEcho(one, at) ? { ...one, ...unknownVerdict, range: open.range } : one))
}

const echoing: readonly Source[] = ['nvd', 'overrides']

const isBehind = (version: string, end: string | undefined) =>
  end !== undefined && (compareVersions('loose', version, end) ?? 0) > 0

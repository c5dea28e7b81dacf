import type { AffectedRange, Bounds, VersionRange } from '../words/record'

export const isVersionRange = (range: AffectedRange): range is VersionRange =>
  typeof range !== 'string' && 'order' in range
/** The tail of the CPE name of a range; null where it has none. */
export const rangeTail = (range: AffectedRange) =>
  typeof range === 'string' ? range : 'cpe' in range ? range.cpe : null
/** Each range once. */
export const distinctRanges = <Range extends AffectedRange>(ranges: Range[]) => [
  ...new Map(ranges.map((range) => [JSON.stringify(range), range])).values(),
]

/** A range in words: "1.0.1f", "1.0 beta1", ">= 1.0.1, < 1.0.1g", "all versions", "not versioned" (CPE's `-`), "commits before e5be15c63804". */
export function describeRange(range: AffectedRange): string {
  if (typeof range === 'string') return formatTail(range, 'all versions')
  if ('cpe' in range) {
    const named = formatTail(range.cpe, '')
    return named ? `${formatBounds(range)} (${named})` : formatBounds(range)
  }
  const versions = range.order === 'git' ? formatCommits(range) : (range.is ?? (formatBounds(range) || 'all versions'))
  if (range.is_guess && !range.status && versions === 'all versions') return 'all other versions: likely'
  if (range.status && !range.on && versions === 'all versions') return `all other versions: ${range.status}`
  const where = range.on ? ` on ${range.on}` : ''
  return range.status ? `${versions}${where}: ${range.status}` : versions + where
}

const written = /^(?:(>=?) ([^,]+?))?(?:, )?(?:(<=?) ([^,]+?))?( on .*| \(.*\)|: [a-z]+)?$/
const updateWords: [RegExp, string][] = [
  [/\bcumulative update (?=\d)/, 'CU'],
  [/\b(?:service pack |sp)(?=\d)/, 'SP'],
  [/\bupdate ?(?=\d)/, 'update '],
]

/** A described range as people say it: "1.0.1 – before 1.0.1g", "up to 2.4", "2.0 and later", "2019 CU14". */
export function speakRange(text: string): string {
  const [, low, start = '', high, end = '', rest = ''] = written.exec(text) ?? []
  if (low || high) {
    const from = low === '>' ? `after ${start}` : start
    const to = high === '<' ? `before ${end}` : end
    if (!high) return `${low === '>' ? from : `${start} and later`}${rest}`
    return `${low ? `${from} – ${to}` : high === '<' ? to : `up to ${end}`}${rest}`
  }
  return updateWords.reduce((words, [word, spoken]) => words.replace(word, spoken), text.replaceAll('_', ' '))
}

const formatBounds = ({ ge, gt, le, lt }: Bounds) =>
  [ge && `>= ${ge}`, gt && `> ${gt}`, le && `<= ${le}`, lt && `< ${lt}`].filter(Boolean).join(', ')

function formatCommits({ is, ge, gt, le, lt }: Bounds & { is?: string }) {
  if (is !== undefined) return `commit ${abbreviated(is)}`
  const bounds = [
    ge && `from ${abbreviated(ge)}`,
    gt && `after ${abbreviated(gt)}`,
    le && `up to ${abbreviated(le)}`,
    lt && `before ${abbreviated(lt)}`,
  ].filter(Boolean)
  return bounds.length ? `commits ${bounds.join(' ')}` : 'all commits'
}

/** As long as the Linux kernel abbreviates them. */
const abbreviated = (commit: string) => commit.slice(0, 12)

// The attributes of a CPE tail after the part: version, update, edition …; ANY is left out.
function formatTail(tail: string, anyVersion: string) {
  const [, version = '*', ...rest] = tail.split(/(?<!\\):/).map((value) => value.replaceAll(/\\(.)/g, '$1'))
  const named = version === '*' ? anyVersion : version === '-' ? 'not versioned' : version
  return [named, ...rest.filter((value) => value !== '*' && value !== '-')].filter(Boolean).join(' ')
}

import type { AffectedRange, Bounds } from '../words/record'

/** A range in words: "1.0.1f", "1.0 beta1", ">= 1.0.1, < 1.0.1g", "all versions", "not versioned" (CPE's `-`), "commits before e5be15c63804". */
export function describeRange(range: AffectedRange): string {
  if (typeof range === 'string') return formatTail(range, 'all versions')
  if ('cpe' in range) {
    const named = formatTail(range.cpe, '')
    return named ? `${formatBounds(range)} (${named})` : formatBounds(range)
  }
  const versions = range.order === 'git' ? formatCommits(range) : (range.is ?? (formatBounds(range) || 'all versions'))
  if (range.status && !range.on && versions === 'all versions') return `all other versions: ${range.status}`
  const where = range.on ? ` on ${range.on}` : ''
  return range.status ? `${versions}${where}: ${range.status}` : versions + where
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

// The attributes of a CPE tail after the part: version, update, edition …; what is any is not said.
function formatTail(tail: string, anyVersion: string) {
  const [, version = '*', ...rest] = tail.split(/(?<!\\):/).map((value) => value.replaceAll(/\\(.)/g, '$1'))
  const named = version === '*' ? anyVersion : version === '-' ? 'not versioned' : version
  return [named, ...rest.filter((value) => value !== '*' && value !== '-')].filter(Boolean).join(' ')
}

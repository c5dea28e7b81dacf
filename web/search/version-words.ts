import type { VersionAnswer } from '../../worker/search/contract'
import { formatCount, plural } from '../lib/format'

/** How many of its vulnerabilities affect the version, and what fixes them. */
export function describeVersion({ counts, free, vulns_count }: VersionAnswer) {
  const all = plural(vulns_count, 'vulnerability', 'vulnerabilities')
  if (!counts) return `${all}, too many to compare here: open it to see the newest that affect this version`
  const { affected, exploited, unknown } = counts
  const parts = [
    affected === 0
      ? 'none is known to affect it'
      : `${formatCount(affected)} ${affected === 1 ? 'affects' : 'affect'} it`,
    exploited > 0 && `${formatCount(exploited)} of them exploited`,
    free && describeFree(free),
    unknown > 0 && `of ${formatCount(unknown)} nobody can tell`,
  ]
  return `${all}: ${parts.filter(Boolean).join(', ')}`
}

/** For a line that is cut at its end: "12 of 20, 1 exploited, 2 unknown". */
export function countBriefly({ counts, vulns_count }: VersionAnswer) {
  if (!counts) return plural(vulns_count, 'vulnerability', 'vulnerabilities')
  const { affected, exploited, unknown } = counts
  const parts = [
    `${formatCount(affected)} of ${formatCount(vulns_count)}`,
    exploited > 0 && `${formatCount(exploited)} exploited`,
    unknown > 0 && `${formatCount(unknown)} unknown`,
  ]
  return parts.filter(Boolean).join(', ')
}

function describeFree({ version, is_stated, still }: NonNullable<VersionAnswer['free']>) {
  const which = still > 0 ? `all but ${formatCount(still)} ` : ''
  if (is_stated) return `${which}fixed in ${version}`
  return which ? `${which}no longer listed from ${version} on` : `none listed as affected from ${version} on`
}

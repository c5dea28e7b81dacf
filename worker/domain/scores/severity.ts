import { severity as bandOf } from './cvss'
import { scoreWord } from './rating'

export const severities = ['critical', 'high', 'medium', 'low', 'unscored'] as const
export type VulnSeverity = (typeof severities)[number]

export const severityLabels: Record<VulnSeverity, string> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  unscored: 'Not scored',
}

type Bases = { cvss: number | null; cvss3: number | null; cvss4: number | null }

/** The base score of the newest version of CVSS that it has. */
export function newestCvss({ cvss, cvss3, cvss4 }: Bases) {
  if (cvss4 !== null) return { version: 4, base: cvss4 } as const
  if (cvss3 !== null) return { version: 3, base: cvss3 } as const
  return cvss === null ? null : ({ version: 2, base: cvss } as const)
}

/** The one word of severity in all messages: the band of the newest CVSS, or of our score where it has none. 0.0 is low. No CVSS judges malice. */
export function vulnSeverity(vuln: Bases & { score: number | null; is_malicious?: boolean | number }): VulnSeverity {
  if (vuln.is_malicious) return 'critical'
  const newest = newestCvss(vuln)
  const word = newest ? bandOf(newest.version, newest.base) : scoreWord(vuln.score)
  if (word === 'None') return 'low'
  return severities.find((known) => known === word.toLowerCase()) ?? 'unscored'
}

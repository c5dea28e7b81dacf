import { v2Letters } from './cvss'
import { rate, ratingVector } from './rating'

/** What the score of a vulnerability depends on, beside the day. */
export type Scorable = {
  published: string | null
  cvss_vector: string | null
  cvss3_vector: string | null
  cvss4_vector: string | null
  is_confirmed: boolean
  is_in_the_news: boolean
  is_in_the_wild: boolean
  exploit_count: number
}

const dayMs = 86_400_000

/**
 * The VPRv1 vector of a vulnerability on a day; null when no CVSS vector can be read, which leaves it unscored.
 * Base metrics come from the newest CVSS version it has. Its exploits are known by references only: public, and as
 * trustworthy as an analyst's tag. Source: DESIGN §5.2.
 */
export function ratingVectorOf(vuln: Scorable, now: Date): string | null {
  const letters = [vuln.cvss4_vector, vuln.cvss3_vector, vuln.cvss_vector].map((vector) => vector && v2Letters(vector))
  const cvss_vector = letters.find(Boolean)
  if (!cvss_vector) return null

  const { is_confirmed, is_in_the_news, is_in_the_wild, exploit_count } = vuln
  const vuln_age_days = vuln.published
    ? Math.max(0, Math.floor((now.getTime() - Date.parse(vuln.published)) / dayMs))
    : 0
  const exploit = { availability: 'public', maturity: 'unknown', trust_level: 'medium', age_days: null } as const
  const exploits = exploit_count > 0 ? [exploit] : []
  return ratingVector({ cvss_vector, vuln_age_days, is_confirmed, is_in_the_news, is_in_the_wild, exploits })
}

/** 0–100, or null for an unscored vulnerability. */
export function scoreOf(vuln: Scorable, now: Date): number | null {
  const vector = ratingVectorOf(vuln, now)
  return vector === null ? null : rate(vector).score
}

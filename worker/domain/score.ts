import { v2Letters } from './cvss'
import { exploitMetrics, rate, vectorOf } from './rating'

/** What the score of a vulnerability depends on, beside the day. */
export type Scorable = {
  published: string | null
  cvss_vector: string | null
  cvss3_vector: string | null
  cvss4_vector: string | null
  is_confirmed: boolean
  is_in_the_news: boolean
  is_in_the_wild: boolean
  /** What its public exploits weigh, by `exploitMetrics`, and when the oldest came out; null when there are none. */
  exploit_metrics: string | null
  exploit_published: string | null
}

const dayMs = 86_400_000

/**
 * The VPRv1 vector of a vulnerability on a day; null when no CVSS vector can be read, which leaves it unscored.
 * Base metrics come from the newest CVSS version it has. Source: DESIGN §5.2.
 */
export function ratingVectorOf(vuln: Scorable, now: Date): string | null {
  const letters = [vuln.cvss4_vector, vuln.cvss3_vector, vuln.cvss_vector].map((vector) => vector && v2Letters(vector))
  const cvss_vector = letters.find(Boolean)
  if (!cvss_vector) return null

  const age_days = (since: string | null) =>
    since ? Math.max(0, Math.floor((now.getTime() - Date.parse(since)) / dayMs)) : 0
  const { is_confirmed, is_in_the_news, is_in_the_wild, exploit_metrics, exploit_published, published } = vuln
  return vectorOf({
    cvss_vector,
    vuln_age_days: age_days(published),
    is_confirmed,
    exploit_metrics: exploit_metrics ?? exploitMetrics([]),
    exploit_age_days: age_days(exploit_published),
    is_in_the_news,
    is_in_the_wild,
  })
}

/** 0–100, or null for an unscored vulnerability. */
export function scoreOf(vuln: Scorable, now: Date): number | null {
  const vector = ratingVectorOf(vuln, now)
  return vector === null ? null : rate(vector).score
}

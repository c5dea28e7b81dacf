import { v2Letters } from './cvss'
import { ageCaps, computeRating, formatExploitMetrics, formatRatedVector, strongerMetrics } from './rating'
import type { VulnState } from '../words/record'

/** Facts on which the score of a vulnerability depends, beside the day. */
export type Scorable = {
  published: string | null
  cvss_vector: string | null
  cvss3_vector: string | null
  cvss4_vector: string | null
  is_confirmed: boolean
  is_in_the_news: boolean
  is_in_the_wild: boolean
  /** The metrics of its public exploits, as `formatExploitMetrics` writes them, and when the oldest came out; null without exploits. */
  exploit_metrics: string | null
  exploit_published: string | null
}

const dayMs = 86_400_000

/** A vulnerability exploited in the wild has an exploit: somebody holds it, it works, and there is no doubt about it. */
const knownExploitation = 'EA:R/EM:F/ET:H'

/**
 * The VPRv1 vector of a vulnerability on a day; null when no CVSS vector can be read, which leaves it unscored.
 * Base metrics come from the newest CVSS version it has; one exploited in the wild (KEV) has at least the metrics of
 * `knownExploitation`. Source: DESIGN §5.2.
 */
export function computeRatingVector(vuln: Scorable, now: Date, oldest_days = Infinity): string | null {
  const letters = [vuln.cvss4_vector, vuln.cvss3_vector, vuln.cvss_vector].map((vector) => vector && v2Letters(vector))
  const cvss_vector = letters.find(Boolean)
  if (!cvss_vector) return null

  const age_days = (since: string | null) =>
    since ? Math.min(oldest_days, Math.max(0, Math.floor((now.getTime() - Date.parse(since)) / dayMs))) : 0
  const { is_confirmed, is_in_the_news, is_in_the_wild, exploit_published, published } = vuln
  const exploit_metrics = vuln.exploit_metrics ?? formatExploitMetrics([])
  return formatRatedVector({
    cvss_vector,
    vuln_age_days: age_days(published),
    is_confirmed,
    exploit_metrics: is_in_the_wild ? strongerMetrics(exploit_metrics, knownExploitation) : exploit_metrics,
    exploit_age_days: age_days(exploit_published),
    is_in_the_news,
    is_in_the_wild,
  })
}

/** 0–100, or null without a rating vector. */
export function computeRatedScore(vuln: Scorable, now: Date): number | null {
  const vector = computeRatingVector(vuln, now, ageCaps[1] + 1)
  if (vector === null) return null
  const known = knownScores.get(vector)
  if (known !== undefined) return known
  if (knownScores.size >= maxKnownScores) knownScores.clear()
  const { score } = computeRating(vector)
  knownScores.set(vector, score)
  return score
}
/** Most vulnerabilities share their vector with others, as above the last cap each age weighs the same. */
const knownScores = new Map<string, number>()
const maxKnownScores = 10_000

type Vectors = Pick<Scorable, 'cvss_vector' | 'cvss3_vector' | 'cvss4_vector'>
export const hasVector = ({ cvss_vector, cvss3_vector, cvss4_vector }: Vectors) =>
  Boolean(cvss_vector || cvss3_vector || cvss4_vector)

/** Whether a score stands in for a rating until somebody gives a CVSS vector. That of malice waits for none. */
export const isScoreProvisional = (vuln: Vectors & { score: number | null; is_malicious: boolean | null }) =>
  vuln.score !== null && !vuln.is_malicious && !hasVector(vuln)

/** Sentence of the screens about such a score. */
export const provisionalNote = 'provisional: by known exploitation, exploits and EPSS, until a CVSS vector is given'

/** 0–100: the rating, or a provisional score while there is no CVSS vector; null where nothing speaks for either. */
export const computeScore = (vuln: Scorable & UnscoredFacts & { state: VulnState }, now: Date) =>
  vuln.state === 'rejected'
    ? null
    : hasVector(vuln) && !vuln.is_malicious
      ? computeRatedScore(vuln, now)
      : computeProvisionalScore(vuln)

const weakest = 'AV:L/AC:H/Au:M/C:N/I:N/A:N'
const strongest = 'AV:N/AC:L/Au:N/C:C/I:C/A:C'
const rateOldest = (vector: string) => computeRating(`${vector}/VX:99/EX:99/N:Y`).score

/** Highest rating as long as nobody enters values of an asset. */
export const highestRating = rateOldest(`${strongest}/CL:Y/${knownExploitation}/W:Y`)

/**
 * The ratings, 0–100, between which an unscored vulnerability would lie with a CVSS vector, by what is known of it now. Not for
 * malice, whose score waits for none.
 */
export function findRatingSpan({
  is_in_the_wild,
  is_exploitable,
}: {
  is_in_the_wild: boolean
  is_exploitable: boolean
}) {
  const known = is_in_the_wild ? `/${knownExploitation}/W:Y` : ''
  const most = is_in_the_wild || is_exploitable ? highestRating : rateOldest(`${strongest}/CL:Y`)
  return { least: computeRating(`${weakest}/VX:0/EX:0${known}`).score, most }
}

/** Facts of an unscored vulnerability; `epss` is a probability, 0–1. */
export type UnscoredFacts = Pick<Scorable, 'is_in_the_wild' | 'exploit_metrics'> & {
  is_malicious: boolean
  kev_added_at: string | null
  kev_ransomware: boolean | null
  epss: number | null
}

/**
 * A score 0–100 for a vulnerability without any CVSS vector; null when nothing speaks for exploitation. Malice has 100, as it attacks
 * wherever it runs; else it starts at 80 where ransomware uses it, 60 where it is exploited (KEV, in the wild), 30 where an exploit
 * is out, else 0. Up to 9 points follow from the best exploit, up to 10 from EPSS (30 where nothing else is known), and never more
 * than `highestRating`, so that each kind stays below the next. The rule is ours: no standard scores what has no CVSS.
 */
export function computeProvisionalScore({
  is_malicious,
  is_in_the_wild,
  exploit_metrics,
  kev_added_at,
  kev_ransomware,
  epss,
}: UnscoredFacts) {
  if (is_malicious) return 100
  const isExploited = is_in_the_wild || kev_added_at !== null
  const start = isExploited ? (kev_ransomware ? 80 : 60) : exploit_metrics ? 30 : 0
  const ofEpss = Math.floor((start ? 10 : 30) * (epss ?? 0))
  const score = start + ofEpss + exploitPoints(exploit_metrics ?? '')
  return score ? Math.min(score, highestRating) : null
}

function exploitPoints(metrics: string) {
  if (!metrics) return 0
  if (metrics.includes('EM:F')) return 9
  return metrics.includes('EM:P') ? 6 : 3
}

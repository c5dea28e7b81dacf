import type { ExploitAvailability, ExploitMaturity, TrustInput } from '../words/exploit'
import table from './rating-weights.json' with { type: 'json' }

/**
 * The weights of every VPRv1 metric, as GET /api/ratings/metrics answers them.
 * Units: points towards a sub-score (vulnerability and threat 0-5, asset 0-4); the keys of `caps` are ages in days,
 * inclusive. `cvss2_base_score.default` is the divisor that brings a CVSS v2 base score from 0-10 to 0-4.
 * Source: rating-golden.json, `weights`.
 */
export const ratingWeights = table.weights

type RatedExploit = { availability: ExploitAvailability; maturity: ExploitMaturity; trust_level: TrustInput }

export type Rating = {
  vuln: number
  threat: number
  asset: number
  score_raw: number
  score: number
  display: { vuln: number; threat: number; asset: number }
}

type ScoreBand = 'red' | 'orange' | 'yellow' | 'blue'

type Letters = Readonly<Record<string, string>>
type Weights = Readonly<Record<string, number>> & { readonly default: number }
type AgeWeights = { readonly default: number; readonly caps: Readonly<Record<string, number>> }

/** Ages in days after which a rating changes: re-rate on day 16 and on day 46 (specification 1, section 4). */
export const ageCaps = [15, 45] as const

const letters = {
  availability: { unknown: 'X', private: 'R', public: 'U' },
  maturity: { unknown: 'X', unproven: 'U', poc: 'P', functional: 'F' },
  trust: { unknown: 'X', low: 'L', medium: 'M', high: 'H', trusted: 'H' },
} as const

/** The letters of a vector as `ratingWeights` calls them; an unknown letter takes the default weight. */
export const weightNames = {
  AV: { L: 'local', A: 'adjacent', N: 'network' },
  AC: { H: 'high', M: 'medium', L: 'low' },
  Au: { M: 'multiple', S: 'single', N: 'none' },
  impact: { N: 'none', L: 'partial', P: 'partial', C: 'complete', H: 'complete' },
  R: { U: 'unavailable', W: 'workaround', T: 'temporary', O: 'official' },
  EA: { X: 'unknown', R: 'private', U: 'public' },
  EM: { X: 'unknown', U: 'unproven', P: 'poc', F: 'functional' },
  ET: { X: 'unknown', L: 'low', M: 'medium', H: 'high' },
  Cr: { L: 'low', M: 'medium', H: 'high' },
  E: { R: 'restricted', I: 'internal', E: 'external' },
  D: { L: 'low', M: 'medium', H: 'high' },
}

const relevancyLevels = [1, 2, 3, 4, 5] as const
const relevancyWeights = {
  availability: { unknown: 0, private: 0.66, public: 1.5 },
  trust: { unknown: 0, low: 0.33, medium: 0.66, high: 1, trusted: 1 },
  maturity: { unknown: 0, unproven: 0.5, poc: 1, functional: 1.5 },
}

const scoreWords = { red: 'Critical', orange: 'High', yellow: 'Medium', blue: 'Low' } as const

/** EA, EM and ET of a vector: the strongest of all exploits, each metric by itself; `EA:X/EM:X/ET:X` when there are none. */
export function formatExploitMetrics(exploits: RatedExploit[]) {
  const EA = exploits.map(({ availability }) => letters.availability[availability])
  const EM = exploits.map(({ maturity }) => letters.maturity[maturity])
  return writeStrongest({ EA, EM, ET: exploits.map(({ trust_level }) => letters.trust[trust_level]) })
}

const writeStrongest = ({ EA, EM, ET }: Record<'EA' | 'EM' | 'ET', string[]>) =>
  `EA:${strongest(EA, 'XRU')}/EM:${strongest(EM, 'XUPF')}/ET:${strongest(ET, 'XLMH')}`

/** The stronger EA, EM and ET of two lists of exploits, each metric by itself; as `formatExploitMetrics` writes them. */
export function strongerMetrics(a: string, b: string) {
  const both = (code: string) => [a, b].map((metrics) => metrics.split(`${code}:`)[1]?.charAt(0) ?? 'X')
  return writeStrongest({ EA: both('EA'), EM: both('EM'), ET: both('ET') })
}

type RatingFacts = {
  cvss_vector: string | null
  vuln_age_days: number
  is_confirmed: boolean
  is_in_the_news: boolean
  is_in_the_wild: boolean
  exploit_metrics: string
  exploit_age_days: number
}

/**
 * The VPRv1 vector of a vulnerability, without asset metrics: those are the reader's. Shape: CVSS v2 base letters as given (none
 * when `cvss_vector` is null), then CL:Y VX EA EM ET EX N:Y W:Y, joined by '/'; ages are whole days, EX that of the oldest exploit.
 * Source: specification 1, section 3 (rating vector codes); rating-golden.json, `vector_builder`.
 */
export function formatRatedVector(vuln: RatingFacts) {
  const metrics = [
    vuln.cvss_vector,
    vuln.is_confirmed && 'CL:Y',
    `VX:${wholeDays(vuln.vuln_age_days)}`,
    vuln.exploit_metrics,
    `EX:${wholeDays(vuln.exploit_age_days)}`,
    vuln.is_in_the_news && 'N:Y',
    vuln.is_in_the_wild && 'W:Y',
  ]
  return metrics.filter(Boolean).join('/')
}

/**
 * Rates a VPRv1 vector: sub-scores `vuln` (-0.5 to 5), `threat` (to 5) and `asset` (to 4) with one decimal, `score_raw` 3-100 and
 * its truncation `score`, and `display`, the sub-scores as whole numbers 0-100. Never fails: a metric that is missing or has an
 * unknown letter takes its default weight, an unknown metric is ignored.
 * Source: specification 1, sections 3 and 4; rating-golden.json, `screen`.
 */
export function computeRating(vector: string): Rating {
  const metrics: Letters = Object.fromEntries(vector.split('/').map((metric) => metric.split(':')))
  const { vulnerability, threat, asset } = ratingWeights
  const scores = {
    vuln: capped(vulnPoints(metrics), vulnerability.max_score),
    threat: capped(threatPoints(metrics), threat.max_score),
    asset: capped(assetPoints(metrics), asset.max_score),
  }
  const score_raw = 12 * scores.vuln + 4 * scores.threat + 5 * scores.asset
  const display = {
    // A dial begins at 0.
    vuln: Math.max(0, Math.trunc(20 * scores.vuln)),
    threat: Math.trunc(20 * scores.threat),
    asset: Math.trunc(25 * scores.asset),
  }
  return { ...scores, score_raw, score: Math.trunc(score_raw), display }
}

/**
 * How much an exploit matters, 1 (hearsay) to 5 (public, functional, trusted):
 * ceil(1 + availability + trust + maturity).
 * Source: API.md, exploit row; rating-golden.json, `relevancy`.
 */
export function computeRelevancy({ availability, trust_level, maturity }: RatedExploit) {
  const { availability: availabilities, trust, maturity: maturities } = relevancyWeights
  const points = availabilities[availability] + trust[trust_level] + maturities[maturity]
  return relevancyLevels[Math.ceil(points)] ?? 5
}

/** The colour of a score 0-100, from 80, 60, 40 and 0; null when unscored (specification 1, section 9). */
export function scoreBand(score: number | null): ScoreBand | null {
  if (score === null) return null
  if (score >= 80) return 'red'
  if (score >= 60) return 'orange'
  if (score >= 40) return 'yellow'
  return score >= 0 ? 'blue' : null
}

/** The word for the colour of `scoreBand`; 'n/a' when unscored. */
export function scoreWord(score: number | null) {
  const band = scoreBand(score)
  return band ? scoreWords[band] : 'n/a'
}

function vulnPoints(metrics: Letters) {
  const { confirmation, remediation, age, cvss2_base_score } = ratingWeights.vulnerability
  const confirmed = metrics.CL === 'Y' ? confirmation.is_confirmed : confirmation.default
  const base = round(cvss2BaseScore(metrics) / cvss2_base_score.default, 2)
  // Ties at the second decimal depend on the order of these terms; the golden values fix it.
  return confirmed + weigh(remediation, weightNames.R, metrics.R) + weighAge(age, metrics.VX) + base
}

function threatPoints(metrics: Letters) {
  const { exploit_availability, exploit_maturity, exploit_trust, exploit_age, threat_intensity } = ratingWeights.threat
  return (
    weigh(exploit_availability, weightNames.EA, metrics.EA) +
    weigh(exploit_maturity, weightNames.EM, metrics.EM) +
    weigh(exploit_trust, weightNames.ET, metrics.ET) +
    weighAge(exploit_age, metrics.EX) +
    (metrics.N === 'Y' ? threat_intensity.is_in_the_news : threat_intensity.default) +
    (metrics.W === 'Y' ? threat_intensity.is_in_the_wild : threat_intensity.default)
  )
}

function assetPoints(metrics: Letters) {
  const { criticality, exposure, distribution } = ratingWeights.asset
  return (
    weigh(criticality, weightNames.Cr, metrics.Cr) +
    weigh(exposure, weightNames.E, metrics.E) +
    weigh(distribution, weightNames.D, metrics.D)
  )
}

// The base equation of "A Complete Guide to CVSS v2", section 3.2.1.
function cvss2BaseScore(metrics: Letters) {
  const { access, impact } = ratingWeights.vulnerability.cvss2
  const spared =
    (1 - weigh(impact.confidentiality, weightNames.impact, metrics.C)) *
    (1 - weigh(impact.integrity, weightNames.impact, metrics.I)) *
    (1 - weigh(impact.availability, weightNames.impact, metrics.A))
  if (spared === 1) return 0

  const exploitability =
    20 *
    weigh(access.vector, weightNames.AV, metrics.AV) *
    weigh(access.complexity, weightNames.AC, metrics.AC) *
    weigh(access.authentication, weightNames.Au, metrics.Au)
  return round((0.6 * 10.41 * (1 - spared) + 0.4 * exploitability - 1.5) * 1.176, 1)
}

const weigh = (weights: Weights, names: Letters, letter = '') => weights[names[letter] ?? 'default'] ?? weights.default

function weighAge(weights: AgeWeights, age = '') {
  const age_days = Number.parseInt(age, 10)
  const [, weight] = Object.entries(weights.caps).find(([cap_days]) => age_days <= Number(cap_days)) ?? []
  return weight ?? weights.default
}

const strongest = (found: string[], ranking: string) =>
  ranking.charAt(Math.max(0, ...found.map((letter) => ranking.indexOf(letter))))

const wholeDays = (age_days: number) => Math.max(0, Math.floor(age_days))
const capped = (points: number, max: number) => round(Math.min(points, max), 1)
const round = (value: number, decimals: number) => Number(value.toFixed(decimals))

import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { IdParams } from '../http/fields'

const Weight = z.record(z.string(), z.number())
const AgeWeight = z.object({ default: z.number(), caps: z.record(z.string(), z.number()) })

export const RatingWeights = z.object({
  vulnerability: z.object({
    max_score: z.number(),
    cvss2_base_score: Weight,
    cvss2: z.object({
      access: z.object({ complexity: Weight, authentication: Weight, vector: Weight }),
      impact: z.object({ confidentiality: Weight, integrity: Weight, availability: Weight }),
    }),
    confirmation: Weight,
    remediation: Weight,
    age: AgeWeight,
  }),
  threat: z.object({
    max_score: z.number(),
    exploit_availability: Weight,
    exploit_maturity: Weight,
    exploit_trust: Weight,
    exploit_age: AgeWeight,
    threat_intensity: Weight,
  }),
  asset: z.object({ max_score: z.number(), criticality: Weight, exposure: Weight, distribution: Weight }),
})
export type RatingWeights = z.output<typeof RatingWeights>

export const ratingMetricWeights = endpoint({
  path: '/api/ratings/metrics',
  access: 'member',
  summary: 'The weight of every metric of a rating',
  reply: RatingWeights,
})

const levels = { '': '', x: '', unknown: '', l: 'L', low: 'L', m: 'M', medium: 'M', h: 'H', high: 'H' }
const reaches = { '': '', x: '', unknown: '', r: 'R', restricted: 'R', i: 'I', internal: 'I', e: 'E', external: 'E' }

/** A letter of the vector, in any case, or its word. */
const letter = (letters: Readonly<Record<string, string>>, message: string) =>
  z
    .string()
    .trim()
    .toLowerCase()
    .refine((text) => Object.hasOwn(letters, text), message)
    .transform((text) => letters[text] ?? '')

/** Specification 1, section 4: low under 15, medium under 45, high from there. */
const toLevel = (spread: string) => {
  if (!/^\d+(\.\d+)?$/.test(spread)) return spread
  return Number(spread) < 15 ? 'low' : Number(spread) < 45 ? 'medium' : 'high'
}

export const AssetMetrics = z.object({
  criticality: letter(levels, 'Must be low, medium or high').optional(),
  exposure: letter(reaches, 'Must be restricted, internal or external').optional(),
  distribution: z
    .union([z.string(), z.number().nonnegative()])
    .transform((spread) => toLevel(String(spread)))
    .pipe(letter(levels, 'Must be low, medium, high or a number'))
    .optional(),
})
export type AssetMetrics = z.output<typeof AssetMetrics>

export const VulnRating = z.object({
  /** The id of the vulnerability, like `vuln`. */
  id: z.int(),
  vuln: z.int(),
  /** Empty without a CVSS vector: then all that follows from it is null. */
  vector: z.string(),
  score: z.int().nullable(),
  score_details: z.object({ vuln: z.number(), threat: z.number(), asset: z.number() }).nullable(),
  /** CVSS v2: base, temporal, environmental. */
  cvssV2adj: z.array(z.number().nullable()).nullable(),
  cvssv2adj: z.array(z.number().nullable()).nullable(),
})
export type VulnRating = z.output<typeof VulnRating>

export const calcRating = endpoint({
  path: '/api/ratings/calc/:id',
  access: 'member',
  summary: 'The rating of a vulnerability, for an asset where one is described',
  params: IdParams,
  query: AssetMetrics,
  reply: VulnRating,
})

export const calcAssetRating = endpoint({
  method: 'POST',
  path: '/api/ratings/calc/:id',
  access: 'member',
  asksFirst: true,
  summary: 'The rating of a vulnerability for an asset',
  params: IdParams,
  body: AssetMetrics,
  reply: VulnRating,
})

export const getRatingVector = endpoint({
  path: '/api/ratings/vector/:id',
  access: 'member',
  summary: 'The rating vector of a vulnerability, as of today: a bare string, empty while nobody has scored it',
  params: IdParams,
  reply: z.string(),
})

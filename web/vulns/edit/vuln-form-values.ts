import * as z from 'zod'
import {
  accessAuthentications,
  accessComplexities,
  accessVectors,
  impactLevels,
  parseAccess,
  toV2Words,
  type V2Words,
  writeV2Vector,
} from '../../../worker/domain/scores/cvss'
import { scopes } from '../../../worker/domain/words/exploit'

const text = z.string().catch('')
const number = z.number().or(z.string()).catch('')
const lines = z
  .array(z.string())
  .transform((values) => values.join('\n'))
  .or(text)
const impact = z.enum(impactLevels).catch('NONE')
const flag = z.boolean().catch(false)

/** Stored values, as the fields show them; a missing one is as in a form that nobody filled. */
const FormValues = z.object({
  cve_id: text,
  scope: z.enum(scopes).catch('private'),
  summary: text,
  published: text,
  cvss2: number,
  cvss2_vector: text,
  cvss3: number,
  cvss3_vector: text,
  cwe: text,
  access_authentication: z.enum(accessAuthentications).catch('NONE'),
  access_complexity: z.enum(accessComplexities).catch('LOW'),
  access_vector: z.enum(accessVectors).catch('LOCAL'),
  impact_availability: impact,
  impact_confidentiality: impact,
  impact_integrity: impact,
  references: lines,
  cpes: lines,
  monitored: flag,
  is_exploitable: flag,
  is_confirmed: flag,
  is_in_the_news: flag,
  is_in_the_wild: flag,
})
export type FormValues = z.output<typeof FormValues>

export const toFormValues = (stored: object) => FormValues.parse(stored)

export const newForm = () => toFormValues({ published: new Date().toISOString().slice(0, 10) })

/** A vector as it was typed. One of CVSS 2 says its words; emptied, it says none. */
export function withVector(field: 'cvss2_vector' | 'cvss3_vector', vector: string): Partial<FormValues> {
  if (field === 'cvss3_vector') return { cvss3_vector: vector }
  return { cvss2_vector: vector, ...((!vector.trim() || parseAccess(vector).vector) && toV2Words(vector)) }
}

/** A word as it was chosen, and the vector that all of them make. */
export function withMetric(values: FormValues, field: keyof V2Words, word: string): FormValues {
  const words = toFormValues({ ...values, [field]: word })
  return { ...words, cvss2_vector: writeV2Vector(words) ?? '' }
}

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
import type { Scope } from '../../../worker/domain/words/exploit'

export type FormValues = V2Words & {
  cve_id: string
  scope: Scope
  summary: string
  published: string
  cvss2: string | number
  cvss2_vector: string
  cvss3: string | number
  cvss3_vector: string
  cwe: string
  references: string
  cpes: string
  monitored: boolean
  is_exploitable: boolean
  is_confirmed: boolean
  is_in_the_news: boolean
  is_in_the_wild: boolean
}

const emptyForm: FormValues = {
  cve_id: '',
  scope: 'private',
  summary: '',
  published: '',
  cvss2: '',
  cvss2_vector: '',
  cvss3: '',
  cvss3_vector: '',
  cwe: '',
  ...toV2Words(null),
  references: '',
  cpes: '',
  monitored: false,
  is_exploitable: false,
  is_confirmed: false,
  is_in_the_news: false,
  is_in_the_wild: false,
}

/** A form that nobody filled, of today. */
export const newForm = () => ({ ...emptyForm, published: new Date().toISOString().slice(0, 10) })

export function toFormValues(stored: Record<string, unknown>): FormValues {
  const text = (name: string) => (typeof stored[name] === 'string' ? stored[name] : '')
  const number = (name: string) => (typeof stored[name] === 'number' ? stored[name] : '')
  const lines = (name: string) => (Array.isArray(stored[name]) ? stored[name].join('\n') : '')
  const choice = <Value extends string>(name: string, values: readonly Value[], fallback: Value) =>
    values.find((value) => value === stored[name]) ?? fallback
  const flag = (name: string) => stored[name] === true
  return {
    cve_id: text('cve_id'),
    scope: choice('scope', scopes, 'private'),
    summary: text('summary'),
    published: text('published'),
    cvss2: number('cvss2'),
    cvss2_vector: text('cvss2_vector'),
    cvss3: number('cvss3'),
    cvss3_vector: text('cvss3_vector'),
    cwe: text('cwe'),
    access_authentication: choice('access_authentication', accessAuthentications, 'NONE'),
    access_complexity: choice('access_complexity', accessComplexities, 'LOW'),
    access_vector: choice('access_vector', accessVectors, 'LOCAL'),
    impact_availability: choice('impact_availability', impactLevels, 'NONE'),
    impact_confidentiality: choice('impact_confidentiality', impactLevels, 'NONE'),
    impact_integrity: choice('impact_integrity', impactLevels, 'NONE'),
    references: lines('references'),
    cpes: lines('cpes'),
    monitored: flag('monitored'),
    is_exploitable: flag('is_exploitable'),
    is_confirmed: flag('is_confirmed'),
    is_in_the_news: flag('is_in_the_news'),
    is_in_the_wild: flag('is_in_the_wild'),
  }
}

/** A vector as it was typed. One of CVSS 2 says its words; emptied, it says none. */
export function withVector(field: 'cvss2_vector' | 'cvss3_vector', text: string): Partial<FormValues> {
  if (field === 'cvss3_vector') return { cvss3_vector: text }
  return { cvss2_vector: text, ...((!text.trim() || parseAccess(text).vector) && toV2Words(text)) }
}

/** A word as it was chosen, and the vector that all of them make. */
export function withMetric(values: FormValues, field: keyof V2Words, word: string): FormValues {
  const chosen = toFormValues({ ...values, [field]: word })
  const words = { ...values, [field]: chosen[field] }
  return { ...words, cvss2_vector: writeV2Vector(words) ?? '' }
}

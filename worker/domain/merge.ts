import { sources } from './record'
import type { AffectedRange, CvssMetric, Reference, Source, VulnRecord, VulnState } from './record'

export type Records = Partial<Record<Source, VulnRecord>>

/** A vulnerability as its records together tell it; what depends on the day (score) or on scale (EPSS) is not here. */
export type Merged = {
  state: VulnState
  summary: string
  assigner: string | null
  published: string | null
  modified: string | null
  cvss: CvssMetric | null
  cvss3: CvssMetric | null
  cvss4: CvssMetric | null
  cwe_ids: string[]
  references: Reference[]
  kev: VulnRecord['kev'] | null
  is_exploitable: boolean
  is_confirmed: boolean
  is_in_the_news: boolean
  is_in_the_wild: boolean
  exploit_count: number
  threat_activity_count: number
}

/** Which source is believed first, field by field; a source that says nothing is passed over. */
const precedence = {
  summary: ['nvd', 'kev'],
  assigner: ['nvd'],
  published: ['nvd'],
  modified: ['nvd'],
  cvss: ['nvd'],
  cvss3: ['nvd'],
  cvss4: ['nvd'],
  cwe_ids: ['nvd', 'kev'],
  kev: ['kev', 'nvd'],
} as const satisfies Partial<Record<keyof VulnRecord, readonly Source[]>>

/**
 * Derives one vulnerability from what its sources say (DESIGN §4: records are kept, vulns are derived).
 * Flags: exploitable by a reference that NVD tags "Exploit" or by KEV; confirmed by the vendor's own advisory or patch;
 * in the news by a tagged press article; in the wild by KEV. A rejected vulnerability carries none of them.
 */
export function merge(records: Records): Merged {
  const first = <Field extends keyof typeof precedence>(field: Field): NonNullable<VulnRecord[Field]> | null => {
    for (const source of precedence[field]) {
      const value = records[source]?.[field]
      if (value !== undefined && (!Array.isArray(value) || value.length)) return value as NonNullable<VulnRecord[Field]>
    }
    return null
  }
  const state = stateOf(records)
  const isThreat = state !== 'rejected'
  const references = mergeReferences(records)
  const tagged = (tag: string) => (isThreat ? references.filter(({ tags }) => tags.includes(tag)).length : 0)
  const kev = isThreat ? first('kev') : null

  return {
    state,
    summary: first('summary') ?? '',
    assigner: first('assigner'),
    published: first('published'),
    modified: first('modified'),
    cvss: isThreat ? first('cvss') : null,
    cvss3: isThreat ? first('cvss3') : null,
    cvss4: isThreat ? first('cvss4') : null,
    cwe_ids: first('cwe_ids') ?? [],
    references,
    kev,
    is_exploitable: tagged('Exploit') > 0 || kev !== null,
    is_confirmed: tagged('Vendor Advisory') + tagged('Patch') > 0 || kev !== null,
    is_in_the_news: tagged('Press/Media Coverage') > 0,
    is_in_the_wild: kev !== null,
    exploit_count: tagged('Exploit'),
    threat_activity_count: kev ? 1 : 0,
  }
}

function stateOf(records: Records): VulnState {
  const states = sources.flatMap((source) => records[source]?.state ?? [])
  if (states.includes('rejected')) return 'rejected'
  return states.includes('published') ? 'published' : 'awaiting'
}

function mergeReferences(records: Records): Reference[] {
  const byUrl = new Map<string, Set<string>>()
  for (const source of sources)
    for (const { url, tags } of records[source]?.references ?? []) {
      const known = byUrl.get(url) ?? new Set()
      for (const tag of tags) known.add(tag)
      byUrl.set(url, known)
    }
  return [...byUrl].map(([url, tags]) => ({ url, tags: [...tags] }))
}

/** The ranges of one product as text that is equal when they are. */
export const rangesKey = (ranges: AffectedRange[]) => JSON.stringify(ranges)

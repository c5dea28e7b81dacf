/** awaiting: named by a catalogue (KEV) before its record is here. rejected: withdrawn by its CNA, never a threat. */
export const vulnStates = ['published', 'awaiting', 'rejected'] as const
export type VulnState = (typeof vulnStates)[number]

/** Sources in the order in which they were added; a record is what one of them says. */
export const sources = ['nvd', 'kev'] as const
export type Source = (typeof sources)[number]

/** A base score and its vector, and who gave it. */
export type CvssMetric = { score: number; vector: string; by: string }

export type Reference = { url: string; tags: string[] }

/**
 * Versions of a product: a CPE tail (domain/cpe: `a:1.0.1:beta1`), or one with bounds.
 * ge/gt: start including/excluding, le/lt: end including/excluding.
 */
export type AffectedRange = string | { cpe: string; ge?: string; gt?: string; le?: string; lt?: string }

export type AffectedProduct = { vendor: string; product: string; ranges: AffectedRange[] }

/** What one source says of one vulnerability, in the terms all sources share. */
export type VulnRecord = {
  cveid: string
  state: VulnState
  summary?: string
  /** YYYY-MM-DDTHH:MM:SSZ */
  published?: string
  modified?: string
  assigner?: string
  /** CVSS 2.0 */
  cvss?: CvssMetric
  /** CVSS 3.x */
  cvss3?: CvssMetric
  /** CVSS 4.0 */
  cvss4?: CvssMetric
  cwe_ids?: string[]
  references?: Reference[]
  /** Dates as YYYY-MM-DD. */
  kev?: { added: string; due: string | null; ransomware: boolean; name: string }
  affected?: AffectedProduct[]
}

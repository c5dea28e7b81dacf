import type { Compared } from '../domain/change'
import type { Merged } from '../domain/merge'
import { scoreOf } from '../domain/score'
import { accessOf } from '../domain/cvss'

/** The columns of `vulns` that follow from its records, in the order in which a bulk insert writes them. */
export type Derived = {
  cveid: string
  state: Merged['state']
  summary: string
  assigner: string | null
  published: string | null
  modified: string | null
  cvss: number | null
  cvss_vector: string | null
  cvss3: number | null
  cvss3_vector: string | null
  cvss4: number | null
  cvss4_vector: string | null
  cwe_id: string | null
  score: number | null
  kev_added_at: string | null
  kev_due_at: string | null
  kev_ransomware: boolean | null
  is_exploitable: boolean
  is_confirmed: boolean
  is_in_the_news: boolean
  is_in_the_wild: boolean
  exploit_count: number
  threat_activity_count: number
  cpe_count: number
  product_count: number
  keywords: string
}

/** Ranges as JSON, and how many. */
export type Ranges = { json: string; count: number }
/** A product by `nameOf` → what each source says of its versions. */
export type ProductRanges = Map<string, Map<string, Ranges>>

export function derive(cveid: string, merged: Merged, products: ProductRanges, now: Date): Derived {
  const { cvss, cvss3, cvss4, kev, cwe_ids, references: _, ...rest } = merged
  const columns = {
    ...rest,
    cveid,
    cvss: cvss?.score ?? null,
    cvss_vector: cvss?.vector ?? null,
    cvss3: cvss3?.score ?? null,
    cvss3_vector: cvss3?.vector ?? null,
    cvss4: cvss4?.score ?? null,
    cvss4_vector: cvss4?.vector ?? null,
    cwe_id: cwe_ids[0] ?? null,
    kev_added_at: kev?.added ?? null,
    kev_due_at: kev?.due ?? null,
    kev_ransomware: kev?.ransomware ?? null,
    cpe_count: countRanges(products),
    product_count: products.size,
    keywords: keywordsOf(products),
  }
  return { ...columns, score: scoreOf(columns, now) }
}

function countRanges(products: ProductRanges) {
  let count = 0
  for (const bySource of products.values()) {
    let most = 0
    for (const ranges of bySource.values()) most = Math.max(most, ranges.count)
    count += most
  }
  return count
}

const maxKeywords = 2_000

function keywordsOf(products: ProductRanges) {
  const words = new Set<string>()
  for (const name of products.keys()) {
    const [vendor = '', product = ''] = splitName(name)
    words.add(vendor.replaceAll('_', ' '))
    words.add(product.replaceAll('_', ' '))
  }
  return [...words].join(' ').slice(0, maxKeywords)
}

const separator = '\u0000'
export const nameOf = (vendor: string, product: string) => `${vendor}${separator}${product}`
export const splitName = (name: string) => name.split(separator)

/** What the change log compares. */
export function comparedOf(
  derived: Omit<Derived, 'keywords'>,
  references: string[],
  products: ProductRanges,
): Compared {
  const ranges = [...products].map(([name, bySource]): [string, string] => [
    splitName(name).join(':'),
    [...bySource]
      .map(([source, { json }]) => source + json)
      .sort()
      .join(),
  ])
  return { ...derived, references, products: new Map(ranges) }
}

/** Which counters a vulnerability counts in; a rejected one in none. */
export function countedIn(
  vuln: Pick<Derived, 'state' | 'is_exploitable' | 'exploit_count' | 'threat_activity_count'> & Vectors,
) {
  if (vuln.state === 'rejected') return { vulns: 0, vulns_exploitable: 0, vulns_remote: 0, exploits: 0, threats: 0 }
  const { vector } = accessOf(vuln.cvss4_vector ?? vuln.cvss3_vector ?? vuln.cvss_vector)
  return {
    vulns: 1,
    vulns_exploitable: Number(vuln.is_exploitable),
    vulns_remote: Number(vector === 'NETWORK'),
    exploits: vuln.exploit_count,
    threats: vuln.threat_activity_count,
  }
}

type Vectors = Pick<Derived, 'cvss_vector' | 'cvss3_vector' | 'cvss4_vector'>

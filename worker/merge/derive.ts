import type { ComparedVuln } from '../domain/alerts/change'
import type { ComparedNames } from '../domain/alerts/versions-change'
import { sumClaims } from '../domain/names/catalogues'
import { isCveId } from '../domain/names/cve'
import { parseAccess, baseLetters } from '../domain/scores/cvss'
import type { Merged } from '../domain/words/merge'
import { isExploit } from '../domain/words/exploit-purpose'
import { formatExploitMetrics } from '../domain/scores/rating'
import { cisaKey, type SourceKey, type Ssvc } from '../domain/words/record'
import { computeScore, isScoreProvisional } from '../domain/scores/score'
import type { vulns } from '../schema/vulns'
import { collectKeywords } from './keywords'

/** In the order in which a bulk insert writes them. */
export const derivedColumns = [
  'cveid',
  'state',
  'title',
  'summary',
  'assigner',
  'published',
  'modified',
  'cvss',
  'cvss_vector',
  'cvss3',
  'cvss3_vector',
  'cvss4',
  'cvss4_vector',
  'access',
  'impact',
  'cwe_id',
  'score',
  'kev_added_at',
  'kev_due_at',
  'kev_ransomware',
  'ssvc',
  'is_exploitable',
  'is_confirmed',
  'is_in_the_news',
  'is_in_the_wild',
  'is_malicious',
  'exploit_count',
  'exploit_metrics',
  'exploit_published',
  'threat_activity_count',
  'cpe_count',
  'product_count',
  'package_count',
  'keywords',
] as const satisfies (keyof VulnRow)[]

type VulnRow = typeof vulns.$inferSelect
export type Derived = Pick<VulnRow, (typeof derivedColumns)[number]> & { cveid: string }

/** `by`: whose they are within their source. */
export type Ranges = { json: string; count: number; by?: 'cisa' }
/** By `joinName`: the statements of each source on its versions. */
export type NameRanges = Map<string, Map<SourceKey, Ranges>>
export type Affected = { products: NameRanges; packages: NameRanges }
export const nothingAffected = (): Affected => ({ products: new Map(), packages: new Map() })

export type Day = { now: Date; epss: number | null }

export function derive(cveid: string, merged: Merged, { products, packages }: Affected, { now, epss }: Day): Derived {
  const { state, title, summary, assigner, published, modified, cvss, cvss3, cvss4, kev } = merged
  const exploits = merged.exploits.filter(isExploit)
  const columns = {
    cveid,
    state,
    title,
    summary,
    assigner,
    published,
    modified,
    cvss: cvss ? tenths(cvss.score) : null,
    cvss_vector: cvss?.vector || null,
    cvss3: cvss3 ? tenths(cvss3.score) : null,
    cvss3_vector: cvss3?.vector || null,
    cvss4: cvss4 ? tenths(cvss4.score) : null,
    cvss4_vector: cvss4?.vector || null,
    ...baseLetters(cvss?.vector || cvss3?.vector || cvss4?.vector || null),
    cwe_id: merged.cwe_ids[0] ?? null,
    kev_added_at: kev?.added ?? null,
    kev_due_at: kev?.due ?? null,
    kev_ransomware: kev?.ransomware ?? null,
    ssvc: merged.ssvc && ssvcLetters(merged.ssvc),
    is_exploitable: merged.is_exploitable,
    is_confirmed: merged.is_confirmed,
    is_in_the_news: merged.is_in_the_news,
    is_in_the_wild: merged.is_in_the_wild,
    is_malicious: merged.is_malicious,
    exploit_count: exploits.length,
    exploit_metrics: exploits.length ? formatExploitMetrics(exploits) : null,
    exploit_published: exploits.flatMap(({ published: at }) => at ?? []).sort()[0] ?? null,
    threat_activity_count: merged.threats.length,
    cpe_count: countRanges(products),
    product_count: products.size,
    package_count: packages.size,
    keywords: collectKeywords(merged, summary, [products, packages]),
  }
  return { ...columns, score: computeScore({ ...columns, epss }, now) }
}

// CVSS scores have one decimal; further digits of a source are noise.
const tenths = (score: number) => Math.round(score * 10) / 10

const ssvcLetters = ({ exploitation, automatable, technical_impact }: Ssvc) =>
  [
    exploitation?.[0]?.toUpperCase() ?? '-',
    automatable === null ? '-' : automatable ? 'Y' : 'N',
    technical_impact?.[0]?.toUpperCase() ?? '-',
  ].join('')

function countRanges(products: NameRanges) {
  let count = 0
  for (const bySource of products.values()) {
    let longest = 0
    for (const ranges of bySource.values()) longest = Math.max(longest, ranges.count)
    count += longest
  }
  return count
}

const separator = '\u0000'
/** Removes the separator, and half surrogates, which the database would not return unchanged. */
const clean = (name: string) => (name.includes(separator) ? name.replaceAll(separator, '') : name).toWellFormed()
export const joinName = (first: string, second: string) => `${clean(first)}${separator}${clean(second)}`
/** `split` takes ten times as long. */
export function splitName(name: string): [first: string, second: string] {
  const at = name.indexOf(separator)
  return [name.slice(0, at), name.slice(at + 1)]
}

export function toCompared(derived: Omit<Derived, 'keywords'>, merged: Merged, affected: Affected): ComparedVuln {
  return {
    ...derived,
    is_score_provisional: isScoreProvisional(derived),
    claims: sumClaims(merged.claims),
    references: merged.references.map(({ url }) => url),
    exploits: new Map(merged.exploits.filter(isExploit).map(({ key, source }) => [key, source])),
    products: comparedNames(affected.products),
    packages: comparedNames(affected.packages),
  }
}

const comparedNames = (names: NameRanges): ComparedNames =>
  new Map(
    [...names].map(([name, bySource]) => [
      splitName(name).join(':'),
      // It is no news which party of a source says it.
      [...bySource]
        .map(([key, { json }]) => ({ key: key === cisaKey ? 'cve' : key, json }))
        .sort((a, b) => (a.key < b.key ? -1 : 1)),
    ]),
  )

/** A rejected CVE counts as such alone. */
const none = { vulns: 0, cves: 0, cves_awaiting: 0, vulns_exploitable: 0, vulns_remote: 0, exploits: 0, threats: 0 }

export function countedIn(
  vuln: Pick<Derived, 'cveid' | 'state' | 'is_exploitable' | 'exploit_count' | 'threat_activity_count'> & Vectors,
) {
  const cve = Number(isCveId(vuln.cveid))
  if (vuln.state === 'rejected') return { ...none, cves_rejected: cve }
  const { vector } = parseAccess(vuln.cvss_vector ?? vuln.cvss3_vector ?? vuln.cvss4_vector)
  return {
    vulns: 1,
    cves: cve,
    cves_awaiting: vuln.state === 'awaiting' ? cve : 0,
    cves_rejected: 0,
    vulns_exploitable: Number(vuln.is_exploitable),
    vulns_remote: Number(vector === 'NETWORK'),
    exploits: vuln.exploit_count,
    threats: vuln.threat_activity_count,
  }
}

type Vectors = Pick<Derived, 'cvss_vector' | 'cvss3_vector' | 'cvss4_vector'>

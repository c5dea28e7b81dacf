import type { ExploitAvailability, ExploitMaturity, ExploitType, TlpLevel, TrustLevel } from './exploit'
import type { ExploitPurpose } from './exploit-purpose'

/** awaiting: named by a catalogue (KEV) before its record is here. rejected: withdrawn by its CNA, never a threat. */
export const vulnStates = ['published', 'awaiting', 'rejected'] as const
export type VulnState = (typeof vulnStates)[number]

/** Sources of records: each record is one source's statement on a vulnerability. `cve` is the CVE list, CISA-ADP included. */
export const sources = [
  'cve',
  'nvd',
  'overrides',
  'ghsa',
  'osv',
  'malicious',
  'redhat',
  'kev',
  'eukev',
  'gcve',
  'vulncheck',
  'exploitdb',
  'metasploit',
  'poc',
  'nuclei',
  'manual',
] as const
export type NamedSource = (typeof sources)[number]
/** Sources that the rules of the merge do not name are believed last. */
export type Source = NamedSource | (string & {})

/** A source, or one of the several things that it says of a vulnerability: `cve`, `osv/GO-2022-0470`. */
export type SourceKey = string

/** The source of versions that only the summary calls affected; no record has it. */
export const summarySource: Source = 'summary'

/** `osv/GO-2022-0470`: the source and its own id of a record, where it has several of one vulnerability. */
export const formatSourceKey = (source: Source, ref?: string): SourceKey =>
  ref === undefined ? source : `${source}/${ref}`
/** Products of a record of the CVE list that are affected by versions of CISA's alone. */
export const cisaKey: SourceKey = 'cve/cisa'
/** The keys under which a record's products stand. */
export const rangeKeys = (key: SourceKey): SourceKey[] => (key === 'cve' ? [key, cisaKey] : [key])
/** The source of a key, which stands before the slash. */
export const parseSource = (key: SourceKey): Source => (key.includes('/') ? key.slice(0, key.indexOf('/')) : key)
/** The place of a key's source among the sources, one without a name behind all. */
export function rankSource(key: SourceKey) {
  const at = sources.findIndex((source) => source === parseSource(key))
  return at === -1 ? sources.length : at
}

/** A base score and its vector, and who gave it. */
export type CvssMetric = { score: number; vector: string; by: string }

export type Reference = { url: string; tags: string[] }

/** ge/gt: start including/excluding, le/lt: end including/excluding; `lt` names the version that fixes. */
export type Bounds = { ge?: string; gt?: string; le?: string; lt?: string }

/** `git` hashes have no order, that of `unordered` ones is not known here, `loose` is the documented guess for all others. */
export const versionOrders = [
  'loose',
  'semver',
  'pypi',
  'maven',
  'deb',
  'rpm',
  'apk',
  'gem',
  'nuget',
  'composer',
  'golang',
  'pub',
  'cran',
  'hackage',
  'alpm',
  'git',
  'unordered',
] as const
export type VersionOrder = (typeof versionOrders)[number]

/** A CPE name of the product with bounds, as NVD writes them: the tail of the name (domain/names/cpe) and the bounds. */
export type CpeRange = { cpe: string } & Bounds

/**
 * Versions in an order: exactly `is`, or those within the bounds, or all without them. Affected unless `status` says otherwise; the
 * narrowest statement counts. `on` is where it holds ("Debian:11", "Red Hat Enterprise Linux 9").
 */
export type VersionRange = {
  order: VersionOrder
  is?: string
  status?: 'unaffected' | 'unknown'
  on?: string
  /** Nobody says that the version at which it ends (`lt`) is a fix. */
  is_fix_unstated?: true
  /** The source's text means something else by the letter: its answers are likely. */
  is_guess?: true
  /** Two lists of one record contradict each other about these. */
  is_disputed?: true
  /** The words of the record alone say so, and its list of exact versions does not. */
  is_by_summary?: true
} & Bounds

/** A bare string is a CPE tail without bounds: `a:1.0.1:beta1`. */
export type AffectedRange = string | CpeRange | VersionRange

export type ProductName = { vendor: string; product: string }

export type AffectedProduct = {
  vendor: string
  product: string
  ranges: AffectedRange[]
  /** CISA adds these versions to a record of the CVE list, of which the CNA names none. */
  by?: 'cisa'
}

/** `type` is that of its purl; `name` as its ecosystem writes it: `org.apache.logging.log4j:log4j-core`, `@angular/core`, `debian/openssl`. */
export type AffectedPackage = { type: string; name: string; ranges: VersionRange[] }

/** CISA's Stakeholder-Specific Vulnerability Categorization decision points. */
export type Ssvc = {
  exploitation: 'none' | 'poc' | 'active' | null
  automatable: boolean | null
  technical_impact: 'partial' | 'total' | null
}

/** An exploit as a source lists it; `key` tells it from the others of the vulnerability and is the same in every source. */
export type ExploitRecord = {
  key: string
  link: string
  notes: string
  trust_level: TrustLevel
  availability: ExploitAvailability
  maturity: ExploitMaturity
  type: ExploitType
  /** For entries in lists of exploits that are something else; absent for an exploit. */
  purpose?: Exclude<ExploitPurpose, 'exploit'>
  tlp_level?: TlpLevel
  /** A person's source of it. */
  source_name?: string
  /** YYYY-MM-DDTHH:MM:SSZ */
  published?: string
  modified?: string
}

/** A sign that it is being used or talked about. */
export type ThreatRecord = {
  key: string
  link: string
  notes: string
  trust_level: TrustLevel
  tlp_level?: TlpLevel
  /** A person's source of it. */
  source_name?: string
  is_in_the_wild: boolean
  is_in_the_news: boolean
  published?: string
  modified?: string
}

/** Why a catalogue says so, by the exchange form of GCVE (BCP-07). */
export const claimReasons = ['confirmed', 'suspected', 'disputed', 'historical', 'unknown'] as const

/** A catalogue's claim of exploitation. Those of one catalogue may contradict each other. */
export type ExploitationClaim = {
  /** Tells it from the others of the vulnerability; a threat that it makes has the same. */
  key: string
  /** `cisa`, `eu`, `circl`: the catalogue in queries and on the wire. */
  by: string
  /** "CISA KEV" */
  name: string
  /** False: the catalogue says that it is not exploited. */
  exploited: boolean
  reason: (typeof claimReasons)[number]
  /** YYYY-MM-DD; empty where the catalogue does not say. */
  added: string
  notes: string
  link: string
  /** `confidence` is 0 to 1. */
  evidence?: { type: string; signal?: string; confidence?: number; source?: string }[]
}

/** Statement of one source on one vulnerability, in the terms all sources share. */
export type VulnRecord = {
  /** The CVE id; an advisory that has none goes by its own id (`GO-2024-2567`, `GHSA-…`). */
  cveid: string
  /** The id within the source, where that may say several things of one vulnerability. */
  ref?: string
  state: VulnState
  /** One line: "Citrix NetScaler ADC and NetScaler Gateway Buffer Overflow Vulnerability". */
  title?: string
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
  /** Other ids of it: `GHSA-jfh8-c2jp-5v3q`, `GO-2022-0470`, `RHSA-2024:4312`. */
  aliases?: string[]
  /** Dates as YYYY-MM-DD; `action` is what CISA requires of US agencies, which serves everybody. */
  kev?: {
    added: string
    due: string | null
    ransomware: boolean
    name: string
    action?: string
    /** CISA's own words: "Citrix", "NetScaler ADC and NetScaler Gateway". */
    vendor?: string
    product?: string
    notes?: string
  }
  ssvc?: Ssvc
  /** It is about a package that is itself an attack. */
  is_malicious?: true
  /** Set by people; a feed says the same by exploits, threats and references. */
  flags?: { is_exploitable?: boolean; is_confirmed?: boolean; is_in_the_news?: boolean; is_in_the_wild?: boolean }
  exploits?: ExploitRecord[]
  threats?: ThreatRecord[]
  /** Of catalogues other than KEV, whose marks say more. */
  claims?: ExploitationClaim[]
  affected?: AffectedProduct[]
  /** Names of a title or a catalogue: products that count, by their name only, while no source lists any. */
  named?: ProductName[]
  /** Possible products where it names none at all: those count as `named` that others name (merge/settle-guesses). */
  guesses?: ProductName[]
  packages?: AffectedPackage[]
  /** A checksum of the text that it was read from: as long as that is the same it need not be read again. */
  mark?: string
}

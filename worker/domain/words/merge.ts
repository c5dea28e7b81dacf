import { formatExploitKey } from '../names/exploit-key'
import { isExploit } from './exploit-purpose'
import { isExploitedBy } from '../names/catalogues'
import { plainText } from './plain-text'
import { kevClaim } from './kev-claim'
import { parseSource, rankSource, sources } from './record'
import type {
  CvssMetric,
  ExploitationClaim,
  ExploitRecord,
  NamedSource,
  Reference,
  Source,
  SourceKey,
  Ssvc,
  ThreatRecord,
  VulnRecord,
  VulnState,
} from './record'

/** Records of one vulnerability by source. */
export type Records = { [Key in NamedSource]?: VulnRecord } & { [key: SourceKey]: VulnRecord | undefined }

export type MergedExploit = ExploitRecord & { source: Source }
export type MergedThreat = ThreatRecord & { source: Source }
export type MergedClaim = ExploitationClaim & { source: Source }

/** A vulnerability as its records together tell it; fields that depend on the day (score) or on scale (EPSS) are not here. */
export type Merged = {
  state: VulnState
  /** CISA's, which names product and kind in one form, before those of others. */
  title: string | null
  summary: string
  assigner: string | null
  published: string | null
  modified: string | null
  cvss: CvssMetric | null
  cvss3: CvssMetric | null
  cvss4: CvssMetric | null
  cwe_ids: string[]
  references: Reference[]
  aliases: string[]
  /** Words of the catalogues of exploited vulnerabilities on it, whoever wrote the summary. */
  catalogue_words: string[]
  kev: VulnRecord['kev'] | null
  ssvc: Ssvc | null
  exploits: MergedExploit[]
  threats: MergedThreat[]
  claims: MergedClaim[]
  is_exploitable: boolean
  is_confirmed: boolean
  is_in_the_news: boolean
  is_in_the_wild: boolean
  is_malicious: boolean
  /** Source of each field. */
  provenance: Partial<Record<PreferredField, SourceKey>>
}

/** Order of belief between sources, field by field; a silent source is passed over. The text of an admin wins. */
const precedence = {
  title: ['manual', 'cve', 'ghsa', 'osv', 'malicious'],
  summary: [
    'manual',
    'cve',
    'nvd',
    'ghsa',
    'osv',
    'malicious',
    'redhat',
    'overrides',
    'kev',
    'eukev',
    'gcve',
    'vulncheck',
    'nuclei',
    'metasploit',
    'exploitdb',
  ] as const,
  assigner: ['manual', 'cve', 'nvd', 'ghsa', 'osv'],
  published: ['manual', 'cve', 'nvd', 'ghsa', 'osv', 'malicious', 'redhat', 'overrides'],
  modified: ['manual', 'cve', 'nvd', 'ghsa', 'osv', 'malicious', 'redhat', 'overrides'],
  cvss: ['manual', 'nvd', 'cve', 'redhat', 'ghsa', 'osv'],
  cvss3: ['manual', 'nvd', 'cve', 'redhat', 'ghsa', 'osv'],
  cvss4: ['manual', 'nvd', 'cve', 'redhat', 'ghsa', 'osv'],
  cwe_ids: ['manual', 'nvd', 'cve', 'ghsa', 'osv', 'malicious', 'redhat', 'kev', 'eukev', 'vulncheck'],
  kev: ['kev'],
  ssvc: ['cve'],
} as const satisfies Partial<Record<keyof VulnRecord, readonly NamedSource[]>>
type PreferredField = keyof typeof precedence

/** Only these decide on the state of a CVE. */
const authorities = ['cve', 'nvd'] as const

/**
 * Derives one vulnerability from what its sources say (DESIGN §4), in whatever order the records arrived. A record that its source
 * withdrew says nothing but that. Flags: exploitable by a known exploit or by a KEV; confirmed by an advisory or patch of the vendor,
 * by Red Hat or by KEV; in the news by a tagged press article; in the wild by KEV or a threat. A malicious package is exploited where
 * it runs. A rejected vulnerability has none of them.
 */
export function mergeRecords(records: Records): Merged {
  const all = collectEntries(records)
  const state = deriveState(records, all)
  const entries = state === 'rejected' ? all : all.filter(([, record]) => record.state !== 'rejected')
  const isThreat = state !== 'rejected'

  const unnamed = unnamedSources(entries)
  const provenance: Merged['provenance'] = {}
  const first = <Field extends PreferredField>(field: Field): NonNullable<VulnRecord[Field]> | null => {
    for (const source of [...precedence[field], ...unnamed])
      for (const [key, record] of entries) {
        const value = record[field]
        if (parseSource(key) !== source || value === undefined || isEmpty(value)) continue
        provenance[field] = key
        return value
      }
    return null
  }
  const references = mergeReferences(entries)
  const isTagged = (tag: string) => isThreat && references.some(({ tags }) => tags.includes(tag))
  const kev = isThreat ? first('kev') : null
  const exploits = isThreat ? mergeExploits(entries, references) : []
  const { claims, threats } = mergeThreats(isThreat ? entries : [], kev)
  const is_malicious = isThreat && entries.some(([, record]) => record.is_malicious === true)
  const isExploited = is_malicious || claims.some(isExploitedBy)
  const isFlagged = (flag: keyof NonNullable<VulnRecord['flags']>) =>
    isThreat && entries.some(([, record]) => record.flags?.[flag] === true)

  return {
    state,
    title: kev?.name || textSaid(first('title'), provenance.title) || null,
    summary: textSaid(first('summary'), provenance.summary),
    assigner: first('assigner'),
    published: first('published'),
    modified: newest(entries) ?? first('modified'),
    cvss: isThreat ? first('cvss') : null,
    cvss3: isThreat ? newestVersion(entries, first('cvss3'), provenance) : null,
    cvss4: isThreat ? first('cvss4') : null,
    cwe_ids: first('cwe_ids') ?? [],
    references,
    aliases: collectAliases(all),
    catalogue_words: isThreat ? ['kev', 'eukev', 'vulncheck'].map((source) => records[source]?.summary ?? '') : [],
    kev,
    ssvc: isThreat ? first('ssvc') : null,
    exploits,
    threats,
    claims,
    is_exploitable: exploits.some(isExploit) || isExploited || isFlagged('is_exploitable'),
    is_confirmed:
      isFlagged('is_confirmed') ||
      ['Vendor Advisory', 'Patch'].some(isTagged) ||
      isExploited ||
      (isThreat && records.redhat !== undefined),
    is_in_the_news:
      isTagged('Press/Media Coverage') ||
      threats.some(({ is_in_the_news }) => is_in_the_news) ||
      isFlagged('is_in_the_news'),
    is_in_the_wild: isExploited || threats.some((threat) => threat.is_in_the_wild) || isFlagged('is_in_the_wild'),
    is_malicious,
    provenance,
  }
}

const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && !value.length)

/** A person's words are what they are; feeds may write theirs as HTML. */
const textSaid = (text: string | null, by: SourceKey | undefined) =>
  by === 'manual' ? (text ?? '') : plainText(text ?? '')

type Entries = [SourceKey, VulnRecord][]

const collectEntries = (records: Records) =>
  (Object.entries(records) as Entries).sort(([a], [b]) => rankSource(a) - rankSource(b) || (a < b ? -1 : 1))

// A source that no rule names is believed last, in the order of its name.
function unnamedSources(entries: Entries) {
  const isNamed = (source: Source) => sources.some((known) => known === source)
  return [...new Set(entries.map(([key]) => parseSource(key)))].filter((source) => !isNamed(source)).sort()
}

function deriveState(records: Records, all: Entries): VulnState {
  for (const authority of authorities) {
    const state = records[authority]?.state
    if (state === 'published' || state === 'rejected') return state
  }
  const states = all.map(([, { state }]) => state)
  if (states.includes('published')) return 'published'
  // Also when nobody says anything of it any more.
  return states.every((state) => state === 'rejected') ? 'rejected' : 'awaiting'
}

function newest(entries: Entries) {
  const times = entries.flatMap(([key, { modified }]) => (modified && hasTime(key) ? modified : []))
  return times.sort().at(-1) ?? null
}

// Lists of exploits have times of their own, which are not those of the vulnerability.
const hasTime = (key: SourceKey) => (precedence.modified as readonly Source[]).includes(parseSource(key))

// A vector of CVSS 3.1 before one of 3.0, whoever gave it.
function newestVersion(entries: Entries, preferred: CvssMetric | null, provenance: Merged['provenance']) {
  if (!preferred || preferred.vector.startsWith('CVSS:3.1')) return preferred
  for (const source of precedence.cvss3)
    for (const [key, { cvss3 }] of entries)
      if (parseSource(key) === source && cvss3?.vector.startsWith('CVSS:3.1')) {
        provenance.cvss3 = key
        return cvss3
      }
  return preferred
}

function mergeReferences(entries: Entries): Reference[] {
  const byUrl = new Map<string, Set<string>>()
  for (const [, { references = [] }] of entries)
    for (const { url, tags } of references) {
      const known = byUrl.get(url) ?? new Set()
      for (const tag of tags) known.add(tag)
      byUrl.set(url, known)
    }
  return [...byUrl].map(([url, tags]) => ({ url, tags: [...tags] }))
}

// An admin's record goes by no id of its own.
function collectAliases(all: Entries) {
  const names = all.flatMap(([key, { cveid, ref, aliases = [] }]) =>
    [parseSource(key) === 'manual' ? '' : (ref ?? ''), ...aliases].filter((name) => name && name !== cveid),
  )
  return [...new Set(names)].sort()
}

// The lists of exploits know more of one than a mere link does.
const exploitOrder = ['manual', 'metasploit', 'exploitdb', 'nuclei', 'poc'] as const satisfies NamedSource[]

function mergeExploits(entries: Entries, references: Reference[]): MergedExploit[] {
  const byKey = new Map<string, MergedExploit>()
  const listed = [...exploitOrder, ...unnamedSources(entries)].flatMap((source) =>
    entries
      .filter(([key]) => parseSource(key) === source)
      .flatMap(([, { exploits = [] }]) => exploits.map((exploit) => ({ ...exploit, source }))),
  )
  for (const exploit of listed) if (!byKey.has(exploit.key)) byKey.set(exploit.key, exploit)

  for (const { url, tags } of references) {
    if (!tags.includes('Exploit')) continue
    const key = formatExploitKey(url)
    if (!byKey.has(key)) byKey.set(key, { ...taggedExploit, key, link: url })
  }
  return [...byKey.values()]
}

/** A link that an analyst called an exploit: it is out, and nobody has said how good it is. */
const taggedExploit = {
  source: 'nvd',
  notes: '',
  trust_level: 'medium',
  availability: 'public',
  maturity: 'unknown',
  type: 'unknown',
} as const

function mergeThreats(entries: Entries, kev: VulnRecord['kev'] | null) {
  const claims = mergeClaims(entries, kev)
  const byHand: MergedThreat[] = entries.flatMap(([key, { threats = [] }]) =>
    threats.map((threat) => ({ ...threat, source: parseSource(key) })),
  )
  return { claims, threats: [...byHand, ...claims.filter(isExploitedBy).map(toThreat)] }
}

const toThreat = ({ key, link, notes, added, source }: MergedClaim): MergedThreat => ({
  key,
  link,
  notes,
  trust_level: 'high',
  is_in_the_wild: true,
  is_in_the_news: false,
  ...(added && { published: `${added}T00:00:00Z` }),
  source,
})

function mergeClaims(entries: Entries, kev: VulnRecord['kev'] | null): MergedClaim[] {
  const others = entries.flatMap(([key, { claims = [] }]) =>
    claims.map((claim) => ({ ...claim, source: parseSource(key) })),
  )
  return kev ? [...others, { ...kevClaim(kev), source: 'kev' }] : others
}

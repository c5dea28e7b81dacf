import type { ClaimStanding } from '../names/catalogues'
import { findVersionsChanges, namesShown, type ComparedNames, type VersionsChange } from './versions-change'
import { epssPercent } from '../scores/epss'
import type { Source, VulnState } from '../words/record'
import { nameExploits } from '../words/exploit'

/** minor: worth a line in the history, not a mail (wording, references, a score that ages). */
export const changeKinds = ['new', 'updated', 'minor'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** An advisory that had a vulnerability of its own, as it was when it became part of another one; `is_exploited` by any catalogue. */
export type JoinedAdvisory = { id: string } & Record<'score' | 'cvss' | 'cvss3', number | null> &
  Record<'is_in_kev' | 'is_exploited' | 'is_exploitable' | 'is_malicious', boolean>

/** Names of catalogues; `is_first`: before it, none called the vulnerability exploited. */
type ClaimsChange = {
  field: 'exploited_by'
  added: string[]
  removed: string[]
  denied: string[]
  is_first?: true
}

/** One thing a merge changed; the change log keeps these as JSON. */
export type VulnChange =
  | { field: 'created'; state: VulnState }
  | { field: 'state'; from: VulnState; to: VulnState }
  | { field: 'summary' }
  | { field: Measured; from: number | null; to: number | null; percentiles?: [before: number | null, after: number] }
  /** `provisional`: which of the two stood in for a rating. */
  | { field: 'score'; from: number | null; to: number | null; provisional?: ('from' | 'to')[] }
  | { field: 'cwe_id' | 'kev_added_at'; from: string | null; to: string | null }
  | { field: Flagged; to: boolean }
  | ClaimsChange
  | { field: 'references'; added: number; removed: number }
  /** `from` and `to` are how many there were and are; older entries of the log lack them. */
  | { field: 'exploits'; sources: Source[]; added: number; removed: number; from?: number; to?: number }
  | { field: 'products' | 'packages'; added: string[]; added_count: number; removed_count: number }
  | VersionsChange
  | { field: 'joined'; advisories: JoinedAdvisory[] }

type Measured = 'cvss' | 'cvss3' | 'cvss4' | 'epss'
type Scored = 'cvss' | 'cvss3' | 'cvss4' | 'score'
type Flagged = 'is_exploitable' | 'is_confirmed' | 'is_in_the_news' | 'is_in_the_wild' | 'is_malicious'

/** Fields that the comparison looks at. */
export type ComparedVuln = Record<Scored, number | null> &
  Record<Flagged, boolean> & {
    state: VulnState
    summary: string
    is_score_provisional: boolean
    cwe_id: string | null
    kev_added_at: string | null
    /** By the name of the catalogue. */
    claims: Map<string, ClaimStanding>
    references: string[]
    /** Key → who lists it. */
    exploits: Map<string, Source>
    products: ComparedNames
    packages: ComparedNames
  }

const scored = ['cvss', 'cvss3', 'cvss4'] as const
const named = ['cwe_id', 'kev_added_at'] as const
const flagged = ['is_exploitable', 'is_confirmed', 'is_in_the_news', 'is_in_the_wild', 'is_malicious'] as const

/** `before` is null for a new vulnerability. */
export function changesBetween(before: ComparedVuln | null, after: ComparedVuln): VulnChange[] {
  if (!before) return [{ field: 'created', state: after.state }]
  return [
    ...fieldChanges(before, after),
    ...compareClaims(before, after),
    ...exploitChanges(before, after),
    ...nameChanges('products', before.products, after.products),
    ...nameChanges('packages', before.packages, after.packages),
    ...findVersionsChanges(before, after),
    ...referenceChanges(before, after),
  ]
}

function fieldChanges(before: ComparedVuln, after: ComparedVuln): VulnChange[] {
  const changes: VulnChange[] = []
  if (before.state !== after.state) changes.push({ field: 'state', from: before.state, to: after.state })
  if (before.summary !== after.summary) changes.push({ field: 'summary' })
  for (const field of scored)
    if (before[field] !== after[field]) changes.push({ field, from: before[field], to: after[field] })
  if (before.score !== after.score) changes.push(scoreChange(before, after))
  for (const field of named)
    if (before[field] !== after[field]) changes.push({ field, from: before[field], to: after[field] })
  for (const field of flagged) if (before[field] !== after[field]) changes.push({ field, to: after[field] })
  return changes
}

type RatedScore = Pick<ComparedVuln, 'score' | 'is_score_provisional'>

export function scoreChange(before: RatedScore, after: RatedScore): VulnChange {
  const provisional = [
    ...(before.is_score_provisional ? (['from'] as const) : []),
    ...(after.is_score_provisional ? (['to'] as const) : []),
  ]
  return { field: 'score', from: before.score, to: after.score, ...(provisional.length && { provisional }) }
}

function referenceChanges(before: ComparedVuln, after: ComparedVuln): VulnChange[] {
  const [old, now] = [new Set(before.references), new Set(after.references)]
  const added = [...now].filter((url) => !old.has(url)).length
  const removed = [...old].filter((url) => !now.has(url)).length
  return added || removed ? [{ field: 'references', added, removed }] : []
}

const claimants = ({ claims }: ComparedVuln, standing: ClaimStanding) =>
  [...claims].flatMap(([name, one]) => (one === standing ? name : []))
const lacking = (some: string[], others: string[]) => some.filter((name) => !others.includes(name))

/** New and withdrawn claims of catalogues. A withdrawal of the vulnerability itself takes none of them back; while it lasts there are none. */
function compareClaims(before: ComparedVuln, after: ComparedVuln): ClaimsChange[] {
  if (after.state === 'rejected') return []
  const [old, now] = [claimants(before, 'exploited'), claimants(after, 'exploited')]
  const [added, removed] = [lacking(now, old), lacking(old, now)]
  const denied = lacking(claimants(after, 'denied'), claimants(before, 'denied'))
  if (!added.length && !removed.length && !denied.length) return []
  return [{ field: 'exploited_by', added, removed, denied, ...(!old.length && added.length && { is_first: true }) }]
}

function describeClaims({ added, removed, denied, is_first }: ClaimsChange) {
  const say = (some: string[], words: string) => (some.length ? [`${words} ${some.join(', ')}`] : [])
  return [
    ...say(added, is_first ? 'First claim that it is exploited: by' : 'Also called exploited by'),
    ...say(removed, 'No longer called exploited by'),
    ...say(denied, 'Called not exploited by'),
  ].join('; ')
}

/** The claim of a further catalogue after the first is history. */
const isLaterClaim = (change: VulnChange) =>
  change.field === 'exploited_by' && !change.is_first && Array.isArray(change.removed) && !change.removed.length

function exploitChanges(before: ComparedVuln, after: ComparedVuln): VulnChange[] {
  const added = [...after.exploits].filter(([key]) => !before.exploits.has(key))
  const removed = [...before.exploits.keys()].filter((key) => !after.exploits.has(key)).length
  const sources = [...new Set(added.map(([, source]) => source))]
  if (!added.length && !removed) return []
  return [
    { field: 'exploits', sources, added: added.length, removed, from: before.exploits.size, to: after.exploits.size },
  ]
}

function nameChanges(field: 'products' | 'packages', before: ComparedNames, after: ComparedNames): VulnChange[] {
  const added = [...after.keys()].filter((name) => !before.has(name))
  const removed_count = [...before.keys()].filter((name) => !after.has(name)).length
  if (!added.length && !removed_count) return []
  return [{ field, added: added.slice(0, namesShown), added_count: added.length, removed_count }]
}

/** Null when there is nothing to log. */
export function findChangeKind(changes: VulnChange[]): ChangeKind | null {
  if (!changes.length) return null
  if (changes.some(({ field }) => field === 'created')) return 'new'
  return changes.every(isMinor) ? 'minor' : 'updated'
}

const minorFields: VulnChange['field'][] = [
  'summary',
  'references',
  'score',
  'cwe_id',
  'is_confirmed',
  'is_in_the_news',
  'joined',
]
const isMinor = (change: VulnChange) => minorFields.includes(change.field) || isLaterClaim(change)

export const changeLabels: Record<Scored | 'epss' | 'cwe_id' | Flagged, string> = {
  cvss: 'CVSS 2',
  cvss3: 'CVSS 3',
  cvss4: 'CVSS 4',
  score: 'Score',
  epss: 'EPSS',
  cwe_id: 'Weakness',
  is_exploitable: 'Exploitable',
  is_confirmed: 'Confirmed',
  is_in_the_news: 'Relayed in the news',
  is_in_the_wild: 'Exploited in the wild',
  is_malicious: 'Malicious',
}

/** The change as a line of text. */
export function describeChange(change: VulnChange): string {
  switch (change.field) {
    case 'created':
      return change.state === 'awaiting' ? 'Known to be exploited; its CVE record is not available yet' : 'First seen'
    case 'state':
      if (change.to === 'rejected') return 'Rejected'
      return change.from === 'rejected' ? 'No longer rejected' : 'Its CVE record is available now'
    case 'summary':
      return 'Summary reworded'
    case 'kev_added_at':
      return change.to ? `Added to CISA KEV on ${change.to}` : 'Removed from CISA KEV'
    case 'exploited_by':
      return describeClaims(change)
    case 'joined':
      return `${change.advisories.map(({ id }) => id).join(', ')} became part of it`
    case 'references':
      return `References: ${counted(change.added, change.removed)}`
    case 'exploits':
      return `Exploits: ${counted(change.added, change.removed)}${listed(change.sources.map(nameExploits), change.sources.length)}`
    case 'products':
    case 'packages':
      return `${change.field === 'products' ? 'Products' : 'Packages'}: ${counted(change.added_count, change.removed_count)}${listed(change.added, change.added_count)}`
    case 'versions':
      return `Affected versions changed${listed(change.products, change.count)}`
    case 'fixes':
      return `${change.is_stated === false ? 'First version not listed as affected' : 'Fix published'}${listed(change.added, change.count)}`
    case 'score':
      return `${changeLabels.score}: ${describeScore(change, 'from')} → ${describeScore(change, 'to')}`
    case 'is_exploitable':
    case 'is_confirmed':
    case 'is_in_the_news':
    case 'is_in_the_wild':
    case 'is_malicious':
      return `${changeLabels[change.field]}: ${change.to ? 'yes' : 'no longer'}`
    case 'epss':
      return `EPSS: ${describeEpss(change.from)} → ${describeEpss(change.to)}`
    default:
      return `${changeLabels[change.field]}: ${change.from ?? 'n/a'} → ${change.to ?? 'n/a'}`
  }
}

type ScoreChange = Extract<VulnChange, { field: 'score' }>
const describeScore = ({ provisional = [], ...values }: ScoreChange, end: 'from' | 'to') =>
  `${values[end] ?? 'n/a'}${provisional.includes(end) ? ' (provisional)' : ''}`

const describeEpss = (epss: number | null) => (epss === null ? 'n/a' : epssPercent(epss))

const counted = (added: number, removed: number) =>
  [added > 0 && `${added} added`, removed > 0 && `${removed} removed`].filter(Boolean).join(', ')

function listed(names: string[], count: number) {
  if (!names.length) return ''
  const more = count > names.length ? ` and ${count - names.length} more` : ''
  return ` (${names.join(', ')}${more})`
}

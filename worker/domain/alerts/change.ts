import { compareClaims, describeClaims, isLaterClaim } from './claims-change'
import type { ClaimsChange } from './claims-change'
import type { ClaimStanding } from '../names/catalogues'
import { newFixTest } from '../versions/affected'
import { epssPercent } from '../scores/epss'
import { describeRange } from '../versions/range'
import type { Source, VulnState } from '../words/record'
import { sortRanges, unpackRanges } from '../versions/stored-ranges'
import { nameExploits } from '../words/exploit'

/** minor: worth a line in the history, not a mail (wording, references, a score that ages). */
export const changeKinds = ['new', 'updated', 'minor'] as const
export type ChangeKind = (typeof changeKinds)[number]

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
  /** Of which products and packages the affected versions changed. */
  | { field: 'versions'; products: string[]; count: number; moves?: VersionMove[] }
  /**
   * Versions that newly end what is affected, as `vendor:product 1.2.3`: fixes, or where `is_stated` is false no source calls
   * them so, and they are merely the first that is not listed as affected.
   */
  | { field: 'fixes'; added: string[]; count: number; is_stated?: false }

/** Statements of all sources on the versions of one of them, in words. */
type VersionMove = { name: string; from: string; to: string }

type Measured = 'cvss' | 'cvss3' | 'cvss4' | 'epss'
type Scored = 'cvss' | 'cvss3' | 'cvss4' | 'score'
type Flagged = 'is_exploitable' | 'is_confirmed' | 'is_in_the_news' | 'is_in_the_wild' | 'is_malicious'

/** `vendor:product` or `type:name` → what each source says of its versions, as its ranges are stored. */
export type ComparedNames = Map<string, { key: string; json: string }[]>

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
const namesShown = 10
const movesShown = 3
const rangesShown = 4

/** `before` is null for a new vulnerability. */
export function changesBetween(before: ComparedVuln | null, after: ComparedVuln): VulnChange[] {
  if (!before) return [{ field: 'created', state: after.state }]
  return [
    ...fieldChanges(before, after),
    ...compareClaims(before, after),
    ...exploitChanges(before, after),
    ...nameChanges('products', before.products, after.products),
    ...nameChanges('packages', before.packages, after.packages),
    ...versionChanges(before, after),
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

function versionChanges(before: ComparedVuln, after: ComparedVuln): VulnChange[] {
  const changes: VulnChange[] = []
  const old = new Map([...before.products, ...before.packages])
  const moved = [...after.products, ...after.packages].filter(([name, statements]) => {
    const earlier = old.get(name)
    return earlier && joinEntries(earlier) !== joinEntries(statements)
  })
  if (moved.length)
    changes.push({
      field: 'versions',
      products: moved.slice(0, namesShown).map(([name]) => name),
      count: moved.length,
      moves: moved.slice(0, movesShown).map(([name, statements]) => ({
        name,
        from: wordVersions(old.get(name) ?? []),
        to: wordVersions(statements),
      })),
    })

  return [...changes, ...endChanges(moved, old)]
}

/** Versions that newly count as fixes, and other new ends of ranges. */
function endChanges(moved: [string, VersionEntries][], old: ComparedNames): VulnChange[] {
  const [fixes, unlisted] = [new Set<string>(), new Set<string>()]
  for (const [name, statements] of moved) {
    const [before, after] = [listEnds(old.get(name) ?? []), listEnds(statements)]
    for (const version of after.fixes) if (!before.fixes.has(version)) fixes.add(`${name} ${version}`)
    for (const version of after.others)
      if (![before, after].some((ends) => ends.fixes.has(version)) && !before.others.has(version))
        unlisted.add(`${name} ${version}`)
  }
  const toChange = (ends: Set<string>) => ({
    field: 'fixes' as const,
    added: [...ends].slice(0, namesShown),
    count: ends.size,
  })
  return [
    ...(fixes.size ? [toChange(fixes)] : []),
    ...(unlisted.size ? [{ ...toChange(unlisted), is_stated: false as const }] : []),
  ]
}

type VersionEntries = { key: string; json: string }[]
const joinEntries = (statements: VersionEntries) => statements.map(({ key, json }) => key + sortRanges(json)).join()

/** The ranges of all sources, each once. */
function wordVersions(statements: VersionEntries) {
  const ranges = statements.flatMap(({ json }) => unpackRanges(json))
  const words = [...new Set(ranges.map(describeRange))]
  const more = words.length > rangesShown ? ` and ${words.length - rangesShown} more` : ''
  return words.slice(0, rangesShown).join('; ').slice(0, wordsLength) + more
}
const wordsLength = 200

/** Ends of affected ranges: a fix by their source, or only the first version that it does not list any more. */
function listEnds(statements: VersionEntries) {
  const [fixes, others] = [new Set<string>(), new Set<string>()]
  for (const { key, json } of statements) {
    const ranges = unpackRanges(json)
    const isFix = newFixTest(key, ranges)
    for (const range of ranges) {
      if (typeof range === 'string' || range.lt === undefined || 'status' in range) continue
      const ends = isFix(range.lt) ? fixes : others
      ends.add(range.lt)
    }
  }
  return { fixes, others }
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
    case 'references':
      return `References: ${counted([
        [change.added, 'added'],
        [change.removed, 'removed'],
      ])}`
    case 'exploits':
      return `Exploits: ${counted([
        [change.added, 'added'],
        [change.removed, 'removed'],
      ])}${listed(change.sources.map(nameExploits), change.sources.length)}`
    case 'products':
    case 'packages':
      return `${change.field === 'products' ? 'Products' : 'Packages'}: ${counted([
        [change.added_count, 'added'],
        [change.removed_count, 'removed'],
      ])}${listed(change.added, change.added_count)}`
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

const counted = (counts: [number, string][]) =>
  counts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ')

function listed(names: string[], count: number) {
  if (!names.length) return ''
  const more = count > names.length ? ` and ${count - names.length} more` : ''
  return ` (${names.join(', ')}${more})`
}

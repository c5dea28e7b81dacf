import type { VulnState } from './record'

/** minor: worth a line in the history, not a mail (wording, references, a score that ages). */
export const changeKinds = ['new', 'updated', 'minor'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** One thing a merge changed; the change log keeps these as JSON. */
export type Change =
  | { field: 'created'; state: VulnState }
  | { field: 'state'; from: VulnState; to: VulnState }
  | { field: 'summary' }
  | { field: Scored; from: number | null; to: number | null }
  | { field: 'cwe_id' | 'kev_added_at'; from: string | null; to: string | null }
  | { field: Flagged; to: boolean }
  | { field: 'references'; added: number; removed: number }
  | { field: 'products'; added: string[]; added_count: number; removed_count: number }
  | { field: 'versions'; products: string[]; count: number }

type Scored = 'cvss' | 'cvss3' | 'cvss4' | 'score'
type Flagged = 'is_exploitable' | 'is_confirmed' | 'is_in_the_news' | 'is_in_the_wild'

/** What the comparison looks at: a vulnerability with its products as `vendor:product` and their ranges. */
export type Compared = Record<Scored, number | null> &
  Record<Flagged, boolean> & {
    state: VulnState
    summary: string
    cwe_id: string | null
    kev_added_at: string | null
    references: string[]
    /** `vendor:product` → its ranges as text. */
    products: Map<string, string>
  }

const scored = ['cvss', 'cvss3', 'cvss4', 'score'] as const
const named = ['cwe_id', 'kev_added_at'] as const
const flagged = ['is_exploitable', 'is_confirmed', 'is_in_the_news', 'is_in_the_wild'] as const
const namesShown = 10

/** What differs between two states of one vulnerability; null before its first. */
export function changesBetween(before: Compared | null, after: Compared): Change[] {
  if (!before) return [{ field: 'created', state: after.state }]
  return [...fieldChanges(before, after), ...referenceChanges(before, after), ...productChanges(before, after)]
}

function fieldChanges(before: Compared, after: Compared): Change[] {
  const changes: Change[] = []
  if (before.state !== after.state) changes.push({ field: 'state', from: before.state, to: after.state })
  if (before.summary !== after.summary) changes.push({ field: 'summary' })
  for (const field of scored)
    if (before[field] !== after[field]) changes.push({ field, from: before[field], to: after[field] })
  for (const field of named)
    if (before[field] !== after[field]) changes.push({ field, from: before[field], to: after[field] })
  for (const field of flagged) if (before[field] !== after[field]) changes.push({ field, to: after[field] })
  return changes
}

function referenceChanges(before: Compared, after: Compared): Change[] {
  const [old, now] = [new Set(before.references), new Set(after.references)]
  const added = [...now].filter((url) => !old.has(url)).length
  const removed = [...old].filter((url) => !now.has(url)).length
  return added || removed ? [{ field: 'references', added, removed }] : []
}

function productChanges(before: Compared, after: Compared): Change[] {
  const changes: Change[] = []
  const added = [...after.products.keys()].filter((name) => !before.products.has(name))
  const removed_count = [...before.products.keys()].filter((name) => !after.products.has(name)).length
  if (added.length || removed_count)
    changes.push({ field: 'products', added: added.slice(0, namesShown), added_count: added.length, removed_count })
  const moved = [...after.products].filter(([name, ranges]) => (before.products.get(name) ?? ranges) !== ranges)
  if (moved.length)
    changes.push({ field: 'versions', products: moved.slice(0, namesShown).map(([name]) => name), count: moved.length })
  return changes
}

/** Which kind of entry these changes make; null when there is nothing to log. */
export function kindOf(changes: Change[]): ChangeKind | null {
  if (!changes.length) return null
  if (changes.some(({ field }) => field === 'created')) return 'new'
  return changes.every(isMinor) ? 'minor' : 'updated'
}

const minorFields: Change['field'][] = ['summary', 'references', 'score', 'cwe_id', 'is_confirmed', 'is_in_the_news']
const isMinor = ({ field }: Change) => minorFields.includes(field)

const labels: Record<Scored | 'cwe_id' | Flagged, string> = {
  cvss: 'CVSS 2',
  cvss3: 'CVSS 3',
  cvss4: 'CVSS 4',
  score: 'Score',
  cwe_id: 'Weakness',
  is_exploitable: 'Exploitable',
  is_confirmed: 'Confirmed',
  is_in_the_news: 'Relayed in the news',
  is_in_the_wild: 'Exploited in the wild',
}

/** The change as a line of text. */
export function describeChange(change: Change): string {
  switch (change.field) {
    case 'created':
      return change.state === 'awaiting' ? 'Known to be exploited; its record is awaited' : 'First seen'
    case 'state':
      return change.to === 'rejected'
        ? 'Rejected'
        : change.from === 'rejected'
          ? 'No longer rejected'
          : 'Its record arrived'
    case 'summary':
      return 'Summary reworded'
    case 'kev_added_at':
      return change.to ? `Added to CISA KEV on ${change.to}` : 'Removed from CISA KEV'
    case 'references':
      return `References: ${counted([
        [change.added, 'added'],
        [change.removed, 'removed'],
      ])}`
    case 'products':
      return `Products: ${counted([
        [change.added_count, 'added'],
        [change.removed_count, 'removed'],
      ])}${listed(change.added, change.added_count)}`
    case 'versions':
      return `Affected versions changed${listed(change.products, change.count)}`
    case 'is_exploitable':
    case 'is_confirmed':
    case 'is_in_the_news':
    case 'is_in_the_wild':
      return `${labels[change.field]}: ${change.to ? 'yes' : 'no'}`
    default:
      return `${labels[change.field]}: ${change.from ?? 'n/a'} → ${change.to ?? 'n/a'}`
  }
}

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

import type { VulnChange, ChangeKind } from '../domain/alerts/change'
import { canonicalId, isAdvisoryId, isCveId } from '../domain/names/cve'
import type { ExploitPurpose } from '../domain/words/exploit-purpose'
import type { MergedClaim, MergedExploit, MergedThreat } from '../domain/words/merge'
import type { SourceKey } from '../domain/words/record'
import type { Derived } from './derive'
import type { Kind } from './kinds'
import type { Epss } from './find-state'
import type { Named } from '../watchlist/awaited-names'
import type { JoinedVuln } from '../watchlist/moved'
import type { Rejudged, Reranged } from '../exposure/reranged'

export type Name = [first: string, name: string]

export type NameWrites = {
  ranges: [cveid: string, ...name: Name, key: SourceKey, json: string][]
  goneRanges: [vuln_id: number, id: number, key: SourceKey][]
  /** Names of vulnerabilities that are no longer rejected: while they were, nothing was compared with them. */
  reopened: [cveid: string, ...name: Name][]
  goneLinks: [vuln_id: number, id: number][]
  /** Vulnerabilities that lost or gained a product. */
  relinked: string[]
  created: Name[]
  counts: [...name: Name, by: number, touched_at: string][]
}

export type Values = Derived & { updated_at: string; top_products: Name[] }

export type Writes = {
  /** New ones; `touched_at` null means now. */
  vulns: { derived: Derived; epss: Epss | null; touched_at: string | null; top: Name[] }[]
  /** Known ones, with their new values and the names of those that changed. */
  updates: { id: number; values: Values; changed: (keyof Values)[] }[]
  /** Known vulnerabilities that changed noticeably. */
  touched: number[]
  /** Those that are touched or got other links: other organizations may watch them now. */
  rewatched: string[]
  /** Those that say something else of what their due days go by. */
  redated: string[]
  records: [cveid: string, key: SourceKey, hash: string, modified: string | null, body: string][]
  goneRecords: [vuln_id: number, key: SourceKey][]
  changes: [cveid: string, detail: VulnChange[], kind: ChangeKind][]
  exploits: [cveid: string, exploit: Omit<MergedExploit, 'purpose'> & { purpose: ExploitPurpose; modified: string }][]
  threats: [cveid: string, threat: MergedThreat & { modified: string }][]
  claims: [cveid: string, claim: MergedClaim & { is_exploited: boolean }][]
  goneExploits: [vuln_id: number, key: string][]
  goneThreats: [vuln_id: number, key: string][]
  goneClaims: [vuln_id: number, key: string][]
  aliases: [cveid: string, alias: string][]
  goneAliases: [vuln_id: number, alias: string][]
  names: Record<Kind, NameWrites>
  /** Possible products of merged vulnerabilities, as JSON of [vendor, product][]; and those that guess nothing any more. */
  guesses: [cveid: string, names: string][]
  goneGuesses: number[]
  vendorCounts: [vendor: string, by: number, touched_at: string][]
  newProductCounts: [vendor: string, by: number][]
  counters: [name: string, by: number][]
  /** Vulnerabilities that became part of others. */
  moved: JoinedVuln[]
  /** Items whose running versions must be judged again; the verdicts stand in `rejudged`. */
  reranged: Reranged[]
  rejudged?: Rejudged
  isAnyAwaited?: boolean
}

export function noWrites(): Writes {
  const names = (): NameWrites => ({
    ranges: [],
    goneRanges: [],
    reopened: [],
    goneLinks: [],
    relinked: [],
    created: [],
    counts: [],
  })
  return {
    vulns: [],
    updates: [],
    touched: [],
    rewatched: [],
    redated: [],
    records: [],
    goneRecords: [],
    changes: [],
    exploits: [],
    threats: [],
    claims: [],
    goneExploits: [],
    goneThreats: [],
    goneClaims: [],
    aliases: [],
    goneAliases: [],
    names: { products: names(), packages: names() },
    guesses: [],
    goneGuesses: [],
    vendorCounts: [],
    newProductCounts: [],
    counters: [],
    moved: [],
    reranged: [],
  }
}

export function listNamed({ names, vulns, aliases }: Writes): Named[] {
  const vendors = [...new Set(names.products.created.map(([vendor]) => vendor))]
  return [
    ...vendors.map((first) => ({ kind: 'vendor' as const, first, second: '', value: first.toLowerCase() })),
    ...names.products.created.map(([first, second]) => ({
      kind: 'product' as const,
      first,
      second,
      value: `${first}:${second}`.toLowerCase(),
    })),
    ...names.packages.created.map(([first, second]) => ({
      kind: 'package' as const,
      first,
      second,
      value: `${first}:${second}`,
    })),
    ...[...vulns.map(({ derived: { cveid } }) => [cveid, cveid] as const), ...aliases]
      .filter(([, id]) => isCveId(id) || isAdvisoryId(id))
      .map(([first, id]) => ({ kind: 'vuln' as const, first, second: '', value: canonicalId(id) })),
  ]
}

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

const list = <Row>(): Row[] => []

const noNames = () => ({
  ranges: list<[cveid: string, ...name: Name, key: SourceKey, json: string]>(),
  goneRanges: list<[vuln_id: number, id: number, key: SourceKey]>(),
  /** Names of vulnerabilities that are no longer rejected: while they were, nothing was compared with them. */
  reopened: list<[cveid: string, ...name: Name]>(),
  goneLinks: list<[vuln_id: number, id: number]>(),
  /** Vulnerabilities that lost or gained a product. */
  relinked: list<string>(),
  created: list<Name>(),
  counts: list<[...name: Name, by: number, touched_at: string]>(),
})
export type NameWrites = ReturnType<typeof noNames>

export type Values = Derived & { updated_at: string; top_products: Name[] }

export const noWrites = () => ({
  /** New ones; `touched_at` null means now. */
  vulns: list<{ derived: Derived; epss: Epss | null; touched_at: string | null; top: Name[] }>(),
  /** Known ones, with their new values and the names of those that changed. */
  updates: list<{ id: number; values: Values; changed: (keyof Values)[] }>(),
  /** Known vulnerabilities that changed noticeably. */
  touched: list<number>(),
  /** Those that are touched or got other links: other organizations may watch them now. */
  rewatched: list<string>(),
  /** Those that say something else of what their due days go by. */
  redated: list<string>(),
  records: list<[cveid: string, key: SourceKey, hash: string, modified: string | null, body: string]>(),
  goneRecords: list<[vuln_id: number, key: SourceKey]>(),
  changes: list<[cveid: string, detail: VulnChange[], kind: ChangeKind]>(),
  exploits:
    list<[cveid: string, exploit: Omit<MergedExploit, 'purpose'> & { purpose: ExploitPurpose; modified: string }]>(),
  threats: list<[cveid: string, threat: MergedThreat & { modified: string }]>(),
  claims: list<[cveid: string, claim: MergedClaim & { is_exploited: boolean }]>(),
  goneExploits: list<[vuln_id: number, key: string]>(),
  goneThreats: list<[vuln_id: number, key: string]>(),
  goneClaims: list<[vuln_id: number, key: string]>(),
  aliases: list<[cveid: string, alias: string]>(),
  goneAliases: list<[vuln_id: number, alias: string]>(),
  names: { products: noNames(), packages: noNames() } satisfies Record<Kind, NameWrites>,
  /** Possible products of merged vulnerabilities, as JSON of [vendor, product][]; and those that guess nothing any more. */
  guesses: list<[cveid: string, names: string]>(),
  goneGuesses: list<number>(),
  vendorCounts: list<[vendor: string, by: number, touched_at: string]>(),
  newProductCounts: list<[vendor: string, by: number]>(),
  counters: list<[name: string, by: number]>(),
  /** Vulnerabilities that became part of others. */
  moved: list<JoinedVuln>(),
  /** Items whose running versions must be judged again; the verdicts stand in `rejudged`. */
  reranged: list<Reranged>(),
})
export type Writes = ReturnType<typeof noWrites> & { rejudged?: Rejudged; isAnyAwaited?: boolean }

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

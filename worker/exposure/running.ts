import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import { toRunVerdict } from '../domain/versions/affected'
import { describeRange } from '../domain/versions/range'
import type { SourceKey } from '../domain/words/record'
import { verdictAtRank, type RunVerdict } from '../domain/versions/verdict'
import { findDistribution } from '../domain/names/distribution'
import { isStoredName, storedLifecycles, type StoredLifecycle, type SupportedVersion } from '../taxonomy/lifecycles'
import { runningItems } from '../watchlist/monitored'
import { isOpen, rankFinding } from './open-findings'
import { findTargets } from './targets'
import { judgeStored, type StoredStatement } from './compile'

type Row = {
  vuln_id: number
  via: 'product' | 'package'
  id: number
  name: string
  vendor: string
  versions: string
  lifecycles: string
  source: SourceKey | null
  ranges: string | null
}

/** Item of the organization that has the vulnerability: a monitored item, or a component of an inventory. */
export type RunningItem = {
  via: 'product' | 'package' | 'inventory'
  id: number
  name: string
  /** A package's type; an inventory's name. */
  vendor: string
  versions: {
    version: string
    verdict: RunVerdict
    source: string | null
    statement: string | null
    fixed_in: string | null
    first_unlisted: string | null
    /** Of what its support is asked: the distribution of a package before the package itself. */
    releases: SupportedVersion[]
  }[]
}

export async function judgeRunning(db: Db, org_id: number, vuln_ids: number[]): Promise<Map<number, RunningItem[]>> {
  const [rows, found] = await Promise.all([findRows(db, org_id, vuln_ids), findInventoried(db, org_id, vuln_ids)])
  const byVuln = Map.groupBy(rows, ({ vuln_id }) => vuln_id)
  const inventoried = Map.groupBy(found, ({ vuln_id }) => vuln_id)
  return new Map(
    vuln_ids.map((id) => [id, [...judgeItems(byVuln.get(id) ?? []), ...listInventoried(inventoried.get(id) ?? [])]]),
  )
}

const itemName = { kind: sql`r.via`, first: sql`coalesce(p.vendor, k.type)`, name: sql`coalesce(p.name, k.name)` }

const findRows = (db: Db, org_id: number, vuln_ids: number[]) =>
  db.all<Row>(sql`
    SELECT r.vuln_id, r.via, r.id, ${itemName.name} AS name, ${itemName.first} AS vendor, r.versions, ${storedLifecycles(itemName)} AS lifecycles,
      coalesce(a.source, b.source) AS source, coalesce(a.ranges, b.ranges) AS ranges
    FROM (${runningItems(org_id, vuln_ids)}) r
    LEFT JOIN products p ON r.via = 'product' AND p.id = r.id
    LEFT JOIN packages k ON r.via = 'package' AND k.id = r.id
    LEFT JOIN affected a ON r.via = 'product' AND a.vuln_id = r.vuln_id AND a.product_id = r.id
    LEFT JOIN affected_packages b ON r.via = 'package' AND b.vuln_id = r.vuln_id AND b.package_id = r.id`)

function judgeItems(rows: Row[]): RunningItem[] {
  const items = Map.groupBy(rows, ({ via, id }) => `${via} ${id}`)
  return [...items.values()].flatMap((same) => {
    const [first] = same
    if (!first) return []
    const { via, id, name, vendor, versions, lifecycles } = first
    const statements = same.flatMap(({ source, ranges }): StoredStatement[] =>
      source === null || ranges === null ? [] : [{ source, ranges }],
    )
    const itemNames = { kind: via, first: vendor, name }
    const stored = isStoredName(itemNames) ? (JSON.parse(lifecycles) as StoredLifecycle[]) : undefined
    const judged = (JSON.parse(versions) as string[]).map((version) => ({
      ...judgeRun(version, statements),
      releases: [{ version, names: [itemNames], stored }],
    }))
    return [{ via, id, name, vendor, versions: judged }]
  })
}

function judgeRun(version: string, statements: StoredStatement[]) {
  const judged = judgeStored(version, statements)
  const { source, range, fixed_in, first_unlisted } = judged
  return {
    version,
    verdict: toRunVerdict(judged),
    source,
    statement: range === null ? null : describeRange(range),
    fixed_in,
    first_unlisted,
  }
}

type Found = {
  vuln_id: number
  inventory_id: number
  inventory: string
  component: string
  version: string
  purl: string | null
  cpe: string | null
  rank: number
  source: string | null
  range: string | null
  fixed_in: string | null
  first_unlisted: string | null
}

/** The most components of each vulnerability; the inventories list all. */
const shownComponents = 20

/** The components of inventories that make the organization monitor vulnerabilities. */
const findInventoried = (db: Db, org_id: number, vuln_ids: number[]) =>
  db.all<Found>(sql`
    SELECT w.item AS vuln_id, y.id AS inventory_id, y.name AS inventory, c.name AS component, coalesce(c.version, '') AS version, c.purl, c.cpe,
      ${sql.raw(rankFinding)} AS rank, f.source, f.range, f.fixed_in, f.first_unlisted
    FROM ${valuesTable(vuln_ids)} w
    CROSS JOIN inventory_vulns m ON m.vuln_id = w.item AND m.org_id = ${org_id}
    CROSS JOIN inventories y ON y.org_id = m.org_id AND y.id = m.inventory_id
    CROSS JOIN inventory_findings f ON f.org_id = m.org_id AND f.inventory_id = m.inventory_id AND f.vuln_id = m.vuln_id
    CROSS JOIN inventory_components c ON c.org_id = f.org_id AND c.inventory_id = f.inventory_id AND c.id = f.component_id
    WHERE ${sql.raw(isOpen)} LIMIT ${shownComponents * vuln_ids.length}`)

function listInventoried(found: Found[]): RunningItem[] {
  const components = Map.groupBy(found, ({ inventory_id, component }) => `${inventory_id} ${component}`)
  return [...components.values()].flatMap((same) => {
    const [first] = same
    if (!first) return []
    const versions = same.map(({ version, purl, cpe, rank, source, range, fixed_in, first_unlisted }) => ({
      version,
      verdict: verdictAtRank(rank) ?? ('unknown' as const),
      source,
      statement: range,
      fixed_in,
      first_unlisted,
      releases: listReleases({ version, purl, cpe }),
    }))
    return [
      { via: 'inventory' as const, id: first.inventory_id, name: first.component, vendor: first.inventory, versions },
    ]
  })
}

function listReleases(component: Pick<Found, 'version' | 'purl' | 'cpe'>): SupportedVersion[] {
  const names = findTargets(component)
  const purl = names.find((target) => target.purl)?.purl
  const distribution = purl && findDistribution(purl)
  const componentRelease = { version: component.version, names }
  if (!distribution) return [componentRelease]
  const { id, version } = distribution
  return [{ version, names: [{ kind: 'distribution', first: id, name: '' }] }, componentRelease]
}

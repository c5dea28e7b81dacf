import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import { findRelease } from '../domain/names/purl-release'
import type { VersionOrder } from '../domain/words/record'
import { findSafeUpgrade, type OtherVuln, type Standing } from '../domain/versions/upgrade'
import { isKnownExploited } from '../schema/claims'
import { compileStatements, type CompiledName, type GroupedRow } from './compile'
import { tables, targetKey } from './statements'
import type { MatchTarget } from './targets'

/** A version that fixes something, and the names under which others are said of it. */
type PlannedVersion = {
  to: string
  order: VersionOrder
  targets: MatchTarget[]
  /** The vulnerabilities to fix: these count, too, where they are not known to be exploited. */
  vuln_ids: ReadonlySet<number>
}
/**
 * `because` ask for a higher version than the planned one; `still` are those that affect `to`, too, and `left` all of these that it is
 * to fix.
 */
type SafeVersion = { to: string; because: OtherVuln[]; still: OtherVuln[]; left: number[] }

/** Statements on items by vulnerabilities that are known to be exploited, and by requested ones: a row for each text. */
export type Rival = {
  kind: MatchTarget['kind']
  first: string
  name: string
  source: GroupedRow['source']
  ranges: string
  /** JSON of `OtherRival[]`. */
  vulns: string
}
type OtherRival = [id: number, cveid: string | null, is_exploited: 0 | 1]

/** No version is advised that a vulnerability to fix, or an exploited vulnerability of the same name, affects, where a source names a higher one. */
export function makeSafe(planned: PlannedVersion[], rivals: Rival[]): SafeVersion[] {
  const vulns = new Map<number, OtherVuln & { is_exploited: boolean }>()
  const toGrouped = ({ source, ranges, vulns: json }: Rival): GroupedRow => {
    const all = JSON.parse(json) as OtherRival[]
    for (const [id, cveid, is_exploited] of all) vulns.set(id, { id, cveid, is_exploited: is_exploited === 1 })
    return { source, ranges, vuln_ids: JSON.stringify(all.map(([id]) => id)) }
  }
  const wanted = new Set(planned.flatMap(({ targets }) => targets.map(rivalKey)))
  const named = Map.groupBy(rivals, rivalKey)
  const compiled = new Map(
    [...named].flatMap(([name, same]) =>
      wanted.has(name) ? [[name, compileStatements(same.map(toGrouped), { name })] as const] : [],
    ),
  )
  const nameVuln = (id: number): OtherVuln[] => {
    const { cveid = null } = vulns.get(id) ?? {}
    return vulns.has(id) ? [{ id, cveid }] : []
  }
  return planned.map(({ to: first, order, targets, vuln_ids }) => {
    const counts = ({ vuln_id }: Standing) => vuln_ids.has(vuln_id) || vulns.get(vuln_id)?.is_exploited === true
    const judge = (version: string) => judgeTargets(version, targets, compiled).filter(counts)
    const { to, because, still } = findSafeUpgrade(first, order, judge)
    const affecting = [...new Set(still)]
    const left = affecting.filter((id) => vuln_ids.has(id))
    return { to, because: because.flatMap(nameVuln), still: affecting.slice(0, shownStill).flatMap(nameVuln), left }
  })
}

const rivalKey = ({ kind, first, name }: Pick<Rival, 'kind' | 'first' | 'name'>) =>
  `${kind} ${targetKey({ first, name })}`

const shownStill = 10

/** As of a finding, a statement on the package decides where it decides anything. */
function judgeTargets(version: string, targets: MatchTarget[], compiled: Map<string, CompiledName>): Standing[] {
  const judged = targets.map((target) => ({ target, standings: judgeTarget(version, target, compiled) }))
  const byPackage = judged.flatMap(({ target, standings }) => (target.kind === 'package' ? standings : []))
  const decided = new Set(byPackage.flatMap(({ status, vuln_id }) => (status === 'unknown' ? [] : vuln_id)))
  return judged.flatMap(({ target, standings }) =>
    target.kind === 'package' ? standings : standings.filter(({ vuln_id }) => !decided.has(vuln_id)),
  )
}

function judgeTarget(version: string, target: MatchTarget, compiled: Map<string, CompiledName>): Standing[] {
  const compiledName = compiled.get(rivalKey(target))
  if (!compiledName) return []
  const on = target.purl ? findRelease(target.purl, compiledName.releases) : undefined
  return compiledName
    .judge({ version, on, kind: target.attributes ?? undefined })
    .flatMap(([{ vuln_ids }, verdict]) => vuln_ids.map((vuln_id) => ({ ...verdict, vuln_id })))
}

/** With more vulnerabilities than are known to be exploited, those are looked through instead. */
const manyVulns = 2_000

/** `items` is a query of the `id` of products, or packages; statements of `own` on them are told, too. */
export const findRivals = (db: Db, org_id: number, items: Record<MatchTarget['kind'], SQL>, vuln_ids: number[]) =>
  Promise.all(
    (['package', 'product'] as const).map((kind) => db.all<Rival>(selectRivals(org_id, kind, items[kind], vuln_ids))),
  ).then((found) => found.flat())

function selectRivals(org_id: number, kind: MatchTarget['kind'], items: SQL, vuln_ids: number[]) {
  const named = tables[kind]
  const [table, first, item, links, affected] = [named.table, named.first, named.id, named.links, named.affected].map(
    (name) => sql.raw(name),
  )
  const isMany = sql`(SELECT sum(vulns_count) FROM items) > ${sql.raw(String(manyVulns))}`
  const isExploited = sql`(${isKnownExploited} OR v.is_malicious) AND v.org_id IS NULL`
  return sql`
    WITH items AS MATERIALIZED (SELECT n.id, n.${first} AS first, n.name, n.vulns_count FROM (${items}) j CROSS JOIN ${table} n ON n.id = j.id),
    pairs AS (
      SELECT l.vuln_id, l.${item} AS id FROM items i CROSS JOIN ${links} l ON l.${item} = i.id CROSS JOIN vulns v ON v.id = l.vuln_id
      WHERE NOT ${isMany} AND ${isExploited}
      UNION SELECT c.vuln_id, l.${item} FROM (SELECT 1 WHERE ${isMany}) CROSS JOIN exploitation_claims c
      CROSS JOIN ${links} l ON l.vuln_id = c.vuln_id AND +l.${item} IN (SELECT id FROM items) WHERE c.is_exploited = 1
      UNION SELECT a.vuln_id, a.${item} FROM ${valuesTable(vuln_ids)} w CROSS JOIN ${affected} a ON a.vuln_id = w.item)
    SELECT '${sql.raw(kind)}' AS kind, i.first, i.name, a.source, a.ranges, json_group_array(json_array(v.id, v.cveid, ${isExploited})) AS vulns
    FROM pairs p CROSS JOIN items i ON i.id = p.id
    CROSS JOIN vulns v ON v.id = p.vuln_id AND v.state <> 'rejected' AND (v.org_id IS NULL OR v.org_id = ${org_id})
    CROSS JOIN ${affected} a ON a.vuln_id = v.id AND a.${item} = i.id GROUP BY 2, 3, 4, 5`
}

/** The items that sources name as affected by vulnerabilities. */
export const itemsNamedBy = (vuln_ids: number[]) =>
  ofBothKinds((kind) => {
    const [item, affected] = [tables[kind].id, tables[kind].affected].map((name) => sql.raw(name))
    return sql`SELECT DISTINCT a.${item} AS id FROM ${valuesTable(vuln_ids)} w CROSS JOIN ${affected} a ON a.vuln_id = w.item`
  })

/** The items of names. */
export const itemsOfNames = (targets: MatchTarget[]) =>
  ofBothKinds((kind) => {
    const [table, first] = [tables[kind].table, tables[kind].first].map((name) => sql.raw(name))
    const names = targets.filter((target) => target.kind === kind).map((target) => [target.first, target.name])
    return sql`SELECT DISTINCT n.id FROM json_each(${JSON.stringify(names)}) j
      CROSS JOIN ${table} n ON n.${first} = j.value ->> 0 AND n.name = j.value ->> 1`
  })

const ofBothKinds = (select: (kind: MatchTarget['kind']) => SQL) => ({
  package: select('package'),
  product: select('product'),
})

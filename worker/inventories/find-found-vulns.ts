import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import { findingDue } from '../watchlist/due-days'
import { verdictAtRank } from '../domain/versions/verdict'
import { isOfFinding } from '../schema/decisions'
import { isProvisional } from '../schema/vulns'
import { rankFinding } from '../exposure/open-findings'
import {
  findingConditions,
  findingRisk,
  findingSorts,
  findingTables,
  listName,
  orderRows,
  publicId,
  storedFindings,
  tieBreak,
  vulnStatus,
} from './finding-tables'
import type { FindingRequest } from './finding-tables'
import type { FoundVuln, FoundVulnQuery } from './vuln-contract'
import { requireInventory } from './inventory'
import type { InventoryPlace } from './inventory'
import { toRowFile } from '../http/row-file'
import type { RowFormat } from '../http/row-file'
import { findListed } from './stored-list'

const sorts = {
  ...findingSorts,
  components: sql`components_count`,
  newest: sql`found_at`,
  due: sql`min(${findingDue})`,
}

const shownComponents = 20
const exportedComponents = 500
const rank = sql.raw(rankFinding)

type Component = FoundVuln['components'][number]
type Row = Omit<FoundVuln, 'kev' | 'verdict' | 'components' | 'is_score_provisional'> & {
  kev: number
  is_provisional: number
  rank: number
  components: string
}
type Part = Omit<Component, 'verdict'> & { rank: number }

type Chosen = { head: InventoryPlace; where: SQL; hasNames: boolean; components: number }

/** Vulnerabilities in the order of their ids, and their components by the same conditions. */
async function findVulnRows(
  db: Db,
  { head, where, hasNames, components }: Chosen,
  ids: number[],
): Promise<FoundVuln[]> {
  const among = sql`${where} AND f.vuln_id IN ${valuesTable(ids)}`
  const tables = (withNames: boolean) => findingTables(head.org_id, head.id, withNames)
  const rows = await db.all<Row>(sql`
    SELECT p.*, (SELECT json_group_array(json_object('component_id', k.component_id, 'component', k.component, 'version', k.version,
        'fixed_in', k.fixed_in, 'rank', k.rank, 'decision', k.decision))
      FROM (SELECT f.component_id, c.name AS component, c.version, f.fixed_in, ${rank} AS rank,
          (SELECT d.verdict FROM decisions d WHERE ${sql.raw(isOfFinding)}) AS decision
        FROM ${tables(true)} ${where} AND f.vuln_id = p.vuln_id ORDER BY ${rank} DESC, c.name, c.id LIMIT ${components}) k) AS components
    FROM (SELECT f.vuln_id, ${publicId} AS cveid, v.summary, v.score, ${isProvisional} AS is_provisional, v.cvss3, v.epss, v.kev_added_at IS NOT NULL AS kev, v.ssvc, min(${findingDue}) AS due, ${vulnStatus} AS vuln_status,
        max(${rank}) AS rank, min(f.found_at) AS found_at, count(*) AS components_count
      FROM ${tables(hasNames)} ${among} GROUP BY f.vuln_id) p`)
  const byId = new Map(rows.map((row) => [row.vuln_id, toFoundVuln(row)]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

async function findIds(db: Db, { head, where, hasNames }: Chosen, order: SQL) {
  const rows = await db.values<[id: number]>(sql`
    SELECT f.vuln_id, min(f.found_at) AS found_at, count(*) AS components_count
    FROM ${findingTables(head.org_id, head.id, hasNames)} ${where} GROUP BY f.vuln_id ORDER BY ${order}, ${tieBreak}, f.vuln_id`)
  return rows.map(([id]) => id)
}

const toVerdict = (worst: number) => verdictAtRank(worst) ?? 'unknown'

const toFoundVuln = ({ rank: worst, kev, is_provisional, components, ...row }: Row): FoundVuln => ({
  ...row,
  kev: kev === 1,
  is_score_provisional: is_provisional === 1,
  verdict: toVerdict(worst),
  components: (JSON.parse(components) as Part[]).map(({ rank: own, ...part }) => ({
    ...part,
    verdict: toVerdict(own),
  })),
})

export async function findFoundVulns(
  db: Db,
  org_id: number,
  { name, query, now, local = now }: FindingRequest<FoundVulnQuery>,
) {
  const where = findingConditions(query, local)
  const chosen = { where, hasNames: Boolean(query.search), components: shownComponents }
  const listed = { name, list: listName('vulns', query), page: query, places: storedFindings, now }
  const { head, count, rows } = await findListed(db, org_id, listed, (one) =>
    findIds(db, { ...chosen, head: one }, orderRows(sorts, query.sorted_by)),
  )
  return { count, results: await findVulnRows(db, { ...chosen, head }, rows) }
}

const csvColumns = [
  'cveid',
  'vuln_id',
  'verdict',
  'components_count',
  'score',
  'is_score_provisional',
  'cvss3',
  'epss',
  'kev',
  'ssvc',
  'due',
  'found_at',
  'vuln_status',
] as const satisfies (keyof FoundVuln)[]

export async function exportFoundVulns(db: Db, org_id: number, name: string, format: RowFormat) {
  const head = await requireInventory(db, org_id, name)
  const whole = { head, where: sql``, hasNames: false, components: exportedComponents }
  return toRowFile(`${name}-vulnerabilities`, format, {
    head: [...csvColumns, 'components'],
    cells: (row: FoundVuln) => [
      ...csvColumns.map((column) => row[column]),
      row.components.map(({ component, version }) => (version ? `${component} ${version}` : component)).join('; '),
    ],
    list: () => findIds(db, whole, sql`${findingRisk} DESC`),
    read: (ids) => findVulnRows(db, whole, ids),
  })
}

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { verdictAtRank } from '../domain/verdict'
import { pageOffset } from '../http/page'
import { isProvisional } from '../schema/vulns'
import { rankFinding } from '../watchlist/open-findings'
import { findingConditions, findingRisk, findingTables } from './finding-tables'
import type { FoundVuln, FoundVulnQuery } from './vuln-contract'
import { requireInventory } from './inventory'
import { toRowFile } from './row-file'
import type { RowFormat } from './row-file'

const sorts = {
  risk: findingRisk,
  score: sql`v.score`,
  epss: sql`v.epss`,
  components: sql`components_count`,
  cveid: sql`v.cveid`,
  newest: sql`found_at`,
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

type Chosen = { where: SQL; order: SQL; limit: number; offset: number; components: number }

/** A page of vulnerabilities; only of these are the components read, by the same conditions. */
async function readVulns(db: Db, org_id: number, id: number, chosen: Chosen): Promise<FoundVuln[]> {
  const { where, order, limit, offset, components } = chosen
  const from = sql`${findingTables(org_id, id)} ${where}`
  const rows = await db.all<Row>(sql`
    SELECT p.*, (SELECT json_group_array(json_object('component_id', k.component_id, 'component', k.component, 'version', k.version,
        'fixed_in', k.fixed_in, 'rank', k.rank, 'decision', k.decision))
      FROM (SELECT f.component_id, c.name AS component, c.version, f.fixed_in, ${rank} AS rank,
          (SELECT d.status FROM inventory_decisions d WHERE d.org_id = f.org_id AND d.inventory_id = f.inventory_id
            AND d.vuln_id = f.vuln_id AND d.component_id = f.component_id AND d.author = '') AS decision
        FROM ${from} AND f.vuln_id = p.vuln_id ORDER BY ${rank} DESC, c.name, c.id LIMIT ${components}) k) AS components
    FROM (SELECT f.vuln_id, v.cveid, v.summary, v.score, ${isProvisional} AS is_provisional, v.cvss3, v.epss, v.kev_added_at IS NOT NULL AS kev, v.ssvc,
        max(${rank}) AS rank, min(f.found_at) AS found_at, count(*) AS components_count
      FROM ${from} GROUP BY f.vuln_id ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}) p`)
  return rows.map(toFoundVuln)
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

export async function findFoundVulns(db: Db, org_id: number, name: string, query: FoundVulnQuery) {
  const { id } = await requireInventory(db, org_id, name)
  const where = findingConditions(query)
  const field = query.sorted_by.replace('-', '') as keyof typeof sorts
  const order = sql`${sorts[field]} ${query.sorted_by.startsWith('-') ? sql`DESC` : sql`ASC`}, f.vuln_id`
  const page = { where, order, limit: query.limit, offset: pageOffset(query), components: shownComponents }
  const [[count], results] = await Promise.all([
    db.all<{ count: number }>(
      sql`SELECT count(DISTINCT f.vuln_id) AS count FROM ${findingTables(org_id, id)} ${where}`,
    ),
    readVulns(db, org_id, id, page),
  ])
  return { count: count?.count ?? 0, results }
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
  'found_at',
] as const satisfies (keyof FoundVuln)[]

/** The file of all findings, with a row for each vulnerability. */
export async function exportFoundVulns(db: Db, org_id: number, name: string, format: RowFormat) {
  const { id } = await requireInventory(db, org_id, name)
  const whole = { where: sql``, order: sql`${findingRisk} DESC, f.vuln_id`, components: exportedComponents }
  return toRowFile(`${name}-vulnerabilities`, format, {
    head: [...csvColumns, 'components'],
    cells: (row: FoundVuln) => [
      ...csvColumns.map((column) => row[column]),
      row.components.map(({ component, version }) => (version ? `${component} ${version}` : component)).join('; '),
    ],
    read: (limit, offset) => readVulns(db, org_id, id, { ...whole, limit, offset }),
  })
}

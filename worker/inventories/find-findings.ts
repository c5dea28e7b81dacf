import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { pageOffset } from '../http/page'
import { isProvisional } from '../schema/vulns'
import type { FindingQuery, FindingRow } from './contract'
import { decisionsJson } from './decided'
import type { FindingDecision } from './decision-contract'
import { findingConditions, findingRisk, findingTables } from './finding-tables'
import { requireInventory } from './inventory'
import { toRowFile } from './row-file'
import type { RowFormat } from './row-file'

const sorts = {
  risk: findingRisk,
  score: sql`v.score`,
  epss: sql`v.epss`,
  component: sql`c.name`,
  cveid: sql`v.cveid`,
  newest: sql`f.found_at`,
}

const columns = sql`f.vuln_id, v.cveid, v.summary, f.component_id, c.name AS component, c.version, c.purl, c.path, c.scope, f.status,
  f.confidence, f.source, f.range, f.fixed_in, f.first_unlisted, f.is_disputed, v.score, ${isProvisional} AS is_provisional, v.cvss3, v.epss,
  v.kev_added_at IS NOT NULL AS kev, v.ssvc, f.found_at, ${sql.raw(decisionsJson)} AS decisions`

type Row = Omit<FindingRow, 'path' | 'kev' | 'is_disputed' | 'is_score_provisional' | 'decision' | 'proposals'> & {
  path: string
  kev: number
  is_disputed: number
  is_provisional: number
  decisions: string
}

function toFinding({ decisions, is_provisional, ...row }: Row): FindingRow {
  const told = JSON.parse(decisions) as FindingDecision[]
  return {
    ...row,
    path: JSON.parse(row.path) as string[],
    kev: row.kev === 1,
    is_disputed: row.is_disputed === 1,
    is_score_provisional: is_provisional === 1,
    decision: told.find(({ author }) => author === '') ?? null,
    proposals: told.filter(({ author }) => author !== ''),
  }
}

export async function findFindings(db: Db, org_id: number, name: string, query: FindingQuery) {
  const { id } = await requireInventory(db, org_id, name)
  const where = findingConditions(query)
  const field = query.sorted_by.replace('-', '') as keyof typeof sorts
  const order = sql`${sorts[field]} ${query.sorted_by.startsWith('-') ? sql`DESC` : sql`ASC`}, f.component_id, f.vuln_id`
  // One pass orders and counts; only what is shown is read as a whole.
  const rows = await db.all<Row & { total: number }>(sql`
    WITH page AS MATERIALIZED (SELECT f.vuln_id, f.component_id, row_number() OVER (ORDER BY ${order}) AS place, count(*) OVER () AS total
      FROM ${findingTables(org_id, id)} ${where} ORDER BY place LIMIT ${query.limit} OFFSET ${pageOffset(query)})
    SELECT ${columns}, page.total FROM page CROSS JOIN ${findingTables(org_id, id)} AND f.vuln_id = page.vuln_id AND f.component_id = page.component_id
    ORDER BY page.place`)
  const [first] = rows
  const isBeyond = !first && query.page > 1
  const [count] = isBeyond
    ? await db.all<{ count: number }>(sql`SELECT count(*) AS count FROM ${findingTables(org_id, id)} ${where}`)
    : [{ count: first?.total ?? 0 }]
  return { count: count?.count ?? 0, results: rows.map(({ total: _, ...row }) => toFinding(row)) }
}

const csvColumns = [
  'cveid',
  'vuln_id',
  'component',
  'version',
  'purl',
  'status',
  'confidence',
  'source',
  'range',
  'fixed_in',
  'score',
  'is_score_provisional',
  'cvss3',
  'epss',
  'kev',
  'ssvc',
  'scope',
  'path',
  'found_at',
] as const satisfies (keyof FindingRow)[]
const decisionColumns = [
  'status',
  'justification',
  'note',
  'fix',
  'owner',
  'expires_at',
] as const satisfies (keyof FindingDecision)[]

export async function exportFindingList(db: Db, org_id: number, name: string, format: RowFormat) {
  const { id } = await requireInventory(db, org_id, name)
  return toRowFile(`${name}-findings`, format, {
    head: [...csvColumns, ...decisionColumns.map((column) => `decision_${column}`)],
    cells: (row: FindingRow) => [
      ...csvColumns.map((column) => (column === 'path' ? row.path.join(' > ') : row[column])),
      ...decisionColumns.map((column) => row.decision?.[column]),
    ],
    read: async (limit, offset) => {
      const rows = await db.all<Row>(
        sql`SELECT ${columns} FROM ${findingTables(org_id, id)} ORDER BY ${findingRisk} DESC, f.component_id, f.vuln_id LIMIT ${limit} OFFSET ${offset}`,
      )
      return rows.map(toFinding)
    },
  })
}

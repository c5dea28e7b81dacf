import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { pairsTable } from '../db/values'
import { findingDue } from '../watchlist/due-days'
import { isProvisional } from '../schema/vulns'
import type { FindingQuery, FindingRow } from './contract'
import type { FindingDecision } from './decision-contract'
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
import { requireInventory } from './inventory'
import type { InventoryHead } from './inventory'
import { toRowFile } from '../http/row-file'
import type { RowFormat } from '../http/row-file'
import { findListed } from './stored-list'
import { findHubProposals, hubJson, hubTables, joinProposals } from './hub-proposals'
import { isSaidOfFinding, isStatedOfFinding } from '../schema/decisions'

const sorts = { ...findingSorts, component: sql`c.name`, newest: sql`f.found_at`, due: findingDue }

const decisionsJson = `(SELECT json_group_array(json_object('author', d.author, 'status', d.verdict, 'justification', d.justification,
  'note', d.note, 'fix', d.fix, 'owner', d.owner, 'expires_at', d.last_day, 'decided_at', d.decided_at,
  'by', (SELECT u.username FROM users u WHERE u.id = d.user_id),
  'dismissed_at', d.ended_at, 'dismissed_by', (SELECT u.username FROM users u WHERE u.id = d.ended_user_id)))
  FROM decisions d WHERE ${isSaidOfFinding})`

const statedJson = `(SELECT json_object('status', s.verdict, 'justification', s.justification, 'note', s.note) FROM decisions s WHERE ${isStatedOfFinding})`

const columns = sql`f.vuln_id, ${publicId} AS cveid, v.summary, f.component_id, c.name AS component, c.version, c.purl, c.path, c.scope, f.status,
  f.confidence, f.source, f.range, f.fixed_in, f.first_unlisted, f.is_disputed, v.score, ${isProvisional} AS is_provisional, v.cvss3, v.epss,
  v.kev_added_at IS NOT NULL AS kev, v.ssvc, ${findingDue} AS due, f.found_at, ${vulnStatus} AS vuln_status, ${sql.raw(decisionsJson)} AS decisions, ${sql.raw(statedJson)} AS stated, ${hubJson} AS hub`

type Row = Omit<
  FindingRow,
  'path' | 'kev' | 'is_disputed' | 'is_score_provisional' | 'decision' | 'stated' | 'proposals'
> & {
  path: string
  kev: number
  is_disputed: number
  is_provisional: number
  decisions: string
  stated: string | null
  hub: string
}

function toFinding({ decisions, stated, hub, is_provisional, ...row }: Row): FindingRow {
  const all = JSON.parse(decisions) as FindingDecision[]
  return {
    ...row,
    path: JSON.parse(row.path) as string[],
    kev: row.kev === 1,
    is_disputed: row.is_disputed === 1,
    is_score_provisional: is_provisional === 1,
    decision: all.find(({ author }) => author === '') ?? null,
    stated: stated === null ? null : (JSON.parse(stated) as FindingRow['stated']),
    proposals: joinProposals(all, findHubProposals(row, hub)),
  }
}

type Pair = [vuln_id: number, component_id: number]

export async function findFindings(
  db: Db,
  org_id: number,
  { name, query, now, local = now }: FindingRequest<FindingQuery>,
) {
  const order = sql`${orderRows(sorts, query.sorted_by)}, ${tieBreak}, f.component_id, f.vuln_id`
  const hasNames = Boolean(query.search) || query.sorted_by.endsWith('component')
  const where = findingConditions(query, local)
  const listed = { name, list: listName('findings', query), page: query, places: storedFindings, now }
  const { head, count, rows } = await findListed(db, org_id, listed, ({ id }) =>
    findPairs(db, sql`${findingTables(org_id, id, hasNames)} ${where} ORDER BY ${order}`),
  )
  return { count, results: await findRows(db, head, rows) }
}

const findPairs = (db: Db, from: SQL) => db.values<Pair>(sql`SELECT f.vuln_id, f.component_id FROM ${from}`)

/** The findings of these pairs, in the order of the pairs. */
export async function findRows(db: Db, { org_id, id }: InventoryHead, pairs: Pair[]) {
  const rows =
    await db.all<Row>(sql`WITH ${hubTables(org_id, id)} SELECT ${columns} FROM ${pairsTable(pairs)} p CROSS JOIN ${findingTables(org_id, id)}
    AND f.vuln_id = p.first AND f.component_id = p.second`)
  const byPair = new Map(rows.map((row) => [`${row.vuln_id} ${row.component_id}`, toFinding(row)]))
  return pairs.flatMap(([vuln_id, component_id]) => byPair.get(`${vuln_id} ${component_id}`) ?? [])
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
  'due',
  'scope',
  'path',
  'found_at',
  'vuln_status',
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
  const head = await requireInventory(db, org_id, name)
  const from = sql`${findingTables(org_id, head.id, false)} ORDER BY ${findingRisk} DESC, ${tieBreak}, f.component_id, f.vuln_id`
  return toRowFile(`${name}-findings`, format, {
    head: [...csvColumns, ...decisionColumns.map((column) => `decision_${column}`)],
    cells: (row: FindingRow) => [
      ...csvColumns.map((column) => (column === 'path' ? row.path.join(' > ') : row[column])),
      ...decisionColumns.map((column) => row.decision?.[column]),
    ],
    list: () => findPairs(db, from),
    read: (pairs) => findRows(db, head, pairs),
  })
}

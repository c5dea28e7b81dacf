import { sql, type SQL } from 'drizzle-orm'
import { readFlags, type Flagged } from '../db/flags'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { pairsTable, valuesTable } from '../db/values'
import { verdictAtRank } from '../domain/versions/verdict'
import { isOpen, rankFinding } from '../exposure/open-findings'
import { toRowFile, type RowFormat } from '../http/row-file'
import { isOfFinding, isSaidOfFinding, isStatedOfFinding, isStatusOfFinding } from '../schema/decisions'
import { isProvisional } from '../schema/vulns'
import { findingDue } from '../watchlist/due-days'
import type { FindingDecision, FindingQuery, FindingRow, FoundVuln, FoundVulnQuery } from './finding-contract'
import {
  joinConditions,
  findingRisk,
  findingTables,
  isWanted,
  namedFix,
  orderRows,
  publicId,
  tieBreak,
} from './finding-tables'
import { findHubProposals, hubJson, hubTables, joinProposals } from './hub-proposals'
import { requireInventory, type InventoryHead, type InventoryPlace } from './inventory'
import { findListed } from './stored-list'

type Wanted = Pick<FindingQuery, 'search' | 'status' | 'kev' | 'overdue' | 'fix' | 'component' | 'vuln'>

/** `local`: now by the organization's own clock. */
function findingConditions({ search, status, kev, overdue, fix, component, vuln }: Wanted, local: Date) {
  const word = search?.toLowerCase()
  const isOverdue = sql`coalesce(${findingDue} < ${stamp(local).slice(0, 10)}, 0)`
  return joinConditions(
    status !== 'all' && (status === 'closed' ? sql`NOT ${sql.raw(isOpen)}` : sql.raw(isOpen)),
    (status === 'affected' || status === 'unknown') && sql`f.status = ${status}`,
    isWanted(sql`v.kev_added_at IS NOT NULL`, kev),
    isWanted(isOverdue, overdue),
    isWanted(sql`${namedFix} IS NOT NULL`, fix),
    component !== undefined && sql`f.component_id = ${component}`,
    vuln !== undefined && sql`f.vuln_id = ${vuln}`,
    word &&
      sql`(instr(lower(c.name), ${word}) OR instr(lower(coalesce(v.cveid, '')), ${word}) OR instr(lower(v.summary), ${word}))`,
  )
}

/** Null where hardly anybody asks for the list again, and where more than the inventory decides. */
const listName = (
  list: string,
  { search, component, vuln, status, kev, overdue, fix, sorted_by }: Wanted & { sorted_by: string },
) =>
  search || component !== undefined || vuln !== undefined || overdue !== undefined || sorted_by.endsWith('due')
    ? null
    : [list, status, kev, fix, sorted_by].join(' ')

const storedFindings = 1_000

/** Common to lists of findings and of their vulnerabilities. */
const findingSorts = { risk: findingRisk, score: sql`v.score`, epss: sql`v.epss`, cveid: sql`v.cveid` }

/** `local`: now by the organization's own clock. */
type FindingRequest<Query> = { name: string; query: Query; now: Date; local?: Date }

const sorts = { ...findingSorts, component: sql`c.name`, newest: sql`f.found_at`, due: findingDue }

const decisionsJson = `(SELECT json_group_array(json_object('author', d.author, 'status', d.verdict, 'justification', d.justification,
  'note', d.note, 'fix', d.fix, 'owner', d.owner, 'expires_at', d.last_day, 'decided_at', d.decided_at,
  'by', (SELECT u.username FROM users u WHERE u.id = d.user_id),
  'dismissed_at', d.ended_at, 'dismissed_by', (SELECT u.username FROM users u WHERE u.id = d.ended_user_id)))
  FROM decisions d WHERE ${isSaidOfFinding})`

const statedJson = `(SELECT json_object('status', s.verdict, 'justification', s.justification, 'note', s.note) FROM decisions s WHERE ${isStatedOfFinding})`

/** The organization's work on the vulnerability of finding `f`, wherever that is. */
const vulnStatus = sql`coalesce((SELECT s.verdict FROM decisions s WHERE ${sql.raw(isStatusOfFinding)}), 'undefined')`

const vulnColumns = sql`f.vuln_id, ${publicId} AS cveid, v.summary, v.score, ${isProvisional} AS is_score_provisional, v.cvss3, v.epss,
  v.kev_added_at IS NOT NULL AS kev, v.ssvc, ${vulnStatus} AS vuln_status`
const columns = sql`${vulnColumns}, ${findingDue} AS due, f.component_id, c.name AS component, c.version, c.purl, c.path, c.scope, f.status, f.confidence, f.source,
  f.range, f.fixed_in, f.first_unlisted, f.is_disputed, f.found_at, ${sql.raw(decisionsJson)} AS decisions, ${sql.raw(statedJson)} AS stated, ${hubJson} AS hub`

type Row = Flagged<
  Omit<FindingRow, 'path' | 'decision' | 'stated' | 'proposals'>,
  'kev' | 'is_disputed' | 'is_score_provisional'
> & { path: string; decisions: string; stated: string | null; hub: string }

function toFinding({ decisions, stated, hub, ...row }: Row): FindingRow {
  const all = JSON.parse(decisions) as FindingDecision[]
  return {
    ...readFlags(row, 'kev', 'is_disputed', 'is_score_provisional'),
    path: JSON.parse(row.path) as string[],
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

const shownFields = ['score', 'is_score_provisional', 'cvss3', 'epss', 'kev', 'ssvc', 'due'] as const

export async function exportFindingList(db: Db, org_id: number, name: string, format: RowFormat) {
  const head = await requireInventory(db, org_id, name)
  const from = sql`${findingTables(org_id, head.id, false)} ORDER BY ${findingRisk} DESC, ${tieBreak}, f.component_id, f.vuln_id`
  return toRowFile<Pair, FindingRow>(`${name}-findings`, format, {
    columns: [
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
      ...shownFields,
      'scope',
      ['path', ({ path }) => path.join(' > ')],
      'found_at',
      'vuln_status',
      ...(['status', 'justification', 'note', 'fix', 'owner', 'expires_at'] as const).map(
        (field): [string, (row: FindingRow) => unknown] => [`decision_${field}`, ({ decision }) => decision?.[field]],
      ),
    ],
    list: () => findPairs(db, from),
    read: (pairs) => findRows(db, head, pairs),
  })
}

const vulnSorts = {
  ...findingSorts,
  components: sql`components_count`,
  newest: sql`found_at`,
  due: sql`min(${findingDue})`,
}

const shownComponents = 20
const exportedComponents = 500
const rank = sql.raw(rankFinding)

type Part = Omit<FoundVuln['components'][number], 'verdict'> & { rank: number }
type VulnRow = Flagged<Omit<FoundVuln, 'verdict' | 'components'>, 'kev' | 'is_score_provisional'> & {
  rank: number
  components: string
}

type Chosen = { head: InventoryPlace; where: SQL; hasNames: boolean; components: number }

/** Vulnerabilities in the order of their ids, and their components by the same conditions. */
async function findVulnRows(
  db: Db,
  { head, where, hasNames, components }: Chosen,
  ids: number[],
): Promise<FoundVuln[]> {
  const among = sql`${where} AND f.vuln_id IN ${valuesTable(ids)}`
  const tables = (withNames: boolean) => findingTables(head.org_id, head.id, withNames)
  const rows = await db.all<VulnRow>(sql`
    SELECT p.*, (SELECT json_group_array(json_object('component_id', k.component_id, 'component', k.component, 'version', k.version,
        'fixed_in', k.fixed_in, 'rank', k.rank, 'decision', k.decision))
      FROM (SELECT f.component_id, c.name AS component, c.version, f.fixed_in, ${rank} AS rank,
          (SELECT d.verdict FROM decisions d WHERE ${sql.raw(isOfFinding)}) AS decision
        FROM ${tables(true)} ${where} AND f.vuln_id = p.vuln_id ORDER BY ${rank} DESC, c.name, c.id LIMIT ${components}) k) AS components
    FROM (SELECT ${vulnColumns}, min(${findingDue}) AS due, max(${rank}) AS rank, min(f.found_at) AS found_at, count(*) AS components_count
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

const toFoundVuln = ({ rank: worst, components, ...row }: VulnRow): FoundVuln => ({
  ...readFlags(row, 'kev', 'is_score_provisional'),
  verdict: toVerdict(worst),
  components: (JSON.parse(components) as Part[]).map(({ rank: place, ...part }) => ({
    ...part,
    verdict: toVerdict(place),
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
    findIds(db, { ...chosen, head: one }, orderRows(vulnSorts, query.sorted_by)),
  )
  return { count, results: await findVulnRows(db, { ...chosen, head }, rows) }
}

export async function exportFoundVulns(db: Db, org_id: number, name: string, format: RowFormat) {
  const head = await requireInventory(db, org_id, name)
  const whole = { head, where: sql``, hasNames: false, components: exportedComponents }
  return toRowFile<number, FoundVuln>(`${name}-vulnerabilities`, format, {
    columns: [
      'cveid',
      'vuln_id',
      'verdict',
      'components_count',
      ...shownFields,
      'found_at',
      'vuln_status',
      ['components', ({ components }) => components.map(nameComponent).join('; ')],
    ],
    list: () => findIds(db, whole, sql`${findingRisk} DESC`),
    read: (ids) => findVulnRows(db, whole, ids),
  })
}

const nameComponent = ({ component, version }: FoundVuln['components'][number]) =>
  version ? `${component} ${version}` : component

import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { countCap, offsetOf } from '../../http/page'
import { tableOf } from '../../db/values'
import type { Found } from '../../http/page'
import { toRow, vulnColumns } from '../columns'
import type { VulnFilters, VulnQuery, VulnRow } from '../contract'
import { planOf } from './list-plan'
import type { Plan } from './list-plan'
import type { Asker } from './query-sql'
import { vulns } from '../../schema/vulns'
import { nearlyAll } from './text-hits'

/** The vulnerabilities that fit a query, as the organization sees them. Rejected ones are found by their id only. */
export async function findVulns(db: Db, asker: Asker, query: VulnQuery): Promise<Found<VulnRow>> {
  const plan = await planOf(db, asker, query)
  if (!plan) return { count: 0, results: [] }

  const offset = offsetOf(query)
  const reach = Math.max(plan.ahead, query.limit + 1)
  const [ids, kept] = await Promise.all([readIds(db, plan, { limit: reach, offset }), plan.kept])
  const results = await readVulns(db, asker.org_id, ids.slice(0, query.limit))
  if (kept?.length === 1 && kept[0]) return { results, count: kept[0].count }
  if (!ids.length && offset > 0) return { results, ...(await counted(db, plan)) }
  return { results, ...exactness(plan, { count: offset + ids.length, isAll: ids.length < reach }) }
}

/** How many there are, exact up to the cap of counts. */
export async function countVulns(db: Db, asker: Asker, filters: VulnFilters) {
  const plan = await planOf(db, asker, { ...filters, sorted_by: '-updated_at' })
  return plan ? counted(db, plan) : { count: 0, count_is_exact: true }
}

export async function readIds(db: Db, { source }: Plan, { limit, offset }: { limit: number; offset: number }) {
  if (Array.isArray(source)) return source.slice(offset, offset + limit)
  const rows = await db.all<{ id: number }>(source.ids(limit, offset))
  return rows.map(({ id }) => id)
}

/** The rows of a list, in the order of the ids. */
export async function readVulns(db: Db, org_id: number, ids: number[]) {
  if (!ids.length) return []
  const rows = await db
    .select(vulnColumns(org_id))
    .from(sql`${tableOf(ids)} j`)
    .crossJoin(vulns)
    .where(sql`vulns.id = j.item`)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [toRow(row)] : []
  })
}

async function counted(db: Db, plan: Plan) {
  const kept = await plan.kept
  if (kept?.length === 1 && kept[0]) return { count: kept[0].count, count_is_exact: true }
  const source = plan.all ?? plan.source
  if (Array.isArray(source)) return exactness(plan, { count: source.length, isAll: true })
  const [row] = await db
    .select({ count: sql<number>`count(*)`.as('count') })
    .from(sql`(${source.ids(countCap + 1, 0)})`)
  const count = row?.count ?? 0
  return exactness(plan, { count: Math.min(count, countCap), isAll: count <= countCap })
}

function exactness({ most = Infinity, isSifted = false }: Plan, { count, isAll }: { count: number; isAll: boolean }) {
  return { count, count_is_exact: isAll && !isSifted && count < most * nearlyAll }
}

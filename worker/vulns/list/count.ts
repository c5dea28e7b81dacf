import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { countCap } from '../../http/page'
import { counters } from '../../schema/counters'
import { shared } from '../../schema/vulns'
import { filters } from './filters'
import type { Reading, Request } from './request'
import { findNarrowest, firstIds, fittingOwnRows, listParts, rowsOfTest, toConditions } from './terms'
import type { Part } from './terms'

/** At least `count` where it is not exact. */
export type Count = { count: number; count_is_exact: boolean }

/** What the page alone tells about the count. */
export function countRead({ rows, hasMore, stopped, total }: Reading<unknown>, request: Request): Count {
  const { offset, limit, after } = request
  if (total !== undefined)
    return { count: Math.min(total, countCap), count_is_exact: total <= countCap && !hasCut(request) }
  // An empty page past the end tells nothing.
  if (!rows.length && offset > 0) return { count: 0, count_is_exact: false }
  const isAll = rows.length < limit && !hasMore && stopped === undefined && after === 0 && !hasCut(request)
  return { count: offset + rows.length, count_is_exact: isAll }
}

/** The stored number, or a count that reads at most `rows` rows. */
export async function countRequest(db: Db, request: Request, rows: number): Promise<Count> {
  const kept = selectKept(request)
  const [stored, own, counted] = await Promise.all([
    findStored(db, kept),
    countRows(db, sql`SELECT 1 FROM ${fittingOwnRows(request)}`),
    kept ? undefined : countShared(db, request, rows),
  ])
  if (stored !== undefined) return { count: stored + own, count_is_exact: true }
  const found = counted ?? (await countShared(db, request, rows))
  const count = found.count + own
  return { count: Math.min(count, countCap), count_is_exact: found.isAll && count <= countCap && !hasCut(request) }
}

const hasCut = ({ ofVersion, affecting }: Request) =>
  ofVersion?.isCut === true || [...affecting.values()].some((found) => found.isCut)

/** Rows that it costs to look up and test an id from an index. */
const costOfTest = 4

async function countShared(db: Db, request: Request, rows: number): Promise<{ count: number; isAll: boolean }> {
  const parts = listParts(request)
  const [part] = parts
  if (part?.isWhole && part.answers.length === request.terms.length) {
    const limit = Math.min(countCap, rows)
    const count = await countRows(db, sql`${part.ids} LIMIT ${limit + 1}`)
    return { count, isAll: count <= limit }
  }
  const limit = Math.floor(rows / (Math.max(costOfTest, rowsOfTest(request)) + parts.length))
  const [narrowest, ofOne, all] = await Promise.all([
    findNarrowest(db, parts, limit),
    parts.length > 1 ? undefined : countAmong(db, request, part, limit),
    part ? Infinity : countAll(db),
  ])
  const count = ofOne ?? (await countAmong(db, request, narrowest ?? part, limit))
  return { count, isAll: narrowest !== undefined || all <= limit }
}

/** Of the first rows of a part, or of the newest of all. */
function countAmong(db: Db, request: Request, part: Part | undefined, limit: number) {
  const newest = sql`SELECT id FROM vulns INDEXED BY vulns_by_updated WHERE ${shared} ORDER BY updated_at DESC, id DESC LIMIT ${limit}`
  return countRows(
    db,
    sql`SELECT 1 FROM (${part ? firstIds(part, limit) : newest}) c CROSS JOIN vulns
      WHERE vulns.id = c.id AND vulns.org_id IS NULL AND ${toConditions(request, part?.answers)}`,
  )
}

/** A number that the merge keeps; nothing where it keeps none of such a request. */
function selectKept(request: Request): SQL | undefined {
  const [term, ...others] = request.terms
  if (!term) return selectAll
  return others.length || term.kind !== 'compare' ? undefined : filters[term.field].count?.(term, request)
}

async function findStored(db: Db, kept: SQL | undefined) {
  const rows = kept ? await db.all<{ count: number | null }>(kept) : []
  return rows.length === 1 ? (rows[0]?.count ?? 0) : undefined
}

/** Only what everybody sees. */
export const countedAll = sql`(SELECT ${counters.value} FROM ${counters} WHERE ${counters.name} = 'vulns')`

const selectAll = sql`SELECT ${countedAll} AS count`
const countAll = async (db: Db) => (await findStored(db, selectAll)) ?? 0

export async function countRows(db: Db, rows: SQL) {
  const [found] = await db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (${rows})`)
  return found?.count ?? 0
}

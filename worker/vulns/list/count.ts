import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { countCap } from '../../http/page'
import { counters } from '../../schema/counters'
import { filters } from './filters'
import type { Reading } from './read'
import type { Request } from './request'
import { unionAll } from './sorted-lists'
import { fittingPrivateRows, givenBy, idsOfNarrowest, listParts, rowsOfTest, toConditions, withParts } from './terms'

/** At least `count` where it is not exact. */
export type Count = { count: number; count_is_exact: boolean }

/** The count as far as the page alone tells it. */
export function countRead({ rows, stopped, total }: Reading<unknown>, request: Request): Count {
  const { offset, limit, after } = request
  if (total !== undefined) return upToCap(total, !hasCut(request))
  // An empty page past the end tells nothing.
  if (!rows.length && offset > 0) return { count: 0, count_is_exact: false }
  const isAll = rows.length < limit && stopped === undefined && after === 0 && !hasCut(request)
  return { count: offset + rows.length, count_is_exact: isAll }
}

const upToCap = (count: number, isAll: boolean): Count => ({
  count: Math.min(count, countCap),
  count_is_exact: isAll && count <= countCap,
})

const hasCut = ({ ofVersion, affecting }: Request) =>
  ofVersion?.isCut === true || [...affecting.values()].some((found) => found.isCut)

/** Of one step: `next` counts on from there, and its count is to be added. */
type CountStep = Count & { next: number | null }
type Step = { rows: number; after?: number }

/** The stored number, or a count that reads about `rows` rows. */
export async function countRequest(db: Db, request: Request, { rows, after = 0 }: Step): Promise<CountStep> {
  const kept = after ? undefined : selectKept(request)
  const [{ count, isAll, next }, ofPrivate] = await Promise.all([
    kept ? readCount(db, kept) : countShared(db, request, { rows, after }),
    after ? 0 : countRows(db, sql`SELECT 1 FROM ${fittingPrivateRows(request)}`),
  ])
  const whole = count + ofPrivate
  if (kept) return { count: whole, count_is_exact: true, next: null }
  return { ...upToCap(whole, isAll && !hasCut(request)), next: whole < countCap ? next : null }
}

/** A number that the merge keeps; nothing where it keeps none of such a request. */
function selectKept(request: Request): SQL | undefined {
  const [term, ...others] = request.terms
  if (!term) return sql`SELECT ${countedAll} AS count`
  return others.length || term.kind !== 'compare' ? undefined : filters[term.field].count?.(term, request)
}

/** Rows that it costs to look up and test an id from an index. */
const costOfTest = 4

/** Of an index that holds exactly what fits, else among some rows of the narrowest part, or of all by their ids, which are dense. */
async function countShared(db: Db, request: Request, { rows, after }: Required<Step>) {
  const parts = listParts(request)
  const [part] = parts
  if (part?.isWhole && part.answers.length === request.terms.length) {
    const limit = Math.min(countCap, rows)
    const count = await countRows(db, sql`${part.ids} LIMIT ${limit + 1}`)
    return { count, isAll: count <= limit, next: null }
  }
  const cost = rowsOfTest(request)
  const size = Math.floor(rows / (part ? Math.max(costOfTest, cost) + parts.length : cost + 1))
  const end = after + size
  const fits = sql`vulns.org_id IS NULL AND ${toConditions(request, givenBy(parts))}`
  // A narrow part is read to its end at once: further steps go along the first.
  const narrow = after || parts.length === 1 ? -1 : size - 1
  const found = await readCount(
    db,
    part
      ? sql`${withParts(parts, narrow, 1)} SELECT count(*) FILTER (WHERE ${fits}) AS count, count(*) = ${size} AS isMore
          FROM (${unionAll(idsOfNarrowest(parts, size, after))}) c CROSS JOIN vulns WHERE vulns.id = c.id`
      : sql`SELECT count(*) AS count, (SELECT max(id) FROM vulns) > ${end} AS isMore
          FROM vulns NOT INDEXED WHERE id > ${after} AND id <= ${end} AND ${fits}`,
  )
  return { ...found, next: found.isAll ? null : end }
}

/** Only what everybody sees. */
export const countedAll = sql`(SELECT ${counters.value} FROM ${counters} WHERE ${counters.name} = 'vulns')`

export const countRows = async (db: Db, rows: SQL) =>
  (await readCount(db, sql`SELECT count(*) AS count FROM (${rows})`)).count

async function readCount(db: Db, query: SQL) {
  const [found] = await db.all<{ count: number | null; isMore?: number }>(query)
  return { count: found?.count ?? 0, isAll: !found?.isMore, next: null }
}

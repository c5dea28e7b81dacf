import { eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { countCap } from '../../http/page'
import { counters } from '../../schema/counters'
import { shared } from '../../schema/vulns'
import { filters } from './filters'
import { findNarrowest, firstIds, isAmong, listParts } from './narrow'
import type { Part } from './narrow'
import type { Request } from './request'
import { toConditions, isUnfiltered, ownRows } from './where'

/** At least `count` where it is not exact. */
export type Count = { count: number; count_is_exact: boolean }

/** The stored number, or a count that reads at most `rows` rows. */
export async function countRequest(db: Db, request: Request, rows: number): Promise<Count> {
  const stored = await findStored(db, request)
  const own = await countOwn(db, request)
  if (stored !== undefined) return { count: stored + own, count_is_exact: true }
  const found = await countShared(db, request, rows)
  const count = found.count + own
  return { count: Math.min(count, countCap), count_is_exact: found.isAll && count <= countCap && !hasCut(request) }
}

export const hasCut = ({ ofVersion, affecting }: Request) =>
  ofVersion?.isCut === true || [...affecting.values()].some((found) => found.isCut)

type Found = { count: number; isAll: boolean }

/** Rows that it costs to look up and test an id from an index. */
const costOfTest = 4

async function countShared(db: Db, request: Request, rows: number): Promise<Found> {
  const parts = listParts(request)
  const [part] = parts
  const isOnly = part?.answers.length === request.terms.length + Number(request.words !== undefined)
  if (isOnly && part.isWhole) {
    const limit = Math.min(countCap, rows)
    const count = await countRows(db, sql`${part.ids} LIMIT ${limit + 1}`)
    return { count, isAll: count <= limit }
  }
  const limit = Math.floor(rows / (costOfTest + parts.length))
  const narrowest = await findNarrowest(db, parts, limit)
  const first = narrowest?.part ?? part
  const count = await (first ? countAmong(db, request, first, limit) : countNewest(db, request, limit))
  const isAll = narrowest !== undefined || (!first && (await countAll(db)) <= limit)
  return { count, isAll }
}

/** A number that the merge keeps. */
async function findStored(db: Db, request: Request): Promise<number | undefined> {
  const [term] = request.terms
  if (isUnfiltered(request)) return countAll(db)
  if (request.terms.length !== 1 || request.words || request.ofVersion || term?.kind !== 'compare') return undefined
  const select = filters[term.field].count?.(term)
  const rows = select ? await db.all<{ count: number }>(select) : []
  return rows.length === 1 ? rows[0]?.count : undefined
}

/** Only what everybody sees. */
export async function countAll(db: Db) {
  const [all] = await db.select({ count: counters.value }).from(counters).where(eq(counters.name, 'vulns'))
  return all?.count ?? 0
}

export async function countRows(db: Db, rows: SQL) {
  const [found] = await db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (${rows})`)
  return found?.count ?? 0
}

function countAmong(db: Db, request: Request, part: Part, limit: number) {
  return countRows(
    db,
    sql`SELECT vulns.id FROM (${firstIds(part, limit)}) c CROSS JOIN vulns
      WHERE vulns.id = c.id AND ${toConditions(request, 'shared', isAmong(part.answers))}`,
  )
}

function countNewest(db: Db, request: Request, limit: number) {
  const rows = sql`SELECT * FROM vulns INDEXED BY vulns_by_updated WHERE ${shared} ORDER BY vulns.updated_at DESC, vulns.id DESC LIMIT ${limit}`
  return countRows(db, sql`SELECT 1 FROM (${rows}) vulns WHERE ${toConditions(request, 'shared')}`)
}

const countOwn = (db: Db, request: Request) => countRows(db, sql`SELECT vulns.id FROM ${ownRows(request)}`)

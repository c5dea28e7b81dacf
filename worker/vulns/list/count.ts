import { eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { Query } from '../../domain/query/ast'
import { countCap } from '../../http/page'
import { counters } from '../../schema/counters'
import { shared } from '../../schema/vulns'
import { filters } from './filters'
import { findNarrowest, listParts } from './narrow'
import type { Part } from './narrow'
import type { Depth } from './affected-version'
import type { Request } from './request'
import { buildConditions, isUnfiltered } from './where'

/** `count` is all there are, or at least so many where it is not exact. */
export type Count = { count: number; count_is_exact: boolean }

/**
 * Of several parts the narrowest is counted whole, up to so many; else so many of the newest are looked at. A screen asks
 * after the page that it shows; a client that asks for all gets a number that is true up to the cap.
 */
const depths = { page: { narrow: 6_000, walked: 9_900 }, all: { narrow: 20_000, walked: 400_000 } }

/** How many fit, exact up to the cap of counts where their index, or so many rows, tell. */
export async function countRequest(db: Db, request: Request, depth: Depth): Promise<Count> {
  const [shared_count, own] = [await countShared(db, request, depth), await countOwn(db, request)]
  const count = shared_count.count + own
  if (shared_count.isKept) return { count, count_is_exact: true }
  const isCapped = count > countCap
  return { count: Math.min(count, countCap), count_is_exact: shared_count.isAll && !isCapped && !hasCut(request) }
}

export const hasCut = ({ ofVersion, affecting }: Request) =>
  ofVersion?.isCut === true || [...affecting.values()].some((found) => found.isCut)

type Shared = { count: number; isAll: boolean; isKept?: boolean }

async function countShared(db: Db, request: Request, depth: Depth): Promise<Shared> {
  const counted = depths[depth]
  const stored = await findKept(db, request)
  if (stored !== undefined) return { count: stored, isAll: true, isKept: true }
  const parts = listParts(request)
  const [part] = parts
  const isOnly = part?.answers.length === request.terms.length + Number(request.words !== undefined)
  if (isOnly && part.isWhole) return countPart(db, part)
  const narrowest = await findNarrowest(db, parts, counted.narrow)
  return narrowest ? countAmong(db, request, narrowest.part) : countNewest(db, request, counted.walked)
}

/** A number that the merge keeps. */
async function findKept(db: Db, request: Request): Promise<number | undefined> {
  const [term] = request.terms
  if (isUnfiltered(request)) {
    const [all] = await db.select({ count: counters.value }).from(counters).where(eq(counters.name, 'vulns'))
    return all?.count ?? 0
  }
  if (request.terms.length !== 1 || request.words || request.ofVersion || term?.kind !== 'compare') return undefined
  const select = filters[term.field].count?.(term)
  const rows = select ? await db.all<{ count: number }>(select) : []
  return rows.length === 1 ? rows[0]?.count : undefined
}

const countRows = async (db: Db, rows: SQL) => {
  const [found] = await db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (${rows})`)
  return found?.count ?? 0
}

/** The index holds nothing but what fits. */
async function countPart(db: Db, { ids }: Part): Promise<Shared> {
  const count = await countRows(db, sql`${ids} LIMIT ${countCap + 1}`)
  return { count, isAll: true }
}

async function countAmong(db: Db, request: Request, { ids, answers }: Part): Promise<Shared> {
  const isAnswered = (term: Query | 'words') => answers.includes(term)
  const count = await countRows(
    db,
    sql`SELECT vulns.id FROM (${ids}) c CROSS JOIN vulns
      WHERE vulns.id = c.id AND ${buildConditions(request, 'shared', isAnswered)} LIMIT ${countCap + 1}`,
  )
  return { count, isAll: true }
}

async function countNewest(db: Db, request: Request, walked: number): Promise<Shared> {
  const rows = sql`SELECT * FROM vulns INDEXED BY vulns_by_updated WHERE ${shared} ORDER BY vulns.updated_at DESC, vulns.id DESC LIMIT ${walked}`
  const [found] = await db.all<{ count: number }>(
    sql`SELECT count(*) AS count FROM (SELECT 1 FROM (${rows}) vulns WHERE ${buildConditions(request, 'shared')} LIMIT ${countCap + 1})`,
  )
  const count = found?.count ?? 0
  const [all] = await db.select({ count: counters.value }).from(counters).where(eq(counters.name, 'vulns'))
  return { count, isAll: count > countCap || (all?.count ?? 0) <= walked }
}

const countOwn = (db: Db, request: Request) =>
  countRows(db, sql`SELECT vulns.id FROM vulns INDEXED BY vulns_by_org WHERE ${buildConditions(request, 'own')}`)

import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { valuesTable } from '../../db/values'
import { countCap, pageOffset } from '../../http/page'
import { vulns } from '../../schema/vulns'
import { toRow, vulnColumns } from '../columns'
import { versionWindow } from '../contract'
import type { VulnFilters, VulnQuery, VulnRow } from '../contract'
import { countRequest, hasCut } from './count'
import type { Count } from './count'
import type { Asker } from './filters'
import { findIds } from './find-ids'
import type { Reading, Slice } from './slice'
import { readRequest } from './request'
import type { Request } from './request'

/** `next` holds the changed parameters of the next page; `looked_at` is the number of rows after which the reading stopped. */
type FoundVulns = Count & {
  results: VulnRow[]
  next: Record<string, number> | null
  looked_at: number | null
  /** How many vulnerabilities could not be judged by the version filter; null without one. */
  unjudged: number | null
}

/** The rows that a page with its count, or a count alone, may read: D1 bills them, and each takes time. */
const rowsOfPage = 4_900
const rowsOfCount = 18_000

const nothing: FoundVulns = { count: 0, count_is_exact: true, results: [], next: null, looked_at: null, unjudged: null }

/** Finds rejected vulnerabilities by their id only. */
export async function findVulns(db: Db, asker: Asker, query: VulnQuery): Promise<FoundVulns> {
  const before = db.meter.rows_read
  const request = await readRequest(db, asker, query, query.count === 'quick' ? 'page' : 'list')
  if (!request) return nothing

  const { page, limit, after = 0 } = query
  const slice: Slice = { limit: limit + 1, offset: pageOffset(query), after }
  const reading = await findIds(db, request, slice)
  const results = await findVulnRows(db, asker.org_id, reading.ids.slice(0, limit))
  const isFull = reading.ids.length > limit
  const least = countRead(reading, slice, request)
  const left = rowsOfPage - (db.meter.rows_read - before)
  const count = query.count === 'quick' ? least : await countFurther(db, request, least, left)
  const unjudged = request.ofVersion?.unknown ?? null
  if (isFull) return { ...count, results, next: { page: page + 1 }, looked_at: null, unjudged }
  const continuation = goingOn(request, reading)
  // A client that counts pages upwards is done at an empty one.
  return {
    ...count,
    results,
    unjudged,
    ...continuation,
    next: page > 1 && !results.length && !reading.stopped ? null : continuation.next,
  }
}

/** Counts on where the page could not tell, with the rows that it left over. */
async function countFurther(db: Db, request: Request, least: Count, rows: number): Promise<Count> {
  if (least.count_is_exact) return least
  const counted = await countRequest(db, request, Math.max(rows, 0))
  return counted.count < least.count ? least : counted
}

/** How to continue a reading that stopped: with the older rows of a walk, or an older window of a product. */
function goingOn({ ofVersion, affecting }: Request, { stopped }: Reading): Pick<FoundVulns, 'next' | 'looked_at'> {
  if (stopped !== undefined) return { next: { page: 1, after: stopped }, looked_at: stopped }
  if (ofVersion?.isCut) {
    const { judged } = ofVersion
    return { next: { page: 1, version_window: Math.floor(judged / versionWindow) + 1 }, looked_at: judged }
  }
  const cut = [...affecting.values()].find(({ isCut }) => isCut)
  return { next: null, looked_at: cut ? cut.judged : null }
}

/** What the page alone tells about the count. */
function countRead({ ids, stopped, total }: Reading, { offset, limit, after }: Slice, request: Request): Count {
  if (total !== undefined)
    return { count: Math.min(total, countCap), count_is_exact: total <= countCap && !hasCut(request) }
  const isAll = ids.length < limit && stopped === undefined && after === 0 && !hasCut(request)
  // An empty page past the end tells nothing.
  if (!ids.length && offset > 0) return { count: 0, count_is_exact: false }
  return { count: offset + ids.length, count_is_exact: isAll }
}

/** Exact up to the cap of counts. */
export async function countVulns(db: Db, asker: Asker, filters: VulnFilters): Promise<Count> {
  const request = await readRequest(db, asker, { ...filters, sorted_by: '-updated_at' }, 'page')
  return request ? countRequest(db, request, rowsOfCount) : { count: 0, count_is_exact: true }
}

/** In the order of the ids. */
export async function findVulnRows(db: Db, org_id: number, ids: number[]) {
  if (!ids.length) return []
  const rows = await db
    .select(vulnColumns(org_id))
    .from(sql`${valuesTable(ids)} j`)
    .crossJoin(vulns)
    .where(sql`vulns.id = j.item`)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [toRow(row)] : []
  })
}

import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { valuesTable } from '../../db/values'
import { invalid } from '../../http/errors'
import { vulns } from '../../schema/vulns'
import { readVulnPage } from '../columns'
import { versionWindow, type CountQuery, type VulnQuery, type VulnRow } from '../contract'
import { addComposites } from '../epss'
import { countRead, countRequest, type Count } from './count'
import { readList, type Reading } from './read'
import { readRequest, type Asker, type Request } from './request'
import { toConditions } from './terms'

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

const tooDeep = 'Too many vulnerabilities to look through in this order: follow `next` from page to page'

/** Finds rejected vulnerabilities by their id only. */
export async function findVulns(db: Db, asker: Asker, query: VulnQuery): Promise<FoundVulns> {
  const before = db.meter.rows_read
  const isQuick = query.count === 'quick'
  const request = await readRequest(db, asker, query, isQuick ? 'page' : 'list')
  if (!request) return { count: 0, count_is_exact: true, results: [], next: null, looked_at: null, unjudged: null }

  // The number of all is stored: it travels with the page.
  const [reading, all] = await Promise.all([
    readList(db, request, (page) => readVulnPage(db, asker.org_id, page)),
    isQuick || request.terms.length ? undefined : countRequest(db, request, { rows: rowsOfPage }),
  ])
  // A client that counts pages would take an empty one for the end.
  if (query.page > 1 && reading.stopped !== undefined && !reading.rows.length && !request.terms.length)
    throw invalid([{ path: ['page'], message: tooDeep }])
  const page = reading.rows.slice(0, query.limit)
  const results = query.composite ? await addComposites(db, page) : page
  const least = countRead(reading, request)
  const left = Math.max(rowsOfPage - (db.meter.rows_read - before), 0)
  const counted: Count =
    isQuick || least.count_is_exact ? least : (all ?? (await countRequest(db, request, { rows: left })))
  return {
    ...(counted.count < least.count ? least : counted),
    results,
    ...findNext(query, request, reading),
    unjudged: request.ofVersion?.unknown ?? null,
  }
}

/** Exact up to the cap of counts, in steps. */
export async function countVulns(db: Db, asker: Asker, { after, ...filters }: CountQuery) {
  const request = await readRequest(db, asker, filters, 'page')
  if (!request) return { count: 0, count_is_exact: true, next: null }
  return countRequest(db, request, { rows: rowsOfCount, after })
}

/** With the next page, with the older rows of a walk, or with an older window of a product. */
function findNext(
  { page, limit }: VulnQuery,
  { ofVersion, affecting }: Request,
  { rows, stopped }: Reading<VulnRow>,
): Pick<FoundVulns, 'next' | 'looked_at'> {
  if (rows.length > limit) return { next: { page: page + 1 }, looked_at: null }
  if (stopped !== undefined) return { next: { page: 1, after: stopped }, looked_at: stopped }
  const cut = [...affecting.values()].find(({ isCut }) => isCut)
  if (!ofVersion?.isCut) return { next: null, looked_at: cut ? cut.judged : null }
  const { judged } = ofVersion
  // A client that counts pages upwards is done at an empty one.
  const isDone = page > 1 && !rows.length
  const next = isDone ? null : { page: 1, version_window: Math.floor(judged / versionWindow) + 1 }
  return { next, looked_at: judged }
}

/** Which of these vulnerabilities a saved view shows. */
export async function findShown(db: Db, asker: Asker, query: VulnQuery, ids: number[]) {
  const request = await readRequest(db, asker, query, 'list')
  if (!request) return new Set<number>()
  const rows = await db.all<{ id: number }>(sql`SELECT vulns.id FROM ${valuesTable(ids)} j CROSS JOIN ${vulns}
    WHERE vulns.id = j.item AND coalesce(vulns.org_id, ${asker.org_id}) = ${asker.org_id} AND ${toConditions(request)}`)
  return new Set(rows.map(({ id }) => id))
}

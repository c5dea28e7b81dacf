import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { valuesTable } from '../../db/values'
import { invalid } from '../../http/errors'
import { vulns } from '../../schema/vulns'
import { addComposites } from '../epss'
import { toRow, vulnColumns } from '../columns'
import { VulnQuery, versionWindow } from '../contract'
import type { CountQuery, VulnRow } from '../contract'
import { countRead, countRequest } from './count'
import type { Count } from './count'
import { readRequest } from './request'
import type { Asker, Reading, Request, ReadRows } from './request'
import { listParts, rowsOfTest, toConditions, withinTests } from './terms'
import { readEither, readNarrow, budgets } from './narrow'
import type { Budget } from './narrow'
import { findOrder } from './order'
import { mostTested, planWalk, refuseTies, walkPage } from './walk'

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

const nothing: FoundVulns = { count: 0, count_is_exact: true, results: [], next: null, looked_at: null, unjudged: null }

/** Finds rejected vulnerabilities by their id only. */
export async function findVulns(db: Db, asker: Asker, query: VulnQuery): Promise<FoundVulns> {
  const before = db.meter.rows_read
  const isQuick = query.count === 'quick'
  const request = await readRequest(db, asker, query, isQuick ? 'page' : 'list')
  if (!request) return nothing

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

/** The whole way: narrow where one of some parts of the request has few rows, else a walk in the order of the list. */
export async function readList<Row>(db: Db, request: Request, read: ReadRows<Row>): Promise<Reading<Row>> {
  const { after, isExport, named } = request
  const order = findOrder(request)
  const walk = planWalk(order.stretches)
  const isDirect = after > 0 || !walk.isOpen
  const parts = isDirect ? [] : listParts(request)
  const readWith = async ({ narrow, tested }: Budget, isApart: boolean): Promise<Reading<Row>> => {
    const ways = { keys: order.keys, parts, limit: withinTests(narrow, request) }
    const page = walkPage(request, walk, Math.floor(tested / rowsOfTest(request)))
    if (!isApart) return readEither(request, ways, page, read)
    const narrowed = await readNarrow(request, ways, read)
    if (narrowed) return narrowed
    if (order.tied && !(isExport && after)) await refuseTies(db, order.tied, page.end)
    return readEither(request, { ...ways, parts: [] }, page, read)
  }
  if (isDirect) return readWith(budgets.further, true)
  if (order.stretches.length > 1) {
    // No index knows those that lack a flag: where few do, a walk for them would read all rows.
    const isLackingFirst = order.stretches[0]?.terms[0]?.kind === 'not'
    return readWith({ ...budgets[isLackingFirst ? 'second' : 'first'], tested: mostTested }, true)
  }
  if (order.tied) return readWith(budgets.second, true)
  // Where no name was looked up a trip is left, which costs less than to count parts for both readers.
  const found = await readWith(budgets.first, !named.size)
  return found.stopped === undefined ? found : readWith(budgets.second, false)
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

/** In the order of a table of `item`. */
export const findVulnRows = async (db: Db, org_id: number, items: SQL) =>
  (await readVulnPage(db, org_id, sql`(SELECT item, NULL AS total FROM ${items})`)).rows

/** The `told` of each vulnerability by a query of `item` and `told`, in JSON, beside its row; the row is null where `item` is. */
export async function findChosen<Told>(db: Db, org_id: number, chosen: SQL) {
  const found = await selectBeside(db, org_id, sql`(${chosen})`, sql<string>`j.told`)
  return found.map(({ row, beside }) => ({ row: row && toRow(row), told: JSON.parse(beside) as Told }))
}

async function readVulnPage(db: Db, org_id: number, page: SQL) {
  const found = await selectBeside(db, org_id, page, sql<number | null>`j.total`)
  return { rows: found.flatMap(({ row }) => (row ? toRow(row) : [])), total: found.at(-1)?.beside ?? null }
}

const selectBeside = <Beside>(db: Db, org_id: number, from: SQL, beside: SQL<Beside>) =>
  db
    .select({ row: vulnColumns(org_id), beside: beside.as('beside') })
    .from(sql`${from} j`)
    .leftJoin(vulns, sql`vulns.id = j.item`)

/** Of a saved view; null where it asks for what is no filter any more. */
export function readSavedQuery(query: string, limit = 1) {
  const given = Object.fromEntries(new URLSearchParams(query))
  const whole = { ...given, sorted_by: '-updated_at', page: 1, limit, count: 'quick', after: undefined }
  return VulnQuery.safeParse(whole).data ?? null
}

/** Which of these vulnerabilities a saved view shows. */
export async function findShown(db: Db, asker: Asker, query: VulnQuery, ids: number[]) {
  const request = await readRequest(db, asker, query, 'list')
  if (!request) return new Set<number>()
  const rows = await db.all<{ id: number }>(sql`SELECT vulns.id FROM ${valuesTable(ids)} j CROSS JOIN ${vulns}
    WHERE vulns.id = j.item AND coalesce(vulns.org_id, ${asker.org_id}) = ${asker.org_id} AND ${toConditions(request)}`)
  return new Set(rows.map(({ id }) => id))
}

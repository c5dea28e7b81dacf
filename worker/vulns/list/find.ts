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
import type { Part } from './terms'
import { idsByDue } from '../../watchlist/due-days'
import { readEither, readHits, readNarrow, budgets } from './narrow'
import { findOrder, findSearch } from './order'
import type { TwofoldOrder } from './order'
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
    throw tooFar('page', 'follow `next` from page to page')
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

/** The whole way: narrow where one of some parts of the request has few rows, else a walk along an index. */
export async function readList<Row>(
  db: Db,
  request: Request,
  read: ReadRows<Row>,
  parts = listParts(request),
): Promise<Reading<Row>> {
  // Without words, relevance means the newest first.
  const search = request.sorted_by.endsWith('relevance') && findSearch(request)
  if (search) return readHits(db, request, search, read)
  const order = findOrder(request)
  if ('halves' in order) return readInTurn(db, request, order, read)
  const walk = planWalk(request, order)
  const cost = rowsOfTest(request)
  const readWith = async (some: Part[], name: keyof typeof budgets, isApart = false): Promise<Reading<Row>> => {
    const { narrow, tested } = budgets[name]
    const ways = { keys: order.keys, parts: some, limit: withinTests(narrow, request) }
    const isWhole = request.half === 'head' && name !== 'first'
    const page = walkPage(request, walk, Math.floor((isWhole ? mostTested : tested) / cost))
    if (!order.tied && !isApart) return readEither(request, ways, page, read)
    const narrowed = await readNarrow(request, ways, read)
    if (narrowed) return narrowed
    if (!request.after || !request.half) await refuseTies(db, order, page.end)
    return readEither(request, { ...ways, parts: [] }, page, read)
  }
  if (request.after || !walk.isOpen) return readWith([], 'further')
  const all = listParts(request)
  if (order.tied) return readWith(all, 'second')
  // Where no name was looked up a trip is left, which costs less than to count parts for both readers.
  const found = await readWith(parts, 'first', !request.named.size)
  return found.stopped === undefined ? found : readWith(all, 'second')
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
  { rows, hasMore, stopped }: Reading<VulnRow>,
): Pick<FoundVulns, 'next' | 'looked_at'> {
  if (rows.length > limit || hasMore) return { next: { page: page + 1 }, looked_at: null }
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

const tooFar = (field = 'sorted_by', way = 'filter the list, or sort it by one field') =>
  invalid([{ path: [field], message: `Too many vulnerabilities to look through in this order: ${way}` }])

/** Two lists, one after the other. The end of the first tells where the second starts: only an export goes on in the first. */
async function readInTurn<Row>(
  db: Db,
  request: Request,
  order: TwofoldOrder,
  read: ReadRows<Row>,
): Promise<Reading<Row>> {
  const { offset, limit, after, half } = request
  const [first, second] = order.halves
  const head: Request = { ...first, half: 'head' }
  const tail: Request = { ...second, half: half === 'first' ? 'tail' : half }
  if (after && half !== 'first') return readList(db, tail, read)
  // No index knows the lacking ones, so that the walk for them would read all rows where few lack the flag.
  const { narrow } = head.terms[0]?.kind === 'not' ? budgets.second : budgets.first
  const parts = after ? [] : listParts(request)
  const ways = { keys: order.keys, parts, limit: withinTests(narrow, request) }
  const narrowed = await readNarrow(request, ways, read)
  if (narrowed) return narrowed

  const { rows, total, stopped } = await readHead(db, head, order, read)
  if (rows.length === limit) return { rows }
  if (stopped !== undefined && half === 'first') return { rows, stopped, half }
  if (stopped !== undefined) throw tooFar()
  const isBeyond = !rows.length && offset > 0
  const before = total ?? (isBeyond ? await countHead(db, head, order) : offset + rows.length)
  const rest = { ...tail, after: 0, offset: Math.max(offset - before, 0), limit: limit - rows.length }
  const behind = await readList(db, rest, read, [])
  return { rows: [...rows, ...behind.rows], stopped: behind.stopped }
}

/** No part of the request is narrow. Where none of the exploited ones is, either, these come newest first, as a list holds them. */
async function readHead<Row>(
  db: Db,
  head: Request,
  { kind, isDescending, keys }: TwofoldOrder,
  read: ReadRows<Row>,
): Promise<Reading<Row>> {
  if (kind === 'due') {
    const rows = sql`SELECT id FROM (${idsByDue(head.org_id, isDescending)})`
    const page = walkPage(head, { rows, answers: head.terms.slice(0, 1), isOpen: true }, mostTested)
    return readEither(head, { keys, parts: [], limit: 0 }, page, read)
  }
  const ofFlag = listParts({ ...head, terms: head.terms.slice(0, 1) })
  if (kind === 'flag') return readList(db, head, read, ofFlag)
  const parts = head.after ? [] : listParts(head)
  const byRisk = await readNarrow(head, { keys, parts, limit: budgets.second.narrow }, read)
  return byRisk ?? readList(db, { ...head, sorted_by: '-updated_at' }, read, ofFlag)
}

/** As one page. */
async function countHead(db: Db, head: Request, order: TwofoldOrder) {
  const whole = { ...head, offset: 0, limit: mostTested + 1 }
  const { rows, stopped } = await readHead(db, whole, order, async (page) => {
    const [found = { count: 0, total: null }] = await db.all<{ count: number; total: number | null }>(
      sql`SELECT count(item) AS count, max(total) AS total FROM ${page}`,
    )
    return { rows: [found.count], total: found.total }
  })
  if (stopped !== undefined) throw tooFar()
  return rows[0] ?? 0
}

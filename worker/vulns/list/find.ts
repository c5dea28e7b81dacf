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
import { byScore, findOrder, findSearch } from './order'
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
  type Budget = typeof budgets.first
  const readWith = async (some: Part[], { narrow, tested }: Budget, isApart = false): Promise<Reading<Row>> => {
    const ways = { keys: order.keys, parts: some, limit: withinTests(narrow, request) }
    const page = walkPage(request, walk, Math.floor(tested / cost))
    if (!order.tied && !isApart) return readEither(request, ways, page, read)
    const narrowed = await readNarrow(request, ways, read)
    if (narrowed) return narrowed
    await refuseTies(db, order, page.end)
    return readEither(request, { ...ways, parts: [] }, page, read)
  }
  if (request.after || !walk.isOpen) return readWith([], budgets.further)
  const all = listParts(request)
  if (order.tied) return readWith(all, budgets.second)
  // Where no name was looked up a trip is left, which costs less than to count parts for both readers.
  const found = await readWith(parts, budgets.first, !request.named.size)
  return found.stopped === undefined ? found : readWith(all, budgets.second)
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

const tooFar = () => {
  const message = 'Too many vulnerabilities to look through in this order: filter the list, or sort it by one field'
  return invalid([{ path: ['sorted_by'], message }])
}

/** Two lists, one after the other; only the second may stop, as the end of the first tells where it starts. */
async function readInTurn<Row>(
  db: Db,
  request: Request,
  { kind, keys, halves: [head, tail] }: TwofoldOrder,
  read: ReadRows<Row>,
): Promise<Reading<Row>> {
  const { offset, limit } = request
  if (request.after) return readList(db, tail, read)
  // No index knows the lacking ones, so that the walk for them would read all rows where few lack the flag.
  const { narrow } = head.terms[0]?.kind === 'not' ? budgets.second : budgets.first
  const limits = { first: withinTests(narrow, request), second: withinTests(budgets.second.narrow, request) }
  const narrowed = await readNarrow(request, { keys, parts: listParts(request), limit: limits.first }, read)
  if (narrowed) return narrowed

  // Of the parts of the request each has more rows than that.
  const ofFlag = listParts({ ...head, terms: head.terms.slice(0, 1) })
  const readers = {
    flag: () => readList(db, { ...head, isWhole: true }, read, ofFlag),
    risk: () => readNarrow(head, { keys, parts: listParts(head), limit: limits.second }, read),
    due: () =>
      readEither(head, { keys, parts: [], limit: 0 }, walkPage({ ...head, isWhole: true }, walkByDue(head), 0), read),
  }
  const found = await readers[kind]()
  if (!found) return readList(db, byScore(request), read)
  const { rows, total, stopped }: Reading<Row> = found
  if (rows.length === limit) return { rows }
  if (stopped !== undefined) throw tooFar()
  const isBeyond = !rows.length && offset > 0
  const before = total ?? (isBeyond ? await countHead(db, head) : offset + rows.length)
  const rest = { ...tail, offset: Math.max(offset - before, 0), limit: limit - rows.length }
  const behind = await readList(db, rest, read, [])
  return { rows: [...rows, ...behind.rows], stopped: behind.stopped }
}

async function countHead(db: Db, head: Request) {
  const { count, count_is_exact } = await countRequest(db, head, { rows: mostTested })
  if (!count_is_exact) throw tooFar()
  return count
}

/** All of them are due. */
function walkByDue({ org_id, sorted_by, terms }: Request) {
  const rows = sql`SELECT id FROM (${idsByDue(org_id, sorted_by.startsWith('-'))})`
  return { rows, answers: terms.slice(0, 1), isOpen: true }
}

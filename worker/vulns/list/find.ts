import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { valuesTable } from '../../db/values'
import { vulns } from '../../schema/vulns'
import { addComposites } from '../epss'
import { toRow, vulnColumns } from '../columns'
import { VulnQuery, versionWindow } from '../contract'
import type { CountQuery, VulnRow } from '../contract'
import { countRead, countRequest } from './count'
import type { Count } from './count'
import { readRequest } from './request'
import type { Asker, Reading, Request, ReadRows } from './request'
import { toConditions, rowsOfTest } from './terms'
import { newComparison } from '../../domain/query/ast'
import type { Comparison } from '../../domain/query/ast'
import { idsByDue } from '../../watchlist/due-days'
import { readHits, readNarrow } from './narrow'
import { findOrder, findSearch, furtherSorts, relevanceKeys, riskKeys } from './order'
import { planWalk, readWalk, walkOn } from './walk'

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

/** A part of the request with at most `first` rows is read whole and sorted; with `second` after a walk that found too little. */
const narrow = { first: 1_500, second: 4_500 }
/** Where a test reads more rows than this, as many fewer are tested. */
const cheapTest = 5

const toTested = (rows: number, request: Request) => Math.floor(rows / Math.max(1, rowsOfTest(request) / cheapTest))

/** The whole way: narrow where a part of the request has few rows, else a walk along an index. */
export async function readList<Row>(db: Db, request: Request, read: ReadRows<Row>): Promise<Reading<Row>> {
  const sort = request.sorted_by.replace('-', '')
  // Without words, relevance means the newest first.
  if (sort === 'relevance' && findSearch(request)) return readByRelevance(db, request, read)
  if (sort === 'risk') return readByRisk(db, request, read)
  if (sort === 'due') return readByDue(db, request, read)

  const order = findOrder(request)
  if ('flag' in order) {
    const [having, lacking] = split({ ...request, ...order.behind }, order.flag)
    return readInTurn(db, order.isTrueFirst ? [having, lacking] : [lacking, having], read)
  }
  const walk = planWalk(request, order)
  if (!walk.isOpen || request.after) return readWalk(db, request, walk, read)
  const narrowTo = (limit: number) =>
    readNarrow(db, request, { keys: order.keys, limit: toTested(limit, request) }, read)
  const found = await narrowTo(order.tied ? narrow.second : narrow.first)
  if (found) return found
  const walked = await readWalk(db, request, walk, read)
  if (walked.stopped === undefined) return walked
  return (await narrowTo(narrow.second)) ?? walkOn(db, request, { ...walk, begun: walked }, read)
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

/** What a query of `item` and `told`, in JSON, tells of each vulnerability, beside its row; the row is null where `item` is. */
export async function findChosen<Told>(db: Db, org_id: number, chosen: SQL) {
  const found = await selectBeside(db, org_id, sql`(${chosen})`, sql<string>`j.told`)
  return found.map(({ row, beside }) => ({ row: row && toRow(row), told: JSON.parse(beside) as Told }))
}

async function readVulnPage(db: Db, org_id: number, page: SQL) {
  const found = await selectBeside(db, org_id, page, sql<number | null>`j.total`)
  return { rows: found.flatMap(({ row }) => (row ? toRow(row) : [])), total: found[0]?.beside ?? null }
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

/** Blocks of hits are sorted one by one, so all pages must be read in the same way. */
async function readByRelevance<Row>(db: Db, request: Request, read: ReadRows<Row>) {
  const keys = relevanceKeys(request)
  const isPlain = request.after > 0 || request.terms.length === 1
  const narrowed = isPlain ? undefined : await readNarrow(db, request, { keys, limit: narrow.second }, read)
  return narrowed ?? readHits(db, request, keys, read)
}

/** No index holds the risk: of a list that is too long to be sorted, the exploited rows are sorted, and the others go by score. */
async function readByRisk<Row>(db: Db, request: Request, read: ReadRows<Row>): Promise<Reading<Row>> {
  const keys = riskKeys(request)
  const narrowed = request.after ? undefined : await readNarrow(db, request, { keys, limit: narrow.first }, read)
  if (narrowed) return narrowed
  const halves = split(byScore(request), newComparison('wild', true))
  const worst = await readNarrow(db, halves[0], { keys, limit: narrow.second }, read)
  return worst ? readInTurn(db, halves, read, worst) : readList(db, byScore(request), read)
}

const anyDay = newComparison('due', '1970-01-01', 'gte')

/** Vulnerabilities with a day come first in both directions, and the others go by score. */
async function readByDue<Row>(db: Db, request: Request, read: ReadRows<Row>): Promise<Reading<Row>> {
  furtherSorts(request)
  const [dated, undated] = split(byScore(request), anyDay)
  if (request.after) return readList(db, undated, read)
  const rows = sql`SELECT id FROM (${idsByDue(request.org_id, request.sorted_by.startsWith('-'))})`
  const walk = { order: { keys: [] }, rows, answers: [], isOpen: false }
  return readInTurn(db, [dated, undated], read, await readWalk(db, dated, walk, read))
}

const byScore = (request: Request): Request => ({ ...request, sorted_by: '-score', then_by: undefined })

/** The vulnerabilities for which a term holds, and the others. */
const split = (request: Request, term: Comparison): [Request, Request] => [
  { ...request, terms: [term, ...request.terms] },
  { ...request, terms: [{ kind: 'not', term }, ...request.terms] },
]

/** No limit: the count decides where the second list starts, so it must be exact. */
const allRows = 100_000_000

/** Two lists, one after the other; only the second may stop. */
async function readInTurn<Row>(
  db: Db,
  [first, second]: [Request, Request],
  read: ReadRows<Row>,
  sorted?: Reading<Row>,
): Promise<Reading<Row>> {
  if (second.after) return readList(db, second, read)
  const { offset, limit } = second
  const { rows, total } = sorted ?? (await readList(db, { ...first, isWhole: true }, read))
  if (rows.length === limit) return { rows }
  const isBeyond = !rows.length && offset > 0
  const before = total ?? (isBeyond ? (await countRequest(db, first, { rows: allRows })).count : offset + rows.length)
  const rest = { ...second, offset: Math.max(offset - before, 0), limit: limit - rows.length }
  const further = await readList(db, rest, read)
  return { rows: [...rows, ...further.rows], stopped: further.stopped }
}

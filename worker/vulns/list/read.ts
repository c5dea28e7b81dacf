import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { Comparison } from '../../domain/query/ast'
import { idsByDue } from '../../watchlist/due-days'
import { countRequest } from './count'
import { readHits, readNarrow } from './narrow'
import { findOrder, findSearch, furtherSorts, isSet, relevanceKeys, riskKeys } from './order'
import type { ReadRows, Reading, Request } from './request'
import { rowsOfTest } from './terms'
import { planWalk, readWalk, walkOn } from './walk'

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
  const first = () => readWalk(db, request, { ...walk, turn: request.after ? 'further' : 'first' }, read)
  if (!walk.isOpen || request.after) return first()
  const narrowTo = (limit: number) =>
    readNarrow(db, request, { keys: order.keys, limit: toTested(limit, request) }, read)
  const found = await narrowTo(order.tied ? narrow.second : narrow.first)
  if (found) return found
  const walked = await first()
  if (walked.stopped === undefined) return walked
  return (await narrowTo(narrow.second)) ?? walkOn(db, request, { ...walk, begun: walked }, read)
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
  const [exploited, others] = split(byScore(request), isSet('wild'))
  const worst = await readNarrow(db, exploited, { keys, limit: narrow.second }, read)
  if (!worst) return readList(db, byScore(request), read)
  if (request.after) return readList(db, others, read)
  const { rows, total } = worst
  const rest = goOn(others, { before: total, taken: rows.length })
  return joinReadings(rows, rest.limit ? await readList(db, rest, read) : undefined)
}

const anyDay: Comparison = { kind: 'compare', field: 'due', op: 'gte', value: '1970-01-01' }

/** Vulnerabilities with a day come first in both directions, and the others go by score. */
async function readByDue<Row>(db: Db, request: Request, read: ReadRows<Row>): Promise<Reading<Row>> {
  furtherSorts(request)
  const [dated, others] = split(byScore(request), anyDay)
  if (request.after) return readList(db, others, read)
  const rows = sql`SELECT id FROM (${idsByDue(request.org_id, request.sorted_by.startsWith('-'))})`
  const sorted = await readWalk(
    db,
    { ...dated, isWhole: true },
    { order: { keys: [] }, rows, answers: [], isOpen: true, turn: 'first' },
    read,
  )
  return readInTurn(db, [dated, others], read, sorted)
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
) {
  if (second.after) return readList(db, second, read)
  const { offset, limit } = second
  const { rows, total } = sorted ?? (await readList(db, { ...first, isWhole: true }, read))
  if (rows.length === limit) return { rows }
  const isBeyond = !rows.length && offset > 0
  const before = total ?? (isBeyond ? (await countRequest(db, first, { rows: allRows })).count : offset + rows.length)
  return joinReadings(rows, await readList(db, goOn(second, { before, taken: rows.length }), read))
}

/** What is left of a page for the second of two lists, the first of which has `before` rows, of which the page has `taken`. */
const goOn = (second: Request, { before, taken }: { before: number; taken: number }): Request => ({
  ...second,
  offset: Math.max(second.offset - before, 0),
  limit: second.limit - taken,
})

const joinReadings = <Row>(first: Row[], { rows, stopped }: Reading<Row> = { rows: [] }): Reading<Row> => ({
  rows: [...first, ...rows],
  ...(stopped !== undefined && { stopped }),
})

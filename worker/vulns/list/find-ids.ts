import type { Db } from '../../db/open'
import { countRequest } from './count'
import { filters } from './filters'
import { gather } from './gather'
import { comparisonsIn } from './lookups'
import { findOrder, isByRelevance, isByRisk } from './order'
import type { Answers } from './narrow'
import type { FlagOrder, ListOrder } from './order'
import { findRanked } from './rank'
import { walkLists } from './walk-lists'
import type { Request } from './request'
import type { Reading, Slice } from './slice'
import { walkIndex } from './walk'
import { newContext } from './where'

/** A part of the request with at most `first` rows is read whole and sorted; with `second` after a walk that found too little. */
const gathered = { first: 1_500, second: 4_500 }
/** Rows that a walk reads for each page: at first, if that did not fill it, and when somebody continues a list that stopped. */
const walked = { first: 3_500, second: 9_000, further: 15_000 }

export function findIds(db: Db, request: Request, slice: Slice): Promise<Reading> {
  const order = findOrder(request)
  if (order.kind === 'flag') return findByFlag(db, request, order, slice)
  if (isByRelevance(request)) return findByRelevance(db, request, order, slice)
  return isByRisk(request) ? findByRisk(db, request, order, slice) : findByKeys(db, request, order, slice)
}

async function findByKeys(db: Db, request: Request, order: ListOrder, slice: Slice): Promise<Reading> {
  const way = (order.isNewestFirst ? walkLists(db, request) : undefined) ?? walkIndex(db, request, order)
  if (answersAll(request, way.answers)) return way.read({ ...slice, window: -1 })

  const pages = Math.floor(slice.offset / slice.limit) + 1
  const test = (rows: number) =>
    way.read({ ...slice, window: slice.window ?? Math.floor(rows / costOfTests(request)) * pages })
  if (slice.after) return test(walked.further)

  const gatherUpTo = (limit: number) => gather(db, { request, order, limit }, slice)
  const narrowed = await gatherUpTo(order.regrouped ? gathered.second : gathered.first)
  if (narrowed) return narrowed
  const reading = await test(walked.first)
  if (reading.stopped === undefined) return reading
  return (await gatherUpTo(gathered.second)) ?? test(walked.second)
}

/** Windows of hits are sorted one by one, so all pages must be read in the same way. */
async function findByRelevance(db: Db, request: Request, order: ListOrder, slice: Slice): Promise<Reading> {
  const isSimple = slice.after > 0 || answersAll(request, ['words'])
  const narrowed = isSimple ? undefined : await gather(db, { request, order, limit: gathered.second }, slice)
  return narrowed ?? findRanked(db, request, order, slice)
}

/** Whether `answers` covers all terms. */
const answersAll = ({ terms, words, ofVersion }: Request, answers: Answers) =>
  !ofVersion && [...terms, ...(words ? ['words' as const] : [])].every((term) => answers.includes(term))

/** Rows that we read to test one row of a list. */
function costOfTests(request: Request) {
  const context = newContext(request, 'shared')
  const costs = request.terms.flatMap(comparisonsIn).map((one) => filters[one.field].cost?.(one, context) ?? 0)
  return costs.reduce((sum, cost) => sum + cost, 1)
}

/** No index holds the risk: of a list that is too long to be sorted, the exploited rows are sorted, and the others go by score. */
async function findByRisk(db: Db, request: Request, order: ListOrder, slice: Slice): Promise<Reading> {
  if (!slice.after) {
    const narrowed = await gather(db, { request, order, limit: gathered.first }, slice)
    if (narrowed) return narrowed
  }
  const [exploited, others] = [true, false].map((value): Request => ({
    ...request,
    terms: [{ kind: 'compare', field: 'wild', op: 'eq', value }, ...request.terms],
  }))
  const byScore = (rows: Request, part: Slice) =>
    findIds(db, { ...rows, sorted_by: '-score', then_by: undefined }, part)
  const first = exploited && (await gather(db, { request: exploited, order, limit: gathered.second }, slice))
  if (!first || !others) return byScore(request, slice)
  if (slice.after) return byScore(others, slice)
  const missing = slice.limit - first.ids.length
  if (!missing) return { ids: first.ids }
  const { ids, stopped } = await byScore(others, {
    ...slice,
    offset: Math.max(slice.offset - (first.total ?? 0), 0),
    limit: missing,
  })
  return { ids: [...first.ids, ...ids], ...(stopped !== undefined && { stopped }) }
}

/** No limit: the count decides where the second list starts, so it must be exact. */
const allRows = 100_000_000

/** Two lists, one after the other: rows with the flag and rows without it. */
async function findByFlag(db: Db, request: Request, order: FlagOrder, slice: Slice): Promise<Reading> {
  const { field, isTrueFirst, behind } = order
  const part = (value: boolean): Request => ({
    ...request,
    terms: [...request.terms, { kind: 'compare', field, op: 'eq', value }],
    ...behind,
  })
  const [first, second] = [part(isTrueFirst), part(!isTrueFirst)]
  const whole = { ...slice, after: 0, window: -1 }
  const begun = await findIds(db, first, whole)
  if (begun.ids.length === slice.limit) return begun
  const isBeyond = !begun.ids.length && slice.offset > 0
  const before = isBeyond ? (await countRequest(db, first, allRows)).count : slice.offset + begun.ids.length
  const following = { ...whole, offset: Math.max(slice.offset - before, 0), limit: slice.limit - begun.ids.length }
  return { ids: [...begun.ids, ...(await findIds(db, second, following)).ids] }
}

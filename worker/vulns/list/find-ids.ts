import type { Db } from '../../db/open'
import { countRequest } from './count'
import { filters } from './filters'
import { gather } from './gather'
import { comparisonsIn } from './lookups'
import { findOrder, isByRelevance } from './order'
import type { Answers } from './narrow'
import type { FlagOrder, ListOrder } from './order'
import { readRanked } from './rank'
import { readLists } from './read-lists'
import type { Request } from './request'
import type { Reading, Slice } from './slice'
import { walkIndex } from './walk'
import { createContext } from './where'

/** A part of the request with at most `first` rows is read whole and sorted; with `second` after a walk that found too little. */
const gathered = { first: 1_500, second: 4_500 }
/** Rows that a walk reads for each page: at first, if that did not fill it, and when somebody continues a list that stopped. */
const walked = { first: 3_500, second: 9_000, further: 15_000 }

export function readIds(db: Db, request: Request, slice: Slice): Promise<Reading> {
  const order = findOrder(request)
  if (order.kind === 'flag') return readByFlag(db, request, order, slice)
  if (isByRelevance(request)) return readByRelevance(db, request, order, slice)
  return readByKeys(db, request, order, slice)
}

async function readByKeys(db: Db, request: Request, order: ListOrder, slice: Slice): Promise<Reading> {
  const way = (order.isNewestFirst ? readLists(db, request) : undefined) ?? walkIndex(db, request, order)
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

/** A window of hits is sorted by itself: how it is read may not change from page to page. */
async function readByRelevance(db: Db, request: Request, order: ListOrder, slice: Slice): Promise<Reading> {
  const isSimple = slice.after > 0 || answersAll(request, ['words'])
  const narrowed = isSimple ? undefined : await gather(db, { request, order, limit: gathered.second }, slice)
  return narrowed ?? readRanked(db, request, order, slice)
}

/** Without a term everything fits. */
const answersAll = ({ terms, words, ofVersion }: Request, answers: Answers) =>
  !ofVersion && [...terms, ...(words ? ['words' as const] : [])].every((term) => answers.includes(term))

/** So many rows are read to test one of a list. */
function costOfTests(request: Request) {
  const context = newContext(request, 'shared')
  const costs = request.terms.flatMap(comparisonsIn).map((one) => filters[one.field].cost?.(one, context) ?? 0)
  return costs.reduce((sum, cost) => sum + cost, 1)
}

/** More than there are: a count that decides where a list goes on has to be true. */
const allRows = 100_000_000

/** What is true first, then the others, or the other way round: two lists, one after the other. */
async function readByFlag(db: Db, request: Request, order: FlagOrder, slice: Slice): Promise<Reading> {
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

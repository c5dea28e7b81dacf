import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { compareKeys } from '../../db/sort-rows'
import type { Comparison, Query } from '../../domain/query/ast'
import { invalid } from '../../http/errors'
import { shared } from '../../schema/vulns'
import { countAll, countRequest } from './count'
import { filters } from './filters'
import { comparisonsIn } from './lookups'
import { findNarrowest, firstIds, listsOfRequest, listParts } from './narrow'
import type { Lists, Part } from './narrow'
import { orderBy, findOrder, isByRelevance } from './order'
import type { FlagOrder, ListOrder, OrderKey } from './order'
import { readRanked } from './rank'
import type { Request } from './request'
import { keyOfVuln, mergeLists } from './sorted-lists'
import type { Reading, Slice } from './slice'
import { namedKeys, readKeyed, sortIds } from './sort'
import type { SortableId } from './sort'
import { buildConditions, createContext, ownRows } from './where'

/** A part of a request that holds for so few is read whole and sorted; or for so many, where a walk did not find enough. */
const gathered = { first: 1_500, second: 4_500 }
/** So many rows a walk reads for each page, and more where that did not fill one, or somebody goes on where one stopped. */
const walked = { first: 3_500, second: 9_000, further: 15_000 }

export async function readIds(db: Db, request: Request, slice: Slice): Promise<Reading> {
  const order = findOrder(request)
  if (order.kind === 'flag') return readByFlag(db, request, order, slice)

  const isRanked = isByRelevance(request)
  const lists = order.isNewestFirst ? listsOfRequest(request) : undefined
  const bounds = lists || isRanked ? [] : boundsIn(request, order)
  const isWhole = answersAll(request, lists?.answers ?? (isRanked ? ['words'] : bounds))
  const gatherAmong = async (limit: number) => {
    const narrowest = slice.after || isWhole ? undefined : await findNarrowest(db, listParts(request), limit)
    return narrowest && gather(db, request, { part: narrowest.part, order }, slice)
  }
  const read = (reach: number) => {
    if (isRanked) return readRanked(db, request, order, slice)
    const pages = Math.floor(slice.offset / slice.limit) + 1
    const window = isWhole ? -1 : (slice.window ?? Math.floor(reach / costOfTests(request)) * pages)
    return lists
      ? merge(db, request, lists, { ...slice, window })
      : walk(db, request, { order, bounds }, { ...slice, window })
  }

  // A window of hits is sorted by itself: how it is read may not change from page to page.
  const narrowed = await gatherAmong(order.regrouped || isRanked ? gathered.second : gathered.first)
  if (narrowed) return narrowed
  const reading = await read(slice.after ? walked.further : walked.first)
  if (reading.stopped === undefined || slice.after || isRanked) return reading
  return (await gatherAmong(gathered.second)) ?? read(walked.second)
}

/** Without a term everything fits. */
const answersAll = ({ terms, words, ofVersion }: Request, answers: (Query | 'words')[]) =>
  !ofVersion && [...terms, ...(words ? ['words' as const] : [])].every((term) => answers.includes(term))

/** Terms that cut the index of the order short: from where on, and to where, it is read. */
function boundsIn({ terms }: Request, { field, index, regrouped }: ListOrder): Comparison[] {
  if (!index || regrouped || !field || filters[field].order === 'flag') return []
  return terms.filter((term) => term.kind === 'compare').filter((term) => term.field === field && isRange(term))
}

const isRange = ({ op, value }: Comparison) =>
  ['eq', 'gt', 'gte', 'lt', 'lte'].includes(op) && typeof value !== 'boolean'

type Gathering = { part: Part; order: ListOrder }

/** Reads all that an index finds for a part, and sorts what fits. */
async function gather(db: Db, request: Request, { part, order }: Gathering, slice: Slice): Promise<Reading> {
  const found = sql`(${firstIds(part, -1)}) c CROSS JOIN vulns
    WHERE vulns.id = c.id AND ${buildConditions(request, 'shared', isIn(part.answers))}`
  const ids = sortIds((await readKeyed(db, [ownRows(request), found], order.keys)).flat(), order.keys)
  return { ids: ids.slice(slice.offset, slice.offset + slice.limit), total: ids.length }
}

type Window = Slice & { window: number }
type Walk = { order: ListOrder; bounds: Comparison[] }

/** Walks the index of the order and tests each row of a window. */
async function walk(db: Db, request: Request, { order, bounds }: Walk, slice: Window): Promise<Reading> {
  const { window } = slice
  const end = slice.offset + slice.limit
  if (order.regrouped) await refuseTies(db, order, window === -1 ? end : slice.after + window)
  const index = order.index ? sql`INDEXED BY ${sql.raw(order.index)}` : sql``
  const context = createContext(request, 'shared')
  const within = bounds.map((term) => sql` AND ${filters[term.field].condition(term, context)}`)
  const rows = sql`SELECT * FROM vulns ${index} WHERE ${shared}${sql.join(within)} ORDER BY ${orderBy(order.keys)} LIMIT ${window} OFFSET ${slice.after}`
  const found = sql`(${rows}) vulns WHERE ${buildConditions(request, 'shared', isIn(bounds))} LIMIT ${end}`
  const behind = slice.after + window
  const isAll = async () => (bounds.length ? (await countLooked(db, rows)) < window : behind >= (await countAll(db)))
  const place = (offset: number) =>
    sql`vulns ${index} WHERE ${shared}${sql.join(within)} ORDER BY ${orderBy(order.keys)} LIMIT 1 OFFSET ${offset}`
  return readWindow(db, request, { found, keys: order.keys, isAll, place }, slice)
}

async function countLooked(db: Db, rows: SQL) {
  const [looked] = await db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (${rows})`)
  return looked?.count ?? 0
}

/** So many rows that are alike in the first key are sorted by the others. */
const maxTies = 5_000

/** The index has the rows by the first key alone: all that are alike in it with the last of a page must be read and sorted. */
async function refuseTies(db: Db, { keys: [first], index, regrouped }: ListOrder, position: number) {
  if (!first || !index) return
  const rows = sql`vulns INDEXED BY ${sql.raw(index)} WHERE ${shared}`
  const last = sql`SELECT ${first.by} FROM ${rows} ORDER BY ${orderBy([first])} LIMIT 1 OFFSET ${position - 1}`
  const alike = await countLooked(db, sql`SELECT 1 FROM ${rows} AND ${first.by} IS (${last}) LIMIT ${maxTies + 1}`)
  if (alike <= maxTies) return
  const message = `More than ${maxTies} vulnerabilities are alike in ${regrouped}: filter the list, or sort it by one field`
  throw invalid([{ path: ['sorted_by'], message }])
}

/** Merges sorted lists, and tests each row of a window where more is asked. */
async function merge(db: Db, request: Request, { answers, lists }: Lists, slice: Window): Promise<Reading> {
  const { window } = slice
  const rows = sql`SELECT vuln_id, key FROM ${mergeLists(lists)} LIMIT ${window} OFFSET ${slice.after}`
  // One that stands in several lists comes several times, side by side.
  const found = sql`(SELECT DISTINCT vuln_id FROM (${rows})) l CROSS JOIN vulns
    WHERE vulns.id = l.vuln_id AND ${buildConditions(request, 'shared', isIn(answers))} LIMIT ${slice.offset + slice.limit}`
  const keys = [{ by: keyOfVuln, isDescending: true }]
  const isAll = async () => (await countLooked(db, rows)) < window
  const place = (offset: number) =>
    sql`(SELECT vuln_id FROM ${mergeLists(lists)} LIMIT 1 OFFSET ${offset}) l CROSS JOIN vulns WHERE vulns.id = l.vuln_id`
  return readWindow(db, request, { found, keys, isAll, place }, slice)
}

const isIn = (answers: (Query | 'words')[]) => (term: Query | 'words') => answers.includes(term)

/** So many rows are read to test one of a list. */
function costOfTests(request: Request) {
  const context = createContext(request, 'shared')
  const costs = request.terms.flatMap(comparisonsIn).map((one) => filters[one.field].cost?.(one, context) ?? 0)
  return costs.reduce((sum, cost) => sum + cost, 1)
}

/** The rows of a window that fit, whether it ends with the list, and the row of the list at a place; all as what follows FROM. */
type Found = { found: SQL; keys: OrderKey[]; isAll: () => Promise<boolean>; place: (offset: number) => SQL }

/** A page of what a window holds, with what the organization wrote for itself at its place. */
async function readWindow(db: Db, request: Request, { found, keys, isAll, place }: Found, slice: Window) {
  const { after, window, offset, limit } = slice
  const end = offset + limit
  const isOpen = window !== -1
  const { columns, outer } = namedKeys(keys)
  const own = sql`SELECT vulns.id AS id, 1 AS is_own, ${columns} FROM ${ownRows(request)}`
  const rows = await db.all<{ id: number; is_own: number }>(
    sql`SELECT id, is_own FROM (SELECT * FROM (SELECT vulns.id AS id, 0 AS is_own, ${columns} FROM ${found}) UNION ALL SELECT * FROM (${own}))
      ORDER BY ${orderBy(outer)} LIMIT ${end}`,
  )
  if (isOpen && rows.some(({ is_own }) => is_own)) return readBetween(db, request, { found, keys, isAll, place }, slice)
  const ids = rows.slice(offset).map(({ id }) => id)
  if (!isOpen || ids.length === limit || (await isAll())) return { ids }
  return { ids, stopped: after + window }
}

/** The same where some of its own may belong before or behind the window: only what sorts between its edges stands on its pages. */
async function readBetween(db: Db, request: Request, { found, keys, isAll, place }: Found, slice: Window) {
  const { after, window, offset, limit } = slice
  const isLast = await isAll()
  const edges = [...(after ? [place(after - 1)] : []), ...(isLast ? [] : [place(after + window - 1)])]
  const [own = [], fitting = [], ...ends] = await readKeyed(db, [ownRows(request), found, ...edges], keys)
  const from = after ? ends[0]?.[0] : undefined
  const to = isLast ? undefined : ends.at(-1)?.[0]
  const isBehind = (row: SortableId, edge: SortableId | undefined) =>
    edge !== undefined && compareKeys(row, edge, keys) > 0
  const within = own.filter((row) => (from === undefined || isBehind(row, from)) && !isBehind(row, to))
  const ids = sortIds([...within, ...fitting], keys).slice(offset, offset + limit)
  return ids.length === limit || isLast ? { ids } : { ids, stopped: after + window }
}

/** More than there are: a count that decides where a list goes on has to be true. */
const allRows = 100_000_000

/** What is true first, then the others, or the other way round: two lists, one after the other. */
async function readByFlag(
  db: Db,
  request: Request,
  { field, isTrueFirst, behind }: FlagOrder,
  slice: Slice,
): Promise<Reading> {
  const part = (value: boolean): Request => ({
    ...request,
    terms: [...request.terms, { kind: 'compare', field, op: 'eq', value }],
    ...behind,
  })
  const [first, second] = [part(isTrueFirst), part(!isTrueFirst)]
  const whole = { ...slice, after: 0, window: -1 }
  const begun = await readIds(db, first, whole)
  if (begun.ids.length === slice.limit) return begun
  const isBeyond = !begun.ids.length && slice.offset > 0
  const before = isBeyond ? (await countRequest(db, first, allRows)).count : slice.offset + begun.ids.length
  const following = { ...whole, offset: Math.max(slice.offset - before, 0), limit: slice.limit - begun.ids.length }
  return { ids: [...begun.ids, ...(await readIds(db, second, following)).ids] }
}

import { eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { Query } from '../../domain/query/ast'
import { counters } from '../../schema/counters'
import { invalid } from '../../http/errors'
import { countCap } from '../../http/page'
import { shared } from '../../schema/vulns'
import { countRequest } from './count'
import { findNarrowest, listsOfRequest, listParts } from './narrow'
import type { Lists, Part } from './narrow'
import { orderBy, findOrder } from './order'
import type { FlagOrder, ListOrder, OrderKey } from './order'
import { readRanked } from './rank'
import type { Request } from './request'
import { keyOfVuln, mergeLists } from './sorted-lists'
import type { Reading, Slice } from './slice'
import { buildConditions, isUnfiltered } from './where'

/** A part of a request that holds for so few is read whole and sorted, or for so many where a walk did not find enough. */
const gathered = { first: 1_200, second: 4_000 }
/** Whoever wants all pages gets each from the whole list, so that none of it falls between two pages. */
const gatheredWhole = { first: countCap, second: countCap }
/** A walk looks at so many rows for each page. */
const walked = { page: 7_500, all: 20_000 }

/** The ids that fit a request, in its order: by the first way of reading that suits it. */
export async function readIds(db: Db, request: Request, slice: Slice): Promise<Reading> {
  const order = findOrder(request)
  if (order.kind === 'flag') return readByFlag(db, request, order, slice)
  if (request.sorted_by.endsWith('relevance') && request.words) return readRanked(db, request, slice)

  const most = slice.depth === 'all' ? gatheredWhole : gathered
  const lists = order.isNewestFirst ? listsOfRequest(request) : undefined
  const isWhole = lists ? answersAll(request, lists) : isUnfiltered(request)
  const narrowest = slice.after || isWhole ? undefined : await findNarrowest(db, listParts(request), most.second)
  const sort = ({ part }: NonNullable<typeof narrowest>) => gather(db, request, { part, order }, slice)
  if (narrowest && (narrowest.size <= most.first || order.regrouped)) return sort(narrowest)
  const reading = await (lists ? merge(db, request, lists, slice) : walk(db, request, order, slice))
  return reading.stopped !== undefined && narrowest ? sort(narrowest) : reading
}

const answersAll = ({ terms, words, ofVersion }: Request, { answers }: Lists) =>
  terms.length === answers.length && !words && !ofVersion

type Gathering = { part: Part; order: ListOrder }

/** Reads all that an index finds for a part, and sorts what fits. */
async function gather(db: Db, request: Request, { part, order }: Gathering, slice: Slice): Promise<Reading> {
  const { limit, offset } = slice.depth === 'all' ? { limit: countCap + 1, offset: 0 } : slice
  const found = sql`SELECT vulns.id AS id, ${asKeys(order.keys)} FROM (${part.ids}) c CROSS JOIN vulns
    WHERE vulns.id = c.id AND ${buildConditions(request, 'shared', isIn(part.answers))}
    ORDER BY ${orderBy(order.keys)} LIMIT ${offset + limit}`
  const { ids } = await page(db, { request, found, order }, { ...slice, limit, offset })
  if (slice.depth !== 'all') return { ids }
  return { ids: ids.slice(slice.offset, slice.offset + slice.limit), total: ids.length }
}

/** Walks the index of the order and tests each row of a window. */
async function walk(db: Db, request: Request, order: ListOrder, slice: Slice): Promise<Reading> {
  const window = isUnfiltered(request) ? -1 : windowSize(slice)
  if (order.regrouped) await refuseTies(db, order, window === -1 ? slice.offset + slice.limit : slice.after + window)
  const index = order.index ? sql`INDEXED BY ${sql.raw(order.index)}` : sql``
  const rows = sql`SELECT * FROM vulns ${index} WHERE ${shared} ORDER BY ${orderBy(order.keys)} LIMIT ${window} OFFSET ${slice.after}`
  const found = sql`SELECT vulns.id AS id, ${asKeys(order.keys)} FROM (${rows}) vulns WHERE ${buildConditions(request, 'shared')} LIMIT ${slice.offset + slice.limit}`
  const { ids } = await page(db, { request, found, order }, slice)
  if (window === -1 || ids.length === slice.limit) return { ids }
  const [all] = await db.select({ count: counters.value }).from(counters).where(eq(counters.name, 'vulns'))
  return slice.after + window < (all?.count ?? 0) ? { ids, stopped: slice.after + window } : { ids }
}

/** So many rows that are alike in the first key are sorted by the others. */
const maxTies = 5_000

/** The index has the rows by the first key alone: all that are alike in it with the last of a page must be read and sorted. */
async function refuseTies(db: Db, { keys: [first], index, regrouped }: ListOrder, position: number) {
  if (!first || !index) return
  const rows = sql`vulns INDEXED BY ${sql.raw(index)} WHERE ${shared}`
  const last = sql`SELECT ${first.by} FROM ${rows} ORDER BY ${orderBy([first])} LIMIT 1 OFFSET ${position - 1}`
  const [found] = await db.all<{ count: number }>(
    sql`SELECT count(*) AS count FROM (SELECT 1 FROM ${rows} AND ${first.by} IS (${last}) LIMIT ${maxTies + 1})`,
  )
  if ((found?.count ?? 0) <= maxTies) return
  const message = `More than ${maxTies} vulnerabilities are alike in ${regrouped}: filter the list, or sort it by one field`
  throw invalid([{ path: ['sorted_by'], message }])
}

/** Merges sorted lists, and tests each row of a window where more is asked. */
async function merge(db: Db, request: Request, { answers, lists }: Lists, slice: Slice): Promise<Reading> {
  const isAll = answersAll(request, { answers, lists })
  const window = isAll ? -1 : windowSize(slice)
  const rows = sql`SELECT vuln_id, key FROM ${mergeLists(lists)} LIMIT ${window} OFFSET ${slice.after}`
  const found = sql`SELECT DISTINCT vulns.id AS id, l.key AS k0 FROM (${rows}) l CROSS JOIN vulns
    WHERE vulns.id = l.vuln_id AND ${buildConditions(request, 'shared', isIn(answers))} LIMIT ${slice.offset + slice.limit}`
  const order = { keys: [{ by: keyOfVuln, isDescending: true }] }
  const { ids } = await page(db, { request, found, order }, slice)
  if (isAll || ids.length === slice.limit) return { ids }
  const [looked] = await db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (${rows})`)
  return looked?.count === window ? { ids, stopped: slice.after + window } : { ids }
}

const isIn = (answers: (Query | 'words')[]) => (term: Query | 'words') => answers.includes(term)

const windowSize = ({ limit, offset, depth = 'page', window = walked[depth] }: Slice) =>
  window === -1 ? -1 : window * (Math.floor(offset / limit) + 1)

type Found = { request: Request; found: SQL; order: Pick<ListOrder, 'keys'> }

/** A page of what was found, with what the organization wrote for itself at its place. */
async function page(db: Db, { request, found, order }: Found, { limit, offset }: Slice): Promise<Reading> {
  const own = sql`SELECT vulns.id AS id, ${asKeys(order.keys)} FROM vulns INDEXED BY vulns_by_org WHERE ${buildConditions(request, 'own')}`
  const rows = await db.all<{
    id: number
  }>(sql`SELECT id FROM (SELECT * FROM (${found}) UNION ALL SELECT * FROM (${own}))
    ORDER BY ${orderBy(order.keys.map(({ isDescending }, at) => ({ by: keyName(at), isDescending })))} LIMIT ${limit} OFFSET ${offset}`)
  return { ids: rows.map(({ id }) => id) }
}

const keyName = (at: number) => sql.raw(`k${at}`)
const asKeys = (keys: OrderKey[]) =>
  sql.join(
    keys.map(({ by }, at) => sql`${by} AS ${keyName(at)}`),
    sql`, `,
  )

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
  const { depth: _, ...asked } = slice
  const whole = { ...asked, after: 0, window: -1 }
  const begun = await readIds(db, first, whole)
  if (begun.ids.length === slice.limit) return begun
  const isBeyond = !begun.ids.length && slice.offset > 0
  const before = isBeyond ? (await countRequest(db, first, 'all')).count : slice.offset + begun.ids.length
  const following = { ...whole, offset: Math.max(slice.offset - before, 0), limit: slice.limit - begun.ids.length }
  return { ids: [...begun.ids, ...(await readIds(db, second, following)).ids] }
}

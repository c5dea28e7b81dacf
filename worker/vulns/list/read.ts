import { eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { Query } from '../../domain/query/ast'
import { counters } from '../../schema/counters'
import { shared } from '../../schema/vulns'
import { countRequest } from './count'
import { findNarrowest, listsOfRequest, listParts } from './narrow'
import type { Lists, Part } from './narrow'
import { orderBy, findOrder } from './order'
import type { FlagOrder, ListOrder } from './order'
import { readRanked } from './rank'
import type { Request } from './request'
import { keyOfVuln, mergeLists } from './sorted-lists'
import type { Reading, Slice } from './slice'
import { buildConditions, isUnfiltered } from './where'

/** A part of a request that holds for so few is read whole and sorted, or for so many where a walk did not find enough. */
const gathered = { first: 1_200, second: 4_000 }
/** A walk looks at so many rows for each page. */
const walked = 7_500

/** The ids that fit a request, in its order: by the first way of reading that suits it. */
export async function readIds(db: Db, request: Request, slice: Slice): Promise<Reading> {
  const order = findOrder(request.sorted_by)
  if (order.kind === 'flag') return readByFlag(db, request, order, slice)
  if (request.sorted_by.endsWith('relevance') && request.words) return readRanked(db, request, slice)

  const lists = order.isNewestFirst ? listsOfRequest(request) : undefined
  const isWhole = lists ? answersAll(request, lists) : isUnfiltered(request)
  const narrowest = slice.after || isWhole ? undefined : await findNarrowest(db, listParts(request), gathered.second)
  const sort = ({ part }: NonNullable<typeof narrowest>) => gather(db, request, { part, order }, slice)
  if (narrowest && narrowest.size <= gathered.first) return sort(narrowest)
  const reading = await (lists ? merge(db, request, lists, slice) : walk(db, request, order, slice))
  return reading.stopped !== undefined && narrowest ? sort(narrowest) : reading
}

const answersAll = ({ terms, words, ofVersion }: Request, { answers }: Lists) =>
  terms.length === answers.length && !words && !ofVersion

/** Reads all that an index finds for a part, and sorts what fits. */
function gather(db: Db, request: Request, { part, order }: { part: Part; order: ListOrder }, slice: Slice) {
  const found = sql`select vulns.id as id, ${asKeys(order.keys)} from (${part.ids}) c cross join vulns
    where vulns.id = c.id and ${buildConditions(request, 'shared', isIn(part.answers))}
    order by ${orderBy(order.keys, order.direction)} limit ${slice.offset + slice.limit}`
  return page(db, { request, found, order }, slice)
}

/** Walks the index of the order and tests each row of a window. */
async function walk(db: Db, request: Request, order: ListOrder, slice: Slice): Promise<Reading> {
  const window = isUnfiltered(request) ? -1 : windowSize(slice)
  const index = order.index ? sql`indexed by ${sql.raw(order.index)}` : sql``
  const rows = sql`select * from vulns ${index} where ${shared} order by ${orderBy(order.keys, order.direction)} limit ${window} offset ${slice.after}`
  const found = sql`select vulns.id as id, ${asKeys(order.keys)} from (${rows}) vulns where ${buildConditions(request, 'shared')} limit ${slice.offset + slice.limit}`
  const { ids } = await page(db, { request, found, order }, slice)
  if (window === -1 || ids.length === slice.limit) return { ids }
  const [all] = await db.select({ count: counters.value }).from(counters).where(eq(counters.name, 'vulns'))
  return slice.after + window < (all?.count ?? 0) ? { ids, stopped: slice.after + window } : { ids }
}

/** Merges sorted lists, and tests each row of a window where more is asked. */
async function merge(db: Db, request: Request, { answers, lists }: Lists, slice: Slice): Promise<Reading> {
  const isAll = answersAll(request, { answers, lists })
  const window = isAll ? -1 : windowSize(slice)
  const rows = sql`select vuln_id, key from ${mergeLists(lists)} limit ${window} offset ${slice.after}`
  const found = sql`select distinct vulns.id as id, l.key as k0 from (${rows}) l cross join vulns
    where vulns.id = l.vuln_id and ${buildConditions(request, 'shared', isIn(answers))} limit ${slice.offset + slice.limit}`
  const order = { keys: [keyOfVuln], direction: sql`desc` }
  const { ids } = await page(db, { request, found, order }, slice)
  if (isAll || ids.length === slice.limit) return { ids }
  const [looked] = await db.all<{ count: number }>(sql`select count(*) as count from (${rows})`)
  return looked?.count === window ? { ids, stopped: slice.after + window } : { ids }
}

const isIn = (answers: (Query | 'words')[]) => (term: Query | 'words') => answers.includes(term)

const windowSize = ({ limit, offset, window = walked }: Slice) =>
  window === -1 ? -1 : window * (Math.floor(offset / limit) + 1)

type Found = { request: Request; found: SQL; order: Pick<ListOrder, 'keys' | 'direction'> }

/** A page of what was found, with what the organization wrote for itself at its place. */
async function page(db: Db, { request, found, order }: Found, { limit, offset }: Slice): Promise<Reading> {
  const own = sql`select vulns.id as id, ${asKeys(order.keys)} from vulns indexed by vulns_by_org where ${buildConditions(request, 'own')}`
  const rows = await db.all<{
    id: number
  }>(sql`select id from (select * from (${found}) union all select * from (${own}))
    order by ${orderBy(order.keys.map(keyName), order.direction)} limit ${limit} offset ${offset}`)
  return { ids: rows.map(({ id }) => id) }
}

const keyName = (_: SQL, at: number) => sql.raw(`k${at}`)
const asKeys = (keys: SQL[]) =>
  sql.join(
    keys.map((key, at) => sql`${key} as ${keyName(key, at)}`),
    sql`, `,
  )

/** What is true first, then the others, or the other way round: two lists, one after the other. */
async function readByFlag(db: Db, request: Request, { field, isTrueFirst }: FlagOrder, slice: Slice): Promise<Reading> {
  const part = (value: boolean): Request => ({
    ...request,
    terms: [...request.terms, { kind: 'compare', field, op: 'eq', value }],
    sorted_by: isTrueFirst ? '-updated_at' : 'updated_at',
  })
  const [first, second] = [part(isTrueFirst), part(!isTrueFirst)]
  const whole = { ...slice, after: 0, window: -1 }
  const begun = await readIds(db, first, whole)
  if (begun.ids.length === slice.limit) return begun
  const isBeyond = !begun.ids.length && slice.offset > 0
  const before = isBeyond ? (await countRequest(db, first)).count : slice.offset + begun.ids.length
  const rest = { ...whole, offset: Math.max(slice.offset - before, 0), limit: slice.limit - begun.ids.length }
  return { ids: [...begun.ids, ...(await readIds(db, second, rest)).ids] }
}

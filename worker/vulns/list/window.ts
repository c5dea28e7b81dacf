import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { compareKeys } from '../../db/sort-rows'
import type { Answers } from './narrow'
import { orderBy } from './order'
import type { OrderKey } from './order'
import type { Request } from './request'
import type { Reading, Slice } from './slice'
import { namedKeys, findKeyed, sortIds } from './sort'
import type { SortableId } from './sort'
import { ownRows } from './where'

/** `window` is how many rows we look at for each page; -1 looks at all. */
export type Window = Slice & { window: number }
/** One way to read a list: terms that need not be tested on its rows, and the page of a window. */
export type Way = { answers: Answers; read: (slice: Window) => Promise<Reading> }

/** The matching rows of a window, whether the window reaches the end of the list, and the list's row at a place; SQL to stand after FROM. */
type Tested = { found: SQL; keys: OrderKey[]; isAll: () => Promise<boolean>; place: (offset: number) => SQL }

/** A page of a window, with the organization's private rows in their places. */
export async function findWindow(db: Db, request: Request, { found, keys, isAll, place }: Tested, slice: Window) {
  const { after, window, offset, limit } = slice
  const end = offset + limit
  const isOpen = window !== -1
  const { columns, outer } = namedKeys(keys)
  const own = sql`SELECT vulns.id AS id, 1 AS is_own, ${columns} FROM ${ownRows(request)}`
  const rows = await db.all<{ id: number; is_own: number }>(
    sql`SELECT id, is_own FROM (SELECT * FROM (SELECT vulns.id AS id, 0 AS is_own, ${columns} FROM ${found}) UNION ALL SELECT * FROM (${own}))
      ORDER BY ${orderBy(outer)} LIMIT ${end}`,
  )
  if (isOpen && rows.some(({ is_own }) => is_own)) return findBetween(db, request, { found, keys, isAll, place }, slice)
  const ids = rows.slice(offset).map(({ id }) => id)
  if (!isOpen || ids.length === limit || (await isAll())) return { ids }
  return { ids, stopped: after + window }
}

/** The same if private rows may sort before or after the window: its pages show only those between its edges. */
async function findBetween(db: Db, request: Request, { found, keys, isAll, place }: Tested, slice: Window) {
  const { after, window, offset, limit } = slice
  const isLast = await isAll()
  const edges = [...(after ? [place(after - 1)] : []), ...(isLast ? [] : [place(after + window - 1)])]
  const [own = [], fitting = [], ...ends] = await findKeyed(db, [ownRows(request), found, ...edges], keys)
  const from = after ? ends[0]?.[0] : undefined
  const to = isLast ? undefined : ends.at(-1)?.[0]
  const isBehind = (row: SortableId, edge: SortableId | undefined) =>
    edge !== undefined && compareKeys(row, edge, keys) > 0
  const within = own.filter((row) => (from === undefined || isBehind(row, from)) && !isBehind(row, to))
  const ids = sortIds([...within, ...fitting], keys).slice(offset, offset + limit)
  return ids.length === limit || isLast ? { ids } : { ids, stopped: after + window }
}

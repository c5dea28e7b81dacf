import { and, eq, sql } from 'drizzle-orm'
import { beside } from '../db/beside'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { notFound } from '../http/errors'
import { pageOffset, type Paging } from '../http/page'
import { inventories, inventoryLists } from '../schema/inventories'
import { isCalled, type InventoryPlace } from './inventory'

/** A shorter list is read as fast as its stored rows. */
const worthStoring = 200
/** D1 takes values of 2 MB. */
const maxLetters = 600_000

type Listed = {
  /** Of the inventory. */
  name: string
  /** Null for what hardly anybody asks for again, such as the hits of a word. */
  list: string | null
  page: Paging
  /** So many rows are stored: a further page reads all of them. */
  places: number
  now: Date
}

/**
 * Stores the first rows until findings or decisions change, and for an hour at most, because scores change without them. The list is
 * asked for in the trip that asks for what is stored, and is empty where that is of now.
 */
export async function findListed<Row>(
  db: Db,
  org_id: number,
  listed: Listed,
  readAll: (place: InventoryPlace) => Promise<Row[]>,
) {
  const { list, page, places, now } = listed
  const [start, end] = [pageOffset(page), pageOffset(page) + page.limit]
  const { isStored, isOfNow } = toConditions(listed, stamp(now).slice(0, 13))
  const isNamed = isCalled(org_id, listed.name)
  const found = db
    .select({
      head: inventories,
      stored: {
        count: inventoryLists.count,
        first: sql<string | null>`iif(${isOfNow}, ${inventoryLists.first}, NULL)`.as('first'),
      },
    })
    .from(inventories)
    .leftJoin(inventoryLists, isStored)
    .where(isNamed)
    .then(([one]) => one ?? Promise.reject(notFound('Inventory')))
  const id = sql`${db
    .select({ id: inventories.id })
    .from(inventories)
    .leftJoin(inventoryLists, isStored)
    .where(and(isNamed, sql`NOT ${isOfNow}`))}`
  const [{ head, stored }, all] = await beside(found, readAll({ org_id, id }))
  if (stored && stored.first !== null)
    return { head, count: stored.count, rows: (JSON.parse(stored.first) as Row[]).slice(start, end) }

  const first = JSON.stringify(all.slice(0, places))
  if (list !== null && all.length > worthStoring && first.length <= maxLetters) {
    const row = { made_of: `${head.changes}:${stamp(now).slice(0, 13)}`, count: all.length, first }
    await db
      .insert(inventoryLists)
      .values({ org_id, inventory_id: head.id, list, ...row })
      .onConflictDoUpdate({
        target: [inventoryLists.org_id, inventoryLists.inventory_id, inventoryLists.list],
        set: row,
      })
  }
  return { head, count: all.length, rows: all.slice(start, end) }
}

function toConditions({ list, page, places }: Listed, hour: string) {
  const isStored = and(
    eq(inventoryLists.org_id, inventories.org_id),
    eq(inventoryLists.inventory_id, inventories.id),
    eq(inventoryLists.list, list ?? ''),
  )
  const reaches = pageOffset(page) + page.limit <= places ? sql`TRUE` : sql`${inventoryLists.count} <= ${places}`
  const isOfNow = sql`coalesce(${inventoryLists.made_of} = ${inventories.changes} || ':' || ${hour} AND ${reaches}, FALSE)`
  return { isStored, isOfNow }
}

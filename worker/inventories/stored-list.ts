import { and, eq, getTableColumns } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { notFound } from '../http/errors'
import { pageOffset } from '../http/page'
import type { Paging } from '../http/page'
import { inventories, inventoryLists } from '../schema/inventories'
import { isCalled } from './inventory'
import type { InventoryHead } from './inventory'

/** A list that is shorter is read as fast as what is stored of it. */
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

/** Stores the first rows until findings or decisions change, and for an hour at most, because scores change without them. */
export async function findListed<Row>(
  db: Db,
  org_id: number,
  { name, list, page, places, now }: Listed,
  readAll: (head: InventoryHead) => Promise<Row[]>,
) {
  const { head, stored } = await requireStored(db, org_id, name, list)
  const [start, end] = [pageOffset(page), pageOffset(page) + page.limit]
  const made_of = `${head.changes}:${stamp(now).slice(0, 13)}`
  if (stored?.made_of === made_of && (end <= places || stored.count <= places))
    return { head, count: stored.count, rows: (JSON.parse(stored.first) as Row[]).slice(start, end) }

  const all = await readAll(head)
  const first = JSON.stringify(all.slice(0, places))
  if (list !== null && all.length > worthStoring && first.length <= maxLetters) {
    const row = { made_of, count: all.length, first }
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

async function requireStored(db: Db, org_id: number, name: string, list: string | null) {
  const { made_of, count, first, ...place } = getTableColumns(inventoryLists)
  const isStored = and(
    eq(place.org_id, inventories.org_id),
    eq(place.inventory_id, inventories.id),
    eq(place.list, list ?? ''),
  )
  const [found] = await db
    .select({ head: inventories, stored: { made_of, count, first } })
    .from(inventories)
    .leftJoin(inventoryLists, isStored)
    .where(isCalled(org_id, name))
  if (!found) throw notFound('Inventory')
  return found
}

import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { pageOffset } from '../http/page'
import type { Paging } from '../http/page'
import { inventoryLists } from '../schema/inventories'
import type { InventoryHead } from './inventory'

/** A list that is shorter is read as fast as what is stored of it. */
const worthStoring = 200
/** D1 takes values of 2 MB. */
const maxLetters = 600_000

type Listed = {
  head: InventoryHead
  /** Null for what hardly anybody asks for again, such as the hits of a word. */
  list: string | null
  page: Paging
  /** So many rows are stored: a further page reads all of them. */
  places: number
  now: Date
}

/** Stores the first rows until findings or decisions change, and for an hour at most, because scores change without them. */
export async function findListed<Row>(db: Db, listed: Listed, readAll: () => Promise<Row[]>) {
  const { page, places, list, now, head } = listed
  const [start, end] = [pageOffset(page), pageOffset(page) + page.limit]
  const made_of = `${head.changes}:${stamp(now).slice(0, 13)}`
  const stored = list === null ? undefined : await findStored(db, head, list)
  if (stored?.made_of === made_of && (end <= places || stored.count <= places))
    return { count: stored.count, rows: (JSON.parse(stored.first) as Row[]).slice(start, end) }

  const all = await readAll()
  const first = JSON.stringify(all.slice(0, places))
  if (list !== null && all.length > worthStoring && first.length <= maxLetters) {
    const row = { made_of, count: all.length, first }
    const { org_id, id: inventory_id } = head
    await db
      .insert(inventoryLists)
      .values({ org_id, inventory_id, list, ...row })
      .onConflictDoUpdate({
        target: [inventoryLists.org_id, inventoryLists.inventory_id, inventoryLists.list],
        set: row,
      })
  }
  return { count: all.length, rows: all.slice(start, end) }
}

async function findStored(db: Db, { org_id, id }: InventoryHead, list: string) {
  const [row] = await db
    .select()
    .from(inventoryLists)
    .where(and(eq(inventoryLists.org_id, org_id), eq(inventoryLists.inventory_id, id), eq(inventoryLists.list, list)))
  return row
}

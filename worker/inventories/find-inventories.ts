import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { notFound } from '../http/errors'
import { pageOffset } from '../http/page'
import { ownProducts } from '../schema/cra'
import { inventories, inventoryDays } from '../schema/inventories'
import { publicExposures } from '../schema/watchlist'
import type { Inventory, InventoryDetail, InventoryQuery } from './contract'
import { isLive, requireInventory } from './inventory'

const shownDays = 90
type Day = typeof inventoryDays.$inferSelect
const noDay = { critical: 0, high: 0, medium: 0, low: 0, unscored: 0, kev: 0, unknown: 0, kev_unknown: 0, closed: 0 }

/** `ids` names some; an organization has a hundred at most. */
export async function findInventories(db: Db, org_id: number, ids?: number[]): Promise<Inventory[]> {
  const [heads, days, exposures, own] = await db.batch([
    db.select().from(inventories).where(isLive(org_id)),
    db
      .select()
      .from(inventoryDays)
      .where(
        sql`(org_id, inventory_id, day) IN (SELECT i.org_id, i.id, (SELECT max(d.day) FROM inventory_days d WHERE d.org_id = i.org_id AND d.inventory_id = i.id) FROM inventories i WHERE i.org_id = ${org_id})`,
      ),
    db
      .select({ id: publicExposures.item_id, is_exposed: publicExposures.is_exposed })
      .from(publicExposures)
      .where(and(eq(publicExposures.org_id, org_id), eq(publicExposures.kind, 'inventory'))),
    db.select({ id: ownProducts.inventory_id }).from(ownProducts).where(eq(ownProducts.org_id, org_id)),
  ])
  const ownIds = new Set(own.map(({ id }) => id))
  const exposed = new Map(exposures.map(({ id, is_exposed }) => [id, is_exposed]))
  const latest = new Map(days.map((day) => [day.inventory_id, day]))
  return heads
    .filter(({ id }) => ids === undefined || ids.includes(id))
    .map(({ org_id: _, revision: __, changes: ___, removed_at: _at, removed_by: _by, ...head }) => ({
      ...head,
      publicly_exposed: exposed.get(head.id) ?? null,
      is_own_product: ownIds.has(head.id),
      ...toCounts(latest.get(head.id)),
    }))
}

function toCounts(day: Day | undefined) {
  const { kev, unknown, kev_unknown, closed, critical, high, medium, low, unscored } = day ?? noDay
  return { open: { critical, high, medium, low, unscored }, kev, unknown, kev_unknown, closed }
}

export async function findInventoryPage(db: Db, org_id: number, query: InventoryQuery) {
  const word = query.search?.toLowerCase() ?? ''
  const found = (await findInventories(db, org_id)).filter(({ name }) => name.toLowerCase().includes(word))
  const field = query.sorted_by.replace('-', '') as 'name' | 'updated_at' | 'components_count'
  const sign = query.sorted_by.startsWith('-') ? -1 : 1
  const compare = (a: Inventory, b: Inventory) => {
    if (a[field] === b[field]) return 0
    return a[field] < b[field] ? -sign : sign
  }
  found.sort(compare)
  const offset = pageOffset(query)
  return { count: found.length, results: found.slice(offset, offset + query.limit) }
}

export async function getInventoryDetail(db: Db, org_id: number, name: string): Promise<InventoryDetail> {
  const { id } = await requireInventory(db, org_id, name)
  const [[found], days] = await Promise.all([
    findInventories(db, org_id, [id]),
    db
      .select()
      .from(inventoryDays)
      .where(and(eq(inventoryDays.org_id, org_id), eq(inventoryDays.inventory_id, id)))
      .orderBy(desc(inventoryDays.day))
      .limit(shownDays),
  ])
  if (!found) throw notFound('Inventory')
  return { ...found, days: days.toReversed() }
}

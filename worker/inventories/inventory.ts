import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { notFound } from '../http/errors'
import { inventories } from '../schema/inventories'

export type InventoryHead = typeof inventories.$inferSelect

/** An organization has a hundred at most, so the one of a name is found by reading them. */
export async function findInventory(db: Db, org_id: number, name: string): Promise<InventoryHead | undefined> {
  const [found] = await db
    .select()
    .from(inventories)
    .where(and(eq(inventories.org_id, org_id), eq(inventories.name, name)))
  return found
}

export async function requireInventory(db: Db, org_id: number, name: string) {
  const found = await findInventory(db, org_id, name)
  if (!found) throw notFound('Inventory')
  return found
}

/** Fails its batch when the inventory changed since it was read: NULL breaks NOT NULL, and an unchanged one inserts nothing. */
export const requireRevision = (db: Db, { org_id, id, revision }: Pick<InventoryHead, 'org_id' | 'id' | 'revision'>) =>
  statement(
    db,
    sql`INSERT INTO inventories(org_id, id, name, format, components_count, unmatched_count, created_at, updated_at, revision, changes)
      SELECT ${org_id}, CASE WHEN EXISTS (
          SELECT 1 FROM inventories WHERE org_id = ${org_id} AND id = ${id} AND revision = ${revision}) THEN ${id} END,
        '', '', 0, 0, '', '', 0, 0 WHERE TRUE ON CONFLICT DO NOTHING`,
  )

import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
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
  db.$client
    .prepare(
      `INSERT INTO inventories(org_id, id, name, format, components_count, unmatched_count, created_at, updated_at, revision, changes)
       SELECT ?1, CASE WHEN EXISTS (SELECT 1 FROM inventories WHERE org_id = ?1 AND id = ?2 AND revision = ?3) THEN ?2 END,
         '', '', 0, 0, '', '', 0, 0 WHERE TRUE ON CONFLICT DO NOTHING`,
    )
    .bind(org_id, id, revision)

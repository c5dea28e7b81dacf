import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { inventoryComponents } from '../schema/inventories'

/** Names by which findTargets finds the packages and products of the components. */
export function namesQuery(db: Db, { org_id, inventory_id }: { org_id: number; inventory_id: number }) {
  const { id, version, purl, cpe } = inventoryComponents
  return db
    .select({ id, version, purl, cpe })
    .from(inventoryComponents)
    .where(and(eq(inventoryComponents.org_id, org_id), eq(inventoryComponents.inventory_id, inventory_id)))
}

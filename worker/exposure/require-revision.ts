import { sql, and, eq } from 'drizzle-orm'
import { abortUnless, isAborted, isTaken } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { inventoryComponents } from '../schema/inventories'

/** With `changes` its findings and decisions, too, are those that were read. */
type Known = { org_id: number; id: number; revision: number; changes?: number }

/** Undoes its batch when the inventory changed since it was read. */
export const requireRevision = (db: Db, { org_id, id, revision, changes }: Known) =>
  statement(
    db,
    abortUnless(
      sql`EXISTS (SELECT 1 FROM inventories WHERE org_id = ${org_id} AND id = ${id} AND revision = ${revision}
        AND changes = coalesce(${changes ?? null}, changes))`,
      'inventory',
    ),
  )

/** Somebody else wrote it, too, between our reading and our writing. */
export const isOvertaken = (error: unknown) => isAborted(error, 'inventory') || isTaken(error, 'inventories.')

/** Names by which findTargets finds the packages and products of the components. */
export function namesQuery(db: Db, { org_id, inventory_id }: { org_id: number; inventory_id: number }) {
  const { id, version, purl, cpe } = inventoryComponents
  return db
    .select({ id, version, purl, cpe })
    .from(inventoryComponents)
    .where(and(eq(inventoryComponents.org_id, org_id), eq(inventoryComponents.inventory_id, inventory_id)))
}

import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { ownProducts } from '../schema/cra'
import { requireInventory } from './inventory'

type Said = { name: string; is_own_product: boolean }

/** The clock looks through it within a minute. What began before it was taken back stays. */
export async function markOwnProduct(db: Db, org_id: number, { name, is_own_product }: Said) {
  const { id: inventory_id } = await requireInventory(db, org_id, name)
  const place = and(eq(ownProducts.org_id, org_id), eq(ownProducts.inventory_id, inventory_id))
  if (is_own_product) await db.insert(ownProducts).values({ org_id, inventory_id }).onConflictDoNothing()
  else await db.delete(ownProducts).where(place)
}

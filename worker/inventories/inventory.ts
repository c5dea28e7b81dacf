import { and, eq, isNull, sql, type SQL } from 'drizzle-orm'
import { readyAuditBy, type By } from '../auth/audited-by'
import { beside } from '../db/beside'
import { abortUnless, retryOvertaken } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { isOvertaken, requireRevision } from '../exposure/require-revision'
import { Failure, notFound } from '../http/errors'
import { inventories } from '../schema/inventories'
import { ownProducts } from '../schema/cra'

export type InventoryHead = typeof inventories.$inferSelect
/** Its number may be asked for by the statement that reads it. */
export type InventoryPlace = { org_id: number; id: number | SQL }

/** One that was removed is kept aside, and is no inventory for anybody but who restores it. */
export const isLive = (org_id: number) => and(eq(inventories.org_id, org_id), isNull(inventories.removed_at))

/** An organization has a hundred at most, so the one of a name is found by reading them. */
export const isCalled = (org_id: number, name: string | SQL) => and(isLive(org_id), eq(inventories.name, name))

export async function findInventory(db: Db, org_id: number, name: string | SQL): Promise<InventoryHead | undefined> {
  const [found] = await db.select().from(inventories).where(isCalled(org_id, name))
  return found
}

export async function requireInventory(db: Db, org_id: number, name: string) {
  const found = await findInventory(db, org_id, name)
  if (!found) throw notFound('Inventory')
  return found
}

/** `advice`: what to do instead. */
export function nameTaken(name: string, advice: string) {
  const message = `An inventory is called ${name} already: ${advice}`
  return new Failure(409, 'conflict', `name: ${message}`, { issues: [{ path: ['name'], message }] })
}

/** For what changes an inventory, where somebody else was quicker. */
export function refuseOvertaken(error: unknown): never {
  if (!isOvertaken(error)) throw error
  throw new Failure(
    409,
    'conflict',
    'Somebody else sends, renames, removes or restores inventories at the same time: look at the list again',
  )
}

type Said = { name: string; is_own_product: boolean }

/** The clock looks through it within a minute. Clocks that began before it was taken back stay. */
export async function markOwnProduct(db: Db, { name, is_own_product }: Said, by: By) {
  const { org_id } = by.actor
  const [{ id: inventory_id }, own, audit] = await Promise.all([
    requireInventory(db, org_id, name),
    db.select({ id: ownProducts.inventory_id }).from(ownProducts).where(eq(ownProducts.org_id, org_id)),
    readyAuditBy(db, by),
  ])
  const place = and(eq(ownProducts.org_id, org_id), eq(ownProducts.inventory_id, inventory_id))
  if (own.some(({ id }) => id === inventory_id) === is_own_product) return
  const write = is_own_product
    ? db.insert(ownProducts).values({ org_id, inventory_id }).onConflictDoNothing()
    : db.delete(ownProducts).where(place)
  const entry = { action: 'inventory.own' as const, target: name, detail: { is_own_product } }
  await audit([statement(db, write)], entry)
}

type Renaming = { name: string; to: string }

/** All its rows know it by its id. */
export const giveName = (db: Db, renaming: Renaming, by: By) =>
  retryOvertaken({ attempts: 3, isOvertaken }, () => writeName(db, renaming, by)).catch(refuseOvertaken)

async function writeName(db: Db, { name, to }: Renaming, by: By) {
  const { org_id } = by.actor
  const [head, [other, write]] = await beside(
    requireInventory(db, org_id, name),
    Promise.all([findInventory(db, org_id, to), readyAuditBy(db, by)]),
  )
  if (to === name) return
  if (other) throw nameTaken(to, 'choose another name')
  const renamed = db
    .update(inventories)
    .set({ name: to, revision: sql`revision + 1` })
    .where(and(eq(inventories.org_id, org_id), eq(inventories.id, head.id)))
  const isFree = sql`NOT EXISTS (SELECT 1 FROM inventories WHERE org_id = ${org_id} AND name = ${to} AND removed_at IS NULL)`
  await write([requireRevision(db, head), statement(db, abortUnless(isFree, 'inventory')), statement(db, renamed)], {
    action: 'inventory.rename',
    target: to,
    detail: { was: name },
  })
}

import { and, desc, eq, isNotNull, lt, sql, type SQL } from 'drizzle-orm'
import { readyAuditBy, type By } from '../auth/audited-by'
import { eachApart } from '../db/apart'
import { beside } from '../db/beside'
import { retryOvertaken } from '../db/guard'
import type { Db } from '../db/open'
import { removeInSteps } from '../db/prune'
import { statement, writeAndRead } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import { users } from '../schema/auth'
import { ownProducts } from '../schema/cra'
import { decisions } from '../schema/decisions'
import {
  inventories,
  inventoryComponents,
  inventoryDays,
  inventoryDue,
  inventoryFindings,
  inventoryLists,
  inventoryMatches,
  inventoryVulns,
} from '../schema/inventories'
import { countMatching, rewatchItems } from '../watchlist/match-due'
import type { RemovedInventory } from './contract'
import { isOvertaken, requireRevision } from '../exposure/require-revision'
import { isCalled, refuseOvertaken, requireInventory } from './inventory'
import { maxInventories, maxOrgComponents } from './save'

/** A removed inventory is kept aside for so long. */
export const keptDays = 30
const longAgo = '1970-01-01T00:00:00Z'
const toEnd = (removed_at: string) => stamp(plusSeconds(new Date(removed_at), keptDays * 86_400))

/** By these it is found, judged and watched through; its decisions and findings stay. */
const livingTables = [inventoryMatches, inventoryVulns, inventoryDue, inventoryLists]
const keptTables = [inventoryFindings, decisions, inventoryComponents, inventoryDays, ownProducts]

type Place = { org_id: number; inventory_id: number | SQL }
const isOwn = (table: (typeof livingTables)[number] | (typeof keptTables)[number], { org_id, inventory_id }: Place) =>
  and(eq(table.org_id, org_id), eq(table.inventory_id, inventory_id))

/** Nothing reads it any more but the list of what was removed. Answers how many items wait to be matched. */
export const setInventoryAside = (db: Db, name: string, by: By) =>
  retryOvertaken({ attempts: 3, isOvertaken }, () => setAside(db, name, by)).catch(refuseOvertaken)

async function setAside(db: Db, name: string, by: By) {
  const { org_id, user_id } = by.actor
  const named = sql`(SELECT ${inventories.id} FROM ${inventories} WHERE ${isCalled(org_id, name)})`
  const finding = db
    .selectDistinct({ vuln_id: inventoryFindings.vuln_id })
    .from(inventoryFindings)
    .where(isOwn(inventoryFindings, { org_id, inventory_id: named }))
  const [head, [found, write]] = await beside(
    requireInventory(db, org_id, name),
    Promise.all([finding, readyAuditBy(db, by)]),
  )
  const place = { org_id, inventory_id: head.id }
  const aside = db
    .update(inventories)
    .set({ removed_at: stamp(by.now), removed_by: user_id, revision: sql`revision + 1` })
    .where(and(eq(inventories.org_id, org_id), eq(inventories.id, head.id)))
  const statements = [
    requireRevision(db, head),
    statement(db, aside),
    ...livingTables.map((table) => statement(db, db.delete(table).where(isOwn(table, place)))),
    ...rewatchItems(db, { org_id, kind: 'vuln', ids: found.map(({ vuln_id }) => vuln_id) }),
  ]
  const entry = { action: 'inventory.remove' as const, target: name, detail: { components: head.components_count } }
  const [kept, [waiting]] = await writeAndRead(
    db,
    (reads) => write([...statements, ...reads], entry),
    (after) => Promise.all([findKept(after, org_id), after.all<{ matching_count: number }>(countMatching(org_id))]),
  )
  await removeBeyond(db, org_id, kept)
  return waiting?.matching_count ?? 0
}

export async function findRemoved(db: Db, org_id: number, now: Date): Promise<RemovedInventory[]> {
  const { id, name, format, components_count } = inventories
  const rows = await db
    .select({
      id,
      name,
      format,
      components_count,
      removed_at: sql<string>`${inventories.removed_at}`,
      removed_by: users.username,
    })
    .from(inventories)
    .leftJoin(users, eq(users.id, inventories.removed_by))
    .where(and(eq(inventories.org_id, org_id), isNotNull(inventories.removed_at)))
    .orderBy(desc(inventories.removed_at), desc(id))
  return rows.map((row) => ({ ...row, ends_at: toEnd(row.removed_at) })).filter(({ ends_at }) => ends_at > stamp(now))
}

/** Newest first. */
const findKept = async (db: Db, org_id: number) =>
  db
    .select({ id: inventories.id, components_count: inventories.components_count })
    .from(inventories)
    .where(and(eq(inventories.org_id, org_id), isNotNull(inventories.removed_at)))
    .orderBy(desc(inventories.removed_at), desc(inventories.id))

/** The oldest go where more is kept aside than may run. */
async function removeBeyond(db: Db, org_id: number, kept: Awaited<ReturnType<typeof findKept>>) {
  let components = 0
  for (const [at, one] of kept.entries()) {
    components += one.components_count
    if (at >= maxInventories || (at > 0 && components > maxOrgComponents))
      await removeForGood(db, { org_id, inventory_id: one.id })
  }
}

/** So many in a night; the others have the next. */
const maxRemoved = 200

export async function removeOldInventories(db: Db, now: Date) {
  const { org_id, id, removed_at } = inventories
  const old = await db
    .select({ org_id, inventory_id: id })
    .from(inventories)
    .where(lt(removed_at, stamp(plusSeconds(now, -keptDays * 86_400))))
    // Those that fail again and again must not stand before the others.
    .orderBy(sql`random()`)
    .limit(maxRemoved)
  let isLeft = false
  const end = await eachApart(db, old, async (place) => {
    if (!(await removeForGood(db, place))) isLeft = true
  })
  return isLeft ? 'more' : end
}

/**
 * Only what is still aside: somebody may have restored it meanwhile. From its mark on nobody does, and the night takes what is left: false
 * where that is something.
 */
async function removeForGood(db: Db, place: Place) {
  const isHead = and(
    eq(inventories.org_id, place.org_id),
    eq(inventories.id, place.inventory_id),
    isNotNull(inventories.removed_at),
  )
  const mark = db.update(inventories).set({ removed_at: longAgo, revision: sql`revision + 1` })
  if (!(await mark.where(isHead).returning({ id: inventories.id }).get())) return true
  for (const table of keptTables) if (!(await removeInSteps(db, table, isOwn(table, place)))) return false
  await db.delete(inventories).where(isHead)
  return true
}

import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import {
  inventories,
  inventoryComponents,
  inventoryDays,
  inventoryDecisions,
  inventoryDue,
  inventoryFindings,
  inventoryLists,
  inventoryMatches,
  inventoryVulns,
} from '../schema/inventories'
import { rewatch } from '../watchlist/rewatch'
import { requireInventory } from './inventory'

const ownTables = [
  inventoryMatches,
  inventoryVulns,
  inventoryFindings,
  inventoryDecisions,
  inventoryComponents,
  inventoryDue,
  inventoryDays,
  inventoryLists,
]

export async function removeInventoryRows(db: Db, org_id: number, name: string) {
  const { id } = await requireInventory(db, org_id, name)
  const isOwn = (table: (typeof ownTables)[number]) => and(eq(table.org_id, org_id), eq(table.inventory_id, id))
  const found = await db
    .selectDistinct({ vuln_id: inventoryFindings.vuln_id })
    .from(inventoryFindings)
    .where(isOwn(inventoryFindings))
  await db.$client.batch([
    ...ownTables.map((table) => statement(db, db.delete(table).where(isOwn(table)))),
    statement(db, db.delete(inventories).where(and(eq(inventories.org_id, org_id), eq(inventories.id, id)))),
    ...rewatch(db, { org_id, kind: 'vuln', ids: found.map(({ vuln_id }) => vuln_id) }),
  ])
}

import { and, eq, isNotNull } from 'drizzle-orm'
import { auditedBy } from '../auth/audited-by'
import type { By } from '../auth/audited-by'
import { statement } from '../db/statement'
import type { Db } from '../db/open'
import { notFound } from '../http/errors'
import { inventories, inventoryFindings } from '../schema/inventories'
import type { Inventory } from './contract'
import { findInventories } from './find-inventories'
import { requestComparisons, takeWithin } from '../exposure/budget'
import { judgeComponents } from '../exposure/judge'
import { namesQuery } from '../exposure/names-query'
import { requireRevision } from '../exposure/require-revision'
import { findTargets } from '../exposure/targets'
import { countDay, writeCompared, writeFindings } from '../exposure/write-findings'
import { findInventory, nameTaken, refuseOvertaken } from './inventory'
import { findRemoved } from './remove'
import { matchStatements, noteNew, withinRoom } from './save'
import { requireRoom } from './sync'

type Wanted = { id: number; name?: string | undefined }

/** All of it is judged anew, in steps where it is much: merges passed it by while it was aside. */
export async function restoreInventoryRows(db: Db, { id, name: other }: Wanted, by: By): Promise<Inventory> {
  const { org_id } = by.actor
  const head = await requireRemoved(db, { org_id, id, now: by.now })
  const name = other ?? head.name
  if (await findInventory(db, org_id, name)) throw nameTaken(name, 'restore this one under another name')
  await requireRoom(db, org_id, { id, count: head.components_count })
  const place = { org_id, inventory_id: id }
  const [components, before] = await db.batch([
    namesQuery(db, place),
    db
      .select({ component_id: inventoryFindings.component_id, vuln_id: inventoryFindings.vuln_id })
      .from(inventoryFindings)
      .where(and(eq(inventoryFindings.org_id, org_id), eq(inventoryFindings.inventory_id, id))),
  ])
  const judged = components.map((one) => ({ component_id: one.id, targets: findTargets(one) }))
  const taken = await takeWithin(db, judged, { limit: requestComparisons })
  const verdicts = await judgeComponents(
    db,
    org_id,
    taken.map(({ component }) => component),
  )
  const later = judged.flatMap(({ component_id }) => (verdicts.has(component_id) ? [] : component_id))
  const findings = [...verdicts.values()].flatMap((one) => one.findings)
  const after = new Set(findings.map(toKey))
  const closed = before.filter((one) => !after.has(toKey(one)))
  const changed = [...new Set([...findings, ...before].map(({ vuln_id }) => vuln_id))]
  const back = db
    .update(inventories)
    .set({ name, removed_at: null, removed_by: null, revision: head.revision + 1, tells: 'nothing' })
    .where(and(eq(inventories.org_id, org_id), eq(inventories.id, id)))
  const detail = { removed_at: head.removed_at, ...(name !== head.name && { was: head.name }) }
  await auditedBy(
    db,
    [
      requireRevision(db, head),
      statement(db, back),
      withinRoom(db, org_id),
      ...matchStatements(db, place, judged),
      ...noteNew(db, place, later),
      ...writeCompared(db, place, verdicts),
      ...writeFindings(db, { ...place, findings, closed, changed, now: by.now }),
      ...countDay(db, { ...place, now: by.now }),
    ],
    { action: 'inventory.restore', target: name, detail },
    by,
  ).catch(refuseOvertaken)
  const [inventory] = await findInventories(db, org_id, [id])
  if (!inventory) throw notFound('Inventory')
  return inventory
}

const toKey = ({ component_id, vuln_id }: { component_id: number; vuln_id: number }) => `${component_id} ${vuln_id}`

async function requireRemoved(db: Db, { org_id, id, now }: { org_id: number; id: number; now: Date }) {
  const isKept = (await findRemoved(db, org_id, now)).some((one) => one.id === id)
  const [head] = await db
    .select()
    .from(inventories)
    .where(and(eq(inventories.org_id, org_id), eq(inventories.id, id), isNotNull(inventories.removed_at)))
  if (!isKept || !head) throw notFound('Removed inventory')
  return head
}

import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { readyAuditBy, type By } from '../auth/audited-by'
import { beside } from '../db/beside'
import type { Db } from '../db/open'
import { statement, writeAndRead } from '../db/statement'
import { notFound } from '../http/errors'
import { inventories, inventoryFindings } from '../schema/inventories'
import type { Inventory } from './contract'
import { findInventories } from './find-inventories'
import { judgeOrLeave, takeWithin } from '../exposure/budget'
import { findingKey, judgeComponents } from '../exposure/judge'
import { noteDue } from '../exposure/note-due'
import { toJudged } from '../exposure/targets'
import { requireRevision, namesQuery } from '../exposure/require-revision'
import { countDay, writeCompared, writeFindings } from '../exposure/write-findings'
import { findInventory, nameTaken, refuseOvertaken } from './inventory'
import { findKbVersion, requireKbVersion } from '../watchlist/kb-version'
import { findRemoved } from './remove'
import { matchStatements, noteNew, withinRoom } from './save'
import { findUsed, requireRoom } from './sync'

type Wanted = { id: number; name?: string | undefined }

/** All of it is judged anew, in steps where it is much: merges passed it by while it was aside. */
export const restoreInventoryRows = (db: Db, wanted: Wanted, by: By) =>
  judgeOrLeave((limit) => restoreRows(db, { ...wanted, limit }, by)).catch(refuseOvertaken)

async function restoreRows(db: Db, { id, name: other, limit }: Wanted & { limit: number }, by: By): Promise<Inventory> {
  const { org_id } = by.actor
  const place = { org_id, inventory_id: id }
  const called = other ?? sql`(SELECT i.name FROM inventories i WHERE i.org_id = ${org_id} AND i.id = ${id})`
  const finding = db
    .select({ component_id: inventoryFindings.component_id, vuln_id: inventoryFindings.vuln_id })
    .from(inventoryFindings)
    .where(and(eq(inventoryFindings.org_id, org_id), eq(inventoryFindings.inventory_id, id)))
  const [head, [taken_by, used, components, before, kb_version, write]] = await beside(
    requireRemoved(db, { org_id, id, now: by.now }),
    Promise.all([
      findInventory(db, org_id, called),
      findUsed(db, org_id, called),
      namesQuery(db, place),
      finding,
      findKbVersion(db),
      readyAuditBy(db, by),
    ]),
  )
  const name = other ?? head.name
  if (taken_by) throw nameTaken(name, 'restore this one under another name')
  requireRoom(used, head.components_count)
  const judged = components.map(toJudged)
  const { taken, items } = await takeWithin(db, judged, { limit })
  const verdicts = await judgeComponents(db, org_id, taken, { items })
  const later = judged.flatMap(({ component_id }) => (verdicts.has(component_id) ? [] : component_id))
  const findings = [...verdicts.values()].flatMap((one) => one.findings)
  const after = new Set(findings.map(findingKey))
  // Steps close what holds no longer of those that are left to them: what does keeps since when.
  const isLeft = (one: (typeof before)[number]) => !verdicts.has(one.component_id)
  const closed = before.filter((one) => !isLeft(one) && !after.has(findingKey(one)))
  const changed = [...new Set([...findings, ...before].map(({ vuln_id }) => vuln_id))]
  const back = db
    .update(inventories)
    .set({ name, removed_at: null, removed_by: null, revision: head.revision + 1, tells: 'nothing' })
    .where(and(eq(inventories.org_id, org_id), eq(inventories.id, id)))
  const detail = { removed_at: head.removed_at, ...(name !== head.name && { was: head.name }) }
  const statements = [
    ...(taken.length ? [requireKbVersion(db, kb_version)] : []),
    requireRevision(db, head),
    statement(db, back),
    withinRoom(db, org_id),
    ...matchStatements(db, place, judged),
    ...noteNew(db, place, later),
    ...noteDue(
      db,
      place,
      before.filter(isLeft).map((one) => [one.component_id, one.vuln_id]),
    ),
    ...writeCompared(db, place, verdicts),
    ...writeFindings(db, { ...place, findings, closed, changed, now: by.now }),
    ...countDay(db, { ...place, now: by.now }),
  ]
  const [inventory] = await writeAndRead(
    db,
    (reads) => write([...statements, ...reads], { action: 'inventory.restore', target: name, detail }),
    (left) => findInventories(left, org_id, [id]),
  )
  if (!inventory) throw notFound('Inventory')
  return inventory
}

async function requireRemoved(db: Db, { org_id, id, now }: { org_id: number; id: number; now: Date }) {
  const [kept, [head]] = await Promise.all([
    findRemoved(db, org_id, now),
    db
      .select()
      .from(inventories)
      .where(and(eq(inventories.org_id, org_id), eq(inventories.id, id), isNotNull(inventories.removed_at))),
  ])
  if (!kept.some((one) => one.id === id) || !head) throw notFound('Removed inventory')
  return head
}

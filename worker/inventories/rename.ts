import { and, eq, sql } from 'drizzle-orm'
import { readyAuditBy } from '../auth/audited-by'
import type { By } from '../auth/audited-by'
import { beside } from '../db/beside'
import { abortUnless, retryOvertaken } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { isOvertaken, requireRevision } from '../exposure/require-revision'
import { inventories } from '../schema/inventories'
import { findInventory, nameTaken, refuseOvertaken, requireInventory } from './inventory'

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

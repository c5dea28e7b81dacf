import { eq } from 'drizzle-orm'
import { audited } from '../auth/audit'
import type { AuditEntry } from '../auth/audit'
import { getActorName } from '../auth/audited-by'
import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { orgs } from '../schema/orgs'
import { privateOrg } from './first-admin'

/** The organization of the admins, whose log outlives all others; where it is missing, that of whoever asks. */
export async function findOperator(db: Db, { org_id }: { org_id: number }) {
  const [operator] = await db.select({ id: orgs.id }).from(orgs).where(eq(orgs.slug, privateOrg.slug))
  return operator?.id ?? org_id
}

/** Actions for everybody stand in the log of the operator, written with what they change. */
export async function auditedForAll(
  db: Db,
  entry: Pick<AuditEntry, 'action' | 'target' | 'detail'>,
  by: By,
  statements: D1PreparedStatement[] = [],
) {
  const [org_id, actor] = await Promise.all([findOperator(db, by.actor), getActorName(db, by.actor)])
  await audited(db, statements, { org_id, actor_id: by.actor.user_id, actor, ...entry }, by)
}

/** An entry of a tenant's log, which goes with the tenant; the log of the operator keeps it by number, not by name. */
export async function auditedTwice(db: Db, statements: D1PreparedStatement[], entry: AuditEntry, by: By) {
  const { org_id } = entry
  const operator = await findOperator(db, by.actor)
  const copy = { ...entry, org_id: operator, target: `${org_id}`, detail: { org_id } }
  await audited(db, statements, operator === org_id ? [entry] : [entry, copy], by)
}

import { eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { Actor } from '../domain/people/access'
import { getFirst } from '../http/errors'
import type { RequestScope } from '../http/route'
import { users } from '../schema/auth'
import { readyAudit, type AuditEntry } from './audit'

/** Author of the request. */
export type By = Pick<RequestScope, 'env' | 'actor' | 'client' | 'now'>
type Entry = Pick<AuditEntry, 'action' | 'target' | 'detail'>
export type AuditedWrite = (statements: D1PreparedStatement[], entry: Entry) => Promise<D1Result[]>

/** The entry names whoever asked, in the organization that they act in. */
export async function auditedBy(db: Db, statements: D1PreparedStatement[], entry: Entry, by: By) {
  const write = await readyAuditBy(db, by)
  return write(statements, entry)
}

/** The same, with what an entry needs read in one trip with whatever else is read in this turn. */
export async function readyAuditBy(db: Db, by: By, org_id = by.actor.org_id): Promise<AuditedWrite> {
  const actor_id = by.actor.user_id
  const [actor, write] = await Promise.all([getActorName(db, by.actor), readyAudit(db, org_id, by)])
  return (statements, entry) => write(statements, { actor_id, actor, ...entry })
}

export async function getActorName(db: Db, { user_id }: Pick<Actor, 'user_id'>) {
  const find = db.select({ username: users.username }).from(users).where(eq(users.id, user_id))
  return (await getFirst(find, 'User')).username
}

import { eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import type { Actor } from '../domain/people/access'
import { tokenNotValid } from '../http/errors'
import { sessions, users } from '../schema/auth'
import { orgs } from '../schema/orgs'
import { readyAudit } from './audit'
import type { Scene } from './audit'

/** The organization that was acted in finds it in its log. */
export async function leaveActed(db: Db, { user_id: actor_id, session_id, org_id }: Actor, scene: Scene) {
  const find = db
    .select({ actor: users.username, target: orgs.name })
    .from(users)
    .innerJoin(orgs, eq(orgs.id, org_id))
    .where(eq(users.id, actor_id))
  const [[names], write] = await Promise.all([find, readyAudit(db, org_id, scene)])
  if (!names || session_id === null) throw tokenNotValid()
  const update = db.update(sessions).set({ acting_org_id: null }).where(eq(sessions.id, session_id))
  await write([statement(db, update)], { actor_id, action: 'org.act_end', ...names })
}

import { eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { Actor } from '../domain/access'
import { tokenNotValid } from '../http/errors'
import { users } from '../schema/auth'
import { orgs } from '../schema/orgs'
import { audited } from './audit'
import type { Scene } from './audit'

/** The organization that was acted in finds it in its log. */
export async function leaveActed(db: Db, { user_id: actor_id, session_id, org_id }: Actor, scene: Scene) {
  const [names] = await db
    .select({ actor: users.username, target: orgs.name })
    .from(users)
    .innerJoin(orgs, eq(orgs.id, org_id))
    .where(eq(users.id, actor_id))
  if (!names) throw tokenNotValid()
  const update = db.$client.prepare('UPDATE sessions SET acting_org_id = NULL WHERE id = ?1').bind(session_id)
  await audited(db, [update], { org_id, actor_id, action: 'org.act_end', ...names }, scene)
}

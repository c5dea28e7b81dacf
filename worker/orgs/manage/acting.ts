import { eq } from 'drizzle-orm'
import { leaveActed } from '../../auth/acting'
import { requireProof } from '../../auth/proof'
import { requireSessionActor } from '../../auth/session-actor'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { notFound, refused } from '../../http/errors'
import { sessions } from '../../schema/auth'
import { orgs } from '../../schema/orgs'
import { getActorName } from '../managed-orgs'
import type { By } from '../managed-orgs'
import { auditedTwice } from '../operator-log'

export async function actIn(db: Db, org_id: number, by: By) {
  const { session_id } = await requireProof(db, by.actor, by.now)
  const org = await getOrg(db, org_id)
  if (!org.is_active) throw refused(409, 'disabled', `${org.name} is disabled: enable it first`)

  const update = statement(db, db.update(sessions).set({ acting_org_id: org_id }).where(eq(sessions.id, session_id)))
  const actor = await getActorName(db, by.actor)
  const entry = { org_id, actor_id: by.actor.user_id, actor, action: 'org.act' as const, target: org.name }
  await auditedTwice(db, [update], entry, by)
  return { org_id, org_name: org.name }
}

/** An operator in their own organization stays there. */
export async function endActing(db: Db, by: By) {
  const { session_id } = requireSessionActor(by.actor)
  if (by.actor.is_acting) await leaveActed(db, by.actor, by)
  const [home] = await db
    .select({ org_id: orgs.id, org_name: orgs.name })
    .from(sessions)
    .innerJoin(orgs, eq(orgs.id, sessions.org_id))
    .where(eq(sessions.id, session_id))
  if (!home) throw notFound('Organization')
  return home
}

async function getOrg(db: Db, org_id: number) {
  const [org] = await db.select({ name: orgs.name, is_active: orgs.is_active }).from(orgs).where(eq(orgs.id, org_id))
  if (!org) throw notFound('Organization')
  return org
}

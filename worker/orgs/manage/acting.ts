import { eq } from 'drizzle-orm'
import { leaveActed } from '../../auth/acting'
import { requireProof } from '../../auth/proof'
import { requireSessionActor } from '../../auth/session-actor'
import { beside } from '../../db/beside'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { notFound, refused } from '../../http/errors'
import { sessions } from '../../schema/auth'
import { orgs } from '../../schema/orgs'
import type { By } from '../managed-orgs'
import { readyTwice } from '../operator-log'

export async function actIn(db: Db, org_id: number, by: By) {
  const read = beside(getOrg(db, org_id), readyTwice(db, org_id, by))
  const [{ session_id }, [org, write]] = await beside(requireProof(db, by.actor, by.now), read)
  if (!org.is_active) throw refused(409, 'disabled', `${org.name} is disabled: enable it first`)

  const update = statement(db, db.update(sessions).set({ acting_org_id: org_id }).where(eq(sessions.id, session_id)))
  await write([update], { action: 'org.act', target: org.name })
  return { org_id, org_name: org.name }
}

/** An operator in their own organization stays there. */
export async function endActing(db: Db, by: By) {
  const { session_id } = requireSessionActor(by.actor)
  const find = db
    .select({ org_id: orgs.id, org_name: orgs.name })
    .from(sessions)
    .innerJoin(orgs, eq(orgs.id, sessions.org_id))
    .where(eq(sessions.id, session_id))
  const [[home]] = await Promise.all([find, by.actor.is_acting && leaveActed(db, by.actor, by)])
  if (!home) throw notFound('Organization')
  return home
}

async function getOrg(db: Db, org_id: number) {
  const [org] = await db.select({ name: orgs.name, is_active: orgs.is_active }).from(orgs).where(eq(orgs.id, org_id))
  if (!org) throw notFound('Organization')
  return org
}

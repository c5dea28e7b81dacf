import { eq } from 'drizzle-orm'
import { getOrg, leaveActed } from '../../auth/queries'
import { requireProof, requireSessionActor } from '../../auth/proof'
import { beside } from '../../db/beside'
import type { Db } from '../../db/open'
import { updateRows } from '../../db/statement'
import { notFound, refused } from '../../http/errors'
import { sessions } from '../../schema/auth'
import { orgs } from '../../schema/orgs'
import type { By } from '../managed-orgs'
import { readyTwice } from '../operator-log'

export async function actIn(db: Db, org_id: number, by: By) {
  const read = beside(getOrg(db, org_id), readyTwice(db, org_id, by))
  const [{ session_id }, [org, write]] = await beside(requireProof(db, by.actor, by.now), read)
  if (!org.is_active) throw refused(409, 'disabled', `${org.name} is disabled: enable it first`)

  const update = updateRows(db, sessions, eq(sessions.id, session_id), { acting_org_id: org_id })
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

import { and, eq, gte, lte } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { latest, plusSeconds, stamp } from '../db/time'
import { Failure, refused } from '../http/errors'
import { requireSessionActor } from './session-actor'
import type { Actor } from '../domain/people/access'
import { sessions } from '../schema/auth'

const proofMinutes = 5

export const recordProof = (db: Db, session_id: number, now: Date) =>
  statement(
    db,
    db
      .update(sessions)
      .set({ proved_at: stamp(now) })
      .where(eq(sessions.id, session_id)),
  )

/** A session that was left open is not enough to open a way in or close a factor; an admin acting in another organization may do neither. */
export async function requireProof(db: Db, actor: Actor, now: Date) {
  const person = requireSessionActor(actor)
  if (actor.is_acting) throw refused(409, 'acting', 'Go back to your own organization first')
  const since = stamp(plusSeconds(now, -proofMinutes * 60))
  const recent = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(eq(sessions.id, person.session_id), gte(sessions.proved_at, since), lte(sessions.proved_at, latest(now))),
    )
    .get()
  if (!recent) throw new Failure(403, 'password_needed', 'Prove that it is you first: by your password or a passkey')
  return person
}

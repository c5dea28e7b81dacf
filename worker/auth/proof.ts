import { and, eq, gte, lte } from 'drizzle-orm'
import type { Db } from '../db/open'
import { updateRows } from '../db/statement'
import { latest, plusSeconds, stamp } from '../db/time'
import { Failure, needsSession, refused } from '../http/errors'
import type { Actor } from '../domain/people/access'
import { sessions } from '../schema/auth'

export function requireSessionActor(actor: Actor) {
  if (actor.session_id === null) throw needsSession()
  return { ...actor, session_id: actor.session_id }
}
export type SessionActor = ReturnType<typeof requireSessionActor>

const proofMinutes = 5

export const recordProof = (db: Db, session_id: number, now: Date) =>
  updateRows(db, sessions, eq(sessions.id, session_id), { proved_at: stamp(now) })

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

import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { Failure, refused } from '../http/errors'
import { signedIn } from './signed-in'
import type { Actor } from '../domain/access'

const proofMinutes = 5

export async function recordProof(db: Db, session_id: number, now: Date) {
  await db.$client.prepare('UPDATE sessions SET proved_at = ?2 WHERE id = ?1').bind(session_id, stamp(now)).run()
}

/** A session that was left open is not enough to open a way in or close a factor; whoever acts in another organization may do neither. */
export async function requireProof(db: Db, actor: Actor, now: Date) {
  const person = signedIn(actor)
  if (actor.is_acting) throw refused(409, 'acting', 'Go back to your own organization first')
  const recent = await db.$client
    .prepare('SELECT 1 FROM sessions WHERE id = ?1 AND proved_at >= ?2')
    .bind(person.session_id, stamp(plusSeconds(now, -proofMinutes * 60)))
    .first()
  if (!recent) throw new Failure(403, 'password_needed', 'Prove that it is you first: by your password or a passkey')
  return person
}

import { and, eq } from 'drizzle-orm'
import { beside } from '../db/beside'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { notFound, refused } from '../http/errors'
import { queueNotice } from '../mail/within'
import { challenges, users } from '../schema/auth'
import { readyAuditBy } from '../auth/audited-by'
import type { By } from '../auth/audited-by'
import { voidLinks } from '../auth/links'
import { requireGoodPassword } from '../auth/password/good-password'
import { hashPassword, verifyPassword } from '../auth/password/password'
import { passwordChanged } from '../auth/security-notice'
import { revokeAll } from '../auth/sessions'
import { requireSessionActor } from '../auth/session-actor'
import type { SessionActor } from '../auth/session-actor'
import { beginTry, removeWaits, giveBack, throttled, throttleKeys } from '../auth/throttle'

const selectOwn = (db: Db, user_id: number) => {
  const { id, username, email, first_name, last_name, password_hash, mfa_enabled } = users
  return db
    .select({ id, username, email, first_name, last_name, password_hash, mfa_enabled })
    .from(users)
    .where(eq(id, user_id))
}
export type Own = Awaited<ReturnType<typeof getOwn>>

export async function getOwn(db: Db, user_id: number) {
  const user = await selectOwn(db, user_id).get()
  if (!user) throw notFound('User')
  return user
}

type Proof<Ready> = { password: string; now: Date; ready: Promise<Ready> }
type Written<Ready, Result> = (user: Own, right: D1PreparedStatement, ready: Ready) => Promise<Result>

/**
 * Writes for the signed-in user when the password is theirs, else 400; throttled within the session. A finished write gives the try back,
 * and knows what was made `ready` in the trip of the try.
 */
export async function proveOwn<Ready, Result>(
  db: Db,
  { user_id, session_id }: SessionActor,
  { password, now, ready }: Proof<Ready>,
  write: Written<Ready, Result>,
) {
  const begun = Promise.all([beginTry(db, [throttleKeys.session(session_id)], now), selectOwn(db, user_id).get()])
  const [[attempt, user], found] = await beside(begun, ready)
  if (attempt.isStopped) throw throttled(attempt)
  if (!user) throw notFound('User')
  if (!(await verifyPassword(password, user.password_hash))) throw refused(400, 'wrong_password', 'Invalid Password')
  const right = giveBack(db, attempt, now)
  try {
    return await write(user, right, found)
  } catch (error) {
    await right.run()
    throw error
  }
}

type Change = { old_password: string; new_password1: string }

export async function updateOwnPassword(db: Db, { old_password, new_password1 }: Change, by: By) {
  const { env, now } = by
  const actor = requireSessionActor(by.actor)
  const { user_id, session_id } = actor
  const ready = Promise.all([readyAuditBy(db, by), removeWaits(db, user_id)])
  await proveOwn(db, actor, { password: old_password, now, ready }, async (user, right, [audit, waits]) => {
    await requireGoodPassword(new_password1, user, 'new_password1')
    const password_hash = await hashPassword(new_password1)
    await audit(
      [
        right,
        statement(db, db.update(users).set({ password_hash }).where(eq(users.id, user_id))),
        revokeAll(db, { user_id, except: session_id, why: 'password' }, now),
        statement(db, db.delete(challenges).where(and(eq(challenges.user_id, user_id), eq(challenges.kind, 'mfa')))),
        voidLinks(db, user_id, now),
        ...waits,
        ...queueNotice(db, user_id, await passwordChanged(env, user), now),
      ],
      { action: 'user.change_password', target: user.username },
    )
  })
  await env.DELIVERIES.send({ reason: 'due' })
}

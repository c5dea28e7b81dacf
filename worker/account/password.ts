import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import type { Env } from '../env'
import { notFound, refused } from '../http/errors'
import type { Client } from '../http/route'
import { queueMail } from '../mail/outbox'
import { challenges, users } from '../schema/auth'
import { audited } from '../auth/audit'
import { voidLinks } from '../auth/links'
import { requireGoodPassword } from '../auth/password/good-password'
import { hashPassword, verifyPassword } from '../auth/password/password'
import { passwordChanged } from '../auth/security-notice'
import { revokeAll } from '../auth/sessions'
import type { SessionActor } from '../auth/session-actor'
import { beginTry, removeWaits, giveBack, throttled, throttleKeys } from '../auth/throttle'

export async function getOwn(db: Db, user_id: number) {
  const { id, username, email, first_name, last_name, password_hash, mfa_enabled } = users
  const user = await db
    .select({ id, username, email, first_name, last_name, password_hash, mfa_enabled })
    .from(users)
    .where(eq(id, user_id))
    .get()
  if (!user) throw notFound('User')
  return user
}

/** The signed-in user when the password is theirs, else 400; throttled within the session. */
export async function proveOwn(db: Db, { user_id, session_id }: SessionActor, password: string, now: Date) {
  const attempt = await beginTry(db, [throttleKeys.session(session_id)], now)
  if (attempt.isStopped) throw throttled(attempt)
  const user = await getOwn(db, user_id)
  if (!(await verifyPassword(password, user.password_hash))) throw refused(400, 'wrong_password', 'Invalid Password')
  await giveBack(db, attempt, now).run()
  return user
}

type Change = { old_password: string; new_password1: string; client: Client }

export async function updateOwnPassword(
  env: Env,
  db: Db,
  { actor, change }: { actor: SessionActor; change: Change },
  now: Date,
) {
  const { user_id, session_id, org_id } = actor
  const user = await proveOwn(db, actor, change.old_password, now)
  await requireGoodPassword(change.new_password1, user, 'new_password1')
  const password_hash = await hashPassword(change.new_password1)
  await audited(
    db,
    [
      statement(db, db.update(users).set({ password_hash }).where(eq(users.id, user_id))),
      revokeAll(db, { user_id, except: session_id, why: 'password' }, now),
      statement(db, db.delete(challenges).where(and(eq(challenges.user_id, user_id), eq(challenges.kind, 'mfa')))),
      voidLinks(db, user_id, now),
      ...(await removeWaits(db, user_id)),
      queueMail(db, await passwordChanged(env, user), now),
    ],
    { org_id, actor_id: user_id, actor: user.username, action: 'user.change_password', target: user.username },
    { env, client: change.client, now },
  )
  await env.DELIVERIES.send({ reason: 'due' })
  return { status: 'success' as const }
}

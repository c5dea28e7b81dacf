import { and, eq } from 'drizzle-orm'
import { beside } from '../db/beside'
import { pick } from '../db/columns'
import type { Db } from '../db/open'
import { deleteRows, updateRows } from '../db/statement'
import { getFirst, notFound, refused } from '../http/errors'
import { challenges, users } from '../schema/auth'
import { readyAuditBy, type AuditedWrite, type By } from '../auth/audited-by'
import { voidLinks } from '../auth/links'
import { requireGoodPassword } from '../auth/password/good-password'
import { hashPassword, verifyPassword } from '../auth/password/password'
import { passwordChange, tellOwner } from '../auth/security-notice'
import { revokeAll } from '../auth/sessions'
import { requireProof, requireSessionActor, type SessionActor } from '../auth/proof'
import { beginTry, removeWaits, giveBack, throttled, throttleKeys } from '../auth/throttle'

const selectOwn = (db: Db, user_id: number) =>
  db
    .select(pick(users, 'id', 'username', 'email', 'first_name', 'last_name', 'password_hash', 'mfa_enabled'))
    .from(users)
    .where(eq(users.id, user_id))
export type Own = Awaited<ReturnType<typeof getOwn>>

export const getOwn = (db: Db, user_id: number) => getFirst(selectOwn(db, user_id), 'User')

type Told = Parameters<AuditedWrite>[1] & { title: string; text: string }

/** Writes, and tells the owner of the account by mail. */
export const telling =
  (db: Db, by: By, user: Own, write: AuditedWrite) =>
  async (statements: D1PreparedStatement[], { title, text, ...entry }: Told) => {
    const results = await write([...statements, ...(await tellOwner(db, by, user, { title, text }))], entry)
    await by.env.DELIVERIES.send({ reason: 'due' })
    return results
  }

/** For a change after a fresh proof; what else it needs is read in the same trip. */
export async function readProved<Found>(db: Db, by: By, find: PromiseLike<Found>) {
  const read = Promise.all([getOwn(db, by.actor.user_id), readyAuditBy(db, by), find])
  const [, [user, write, found]] = await beside(requireProof(db, by.actor, by.now), read)
  return { user, found, write, tell: telling(db, by, user, write) }
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
  const { now } = by
  const actor = requireSessionActor(by.actor)
  const { user_id, session_id } = actor
  const ready = Promise.all([readyAuditBy(db, by), removeWaits(db, user_id)])
  await proveOwn(db, actor, { password: old_password, now, ready }, async (user, right, [audit, waits]) => {
    await requireGoodPassword(new_password1, user, 'new_password1')
    const password_hash = await hashPassword(new_password1)
    const statements = [
      right,
      updateRows(db, users, eq(users.id, user_id), { password_hash }),
      revokeAll(db, { user_id, except: session_id, why: 'password' }, now),
      deleteRows(db, challenges, and(eq(challenges.user_id, user_id), eq(challenges.kind, 'mfa'))),
      voidLinks(db, user_id, now),
      ...waits,
    ]
    await telling(
      db,
      by,
      user,
      audit,
    )(statements, {
      ...passwordChange,
      action: 'user.change_password',
      target: user.username,
    })
  })
}

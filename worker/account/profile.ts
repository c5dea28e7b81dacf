import { and, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import { pick } from '../db/columns'
import type { Db } from '../db/open'
import { updateRows } from '../db/statement'
import { noPassword } from '../auth/password/password'
import { defaultToken, listRights } from '../auth/queries'
import type { Actor } from '../domain/people/access'
import { stamp } from '../db/time'
import { getFirst, notFound } from '../http/errors'
import { sessions, users } from '../schema/auth'
import type { SessionActor } from '../auth/proof'

export async function getOwnProfile(db: Db, actor: Actor) {
  const recovery_codes_left = sql<number>`(
    SELECT count(*) FROM recovery_codes WHERE user_id = ${actor.user_id} AND used_at IS NULL)`
  const find = db
    .select({
      ...pick(users, 'id', 'username', 'email', 'first_name', 'last_name', 'last_login', 'mfa_enabled'),
      password_hash: users.password_hash,
      auth_token: defaultToken,
      recovery_codes_left,
    })
    .from(users)
    .where(eq(users.id, actor.user_id))
  const { password_hash, ...shown } = await getFirst(find, 'User')
  return { ...shown, has_password: password_hash !== noPassword, profile: listRights(actor) }
}

export function nameStatement(db: Db, user_id: number, names: { first_name?: string; last_name?: string }) {
  const first_name = sql`coalesce(${names.first_name ?? null}, ${users.first_name})`
  const last_name = sql`coalesce(${names.last_name ?? null}, ${users.last_name})`
  return updateRows(db, users, eq(users.id, user_id), { first_name, last_name })
}

export async function findSessions(db: Db, { user_id, session_id }: SessionActor, now: Date) {
  const found = await db
    .select(pick(sessions, 'id', 'user_agent', 'ip', 'created_at', 'last_seen'))
    .from(sessions)
    .where(and(eq(sessions.user_id, user_id), isNull(sessions.revoked_at), gt(sessions.expires_at, stamp(now))))
    .orderBy(desc(sessions.last_seen), desc(sessions.id))
  return found.map((session) => ({ ...session, is_current: session.id === session_id }))
}

export async function endOwnSession(db: Db, user_id: number, id: number, now: Date) {
  const ended = await db
    .update(sessions)
    .set({ revoked_at: stamp(now), revoked_why: 'ended' })
    .where(and(eq(sessions.id, id), eq(sessions.user_id, user_id), isNull(sessions.revoked_at)))
    .returning({ id: sessions.id })
    .get()
  if (!ended) throw notFound('Session')
}

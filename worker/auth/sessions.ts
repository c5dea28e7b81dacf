import { and, eq, isNull } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import { tokenNotValid } from '../http/errors'
import type { Client } from '../http/route'
import { sessions } from './tables'
import { hashOf, newToken } from './keys'
import { signAccess, successorOf } from './tokens'

const sessionDays = 30
/** A used refresh token answers its successor this long: the first answer may have been lost. After that it is theft. */
const graceSeconds = 10

export async function openSession(
  env: Env,
  db: Db,
  { user_id, org_id, client }: { user_id: number; org_id: number; client: Client },
  now: Date,
) {
  const at = stamp(now)
  const [session] = await db
    .insert(sessions)
    .values({
      user_id,
      org_id,
      user_agent: client.user_agent.slice(0, 400),
      ip: client.ip,
      created_at: at,
      last_seen: at,
      expires_at: sessionEnd(now),
    })
    .returning({ id: sessions.id })
  if (!session) throw new Error('The session was not written')

  const refresh = newToken()
  await db.$client.batch([
    insertToken(db, await hashOf(refresh), session.id, at),
    db.$client.prepare('UPDATE users SET last_login = ?2 WHERE id = ?1').bind(user_id, at),
    db.$client.prepare('DELETE FROM sessions WHERE user_id = ?1 AND expires_at < ?2').bind(user_id, at),
  ])
  return { access: await signAccess(env, { user_id, session_id: session.id }, now), refresh }
}

const sessionEnd = (now: Date) => stamp(plusSeconds(now, sessionDays * 86_400))

type Refreshed = {
  session_id: number
  user_id: number
  used_at: string | null
  expires_at: string
  revoked_at: string | null
  is_active: number
}

/** Exchanges a refresh token. One that was used before ends its whole session: somebody else has it. */
export async function rotateSession(env: Env, db: Db, token: string, now: Date) {
  const at = stamp(now)
  const hash = await hashOf(token)
  const found = await db.$client
    .prepare(
      `SELECT t.session_id, s.user_id, t.used_at, s.expires_at, s.revoked_at, u.is_active FROM refresh_tokens t
       JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id WHERE t.token_hash = ?1`,
    )
    .bind(hash)
    .first<Refreshed>()
  if (!found || found.revoked_at || found.expires_at < at || !found.is_active) throw tokenNotValid()

  const isReused = found.used_at !== null && found.used_at < stamp(plusSeconds(now, -graceSeconds))
  if (isReused) {
    await revokeSession(db, found.session_id, 'reuse', now)
    throw tokenNotValid('This refresh token was used before; the session is ended')
  }

  const refresh = await successorOf(env, token)
  await db.$client.batch([
    db.$client
      .prepare('UPDATE refresh_tokens SET used_at = ?2 WHERE token_hash = ?1 AND used_at IS NULL')
      .bind(hash, at),
    insertToken(db, await hashOf(refresh), found.session_id, at),
    db.$client
      .prepare('UPDATE sessions SET last_seen = ?2, expires_at = ?3 WHERE id = ?1')
      .bind(found.session_id, at, sessionEnd(now)),
  ])
  return { access: await signAccess(env, found, now), refresh }
}

const insertToken = (db: Db, hash: string, session_id: number, at: string) =>
  db.$client
    .prepare(
      'INSERT INTO refresh_tokens(token_hash, session_id, created_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING',
    )
    .bind(hash, session_id, at)

export async function revokeSession(
  db: Db,
  session_id: number,
  why: 'logout' | 'reuse' | 'ended' | 'password',
  now: Date,
) {
  await db
    .update(sessions)
    .set({ revoked_at: stamp(now), revoked_why: why })
    .where(and(eq(sessions.id, session_id), isNull(sessions.revoked_at)))
}

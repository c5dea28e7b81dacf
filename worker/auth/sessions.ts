import { and, eq, isNull } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import { tokenNotValid } from '../http/errors'
import type { Client } from '../http/route'
import { audited } from './audit'
import { hashToken, newToken } from './keys'
import { newDeviceMails } from './new-device'
import { sessions } from '../schema/auth'
import { knowPlace } from './throttle'
import { signAccess, deriveSuccessor } from './tokens'

/** A session that is used lives on for so many days, but never longer than the other number from its beginning. */
const [idleDays, sessionDays] = [30, 90]
/** A script that signs in at each run ends the sessions that were unused longest. */
export const maxSessions = 200
/** A used refresh token answers its successor this long: the first answer may have been lost. After that it is theft. */
const graceSeconds = 10

type Opening = {
  user_id: number
  org_id: number
  client: Client
  /** How they proved who they are. */
  by: 'password' | 'code' | 'passkey' | 'provider'
  /** The organization whose provider speaks for the user: the session stays within it. */
  sso_org_id?: number
  /** What is written along with the session. */
  besides?: D1PreparedStatement[]
}

export async function openSession(
  env: Env,
  db: Db,
  { user_id, org_id, client, sso_org_id, by, besides = [] }: Opening,
  now: Date,
) {
  const at = stamp(now)
  const refresh = newToken()
  const device = { user_agent: client.user_agent.slice(0, 400), ip: client.ip }
  const mails = await newDeviceMails(env, db, { user_id, device }, now)
  const prepare = (sql: string, ...values: unknown[]) => db.$client.prepare(sql).bind(...values)
  const statements = [
    prepare(
      `INSERT INTO sessions(user_id, org_id, user_agent, ip, created_at, last_seen, expires_at, proved_at, sso_org_id)
       VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?5, ?7) RETURNING id`,
      user_id,
      org_id,
      device.user_agent,
      device.ip,
      at,
      sessionEnd(now),
      sso_org_id ?? null,
    ),
    prepare(
      'INSERT INTO refresh_tokens(token_hash, session_id, created_at) VALUES (?1, last_insert_rowid(), ?2)',
      await hashToken(refresh),
      at,
    ),
    prepare('UPDATE users SET last_login = ?2 WHERE id = ?1', user_id, at),
    prepare('DELETE FROM sessions WHERE user_id = ?1 AND expires_at < ?2', user_id, at),
    prepare(
      `DELETE FROM sessions WHERE user_id = ?1 AND id IN
         (SELECT id FROM sessions WHERE user_id = ?1 ORDER BY last_seen DESC, id DESC LIMIT -1 OFFSET ${maxSessions})`,
      user_id,
    ),
    knowPlace(db, { user_id, client }, now),
    ...besides,
    ...mails,
  ]
  const username = await getUsername(db, user_id)
  const entry = {
    org_id,
    actor_id: user_id,
    actor: username,
    action: 'user.sign_in' as const,
    target: username,
    detail: { by },
  }
  const [inserted] = await audited(db, statements, entry, { env, client, now })
  const [session] = (inserted?.results ?? []) as { id: number }[]
  if (!session) throw new Error('The session was not written')
  if (mails.length) await env.DELIVERIES.send({ reason: 'due' })
  return { access: await signAccess(env, { user_id, session_id: session.id }, now), refresh }
}

async function getUsername(db: Db, user_id: number) {
  const user = await db.$client
    .prepare('SELECT username FROM users WHERE id = ?1')
    .bind(user_id)
    .first<{ username: string }>()
  if (!user) throw tokenNotValid()
  return user.username
}

const daySeconds = 86_400
const sessionEnd = (now: Date, created_at = stamp(now)) => {
  const [idle, end] = [
    plusSeconds(now, idleDays * daySeconds),
    plusSeconds(new Date(created_at), sessionDays * daySeconds),
  ]
  return stamp(idle < end ? idle : end)
}

type Refreshed = {
  session_id: number
  user_id: number
  used_at: string | null
  created_at: string
  expires_at: string
  revoked_at: string | null
  is_active: number
}

/** A refresh token that comes twice ends its session: somebody else has it. */
export async function rotateSession(env: Env, db: Db, token: string, now: Date) {
  const at = stamp(now)
  const hash = await hashToken(token)
  const found = await db.$client
    .prepare(
      `SELECT t.session_id, s.user_id, t.used_at, s.created_at, s.expires_at, s.revoked_at, u.is_active FROM refresh_tokens t
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

  const refresh = await deriveSuccessor(env, token)
  await db.$client.batch([
    db.$client
      .prepare('UPDATE refresh_tokens SET used_at = ?2 WHERE token_hash = ?1 AND used_at IS NULL')
      .bind(hash, at),
    insertToken(db, await hashToken(refresh), found.session_id, at),
    db.$client
      .prepare('UPDATE sessions SET last_seen = ?2, expires_at = ?3 WHERE id = ?1')
      .bind(found.session_id, at, sessionEnd(now, found.created_at)),
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

export const revokeAll = (
  db: Db,
  { user_id, except = 0, why }: { user_id: number; except?: number; why: 'ended' | 'password' },
  now: Date,
) =>
  db.$client
    .prepare(
      'UPDATE sessions SET revoked_at = ?2, revoked_why = ?3 WHERE user_id = ?1 AND id <> ?4 AND revoked_at IS NULL',
    )
    .bind(user_id, stamp(now), why, except)

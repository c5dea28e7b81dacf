import { and, eq, isNull, lt, ne, sql, type SQL } from 'drizzle-orm'
import { isOrphan } from '../db/guard'
import { pick } from '../db/columns'
import type { Db } from '../db/open'
import { deleteRows, statement, updateRows } from '../db/statement'
import { latest, plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import { tokenNotValid } from '../http/errors'
import type { Client } from '../http/route'
import { readyAudit } from './audit'
import { hashToken, newToken } from './keys'
import { newDeviceMails } from './new-device'
import { refreshTokens, sessions, users } from '../schema/auth'
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
  /** Statements in the batch of the session. */
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
  const [mails, username, write] = await Promise.all([
    newDeviceMails(env, db, { user_id, device }, now),
    getUsername(db, user_id),
    readyAudit(db, org_id, { env, client, now }),
  ])
  const times = { created_at: at, last_seen: at, proved_at: at, expires_at: sessionEnd(now) }
  const newest = sql`SELECT id FROM sessions WHERE user_id = ${user_id} ORDER BY last_seen DESC, id DESC`
  const statements = [
    statement(
      db,
      db
        .insert(sessions)
        .values({ user_id, org_id, ...device, ...times, sso_org_id: sso_org_id ?? null })
        .returning({ id: sessions.id, secret: sessions.secret }),
    ),
    insertToken(db, { token_hash: await hashToken(refresh), session_id: sql`last_insert_rowid()`, created_at: at }),
    updateRows(db, users, eq(users.id, user_id), { last_login: at }),
    deleteRows(db, sessions, and(eq(sessions.user_id, user_id), lt(sessions.expires_at, at))),
    deleteRows(
      db,
      sessions,
      and(eq(sessions.user_id, user_id), sql`${sessions.id} IN (${newest} LIMIT -1 OFFSET ${maxSessions})`),
    ),
    knowPlace(db, { user_id, client }, now),
    ...besides,
    ...mails,
  ]
  const entry = {
    actor_id: user_id,
    actor: username,
    action: 'user.sign_in' as const,
    target: username,
    detail: { by },
  }
  const [inserted] = await write(statements, entry).catch(refuseGone)
  const [session] = (inserted?.results ?? []) as { id: number; secret: string }[]
  if (!session) throw new Error('The session was not written')
  if (mails.length) await env.DELIVERIES.send({ reason: 'due' })
  const signedIn = { user_id, session_id: session.id, session_secret: session.secret }
  return { access: await signAccess(env, signedIn, now), refresh }
}

/** The account or its organization may be removed while somebody signs in. */
export function refuseGone(error: unknown): never {
  throw isOrphan(error) ? tokenNotValid() : error
}

async function getUsername(db: Db, user_id: number) {
  const user = await db.select({ username: users.username }).from(users).where(eq(users.id, user_id)).get()
  if (!user) throw tokenNotValid()
  return user.username
}

const daySeconds = 86_400
const sessionEnd = (now: Date, created_at = stamp(now)) => {
  const idle = plusSeconds(now, idleDays * daySeconds)
  const end = plusSeconds(new Date(created_at), sessionDays * daySeconds)
  return stamp(idle < end ? idle : end)
}

/** A refresh token that comes twice ends its session: somebody else has it. */
export async function rotateSession(env: Env, db: Db, token: string, now: Date) {
  const at = stamp(now)
  const hash = await hashToken(token)
  const found = await db
    .select({
      session_id: refreshTokens.session_id,
      session_secret: sessions.secret,
      user_id: sessions.user_id,
      used_at: refreshTokens.used_at,
      ...pick(sessions, 'created_at', 'expires_at', 'revoked_at'),
      is_active: users.is_active,
    })
    .from(refreshTokens)
    .innerJoin(sessions, eq(sessions.id, refreshTokens.session_id))
    .innerJoin(users, eq(users.id, sessions.user_id))
    .where(eq(refreshTokens.token_hash, hash))
    .get()
  const isOver = !found || found.revoked_at || found.expires_at < at || found.created_at > latest(now)
  if (isOver || !found.is_active) throw tokenNotValid()

  const isReused = found.used_at !== null && found.used_at < stamp(plusSeconds(now, -graceSeconds))
  if (isReused) {
    await revokeSession(db, found.session_id, 'reuse', now)
    throw tokenNotValid('This refresh token was used before; the session is ended')
  }

  const refresh = await deriveSuccessor(env, token)
  await db.$client.batch([
    updateRows(db, refreshTokens, and(eq(refreshTokens.token_hash, hash), isNull(refreshTokens.used_at)), {
      used_at: at,
    }),
    insertToken(db, { token_hash: await hashToken(refresh), session_id: found.session_id, created_at: at }),
    updateRows(db, sessions, eq(sessions.id, found.session_id), {
      last_seen: at,
      expires_at: sessionEnd(now, found.created_at),
    }),
  ])
  return { access: await signAccess(env, found, now), refresh }
}

type NewToken = { token_hash: string; session_id: number | SQL; created_at: string }

const insertToken = (db: Db, token: NewToken) =>
  statement(db, db.insert(refreshTokens).values(token).onConflictDoNothing())

type Why = NonNullable<(typeof sessions.$inferSelect)['revoked_why']>

/** Ends those that have not ended yet. */
export const revokeWhere = (db: Db, where: SQL | undefined, why: Why, now: Date) =>
  updateRows(db, sessions, and(where, isNull(sessions.revoked_at)), { revoked_at: stamp(now), revoked_why: why })

export async function revokeSession(db: Db, session_id: number, why: Why, now: Date) {
  await revokeWhere(db, eq(sessions.id, session_id), why, now).run()
}

type Ending = { user_id: number; except?: number; why: 'ended' | 'password' }

export const revokeAll = (db: Db, { user_id, except = 0, why }: Ending, now: Date) =>
  revokeWhere(db, and(eq(sessions.user_id, user_id), ne(sessions.id, except)), why, now)

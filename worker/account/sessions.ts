import { and, desc, eq, gt, isNull } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { notFound } from '../http/errors'
import type { SessionActor } from '../auth/session-actor'
import { sessions } from '../schema/auth'

export async function findSessions(db: Db, { user_id, session_id }: SessionActor, now: Date) {
  const { id, user_agent, ip, created_at, last_seen } = sessions
  const found = await db
    .select({ id, user_agent, ip, created_at, last_seen })
    .from(sessions)
    .where(and(eq(sessions.user_id, user_id), isNull(sessions.revoked_at), gt(sessions.expires_at, stamp(now))))
    .orderBy(desc(last_seen), desc(id))
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

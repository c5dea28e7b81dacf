import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { notFound } from '../http/errors'
import type { SignedIn } from '../auth/signed-in'

type Row = { id: number; user_agent: string; ip: string; created_at: string; last_seen: string }

export async function findSessions(db: Db, { user_id, session_id }: SignedIn, now: Date) {
  const { results } = await db.$client
    .prepare(
      `SELECT id, user_agent, ip, created_at, last_seen FROM sessions
       WHERE user_id = ?1 AND revoked_at IS NULL AND expires_at > ?2 ORDER BY last_seen DESC, id DESC`,
    )
    .bind(user_id, stamp(now))
    .all<Row>()
  return results.map((row) => ({ ...row, is_current: row.id === session_id }))
}

export async function endOwnSession(db: Db, user_id: number, id: number, now: Date) {
  const ended = await db.$client
    .prepare(
      `UPDATE sessions SET revoked_at = ?3, revoked_why = 'ended'
       WHERE id = ?1 AND user_id = ?2 AND revoked_at IS NULL RETURNING id`,
    )
    .bind(id, user_id, stamp(now))
    .first()
  if (!ended) throw notFound('Session')
}

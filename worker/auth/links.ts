import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { Failure } from '../http/errors'
import { hashOf } from './keys'

type LinkKind = 'reset' | 'email_change'
const hours = { reset: 1, email_change: 24 }

type Given = { kind: LinkKind; hash: string; email: string; user_id: number | null }

/** A link of a user that takes the place of those he asked for before. */
export const newLinkStatements = (db: Db, { kind, hash, email, user_id }: Given, now: Date) => [
  db.$client
    .prepare('UPDATE links SET used_at = ?3 WHERE kind = ?1 AND user_id = ?2 AND used_at IS NULL')
    .bind(kind, user_id, stamp(now)),
  db.$client
    .prepare(
      'INSERT INTO links(token_hash, kind, email, user_id, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)',
    )
    .bind(hash, kind, email, user_id, stamp(now), stamp(plusSeconds(now, hours[kind] * 3600))),
]

/** Uses a link up: whoever comes first has it. */
export async function takeLink(db: Db, kind: LinkKind, token: string, now: Date) {
  const link = await db.$client
    .prepare(
      `UPDATE links SET used_at = ?3 WHERE token_hash = ?1 AND kind = ?2 AND used_at IS NULL AND expires_at > ?3
       AND user_id IN (SELECT id FROM users WHERE is_active = 1) RETURNING user_id, email`,
    )
    .bind(await hashOf(token), kind, stamp(now))
    .first<{ user_id: number; email: string }>()
  if (!link) throw new Failure(400, 'link_invalid', 'This link was used before or has expired: ask for a new one')
  return link
}

/** Nothing that was mailed before may change the account any more. */
export const voidLinks = (db: Db, user_id: number, now: Date) =>
  db.$client
    .prepare(
      `UPDATE links SET used_at = ?2 WHERE user_id = ?1 AND kind IN ('reset', 'email_change') AND used_at IS NULL`,
    )
    .bind(user_id, stamp(now))

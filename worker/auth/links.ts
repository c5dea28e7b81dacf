import { allowStatement } from '../mail/allowance'
import { queueAllowed } from '../mail/outbox'
import type { Notice } from '../mail/outbox'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { Failure } from '../http/errors'
import { hashToken } from './keys'

type LinkKind = 'reset' | 'email_change' | 'alert_address'
const hours = { reset: 1, email_change: 24, alert_address: 72 }
/** Somebody else may ask for it: so at most one in ten minutes, and the link of before still works. */
const pause_s = 600
/** A reset has no daily limit: with one, a stranger could use it up. */
const daily = { reset: 1000, email_change: 5, alert_address: 5 }

type Given = { kind: LinkKind; hash: string; email: string; user_id: number | null; org_id?: number }

/** None when a link of the kind went to the address a moment ago. */
export const mailedLinkStatements = async (db: Db, link: Given, mail: Notice, now: Date) => {
  const { kind, hash, email, user_id, org_id } = link
  const key = `${kind} ${await hashToken(email)}`
  return [
    allowStatement(db, { key, limit: daily[kind], pause_s }, now),
    db.$client
      .prepare(
        `INSERT INTO links(token_hash, kind, email, user_id, org_id, created_at, expires_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE changes() = 1`,
      )
      .bind(hash, kind, email, user_id, org_id ?? null, stamp(now), stamp(plusSeconds(now, hours[kind] * 3600))),
    queueAllowed(db, mail, now),
  ]
}

/** Only the first caller gets it. */
export async function takeLink(db: Db, kind: 'reset' | 'email_change', token: string, now: Date) {
  const link = await db.$client
    .prepare(
      `UPDATE links SET used_at = ?3 WHERE token_hash = ?1 AND kind = ?2 AND used_at IS NULL AND expires_at > ?3
       AND user_id IN (SELECT id FROM users WHERE is_active = 1) RETURNING user_id, email`,
    )
    .bind(await hashToken(token), kind, stamp(now))
    .first<{ user_id: number; email: string }>()
  if (!link) throw linkGone()
  return link
}

export const linkGone = () =>
  new Failure(400, 'link_invalid', 'This link was used before or has expired: ask for a new one')

export const voidLinks = (db: Db, user_id: number, now: Date) =>
  db.$client
    .prepare(
      `UPDATE links SET used_at = ?2 WHERE user_id = ?1 AND kind IN ('reset', 'email_change') AND used_at IS NULL`,
    )
    .bind(user_id, stamp(now))

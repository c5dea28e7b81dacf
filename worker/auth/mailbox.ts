import type { Db } from '../db/open'
import { stamp } from '../db/time'

/**
 * The first proof that somebody reads the mailbox. All that was made on a provider's word alone (devices, passkeys, tokens, a second
 * factor) ends here.
 */
export const proveMailbox = (db: Db, user_id: number, now: Date) => [
  ...endings.map((sql) => db.$client.prepare(`${sql} AND ${isUnproved}`).bind(user_id)),
  db.$client
    .prepare(
      `UPDATE sessions SET revoked_at = ?2, revoked_why = 'ended' WHERE user_id = ?1 AND revoked_at IS NULL AND ${isUnproved}`,
    )
    .bind(user_id, stamp(now)),
  db.$client
    .prepare(
      `UPDATE users SET email_verified_at = ?2, mfa_enabled = 0, totp_secret = NULL
       WHERE id = ?1 AND email_verified_at IS NULL`,
    )
    .bind(user_id, stamp(now)),
]

const isUnproved = 'EXISTS (SELECT 1 FROM users WHERE id = ?1 AND email_verified_at IS NULL)'
const endings = ['passkeys', 'api_tokens', 'recovery_codes', 'challenges'].map(
  (table) => `DELETE FROM ${table} WHERE user_id = ?1`,
)

export const endProviderAccess = (db: Db, { user_id, org_id }: { user_id: number; org_id: number }, now: Date) => {
  const isKnownElsewhere = 'EXISTS (SELECT 1 FROM sso_identities WHERE user_id = ?1 AND org_id <> ?2)'
  return [
    ...['passkeys', 'api_tokens', 'challenges'].map((table) =>
      db.$client.prepare(`DELETE FROM ${table} WHERE user_id = ?1 AND ${isKnownElsewhere}`).bind(user_id, org_id),
    ),
    db.$client
      .prepare(
        `UPDATE sessions SET revoked_at = ?3, revoked_why = 'ended'
         WHERE user_id = ?1 AND revoked_at IS NULL AND ${isKnownElsewhere}`,
      )
      .bind(user_id, org_id, stamp(now)),
  ]
}

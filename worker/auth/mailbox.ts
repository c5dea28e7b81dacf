import { and, eq, isNull, sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { deleteRows, updateRows } from '../db/statement'
import { stamp } from '../db/time'
import { apiTokens, challenges, passkeys, recoveryCodes, sessions, users } from '../schema/auth'
import { revokeWhere } from './sessions'

/**
 * The first proof that somebody reads the mailbox. All that was made on a provider's word alone (devices, passkeys, tokens, a second
 * factor) ends here.
 */
export function proveMailbox(db: Db, user_id: number, now: Date) {
  const isUnproved = sql`EXISTS (SELECT 1 FROM users WHERE id = ${user_id} AND email_verified_at IS NULL)`
  return [
    ...endAccessWhere(db, { user_id, where: isUnproved }, now),
    deleteRows(db, recoveryCodes, and(eq(recoveryCodes.user_id, user_id), isUnproved)),
    updateRows(db, users, and(eq(users.id, user_id), isNull(users.email_verified_at)), {
      email_verified_at: stamp(now),
      mfa_enabled: false,
      totp_secret: null,
    }),
  ]
}

export const endProviderAccess = (db: Db, { user_id, org_id }: { user_id: number; org_id: number }, now: Date) =>
  endAccessWhere(
    db,
    { user_id, where: sql`EXISTS (SELECT 1 FROM sso_identities WHERE user_id = ${user_id} AND org_id <> ${org_id})` },
    now,
  )

const endAccessWhere = (db: Db, { user_id, where }: { user_id: number; where: SQL }, now: Date) => [
  ...[passkeys, apiTokens, challenges].map((table) => deleteRows(db, table, and(eq(table.user_id, user_id), where))),
  revokeWhere(db, and(eq(sessions.user_id, user_id), where), 'ended', now),
]

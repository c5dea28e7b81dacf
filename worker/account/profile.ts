import type { Db } from '../db/open'
import { listRights } from '../auth/queries'
import type { Actor } from '../domain/access'
import { notFound } from '../http/errors'

type Row = {
  id: number
  username: string
  email: string
  first_name: string
  last_name: string
  last_login: string | null
  mfa_enabled: number
  auth_token: string | null
  recovery_codes_left: number
}

export async function readProfile(db: Db, actor: Actor) {
  const row = await db.$client
    .prepare(
      `SELECT id, username, email, first_name, last_name, last_login, mfa_enabled,
         (SELECT prefix FROM api_tokens WHERE user_id = users.id AND is_default = 1) AS auth_token,
         (SELECT count(*) FROM recovery_codes WHERE user_id = users.id AND used_at IS NULL) AS recovery_codes_left
       FROM users WHERE id = ?1`,
    )
    .bind(actor.user_id)
    .first<Row>()
  if (!row) throw notFound('User')
  return {
    ...row,
    mfa_enabled: row.mfa_enabled === 1,
    profile: listRights(actor),
  }
}

export const nameStatement = (db: Db, user_id: number, names: { first_name?: string; last_name?: string }) =>
  db.$client
    .prepare(
      'UPDATE users SET first_name = coalesce(?2, first_name), last_name = coalesce(?3, last_name) WHERE id = ?1',
    )
    .bind(user_id, names.first_name ?? null, names.last_name ?? null)

import type { z } from 'zod'
import type { Registration as RegistrationSchema } from '../auth/joining-contract'
import { hashToken } from '../auth/keys'
import { requireGoodPassword } from '../auth/good-password'
import { hashPassword } from '../auth/password'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { Failure, invalid } from '../http/errors'

export type RegistrationInput = z.output<typeof RegistrationSchema>
type JoinKind = 'invitation' | 'trial'
export type JoinLink = { token_hash: string; email: string; org_id: number | null; data: string }

export async function findJoinLink(db: Db, kind: JoinKind, token: string, now: Date) {
  return db.$client
    .prepare(
      `SELECT token_hash, email, org_id, data FROM links
       WHERE token_hash = ?1 AND kind = ?2 AND used_at IS NULL AND expires_at > ?3`,
    )
    .bind(await hashToken(token), kind, stamp(now))
    .first<JoinLink>()
}

export const linkInvalid = () =>
  new Failure(400, 'link_invalid', 'This link was used before or has expired: ask for a new one')

/** A link used since our reading breaks NOT NULL, and with it the batch. */
export const usedStatement = (db: Db, { token_hash }: Pick<JoinLink, 'token_hash'>, now: Date) =>
  db.$client
    .prepare(
      'UPDATE links SET used_at = ?2, created_at = CASE WHEN used_at IS NULL THEN created_at END WHERE token_hash = ?1',
    )
    .bind(token_hash, stamp(now))

export async function registrationStatements(db: Db, link: JoinLink, registration: RegistrationInput, now: Date) {
  const { username, first_name, last_name, password } = registration
  requireGoodPassword(password, { ...registration, email: link.email })
  return [
    usedStatement(db, link, now),
    db.$client
      .prepare(
        `INSERT INTO users(username, email, first_name, last_name, password_hash, created_at, email_verified_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)`,
      )
      .bind(username, link.email, first_name, last_name, await hashPassword(password), stamp(now)),
  ]
}

export async function register(write: () => Promise<unknown>) {
  try {
    await write()
  } catch (error) {
    throw explainFailure(error)
  }
}

function explainFailure(error: unknown) {
  const message = error instanceof Error ? error.message : ''
  if (message.includes('NOT NULL constraint failed: links.created_at')) return linkInvalid()
  if (message.includes('users_by_username')) return invalid([{ path: ['username'], message: 'This username is taken' }])
  if (message.includes('users_by_email'))
    return invalid([{ path: ['email'], message: 'There is an account with this address: sign in with it' }])
  return error
}

import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { Registration as RegistrationSchema } from '../../auth/joining-contract'
import { hashToken } from '../../auth/keys'
import { isOpenLink } from '../../auth/links'
import { requireGoodPassword } from '../../auth/password/good-password'
import { hashPassword } from '../../auth/password/password'
import { findSpelling } from '../../auth/spelling'
import { abort, isAborted, isTaken } from '../../db/guard'
import { pick } from '../../db/columns'
import type { Db } from '../../db/open'
import { statement, updateRows } from '../../db/statement'
import { stamp } from '../../db/time'
import { Failure, invalid } from '../../http/errors'
import { links, users } from '../../schema/auth'

export type RegistrationInput = z.output<typeof RegistrationSchema>
type JoinKind = 'invitation' | 'trial'
export type JoinLink = { token_hash: string; email: string; org_id: number | null; data: string }

export async function findJoinLink(db: Db, kind: JoinKind, token: string, now: Date) {
  return db
    .select(pick(links, 'token_hash', 'email', 'org_id', 'data'))
    .from(links)
    .where(and(eq(links.token_hash, await hashToken(token)), isNewLink(kind, now)))
    .get()
}

export const isNewLink = (kind: JoinKind, now: Date) => and(eq(links.kind, kind), isOpenLink(now))

export const linkInvalid = () =>
  new Failure(400, 'link_invalid', 'This link was used before or has expired: ask for a new one')

/** Undoes the batch where the link was used since our reading. */
export const usedStatement = (db: Db, { token_hash }: Pick<JoinLink, 'token_hash'>, now: Date) =>
  updateRows(db, links, eq(links.token_hash, token_hash), {
    used_at: stamp(now),
    created_at: sql`CASE WHEN used_at IS NULL THEN created_at ELSE ${abort('link')} END`,
  })

export async function registrationStatements(db: Db, link: JoinLink, registration: RegistrationInput, now: Date) {
  const { username, first_name, last_name, password } = registration
  const at = stamp(now)
  await requireGoodPassword(password, { ...registration, email: link.email })
  const password_hash = await hashPassword(password)
  const email = await findSpelling(db, link.email)
  const user = { username, email, first_name, last_name, password_hash }
  return [
    usedStatement(db, link, now),
    statement(db, db.insert(users).values({ ...user, created_at: at, email_verified_at: at })),
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
  if (isAborted(error, 'link')) return linkInvalid()
  if (isTaken(error, 'users_by_username')) return invalid([{ path: ['username'], message: 'This username is taken' }])
  if (isTaken(error, 'users_by_email'))
    return invalid([{ path: ['email'], message: 'There is an account with this address: sign in with it' }])
  return error
}

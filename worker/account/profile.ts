import { eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { noPassword } from '../auth/password/password'
import { defaultToken, listRights } from '../auth/queries'
import type { Actor } from '../domain/people/access'
import { notFound } from '../http/errors'
import { users } from '../schema/auth'

export async function getOwnProfile(db: Db, actor: Actor) {
  const { id, username, email, first_name, last_name, last_login, mfa_enabled } = users
  const columns = { id, username, email, first_name, last_name, last_login, mfa_enabled }
  const recovery_codes_left = sql<number>`(
    SELECT count(*) FROM recovery_codes WHERE user_id = ${actor.user_id} AND used_at IS NULL)`
  const user = await db
    .select({ ...columns, auth_token: defaultToken, recovery_codes_left, password_hash: users.password_hash })
    .from(users)
    .where(eq(id, actor.user_id))
    .get()
  if (!user) throw notFound('User')
  const { password_hash, ...shown } = user
  return { ...shown, has_password: password_hash !== noPassword, profile: listRights(actor) }
}

export const nameStatement = (db: Db, user_id: number, names: { first_name?: string; last_name?: string }) =>
  statement(
    db,
    db
      .update(users)
      .set({
        first_name: sql`coalesce(${names.first_name ?? null}, ${users.first_name})`,
        last_name: sql`coalesce(${names.last_name ?? null}, ${users.last_name})`,
      })
      .where(eq(users.id, user_id)),
  )

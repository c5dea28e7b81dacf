import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { Failure } from '../http/errors'

const otherAdmin = `SELECT 1 FROM members o JOIN users u ON u.id = o.user_id
  WHERE o.org_id = members.org_id AND o.user_id <> ?1 AND o.is_admin = 1 AND o.is_active = 1 AND u.is_active = 1`

/** NULL breaks NOT NULL, and with it the batch, where nobody else could administer an organization afterwards. */
const keepAdmins = `UPDATE members SET is_admin = CASE WHEN EXISTS (${otherAdmin}) THEN is_admin END
  WHERE user_id = ?1 AND is_admin = 1 AND is_active = 1`
const keepGlobalAdmin = `UPDATE users SET is_active = CASE WHEN is_admin = 0 OR EXISTS (
    SELECT 1 FROM users o WHERE o.is_admin = 1 AND o.is_active = 1 AND o.id <> ?1) THEN is_active END WHERE id = ?1`

/** Sessions, tokens and memberships go; what they wrote for an organization stays, without their name. */
export const removeUserStatements = (db: Db, { id, email }: { id: number; email: string }) => [
  ...guards(db, id),
  ...['mails WHERE "to" = ?1', 'links WHERE email = ?1', 'alert_addresses WHERE email = ?1'].map((where) =>
    db.$client.prepare(`DELETE FROM ${where}`).bind(email.toLowerCase()),
  ),
  db.$client.prepare('DELETE FROM users WHERE id = ?1').bind(id),
]

export const disableUserStatements = (db: Db, id: number, now: Date) => [
  ...guards(db, id),
  db.$client.prepare('UPDATE users SET is_active = 0 WHERE id = ?1').bind(id),
  db.$client
    .prepare("UPDATE sessions SET revoked_at = ?2, revoked_why = 'ended' WHERE user_id = ?1 AND revoked_at IS NULL")
    .bind(id, stamp(now)),
]

const guards = (db: Db, id: number) => [keepAdmins, keepGlobalAdmin].map((sql) => db.$client.prepare(sql).bind(id))

export async function unlessNeeded(db: Db, user_id: number, write: () => Promise<unknown>) {
  try {
    await write()
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    if (message.includes('NOT NULL constraint failed: users.is_active'))
      throw new Failure(409, 'last_admin', 'This is the last global admin: make somebody else one first')
    if (!message.includes('NOT NULL constraint failed: members.is_admin')) throw error
    const names = await findAdminedAlone(db, user_id)
    const text = `Make somebody else an admin first, or have the organization removed: ${names.join(', ')}`
    throw new Failure(409, 'sole_admin', text)
  }
}

async function findAdminedAlone(db: Db, user_id: number) {
  const { results } = await db.$client
    .prepare(
      `SELECT orgs.name FROM members JOIN orgs ON orgs.id = members.org_id
       WHERE members.user_id = ?1 AND members.is_admin = 1 AND members.is_active = 1 AND NOT EXISTS (${otherAdmin})
       ORDER BY orgs.name`,
    )
    .bind(user_id)
    .all<{ name: string }>()
  return results.map(({ name }) => name)
}

import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { sqlStatement, statement } from '../db/statement'
import { stamp } from '../db/time'
import type { Env } from '../env'
import { hashPassword } from '../auth/password/password'
import { orgs } from '../schema/orgs'

/** The global admin's own organization; only global admins may be invited into it. */
export const privateOrg = { name: 'Private', slug: 'private' }

/** Rules of the mails of a new organization beside new and changed vulnerabilities; older organizations keep theirs. */
export const firstRules = { on_kev: true, on_exploitable: true }

export async function ensureFirstAdmin(env: Env, db: Db, now: Date) {
  const { ADMIN_USERNAME: username, ADMIN_PASSWORD: password } = env
  if (!username || !password) return
  const [existing] = await db.all<{ id: number }>(sql`SELECT id FROM users LIMIT 1`)
  if (existing) return

  const email = env.ADMIN_EMAIL ?? `${username}@earshot.localhost`
  const at = stamp(now)
  const password_hash = await hashPassword(password)
  await db.$client.batch([
    sqlStatement(db)`INSERT INTO users(username, email, password_hash, is_admin, created_at, email_verified_at)
        SELECT ${username}, ${email}, ${password_hash}, TRUE, ${at}, ${at} WHERE NOT EXISTS (SELECT 1 FROM users)`,
    statement(
      db,
      db
        .insert(orgs)
        .values({ ...privateOrg, created_at: at })
        .onConflictDoNothing(),
    ),
    sqlStatement(db)`INSERT INTO members(org_id, user_id, is_admin, manage_metadata) SELECT o.id, u.id, TRUE, TRUE
        FROM orgs o, users u
        WHERE o.slug = ${privateOrg.slug} AND u.username = ${username} ON CONFLICT DO NOTHING`,
    sqlStatement(db)`INSERT INTO alert_settings(org_id, alerts_emails, on_kev, on_exploitable)
        SELECT id, json_array(${email}), ${Number(firstRules.on_kev)}, ${Number(firstRules.on_exploitable)} FROM orgs WHERE slug = ${privateOrg.slug} ON CONFLICT DO NOTHING`,
  ])
}

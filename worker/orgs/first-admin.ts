import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { Env } from '../env'
import { hashPassword } from '../auth/password'

/** The global admin's own organization; only global admins may be invited into it. */
export const privateOrg = { name: 'Private', slug: 'private' }

export async function ensureFirstAdmin(env: Env, db: Db, now: Date) {
  const { ADMIN_USERNAME: username, ADMIN_PASSWORD: password } = env
  if (!username || !password) return
  const [existing] = await db.all<{ id: number }>(sql`SELECT id FROM users LIMIT 1`)
  if (existing) return

  const email = env.ADMIN_EMAIL ?? `${username}@earshot.localhost`
  const at = stamp(now)
  const prepare = (text: string, ...values: unknown[]) => db.$client.prepare(text).bind(...values)
  await db.$client.batch([
    prepare(
      `INSERT INTO users(username, email, password_hash, is_admin, created_at, email_verified_at)
       SELECT ?1, ?2, ?3, 1, ?4, ?4 WHERE NOT EXISTS (SELECT 1 FROM users)`,
      username,
      email,
      await hashPassword(password),
      at,
    ),
    prepare(
      'INSERT INTO orgs(name, slug, created_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING',
      privateOrg.name,
      privateOrg.slug,
      at,
    ),
    prepare(
      `INSERT INTO members(org_id, user_id, is_admin)
       SELECT o.id, u.id, 1 FROM orgs o, users u WHERE o.slug = ?1 AND u.username = ?2 ON CONFLICT DO NOTHING`,
      privateOrg.slug,
      username,
    ),
    prepare(
      'INSERT INTO alert_settings(org_id, alerts_emails) SELECT id, json_array(?2) FROM orgs WHERE slug = ?1 ON CONFLICT DO NOTHING',
      privateOrg.slug,
      email,
    ),
  ])
}

import { hashToken, newToken } from '../auth/keys'
import { linkGone, mailedLinkStatements } from '../auth/links'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { spendStatement } from '../mail/allowance'
import { alertAddressNotice } from './mails'
import type { By } from './managed'

const confirmationsPerDay = 20

export async function findUnconfirmed(db: Db, org_id: number, emails: string[]) {
  const { results } = await db.$client
    .prepare(
      `SELECT e.value AS email FROM json_each(?2) e
       WHERE NOT EXISTS (SELECT 1 FROM alert_addresses c WHERE c.org_id = ?1 AND c.email = lower(e.value))
         AND NOT EXISTS (SELECT 1 FROM users u JOIN members m ON m.user_id = u.id AND m.org_id = ?1 AND m.is_active = 1
           WHERE lower(u.email) = lower(e.value) AND u.is_active = 1 AND u.email_verified_at IS NOT NULL)`,
    )
    .bind(org_id, JSON.stringify(emails))
    .all<{ email: string }>()
  return results.map(({ email }) => email)
}

/** Asks each owner every ten minutes at most. */
export async function confirmationStatements(db: Db, emails: string[], by: By & { name: string }) {
  if (!emails.length) return []
  const { org_id } = by.actor
  const org = await db.$client.prepare('SELECT name FROM orgs WHERE id = ?1').bind(org_id).first<{ name: string }>()
  const links = emails.map(async (email) => {
    const token = newToken()
    const mail = await alertAddressNotice(by.env, { to: email, org_name: org?.name ?? '', by: by.name, token })
    const link = { kind: 'alert_address' as const, hash: await hashToken(token), email, user_id: null, org_id }
    return mailedLinkStatements(db, link, mail, by.now)
  })
  const spend = { key: `alert addresses of ${org_id}`, count: emails.length, limit: confirmationsPerDay }
  return [spendStatement(db, spend, by.now), ...(await Promise.all(links)).flat()]
}

export async function confirmAlertAddress(db: Db, token: string, now: Date) {
  const hash = await hashToken(token)
  const [confirmed] = await db.$client.batch([
    db.$client
      .prepare(
        `INSERT INTO alert_addresses(org_id, email, confirmed_at) SELECT org_id, email, ?2 FROM links
         WHERE token_hash = ?1 AND kind = 'alert_address' AND used_at IS NULL AND expires_at > ?2
           AND org_id IN (SELECT id FROM orgs)
         ON CONFLICT DO UPDATE SET confirmed_at = excluded.confirmed_at RETURNING email`,
      )
      .bind(hash, stamp(now)),
    db.$client
      .prepare("UPDATE links SET used_at = ?2 WHERE token_hash = ?1 AND kind = 'alert_address' AND used_at IS NULL")
      .bind(hash, stamp(now)),
  ])
  if (!confirmed?.results.length) throw linkGone()
}

export const isAlertLink = async (db: Db, token: string) =>
  (await db.$client
    .prepare("SELECT 1 FROM links WHERE token_hash = ?1 AND kind = 'alert_address'")
    .bind(await hashToken(token))
    .first()) !== null

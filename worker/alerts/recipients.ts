import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'

/** Whether the address `e.value` of the settings `s` is a member's proved one. */
export const isMembersOwn = sql`EXISTS (
  SELECT 1 FROM users u JOIN members m ON m.user_id = u.id AND m.org_id = s.org_id AND m.is_active = 1
  WHERE lower(u.email) = lower(e.value) AND u.is_active = 1 AND u.email_verified_at IS NOT NULL)`

/** Or was confirmed from its own mailbox. */
export const mayReceive = sql`(
  EXISTS (SELECT 1 FROM alert_addresses c WHERE c.org_id = s.org_id AND c.email = lower(e.value)) OR ${isMembersOwn})`

/** The alert addresses of the settings that may be written to, in lower case. */
export async function findRecipients(db: Db, org_id: number) {
  const found = await db.all<{ email: string }>(sql`
    SELECT DISTINCT lower(e.value) AS email FROM alert_settings s, json_each(s.alerts_emails) e WHERE s.org_id = ${org_id} AND ${mayReceive}`)
  return found.map(({ email }) => email)
}

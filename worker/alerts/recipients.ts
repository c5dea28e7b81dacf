import { sql } from 'drizzle-orm'

/** Whether the address `e.value` of the settings `s` is a member's proved one, or was confirmed from its own mailbox. */
export const mayReceive = sql`(
  EXISTS (SELECT 1 FROM alert_addresses c WHERE c.org_id = s.org_id AND c.email = lower(e.value))
  OR EXISTS (SELECT 1 FROM users u JOIN members m ON m.user_id = u.id AND m.org_id = s.org_id AND m.is_active = 1
    WHERE lower(u.email) = lower(e.value) AND u.is_active = 1 AND u.email_verified_at IS NOT NULL))`

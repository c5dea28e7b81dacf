import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'

/** Of an organization `o`: it is neither disabled nor past its trial. */
export const isServed = (now: Date) =>
  sql`(o.is_active = 1 AND (o.trial_ends_at IS NULL OR o.trial_ends_at > ${stamp(now)}))`

/** Whether the address `e.value` of the settings `s` is a member's proved one. */
export const isMembersOwn = sql`EXISTS (
  SELECT 1 FROM users u JOIN members m ON m.user_id = u.id AND m.org_id = s.org_id AND m.is_active = 1
  WHERE lower(u.email) = lower(e.value) AND u.is_active = 1 AND u.email_verified_at IS NOT NULL)`

/** Or was confirmed from its own mailbox. */
export const mayReceive = sql`(
  EXISTS (SELECT 1 FROM alert_addresses c WHERE c.org_id = s.org_id AND c.email = lower(e.value)) OR ${isMembersOwn})`

// Of a delivery `d`, by the settings `s` and the route `c` of now.
export const isMail = sql`(d.channel = 'email' OR d.channel LIKE 'email-%')`
const listed = sql`json_each(iif(d.channel = 'email', s.alerts_emails, coalesce(c.addresses, '[]'))) e WHERE lower(e.value) = d.target`
export const isListed = sql`EXISTS (SELECT 1 FROM ${listed})`
/** Whether the member on duty at its planning is a member still. */
const isOnRota = sql`(coalesce(c.rota, '') <> '' AND EXISTS (SELECT 1 FROM (SELECT d.org_id AS org_id) s, (SELECT d.target AS value) e
  WHERE ${isMembersOwn}))`
export const mayTakeMail = sql`(EXISTS (SELECT 1 FROM ${listed} AND ${mayReceive}) OR ${isOnRota})`
const mayTakeMessage = sql`(coalesce(c.secrets, '') <> '' AND c.disabled_at IS NULL)`
/** Whether it may go to its receiver still. */
export const mayReach = sql`iif(${isMail}, ${mayTakeMail}, ${mayTakeMessage})`

/** The alert addresses of the settings that may be written to, in lower case. */
export async function findRecipients(db: Db, org_id: number) {
  const found = await db.all<{ email: string }>(sql`
    SELECT DISTINCT lower(e.value) AS email FROM alert_settings s, json_each(s.alerts_emails) e WHERE s.org_id = ${org_id} AND ${mayReceive}`)
  return found.map(({ email }) => email)
}

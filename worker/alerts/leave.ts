import { and, eq, sql } from 'drizzle-orm'
import { audited } from '../auth/audit'
import { getDataKey, sign } from '../auth/data-keys'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import type { Env } from '../env'
import type { Client } from '../http/route'
import { unheardStatements } from '../orgs/unheard'
import { alertAddresses, alertSettings } from '../schema/alerts'

type Address = { org_id: number; email: string }

/** The address that ends all mails of an organization to one of its alert addresses; it holds for as long as they are sent. */
async function leaveUrl(env: Env, db: Db, { org_id, email }: Address) {
  const address = Buffer.from(email.toLowerCase()).toString('base64url')
  return `${env.APP_URL}/public/alerts/leave/${org_id}.${address}.${await signAddress(env, db, { org_id, email })}`
}

const signAddress = async (env: Env, db: Db, { org_id, email }: Address) =>
  sign(await getDataKey(env, db, 'alert_mails'), `${org_id} ${email.toLowerCase()}`)

const isMember = (org_id: number) => sql`EXISTS (
  SELECT 1 FROM users u JOIN members m ON m.user_id = u.id AND m.org_id = ${org_id} AND m.is_active = 1
  WHERE lower(u.email) = lower(e.value) AND u.is_active = 1)`

async function findOutsiders(db: Db, org_id: number, emails: string[]) {
  const found = await db.all<{ email: string }>(sql`
    SELECT e.value AS email FROM json_each(${JSON.stringify(emails)}) e WHERE NOT ${isMember(org_id)}`)
  return new Set(found.map(({ email }) => email))
}

type WayOut = { headers: Record<string, string>; text: string }

/** How each of these addresses ends its mails: by a link, and by the one POST of a mail program (RFC 8058); a member uses the settings. */
export async function findWaysOut(env: Env, db: Db, org_id: number, emails: string[]) {
  const outsiders = emails.length ? await findOutsiders(db, org_id, emails) : new Set<string>()
  return async (email: string): Promise<WayOut> => {
    if (!outsiders.has(email)) {
      const url = `${env.APP_URL}/settings?tab=alerting`
      return { headers: { 'List-Unsubscribe': `<${url}>` }, text: `Alert settings: ${url}` }
    }
    const url = await leaveUrl(env, db, { org_id, email })
    return {
      headers: { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
      text: `Unsubscribe: ${url}`,
    }
  }
}

/** Whether the link is valid; a second click works like the first. */
export async function leaveAlerts(db: Db, token: string, by: { env: Env; client: Client; now: Date }) {
  const [, org = '', encoded = '', signature = ''] = /^(\d{1,15})\.([\w-]{1,400})\.([\w-]{20,100})$/.exec(token) ?? []
  const email = Buffer.from(encoded, 'base64url').toString()
  const org_id = Number(org)
  if (!email || signature !== (await signAddress(by.env, db, { org_id, email }))) return false
  const [found] = await db.all(sql`
    SELECT 1 FROM alert_settings s, json_each(s.alerts_emails) e WHERE s.org_id = ${org_id} AND lower(e.value) = ${email}
    UNION ALL SELECT 1 FROM alert_addresses c WHERE c.org_id = ${org_id} AND c.email = ${email} LIMIT 1`)
  if (!found) return true
  const others = sql`(SELECT json_group_array(e.value) FROM json_each(${alertSettings.alerts_emails}) e WHERE lower(e.value) <> ${email})`
  const isConfirmation = and(eq(alertAddresses.org_id, org_id), eq(alertAddresses.email, email))
  const statements = [
    statement(db, db.update(alertSettings).set({ alerts_emails: others }).where(eq(alertSettings.org_id, org_id))),
    statement(db, db.delete(alertAddresses).where(isConfirmation)),
  ]
  const mails = await unheardStatements(by.env, db, [{ org_id, email }], by.now)
  const entry = { org_id, actor_id: null, actor: email, action: 'alert_address.leave' as const, target: email }
  await audited(db, [...statements, ...mails], entry, by)
  await by.env.DELIVERIES.send({ reason: 'due' })
  return true
}

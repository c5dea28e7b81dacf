import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { Env } from '../env'
import { adminNotice } from '../mail/notice'
import { queueWithin } from '../mail/within'
import { findUnconfirmed } from './alert-addresses'
import { findAdmins } from '../mail/find-admins'

type Address = { org_id: number; email: string; is_deleted?: boolean }

/** Addresses of alerts by the settings or a further route for mails, of an organization. */
const listed = (org_id: SQL) => sql`(
  SELECT lower(e.value) AS email FROM alert_settings s CROSS JOIN json_each(s.alerts_emails) e WHERE s.org_id = ${org_id}
  UNION SELECT lower(e.value) FROM alert_channels s CROSS JOIN json_each(s.addresses) e WHERE s.org_id = ${org_id})`

/** Where a member gets alerts by an address that is confirmed by nothing else; or also where it is, as that is to be forgotten. */
export function findAlerted(db: Db, user_id: number, isForgotten = false) {
  const confirmed = sql`SELECT c.org_id, c.email FROM alert_addresses c JOIN users u ON u.id = ${user_id} AND lower(u.email) = c.email`
  const theirs = sql`SELECT m.org_id, lower(u.email) AS email FROM users u CROSS JOIN members m ON m.user_id = u.id WHERE u.id = ${user_id}`
  return db.all<Address>(sql`
    SELECT g.org_id, g.email FROM (${theirs} ${isForgotten ? sql`UNION` : sql`EXCEPT`} ${confirmed}) g WHERE g.email IN ${listed(sql`g.org_id`)}`)
}

/** As `findAlerted`, of an account that is removed. */
export const findForgotten = async (db: Db, user_id: number) =>
  (await findAlerted(db, user_id, true)).map((address) => ({ ...address, is_deleted: true }))

/** Of an organization: somebody may be disabled and enabled again and again. */
const unheardPerDay = 50

/** For the batch in which addresses go: tells the other admins of each organization which one gets no alerts any more, as nobody else would miss them. */
export async function unheardStatements(env: Env, db: Db, gone: Address[], now: Date) {
  const told = await Promise.all(
    gone.map(async (address) => {
      const { org_id } = address
      const allowed = { org_id, key: `unheard of ${org_id}`, limit: unheardPerDay }
      return queueWithin(db, allowed, await writeMails(env, db, address), now)
    }),
  )
  return told.flat()
}

async function writeMails(env: Env, db: Db, { org_id, email, is_deleted }: Address) {
  const all = listed(sql`${org_id}`)
  const [rows, unconfirmed, admins] = await Promise.all([
    db.all<{ email: string }>(sql`SELECT email FROM ${all}`),
    findUnconfirmed(db, org_id, sql`(SELECT json_group_array(g.email) FROM ${all} g)`),
    findAdmins(db, org_id),
  ])
  const emails = rows.map((row) => row.email)
  const left = emails.filter((other) => other !== email && !unconfirmed.includes(other))
  // No mail is to keep the address of an account that is gone.
  const who = is_deleted ? 'A former member' : email
  const others = admins.filter(({ to }) => to.toLowerCase() !== email)
  return Promise.all(others.map((admin) => unheardNotice(env, { ...admin, who, left })))
}

type Unheard = { to: string; org_name: string; who: string; left: string[] }

export const unheardNotice = (env: Env, { to, org_name, who, left }: Unheard) =>
  adminNotice({
    to,
    org_name,
    kind: 'alert_address_gone',
    title: left.length
      ? `${org_name}: ${who} gets no alerts any more`
      : `${org_name}: nobody gets alerts by mail any more`,
    paragraphs: [
      `${who} was told the alerts of ${org_name}, and unsubscribed, left or was disabled.`,
      left.length
        ? `Still told by mail: ${left.join(', ')}.`
        : 'No other address is confirmed: enter one, or no alert leaves by mail.',
    ],
    action: { label: 'Alert settings', url: `${env.APP_URL}/settings?tab=alerting` },
  })

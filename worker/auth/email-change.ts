import { eq, sql } from 'drizzle-orm'
import { isTaken } from '../db/guard'
import type { Db } from '../db/open'
import { sqlStatement, updateRows } from '../db/statement'
import { stamp } from '../db/time'
import type { Env } from '../env'
import { Failure } from '../http/errors'
import { apartFor, isOverspent, spendOfOrg, spendStatement } from '../mail/allowance'
import { queueMail } from '../mail/outbox'
import { alertChannels, alertSettings } from '../schema/alerts'
import { users } from '../schema/auth'
import { audited, type Scene } from './audit'
import { hashToken, newToken } from './keys'
import { mailedLinkStatements, takeLink, voidLinks, voidOtherChanges } from './links'
import { activeOrgs, type getOrg } from './queries'
import { findSpelling } from './spelling'
import { addressAskedNotice, addressChangedNotice, confirmAddressNotice } from './security-notice'

const changesPerDay = 5
const tooMany = 'Too many new addresses, or mails of your organization to strangers, today: try again tomorrow'

type Wish = {
  user: { id: number; username: string; email: string }
  email: string
  org: Awaited<ReturnType<typeof getOrg>>
  besides: D1PreparedStatement[]
}

export async function sendEmailChange(env: Env, db: Db, { user, email, org, besides }: Wish, now: Date) {
  const token = newToken()
  const asked = { kind: 'email_change' as const, hash: await hashToken(token), email, user_id: user.id }
  const mail = await confirmAddressNotice(env, { to: email, username: user.username, token })
  const warning = await addressAskedNotice(env, { to: user.email, username: user.username, email })
  const spend = { key: `email-change user ${user.id}`, limit: changesPerDay }
  try {
    await db.$client.batch([
      ...besides,
      spendStatement(db, spend, now),
      ...spendOfOrg(db, org, 1, now),
      ...(await mailedLinkStatements(db, { ...asked, apart: apartFor(org) }, mail, now)),
      voidOtherChanges(db, { user_id: user.id, email }, now),
      queueMail(db, { org_id: null, ...warning }, now),
    ])
  } catch (error) {
    throw isOverspent(error) ? new Failure(429, 'quota', tooMany) : error
  }
}

export async function confirmNewEmail(db: Db, token: string, { env, client, now }: Scene) {
  const { user_id, email: written } = await takeLink(db, 'email_change', token, now)
  const email = await findSpelling(db, written, sql`id <> ${user_id}`)
  const user = await db
    .select({ username: users.username, email: users.email })
    .from(users)
    .where(eq(users.id, user_id))
    .get()
  if (!user) return
  const notice = await addressChangedNotice(env, { to: user.email, username: user.username, email })
  const entry = { actor_id: user_id, actor: user.username, action: 'user.change_email' as const, target: user.username }
  const entries = (await activeOrgs(db, user_id)).map(({ id }) => ({ ...entry, org_id: id }))
  try {
    const statements = [
      updateRows(db, users, eq(users.id, user_id), { email, email_verified_at: stamp(now) }),
      ...passAlerts(db, { user_id, from: user.email.toLowerCase(), to: email }),
      voidLinks(db, user_id, now),
      queueMail(db, { org_id: null, ...notice }, now),
    ]
    await audited(db, statements, entries, { env, client, now })
  } catch (error) {
    if (!isTaken(error, 'users_by_email')) throw error
    throw new Failure(409, 'email_taken', 'This address belongs to another account')
  }
  await env.DELIVERIES.send({ reason: 'due' })
}

/** Where the old address got the alerts of an organization as a member's, the new one does: else they would go to nobody. */
const passAlerts = (db: Db, { user_id, from, to }: { user_id: number; from: string; to: string }) =>
  [
    { table: alertSettings, list: alertSettings.alerts_emails },
    { table: alertChannels, list: alertChannels.addresses },
  ].map(({ table, list }) => {
    const isListed = sql`EXISTS (SELECT 1 FROM json_each(${list}) e WHERE lower(e.value) = ${from})`
    const isMember = sql`${table.org_id} IN (SELECT m.org_id FROM members m WHERE m.user_id = ${user_id})`
    const isConfirmed = sql`EXISTS (SELECT 1 FROM alert_addresses c WHERE c.org_id = ${table.org_id} AND c.email = ${from})`
    const passed = sql`(SELECT json_group_array(value) FROM (
      SELECT value FROM json_each(${list}) WHERE lower(value) NOT IN (${from}, ${to}) UNION ALL SELECT ${to}))`
    return sqlStatement(db)`UPDATE ${table} SET ${sql.identifier(list.name)} = ${passed}
      WHERE ${isListed} AND ${isMember} AND NOT ${isConfirmed}`
  })

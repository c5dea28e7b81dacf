import { and, eq, isNull, sql, type SQL } from 'drizzle-orm'
import { hashToken, newToken } from '../auth/keys'
import { getOrg } from '../auth/queries'
import { isOpenLink, linkGone, mailedLinkStatements } from '../auth/links'
import type { Db } from '../db/open'
import { sqlStatement, updateRows } from '../db/statement'
import { stamp } from '../db/time'
import { Failure } from '../http/errors'
import { apartFor, spendOfOrg, spendStatement } from '../mail/allowance'
import { links } from '../schema/auth'
import { alertAddressNotice } from './mails'
import { getActorName, type By } from './managed-orgs'

/** Of an organization, of one on trial. */
const confirmationsPerDay = { paid: 20, trial: 3 }

/** Of a list, or of an expression of its JSON, in their order; without `emails` of those that alerts go to. */
export async function findUnconfirmed(db: Db, org_id: number, emails?: string[] | SQL) {
  const stored = sql`(SELECT s.alerts_emails FROM alert_settings s WHERE s.org_id = ${org_id})`
  const list = Array.isArray(emails) ? sql`${JSON.stringify(emails)}` : (emails ?? stored)
  const unconfirmed = await db.all<{ email: string }>(sql`
    SELECT e.value AS email FROM json_each(${list}) e
    WHERE NOT EXISTS (SELECT 1 FROM alert_addresses c WHERE c.org_id = ${org_id} AND c.email = lower(e.value))
      AND NOT EXISTS (SELECT 1 FROM users u JOIN members m ON m.user_id = u.id AND m.org_id = ${org_id} AND m.is_active
        WHERE lower(u.email) = lower(e.value) AND u.is_active AND u.email_verified_at IS NOT NULL)`)
  return unconfirmed.map(({ email }) => email)
}

export const tooManyAddresses = () => new Failure(429, 'quota', 'Too many new addresses today: try again tomorrow')

/** Reads what a mail tells, in one trip with whatever else is read in this turn. */
export async function readyConfirmations(db: Db, by: By) {
  const [org, actor] = await Promise.all([getOrg(db, by.actor.org_id), getActorName(db, by.actor)])
  return (emails: string[]) => confirmationStatements(db, emails, { ...by, org, name: actor })
}

type Asking = By & { name: string; org: { id: number; name: string; trial_ends_at: string | null } }

/** Asks each owner every ten minutes at most; its batch is overspent where these are more than a day has. */
async function confirmationStatements(db: Db, emails: string[], { org, ...by }: Asking) {
  if (!emails.length) return []
  const org_id = org.id
  const limit = confirmationsPerDay[org.trial_ends_at === null ? 'paid' : 'trial']
  const mailed = emails.map(async (email) => {
    const token = newToken()
    const mail = await alertAddressNotice(by.env, { to: email, org_name: org.name, by: by.name, token })
    const asked = { kind: 'alert_address' as const, hash: await hashToken(token), email, user_id: null, org_id }
    return mailedLinkStatements(db, { ...asked, apart: apartFor(org) }, mail, by.now)
  })
  const spend = { key: `alert addresses of ${org_id}`, count: emails.length, limit }
  return [
    spendStatement(db, spend, by.now),
    ...spendOfOrg(db, org, emails.length, by.now),
    ...(await Promise.all(mailed)).flat(),
  ]
}

/** Only what the organization still lists: an address that it took back is not confirmed in advance. */
export async function confirmAlertAddress(db: Db, token: string, now: Date) {
  const [hash, at] = [await hashToken(token), stamp(now)]
  const [confirmed] = await db.$client.batch([
    sqlStatement(db)`INSERT INTO alert_addresses(org_id, email, confirmed_at) SELECT org_id, email, ${at} FROM links
        WHERE ${hasAlertToken(hash)} AND ${isOpenLink(now)}
          AND EXISTS (SELECT 1 FROM orgs o WHERE o.id = links.org_id AND o.is_active) AND lower(links.email) IN (
            SELECT lower(e.value) FROM alert_settings s, json_each(s.alerts_emails) e WHERE s.org_id = links.org_id
            UNION ALL SELECT lower(e.value) FROM alert_channels s, json_each(s.addresses) e WHERE s.org_id = links.org_id)
        ON CONFLICT DO UPDATE SET confirmed_at = excluded.confirmed_at RETURNING email`,
    updateRows(db, links, and(hasAlertToken(hash), isNull(links.used_at), sql`changes() = 1`), { used_at: at }),
  ])
  if (!confirmed?.results.length) throw linkGone()
}

export async function isAlertLink(db: Db, token: string) {
  const hash = await hashToken(token)
  const link = await db.select({ id: links.id }).from(links).where(hasAlertToken(hash)).get()
  return link !== undefined
}

const hasAlertToken = (hash: string) => and(eq(links.token_hash, hash), eq(links.kind, 'alert_address'))

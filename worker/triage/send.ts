import { eq, sql } from 'drizzle-orm'
import { users } from '../schema/auth'
import { orgs } from '../schema/orgs'
import { beside } from '../db/beside'
import { abort, isAborted } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { mailboxName } from '../domain/people/mailbox'
import { Failure, invalid } from '../http/errors'
import { hashToken } from '../auth/keys'
import { apartFor, isOverspent, perHour, spendOfOrg, spendStatement, trialPerDay } from '../mail/allowance'
import { queueMail } from '../mail/outbox'
import { findMemberEmails, readAddresses } from '../orgs/addresses'
import { getVulnDetail } from '../vulns/detail/detail'
import { vulnMail } from '../vulns/mail'
import { maxRecipients } from './contract'

/** So many mails with details may an organization send in a day (UTC). */
const dailyMails = 100
/** Of these to people who did not ask for them: so many by a sender and to an address in a day, and few in all on trial. */
const strangers = { sender: 50, address: 5, trial: 10 }

type Request = { org_id: number; user_id: number; emails: string | string[]; app_url: string; now: Date }

/** To all addresses or to none, within the day's allowance. */
export async function sendDetails(db: Db, vuln_id: number, { org_id, user_id, emails, app_url, now }: Request) {
  const { addresses, valid, wrong } = readAddresses(emails)
  const refuse = (message: string) => invalid([{ path: ['emails'], message }])
  if (wrong.length) throw refuse(`Not an e-mail address: ${wrong.slice(0, 3).join(', ')}`)
  if (!addresses.length) throw refuse('Name at least one e-mail address')
  if (valid.length > maxRecipients) throw refuse(`At most ${maxRecipients} addresses`)

  const sending = db
    .select({ name: users.username, org_name: orgs.name, trial_ends_at: orgs.trial_ends_at })
    .from(users)
    .innerJoin(orgs, eq(orgs.id, org_id))
    .where(eq(users.id, user_id))
  const [vuln, [others, [sender]]] = await beside(
    getVulnDetail(db, org_id, vuln_id, now),
    Promise.all([findStrangers(db, org_id, valid), sending]),
  )
  const trial_ends_at = sender?.trial_ends_at ?? null
  if (trial_ends_at !== null && vuln.scope === 'private' && others.length) throw notOnTrial(others)
  const title = `PH-${vuln.id}${vuln.cveid ? ` / ${vuln.cveid}` : ''}: vulnerability details`
  const footer = `${sender?.name ?? 'A user'} of ${sender?.org_name ?? 'an organization'} sent you this from Earshot (${app_url}).`
  const mail = await vulnMail(vuln, { title, footer, app_url })
  const subject = `[Earshot] ${title} · ${sender?.org_name ?? ''}`.slice(0, 200)
  try {
    await db.$client.batch([
      takeAllowance(db, org_id, valid.length, now),
      ...(await spendOnStrangers(db, others, { org_id, trial_ends_at, user_id, now })),
      ...valid.map((to) => queueMail(db, { org_id, to, kind: 'vuln_details', subject, ...mail }, now)),
    ])
  } catch (error) {
    if (isOverspent(error)) throw tooManyStrangers(trial_ends_at)
    if (!isAborted(error, 'quota')) throw error
    throw new Failure(429, 'quota', `Your organization may send ${dailyMails} details a day: try again tomorrow`)
  }
  return valid
}

async function findStrangers(db: Db, org_id: number, addresses: string[]) {
  const known = await findMemberEmails(db, org_id, addresses)
  return addresses.filter((email) => !known.includes(email))
}

// A stranger who tries Earshot writes the text of a private vulnerability: it would be a letter of their own in our name.
const notOnTrial = (others: string[]) =>
  invalid([
    {
      path: ['emails'],
      message: `While on trial, private vulnerabilities go to members alone, not to ${others.slice(0, 3).join(', ')}: invite them first`,
    },
  ])

type Sending = { org_id: number; trial_ends_at: string | null; user_id: number; now: Date }

async function spendOnStrangers(db: Db, others: string[], { org_id, trial_ends_at, user_id, now }: Sending) {
  if (!others.length) return []
  const org = { id: org_id, trial_ends_at }
  const spends = [
    { key: `details by ${user_id}`, count: others.length, limit: strangers.sender },
    ...(await Promise.all(
      others.map(async (email) => ({
        key: `details to ${await hashToken(mailboxName(email))}${apartFor(org)}`,
        limit: strangers.address,
      })),
    )),
    ...(trial_ends_at === null
      ? []
      : [{ key: `details on trial of ${org_id}`, count: others.length, limit: strangers.trial, isTotal: true }]),
  ]
  return [...spendOfOrg(db, org, others.length, now), ...spends.map((spend) => spendStatement(db, spend, now))]
}

const tooManyStrangers = (trial_ends_at: string | null) =>
  trial_ends_at === null
    ? new Failure(429, 'quota', 'Too many details to people outside of your organization today: try again tomorrow')
    : new Failure(
        429,
        'quota',
        `An organization on trial sends ${strangers.trial} details in all to people outside of it, and ${perHour.trial} mails of every kind in an hour, ${trialPerDay} in a day`,
      )

// Nothing is sent beyond the allowance, however many ask at once.
const takeAllowance = (db: Db, org_id: number, count: number, now: Date) =>
  statement(
    db,
    sql`INSERT INTO quotas(org_id, name, day, used)
      VALUES (${org_id}, 'detail_mails', ${stamp(now).slice(0, 10)}, ${count <= dailyMails ? count : abort('quota')})
      ON CONFLICT DO UPDATE SET
        used = CASE WHEN quotas.used + excluded.used <= ${dailyMails} THEN quotas.used + excluded.used ELSE ${abort('quota')} END`,
  )

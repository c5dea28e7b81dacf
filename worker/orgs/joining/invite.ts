import { hashToken, newToken } from '../../auth/keys'
import { beside } from '../../db/beside'
import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { mailboxName } from '../../domain/people/mailbox'
import { forbidden } from '../../http/errors'
import { apartFor, isOverspent, perHour, spendOfOrg, spendStatement, trialPerDay } from '../../mail/allowance'
import { queueMail } from '../../mail/outbox'
import { findMemberEmails, spellAddresses } from '../addresses'
import { getActorName, readyAuditBy } from '../../auth/audited-by'
import { privateOrg } from '../first-admin'
import { invitationNotice } from '../mails'
import { getManagedOrg, type By } from '../managed-orgs'
import { inviteLimit, trialInvitations } from '../members/contract'

const invitationDays = 3

export async function sendInvitations(db: Db, org_id: number, emails: string | string[], by: By) {
  const { addresses, valid, wrong } = await spellAddresses(db, org_id, emails)
  const read = Promise.all([
    findMemberEmails(db, org_id, valid),
    getActorName(db, by.actor),
    readyAuditBy(db, by, org_id),
  ])
  const [org, [already, actor, write]] = await beside(getManagedOrg(db, org_id, 'manage', by), read)
  if (org.slug === privateOrg.slug && !by.actor.is_admin)
    throw forbidden('Only global admins may invite into this organization')

  if (!addresses.length) return notInvited('No address was given')
  if (addresses.length > inviteLimit)
    return notInvited(`At most ${inviteLimit} addresses at once, not ${addresses.length}`)

  const invited = valid.filter((email) => !already.includes(email))
  const reason = describeProblems(wrong, already)
  if (!invited.length) return notInvited(reason)

  const statements = [
    ...invitationSpends(org, by.actor.user_id, invited.length).map((spend) => spendStatement(db, spend, by.now)),
    ...spendOfOrg(db, org, invited.length, by.now),
    ...(await addressSpends(db, org, invited, by.now)),
    ...(await invitationStatements(db, org, invited, { ...by, name: actor })),
  ]
  try {
    await write(statements, { action: 'member.invite', target: invited.join(', ') })
  } catch (error) {
    if (isOverspent(error)) return notInvited(describeLimit(org))
    throw error
  }
  await by.env.DELIVERIES.send({ reason: 'due' })
  return reason ? { status: 'success' as const, reason } : { status: 'success' as const }
}

/** Invitations go to strangers: so many a day from an organization, a sender and to an address; few in all on trial. */
const limits = { org: 200, sender: 100, address: 5, trial: trialInvitations }

type Inviting = { id: number; trial_ends_at: string | null }

const invitationSpends = ({ id, trial_ends_at }: Inviting, user_id: number, count: number) => [
  { key: `invitations of ${id}`, count, limit: limits.org },
  { key: `invitations by ${user_id}`, count, limit: limits.sender },
  ...(trial_ends_at === null
    ? []
    : [{ key: `invitations on trial of ${id}`, count, limit: limits.trial, isTotal: true }]),
]

const addressSpends = (db: Db, org: Inviting, emails: string[], now: Date) =>
  Promise.all(
    emails.map(async (email) =>
      spendStatement(
        db,
        { key: `invitation to ${await hashToken(mailboxName(email))}${apartFor(org)}`, limit: limits.address },
        now,
      ),
    ),
  )

const describeLimit = ({ trial_ends_at }: Inviting) =>
  trial_ends_at === null
    ? 'Too many invitations today: nothing was sent'
    : `Nothing was sent: an organization on trial sends ${limits.trial} invitations in all, and ${perHour.trial} mails of every kind in an hour, ${trialPerDay} in a day`

const notInvited = (reason: string) => ({ status: 'error' as const, reason })

const describeProblems = (wrong: string[], already: string[]) =>
  [
    wrong.length ? `Not a valid address: ${wrong.join(', ')}` : '',
    already.length ? `Already a member: ${already.join(', ')}` : '',
  ]
    .filter(Boolean)
    .join('. ')

type Org = { id: number; name: string }
type Inviter = Pick<By, 'env' | 'now' | 'actor'> & { name: string; as?: 'owner' }

export async function invitationStatements(db: Db, org: Org, emails: string[], by: Inviter) {
  const at = stamp(by.now)
  const data = JSON.stringify({ by: by.name, by_id: by.actor.user_id, as: by.as })
  const invitations = await Promise.all(
    emails.map(async (email) => {
      const token = newToken()
      const mail = { to: email, org_name: org.name, by: by.name, token, days: invitationDays }
      return { email, hash: await hashToken(token), notice: await invitationNotice(by.env, mail) }
    }),
  )
  return [
    ...bulk(
      db,
      `UPDATE links SET used_at = ?3 WHERE kind = 'invitation' AND org_id = ?2 AND used_at IS NULL
       AND email IN (SELECT value FROM jsonb_each(?1))`,
      emails,
      org.id,
      at,
    ),
    ...bulk(
      db,
      `INSERT INTO links(token_hash, kind, email, org_id, data, created_at, expires_at)
       SELECT value ->> 'hash', 'invitation', value ->> 'email', ?2, ?3, ?4, ?5 FROM jsonb_each(?1)`,
      invitations.map(({ email, hash }) => ({ email, hash })),
      org.id,
      data,
      at,
      stamp(plusSeconds(by.now, invitationDays * 86_400)),
    ),
    ...invitations.map(({ notice }) => queueMail(db, { org_id: org.id, ...notice }, by.now)),
  ]
}

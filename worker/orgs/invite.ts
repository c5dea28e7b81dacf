import { hashOf, newToken } from '../auth/keys'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { forbidden } from '../http/errors'
import { queueMail } from '../mail/outbox'
import { readAddresses } from './addresses'
import { audited } from '../auth/audit'
import { inviteLimit } from './contract'
import { privateOrg } from './first-admin'
import { invitationNotice, membershipNotice } from './mails'
import { getActorName, getManagedOrg } from './managed'
import type { By, Outcome } from './managed'

export const invitationDays = 3

/** Whoever has an account becomes a member and is told; everybody else gets a link. What is not valid stops no other. */
export async function inviteUsers(db: Db, org_id: number, emails: string | string[], by: By) {
  const org = await getManagedOrg(db, org_id, 'manage', by)
  if (org.slug === privateOrg.slug && !by.actor.is_admin)
    throw forbidden('Only global admins may invite into this organization')

  const { given, valid, wrong } = readAddresses(emails)
  if (!given.length) return refused('No address was given')
  if (given.length > inviteLimit) return refused(`At most ${inviteLimit} addresses at once, not ${given.length}`)

  const accounts = await findAccounts(db, org.id, valid)
  const known = accounts.filter(({ is_member }) => !is_member)
  const unknown = valid.filter((email) => !accounts.some((account) => account.email === email))
  const already = accounts.filter(({ is_member }) => is_member).map(({ email }) => email)
  const reason = reasonOf(wrong, already)
  if (!known.length && !unknown.length) return refused(reason)

  const added = known.map(({ email }) => email)
  const actor = await getActorName(db, by.actor)
  const target = [...added, ...unknown].join(', ')
  const entry = { org_id, actor_id: by.actor.user_id, actor, action: 'member.invite', target }
  const statements = [
    ...(await welcomeStatements(db, org, known, { ...by, name: actor })),
    ...(await invitationStatements(db, org, unknown, { ...by, name: actor })),
  ]
  await audited(db, statements, { ...entry, detail: { added, invited: unknown } }, by)
  await by.env.DELIVERIES.send({ reason: 'due' })
  return reason ? { status: 'success' as const, reason } : { status: 'success' as const }
}

const refused = (reason: string): Outcome => ({ status: 'error', reason })

const reasonOf = (wrong: string[], already: string[]) =>
  [
    wrong.length ? `Not a valid address: ${wrong.join(', ')}` : '',
    already.length ? `Already a member: ${already.join(', ')}` : '',
  ]
    .filter(Boolean)
    .join('. ')

type Account = { id: number; email: string; is_member: number }

async function findAccounts(db: Db, org_id: number, emails: string[]) {
  const { results } = await db.$client
    .prepare(
      `SELECT u.id, lower(u.email) AS email, EXISTS (SELECT 1 FROM members m WHERE m.org_id = ?1 AND m.user_id = u.id) AS is_member
       FROM json_each(?2) e CROSS JOIN users u ON lower(u.email) = e.value`,
    )
    .bind(org_id, JSON.stringify(emails))
    .all<Account>()
  return results
}

type Org = { id: number; name: string }
type Inviter = Pick<By, 'env' | 'now'> & { name: string }

/** Makes accounts members, and tells them. */
export async function welcomeStatements(db: Db, org: Org, accounts: Pick<Account, 'id' | 'email'>[], by: Inviter) {
  const ids = accounts.map(({ id }) => id)
  const notices = await Promise.all(
    accounts.map(({ email }) => membershipNotice(by.env, { to: email, org_name: org.name, by: by.name })),
  )
  return [
    ...bulk(
      db,
      'INSERT INTO members(org_id, user_id) SELECT ?2, value FROM jsonb_each(?1) WHERE true ON CONFLICT DO NOTHING',
      ids,
      org.id,
    ),
    ...notices.map((mail) => queueMail(db, mail, by.now)),
  ]
}

/** Voids older invitations of the addresses into the organization, and sends new ones. */
export async function invitationStatements(db: Db, org: Org, emails: string[], by: Inviter & { as?: 'owner' }) {
  const at = stamp(by.now)
  const data = JSON.stringify(by.as ? { as: by.as } : {})
  const invitations = await Promise.all(
    emails.map(async (email) => {
      const token = newToken()
      const mail = { to: email, org_name: org.name, by: by.name, token, days: invitationDays }
      return { email, hash: await hashOf(token), notice: await invitationNotice(by.env, mail) }
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
    ...invitations.map(({ notice }) => queueMail(db, notice, by.now)),
  ]
}

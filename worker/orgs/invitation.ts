import { z } from 'zod'
import { endProviderAccess, proveMailbox } from '../auth/mailbox'
import { requireGoodPassword } from '../auth/good-password'
import { hashPassword } from '../auth/password'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { invalid, notFound } from '../http/errors'
import { audited } from '../auth/audit'
import type { Scene } from '../auth/audit'
import { findJoinLink, linkInvalid, register, registrationStatements, usedStatement } from './registration'
import type { JoinLink, RegistrationInput } from './registration'

const InvitationData = z.object({ by: z.string().default(''), as: z.literal('owner').optional() })
export const readInvitation = (data: string) => InvitationData.parse(JSON.parse(data))

type Invitation = JoinLink & { org_id: number }

/** An invitation stands as long as its organization does. */
async function findInvitation(db: Db, token: string, now: Date): Promise<Invitation | null> {
  const link = await findJoinLink(db, 'invitation', token, now)
  const org = await db.$client
    .prepare('SELECT id FROM orgs WHERE id = ?1 AND is_active = 1')
    .bind(link?.org_id ?? 0)
    .first<{ id: number }>()
  return link && org ? { ...link, org_id: org.id } : null
}

type Account = { id: number; username: string; is_proved: number }

const findAccount = (db: Db, email: string) =>
  db.$client
    .prepare(
      `SELECT id, username, email_verified_at IS NOT NULL AS is_proved FROM users
       WHERE lower(email) = ?1 AND is_active = 1`,
    )
    .bind(email)
    .first<Account>()

/** What its owner must do to join: `register`, confirm their account, or give a first `password` where only a provider vouched for it. */
export async function describeInvitation(db: Db, token: string, now: Date) {
  const link = await findInvitation(db, token, now)
  if (!link) return { status: 'invalid' as const, email: null, step: null }
  const account = await findAccount(db, link.email)
  const step = !account ? ('register' as const) : account.is_proved ? ('confirm' as const) : ('password' as const)
  return { status: 'valid' as const, email: link.email, step }
}

/** Whoever was invited as the owner becomes the admin. */
export async function registerInvited(db: Db, token: string, registration: RegistrationInput, scene: Scene) {
  const link = await findInvitation(db, token, scene.now)
  if (!link) throw linkInvalid()
  const statements = [
    ...(await registrationStatements(db, link, registration, scene.now)),
    ...membershipStatements(db, link),
  ]
  await register(() => audited(db, statements, joined(link, null, registration.username), scene))
}

/** The link came to the mailbox of the account, so it proves that one, too. */
export async function joinInvited(db: Db, token: string, password: string | undefined, scene: Scene) {
  const link = await findInvitation(db, token, scene.now)
  const account = link && (await findAccount(db, link.email))
  if (!link || !account) throw linkInvalid()
  if (!account.is_proved && password === undefined)
    throw invalid([{ path: ['password'], message: 'Password is required' }])
  if (password !== undefined) requireGoodPassword(password, { ...account, email: link.email })
  const firstPassword =
    account.is_proved || password === undefined
      ? []
      : [
          ...proveMailbox(db, account.id, scene.now),
          db.$client
            .prepare('UPDATE users SET password_hash = ?2 WHERE id = ?1')
            .bind(account.id, await hashPassword(password)),
        ]
  await accept(db, { link, account, besides: firstPassword }, scene)
}

export async function acceptListed(db: Db, { user_id, id }: { user_id: number; id: number }, scene: Scene) {
  const { link, account } = await getListed(db, { user_id, id }, scene.now)
  await accept(db, { link, account, besides: [] }, scene)
}

export async function declineListed(db: Db, { user_id, id }: { user_id: number; id: number }, scene: Scene) {
  const { link } = await getListed(db, { user_id, id }, scene.now)
  const { org_id, email } = link
  const entry = { org_id, actor_id: null, actor: email, action: 'member.decline' as const, target: email }
  await register(() => audited(db, [usedStatement(db, link, scene.now)], entry, scene))
}

async function getListed(db: Db, { user_id, id }: { user_id: number; id: number }, now: Date) {
  const found = await db.$client
    .prepare(
      `SELECT l.token_hash, l.email, l.org_id, l.data, u.id, u.username, 1 AS is_proved
       FROM links l JOIN users u ON lower(u.email) = l.email AND u.email_verified_at IS NOT NULL
       JOIN orgs o ON o.id = l.org_id AND o.is_active = 1
       WHERE l.id = ?2 AND u.id = ?1 AND l.kind = 'invitation' AND l.used_at IS NULL AND l.expires_at > ?3`,
    )
    .bind(user_id, id, stamp(now))
    .first<Invitation & Account>()
  if (!found) throw notFound('Invitation')
  const { token_hash, email, org_id, data, ...account } = found
  return { link: { token_hash, email, org_id, data }, account }
}

type Acceptance = { link: Invitation; account: Account; besides: D1PreparedStatement[] }

async function accept(db: Db, { link, account, besides }: Acceptance, scene: Scene) {
  const statements = [
    usedStatement(db, link, scene.now),
    ...besides,
    ...endProviderAccess(db, { user_id: account.id, org_id: link.org_id }, scene.now),
    ...membershipStatements(db, link),
  ]
  await register(() => audited(db, statements, joined(link, account.id, account.username), scene))
}

const joined = ({ org_id, email }: Invitation, actor_id: number | null, username: string) => ({
  org_id,
  actor_id,
  actor: username,
  action: 'member.join' as const,
  target: username,
  detail: { email },
})

function membershipStatements(db: Db, { org_id, email, data }: Invitation) {
  const isOwner = readInvitation(data).as === 'owner'
  const member = db.$client
    .prepare(
      `INSERT INTO members(org_id, user_id, is_admin) SELECT ?1, id, ?3 FROM users WHERE lower(email) = ?2
       ON CONFLICT DO NOTHING`,
    )
    .bind(org_id, email, Number(isOwner))
  if (!isOwner) return [member]
  return [
    member,
    db.$client
      .prepare('UPDATE orgs SET owner_id = (SELECT id FROM users WHERE lower(email) = ?2) WHERE id = ?1')
      .bind(org_id, email),
    db.$client
      .prepare("UPDATE alert_settings SET alerts_emails = json_array(?2) WHERE org_id = ?1 AND alerts_emails = '[]'")
      .bind(org_id, email),
  ]
}

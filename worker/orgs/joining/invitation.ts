import { and, eq, isNotNull, sql } from 'drizzle-orm'
import * as z from 'zod'
import { endProviderAccess, proveMailbox } from '../../auth/mailbox'
import { requireGoodPassword } from '../../auth/password/good-password'
import { hashPassword } from '../../auth/password/password'
import { findSpelling, isSameMailbox, mayBeSame } from '../../auth/spelling'
import { beside } from '../../db/beside'
import { pick } from '../../db/columns'
import type { Db } from '../../db/open'
import { sqlStatement, updateRows } from '../../db/statement'
import { invalid, notFound } from '../../http/errors'
import { audited, readyLogs, type Scene } from '../../auth/audit'
import { alertSettings } from '../../schema/alerts'
import { links, users } from '../../schema/auth'
import { orgs } from '../../schema/orgs'
import { findJoinLink, isNewLink, linkInvalid, register, registrationStatements, usedStatement } from './registration'
import type { JoinLink, RegistrationInput } from './registration'

const InvitationData = z.object({ by: z.string().default(''), as: z.literal('owner').optional() })
export const readInvitation = (data: string) => InvitationData.parse(JSON.parse(data))

type Invitation = JoinLink & { org_id: number }

/** An invitation stands as long as its organization does. */
async function findInvitation(db: Db, token: string, now: Date): Promise<(Invitation & { org_name: string }) | null> {
  const link = await findJoinLink(db, 'invitation', token, now)
  const org = await db
    .select({ id: orgs.id, name: orgs.name })
    .from(orgs)
    .where(and(eq(orgs.id, link?.org_id ?? 0), eq(orgs.is_active, true)))
    .get()
  return link && org ? { ...link, email: await findSpelling(db, link.email), org_id: org.id, org_name: org.name } : null
}

type Account = { id: number; username: string; is_proved: boolean }

async function findAccount(db: Db, email: string): Promise<Account | null> {
  const user = await db
    .select(pick(users, 'id', 'username', 'email_verified_at'))
    .from(users)
    .where(and(eq(sql`lower(${users.email})`, email), eq(users.is_active, true)))
    .get()
  return user ? { id: user.id, username: user.username, is_proved: user.email_verified_at !== null } : null
}

/** Step of its owner to join: `register`, confirm their account, or give a first `password` where only a provider vouched for it. */
export async function describeInvitation(db: Db, token: string, now: Date) {
  const link = await findInvitation(db, token, now)
  if (!link) return { status: 'invalid' as const, email: null, step: null, org_name: null, invited_by: null }
  const account = await findAccount(db, link.email)
  const step = !account ? ('register' as const) : account.is_proved ? ('confirm' as const) : ('password' as const)
  const invited_by = readInvitation(link.data).by || null
  return { status: 'valid' as const, email: link.email, step, org_name: link.org_name, invited_by }
}

/** The invited owner becomes the admin. */
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
  if (password !== undefined) await requireGoodPassword(password, { ...account, email: link.email })
  const firstPassword =
    account.is_proved || password === undefined
      ? []
      : [
          ...proveMailbox(db, account.id, scene.now),
          updateRows(db, users, eq(users.id, account.id), { password_hash: await hashPassword(password) }),
        ]
  const write = await readyLogs(db, [link.org_id], scene)
  await accept(db, { link, account, besides: firstPassword, write }, scene.now)
}

export async function acceptListed(db: Db, { user_id, id }: { user_id: number; id: number }, scene: Scene) {
  const [{ link, account }, write] = await beside(getListed(db, { user_id, id }, scene.now), readyLog(db, id, scene))
  await accept(db, { link, account, besides: [], write }, scene.now)
}

export async function declineListed(db: Db, { user_id, id }: { user_id: number; id: number }, scene: Scene) {
  const [{ link }, write] = await beside(getListed(db, { user_id, id }, scene.now), readyLog(db, id, scene))
  const { org_id, email } = link
  const entry = { org_id, actor_id: null, actor: email, action: 'member.decline' as const, target: email }
  await register(() => write([usedStatement(db, link, scene.now)], [entry]))
}

const readyLog = (db: Db, id: number, scene: Scene) =>
  readyLogs(db, [sql`(SELECT org_id FROM links WHERE id = ${id})`], scene)

async function getListed(db: Db, { user_id, id }: { user_id: number; id: number }, now: Date) {
  const { token_hash, data } = links
  const found = await db
    .select({
      link: { token_hash, org_id: sql<number>`${orgs.id}`.as('org_id'), data },
      account: { id: users.id, username: users.username },
      sent_to: sql<string>`${links.email}`.as('sent_to'),
      email: sql<string>`lower(${users.email})`.as('email'),
    })
    .from(links)
    .innerJoin(users, and(mayBeSame(links.email, users.email), isNotNull(users.email_verified_at)))
    .innerJoin(orgs, and(eq(orgs.id, links.org_id), eq(orgs.is_active, true)))
    .where(and(eq(links.id, id), eq(users.id, user_id), isNewLink('invitation', now)))
    .get()
  if (!found || !isSameMailbox(found)) throw notFound('Invitation')
  const { link, account, email } = found
  return { link: { ...link, email }, account: { ...account, is_proved: true } }
}

type Acceptance = {
  link: Invitation
  account: Account
  besides: D1PreparedStatement[]
  write: Awaited<ReturnType<typeof readyLogs>>
}

async function accept(db: Db, { link, account, besides, write }: Acceptance, now: Date) {
  const statements = [
    usedStatement(db, link, now),
    ...besides,
    ...endProviderAccess(db, { user_id: account.id, org_id: link.org_id }, now),
    ...membershipStatements(db, link),
  ]
  await register(() => write(statements, [joined(link, account.id, account.username)]))
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
  const member = sqlStatement(db)`INSERT INTO members(org_id, user_id, is_admin, manage_metadata)
      SELECT ${org_id}, id, ${Number(isOwner)}, TRUE FROM users WHERE lower(email) = ${email} ON CONFLICT DO NOTHING`
  if (!isOwner) return [member]
  return [
    member,
    updateRows(db, orgs, eq(orgs.id, org_id), {
      owner_id: sql`(SELECT ${users.id} FROM ${users} WHERE lower(${users.email}) = ${email})`,
    }),
    updateRows(db, alertSettings, and(eq(alertSettings.org_id, org_id), eq(alertSettings.alerts_emails, '[]')), {
      alerts_emails: JSON.stringify([email]),
    }),
  ]
}

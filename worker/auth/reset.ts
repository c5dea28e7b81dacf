import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import { pick } from '../db/columns'
import type { Db } from '../db/open'
import { deleteRows, updateRows } from '../db/statement'
import type { Env } from '../env'
import type { Client } from '../http/route'
import { orTooManyMails } from '../mail/allowance'
import { queueMail } from '../mail/outbox'
import { hashToken, newToken } from './keys'
import { proveMailbox } from './mailbox'
import { linkGone, mailedLinkStatements, takeLink, voidLinks } from './links'
import { audited } from './audit'
import { requireGoodPassword } from './password/good-password'
import { hashPassword } from './password/password'
import { findFirstOrg } from './queries'
import { lostPasswordNotice, passwordChange, securityNotice } from './security-notice'
import { revokeAll } from './sessions'
import { findSpelling } from './spelling'
import { apiTokens, challenges, links, passkeys, users } from '../schema/auth'
import { mails } from '../schema/mail'
import { beginTry, removeWaits, knowPlace, requestKeys, throttled } from './throttle'

type Asked = { email: string; client: Client }

/** An unknown address costs the same reads and writes; its mail is taken back. */
export async function sendReset(env: Env, db: Db, { email: typed, client }: Asked, now: Date) {
  const email = await findSpelling(db, typed)
  const isOwner = and(eq(sql`lower(${users.email})`, email), eq(users.is_active, true))
  const user_id = sql`(SELECT ${users.id} FROM ${users} WHERE ${isOwner})`
  const [attempt, user] = await Promise.all([
    beginTry(db, requestKeys(client), now, { user_id, ip: client.ip }),
    db.select({ id: users.id, username: users.username }).from(users).where(isOwner).get(),
  ])
  if (attempt.isStopped) throw throttled(attempt)
  const isUnknown = user ? sql`FALSE` : sql`TRUE`
  const token = newToken()
  const asked = { kind: 'reset' as const, hash: await hashToken(token), email, user_id: user?.id ?? null }
  const link = { ...asked, ip: client.ip, apart: attempt.isKnownPlace ? ' at a known place' : '' }
  const statements = [
    ...(await mailedLinkStatements(
      db,
      link,
      await lostPasswordNotice(env, { to: email, username: user?.username ?? '', token }),
      now,
    )),
    deleteRows(
      db,
      mails,
      and(isUnknown, eq(mails.to, email), eq(mails.kind, 'reset'), gt(sql`instr(${mails.text}, ${token})`, 0)),
    ),
    deleteRows(db, links, and(isUnknown, eq(links.kind, 'reset'), isNull(links.user_id))),
  ]
  await db.$client.batch(statements).catch(orTooManyMails)
  await env.DELIVERIES.send({ reason: 'due' })
}

type Reset = { token: string; password: string; keep_access: boolean; client: Client }

/** All sessions end and, without `keep_access`, passkeys and tokens; the second factor stays. */
export async function resetPassword(env: Env, db: Db, { token, password, keep_access, client }: Reset, now: Date) {
  await refusePoor(db, token, password)
  const { user_id } = await takeLink(db, 'reset', token, now)
  const password_hash = await hashPassword(password)
  const user = await getOwner(db, user_id)
  const notice = await securityNotice(env, { ...passwordChange, to: user.email, username: user.username })
  const statements = [
    ...proveMailbox(db, user_id, now),
    ...(keep_access ? [] : endAccess(db, user_id)),
    updateRows(db, users, eq(users.id, user_id), { password_hash }),
    revokeAll(db, { user_id, why: 'password' }, now),
    voidLinks(db, user_id, now),
    deleteRows(db, challenges, eq(challenges.user_id, user_id)),
    ...(await removeWaits(db, user_id)),
    knowPlace(db, { user_id, client }, now),
    queueMail(db, { org_id: null, ...notice }, now),
  ]
  const org = await findFirstOrg(db, user_id)
  const entry = { actor_id: user_id, actor: user.username, action: 'user.reset' as const, target: user.username }
  if (org) await audited(db, statements, { ...entry, org_id: org.id, detail: { keep_access } }, { env, client, now })
  else await db.$client.batch(statements)
  await env.DELIVERIES.send({ reason: 'due' })
}

const endAccess = (db: Db, user_id: number) =>
  [passkeys, apiTokens].map((table) => deleteRows(db, table, eq(table.user_id, user_id)))

// Before the link is used up: it stands for another try.
async function refusePoor(db: Db, token: string, password: string) {
  const link = await db
    .select({ user_id: links.user_id })
    .from(links)
    .where(and(eq(links.token_hash, await hashToken(token)), eq(links.kind, 'reset')))
    .get()
  if (link?.user_id) await requireGoodPassword(password, await getOwner(db, link.user_id))
}

async function getOwner(db: Db, user_id: number) {
  const user = await db
    .select(pick(users, 'email', 'username', 'first_name', 'last_name'))
    .from(users)
    .where(eq(users.id, user_id))
    .get()
  if (!user) throw linkGone()
  return user
}

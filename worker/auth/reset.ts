import type { Db } from '../db/open'
import type { Env } from '../env'
import type { Client } from '../http/route'
import { queueMail } from '../mail/outbox'
import { hashToken, newToken } from './keys'
import { proveMailbox } from './mailbox'
import { linkGone, mailedLinkStatements, takeLink, voidLinks } from './links'
import { audited } from './audit'
import { requireGoodPassword } from './good-password'
import { hashPassword } from './password'
import { findFirstOrg } from './queries'
import { lostPasswordNotice, passwordChanged } from './security-notice'
import { revokeAll } from './sessions'
import { beginTry, forgetAccount, knowPlace, requestKeys, throttled } from './throttle'

/** An unknown address costs the same reads and writes; its mail is taken back. */
export async function sendReset(env: Env, db: Db, { email, client }: { email: string; client: Client }, now: Date) {
  const attempt = await beginTry(db, requestKeys(client), now)
  if (attempt.isStopped) throw throttled(attempt)
  const user = await db.$client
    .prepare('SELECT id, username FROM users WHERE lower(email) = ?1 AND is_active = 1')
    .bind(email)
    .first<{ id: number; username: string }>()
  const token = newToken()
  const link = { kind: 'reset' as const, hash: await hashToken(token), email, user_id: user?.id ?? null }
  const isUnknown = Number(user === null)
  await db.$client.batch([
    ...(await mailedLinkStatements(
      db,
      link,
      await lostPasswordNotice(env, { to: email, username: user?.username ?? '', token }),
      now,
    )),
    db.$client
      .prepare(`DELETE FROM mails WHERE "to" = ?1 AND kind = 'reset' AND instr(text, ?3) > 0 AND ?2 = 1`)
      .bind(email, isUnknown, token),
    db.$client.prepare("DELETE FROM links WHERE kind = 'reset' AND user_id IS NULL AND ?1 = 1").bind(isUnknown),
  ])
  await env.DELIVERIES.send({ reason: 'due' })
}

type Reset = { token: string; password: string; keep_access: boolean; client: Client }

/** All sessions end and, without `keep_access`, passkeys and tokens; the second factor stays. */
export async function resetPassword(env: Env, db: Db, { token, password, keep_access, client }: Reset, now: Date) {
  await refusePoor(db, token, password)
  const { user_id } = await takeLink(db, 'reset', token, now)
  const password_hash = await hashPassword(password)
  const user = await getOwner(db, user_id)
  const statements = [
    ...proveMailbox(db, user_id, now),
    ...(keep_access ? [] : endAccess(db, user_id)),
    db.$client.prepare('UPDATE users SET password_hash = ?2 WHERE id = ?1').bind(user_id, password_hash),
    revokeAll(db, { user_id, why: 'password' }, now),
    voidLinks(db, user_id, now),
    db.$client.prepare('DELETE FROM challenges WHERE user_id = ?1').bind(user_id),
    ...(await forgetAccount(db, user_id)),
    knowPlace(db, { user_id, client }, now),
    queueMail(db, await passwordChanged(env, user), now),
  ]
  const org = await findFirstOrg(db, user_id)
  const entry = { actor_id: user_id, actor: user.username, action: 'user.reset' as const, target: user.username }
  if (org) await audited(db, statements, { ...entry, org_id: org.id, detail: { keep_access } }, { env, client, now })
  else await db.$client.batch(statements)
  await env.DELIVERIES.send({ reason: 'due' })
}

const endAccess = (db: Db, user_id: number) =>
  ['passkeys', 'api_tokens'].map((table) => db.$client.prepare(`DELETE FROM ${table} WHERE user_id = ?1`).bind(user_id))

// Before the link is used up: it stands for another try.
async function refusePoor(db: Db, token: string, password: string) {
  const link = await db.$client
    .prepare("SELECT user_id FROM links WHERE token_hash = ?1 AND kind = 'reset' AND user_id IS NOT NULL")
    .bind(await hashToken(token))
    .first<{ user_id: number }>()
  if (link) requireGoodPassword(password, await getOwner(db, link.user_id))
}

type Named = { email: string; username: string; first_name: string; last_name: string }

async function getOwner(db: Db, user_id: number) {
  const user = await db.$client
    .prepare('SELECT email, username, first_name, last_name FROM users WHERE id = ?1')
    .bind(user_id)
    .first<Named>()
  if (!user) throw linkGone()
  return user
}

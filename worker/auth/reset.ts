import type { Db } from '../db/open'
import type { Env } from '../env'
import type { Client } from '../http/route'
import { notice } from '../mail/notice'
import { queueMail } from '../mail/outbox'
import { hashOf, newToken } from './keys'
import { proveMailbox } from './mailbox'
import { newLinkStatements, takeLink, voidLinks } from './links'
import { hashPassword } from './password'
import { passwordChanged } from './security-notice'
import { revokeAll } from './sessions'
import { beginTry, forgetAccount, requestKeys, throttled } from './throttle'

/** Mails a link for a new password. An unknown address costs the same reads and writes, and its mail is taken back. */
export async function sendReset(env: Env, db: Db, { email, client }: { email: string; client: Client }, now: Date) {
  const attempt = await beginTry(db, requestKeys(await hashOf(email), client), now)
  if (attempt.isStopped) throw throttled(attempt)
  const user = await db.$client
    .prepare('SELECT id FROM users WHERE lower(email) = ?1 AND is_active = 1')
    .bind(email)
    .first<{ id: number }>()
  await db.$client.batch([
    ...(await resetStatements(env, db, { user_id: user?.id ?? null, email }, now)),
    db.$client.prepare('DELETE FROM mails WHERE id = last_insert_rowid() AND ?1 = 0').bind(user?.id ?? 0),
    db.$client.prepare("DELETE FROM links WHERE kind = 'reset' AND user_id IS NULL AND ?1 = 0").bind(user?.id ?? 0),
  ])
  await env.DELIVERIES.send({ reason: 'due' })
}

/** The link and its mail, for a batch; kick the deliveries after it. */
export async function resetStatements(
  env: Env,
  db: Db,
  { user_id, email }: { user_id: number | null; email: string },
  now: Date,
) {
  const token = newToken()
  const mail = await notice({
    to: email,
    kind: 'reset',
    title: 'Set a new password',
    paragraphs: [
      'Somebody, probably you, asked for a new password for your account.',
      'The link works once, within an hour. If you did not ask for it, there is nothing to do.',
    ],
    action: { label: 'Set a new password', url: `${env.APP_URL}/newpassword?token=${token}` },
    footer: 'You receive this because this address belongs to an account.',
  })
  return [
    ...newLinkStatements(db, { kind: 'reset', hash: await hashOf(token), email, user_id }, now),
    queueMail(db, mail, now),
  ]
}

/** Sets a password by a link: all sessions end, the second factor stays. */
export async function resetPassword(
  env: Env,
  db: Db,
  { token, password }: { token: string; password: string },
  now: Date,
) {
  const { user_id } = await takeLink(db, 'reset', token, now)
  const password_hash = await hashPassword(password)
  const user = await db.$client
    .prepare('SELECT email, username FROM users WHERE id = ?1')
    .bind(user_id)
    .first<{ email: string; username: string }>()
  if (!user) return
  await db.$client.batch([
    ...proveMailbox(db, user_id, now),
    db.$client.prepare('UPDATE users SET password_hash = ?2 WHERE id = ?1').bind(user_id, password_hash),
    revokeAll(db, { user_id, why: 'password' }, now),
    voidLinks(db, user_id, now),
    db.$client.prepare('DELETE FROM challenges WHERE user_id = ?1').bind(user_id),
    forgetAccount(db, user_id),
    queueMail(db, await passwordChanged(env, user), now),
  ])
  await env.DELIVERIES.send({ reason: 'due' })
}

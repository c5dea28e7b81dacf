import { getDataKey, sign } from '../auth/data-keys'
import { hashToken } from '../auth/keys'
import { beginTry, requestKeys, throttled } from '../auth/throttle'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import type { RequestScope } from '../http/route'
import { allowStatement } from '../mail/allowance'
import { queueAllowed } from '../mail/outbox'
import { alreadySubscribedNotice, confirmSubscriptionNotice } from './newsletter-mails'

/** A request that nobody confirms is forgotten after so many days. */
const confirmDays = 7
const daySeconds = 86_400
const [mailsPerDay, mailPause_s] = [5, 600]

type Outside = Pick<RequestScope, 'env' | 'client' | 'now'>

/** Answer and work are the same for a known address, because only its owner may learn that it is known. */
export async function subscribe(db: Db, email: string, { env, client, now }: Outside) {
  const attempt = await beginTry(db, requestKeys(client), now)
  if (attempt.isStopped) throw throttled(attempt)

  const token = await newsletterToken(env, db, email)
  const known = await db.$client
    .prepare(`SELECT 1 FROM subscribers WHERE email = ?1 AND state = 'confirmed'`)
    .bind(email)
    .first()
  const mail = { to: email, token, days: confirmDays }
  const [confirm, already] = [await confirmSubscriptionNotice(env, mail), await alreadySubscribedNotice(env, mail)]
  await db.$client.batch([
    db.$client
      .prepare(
        `INSERT INTO subscribers(email, token_hash, state, created_at) VALUES (?1, ?2, 'pending', ?3)
         ON CONFLICT(email) DO UPDATE SET token_hash = ?2, state = 'pending', created_at = ?3 WHERE state <> 'confirmed'`,
      )
      .bind(email, await hashToken(token), stamp(now)),
    allowStatement(db, { key: `newsletter ${await hashToken(email)}`, limit: mailsPerDay, pause_s: mailPause_s }, now),
    queueAllowed(db, known ? already : confirm, now),
  ])
  await env.DELIVERIES.send({ reason: 'due' })
}

export async function confirmSubscription(db: Db, token: string, now: Date) {
  const subscriber = await db.$client
    .prepare(
      `UPDATE subscribers SET state = 'confirmed', confirmed_at = coalesce(confirmed_at, ?2)
       WHERE token_hash = ?1 AND (state = 'confirmed' OR (state = 'pending' AND created_at > ?3)) RETURNING id`,
    )
    .bind(await hashToken(token), stamp(now), confirmedSince(now))
    .first()
  return subscriber !== null
}

export async function unsubscribe(db: Db, token: string) {
  const subscriber = await db.$client
    .prepare(`UPDATE subscribers SET state = 'unsubscribed', confirmed_at = NULL WHERE token_hash = ?1 RETURNING id`)
    .bind(await hashToken(token))
    .first()
  return subscriber !== null
}

/** An address that its owner never confirmed is not ours to keep. */
export const forgetUnconfirmed = (db: Db, now: Date) =>
  db.$client
    .prepare(`DELETE FROM subscribers WHERE state = 'pending' AND created_at <= ?1`)
    .bind(confirmedSince(now))
    .run()

const confirmedSince = (now: Date) => stamp(plusSeconds(now, -confirmDays * daySeconds))

/** The same in every mail, whatever secret is in force, so that an old link still unsubscribes. */
export const newsletterToken = async (env: Env, db: Db, email: string) =>
  sign(await getDataKey(env, db, 'newsletter'), email)

import { and, eq, gt, lte, ne, or, sql } from 'drizzle-orm'
import { getDataKey, sign } from '../auth/data-keys'
import { hashToken } from '../auth/keys'
import { beginTry, requestKeys, throttled } from '../auth/throttle'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { plusDays, stamp } from '../db/time'
import { mailboxName } from '../domain/people/mailbox'
import type { Env } from '../env'
import type { RequestScope } from '../http/route'
import { allowStatement, orTooManyMails, spendOfForm } from '../mail/allowance'
import { queueAllowed } from '../mail/outbox'
import { subscribers } from '../schema/alerts'
import { alreadySubscribedNotice, confirmSubscriptionNotice } from './mails'

/** A request that nobody confirms is forgotten after so many days. */
const confirmDays = 7
const [mailsPerDay, mailPause_s] = [5, 600]

type Outside = Pick<RequestScope, 'env' | 'client' | 'now'>

/** Answer and work are the same for a known address, because only its owner may learn that it is known. */
export async function subscribe(db: Db, email: string, { env, client, now }: Outside) {
  const isKnown = and(eq(subscribers.email, email), eq(subscribers.state, 'confirmed'))
  const [attempt, token, known] = await Promise.all([
    beginTry(db, requestKeys(client), now),
    newsletterToken(env, db, email),
    db.select({ id: subscribers.id }).from(subscribers).where(isKnown).get(),
  ])
  if (attempt.isStopped) throw throttled(attempt)

  const mail = { to: email, token, days: confirmDays }
  const [confirm, already] = [await confirmSubscriptionNotice(env, mail), await alreadySubscribedNotice(env, mail)]
  const pending = { token_hash: await hashToken(token), state: 'pending', created_at: stamp(now) } as const
  const statements = [
    statement(
      db,
      db
        .insert(subscribers)
        .values({ email, ...pending })
        .onConflictDoUpdate({ target: subscribers.email, set: pending, setWhere: ne(subscribers.state, 'confirmed') }),
    ),
    allowStatement(
      db,
      { key: `newsletter ${await hashToken(mailboxName(email))}`, limit: mailsPerDay, pause_s: mailPause_s },
      now,
    ),
    ...spendOfForm(db, 'newsletter', client.ip, now),
    queueAllowed(db, { org_id: null, ...(known ? already : confirm) }, now),
  ]
  await db.$client.batch(statements).catch(orTooManyMails)
  await env.DELIVERIES.send({ reason: 'due' })
}

export async function confirmSubscription(db: Db, token: string, now: Date) {
  const { token_hash, state, created_at, confirmed_at } = subscribers
  const isAsked = and(eq(state, 'pending'), gt(created_at, confirmedSince(now)))
  const confirmed = await db
    .update(subscribers)
    .set({ state: 'confirmed', confirmed_at: sql`coalesce(${confirmed_at}, ${stamp(now)})` })
    .where(and(eq(token_hash, await hashToken(token)), or(eq(state, 'confirmed'), isAsked)))
    .returning({ id: subscribers.id })
  return confirmed.length > 0
}

export async function unsubscribe(db: Db, token: string) {
  const gone = await db
    .update(subscribers)
    .set({ state: 'unsubscribed', confirmed_at: null })
    .where(eq(subscribers.token_hash, await hashToken(token)))
    .returning({ id: subscribers.id })
  return gone.length > 0
}

/** An address that its owner never confirmed is not ours to keep. */
export const removeUnconfirmed = (db: Db, now: Date) =>
  db
    .delete(subscribers)
    .where(and(eq(subscribers.state, 'pending'), lte(subscribers.created_at, confirmedSince(now))))
    .run()

const confirmedSince = (now: Date) => stamp(plusDays(now, -confirmDays))

/** The same in every mail, whatever secret is in force, so that an old link still unsubscribes. */
export const newsletterToken = async (env: Env, db: Db, email: string) =>
  sign(await getDataKey(env, db, 'newsletter'), email)

import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import { openTransport } from './transport'

/** Minutes until the next attempt; after the last one a delivery is given up, and stays readable. */
export const retryMinutes = [1, 5, 15, 60, 240, 720] as const
const batchSize = 10
const leaseSeconds = 300

export type Notice = { to: string; kind: string; subject: string; html: string; text: string }

/** The row that makes a mail certain: put it in the batch of what it tells of, then kick the deliveries queue. */
export const queueMail = (db: Db, { to, kind, subject, html, text }: Notice, now: Date) =>
  db.$client
    .prepare(
      `INSERT INTO mails("to", kind, subject, html, text, status, next_attempt_at, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, 'pending', ?6, ?6)`,
    )
    .bind(to, kind, subject, html, text, stamp(now))

type Claimed = { id: number; to: string; subject: string; html: string; text: string; attempts: number }

/** Sends what is due, a batch at a time. Its text is erased once sent: it may carry a link that signs somebody in. */
export async function sendDueMails(env: Env, db: Db, clock: () => Date) {
  const claimed = await claim(db, clock())
  if (!claimed.length) return 0
  const transport = openTransport(env)
  const host = new URL(env.APP_URL).hostname
  try {
    for (const { id, attempts, ...mail } of claimed) {
      try {
        const message_id = `<mail-${id}@${host}>`
        await transport.send({
          ...mail,
          from: env.MAIL_FROM,
          message_id,
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
        await recordSent(db, id, clock())
      } catch (error) {
        await recordFailed(db, { id, attempts }, error instanceof Error ? error.message : String(error), clock())
      }
    }
  } finally {
    await transport.close()
  }
  if (claimed.length === batchSize) await env.DELIVERIES.send({ reason: 'due' })
  return claimed.length
}

async function claim(db: Db, now: Date) {
  const { results } = await db.$client
    .prepare(
      `UPDATE mails SET status = 'sending', attempts = attempts + 1, lease_until = ?2 WHERE id IN (
         SELECT id FROM mails WHERE status = 'pending' AND next_attempt_at <= ?1
         UNION ALL SELECT id FROM mails WHERE status = 'sending' AND lease_until < ?1
         LIMIT ${batchSize}
       ) RETURNING id, "to", subject, html, text, attempts`,
    )
    .bind(stamp(now), stamp(plusSeconds(now, leaseSeconds)))
    .all<Claimed>()
  return results
}

const recordSent = (db: Db, id: number, now: Date) =>
  db.$client
    .prepare(
      `UPDATE mails SET status = 'sent', sent_at = ?2, lease_until = NULL, last_error = NULL, html = '', text = '' WHERE id = ?1`,
    )
    .bind(id, stamp(now))
    .run()

async function recordFailed(db: Db, { id, attempts }: { id: number; attempts: number }, error: string, now: Date) {
  const minutes = retryMinutes[attempts - 1]
  await db.$client
    .prepare('UPDATE mails SET status = ?2, lease_until = NULL, last_error = ?3, next_attempt_at = ?4 WHERE id = ?1')
    .bind(
      id,
      minutes === undefined ? 'dead' : 'pending',
      error.slice(0, 1000),
      stamp(plusSeconds(now, (minutes ?? 0) * 60)),
    )
    .run()
}

/** Whether a mail is due, for the clock. */
export const isMailDue = async (db: Db, now: Date) =>
  (await db.$client
    .prepare(
      `SELECT 1 AS due WHERE EXISTS (SELECT 1 FROM mails WHERE status = 'pending' AND next_attempt_at <= ?1)
       OR EXISTS (SELECT 1 FROM mails WHERE status = 'sending' AND lease_until < ?1)`,
    )
    .bind(stamp(now))
    .first()) !== null

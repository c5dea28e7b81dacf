import { batchSize, claimDue, recordFailed, recordSent } from '../db/leased'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { Env } from '../env'
import { openTransport } from './transport'

export type Notice = {
  to: string
  kind: string
  subject: string
  html: string
  text: string
  /** More than every mail has. */
  headers?: Record<string, string>
}

/** The row that makes a mail certain: put it in the batch of what it tells of, then kick the deliveries queue. */
export const queueMail = (db: Db, { to, kind, subject, html, text, headers = {} }: Notice, now: Date) =>
  db.$client
    .prepare(
      `INSERT INTO mails("to", kind, subject, html, text, headers, status, next_attempt_at, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?7, 'pending', ?6, ?6)`,
    )
    .bind(to, kind, subject, html, text, stamp(now), JSON.stringify(headers))

type Claimed = Pick<Notice, 'to' | 'subject' | 'html' | 'text'> & { id: number; attempts: number; headers: string }

const always = { 'Auto-Submitted': 'auto-generated' }

/** Sends what is due, a batch at a time. Its text is erased once sent: it may carry a link that signs somebody in. */
export async function sendDueMails(env: Env, db: Db, clock: () => Date) {
  const claimed = await claimDue<Claimed>(db, 'mails', 'id, "to", subject, html, text, headers, attempts', clock())
  if (!claimed.length) return 0

  const transport = openTransport(env)
  const host = new URL(env.APP_URL).hostname
  try {
    for (const { id, attempts, headers: more, ...mail } of claimed) {
      try {
        const headers = { ...always, ...(JSON.parse(more) as Record<string, string>) }
        await transport.send({ ...mail, from: env.MAIL_FROM, message_id: `<mail-${id}@${host}>`, headers })
        await recordSent(db, 'mails', id, clock())
        await db.$client.prepare(`UPDATE mails SET html = '', text = '', headers = '{}' WHERE id = ?1`).bind(id).run()
      } catch (error) {
        await recordFailed(db, 'mails', { id, attempts, error }, clock())
      }
    }
  } finally {
    await transport.close()
  }
  if (claimed.length === batchSize) await env.DELIVERIES.send({ reason: 'due' })
  return claimed.length
}

import { z } from 'zod'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { Env } from '../env'
import { sendDue } from './drive'

export type Notice = {
  to: string
  kind: string
  subject: string
  html: string
  text: string
  /** More than every mail has. */
  headers?: Record<string, string>
}

/** Put it in the batch of what it tells of, then kick the deliveries queue. */
export const queueMail = (db: Db, { to, kind, subject, html, text, headers = {} }: Notice, now: Date) =>
  db.$client
    .prepare(
      `INSERT INTO mails("to", kind, subject, html, text, headers, status, next_attempt_at, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?7, 'pending', ?6, ?6)`,
    )
    .bind(to, kind, subject, html, text, stamp(now), JSON.stringify(headers))

/** For a mail that anybody may ask for: written only when the statement before it changed a row. */
export const queueAllowed = (db: Db, { to, kind, subject, html, text, headers = {} }: Notice, now: Date) =>
  db.$client
    .prepare(
      `INSERT INTO mails("to", kind, subject, html, text, headers, status, next_attempt_at, created_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?7, 'pending', ?6, ?6 WHERE changes() = 1`,
    )
    .bind(to, kind, subject, html, text, stamp(now), JSON.stringify(headers))

const lookAgain_ms = 1_500

type Claimed = Pick<Notice, 'to' | 'subject' | 'html' | 'text'> & { id: number; attempts: number; headers: string }

const Headers = z.record(z.string(), z.string())
const always = { 'Auto-Submitted': 'auto-generated' }

/** Erases a mail's text once it is sent: it may carry a link that signs somebody in. */
export function sendDueMails(env: Env, db: Db, clock: () => Date) {
  const host = new URL(env.APP_URL).hostname
  return sendDue<Claimed>(
    env,
    db,
    {
      table: 'mails',
      columns: 'id, "to", subject, html, text, headers, attempts',
      compose: async ({ id, to, subject, html, text, headers }) => ({
        to,
        subject,
        html,
        text,
        from: env.MAIL_FROM,
        message_id: `<mail-${id}@${host}>`,
        headers: { ...always, ...Headers.parse(JSON.parse(headers)) },
      }),
      sent: ({ id }) =>
        db.$client.prepare(`UPDATE mails SET html = '', text = '', headers = '{}' WHERE id = ?1`).bind(id).run(),
    },
    clock,
  )
}

/** The work may wait long for others; these mails do not wait with it. */
export async function sendMailsDuring(env: Env, db: Db, work: Promise<unknown>, clock: () => Date) {
  const ended = Promise.allSettled([work])
  try {
    for (let isLast = false; ; isLast = await Promise.race([ended.then(() => true), pause(lookAgain_ms)])) {
      await sendDueMails(env, db, clock)
      if (isLast) break
    }
  } finally {
    await ended
  }
  await work
}

const pause = (ms: number) => new Promise<false>((resolve) => setTimeout(() => resolve(false), ms))

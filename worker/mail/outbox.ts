import { eq, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import type { Env } from '../env'
import { mails } from '../schema/mail'
import { isSpent, sendDue } from './drive'

export type Notice = {
  to: string
  kind: string
  subject: string
  html: string
  text: string
  /** Beside those of every mail. */
  headers?: Record<string, string>
}

/** With the organization that it tells of. */
type Owned = Notice & { org_id: number | null }

/** Put it in the batch of what it tells of, then kick the deliveries queue; it leaves at `due`. */
export function queueMail(db: Db, { headers = {}, ...notice }: Owned, now: Date, due = now) {
  return statement(
    db,
    db.insert(mails).values({
      ...notice,
      headers: JSON.stringify(headers),
      status: 'pending',
      next_attempt_at: stamp(due),
      created_at: stamp(now),
    }),
  )
}

/** For a mail that anybody may ask for: written only when the statement before it changed a row; it leaves at `due`. */
export function queueAllowed(db: Db, mail: Owned, now: Date, due = now) {
  const { org_id, to, kind, subject, html, text, headers = {} } = mail
  const at = stamp(now)
  return statement(
    db,
    sql`INSERT INTO mails(org_id, "to", kind, subject, html, text, headers, status, next_attempt_at, created_at)
      SELECT ${org_id}, ${to}, ${kind}, ${subject}, ${html}, ${text}, ${JSON.stringify(headers)}, 'pending', ${stamp(due)}, ${at}
      WHERE changes() = 1`,
  )
}

const lookAgain_ms = 1_500

type Claimed = Omit<Owned, 'headers'> & { id: number; attempts: number; headers: string }

export type GivenUp = Pick<Claimed, 'id' | 'org_id' | 'to' | 'kind'> & { message: string }
/** `givenUp` hears of mails that nobody tries any more. */
type Sending = { clock: () => Date; givenUp: (mail: GivenUp, now: Date) => Promise<unknown> }

const Headers = z.record(z.string(), z.string())
const always = { 'Auto-Submitted': 'auto-generated' }

/** Erases a mail's text once it is sent: it may carry a link that signs somebody in. */
function sendDueMails(env: Env, db: Db, { clock, givenUp }: Sending) {
  const host = new URL(env.APP_URL).hostname
  return sendDue<Claimed>(
    env,
    db,
    {
      table: 'mails',
      columns: sql`id, org_id, "to", kind, subject, html, text, headers, attempts`,
      send: async ({ id, to, subject, html, text, headers }, transport) =>
        transport.send({
          to,
          subject,
          html,
          text,
          from: env.MAIL_FROM,
          message_id: `<mail-${id}@${host}>`,
          headers: { ...always, ...Headers.parse(JSON.parse(headers)) },
        }),
      givenUp: ({ id, org_id, to, kind }, message) => givenUp({ id, org_id, to, kind, message }, clock()),
      sent: async ({ id }) => db.update(mails).set({ html: '', text: '', headers: '{}' }).where(eq(mails.id, id)),
    },
    clock,
  )
}

/** The work may wait long for other receivers; mails do not wait with it. */
export async function sendMailsDuring(env: Env, db: Db, work: Promise<unknown>, sending: Sending) {
  const ended = Promise.allSettled([work])
  try {
    for (let isLast = false; ; isLast = await Promise.race([ended.then(() => true), pause(lookAgain_ms)])) {
      if (isSpent(db)) {
        await env.DELIVERIES.send({ reason: 'due' })
        break
      }
      await sendDueMails(env, db, sending)
      if (isLast) break
    }
  } finally {
    await ended
  }
  await work
}

const pause = (ms: number) => new Promise<false>((resolve) => setTimeout(() => resolve(false), ms))

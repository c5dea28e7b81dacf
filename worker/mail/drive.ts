import type { SQL } from 'drizzle-orm'
import { errorText } from '../db/error-text'
import { batchSize, beginWithinMs, claimDue, recordFailed, recordSent, recordUntried, tryTimeoutMs } from '../db/leases'
import type { Leased } from '../db/leases'
import type { Db } from '../db/open'
import type { Env } from '../env'
import { mailRetryMinutes } from './refusal'
import { openTransport } from './transport'
import type { Transport } from './transport'

type Claimed = { id: number; attempts: number }
type Queue<Row> = {
  table: Leased
  columns: SQL
  send: (row: Row, transport: Transport) => Promise<unknown>
  sent?: (row: Row) => Promise<unknown>
  givenUp?: (row: Row, message: string) => Promise<unknown>
}

/** An invocation may ask D1 a thousand times, and sends mails, alerts and summaries: after so many queries it takes no more, and the next one goes on. */
export const isSpent = (db: Db) => db.meter.queries > 250

const recordTries = 4
const recordPauseMs = 250

export async function sendDue<Row extends Claimed>(env: Env, db: Db, queue: Queue<Row>, clock: () => Date) {
  const { table, columns, send, sent, givenUp } = queue
  const began = Date.now()
  const claimed = await claimDue<Row>(db, table, columns, clock())
  if (!claimed.length) return 0

  const transport = openTransport(env)
  try {
    for (const [at, row] of claimed.entries()) {
      if (Date.now() - began > beginWithinMs) {
        await recordUntried(db, table, claimed.slice(at))
        break
      }
      try {
        await sendWithin(() => send(row, transport))
      } catch (error) {
        const message = errorText(error)
        const failed = { id: row.id, attempts: row.attempts, error, retries: mailRetryMinutes(message) }
        if (await recordFailed(db, table, failed, clock())) await givenUp?.(row, message)
        continue
      }
      // It is sent. If recording that fails, we retry only the record, so that nothing is sent twice.
      await insist(() => recordSent(db, table, row.id, clock()))
      await sent?.(row)
    }
  } finally {
    await transport.close()
  }
  if (claimed.length === batchSize) await env.DELIVERIES.send({ reason: 'due' })
  return claimed.length
}

/** Gives up waiting after a time, so that a receiver that hangs does not hold up the next one. */
export async function sendWithin<Sent>(send: () => Promise<Sent>) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The server took too long')), tryTimeoutMs)
  })
  try {
    return await Promise.race([send(), late])
  } finally {
    clearTimeout(timer)
  }
}

export async function insist<Recorded>(record: () => Promise<Recorded>) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await record()
    } catch (error) {
      if (attempt === recordTries) throw error
      await new Promise((resolve) => setTimeout(resolve, recordPauseMs * attempt))
    }
  }
}

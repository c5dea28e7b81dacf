import type { SQL } from 'drizzle-orm'
import { errorText } from '../db/error-text'
import { batchSize, beginWithinMs, claimDue, recordFailed, recordSent, recordUntried, tryTimeoutMs } from '../db/leases'
import type { Leased } from '../db/leases'
import type { Db } from '../db/open'
import type { Env } from '../env'
import { mailRetryMinutes } from './refusal'
import { openTransport, type Transport } from './transport'

type Claimed = { id: number; attempts: number }
type Queue<Row> = {
  table: Leased
  columns: SQL
  send: (row: Row, transport: Transport) => Promise<unknown>
  /** Rows of different lanes are sent at once: a receiver that hangs holds up its own. One lane without it. */
  lane?: (row: Row) => number
  sent?: (row: Row) => Promise<unknown>
  givenUp?: (row: Row, message: string) => Promise<unknown>
}

/** An invocation may ask D1 a thousand times, and sends mails, alerts and summaries: after so many queries it takes no more, and the next one goes on. */
export const isSpent = (db: Db) => db.meter.queries > 250

/** Six connections may be open at once. */
const lanesAtOnce = 5
const recordTries = 4
const recordPauseMs = 250

export async function sendDue<Row extends Claimed>(env: Env, db: Db, queue: Queue<Row>, clock: () => Date) {
  const began = Date.now()
  const claimed = await claimDue<Row>(db, queue.table, queue.columns, clock())
  // Those that were tried before may hang again.
  const rows = claimed.toSorted((a, b) => a.attempts - b.attempts)
  const waiting = [...Map.groupBy(rows, (row) => queue.lane?.(row)).values()]
  const work = async () => {
    for (let lane = waiting.shift(); lane; lane = waiting.shift())
      await sendLane(env, db, queue, { rows: lane, began, clock })
  }
  const ended = await Promise.allSettled(Array.from({ length: lanesAtOnce }, work))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  if (claimed.length === batchSize) await env.DELIVERIES.send({ reason: 'due' })
  return claimed.length
}

type Lane<Row> = { rows: Row[]; began: number; clock: () => Date }

async function sendLane<Row extends Claimed>(
  env: Env,
  db: Db,
  { table, send, sent, givenUp }: Queue<Row>,
  { rows, began, clock }: Lane<Row>,
) {
  const transport = openTransport(env)
  try {
    for (const [at, row] of rows.entries()) {
      if (Date.now() - began > beginWithinMs) {
        await recordUntried(db, table, rows.slice(at))
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

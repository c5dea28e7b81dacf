import { batchSize, claimDue, recordFailed, recordSent, tryTimeoutMs } from '../db/leased'
import type { Db } from '../db/open'
import type { Env } from '../env'
import type { Message } from './message'
import { openTransport } from './transport'
import type { Transport } from './transport'

type Claimed = { id: number; attempts: number }
type Queue<Row> = {
  table: 'deliveries' | 'mails'
  columns: string
  compose: (row: Row) => Promise<Message>
  sent?: (row: Row) => Promise<unknown>
}

const recordTries = 4
const recordPauseMs = 250

/** Sends what is due, a batch at a time; a mail that cannot be sent is tried again later. Answers how many were taken. */
export async function sendDue<Row extends Claimed>(env: Env, db: Db, queue: Queue<Row>, clock: () => Date) {
  const { table, columns, compose, sent } = queue
  const claimed = await claimDue<Row>(db, table, columns, clock())
  if (!claimed.length) return 0

  const transport = openTransport(env)
  try {
    for (const row of claimed) {
      try {
        await sendWithin(transport, await compose(row))
      } catch (error) {
        await recordFailed(db, table, { id: row.id, attempts: row.attempts, error }, clock())
        continue
      }
      // It is sent: a record that fails must not send it again, so it is tried on its own.
      await insist(() => recordSent(db, table, row.id, clock()))
      await sent?.(row)
    }
  } finally {
    await transport.close()
  }
  if (claimed.length === batchSize) await env.DELIVERIES.send({ reason: 'due' })
  return claimed.length
}

async function sendWithin(transport: Transport, message: Message) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The mail server took too long')), tryTimeoutMs)
  })
  try {
    await Promise.race([transport.send(message), late])
  } finally {
    clearTimeout(timer)
  }
}

async function insist(record: () => Promise<unknown>) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await record()
    } catch (error) {
      if (attempt === recordTries) throw error
      await new Promise((resolve) => setTimeout(resolve, recordPauseMs * attempt))
    }
  }
}

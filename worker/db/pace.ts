import { sql } from 'drizzle-orm'
import type { Db } from './open'
import { areReaders, countAnswered, pause, sawReader } from './readers'

// The database runs one statement at a time: a reader waits for the batch that is being written, from whichever
// isolate. So while somebody reads, background work writes small pieces and pauses as long after each.

/** Records per write while somebody reads: `first` at the beginning, then as many as the database writes within `ms`. */
const piece = { first: 15, min: 10, max: 60, ms: 12 }

/** Records the reader in the database when several come within seconds, so that steps in other isolates see it. */
export async function noteReader(db: Db) {
  if (!countAnswered()) return
  await db.run(sql`
    UPDATE counters SET value = ${Date.now()}
    WHERE name = 'read_at_ms' AND EXISTS (SELECT 1 FROM feeds WHERE state = 'running')`)
}

/** `next` waits for its turn and answers how many records may be written at once. */
export function paceFor(db: Db) {
  let records = piece.first
  let last = { count: 0, before_ms: 0 }
  return {
    isShared: areReaders,
    async next(left: number) {
      const [read] = await db.all<{ value: number }>(sql`SELECT value FROM counters WHERE name = 'read_at_ms'`)
      sawReader(read?.value ?? 0)
      if (!areReaders()) return left
      if (last.count) {
        const took_ms = Math.max(db.meter.duration_ms - last.before_ms, 1)
        records = Math.min(Math.max(Math.round((last.count * piece.ms) / took_ms), piece.min), piece.max)
        await pause(Math.min(took_ms, 2 * piece.ms))
      }
      last = { count: Math.min(records, left), before_ms: db.meter.duration_ms }
      return last.count
    },
  }
}

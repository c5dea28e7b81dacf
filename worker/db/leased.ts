import type { Db } from './open'
import { plusSeconds, stamp } from './time'

/** The table of what must be sent: each row is taken under a lease, and tried again until it is sent or given up. */
type Leased = 'mails'

/** Minutes until the next attempt; after the last one a row is given up, and stays readable. */
export const retryMinutes = [1, 5, 15, 60, 240, 720] as const
export const batchSize = 10
/** A limit for one try and for a batch of them: only a worker that died lets a lease run out. */
export const tryTimeoutMs = 60_000
const leaseSeconds = (batchSize * tryTimeoutMs) / 1000 + 120

const due = (table: Leased | 'deliveries') =>
  `SELECT id FROM ${table} WHERE status = 'pending' AND next_attempt_at <= ?1
   UNION ALL SELECT id FROM ${table} WHERE status = 'sending' AND lease_until < ?1`

/** Nobody else gets the rows while the lease lasts; a lost lease counts as a try. */
export async function claimDue<Row>(db: Db, table: Leased, columns: string, now: Date) {
  const [, claimed] = await db.$client.batch<Row>([
    db.$client
      .prepare(
        `UPDATE ${table} SET status = 'dead', lease_until = NULL, last_error = 'The worker ended while it was sent'
         WHERE status = 'sending' AND lease_until < ?1 AND attempts > ${retryMinutes.length}`,
      )
      .bind(stamp(now)),
    db.$client
      .prepare(
        `UPDATE ${table} SET status = 'sending', attempts = attempts + 1, lease_until = ?2
         WHERE id IN (${due(table)} LIMIT ${batchSize}) RETURNING ${columns}`,
      )
      .bind(stamp(now), stamp(plusSeconds(now, leaseSeconds))),
  ])
  return claimed?.results ?? []
}

export async function isAnyDue(db: Db, table: Leased | 'deliveries', now: Date) {
  const row = await db.$client
    .prepare(`SELECT 1 AS due WHERE EXISTS (${due(table)})`)
    .bind(stamp(now))
    .first()
  return row !== null
}

export const recordSent = (db: Db, table: Leased, id: number, now: Date) =>
  db.$client
    .prepare(`UPDATE ${table} SET status = 'sent', sent_at = ?2, lease_until = NULL, last_error = NULL WHERE id = ?1`)
    .bind(id, stamp(now))
    .run()

export async function recordFailed(
  db: Db,
  table: Leased,
  { id, attempts, error }: { id: number; attempts: number; error: unknown },
  now: Date,
) {
  const minutes = retryMinutes[attempts - 1]
  const reason = error instanceof Error ? error.message : String(error)
  await db.$client
    .prepare(`UPDATE ${table} SET status = ?2, lease_until = NULL, last_error = ?3, next_attempt_at = ?4 WHERE id = ?1`)
    .bind(
      id,
      minutes === undefined ? 'dead' : 'pending',
      reason.slice(0, 1000),
      stamp(plusSeconds(now, (minutes ?? 0) * 60)),
    )
    .run()
}

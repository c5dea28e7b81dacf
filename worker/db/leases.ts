import { sql, type SQL } from 'drizzle-orm'
import { errorText } from './error-text'
import type { Db } from './open'
import { sqlStatement } from './statement'
import { plusSeconds, stamp } from './time'
import { pairsTable } from './values'

/** A table of things to send. A worker takes rows under a lease and tries each until it is sent or given up. */
export type Leased = 'mails' | 'summaries'

/** Minutes until the next attempt, over a weekend on which no mail leaves; after the last one a row is given up, and stays readable. */
export const retryMinutes = [1, 5, 15, 60, 240, 720, 1_440, 1_440, 1_440] as const
export const batchSize = 10
/** A try begins only so long after its row was taken, and ends within its time: only a worker that died lets a lease run out. */
export const beginWithinMs = 20_000
export const tryTimeoutMs = 60_000
const leaseSeconds = (beginWithinMs + tryTimeoutMs) / 1000 + 40

const due = (table: Leased | 'deliveries', now: Date) => sql`
  SELECT id FROM ${sql.identifier(table)} WHERE status = 'pending' AND next_attempt_at <= ${stamp(now)}
  UNION ALL SELECT id FROM ${sql.identifier(table)} WHERE status = 'sending' AND lease_until < ${stamp(now)}`

/** Half of a batch are the rows that waited longest, half the newest ones: the mail of a new password waits behind no thousand reports. */
const chosenMails = (now: Date) => sql`
  SELECT id FROM (${due('mails', now)} LIMIT ${batchSize / 2})
  UNION SELECT id FROM (SELECT id FROM mails WHERE status = 'pending' AND next_attempt_at <= ${stamp(now)}
    ORDER BY next_attempt_at DESC, id DESC LIMIT ${batchSize / 2})`

/**
 * Organizations take turns: those of one that hang stand before nobody. Leaps find the first row of each, and both ends of the backlog fill
 * the batch, as a long one takes too long to sort.
 */
function chosenInTurns(now: Date) {
  const waiting = sql`summaries s WHERE (s.status = 'pending' AND s.next_attempt_at <= ${stamp(now)} OR s.status = 'sending' AND s.lease_until < ${stamp(now)})`
  return sql`
    WITH RECURSIVE leap(id, orgs) AS (SELECT 0, ',' UNION ALL SELECT s.id, leap.orgs || s.org_id || ',' FROM leap CROSS JOIN summaries s ON s.id = (
      SELECT s.id FROM ${waiting} AND s.id > leap.id AND instr(leap.orgs, ',' || s.org_id || ',') = 0 ORDER BY s.id LIMIT 1) LIMIT ${batchSize + 1})
    SELECT id FROM summaries WHERE id IN (SELECT id FROM leap
      UNION SELECT id FROM (SELECT s.id FROM ${waiting} ORDER BY s.id LIMIT ${batchSize})
      UNION SELECT id FROM (SELECT s.id FROM ${waiting} ORDER BY s.id DESC LIMIT ${batchSize}))
    ORDER BY row_number() OVER (PARTITION BY org_id ORDER BY next_attempt_at, id), next_attempt_at LIMIT ${batchSize}`
}

/** Nobody else gets the rows while the lease lasts; a lost lease counts as a try. */
export async function claimDue<Row>(db: Db, table: Leased, columns: SQL, now: Date) {
  const until = stamp(plusSeconds(now, leaseSeconds))
  const [, claimed] = await db.$client.batch<Row>([
    sqlStatement(db)`UPDATE ${sql.identifier(table)}
        SET status = 'dead', lease_until = NULL, last_error = 'The worker ended while it was sent'
        WHERE status = 'sending' AND lease_until < ${stamp(now)} AND attempts > ${retryMinutes.length}`,
    sqlStatement(db)`UPDATE ${sql.identifier(table)}
        SET status = 'sending', attempts = attempts + 1, lease_until = ${until}
        WHERE id IN (${table === 'mails' ? chosenMails(now) : chosenInTurns(now)}) RETURNING ${columns}`,
  ])
  return claimed?.results ?? []
}

export async function isAnyDue(db: Db, table: Leased | 'deliveries', now: Date) {
  const found = await db.all(sql`SELECT 1 WHERE EXISTS (${due(table, now)})`)
  return found.length > 0
}

/** Each taking counts a try: with another number somebody else has taken the row since, and it is no longer ours to put back. */
type Taken = { id: number; attempts: number }

/** Rows that were taken and not tried. */
export const recordUntried = (db: Db, table: Leased, taken: Taken[]) =>
  db.run(sql`
    UPDATE ${sql.identifier(table)} SET status = 'pending', attempts = attempts - 1, lease_until = NULL
    WHERE status = 'sending' AND (id, attempts) IN ${pairsTable(taken.map(({ id, attempts }) => [id, attempts]))}`)

export const recordSent = (db: Db, table: Leased, id: number, now: Date) =>
  db.run(sql`
    UPDATE ${sql.identifier(table)} SET status = 'sent', sent_at = ${stamp(now)}, lease_until = NULL, last_error = NULL
    WHERE id = ${id}`)

/** Whether it is given up. */
export async function recordFailed(
  db: Db,
  table: Leased,
  { id, attempts, error, retries = retryMinutes }: Taken & { error: unknown; retries?: readonly number[] },
  now: Date,
) {
  const minutes = retries[attempts - 1]
  const status = minutes === undefined ? 'dead' : 'pending'
  const reason = errorText(error)
  await db.run(sql`
    UPDATE ${sql.identifier(table)} SET status = ${status}, lease_until = NULL, last_error = ${reason.slice(0, 1000)},
      next_attempt_at = ${stamp(plusSeconds(now, (minutes ?? 0) * 60))}
    WHERE id = ${id} AND status = 'sending' AND attempts = ${attempts}`)
  return status === 'dead'
}

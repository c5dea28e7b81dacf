import { eq } from 'drizzle-orm'
import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { FeedMessage } from '../../env'
import type { Skip } from '../source/skip'
import { feeds } from '../../schema/feeds'

/** Another worker may take over a step that gave no sign of life for so long; steps give one every few seconds. */
const leaseSeconds = 30
export const heartbeatSeconds = 8
/** The clock sends another message after this time. */
export const messageSeconds = 30

export type Claim = FeedMessage & { claim: number }

export async function claimStep(db: Db, { feed_id, run_id, step }: FeedMessage, now: Date) {
  const claim = crypto.getRandomValues(new Uint32Array(1))[0] ?? 1
  const row = await db.$client
    .prepare(
      `UPDATE feeds SET claim = ?4, lease_until = ?5 WHERE id = ?1 AND run_id = ?2 AND step = ?3 AND state = 'running'
       AND (lease_until IS NULL OR lease_until < ?6) RETURNING cursor, failures`,
    )
    .bind(feed_id, run_id, step, claim, leaseUntil(now), stamp(now))
    .first<{ cursor: string | null; failures: number }>()
  return (
    row && {
      claim: { feed_id, run_id, step, claim },
      cursor: row.cursor === null ? null : (JSON.parse(row.cursor) as unknown),
      failures: row.failures,
    }
  )
}

const leaseUntil = (now: Date) => stamp(plusSeconds(now, leaseSeconds))

// A step whose claim was taken over must not write: NULL breaks NOT NULL and with it the whole batch.
const held = 'claim = case when claim = ?2 then claim end'

export function progress(
  db: Db,
  { feed_id, run_id, claim }: Claim,
  { cursor, read, skipped, now }: { cursor: unknown; read: number; skipped: Skip[]; now: Date },
) {
  const at = stamp(now)
  const prepare = (sql: string, ...values: unknown[]) => db.$client.prepare(sql).bind(...values)
  return [
    prepare(
      `UPDATE feeds SET ${held}, cursor = ?3, lease_until = ?4 WHERE id = ?1`,
      feed_id,
      claim,
      JSON.stringify(cursor),
      leaseUntil(now),
    ),
    prepare(
      'UPDATE feed_runs SET records = records + ?2, skipped = skipped + ?3 WHERE id = ?1',
      run_id,
      read,
      skipped.length,
    ),
    ...bulk(
      db,
      `INSERT INTO feed_skips(feed_id, run_id, record_id, reason, body, at)
       SELECT ?2, ?3, value->>'record_id', value->>'reason', value->>'body', ?4 FROM jsonb_each(?1)
       WHERE TRUE ON CONFLICT DO UPDATE SET run_id = excluded.run_id, reason = excluded.reason, body = excluded.body, at = excluded.at`,
      skipped,
      feed_id,
      run_id,
      at,
    ),
  ]
}

export const stillHeld = (db: Db, { feed_id, claim }: Claim) =>
  db.$client.prepare(`UPDATE feeds SET ${held} WHERE id = ?1`).bind(feed_id, claim)

export const renewLease = (db: Db, { feed_id, claim }: Claim, now: Date) =>
  db.$client
    .prepare('UPDATE feeds SET lease_until = ?3 WHERE id = ?1 AND claim = ?2 AND lease_until IS NOT NULL')
    .bind(feed_id, claim, leaseUntil(now))
    .run()

export async function releaseStep(db: Db, { feed_id, run_id, claim, step }: Claim, cursor: unknown, due: Date) {
  await db.$client.batch([
    db.$client
      .prepare(`UPDATE feeds SET ${held}, cursor = ?3, lease_until = NULL, step = ?4, due_at = ?5 WHERE id = ?1`)
      .bind(feed_id, claim, JSON.stringify(cursor), step + 1, stamp(due)),
    noteStep(db, run_id),
  ])
}

/** Counts a step of the run, with the rows that the invocation wrote so far, and ends the run with its last step. */
const noteStep = (db: Db, run_id: number, finished_at: string | null = null, error: string | null = null) =>
  db.$client
    .prepare(
      'UPDATE feed_runs SET steps = steps + 1, rows_written = rows_written + ?2, finished_at = ?3, error = ?4 WHERE id = ?1',
    )
    .bind(run_id, db.meter.rows_written, finished_at, error)

export const never = '9999-12-31T00:00:00Z'

export async function finishRun(
  db: Db,
  { feed_id, run_id, claim }: Claim,
  { cursor, next_run }: { cursor: unknown; next_run: Date | null },
  now: Date,
) {
  const at = stamp(now)
  await db.$client.batch([
    db.$client
      .prepare(
        `UPDATE feeds SET ${held}, state = 'idle', cursor = ?3, lease_until = NULL, due_at = NULL, failures = 0, last_error = NULL,
         last_success = ?4, next_run_at = ?5 WHERE id = ?1`,
      )
      .bind(feed_id, claim, JSON.stringify(cursor), at, next_run ? stamp(next_run) : never),
    noteStep(db, run_id, at),
  ])
}

const firstRetrySeconds = 60
const lastRetrySeconds = 3_600

/** The cursor stays, so that the next run continues there. */
export async function failRun(
  db: Db,
  { feed_id, run_id, claim }: Claim,
  { error, retry_after_s }: { error: string; retry_after_s: number | null },
  now: Date,
) {
  const [feed] = await db.select({ failures: feeds.failures }).from(feeds).where(eq(feeds.id, feed_id))
  const failures = (feed?.failures ?? 0) + 1
  const backoff = Math.min(firstRetrySeconds * 2 ** (failures - 1), lastRetrySeconds)
  const next = stamp(plusSeconds(now, Math.max(retry_after_s ?? 0, backoff)))
  await db.$client.batch([
    db.$client
      .prepare(
        `UPDATE feeds SET ${held}, state = 'failed', lease_until = NULL, due_at = NULL, failures = ?3, last_error = ?4, next_run_at = ?5 WHERE id = ?1`,
      )
      .bind(feed_id, claim, failures, error, next),
    noteStep(db, run_id, stamp(now), error),
  ])
}

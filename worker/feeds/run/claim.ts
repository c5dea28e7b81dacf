import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { and, eq, isNotNull, isNull, lt, or, sql, type Column, type SQL } from 'drizzle-orm'
import { abort } from '../../db/guard'
import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import type { FeedMessage } from '../../env'
import type { Feed } from '../source/feed'
import type { Skip } from '../source/read-records'
import { feedRuns, feeds, isRereading } from '../../schema/feeds'

/** Another worker may take over a step that gave no sign of life for so long; steps give one every few seconds. */
const leaseSeconds = 30
export const heartbeatSeconds = 8
/** The clock sends another message after this time. */
export const messageSeconds = 30

export type Claim = FeedMessage & { claim: number }

/** Records that nobody has read by the rules of this `reading` are read anew, also before all are (run/drive). */
export async function claimStep(db: Db, { feed_id, run_id, step }: FeedMessage, reading: number, now: Date) {
  const claim = crypto.getRandomValues(new Uint32Array(1))[0] ?? 1
  const isFree = or(isNull(feeds.lease_until), lt(feeds.lease_until, stamp(now)))
  const row = await db
    .update(feeds)
    .set({ claim, lease_until: leaseUntil(now) })
    .where(and(isAtStep({ feed_id, run_id, step }), isFree))
    .returning({
      cursor: feeds.cursor,
      failures: feeds.failures,
      reread_since: sql<
        string | null
      >`iif(${isRereading}, ${feeds.reread_at}, iif(${feeds.reading} < ${reading}, ${feeds.last_success}, NULL))`,
    })
    .get()
  return (
    row && {
      claim: { feed_id, run_id, step, claim },
      cursor: row.cursor === null ? null : (JSON.parse(row.cursor) as unknown),
      failures: row.failures,
      reread_since: row.reread_since ?? undefined,
    }
  )
}

export const isAtStep = ({ feed_id, run_id, step }: FeedMessage) =>
  and(eq(feeds.id, feed_id), eq(feeds.run_id, run_id), eq(feeds.step, step), eq(feeds.state, 'running'))

const leaseUntil = (now: Date) => stamp(plusSeconds(now, leaseSeconds))

// A step whose claim was taken over must not write, nor one whose end is written: the answer to that may have been lost.
const held = ({ claim, step }: Claim) => ({
  claim: sql`CASE WHEN claim = ${claim} AND step = ${step} AND state = 'running' THEN claim ELSE ${abort('feed claim')} END`,
})

export function progress(
  db: Db,
  claim: Claim,
  { cursor, read, skipped, now }: { cursor: unknown; read: number; skipped: Skip[]; now: Date },
) {
  const { feed_id, run_id } = claim
  return [
    updateHeld(db, claim, { cursor: JSON.stringify(cursor), lease_until: leaseUntil(now) }),
    statement(
      db,
      db
        .update(feedRuns)
        .set({ records: sql`records + ${read}`, skipped: sql`skipped + ${skipped.length}` })
        .where(eq(feedRuns.id, run_id)),
    ),
    ...bulk(
      db,
      `INSERT INTO feed_skips(feed_id, run_id, record_id, reason, body, at)
       SELECT ?2, ?3, value->>'record_id', value->>'reason', value->>'body', ?4 FROM jsonb_each(?1)
       WHERE TRUE ON CONFLICT DO UPDATE SET run_id = excluded.run_id, reason = excluded.reason, body = excluded.body, at = excluded.at`,
      skipped,
      feed_id,
      run_id,
      stamp(now),
    ),
  ]
}

const updateHeld = (db: Db, claim: Claim, set: SQLiteUpdateSetSource<typeof feeds> = {}) =>
  statement(
    db,
    db
      .update(feeds)
      .set({ ...set, ...held(claim) })
      .where(eq(feeds.id, claim.feed_id)),
  )

export const stillHeld = (db: Db, claim: Claim) => updateHeld(db, claim)

export const renewLease = (db: Db, { feed_id, claim }: Claim, now: Date) =>
  db
    .update(feeds)
    .set({ lease_until: leaseUntil(now) })
    .where(and(eq(feeds.id, feed_id), eq(feeds.claim, claim), isNotNull(feeds.lease_until)))
    .run()

export async function releaseStep(db: Db, claim: Claim, cursor: unknown, due: Date) {
  const next = { cursor: JSON.stringify(cursor), lease_until: null, step: claim.step + 1, due_at: stamp(due) }
  await db.$client.batch([updateHeld(db, claim, next), noteStep(db, claim)])
}

/** Counts a step of the run, with the rows that the invocation wrote so far, and ends the run with its last step. */
const noteStep = (db: Db, { run_id }: Claim, end: { finished_at?: string; error?: string } = {}) =>
  statement(
    db,
    db
      .update(feedRuns)
      .set({ ...end, steps: sql`steps + 1`, rows_written: sql`rows_written + ${db.meter.rows_written}` })
      .where(eq(feedRuns.id, run_id)),
  )

export const never = '9999-12-31T00:00:00Z'
/** The clock looks each minute: a run that took some seconds must not wait for the look after the one it was meant for. */
const earlySeconds = 30

/** When a feed that has just ended its work is due again. */
export const planRun = ({ every_minutes }: Feed, now: Date) =>
  every_minutes === null ? never : stamp(plusSeconds(now, every_minutes * 60 - earlySeconds))

const ended = { lease_until: null, due_at: null }

export async function finishRun(
  db: Db,
  claim: Claim,
  { cursor, newest, next_run_at }: { cursor: unknown; newest: string | undefined; next_run_at: string },
  now: Date,
) {
  const success = {
    ...ended,
    state: 'idle' as const,
    cursor: JSON.stringify(cursor),
    failures: 0,
    last_error: null,
    last_success: stamp(now),
    newest_at: readNewest(newest, now) ?? noteNews(claim, now),
    ...noteMassEdit(claim, now),
    reread_count: sql`iif(${isRereading}, ${changedByRules(claim)}, ${feeds.reread_count})`,
    next_run_at,
  }
  await db.$client.batch([updateHeld(db, claim, success), noteStep(db, claim, { finished_at: stamp(now) })])
}

/** No source has anything from tomorrow. */
function readNewest(newest: string | undefined, now: Date) {
  const at = new Date(newest ?? '')
  return Number.isNaN(at.getTime()) ? null : stamp(at < now ? at : now)
}

const noteNews = ({ run_id }: Claim, now: Date) => sql<string>`CASE
  WHEN newest_at IS NULL OR (SELECT r.changed FROM feed_runs r WHERE r.id = ${run_id}) > 0 THEN ${stamp(now)}
  ELSE newest_at END`

/** A run that failed went on in another one. */
const changedByRules = ({ feed_id }: Claim) =>
  sql`(SELECT sum(r.rewritten) FROM feed_runs r WHERE r.feed_id = ${feed_id} AND r.started_at >= ${feeds.reread_at})`

/** A run is a mass edit when so many records, and this share of what it changed, are no news. */
const massEdit = { records: 200, share: 0.8 }

function noteMassEdit({ run_id }: Claim, now: Date) {
  const ifMass = (value: SQL, old: Column) => sql`coalesce((SELECT ${value} FROM feed_runs r WHERE r.id = ${run_id}
    AND NOT ${isRereading} AND r.rewritten >= ${massEdit.records} AND r.rewritten >= r.changed * ${massEdit.share}), ${old})`
  return {
    mass_edit_at: ifMass(sql`${stamp(now)}`, feeds.mass_edit_at),
    mass_edit_count: ifMass(sql`r.rewritten`, feeds.mass_edit_count),
  }
}

const firstRetrySeconds = 60
const lastRetrySeconds = 3_600

/** After 1, 2, 4 … 60 minutes, and not before the source said. */
export function planRetry(failed: number, retry_after_s: number | null, now: Date) {
  const backoff = Math.min(firstRetrySeconds * 2 ** failed, lastRetrySeconds)
  return { failures: failed + 1, next_run_at: stamp(plusSeconds(now, Math.max(retry_after_s ?? 0, backoff))) }
}

/** The cursor stays, so that the next run continues there. */
export async function failRun(
  db: Db,
  claim: Claim,
  { error, retry_after_s }: { error: string; retry_after_s: number | null },
  now: Date,
) {
  const [feed] = await db.select({ failures: feeds.failures }).from(feeds).where(eq(feeds.id, claim.feed_id))
  const retry = planRetry(feed?.failures ?? 0, retry_after_s, now)
  const failure = { ...ended, ...retry, state: 'failed' as const, last_error: error }
  await db.$client.batch([updateHeld(db, claim, failure), noteStep(db, claim, { finished_at: stamp(now), error })])
}

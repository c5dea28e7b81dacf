import { and, isNotNull, lte, ne, sql, eq } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import type { Env, FeedMessage } from '../../env'
import { feeds } from '../../schema/feeds'
import type { Feed } from '../source/feed'
import { messageSeconds, never } from './claim'
import { feedsOn } from './registry'

export async function driveFeeds(env: Env, db: Db, now: Date) {
  await ensureFeeds(env, db, now).run()
  await beginReread(env, db, now)
  const due = await db
    .select({ id: feeds.id, next_run_at: feeds.next_run_at, hasCursor: isNotNull(feeds.cursor).mapWith(Boolean) })
    .from(feeds)
    .where(and(ne(feeds.state, 'running'), lte(feeds.next_run_at, stamp(now))))
  const on = new Map(feedsOn(env).map((feed) => [feed.id, feed]))
  for (const { id, next_run_at, hasCursor } of due) {
    if (hasCursor && on.get(id)?.watch) await env.FEEDS.send({ feed_id: id, due: next_run_at })
    else if (on.has(id)) await startRun(env, db, id, now)
  }
  await redrive(env, db, now)
}

export const startRun = (env: Env, db: Db, feed_id: string, now: Date) =>
  startRuns(env, db, [feed_id], { now, write: (all) => db.$client.batch(all) })

type Starting = { now: Date; write: (statements: D1PreparedStatement[]) => Promise<D1Result[]> }

/** Those that do not run yet, by one batch. */
export async function startRuns(env: Env, db: Db, feed_ids: string[], { now, write }: Starting) {
  const begin = feed_ids.map((id) => startStatements(db, id, now))
  const [, ...results] = await write([ensureFeeds(env, db, now), ...begin.flat()])
  for (const [at, feed_id] of feed_ids.entries()) {
    const [started] = (results[2 * at + 1]?.results ?? []) as { run_id: number }[]
    if (started) await env.FEEDS.send({ feed_id, run_id: started.run_id, step: 0 })
  }
}

function startStatements(db: Db, feed_id: string, now: Date) {
  return [
    statement(
      db,
      sql`INSERT INTO feed_runs(feed_id, started_at)
        SELECT id, ${stamp(now)} FROM feeds WHERE id = ${feed_id} AND state <> 'running'`,
    ),
    statement(
      db,
      sql`UPDATE feeds SET state = 'running', step = 0, lease_until = NULL,
          due_at = ${stamp(plusSeconds(now, messageSeconds))},
          run_id = (SELECT max(id) FROM feed_runs WHERE feed_id = ${feed_id})
        WHERE id = ${feed_id} AND state <> 'running' RETURNING run_id`,
    ),
  ]
}

// Messages get lost and workers die: the row tells what should be running.
export async function redrive(env: Env, db: Db, now: Date) {
  const messages = await db.all<FeedMessage>(sql`
    UPDATE feeds SET due_at = ${stamp(plusSeconds(now, messageSeconds))} WHERE state = 'running'
      AND due_at <= ${stamp(now)} AND (lease_until IS NULL OR lease_until < ${stamp(now)})
    RETURNING id AS feed_id, run_id, step`)
  for (const message of messages) await env.FEEDS.send(message)
}

function ensureFeeds(env: Env, db: Db, now: Date) {
  const rows = feedsOn(env).map(({ id, every_minutes, reading }) => [
    id,
    every_minutes === null ? never : stamp(now),
    reading,
  ])
  return statement(
    db,
    sql`INSERT INTO feeds(id, state, next_run_at, reading)
      SELECT value->>0, 'idle', value->>1, value->>2 FROM json_each(${JSON.stringify(rows)}) WHERE TRUE ON CONFLICT DO NOTHING`,
  )
}

type Row = Pick<typeof feeds.$inferSelect, 'state' | 'last_success' | 'reread_at' | 'reread_count' | 'reading'>

/**
 * After an upgrade that reads records by other rules each source is read from its beginning once more, one at a time, and only
 * when it has just been up to date: records that it dates later are news (merge/plan-writes).
 */
async function beginReread(env: Env, db: Db, now: Date) {
  const { id, state, last_success, reread_at, reread_count, reading } = feeds
  const rows = await db.select({ id, state, last_success, reread_at, reread_count, reading }).from(feeds)
  if (rows.some((row) => isLoading(row) || isGoingOn(row))) return
  const byId = new Map(rows.map((row) => [row.id, row]))
  const feed = feedsOn(env).find((one) => isDue(one, byId.get(one.id), now))
  if (!feed) return
  await db
    .update(feeds)
    .set({ cursor: null, reading: feed.reading, reread_at: stamp(now), reread_count: null, next_run_at: stamp(now) })
    .where(and(eq(feeds.id, feed.id), ne(feeds.state, 'running')))
}

const isLoading = ({ state, last_success }: Row) => state === 'running' && last_success === null
const isGoingOn = ({ reread_at, reread_count }: Row) => reread_at !== null && reread_count === null

function isDue({ reading, every_minutes }: Feed, row: Row | undefined, now: Date) {
  if (!row || row.reading >= reading || row.state !== 'idle') return false
  if (every_minutes === null) return true
  return row.last_success !== null && row.last_success >= stamp(plusSeconds(now, -every_minutes * 60))
}

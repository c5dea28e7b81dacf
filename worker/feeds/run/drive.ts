import { and, isNotNull, lte, ne, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import type { Env, FeedMessage } from '../../env'
import { feeds } from '../../schema/feeds'
import { messageSeconds, never } from './claim'
import { beginReread } from './reread'
import { feedsOn } from './registry'

export async function driveFeeds(env: Env, db: Db, now: Date) {
  await ensureFeeds(env, db, now)
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

export async function startRun(env: Env, db: Db, feed_id: string, now: Date) {
  await ensureFeeds(env, db, now)
  const [run, started] = await db.$client.batch<{ id: number }>([
    statement(
      db,
      sql`INSERT INTO feed_runs(feed_id, started_at)
        SELECT id, ${stamp(now)} FROM feeds WHERE id = ${feed_id} AND state <> 'running' RETURNING id`,
    ),
    statement(
      db,
      sql`UPDATE feeds SET state = 'running', step = 0, lease_until = NULL,
          due_at = ${stamp(plusSeconds(now, messageSeconds))},
          run_id = (SELECT max(id) FROM feed_runs WHERE feed_id = ${feed_id})
        WHERE id = ${feed_id} AND state <> 'running' RETURNING run_id AS id`,
    ),
  ])
  const run_id = run?.results[0]?.id
  if (run_id === undefined || !started?.results.length) return false
  await env.FEEDS.send({ feed_id, run_id, step: 0 })
  return true
}

// Messages get lost and workers die: the row tells what should be running.
export async function redrive(env: Env, db: Db, now: Date) {
  const messages = await db.all<FeedMessage>(sql`
    UPDATE feeds SET due_at = ${stamp(plusSeconds(now, messageSeconds))} WHERE state = 'running'
      AND due_at <= ${stamp(now)} AND (lease_until IS NULL OR lease_until < ${stamp(now)})
    RETURNING id AS feed_id, run_id, step`)
  for (const message of messages) await env.FEEDS.send(message)
}

async function ensureFeeds(env: Env, db: Db, now: Date) {
  const rows = feedsOn(env).map(({ id, every_minutes, reading }) => [
    id,
    every_minutes === null ? never : stamp(now),
    reading,
  ])
  await db.run(sql`
    INSERT INTO feeds(id, state, next_run_at, reading)
    SELECT value->>0, 'idle', value->>1, value->>2 FROM json_each(${JSON.stringify(rows)}) WHERE TRUE ON CONFLICT DO NOTHING`)
}

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

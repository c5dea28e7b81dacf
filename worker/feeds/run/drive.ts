import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { Env, FeedMessage } from '../../env'
import { messageSeconds, never } from './claim'
import { feedsOn } from './registry'

export async function driveFeeds(env: Env, db: Db, now: Date) {
  await ensureFeeds(env, db, now)
  const { results } = await db.$client
    .prepare("SELECT id FROM feeds WHERE state <> 'running' AND next_run_at <= ?1")
    .bind(stamp(now))
    .all<{ id: string }>()
  const isOn = new Set(feedsOn(env).map(({ id }) => id))
  for (const { id } of results) if (isOn.has(id)) await startRun(env, db, id, now)
  await redrive(env, db, now)
}

export async function startRun(env: Env, db: Db, feed_id: string, now: Date) {
  await ensureFeeds(env, db, now)
  const [run, started] = await db.$client.batch<{ id: number }>([
    db.$client
      .prepare(
        "INSERT INTO feed_runs(feed_id, started_at) SELECT id, ?2 FROM feeds WHERE id = ?1 AND state <> 'running' RETURNING id",
      )
      .bind(feed_id, stamp(now)),
    db.$client
      .prepare(
        `UPDATE feeds SET state = 'running', step = 0, lease_until = NULL, due_at = ?2,
         run_id = (SELECT max(id) FROM feed_runs WHERE feed_id = ?1) WHERE id = ?1 AND state <> 'running' RETURNING run_id AS id`,
      )
      .bind(feed_id, stamp(plusSeconds(now, messageSeconds))),
  ])
  const run_id = run?.results[0]?.id
  if (run_id === undefined || !started?.results.length) return false
  await env.FEEDS.send({ feed_id, run_id, step: 0 })
  return true
}

// Messages get lost and workers die: the row tells what should be running.
async function redrive(env: Env, db: Db, now: Date) {
  const { results } = await db.$client
    .prepare(
      `UPDATE feeds SET due_at = ?2 WHERE state = 'running' AND due_at <= ?1 AND (lease_until IS NULL OR lease_until < ?1)
       RETURNING id AS feed_id, run_id, step`,
    )
    .bind(stamp(now), stamp(plusSeconds(now, messageSeconds)))
    .all<FeedMessage>()
  for (const message of results) await env.FEEDS.send(message)
}

async function ensureFeeds(env: Env, db: Db, now: Date) {
  const rows = feedsOn(env).map(({ id, every_minutes }) => [id, every_minutes === null ? never : stamp(now)])
  await db.$client
    .prepare(
      "INSERT INTO feeds(id, state, next_run_at) SELECT value->>0, 'idle', value->>1 FROM json_each(?1) WHERE TRUE ON CONFLICT DO NOTHING",
    )
    .bind(JSON.stringify(rows))
    .run()
}

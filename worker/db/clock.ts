import type { Db } from './open'
import { plusSeconds, stamp } from './time'

/** A success is written down again when the last word is older than this: a row a minute would be for nothing. */
const noteSeconds = 300
/** A job is late when it missed three of its times. */
const missed = 3

type Job = { name: string; every_s: number }

export const recordSuccess = (db: Db, { name, every_s }: Job, now: Date) =>
  db.$client
    .prepare(
      `INSERT INTO clock_jobs(name, every_s, last_success) VALUES (?1, ?2, ?3)
       ON CONFLICT(name) DO UPDATE SET every_s = ?2, last_success = ?3, failed_at = NULL, last_error = NULL
       WHERE failed_at IS NOT NULL OR last_success IS NULL OR last_success < ?4`,
    )
    .bind(name, every_s, stamp(now), stamp(plusSeconds(now, -noteSeconds)))
    .run()

export const recordFailure = (db: Db, { name, every_s }: Job, error: unknown, now: Date) =>
  db.$client
    .prepare(
      `INSERT INTO clock_jobs(name, every_s, failed_at, last_error) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT(name) DO UPDATE SET every_s = ?2, failed_at = coalesce(failed_at, ?3), last_error = ?4`,
    )
    .bind(name, every_s, stamp(now), (error instanceof Error ? error.message : String(error)).slice(0, 1000))
    .run()

/** A job that never ran is new, not late. */
export async function findLate(db: Db, now: Date) {
  const { results } = await db.$client
    .prepare(
      `SELECT name FROM clock_jobs
       WHERE unixepoch(?1) - unixepoch(coalesce(last_success, failed_at)) > every_s * ${missed} + ${noteSeconds} ORDER BY name`,
    )
    .bind(stamp(now))
    .all<{ name: string }>()
  return results.map(({ name }) => name)
}

export const recordDead = (db: Db, queue: string, bodies: unknown[], now: Date) =>
  db.$client.batch(
    bodies.map((body) =>
      db.$client
        .prepare('INSERT INTO dead_messages(queue, body, at) VALUES (?1, ?2, ?3)')
        .bind(queue, JSON.stringify(body).slice(0, 2000), stamp(now)),
    ),
  )

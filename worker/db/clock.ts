import { sql } from 'drizzle-orm'
import { errorText } from './error-text'
import type { Db } from './open'
import { sqlStatement } from './statement'
import { plusSeconds, stamp } from './time'

/** A success is recorded again only when the last record is older than this: nobody needs a row a minute. */
const noteSeconds = 300
/** A job is late when it missed three of its times. */
const missed = 3

type Job = { name: string; every_s: number }

export const recordSuccess = (db: Db, { name, every_s }: Job, now: Date) =>
  db.run(sql`
    INSERT INTO clock_jobs(name, every_s, last_success) VALUES (${name}, ${every_s}, ${stamp(now)})
    ON CONFLICT(name) DO UPDATE SET every_s = excluded.every_s, last_success = excluded.last_success, failed_at = NULL,
      last_error = NULL
    WHERE failed_at IS NOT NULL OR last_success IS NULL OR last_success < ${stamp(plusSeconds(now, -noteSeconds))}`)

export async function recordFailure(db: Db, { name, every_s }: Job, error: unknown, now: Date) {
  const reason = errorText(error).slice(0, 1000)
  await db.run(sql`
    INSERT INTO clock_jobs(name, every_s, failed_at, last_error) VALUES (${name}, ${every_s}, ${stamp(now)}, ${reason})
    ON CONFLICT(name) DO UPDATE SET every_s = excluded.every_s, failed_at = coalesce(failed_at, excluded.failed_at),
      last_error = excluded.last_error`)
}

/** A job that never ran is new, not late. */
export async function findLate(db: Db, now: Date) {
  const late = await db.all<{ name: string }>(sql`
    SELECT name FROM clock_jobs
    WHERE unixepoch(${stamp(now)}) - unixepoch(coalesce(last_success, failed_at)) > every_s * ${missed} + ${noteSeconds}
    ORDER BY name`)
  return late.map(({ name }) => name)
}

export const recordDead = (db: Db, queue: string, bodies: unknown[], now: Date) =>
  db.$client.batch(
    bodies.map(
      (body) =>
        sqlStatement(db)`INSERT INTO dead_messages(queue, body, at)
            VALUES (${queue}, ${JSON.stringify(body).slice(0, 2000)}, ${stamp(now)})`,
    ),
  )

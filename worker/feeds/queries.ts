import { eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import type { FeedInfo } from './contract'
import { feedsById, feedsOn } from './registry'
import { feedRuns, feeds } from './tables'

/** A feed is late when it has not succeeded for three of its intervals, and an hour at the least. */
const lateAfter = { intervals: 3, minutes: 60 }

export async function findFeeds(env: Env, db: Db, now: Date): Promise<FeedInfo[]> {
  const rows = await db
    .select({
      id: feeds.id,
      state: feeds.state,
      last_success: feeds.last_success,
      last_error: feeds.last_error,
      next_run_at: feeds.next_run_at,
      records: feedRuns.records,
      changed: feedRuns.changed,
      skipped: feedRuns.skipped,
      total: feedRuns.total,
      started_at: feedRuns.started_at,
      finished_at: feedRuns.finished_at,
    })
    .from(feeds)
    .leftJoin(feedRuns, eq(feedRuns.id, feeds.run_id))

  return feedsOn(env).map((id) => {
    const { name, every_minutes } = feedsById[id]
    const row = rows.find((one) => one.id === id)
    if (!row) return { id, name, ...neverRun }
    const { state, last_success, last_error, next_run_at, started_at, finished_at } = row
    const minutes = Math.max((every_minutes ?? 0) * lateAfter.intervals, lateAfter.minutes)
    const since = last_success ?? started_at
    return {
      id,
      name,
      state,
      records: row.records ?? 0,
      changed: row.changed ?? 0,
      skipped: row.skipped ?? 0,
      total: row.total,
      started_at,
      finished_at,
      last_success,
      last_error,
      next_run_at: state === 'running' || every_minutes === null ? null : next_run_at,
      is_late: every_minutes !== null && since !== null && since < stamp(plusSeconds(now, -minutes * 60)),
    }
  })
}

const neverRun = {
  state: 'idle' as const,
  records: 0,
  changed: 0,
  skipped: 0,
  total: null,
  started_at: null,
  finished_at: null,
  last_success: null,
  last_error: null,
  next_run_at: null,
  is_late: false,
}

import { and, count, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { Env } from '../../env'
import type { FeedInfo, RunsQuery, SkipsQuery } from '../contract'
import { pageOffset } from '../../http/page'
import { feedsOn } from './registry'
import { feedHoles, feedRuns, feeds, feedSkips, feedYears } from '../../schema/feeds'

/** A run is late when the feed has not succeeded for three of its intervals, and an hour at the least. */
const lateAfter = { intervals: 3, minutes: 60 }

/** For so long a feed tells of a mass edit, and of what our own rules changed. */
const toldDays = 7

export async function findFeeds(env: Env, db: Db, now: Date): Promise<FeedInfo[]> {
  const rows = await db
    .select({
      id: feeds.id,
      state: feeds.state,
      last_success: feeds.last_success,
      last_error: feeds.last_error,
      newest_at: feeds.newest_at,
      mass_edit_at: feeds.mass_edit_at,
      mass_edit_count: feeds.mass_edit_count,
      reread_at: feeds.reread_at,
      reread_count: feeds.reread_count,
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
  const completeness = await findCompleteness(db)

  // A feed that runs only on request appears after its first run.
  const hasRun = (id: string) => rows.some((row) => row.id === id && row.started_at !== null)
  const shown = feedsOn(env).filter(({ id, every_minutes }) => every_minutes !== null || hasRun(id))
  return shown.map(({ id, name, every_minutes, quiet_days }) => {
    const row = rows.find((one) => one.id === id)
    if (!row) return { id, name, ...neverRun, ...pickFeed(completeness, id) }
    const { state, last_success, last_error, newest_at, next_run_at, started_at, finished_at } = row
    const minutes = Math.max((every_minutes ?? 0) * lateAfter.intervals, lateAfter.minutes)
    const since = last_success ?? started_at
    const ago = (days: number) => stamp(plusSeconds(now, -days * 86_400))
    const is_stale = every_minutes !== null && quiet_days !== null && newest_at !== null && newest_at < ago(quiet_days)
    const isRunLate = every_minutes !== null && since !== null && since < ago(minutes / 1440)
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
      newest_at,
      ...readChanges(row, ago(toldDays)),
      is_stale,
      is_late: (is_stale && env.FEEDS_ARE_COPIED !== '1') || isRunLate,
      ...pickFeed(completeness, id),
    }
  })
}

type Changes = Pick<typeof feeds.$inferSelect, 'mass_edit_at' | 'mass_edit_count' | 'reread_at' | 'reread_count'>

/** Causes that changed many records without news. */
const readChanges = ({ mass_edit_at, mass_edit_count, reread_at, reread_count }: Changes, since: string) => ({
  mass_edit:
    mass_edit_at !== null && mass_edit_at >= since ? { at: mass_edit_at, records: mass_edit_count ?? 0 } : null,
  reread:
    reread_at !== null && (reread_count === null || reread_at >= since)
      ? { at: reread_at, records: reread_count }
      : null,
})

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
  newest_at: null,
  mass_edit: null,
  reread: null,
  next_run_at: null,
  is_stale: false,
  is_late: false,
}

/** We count holes and skipped records up to this number: the call is frequent, and higher numbers tell nothing new. */
const countedRows = 1_000
const shownReasons = 5

/** Totals by year, holes, and why records could not be read. */
async function findCompleteness(db: Db) {
  const recent = db
    .select({ feed_id: feedSkips.feed_id, reason: feedSkips.reason })
    .from(feedSkips)
    .orderBy(desc(feedSkips.id))
    .limit(countedRows)
    .as('recent')
  const queued = db.select({ feed_id: feedHoles.feed_id }).from(feedHoles).limit(countedRows).as('queued')
  const [years, holes, skips] = await db.batch([
    db.select().from(feedYears).orderBy(feedYears.feed_id, feedYears.year),
    db.select({ feed_id: queued.feed_id, count: count() }).from(queued).groupBy(queued.feed_id),
    db
      .select({ feed_id: recent.feed_id, reason: recent.reason, count: count() })
      .from(recent)
      .groupBy(recent.feed_id, recent.reason)
      .orderBy(sql`count(*) DESC`),
  ])
  return { years, holes, skips }
}

function pickFeed({ years, holes, skips }: Awaited<ReturnType<typeof findCompleteness>>, id: string) {
  const isOfFeed = ({ feed_id }: { feed_id: string }) => feed_id === id
  return {
    years: years.filter(isOfFeed).map(({ year, source_count, here_count }) => ({ year, source_count, here_count })),
    holes: holes.find(isOfFeed)?.count ?? 0,
    skips: skips
      .filter(isOfFeed)
      .slice(0, shownReasons)
      .map((row) => ({ reason: row.reason, count: row.count })),
  }
}

export async function findSkips(db: Db, { feed, sorted_by, ...page }: SkipsQuery) {
  const ofFeed = feed ? eq(feedSkips.feed_id, feed) : undefined
  const order = sorted_by === 'at' ? [feedSkips.at, feedSkips.id] : [desc(feedSkips.at), desc(feedSkips.id)]
  const [[total], results] = await db.batch([
    db.select({ count: count() }).from(feedSkips).where(ofFeed),
    db
      .select({
        id: feedSkips.id,
        feed: feedSkips.feed_id,
        record_id: feedSkips.record_id,
        reason: feedSkips.reason,
        body: feedSkips.body,
        at: feedSkips.at,
      })
      .from(feedSkips)
      .where(ofFeed)
      .orderBy(...order)
      .limit(page.limit)
      .offset(pageOffset(page)),
  ])
  return { count: total?.count ?? 0, results }
}

const runColumns = {
  id: feedRuns.id,
  feed: feedRuns.feed_id,
  started_at: feedRuns.started_at,
  finished_at: feedRuns.finished_at,
  steps: feedRuns.steps,
  records: feedRuns.records,
  changed: feedRuns.changed,
  skipped: feedRuns.skipped,
  rewritten: feedRuns.rewritten,
  total: feedRuns.total,
  error: feedRuns.error,
}

export const findRuns = (db: Db, { feed, limit }: RunsQuery) =>
  db
    .select(runColumns)
    .from(feedRuns)
    .where(feed ? eq(feedRuns.feed_id, feed) : undefined)
    .orderBy(desc(feedRuns.id))
    .limit(limit)

export async function findLastRun(db: Db) {
  const [row] = await db
    .select(runColumns)
    .from(feedRuns)
    .where(and(isNull(feedRuns.error), isNotNull(feedRuns.finished_at)))
    .orderBy(desc(feedRuns.id))
    .limit(1)
  return row
}

import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ownId, keyedTable } from '../db/columns'

export const feedStates = ['idle', 'running', 'failed'] as const

export const feeds = sqliteTable('feeds', {
  id: text().primaryKey(),
  state: text({ enum: feedStates }).notNull(),
  /** JSON, as the feed's own step understands it; null before the first run. */
  cursor: text(),
  run_id: integer(),
  /** Next step of the run; a message for another step is stale. */
  step: integer().notNull().default(0),
  /** Number of the worker of the step, and its end without a sign of life. */
  claim: integer().notNull().default(0),
  lease_until: text(),
  /** When a running feed that nobody works on is to be driven again. */
  due_at: text(),
  next_run_at: text().notNull(),
  failures: integer().notNull().default(0),
  last_success: text(),
  /** How old the newest content is: as the source says, else when it last changed anything here. */
  newest_at: text(),
  /** The last run in which the source rewrote many records without news, and how many. */
  mass_edit_at: text(),
  mass_edit_count: integer(),
  /** The `reading` of its definition by which its records were read; 0 in a database that is older than these numbers. */
  reading: integer().notNull().default(0),
  /** When the source was last begun to be read anew by other rules, and how many records they changed; null while it goes on. */
  reread_at: text(),
  reread_count: integer(),
  last_error: text(),
})

export const isRereading = sql`(${feeds.reread_at} IS NOT NULL AND ${feeds.reread_count} IS NULL)`

/** JSON of domain/scores/epss-models' SeenModel[]; null before the first file. */
export const seenEpssModels = sql<string | null>`(SELECT cursor ->> '$.models' FROM feeds WHERE id = 'epss')`

/** The day of the newest file of EPSS, YYYY-MM-DD; null before the first. */
export const newestEpssDay = sql<string | null>`(SELECT cursor ->> '$.score_date' FROM feeds WHERE id = 'epss')`

export const feedRuns = sqliteTable('feed_runs', {
  id: ownId(),
  feed_id: text()
    .notNull()
    .references(() => feeds.id),
  started_at: text().notNull(),
  finished_at: text(),
  steps: integer().notNull().default(0),
  /** Records read, changed and skipped so far. */
  records: integer().notNull().default(0),
  changed: integer().notNull().default(0),
  skipped: integer().notNull().default(0),
  /** Those of the changed ones that are no news: other dates, ids, links, order or wording, or scores of another model. */
  rewritten: integer().notNull().default(0),
  /** As D1 bills them: each index entry and each word of the search is one. */
  rows_written: integer().notNull().default(0),
  /** How many records the source says there are, when it says. */
  total: integer(),
  error: text(),
})

export const feedSkips = sqliteTable(
  'feed_skips',
  {
    id: ownId(),
    feed_id: text()
      .notNull()
      .references(() => feeds.id),
    run_id: integer().notNull(),
    record_id: text().notNull(),
    reason: text().notNull(),
    body: text().notNull(),
    at: text().notNull(),
  },
  (t) => [uniqueIndex('feed_skips_by_record').on(t.feed_id, t.record_id)],
)

export const feedYears = keyedTable('feed_years', ['feed_id', 'year'], {
  feed_id: text().notNull(),
  year: integer().notNull(),
  source_count: integer().notNull(),
  here_count: integer().notNull(),
  at: text().notNull(),
})

export const feedHoles = keyedTable('feed_holes', ['feed_id', 'record_id'], {
  feed_id: text().notNull(),
  record_id: text().notNull(),
  attempts: integer().notNull().default(0),
  next_attempt_at: text().notNull(),
  last_error: text(),
})

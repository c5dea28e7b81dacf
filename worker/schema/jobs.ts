import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ownId } from '../db/columns'

export const clockJobs = sqliteTable('clock_jobs', {
  name: text().primaryKey(),
  /** How often it should succeed, in seconds. */
  every_s: integer().notNull(),
  last_success: text(),
  failed_at: text(),
  last_error: text(),
})

/** Up to which key the rows of a table were looked at for old ones (`db/prune`), '' before the first; no row where all were. */
export const prunings = sqliteTable('prunings', { name: text().primaryKey(), after: text().notNull() })

/** Their work is driven again from its row, but somebody should know. */
export const deadMessages = sqliteTable('dead_messages', {
  id: ownId(),
  queue: text().notNull(),
  body: text().notNull(),
  at: text().notNull(),
})

/** Findings of outside probes on a day of the service. */
export const probeDays = sqliteTable('probe_days', {
  day: text().primaryKey(),
  /** Of each five minutes since midnight, UTC, as `markLook` writes them. */
  slots: text().notNull(),
})

/** How the service kept its objectives on a day (`domain/service/objectives`); nothing in it is of one organization. */
export const serviceDays = sqliteTable('service_days', {
  day: text().primaryKey(),
  /** Of five minutes each: from which on it was measured, the last one, and how many found no work late. */
  first_slot: integer().notNull(),
  slot: integer().notNull(),
  ready: integer().notNull(),
  is_ready: integer({ mode: 'boolean' }).notNull(),
  /** JSON of FeedDay, a list. */
  feeds: text().notNull(),
  /** Null until the next night, and where too few messages left to tell it. */
  alerts_p95_s: integer(),
  /** JSON of AlarmState after its last look. */
  alarm: text(),
  /** JSON of Work: what the isolates did on that day, in all. */
  work: text(),
})

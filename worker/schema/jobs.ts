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

/** Their work is driven again from its row, but somebody should know. */
export const deadMessages = sqliteTable('dead_messages', {
  id: ownId(),
  queue: text().notNull(),
  body: text().notNull(),
  at: text().notNull(),
})

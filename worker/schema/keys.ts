import { sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Keys that must outlive a secret: random, encrypted under the Worker's secret, sealed anew when that one rotates. */
export const dataKeys = sqliteTable('data_keys', {
  name: text({ enum: ['audit', 'newsletter'] }).primaryKey(),
  sealed: text().notNull(),
})

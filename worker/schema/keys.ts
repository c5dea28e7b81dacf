import { sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Random keys that outlive a secret: encrypted under it, sealed anew when it rotates. */
export const dataKeys = sqliteTable('data_keys', {
  name: text({ enum: ['audit', 'newsletter', 'alert_mails'] }).primaryKey(),
  sealed: text().notNull(),
})

import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ownId } from '../db/columns'
import { users } from './auth'
import { orgId } from './references'

export const savedViews = sqliteTable(
  'saved_views',
  {
    id: ownId(),
    org_id: orgId(),
    user_id: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** The list's address after the question mark. */
    query: text().notNull(),
    is_shared: integer({ mode: 'boolean' }).notNull().default(false),
    created_at: text().notNull(),
    updated_at: text().notNull(),
  },
  (t) => [uniqueIndex('saved_views_by_name').on(t.org_id, t.user_id, t.name)],
)

import { sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ownId, flag } from '../db/columns'
import { ownerId } from './auth'
import { orgId } from './orgs'

export const savedViews = sqliteTable(
  'saved_views',
  {
    id: ownId(),
    org_id: orgId(),
    user_id: ownerId(),
    name: text().notNull(),
    /** The list's address after the question mark. */
    query: text().notNull(),
    is_shared: flag(),
    created_at: text().notNull(),
    updated_at: text().notNull(),
  },
  (t) => [uniqueIndex('saved_views_by_name').on(t.org_id, t.user_id, t.name)],
)

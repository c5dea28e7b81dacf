import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { users } from '../auth/tables'

export const orgs = sqliteTable(
  'orgs',
  {
    id: integer().primaryKey(),
    name: text().notNull(),
    slug: text().notNull(),
    is_active: integer({ mode: 'boolean' }).notNull().default(true),
    created_at: text().notNull(),
  },
  (t) => [uniqueIndex('orgs_by_slug').on(t.slug)],
)

export const members = sqliteTable(
  'members',
  {
    org_id: integer()
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    user_id: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    is_admin: integer({ mode: 'boolean' }).notNull().default(false),
    is_active: integer({ mode: 'boolean' }).notNull().default(true),
    manage_organization: integer({ mode: 'boolean' }).notNull().default(false),
    manage_alert_email: integer({ mode: 'boolean' }).notNull().default(false),
    manage_metadata: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.org_id, t.user_id] }), index('members_by_user').on(t.user_id, t.org_id)],
)

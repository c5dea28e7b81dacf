import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const users = sqliteTable(
  'users',
  {
    id: integer().primaryKey(),
    username: text().notNull(),
    email: text().notNull(),
    first_name: text().notNull().default(''),
    last_name: text().notNull().default(''),
    /** PHC string of argon2id. */
    password_hash: text().notNull(),
    is_active: integer({ mode: 'boolean' }).notNull().default(true),
    /** The global admin. */
    is_admin: integer({ mode: 'boolean' }).notNull().default(false),
    last_login: text(),
    created_at: text().notNull(),
  },
  (t) => [
    uniqueIndex('users_by_username').on(sql`lower(${t.username})`),
    uniqueIndex('users_by_email').on(sql`lower(${t.email})`),
  ],
)

/** A signed-in device; its current organization is kept here. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: integer().primaryKey(),
    user_id: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    org_id: integer().notNull(),
    user_agent: text().notNull(),
    ip: text().notNull(),
    created_at: text().notNull(),
    last_seen: text().notNull(),
    expires_at: text().notNull(),
    revoked_at: text(),
    revoked_why: text({ enum: ['logout', 'reuse'] }),
  },
  (t) => [index('sessions_by_user').on(t.user_id), index('sessions_by_expiry').on(t.expires_at)],
)

/** One row a refresh token ever issued in a session; `used_at` is set when it is exchanged for its successor. */
export const refreshTokens = sqliteTable(
  'refresh_tokens',
  {
    token_hash: text().primaryKey(),
    session_id: integer()
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    created_at: text().notNull(),
    used_at: text(),
  },
  (t) => [index('refresh_tokens_by_session').on(t.session_id)],
)

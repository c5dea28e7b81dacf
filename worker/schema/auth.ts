import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ownId, flag, keyedTable } from '../db/columns'
import { tokenReaches } from '../domain/people/access'

export const users = sqliteTable(
  'users',
  {
    id: ownId(),
    username: text().notNull(),
    email: text().notNull(),
    /** When somebody proved to read the mailbox; null for whom only an organization's provider speaks for. */
    email_verified_at: text(),
    first_name: text().notNull().default(''),
    last_name: text().notNull().default(''),
    /** PHC string of argon2id. */
    password_hash: text().notNull(),
    is_active: flag(true),
    /** The global admin. */
    is_admin: flag(),
    last_login: text(),
    created_at: text().notNull(),
    /** Encrypted under the Worker's secret; set while a second factor is on. */
    totp_secret: text(),
    /** The time step of the last code taken: each code works once. */
    totp_last_step: integer(),
    mfa_enabled: flag(),
  },
  (t) => [
    uniqueIndex('users_by_username').on(sql`lower(${t.username})`),
    uniqueIndex('users_by_email').on(sql`lower(${t.email})`),
  ],
)

export const userId = () => integer().references(() => users.id, { onDelete: 'set null' })

/** The row goes with the person. */
export const ownerId = () =>
  integer()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

/** Numbers of deleted accounts for as long as a backup may hold them. They belong to no organization, so that none is lost with one. */
export const leftUsers = sqliteTable('left_users', { id: integer().primaryKey(), left_at: text().notNull() })

/** A signed-in device; it also holds its current organization. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: ownId(),
    /** Its access tokens name it: no other session ever has it, even one of the same number in a restored database. */
    secret: text()
      .notNull()
      .default(sql`(lower(hex(randomblob(16))))`),
    user_id: ownerId(),
    org_id: integer().notNull(),
    /** Organization in which a global admin acts without being a member; null while they act in the organization above. */
    acting_org_id: integer(),
    /** Set for a session that an organization's provider opened: it reaches that organization and nothing else. */
    sso_org_id: integer(),
    user_agent: text().notNull(),
    ip: text().notNull(),
    created_at: text().notNull(),
    last_seen: text().notNull(),
    expires_at: text().notNull(),
    revoked_at: text(),
    revoked_why: text({ enum: ['logout', 'reuse', 'ended', 'password'] }),
    /** When the user last gave the password or a passkey within the session; signing in counts. */
    proved_at: text(),
  },
  (t) => [index('sessions_by_user').on(t.user_id)],
)

/** `used_at`: when it was exchanged for its successor. */
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

export const recoveryCodes = keyedTable('recovery_codes', ['user_id', 'code_hash'], {
  user_id: ownerId(),
  code_hash: text().notNull(),
  used_at: text(),
})

/** `id` and `public_key` are base64url. */
export const passkeys = sqliteTable(
  'passkeys',
  {
    id: ownId(),
    credential_id: text().notNull(),
    user_id: ownerId(),
    public_key: text().notNull(),
    counter: integer().notNull(),
    transports: text().notNull().default('[]'),
    name: text().notNull(),
    created_at: text().notNull(),
    last_used_at: text(),
  },
  (t) => [uniqueIndex('passkeys_by_credential').on(t.credential_id), index('passkeys_by_user').on(t.user_id)],
)

export const challenges = sqliteTable('challenges', {
  id: text().primaryKey(),
  kind: text({ enum: ['mfa', 'totp', 'passkey_create', 'passkey_login', 'passkey_proof', 'sso'] }).notNull(),
  user_id: integer().references(() => users.id, { onDelete: 'cascade' }),
  /** JSON, as its kind needs it; secrets in it are encrypted. */
  data: text().notNull(),
  tries: integer().notNull().default(0),
  expires_at: text().notNull(),
})

export const links = sqliteTable(
  'links',
  {
    id: ownId(),
    token_hash: text().notNull(),
    kind: text({ enum: ['invitation', 'reset', 'trial', 'email_change', 'alert_address'] }).notNull(),
    email: text().notNull(),
    user_id: integer().references(() => users.id, { onDelete: 'cascade' }),
    org_id: integer(),
    /** JSON: the organization's name of a trial; the inviter, and whether it is as the owner. */
    data: text().notNull().default('{}'),
    created_at: text().notNull(),
    expires_at: text().notNull(),
    used_at: text(),
  },
  (t) => [uniqueIndex('links_by_token').on(t.token_hash)],
)

export const apiTokens = sqliteTable(
  'api_tokens',
  {
    id: ownId(),
    user_id: ownerId(),
    org_id: integer().notNull(),
    name: text().notNull(),
    /** The first characters, by which its owner knows it again. */
    prefix: text().notNull(),
    token_hash: text().notNull(),
    scope: text({ enum: ['read', 'write'] }).notNull(),
    /** Its reach: its organization alone, or in all of its user's. */
    reach: text({ enum: tokenReaches }).notNull().default('organization'),
    /** The one that /users/token/get, renew and delete speak of. */
    is_default: flag(),
    created_at: text().notNull(),
    expires_at: text(),
    last_used_at: text(),
    /** The network of the last use: a new one stands in the log. */
    last_network: text().notNull().default(''),
  },
  (t) => [uniqueIndex('api_tokens_by_hash').on(t.token_hash)],
)

/** Networks of a user's sign-ins and mailed links, where other people's failures do not stop them. */
export const knownPlaces = keyedTable('known_places', ['user_id', 'network'], {
  user_id: ownerId(),
  network: text().notNull(),
  last_at: text().notNull(),
})

/** By account, address and both; each failure makes the next wait longer. */
export const throttles = sqliteTable('throttles', {
  key: text().primaryKey(),
  failures: integer().notNull(),
  blocked_until: text().notNull(),
  last_at: text().notNull(),
})

import { sql } from 'drizzle-orm'
import { flag, keyedTable } from '../db/columns'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { trialNews } from '../domain/alerts/trial-news'
import { duePolicies, firstDuePolicy } from '../domain/decisions/due'
import { ownerId, userId } from './auth'

export const orgs = sqliteTable(
  'orgs',
  {
    /** Handed out by `last_org_id` (schema/counters), never twice. */
    id: integer().primaryKey(),
    name: text().notNull(),
    slug: text().notNull(),
    is_active: flag(true),
    created_at: text().notNull(),
    owner_id: userId(),
    /** Null for a converted organization; a trial past its end is read-only, with alerts paused. */
    trial_ends_at: text(),
    /** The last announcement of the trial's end (orgs/leaving). */
    trial_told: text({ enum: trialNews }),
    /** When it is removed for good; until then it is read-only as after a trial, and can be restored. */
    removal_at: text(),
    /** The end of its trial before that. */
    removal_trial_end: text(),
    /** User whose account goes with it. */
    removal_user_id: userId(),
    /** Calls a second of each API token, when the plan grants another rate than the usual one. */
    api_rate: integer(),
    /** A risk that somebody wants to accept waits for another manager. */
    needs_approver: flag(),
    /** By what its due dates are made (domain/decisions/due). */
    due_policy: text({ enum: duePolicies }).notNull().default(firstDuePolicy),
    /** JSON of the days of its own table, by severity and exposure (`listTableDays`); null until it made one. */
    due_days: text(),
    /** The highest number that an inventory of it ever had. */
    last_inventory_id: integer().notNull().default(0),
  },
  (t) => [uniqueIndex('orgs_by_slug').on(t.slug)],
)

/** The row goes with the organization. */
export const orgId = () =>
  integer()
    .notNull()
    .references(() => orgs.id, { onDelete: 'cascade' })

export const members = sqliteTable(
  'members',
  {
    org_id: orgId(),
    user_id: ownerId(),
    is_admin: flag(),
    is_active: flag(true),
    manage_organization: flag(),
    manage_alert_email: flag(),
    manage_metadata: flag(),
    /** The newest urgent alert that they have read. */
    urgent_read_to: integer().notNull().default(0),
    /** JSON array of newer ones that they have read singly. */
    urgent_read_ids: text().notNull().default('[]'),
    /** The first day of the model of EPSS of which they were told last; empty: of none. */
    epss_model_told: text().notNull().default(''),
    /** They put the list of first steps away. */
    has_closed_steps: flag(),
  },
  (t) => [primaryKey({ columns: [t.org_id, t.user_id] }), index('members_by_user').on(t.user_id, t.org_id)],
)

/** Append-only: each entry's hash covers the one before. */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    org_id: integer().notNull(),
    /** Position within the organization, from 1 without gaps. */
    seq: integer().notNull(),
    at: text().notNull(),
    actor_id: integer(),
    actor: text().notNull(),
    action: text().notNull(),
    target: text().notNull(),
    detail: text().notNull(),
    ip: text().notNull(),
    prev_hash: text().notNull(),
    hash: text().notNull(),
  },
  (t) => [uniqueIndex('audit_log_by_org').on(t.org_id, t.seq)],
)

/** Apart from the log and signed: a log that lost its last entries does not reach it. */
export const auditHeads = sqliteTable('audit_heads', {
  org_id: integer().primaryKey(),
  seq: integer().notNull(),
  hash: text().notNull(),
  /** The last entry that was removed for its age, and its hash: the first that is left follows it. */
  pruned_seq: integer().notNull().default(0),
  pruned_hash: text().notNull().default(''),
  mac: text().notNull(),
})

export const ssoProviders = sqliteTable('sso_providers', {
  org_id: orgId().primaryKey(),
  issuer: text().notNull(),
  client_id: text().notNull(),
  /** Encrypted under the Worker's secret. */
  client_secret: text().notNull(),
  is_enabled: integer({ mode: 'boolean' }).notNull(),
})

/** A domain counts once it is proved, and then for one organization. */
export const ssoDomains = sqliteTable(
  'sso_domains',
  {
    org_id: orgId(),
    /** In lower case. */
    domain: text().notNull(),
    /** Text that the DNS of the domain must have. */
    proof: text().notNull(),
    proved_at: text(),
    proved_by: text({ enum: ['dns', 'admin'] }),
    /** When its record was last looked for by the clock. */
    checked_at: text(),
    missing_since: text(),
  },
  (t) => [
    primaryKey({ columns: [t.org_id, t.domain] }),
    uniqueIndex('sso_domains_proved')
      .on(t.domain)
      .where(sql`proved_at IS NOT NULL`),
  ],
)

export const ssoIdentities = keyedTable('sso_identities', ['org_id', 'subject'], {
  org_id: orgId(),
  subject: text().notNull(),
  user_id: ownerId(),
})

import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { orgs } from './orgs'
import { vulnChanges, vulns } from './vulns'

export const alertSettings = sqliteTable('alert_settings', {
  org_id: integer()
    .primaryKey()
    .references(() => orgs.id, { onDelete: 'cascade' }),
  /** JSON array of addresses. */
  alerts_emails: text().notNull().default('[]'),
  enable_email_alert_new_vuln: integer({ mode: 'boolean' }).notNull().default(true),
  enable_email_alert_update_vuln: integer({ mode: 'boolean' }).notNull().default(true),
})

/** Alert addresses of nobody in the organization, confirmed from their own mailbox: only then are they written to. */
export const alertAddresses = sqliteTable(
  'alert_addresses',
  {
    org_id: integer()
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    /** In lower case. */
    email: text().notNull(),
    confirmed_at: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.org_id, t.email] })],
)

/** The outbox: one row per organization, vulnerability, change and rule, planned once. */
export const alerts = sqliteTable(
  'alerts',
  {
    id: integer().primaryKey(),
    org_id: integer()
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    vuln_id: integer()
      .notNull()
      .references(() => vulns.id),
    change_seq: integer()
      .notNull()
      .references(() => vulnChanges.seq),
    rule: text({ enum: ['new', 'updated'] }).notNull(),
    /** Why nothing is sent, when nothing is. */
    suppressed: text({ enum: ['disabled', 'no_recipient', 'unconfirmed', 'trial_over'] }),
    created_at: text().notNull(),
  },
  (t) => [
    uniqueIndex('alerts_once').on(t.org_id, t.vuln_id, t.change_seq, t.rule),
    index('alerts_by_org').on(t.org_id, t.id),
    index('alerts_by_change').on(t.change_seq),
  ],
)

export const deliveries = sqliteTable(
  'deliveries',
  {
    id: integer().primaryKey(),
    org_id: integer()
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    alert_id: integer()
      .notNull()
      .references(() => alerts.id, { onDelete: 'cascade' }),
    channel: text({ enum: ['email'] }).notNull(),
    target: text().notNull(),
    status: text({ enum: ['pending', 'sending', 'sent', 'dead', 'suppressed'] }).notNull(),
    attempts: integer().notNull().default(0),
    next_attempt_at: text().notNull(),
    lease_until: text(),
    last_error: text(),
    sent_at: text(),
  },
  (t) => [
    uniqueIndex('deliveries_once').on(t.alert_id, t.channel, t.target),
    index('deliveries_by_due').on(t.status, t.next_attempt_at),
  ],
)

/** Readers of the newsletter: nobody is written to before the address was confirmed from its own mailbox. */
export const subscribers = sqliteTable(
  'subscribers',
  {
    id: integer().primaryKey(),
    /** In lower case. */
    email: text().notNull(),
    /** SHA-256 of the token in the links of its mails. */
    token_hash: text().notNull(),
    state: text({ enum: ['pending', 'confirmed', 'unsubscribed'] }).notNull(),
    created_at: text().notNull(),
    confirmed_at: text(),
  },
  (t) => [uniqueIndex('subscribers_by_email').on(t.email), uniqueIndex('subscribers_by_token').on(t.token_hash)],
)

import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ownId, outgoing } from '../db/columns'

/** A row before it is a message; the body is erased once sent. */
export const mails = sqliteTable(
  'mails',
  {
    id: ownId(),
    /** Of the organization that it tells of; none tells of an account, of Earshot or by the newsletter. */
    org_id: integer(),
    to: text().notNull(),
    kind: text().notNull(),
    subject: text().notNull(),
    html: text().notNull(),
    /** JSON: more headers by name, List-Unsubscribe for one. */
    headers: text().notNull().default('{}'),
    text: text().notNull(),
    ...outgoing(),
  },
  (t) => [index('mails_by_due').on(t.status, t.next_attempt_at), index('mails_by_recipient').on(t.to, t.kind)],
)

/** `key` says who caused or got the mails, without an address in the clear. */
export const mailAllowances = sqliteTable('mail_allowances', {
  key: text().primaryKey(),
  /** Empty for what counts for ever. */
  day: text().notNull(),
  used: integer().notNull(),
  last_at: text().notNull(),
})

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'

/** Of these the ledger asks for some days what became of them. */
export const summaryKind = 'inventory_summary'

/** Mails to people who left; of a summary stays how it went, without a word or an address, and unsent ones never leave. */
export const forgetMails = (db: Db, whose: SQL) => [
  statement(
    db,
    sql`UPDATE mails SET "to" = '', subject = '', html = '', text = '', headers = '{}', last_error = NULL, lease_until = NULL,
      status = iif(status = 'sent', 'sent', 'dead') WHERE kind = ${summaryKind} AND ${whose}`,
  ),
  statement(db, sql`DELETE FROM mails WHERE ${whose}`),
]

/** Of a row `m` that was forgotten before it left. */
export const isForgottenUnsent = sql`(m."to" = '' AND m.status = 'dead')`

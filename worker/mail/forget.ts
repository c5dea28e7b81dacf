import { and, lt, ne, or, sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { prune } from '../db/prune'
import { plusDays, stamp } from '../db/time'
import { mails } from '../schema/mail'
import { oldAllowances } from './allowance'

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

export const mailAges = { text_days: 7, row_days: 90 }

/** Of an organization that was removed, to addresses in none of its lists: no index finds them. */
const isOfNobody = sql`(org_id IS NOT NULL AND org_id NOT IN (SELECT id FROM orgs))`

export function pruneMails(db: Db, now: Date) {
  const before = (days: number) => stamp(plusDays(now, -days))
  const key = [mails.id]
  return prune(db, [
    { table: mails, key, isOld: lt(mails.created_at, before(mailAges.row_days)), isOrdered: true },
    {
      table: mails,
      key,
      isOld: or(and(lt(mails.created_at, before(mailAges.text_days)), ne(mails.text, '')), isOfNobody),
      set: sql`html = '', text = '', headers = '{}', status = iif(status = 'sent', 'sent', 'dead'),
        "to" = iif(${isOfNobody}, '', "to"), subject = iif(${isOfNobody}, '', subject), last_error = iif(${isOfNobody}, NULL, last_error),
        org_id = (SELECT id FROM orgs o WHERE o.id = mails.org_id)`,
    },
    oldAllowances(now),
  ])
}

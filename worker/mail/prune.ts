import { and, lt, ne, or, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { prune } from '../db/prune'
import { plusDays, stamp } from '../db/time'
import { mails } from '../schema/mail'
import { oldAllowances } from './allowance'

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

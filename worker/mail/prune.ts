import { and, lt, ne, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { prune } from '../db/prune'
import { plusSeconds, stamp } from '../db/time'
import { mails } from '../schema/mail'
import { oldAllowances } from './allowance'

export const mailAges = { text_days: 7, row_days: 90 }

export function pruneMails(db: Db, now: Date) {
  const before = (days: number) => stamp(plusSeconds(now, -days * 86_400))
  const key = [mails.id]
  return prune(db, [
    { table: mails, key, isOld: lt(mails.created_at, before(mailAges.row_days)), isOrdered: true },
    {
      table: mails,
      key,
      isOld: and(lt(mails.created_at, before(mailAges.text_days)), ne(mails.text, '')),
      set: sql`html = '', text = '', headers = '{}', status = iif(status = 'sent', 'sent', 'dead')`,
    },
    oldAllowances(now),
  ])
}

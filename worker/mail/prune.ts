import { and, lt, ne, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { mails } from '../schema/mail'
import { pruneAllowances } from './allowance'

export const mailAges = { text_days: 7, row_days: 90 }

export async function pruneMails(db: Db, now: Date) {
  const before = (days: number) => stamp(plusSeconds(now, -days * 86_400))
  await db.batch([
    db
      .update(mails)
      .set({ html: '', text: '', headers: '{}', status: sql`iif(${mails.status} = 'sent', 'sent', 'dead')` })
      .where(and(lt(mails.created_at, before(mailAges.text_days)), ne(mails.text, ''))),
    db.delete(mails).where(lt(mails.created_at, before(mailAges.row_days))),
  ])
  await pruneAllowances(db, now)
}

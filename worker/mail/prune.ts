import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { forgetAllowances } from './allowance'

export const mailAges = { text_days: 7, row_days: 90 }

export async function pruneMails(db: Db, now: Date) {
  const before = (days: number) => stamp(plusSeconds(now, -days * 86_400))
  await db.$client.batch([
    db.$client
      .prepare(
        `UPDATE mails SET html = '', text = '', headers = '{}', status = iif(status = 'sent', 'sent', 'dead')
         WHERE created_at < ?1 AND text <> ''`,
      )
      .bind(before(mailAges.text_days)),
    db.$client.prepare('DELETE FROM mails WHERE created_at < ?1').bind(before(mailAges.row_days)),
  ])
  await forgetAllowances(db, now)
}

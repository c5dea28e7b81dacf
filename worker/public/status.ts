import { and, asc, gte, lte } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { computeObjectives, findMeasured, listStatusDays, type FeedDay } from '../domain/service/objectives'
import { probeDays, serviceDays } from '../schema/jobs'

export async function findServiceStatus(db: Db, now: Date) {
  const days = listStatusDays(now)
  const { day } = serviceDays
  const [first = '', last = ''] = [days[0], days.at(-1)]
  const [rows, outside] = await db.batch([
    db
      .select()
      .from(serviceDays)
      .where(and(gte(day, first), lte(day, last)))
      .orderBy(asc(day)),
    db
      .select()
      .from(probeDays)
      .where(and(gte(probeDays.day, first), lte(probeDays.day, last)))
      .orderBy(asc(probeDays.day)),
  ])
  const measured = rows.map((row) => ({ ...row, feeds: JSON.parse(row.feeds) as FeedDay[] }))
  const at = findMeasured(measured)
  return { measured_at: at && stamp(at), days, objectives: computeObjectives(measured, now, outside) }
}
export type Status = Awaited<ReturnType<typeof findServiceStatus>>

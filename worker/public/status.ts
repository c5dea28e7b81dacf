import { and, asc, gte, lte } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { computeObjectives, findMeasured, listStatusDays } from '../domain/service/objectives'
import type { FeedDay } from '../domain/service/objectives'
import { serviceDays } from '../schema/jobs'

export async function findServiceStatus(db: Db, now: Date) {
  const days = listStatusDays(now)
  const { day } = serviceDays
  const rows = await db
    .select()
    .from(serviceDays)
    .where(and(gte(day, days[0] ?? ''), lte(day, days.at(-1) ?? '')))
    .orderBy(asc(day))
  const measured = rows.map((row) => ({ ...row, feeds: JSON.parse(row.feeds) as FeedDay[] }))
  const at = findMeasured(measured)
  return { measured_at: at && stamp(at), days, objectives: computeObjectives(measured, now) }
}
export type Status = Awaited<ReturnType<typeof findServiceStatus>>

import { eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { localTime } from '../domain/alerts/report-times'
import { alertSettings } from '../schema/alerts'

/** Now by the clock of the organization, as if that were UTC: its due days end with its own days, on screens as in alerts and reports. */
export async function findLocalNow(db: Db, org_id: number, now: Date) {
  const { time_zone } = alertSettings
  const [settings] = await db.select({ time_zone }).from(alertSettings).where(eq(alertSettings.org_id, org_id))
  return localTime(settings?.time_zone || 'UTC', now)
}

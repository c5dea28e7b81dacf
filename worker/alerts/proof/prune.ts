import { and, asc, eq, inArray, lt, ne, notExists } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { alertChannels, alertProofs, alerts, incidents, summaries } from '../../schema/alerts'

/** Thirteen months, so that a year can be looked back on. */
export const alertDays = 400
const rowsPerRun = 20_000
/** Summaries that no chat took are read for a while. */
const summaryDays = 7

const isItsRoute = and(
  eq(alertChannels.org_id, incidents.org_id),
  eq(alertChannels.channel, incidents.channel),
  ne(alertChannels.secrets, ''),
)

/** Deliveries go with their alerts; more than one day's worth goes the next. */
export const pruneAlerts = (db: Db, now: Date) => {
  // Whole days go: a sealed day stands whole or not at all.
  const before = `${stamp(plusSeconds(now, -alertDays * 86_400)).slice(0, 10)}T00:00:00Z`
  const old = db.select({ id: alerts.id }).from(alerts).where(lt(alerts.created_at, before))
  return db.batch([
    db.delete(incidents).where(notExists(db.select().from(alertChannels).where(isItsRoute))),
    db.delete(alerts).where(inArray(alerts.id, old.orderBy(asc(alerts.id)).limit(rowsPerRun))),
    db.delete(summaries).where(lt(summaries.created_at, stamp(plusSeconds(now, -summaryDays * 86_400)))),
    db.delete(alertProofs).where(lt(alertProofs.day, before.slice(0, 10))),
  ])
}

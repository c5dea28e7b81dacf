import { and, eq, lt, ne, notExists } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { prune } from '../../db/prune'
import { plusDays, stamp, toDay } from '../../db/time'
import { alertChannels, alertProofs, alerts, incidents, summaries } from '../../schema/alerts'

/** Thirteen months, so that a year can be looked back on. */
export const alertDays = 400
/** Summaries that no chat took are read for a while. */
const summaryDays = 7

const isItsRoute = and(
  eq(alertChannels.org_id, incidents.org_id),
  eq(alertChannels.channel, incidents.channel),
  ne(alertChannels.secrets, ''),
)

/** Deliveries go with their alerts. */
export const pruneAlerts = (db: Db, now: Date) => {
  // Whole days go: a sealed day stands whole or not at all.
  const before = `${toDay(plusDays(now, -alertDays))}T00:00:00Z`
  const isRouteGone = notExists(db.select().from(alertChannels).where(isItsRoute))
  return prune(db, [
    // Before the alerts that it proves.
    {
      table: alertProofs,
      key: [alertProofs.org_id, alertProofs.day],
      isOld: lt(alertProofs.day, before.slice(0, 10)),
    },
    { table: alerts, key: [alerts.id], isOld: lt(alerts.created_at, before), isOrdered: true },
    { table: incidents, key: [incidents.org_id, incidents.channel, incidents.vuln_id], isOld: isRouteGone },
    {
      table: summaries,
      key: [summaries.id],
      isOld: lt(summaries.created_at, stamp(plusDays(now, -summaryDays))),
      isOrdered: true,
    },
  ])
}

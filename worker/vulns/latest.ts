import { and, desc, gte, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { counters } from '../kb/tables'
import { monitoredIds } from '../watchlist/monitored'
import { countMonitored } from '../watchlist/queries'
import { toRow, vulnColumns } from './columns'
import { vulns } from './tables'
import { isVisible } from './visible'

const topRows = 20
const monitoredRows = 100

/** The home screen's tables: the newest vulnerabilities, and the monitored ones that changed in the last days. */
export async function findLatest(db: Db, org_id: number, days: number, now: Date) {
  const shown = sql`${vulns.state} <> 'rejected' and ${isVisible(org_id)}`
  const since = stamp(plusSeconds(now, -days * 86_400))
  const [newest, monitored] = await db.batch([
    db
      .select(vulnColumns(org_id))
      .from(vulns)
      .where(shown)
      .orderBy(desc(vulns.published), desc(vulns.id))
      .limit(topRows),
    db
      .select(vulnColumns(org_id))
      .from(vulns)
      .where(and(shown, gte(vulns.updated_at, since), sql`${vulns.id} in (${monitoredIds(org_id)})`))
      .orderBy(desc(vulns.updated_at), desc(vulns.id))
      .limit(monitoredRows),
  ])
  return { vulns: newest.map(toRow), monitored_vulns: monitored.map(toRow) }
}

export async function findStats(db: Db, org_id: number) {
  const [counted, monitored] = await Promise.all([
    db.select({ name: counters.name, value: counters.value }).from(counters),
    countMonitored(db, org_id),
  ])
  const of = (name: string) => counted.find((counter) => counter.name === name)?.value ?? 0
  return {
    vulns: of('vulns'),
    vulns_exploitable: of('vulns_exploitable'),
    vulns_remote: of('vulns_remote'),
    exploits: of('exploits'),
    threats: of('threats'),
    monitored: monitored.vendors + monitored.products + monitored.packages + monitored.vulns,
    monitored_vendors: monitored.vendors,
    monitored_products: monitored.products,
    monitored_packages: monitored.packages,
    monitored_vulns: monitored.vulns,
  }
}

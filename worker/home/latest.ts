import { desc, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { toExploit } from '../exploits/columns'
import type { Viewer } from '../exploits/columns'
import { newestExploits } from '../exploits/find-exploits'
import { countCap } from '../http/page'
import { counters } from '../schema/kb'
import { monitoredIds } from '../watchlist/monitored'
import { countMonitored } from '../watchlist/queries'
import { toRow, vulnColumns } from '../vulns/columns'
import { inOrder } from '../vulns/list/list-sources'
import { newestMonitored } from '../vulns/list/newest'
import { vulns } from '../schema/vulns'
import { isVisible } from '../watchlist/visible'

/** Four pages of the home screen; the list shows them all. */
const topRows = 20

/** The home screen's tables: the newest vulnerabilities and exploits, and what is monitored and changed in the last days. */
export async function findLatest(db: Db, viewer: Viewer, days: number, now: Date) {
  const { org_id } = viewer
  const shown = sql`${vulns.state} <> 'rejected' and ${isVisible(org_id)}`
  const since = stamp(plusSeconds(now, -days * 86_400))
  const [newest, monitored, exploits] = await db.batch([
    db
      .select(vulnColumns(org_id))
      .from(vulns)
      .where(shown)
      .orderBy(desc(vulns.published), desc(vulns.id))
      .limit(topRows),
    db
      .select(vulnColumns(org_id))
      .from(sql`(${inOrder(newestMonitored(org_id), shown).ids(topRows, 0)}) j`)
      .crossJoin(vulns)
      .where(sql`vulns.id = j.id`),
    newestExploits(db, org_id),
  ])
  return {
    vulns: newest.map(toRow),
    monitored_vulns: monitored.map(toRow).filter(({ updated_at }) => updated_at >= since),
    exploits: exploits.map((row) => toExploit(viewer, row)),
  }
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

/** The same numbers of what the organization monitors. */
export async function findMonitoredStats(db: Db, org_id: number) {
  const among = sql`from (${monitoredIds(org_id)} limit ${countCap}) m join vulns on vulns.id = m.vuln_id where vulns.state <> 'rejected'`
  const [[numbers], items] = await Promise.all([
    db.all<Record<'count' | 'exploitable' | 'remote' | 'exploits' | 'threats', number | null>>(sql`
      select count(*) as count, sum(is_exploitable) as exploitable, sum(substr(vulns.access, 1, 1) = 'N') as remote,
        sum(exploit_count) as exploits, sum(threat_activity_count) as threats ${among}`),
    countMonitored(db, org_id),
  ])
  const of = (name: keyof NonNullable<typeof numbers>) => numbers?.[name] ?? 0
  return {
    vulns: { count: of('count'), exploitable: of('exploitable'), remote: of('remote') },
    metadata: { count: of('exploits') + of('threats'), exploits: of('exploits'), threats: of('threats') },
    monitored: {
      count: items.vendors + items.products + items.packages + items.vulns,
      vendors: items.vendors,
      products: items.products,
      packages: items.packages,
      vulnerabilities: items.vulns,
    },
  }
}

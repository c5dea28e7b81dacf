import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { countCap } from '../http/page'
import { counters } from '../schema/counters'
import { monitoredIds } from '../watchlist/monitored'
import { countMonitored } from '../watchlist/queries'

export async function findStats(db: Db, org_id: number) {
  const [counted, monitored] = await Promise.all([
    db.select({ name: counters.name, value: counters.value }).from(counters),
    countMonitored(db, org_id),
  ])
  const read = (name: string) => counted.find((counter) => counter.name === name)?.value ?? 0
  return {
    vulns: read('vulns'),
    vulns_exploitable: read('vulns_exploitable'),
    vulns_remote: read('vulns_remote'),
    exploits: read('exploits'),
    threats: read('threats'),
    monitored: monitored.vendors + monitored.products + monitored.packages + monitored.vulns,
    monitored_vendors: monitored.vendors,
    monitored_products: monitored.products,
    monitored_packages: monitored.packages,
    monitored_vulns: monitored.vulns,
  }
}

export async function findMonitoredStats(db: Db, org_id: number) {
  const among = sql`from (${monitoredIds(org_id)} limit ${countCap}) m join vulns on vulns.id = m.vuln_id where vulns.state <> 'rejected'`
  const [[numbers], items] = await Promise.all([
    db.all<Record<'count' | 'exploitable' | 'remote' | 'exploits' | 'threats', number | null>>(sql`
      select count(*) as count, sum(is_exploitable) as exploitable, sum(substr(vulns.access, 1, 1) = 'N') as remote,
        sum(exploit_count) as exploits, sum(threat_activity_count) as threats ${among}`),
    countMonitored(db, org_id),
  ])
  const read = (name: keyof NonNullable<typeof numbers>) => numbers?.[name] ?? 0
  return {
    vulns: { count: read('count'), exploitable: read('exploitable'), remote: read('remote') },
    metadata: { count: read('exploits') + read('threats'), exploits: read('exploits'), threats: read('threats') },
    monitored: {
      count: items.vendors + items.products + items.packages + items.vulns,
      vendors: items.vendors,
      products: items.products,
      packages: items.packages,
      vulnerabilities: items.vulns,
    },
  }
}

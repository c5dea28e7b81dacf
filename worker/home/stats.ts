import type { Db } from '../db/open'
import { counters } from '../schema/counters'
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
    monitored: monitored.all,
    monitored_vendors: monitored.vendors,
    monitored_products: monitored.products,
    monitored_packages: monitored.packages,
    monitored_vulns: monitored.vulns,
    monitored_inventories: monitored.inventories,
  }
}

import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { toExploit } from '../exploits/columns'
import type { Viewer } from '../exploits/columns'
import { newestExploits } from '../exploits/find-exploits'
import { VulnQuery } from '../vulns/contract'
import { findVulns } from '../vulns/list/find'

/** Four pages of the home screen; the list shows them all. */
const topRows = 20

/** The home screen's tables: the newest vulnerabilities and exploits, and what is monitored and changed in the last days. */
export async function findLatest(db: Db, viewer: Viewer, days: number, now: Date) {
  const asker = { org_id: viewer.org_id, now }
  const since = stamp(plusSeconds(now, -days * 86_400))
  const top = (query: object) => findVulns(db, asker, VulnQuery.parse({ ...query, limit: topRows, count: 'later' }))
  const [newest, monitored, exploits] = await Promise.all([
    top({ sorted_by: '-published' }),
    top({ monitored: true }),
    newestExploits(db, viewer.org_id),
  ])
  return {
    vulns: newest.results,
    monitored_vulns: monitored.results.filter(({ updated_at }) => updated_at >= since),
    exploits: exploits.map((row) => toExploit(viewer, row)),
  }
}

import { desc, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Viewer } from '../exploits/columns'
import { findNewestMetadata } from '../exploits/find'
import { exploitKind } from '../exploits/kinds'
import { toRow, vulnColumns } from '../vulns/columns'
import { inOrder } from '../vulns/list/list-sources'
import { newestMonitored } from '../vulns/list/newest'
import { vulns } from '../schema/vulns'
import { isVisible } from '../watchlist/visible'

/** Four pages of the home screen; the list shows them all. */
const topRows = 20

export async function findLatest(db: Db, viewer: Viewer, days: number, now: Date) {
  const { org_id } = viewer
  const shown = sql`${vulns.state} <> 'rejected' and ${isVisible(org_id)}`
  const since = stamp(plusSeconds(now, -days * 86_400))
  const [[newest, monitored], exploits] = await Promise.all([
    db.batch([
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
    ]),
    findNewestMetadata(db, viewer, exploitKind, { limit: topRows }),
  ])
  return {
    vulns: newest.map(toRow),
    monitored_vulns: monitored.map(toRow).filter(({ updated_at }) => updated_at >= since),
    exploits,
  }
}

import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Viewer } from '../exploits/columns'
import { findNewestMetadata } from '../exploits/find'
import { exploitKind } from '../exploits/kinds'
import { VulnQuery } from '../vulns/contract'
import { findVulns } from '../vulns/list/find'

/** Four pages of the home screen; the list shows them all. */
const topRows = 20

type Latest = { timedelta: number; group?: string | undefined }

export async function findLatest(db: Db, viewer: Viewer, { timedelta, group }: Latest, now: Date) {
  const asker = { org_id: viewer.org_id, now }
  const since = stamp(plusSeconds(now, -timedelta * 86_400))
  const top = (query: object) => findVulns(db, asker, VulnQuery.parse({ ...query, limit: topRows, count: 'quick' }))
  const [newest, monitored, exploits] = await Promise.all([
    top({ sorted_by: '-published' }),
    top({ monitored: true, group }),
    findNewestMetadata(db, viewer, exploitKind, { limit: topRows }),
  ])
  const monitored_vulns = monitored.results.filter(({ updated_at }) => updated_at >= since)
  const last_monitored = monitored_vulns.length ? null : (monitored.results[0] ?? null)
  return { vulns: newest.results, monitored_vulns, last_monitored, exploits }
}

import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import { findWeekRises } from '../vulns/epss-rises'
import type { Rise } from '../vulns/epss-rises'

/** Monitored vulnerabilities first, then the greatest rise within a week. */
export async function findRises(db: Db, org_id: number, now: Date) {
  const byVuln = await findWeekRises(db, now)
  if (!byVuln.size) return []

  const watched = await db.all<{ id: number }>(sql`
    SELECT o.vuln_id AS id FROM ${valuesTable([...byVuln.keys()])} j
    CROSS JOIN org_vulns o ON o.org_id = ${org_id} AND o.vuln_id = j.item`)
  const monitored = new Set(watched.map(({ id }) => id))
  const risenBy = ({ from, to }: Rise) => to - from
  return [...byVuln]
    .map(([id, rise]) => ({ id, rise, monitored: monitored.has(id) }))
    .toSorted((a, b) => Number(b.monitored) - Number(a.monitored) || risenBy(b.rise) - risenBy(a.rise))
}

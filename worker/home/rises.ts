import { desc, gte, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { valuesTable } from '../db/values'
import { epssRises } from '../schema/vulns'

/** So many fit into a statement. */
const maxProbed = 5_000
/** FIRST publishes the scores of a day on that day or the next. */
const risenDays = 8

type Stored = [vuln_id: number, from: number, to: number]
type Rise = { from: number; to: number; day: string }

export async function findRises(db: Db, org_id: number, now: Date) {
  const since = stamp(plusSeconds(now, -risenDays * 86_400)).slice(0, 10)
  const days = await db.select().from(epssRises).where(gte(epssRises.day, since)).orderBy(desc(epssRises.day))
  const byVuln = new Map<number, Rise>()
  for (const { day, rises } of days)
    for (const [id, from, to] of JSON.parse(rises) as Stored[]) {
      const later = byVuln.get(id)
      byVuln.set(id, later ? { ...later, from } : { from, to, day })
    }
  if (!byVuln.size) return []

  const watched = await db.all<{ id: number }>(sql`
    SELECT o.vuln_id AS id FROM ${valuesTable([...byVuln.keys()].slice(0, maxProbed))} j
    CROSS JOIN org_vulns o ON o.org_id = ${org_id} AND o.vuln_id = j.item`)
  const monitored = new Set(watched.map(({ id }) => id))
  const risenBy = ({ from, to }: Rise) => to - from
  return [...byVuln]
    .map(([id, rise]) => ({ id, rise, monitored: monitored.has(id) }))
    .toSorted((a, b) => Number(b.monitored) - Number(a.monitored) || risenBy(b.rise) - risenBy(a.rise))
}

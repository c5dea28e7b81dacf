import { desc, gte, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { pairsTable } from '../db/values'
import { epssRises } from '../schema/vulns'

/** FIRST publishes the scores of a day on that day or the next. */
const risenDays = 8
/** The number of rises that fit into a statement. */
const maxProbed = 3_000

type Stored = [vuln_id: number, from: number, to: number]
export type Rise = { from: number; to: number; day: string }

/** By vulnerability: from where its EPSS rose within a week, and to where. */
export async function findWeekRises(db: Db, now: Date) {
  const since = stamp(plusSeconds(now, -risenDays * 86_400)).slice(0, 10)
  const days = await db.select().from(epssRises).where(gte(epssRises.day, since)).orderBy(desc(epssRises.day))
  const byVuln = new Map<number, Rise>()
  for (const { day, rises } of days)
    for (const [id, from, to] of JSON.parse(rises) as Stored[]) {
      const later = byVuln.get(id)
      byVuln.set(id, later ? { ...later, from } : { from, to, day })
    }
  return new Map([...byVuln].slice(0, maxProbed))
}

/** Leaves out vulnerabilities whose EPSS fell again. */
export async function findRisen(db: Db, now: Date) {
  const rises = [...(await findWeekRises(db, now))].map(([id, { from }]): [number, number] => [id, from])
  const rows = await db.all<{ id: number }>(
    sql`SELECT vulns.id FROM ${pairsTable(rises)} r CROSS JOIN vulns ON vulns.id = r.first WHERE vulns.epss > r.second`,
  )
  return rows.map(({ id }) => id)
}

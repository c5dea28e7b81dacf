import { inArray, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { censusMonths } from '../schema/census'
import { counters } from '../schema/counters'
import { type CensusMonth, listCensusMonths } from '../domain/service/census'
import { shared } from '../schema/vulns'

/** The CVEs that everybody sees and that have no date. */
export const undated = 'undated'

/** Those in which anything was published that is here, the newest first. */
export async function findMonths(db: Db, now: Date) {
  const [row] = await db.all<{ first: number | null }>(sql`
    SELECT min(published) AS first FROM vulns WHERE ${shared} AND published IS NOT NULL`)
  return listCensusMonths(row?.first ?? null, now)
}

/** Counted months, and their number: missing ones were not looked at yet. */
export async function findCensus(db: Db, now: Date) {
  const [listed, rows, counted] = await Promise.all([
    findMonths(db, now),
    db.select().from(censusMonths),
    db
      .select()
      .from(counters)
      .where(inArray(counters.name, ['cves_awaiting', 'cves_rejected'])),
  ])
  const known = new Map(
    rows.map((row): [string, CensusMonth] => [
      row.month,
      { ...row, sources: JSON.parse(row.sources) as CensusMonth['sources'] },
    ]),
  )
  const read = (name: string) => counted.find((counter) => counter.name === name)?.value ?? 0
  return {
    counted_from: rows.map(({ counted_at }) => counted_at).toSorted()[0] ?? null,
    /** In which anything was published, the newest first. */
    listed,
    months_total: listed.length,
    undated: known.get(undated)?.cves ?? null,
    reserved: read('cves_awaiting'),
    rejected: read('cves_rejected'),
    months: listed.flatMap((month) => known.get(month) ?? []),
  }
}
export type Census = Awaited<ReturnType<typeof findCensus>>

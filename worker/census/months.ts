import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { listCensusMonths } from '../domain/service/census'
import { shared } from '../schema/vulns'

/** The CVEs that everybody sees and that have no date. */
export const undated = 'undated'

/** Those in which anything was published that is here, the newest first. */
export async function findMonths(db: Db, now: Date) {
  const [row] = await db.all<{ first: number | null }>(sql`
    SELECT min(published) AS first FROM vulns WHERE ${shared} AND published IS NOT NULL`)
  return listCensusMonths(row?.first ?? null, now)
}

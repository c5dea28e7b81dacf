import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import { window_days } from '../domain/scores/lev'
import { newestEpssDay } from '../schema/feeds'
import type { VulnRow } from './contract'

const windowDays = sql.raw(`${window_days}.0`)
const today = sql`julianday(${newestEpssDay})`
/** How many windows begin while an EPSS holds. */
const windows = sql`ceil((min(coalesce(julianday(h.until), ${today}), ${today}) - s.day) / ${windowDays})`
const held = sql`coalesce(h.epss, vulns.epss)`

/** `computeLev` of the row of `vulns` in SQL, 0 where it is null. Windows that begin under the same EPSS are one row. */
const lev = sql`(
  WITH RECURSIVE steps(day, none) AS (
    SELECT julianday((SELECT min(until) FROM epss_history WHERE vuln_id = vulns.id)), 1.0
    UNION ALL
    SELECT s.day + ${windowDays} * ${windows}, s.none * pow(1 - ${held}, ${windows} - 1)
      * (1 - ${held} * min(1, (${today} - s.day) / ${windowDays} - ${windows} + 1))
    FROM steps s LEFT JOIN epss_history h ON h.vuln_id = vulns.id AND h.until = (
      SELECT min(e.until) FROM epss_history e WHERE e.vuln_id = vulns.id AND e.until > date(s.day))
    WHERE s.day < ${today}
  ) SELECT 1 - min(none) FROM steps)`

/** `composeProbability` of the row of `vulns`. LEV moves each day with EPSS, so that it is computed for those who ask, and stored nowhere. */
export const composite = sql<number | null>`CASE WHEN vulns.kev_added_at IS NOT NULL THEN 1.0
  WHEN vulns.epss IS NOT NULL THEN max(vulns.epss, ${lev}) END`

export async function addComposites(db: Db, rows: VulnRow[]): Promise<VulnRow[]> {
  const found = await db.all<{ id: number; composite: number | null }>(sql`
    SELECT vulns.id, ${composite} AS composite FROM ${valuesTable(rows.map(({ id }) => id))} j
    CROSS JOIN vulns ON vulns.id = j.item`)
  const byId = new Map(found.map((one) => [one.id, one.composite]))
  return rows.map((row) => ({ ...row, composite: byId.get(row.id) ?? null }))
}

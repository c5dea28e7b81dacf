import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import { composeProbability, computeLev, window_days } from '../domain/scores/lev'
import { newestEpssDay } from '../schema/feeds'
import type { VulnRow } from './contract'

type Past = { id: number; today: string | null; since: string | null; held: string }

/**
 * The rows of a page with their composite. LEV moves each day with EPSS, so that it is computed for those who ask, and stored
 * nowhere: of the history of each vulnerability one row a window is read.
 */
export async function addComposites(db: Db, rows: VulnRow[]): Promise<VulnRow[]> {
  const past = await db.all<Past>(sql`
    SELECT p.id, d.today, p.since, (
      WITH RECURSIVE windows(day) AS (
        SELECT p.since UNION ALL SELECT date(day, ${`+${window_days} days`}) FROM windows WHERE day < d.today
      ) SELECT json_group_array(json(h.one)) FROM (
        SELECT (SELECT json_array(e.until, e.epss) FROM epss_history e WHERE e.vuln_id = p.id AND e.until > w.day ORDER BY e.until LIMIT 1) AS one
        FROM windows w) h WHERE h.one IS NOT NULL) AS held
    FROM (SELECT j.item AS id, (SELECT min(until) FROM epss_history WHERE vuln_id = j.item) AS since
      FROM ${valuesTable(rows.map(({ id }) => id))} j) p CROSS JOIN (SELECT ${newestEpssDay} AS today) d`)
  const byId = new Map(past.map((one) => [one.id, one]))
  return rows.map((row) => {
    const found = byId.get(row.id)
    return {
      ...row,
      composite: composeProbability(row.epss, row.kev !== null, found ? findLev(row.epss, found) : null),
    }
  })
}

function findLev(now: number | null, { today, since, held }: Past) {
  if (today === null || since === null) return null
  // What was before the first day adds nothing.
  const windows = (JSON.parse(held) as [until: string, epss: number][]).map(([until, epss]) => ({ until, epss }))
  return computeLev([{ until: since, epss: 0 }, ...windows], { now, today, models: [] })?.lev ?? null
}

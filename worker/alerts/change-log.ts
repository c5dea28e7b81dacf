import { and, between, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { VulnChange } from '../domain/alerts/change'
import { alerts } from '../schema/alerts'
import { vulnChanges } from '../schema/vulns'

/** An alert tells of so many entries. */
const maxEntries = 100

/** The last entry before a moment; 0 for none. Searches by halves, because no index holds the times of the log. */
export async function findSeqBefore(db: Db, at: string) {
  const middle = sql`(lo + hi + 1) / 2`
  const isBefore = sql`(SELECT at FROM ${vulnChanges} WHERE seq >= ${middle} ORDER BY seq LIMIT 1) < ${at}`
  const [found] = await db.all<{ seq: number }>(sql`
    WITH RECURSIVE halves(lo, hi) AS (
      SELECT 0, coalesce((SELECT max(seq) FROM ${vulnChanges}), 0)
      UNION ALL SELECT iif(${isBefore}, ${middle}, lo), iif(${isBefore}, hi, ${middle} - 1) FROM halves WHERE lo < hi)
    SELECT lo AS seq FROM halves WHERE lo = hi`)
  return found?.seq ?? 0
}

/** Of an alert, as JSON: its first entries, each with its changes. */
export const alertDetails = sql<string>`(SELECT json_group_array(json(c.detail)) FROM (SELECT detail FROM ${vulnChanges}
  WHERE vuln_id = ${alerts.vuln_id} AND seq BETWEEN ${alerts.change_seq} AND ${alerts.last_seq} AND is_backfill = 0
  ORDER BY seq LIMIT ${sql.raw(String(maxEntries))}) c)`.as('details')

export const readLoggedChanges = (details: string) => (JSON.parse(details) as VulnChange[][]).flat()

export const isNews = eq(vulnChanges.is_backfill, false)
const changes = sql<VulnChange[]>`${vulnChanges.detail}`.mapWith((detail: string) => JSON.parse(detail) as VulnChange[])

type Run = { vuln_id: number; change_seq: number; last_seq: number }

export const selectLogged = (db: Db, { vuln_id, change_seq, last_seq }: Run) =>
  db
    .select({ at: vulnChanges.at, kind: vulnChanges.kind, changes })
    .from(vulnChanges)
    .where(and(eq(vulnChanges.vuln_id, vuln_id), between(vulnChanges.seq, change_seq, last_seq), isNews))
    .limit(maxEntries)
    .$dynamic()

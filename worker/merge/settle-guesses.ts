import { sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { literal } from '../db/values'
import { isRereading } from '../schema/feeds'
import { isNamedAnyway } from './guesses'
import { remergeVulns } from './save-records'

/** Vulnerabilities that a turn of the clock merges again. */
const perTurn = 100
const daySeconds = 86_400

/**
 * Merges those again of whose guesses others name more, or less, than when the clock looked last: the order of feeds decides nothing.
 * Discoveries of a first load are history, and so are the effects of new rules of our own on the day of their reading.
 */
export async function settleGuesses(db: Db, now: Date) {
  const [version] = await db.all<{
    value: number
    settled_to: number
    is_loading: number
    reread_since: string | null
  }>(sql`
    SELECT value, (SELECT value FROM counters WHERE name = 'guesses_settled_to') AS settled_to,
      EXISTS (SELECT 1 FROM feeds WHERE state = 'running' AND last_success IS NULL) AS is_loading,
      (SELECT max(reread_at) FROM feeds WHERE ${isRereading} OR reread_at >= ${stamp(plusSeconds(now, -daySeconds))}) AS reread_since FROM counters WHERE name = 'kb_version'`)
  if (!version || version.value === version.settled_to) return
  const due = await db.all<{ vuln_id: number; cveid: string; known: string }>(sql`
    SELECT d.vuln_id, v.cveid, d.known FROM (
      SELECT g.vuln_id, g.settled, (
        SELECT json_group_array(p.id) FROM jsonb_each(g.names) n
        CROSS JOIN products p ON p.vendor = n.value->>0 AND p.name = n.value->>1 WHERE ${isNamedAnyway}) AS known FROM guesses g) d
    CROSS JOIN vulns v ON v.id = d.vuln_id WHERE d.known IS NOT d.settled LIMIT ${literal(perTurn)}`)
  if (!due.length) {
    await db.run(sql`UPDATE counters SET value = ${version.value} WHERE name = 'guesses_settled_to'`)
    return
  }
  const cveids = due.map(({ cveid }) => cveid)
  const settled = due.map(({ vuln_id, known }) => [vuln_id, known])
  const { is_loading, reread_since } = version
  const how = { now, is_backfill: Boolean(is_loading), reread_since: reread_since ?? undefined }
  await remergeVulns(db, cveids, how, () =>
    bulk(
      db,
      'UPDATE guesses SET settled = j.value->>1 FROM jsonb_each(?1) j WHERE guesses.vuln_id = j.value->>0',
      settled,
    ),
  )
}

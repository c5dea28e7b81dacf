import { eq, sql } from 'drizzle-orm'
import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import type { Source } from '../../domain/words/record'
import { feedYears } from '../../schema/feeds'

type Counted = { feed_id: string; source: Source; year: number; now: Date }

const isMissing = `NOT EXISTS (SELECT 1 FROM vulns v JOIN vuln_records r ON r.vuln_id = v.id AND r.source = ?3
  WHERE v.cveid = record.value)`

export function countYear(db: Db, { feed_id, source, year, now }: Counted, cveids: string[]) {
  const counted = { source_count: cveids.length, at: stamp(now) }
  const queue = `INSERT INTO feed_holes(feed_id, record_id, next_attempt_at)
    SELECT ?2, record.value, ?4 FROM jsonb_each(?1) record WHERE ${isMissing} ON CONFLICT DO NOTHING`
  return [
    ...bulk(db, queue, cveids, feed_id, source, stamp(now)),
    statement(
      db,
      db
        .insert(feedYears)
        .values({ feed_id, year, ...counted, here_count: cveids.length })
        .onConflictDoUpdate({ target: [feedYears.feed_id, feedYears.year], set: counted }),
    ),
  ]
}

export const settleYears = (db: Db, { feed_id, source }: { feed_id: string; source: Source }) => [
  statement(
    db,
    sql`DELETE FROM feed_holes WHERE feed_id = ${feed_id} AND EXISTS (
      SELECT 1 FROM vulns v JOIN vuln_records r ON r.vuln_id = v.id AND r.source = ${source}
      WHERE v.cveid = feed_holes.record_id)`,
  ),
  statement(
    db,
    db
      .update(feedYears)
      .set({
        here_count: sql`source_count - (SELECT count(*) FROM feed_holes h WHERE h.feed_id = feed_years.feed_id
          AND h.record_id >= 'CVE-' || year || '-' AND h.record_id < 'CVE-' || year || '.')`,
      })
      .where(eq(feedYears.feed_id, feed_id)),
  ),
]

export const noteYear = (
  db: Db,
  { feed_id, source, year, now }: Counted,
  { from, total }: { from: number; total: number },
) =>
  statement(
    db,
    // Formatted here, because D1 binds numbers with a fraction, which ids do not have.
    sql`INSERT INTO feed_years(feed_id, year, source_count, here_count, at)
      SELECT ${feed_id}, ${year}, ${total}, count(*), ${stamp(now)}
      FROM vulns v JOIN vuln_records r ON r.vuln_id = v.id AND r.source = ${source}
      WHERE v.cveid >= ${`CVE-${from}-`} AND v.cveid < ${`CVE-${year}.`}
      ON CONFLICT DO UPDATE SET source_count = excluded.source_count, here_count = excluded.here_count, at = excluded.at`,
  )

import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { stamp } from '../../db/time'
import type { Source } from '../../domain/record'

type Counted = { feed_id: string; source: Source; year: number; now: Date }

const isMissing = `NOT EXISTS (SELECT 1 FROM vulns v JOIN vuln_records r ON r.vuln_id = v.id AND r.source = ?3
  WHERE v.cveid = record.value)`

export function countYear(db: Db, { feed_id, source, year, now }: Counted, cveids: string[]) {
  const queue = `INSERT INTO feed_holes(feed_id, record_id, next_attempt_at)
    SELECT ?2, record.value, ?4 FROM jsonb_each(?1) record WHERE ${isMissing} ON CONFLICT DO NOTHING`
  return [
    ...bulk(db, queue, cveids, feed_id, source, stamp(now)),
    db.$client
      .prepare(
        `INSERT INTO feed_years(feed_id, year, source_count, here_count, at) VALUES (?1, ?2, ?3, ?3, ?4)
         ON CONFLICT DO UPDATE SET source_count = excluded.source_count, at = excluded.at`,
      )
      .bind(feed_id, year, cveids.length, stamp(now)),
  ]
}

export const settleYears = (db: Db, { feed_id, source }: { feed_id: string; source: Source }) => [
  db.$client
    .prepare(
      `DELETE FROM feed_holes WHERE feed_id = ?1 AND EXISTS (
         SELECT 1 FROM vulns v JOIN vuln_records r ON r.vuln_id = v.id AND r.source = ?2 WHERE v.cveid = feed_holes.record_id)`,
    )
    .bind(feed_id, source),
  db.$client
    .prepare(
      `UPDATE feed_years SET here_count = source_count - (SELECT count(*) FROM feed_holes h WHERE h.feed_id = feed_years.feed_id
         AND h.record_id >= 'CVE-' || year || '-' AND h.record_id < 'CVE-' || year || '.') WHERE feed_id = ?1`,
    )
    .bind(feed_id),
]

export const noteYear = (
  db: Db,
  { feed_id, source, year, now }: Counted,
  { from, total }: { from: number; total: number },
) =>
  db.$client
    .prepare(
      `INSERT INTO feed_years(feed_id, year, source_count, here_count, at)
       SELECT ?1, ?3, ?5, count(*), ?6 FROM vulns v JOIN vuln_records r ON r.vuln_id = v.id AND r.source = ?2
       WHERE v.cveid >= ?4 AND v.cveid < ?7
       ON CONFLICT DO UPDATE SET source_count = excluded.source_count, here_count = excluded.here_count, at = excluded.at`,
    )
    // Formatted here, because D1 binds numbers with a fraction, which ids do not have.
    .bind(feed_id, source, year, `CVE-${from}-`, total, stamp(now), `CVE-${year}.`)

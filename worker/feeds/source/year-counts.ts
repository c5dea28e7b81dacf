import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { stamp } from '../../db/time'
import type { Source } from '../../domain/record'

type Counted = { feed_id: string; source: Source; year: number; now: Date }

const isMissing = `not exists (select 1 from vulns v join vuln_records r on r.vuln_id = v.id and r.source = ?3
  where v.cveid = record.value)`

/** Statements that note how many records a source has of a year, and queue those that are not here for repair. */
export function countYear(db: Db, { feed_id, source, year, now }: Counted, cveids: string[]) {
  const queue = `insert into feed_holes(feed_id, record_id, next_attempt_at)
    select ?2, record.value, ?4 from jsonb_each(?1) record where ${isMissing} on conflict do nothing`
  return [
    ...bulk(db, queue, cveids, feed_id, source, stamp(now)),
    db.$client
      .prepare(
        `insert into feed_years(feed_id, year, source_count, here_count, at) values (?1, ?2, ?3, ?3, ?4)
         on conflict do update set source_count = excluded.source_count, at = excluded.at`,
      )
      .bind(feed_id, year, cveids.length, stamp(now)),
  ]
}

/** Statements that drop the holes that were filled in the meantime, and say how many records of each year are here. */
export const settleYears = (db: Db, { feed_id, source }: { feed_id: string; source: Source }) => [
  db.$client
    .prepare(
      `delete from feed_holes where feed_id = ?1 and exists (
         select 1 from vulns v join vuln_records r on r.vuln_id = v.id and r.source = ?2 where v.cveid = feed_holes.record_id)`,
    )
    .bind(feed_id, source),
  db.$client
    .prepare(
      `update feed_years set here_count = source_count - (select count(*) from feed_holes h where h.feed_id = feed_years.feed_id
         and h.record_id >= 'CVE-' || year || '-' and h.record_id < 'CVE-' || year || '.') where feed_id = ?1`,
    )
    .bind(feed_id),
]

/** A statement that notes the total of a year as the source tells it, beside the records of these ids that are here. */
export const noteYear = (
  db: Db,
  { feed_id, source, year, now }: Counted,
  { from, total }: { from: number; total: number },
) =>
  db.$client
    .prepare(
      `insert into feed_years(feed_id, year, source_count, here_count, at)
       select ?1, ?3, ?5, count(*), ?6 from vulns v join vuln_records r on r.vuln_id = v.id and r.source = ?2
       where v.cveid >= 'CVE-' || ?4 || '-' and v.cveid < 'CVE-' || ?3 || '.'
       on conflict do update set source_count = excluded.source_count, here_count = excluded.here_count, at = excluded.at`,
    )
    .bind(feed_id, source, year, from, total, stamp(now))

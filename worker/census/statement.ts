import { sql, type SQL } from 'drizzle-orm'
import { writeStatement } from '../db/statement'
import { rangeBits } from '../domain/versions/stored-ranges'

const unaffected = rangeBits.unknown | rangeBits.unaffected
const bound = rangeBits.is | rangeBits.ge | rangeBits.gt | rangeBits.le | rangeBits.lt

/** Of a row `a` of ranges: one of them names a version or a bound, and calls it affected. */
const namesVersion = sql.raw(`EXISTS (
    SELECT 1 FROM json_each(a.ranges) r WHERE CASE r.type
      WHEN 'array' THEN (r.value->>0) & ${unaffected} = 0 AND (r.value->>0) & ${bound} > 0
      WHEN 'text' THEN substr(r.value, 3) NOT IN ('', '*', '-') AND substr(r.value, 3, 2) NOT IN ('*:', '-:')
      ELSE r.value->>'status' IS NULL AND coalesce(r.value->>'is', r.value->>'ge', r.value->>'gt', r.value->>'le', r.value->>'lt') IS NOT NULL
    END)`)

type Chunk = Record<'from' | 'to' | 'after_time' | 'after_id' | 'limit', number | SQL>

/**
 * The CVEs that were published in a span of Unix time and stand behind a given one, up to a limit. Waits are numbered as in `censusWaits`.
 *
 * A source had its versions when it changed its record last, at the latest, and when its last change of them came here. (The dates of
 * NVD overrides are those of the CVE.) Earlier is known only of what stood here within a day of its publication: the first change of
 * products or versions that the source brought is when it had them, except where it brought the CVE itself and more of them later, or several records of it.
 */
export const countChunk = ({ from, to, after_time, after_id, limit }: Chunk) => sql`WITH cves AS MATERIALIZED (
  SELECT id, published, product_count + package_count AS names FROM vulns
  WHERE state <> 'rejected' AND org_id IS NULL AND state = 'published' AND cveid LIKE 'CVE-%'
    AND published >= ${from} AND published < ${to} AND (published, id) > (${after_time}, ${after_id})
  ORDER BY published, id LIMIT ${limit}),
said AS MATERIALIZED (
  SELECT a.vuln_id, a.source FROM cves CROSS JOIN affected a ON a.vuln_id = cves.id WHERE a.source <> 'summary' AND ${namesVersion}
  UNION
  SELECT a.vuln_id, a.source FROM cves CROSS JOIN affected_packages a ON a.vuln_id = cves.id WHERE a.source <> 'summary' AND ${namesVersion}),
named AS (
  SELECT vuln_id, source, substr(source, 1, instr(source || '/', '/') - 1) AS feed FROM said),
news AS MATERIALIZED (
  SELECT c.vuln_id, c.source AS feed, unixepoch(min(c.at)) AS first, unixepoch(max(c.at)) AS last, max(c.kind = 'new') AS is_new
  FROM cves CROSS JOIN vuln_changes c ON c.vuln_id = cves.id
  WHERE c.is_backfill = 0 AND (c.kind = 'new' OR c.detail LIKE '%"field":"products"%'
    OR c.detail LIKE '%"field":"packages"%' OR c.detail LIKE '%"field":"versions"%')
  GROUP BY c.vuln_id, c.source),
dated AS (
  SELECT n.vuln_id, v.published, iif(n.feed = 'overrides', NULL, r.modified) AS modified, w.first, w.last,
    CASE WHEN n.source = 'cve/cisa' THEN 'cisa' WHEN n.source LIKE 'ghsa%' OR n.source LIKE 'osv/GHSA-%' THEN 'ghsa'
      WHEN n.feed IN ('nvd', 'cve', 'osv', 'redhat', 'overrides') THEN n.feed ELSE 'other' END AS who,
    w.first IS NOT NULL AND NOT (w.is_new AND w.last > w.first) AND count(*) OVER (PARTITION BY n.vuln_id, n.feed) = 1
      AND EXISTS (SELECT 1 FROM news b WHERE b.vuln_id = n.vuln_id AND b.is_new AND b.first <= v.published + 86400) AS is_seen
  FROM named n JOIN cves v ON v.id = n.vuln_id
  LEFT JOIN vuln_records r ON r.vuln_id = n.vuln_id AND r.source = iif(n.source = 'cve/cisa', 'cve', n.source)
  LEFT JOIN news w ON w.vuln_id = n.vuln_id AND w.feed = n.feed),
waited AS (
  SELECT vuln_id, who, is_seen, min(coalesce(modified, had), coalesce(had, modified)) - published AS seconds
  FROM (SELECT *, iif(is_seen, first, last) AS had FROM dated)),
soonest AS MATERIALIZED (
  SELECT vuln_id, who, min(CASE WHEN seconds <= 86400 THEN 0 WHEN seconds <= 604800 THEN 1 WHEN seconds <= 2592000 THEN 2
    WHEN is_seen THEN 4 ELSE 3 END) AS wait
  FROM waited GROUP BY vuln_id, who)
SELECT who, wait, count(*) AS cves FROM soonest GROUP BY who, wait
UNION ALL
SELECT 'any', wait, count(*) FROM (SELECT min(wait) AS wait FROM soonest GROUP BY vuln_id) GROUP BY wait
UNION ALL
SELECT 'by_name', 0, count(*) FROM cves WHERE names > 0 AND id NOT IN (SELECT vuln_id FROM soonest)
UNION ALL
SELECT 'cves', 0, count(*) FROM cves
UNION ALL
SELECT 'last', published, id FROM (SELECT published, id FROM cves ORDER BY published DESC, id DESC LIMIT 1)`

/** As it runs, with names where values stand. */
export const writeCensusStatement = () =>
  writeStatement(
    countChunk({
      from: sql.raw(':from'),
      to: sql.raw(':to'),
      after_time: sql.raw(':after_time'),
      after_id: sql.raw(':after_id'),
      limit: sql.raw(':limit'),
    }),
  )

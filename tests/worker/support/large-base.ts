import { rows } from './org'
import type { World } from './world'

export const total = 12_000

/** A knowledge base that is large enough to tell reading a page from reading all. */
export async function fillLargeBase({ env }: World) {
  const run = (sql: string) => rows(env, sql)
  await run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
    INSERT INTO vendors(id, name, updated_at) SELECT i, 'vendor_' || i, '' FROM n`)
  await run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO products(id, vendor_id, vendor, name, updated_at) SELECT i, 1 + i % 60, 'vendor_' || (1 + i % 60), 'product_' || i, '' FROM n`)
  await run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${total})
    INSERT INTO vulns(id, cveid, state, summary, published, cvss, cvss_vector, cvss3, cvss3_vector, cvss4, access, impact, cwe_id, score, epss, epss_percentile, kev_added_at,
      is_exploitable, is_confirmed, is_in_the_news, is_in_the_wild, exploit_count, product_count, created_at, updated_at)
    SELECT i, 'CVE-2024-' || (100000 + i), 'published',
      CASE WHEN i % 400 = 0 THEN '=cmd() a rare hole ' || i ELSE 'A flaw of kind ' || (i % 40) END,
      1600000000 + i * 9000, (i % 101) / 10.0, CASE WHEN i % 450 = 0 THEN 'AV:A/AC:H/Au:M/C:P/I:C/A:P' ELSE 'AV:N/AC:L/Au:N/C:P/I:P/A:P' END, (i % 101) / 10.0,
      CASE WHEN i % 350 = 0 THEN 'CVSS:3.1/AV:P/AC:H/PR:H/UI:N/S:C/C:H/I:H/A:L' ELSE 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' END, CASE WHEN i % 3 = 0 THEN (i % 97) / 10.0 END,
      substr('NALNNNNN', 1 + i % 8, 1) || substr('LMHLL', 1 + i % 5, 1) || 'N', substr('NPC', 1 + i % 3, 1) || 'PP', 'CWE-' || (i % 50), i % 101, (i % 1000) / 1000.0, (i % 1000) / 1000.0, CASE WHEN i % 300 = 0 THEN '2024-01-01' END,
      i % 7 = 0, i % 200 = 0, i % 250 = 0, i % 290 = 0 OR i % 300 = 0, CASE WHEN i % 7 = 0 THEN i % 5 ELSE 0 END, 1, unixepoch('2024-01-01'),
      1700000000 + (i * 7919 % ${total}) / 7 * 60 FROM n`)
  await run(`INSERT INTO vuln_products(vuln_id, product_id, vendor_id, since_seq, touched)
    SELECT v.id, p.id, p.vendor_id, 0, v.updated_at FROM vulns v JOIN products p ON p.id = 1 + v.id * 31 % 300`)
  await run(
    `INSERT INTO feeds(id, state, cursor, next_run_at) VALUES ('epss', 'idle', '{"score_date":"2026-11-20"}', '9999')`,
  )
  await run(`INSERT INTO epss_history SELECT v.id, date('2026-11-20', (s.value - 100) || ' days'), v.epss / 200
    FROM vulns v CROSS JOIN json_each('[0, 1, 2, 40, 75, 90]') s`)
  await run(`UPDATE counters SET value = ${total} WHERE name = 'vulns'`)
  await run('ANALYZE')
}

import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import type { Derived } from '../vulns/derive'

const columns = [
  'cveid',
  'state',
  'summary',
  'assigner',
  'published',
  'modified',
  'cvss',
  'cvss_vector',
  'cvss3',
  'cvss3_vector',
  'cvss4',
  'cvss4_vector',
  'cwe_id',
  'score',
  'kev_added_at',
  'kev_due_at',
  'kev_ransomware',
  'is_exploitable',
  'is_confirmed',
  'is_in_the_news',
  'is_in_the_wild',
  'exploit_count',
  'threat_activity_count',
  'cpe_count',
  'product_count',
  'keywords',
] as const satisfies (keyof Derived)[]

const updated = columns.filter((column) => column !== 'cveid').map((column) => `${column} = excluded.${column}`)
const places = columns.map((_, at) => `value->>${at}`)

// ?2 is the time; a row whose change is not logged (only its modified date, say) keeps its updated_at.
const upsert = `INSERT INTO vulns(${columns.join(', ')}, epss, epss_percentile, created_at, updated_at)
  SELECT ${places.join(', ')}, value->>${columns.length}, value->>${columns.length + 1}, ?2, ?2 FROM json_each(?1)
  WHERE true ON CONFLICT(cveid) DO UPDATE SET ${updated.join(', ')}`

export function upsertVulns(
  db: Db,
  rows: [Derived, { epss: number; percentile: number } | null, boolean][],
  at: string,
) {
  const values = (logged: boolean) =>
    rows
      .filter(([, , isLogged]) => isLogged === logged)
      .map(([derived, epss]) => [
        ...columns.map((column) => derived[column]),
        epss?.epss ?? null,
        epss?.percentile ?? null,
      ])
  return [
    ...bulk(db, `${upsert}, updated_at = excluded.updated_at`, values(true), at),
    ...bulk(db, upsert, values(false), at),
  ]
}

export function insertRecords(db: Db, source: string, rows: unknown[]) {
  return bulk(
    db,
    `INSERT INTO vuln_records(vuln_id, source, hash, modified, body)
     SELECT v.id, ?2, j.value->>1, j.value->>2, j.value->>3 FROM json_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
     WHERE true ON CONFLICT DO UPDATE SET hash = excluded.hash, modified = excluded.modified, body = excluded.body`,
    rows,
    source,
  )
}

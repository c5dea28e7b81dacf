import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import type { Writes } from './writes'

/** Exploits, threats, aliases and claims of vulnerabilities. */
export function saveListed(db: Db, writes: Writes, at: string) {
  const gone = (table: string, key: string, rows: unknown[]) =>
    bulk(
      db,
      `DELETE FROM ${table} WHERE (vuln_id, ${key}) IN (SELECT value->>0, value->>1 FROM jsonb_each(?1))${key === 'key' ? ' AND org_id IS NULL' : ''}`,
      rows,
    )
  return [
    ...bulk(
      db,
      `DELETE FROM exploits_fts WHERE rowid IN (
         SELECT e.id FROM jsonb_each(?1) j JOIN exploits e ON e.vuln_id = j.value->>0 AND e.key = j.value->>1 AND e.org_id IS NULL)`,
      writes.goneExploits,
    ),
    ...gone('exploits', 'key', writes.goneExploits),
    ...gone('threats', 'key', writes.goneThreats),
    ...gone('vuln_aliases', 'alias', writes.goneAliases),
    ...bulk(
      db,
      `INSERT INTO vuln_aliases(vuln_id, alias) SELECT v.id, j.value->>1 FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
       WHERE TRUE ON CONFLICT DO NOTHING`,
      writes.aliases,
    ),
    ...upsertListed(db, 'exploits', ['availability', 'maturity', 'type', 'purpose'], writes.exploits),
    ...bulk(
      db,
      `INSERT OR REPLACE INTO exploits_fts(rowid, link, notes)
       SELECT e.id, e.link, e.notes FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
       JOIN exploits e ON e.vuln_id = v.id AND e.key = j.value->>1 AND e.org_id IS NULL`,
      writes.exploits.map(([cveid, { key }]) => [cveid, key]),
    ),
    ...upsertListed(db, 'threats', ['is_in_the_wild', 'is_in_the_news'], writes.threats),
    ...saveClaims(db, writes, at),
  ]
}

const listedColumns = ['source', 'source_name', 'key', 'link', 'notes', 'trust_level', 'published', 'modified']

function upsertListed(db: Db, table: string, more: string[], rows: [cveid: string, one: object][]) {
  const all = [...listedColumns, ...more]
  const updates = [...all.filter((column) => column !== 'key'), 'tlp_level']
  return bulk(
    db,
    `INSERT INTO ${table}(vuln_id, ${all.join(', ')}, tlp_level)
     SELECT v.id, ${all.map((column) => `j.value->1->>'${column}'`).join(', ')}, coalesce(j.value->1->>'tlp_level', 'white')
     FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
     WHERE TRUE ON CONFLICT(vuln_id, key, coalesce(org_id, 0)) DO UPDATE SET ${updates.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    rows,
  )
}

const upsertClaims = `INSERT INTO exploitation_claims(vuln_id, key, catalogue, name, exploited, reason, is_exploited, added, notes, link, evidence)
  SELECT v.id, c.value->>'key', c.value->>'by', c.value->>'name', c.value->>'exploited', c.value->>'reason', c.value->>'is_exploited',
    c.value->>'added', c.value->>'notes', c.value->>'link', coalesce(c.value->>'evidence', '[]')
  FROM (SELECT value->>0 AS cveid, value->1 AS value FROM jsonb_each(?1)) c JOIN vulns v ON v.cveid = c.cveid
  WHERE TRUE ON CONFLICT DO UPDATE SET name = excluded.name, exploited = excluded.exploited, reason = excluded.reason,
    is_exploited = excluded.is_exploited, added = excluded.added, notes = excluded.notes, link = excluded.link,
    evidence = excluded.evidence, withdrawn_at = NULL`

/** A claim that its catalogue takes back stays, with the day. */
const saveClaims = (db: Db, { claims, goneClaims }: Writes, at: string) => [
  ...bulk(
    db,
    `UPDATE exploitation_claims SET withdrawn_at = unixepoch(?2), is_exploited = 0
     WHERE (vuln_id, key) IN (SELECT value->>0, value->>1 FROM jsonb_each(?1)) AND withdrawn_at IS NULL`,
    goneClaims,
    at,
  ),
  ...bulk(db, upsertClaims, claims),
]

import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import type { Writes } from './writes'

const upsert = `INSERT INTO exploitation_claims(vuln_id, key, catalogue, name, exploited, reason, is_exploited, added, notes, link, evidence)
  SELECT v.id, c.value->>'key', c.value->>'by', c.value->>'name', c.value->>'exploited', c.value->>'reason', c.value->>'is_exploited',
    c.value->>'added', c.value->>'notes', c.value->>'link', coalesce(c.value->>'evidence', '[]')
  FROM (SELECT value->>0 AS cveid, value->1 AS value FROM jsonb_each(?1)) c JOIN vulns v ON v.cveid = c.cveid
  WHERE TRUE ON CONFLICT DO UPDATE SET name = excluded.name, exploited = excluded.exploited, reason = excluded.reason,
    is_exploited = excluded.is_exploited, added = excluded.added, notes = excluded.notes, link = excluded.link,
    evidence = excluded.evidence, withdrawn_at = NULL`

/** A claim that its catalogue takes back stays, with the day. */
export const saveClaims = (db: Db, { claims, goneClaims }: Writes, at: string) => [
  ...bulk(
    db,
    `UPDATE exploitation_claims SET withdrawn_at = unixepoch(?2), is_exploited = 0
     WHERE (vuln_id, key) IN (SELECT value->>0, value->>1 FROM jsonb_each(?1)) AND withdrawn_at IS NULL`,
    goneClaims,
    at,
  ),
  ...bulk(db, upsert, claims),
]

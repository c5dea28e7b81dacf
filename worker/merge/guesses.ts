import { sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import type { Writes } from './writes'

/** Whether anything but a guess names the product `p`, for everybody: a guess that rested on another would stay for ever. */
export const isNamedAnyway = sql.raw(`EXISTS (
  SELECT 1 FROM vuln_products l CROSS JOIN vulns v ON v.id = l.vuln_id AND v.state <> 'rejected'
  CROSS JOIN affected a ON a.vuln_id = l.vuln_id AND a.product_id = l.product_id
  WHERE l.product_id = p.id AND l.org_id IS NULL
    AND (a.source NOT IN ('cve', 'summary') OR NOT EXISTS (SELECT 1 FROM guesses o WHERE o.vuln_id = a.vuln_id)))`)

/** Each merge leaves its guesses to the clock: its knowledge may be outdated by then. */
export const saveGuesses = (db: Db, { guesses, goneGuesses }: Writes) => [
  ...bulk(
    db,
    `INSERT INTO guesses(vuln_id, names) SELECT v.id, j.value->>1 FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
     WHERE TRUE ON CONFLICT DO UPDATE SET names = excluded.names, settled = NULL`,
    guesses,
  ),
  ...bulk(db, 'DELETE FROM guesses WHERE vuln_id IN (SELECT value FROM jsonb_each(?1))', goneGuesses),
]

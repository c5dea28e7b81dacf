import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

/** The organizations among `rows`: leaps over a key that begins with them, as one may have a million rows. */
export const leapOrgs = (rows: SQL) => sql`WITH RECURSIVE leap(org_id) AS (SELECT min(org_id) FROM ${rows}
    UNION ALL SELECT (SELECT min(org_id) FROM ${rows} AND org_id > leap.org_id) FROM leap WHERE leap.org_id IS NOT NULL)
  SELECT org_id FROM leap WHERE org_id IS NOT NULL`

/** The organizations of which something waits to be judged. */
export const dueOrgs = leapOrgs(sql`inventory_due WHERE TRUE`)

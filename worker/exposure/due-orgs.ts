import { sql } from 'drizzle-orm'

/** The organizations of which something waits to be judged: leaps over the key, as one may have a million rows. */
export const dueOrgs = sql`WITH RECURSIVE leap(org_id) AS (SELECT min(org_id) FROM inventory_due
    UNION ALL SELECT (SELECT min(d.org_id) FROM inventory_due d WHERE d.org_id > leap.org_id) FROM leap WHERE leap.org_id IS NOT NULL)
  SELECT org_id FROM leap WHERE org_id IS NOT NULL`

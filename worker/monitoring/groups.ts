import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'

const maxShown = 500

/** One seek for each label. */
export async function findGroups(db: Db, org_id: number) {
  const next = (after: ReturnType<typeof sql>) =>
    sql`(SELECT g.label FROM watch_groups g WHERE g.org_id = ${org_id} AND g.label > ${after} ORDER BY g.label LIMIT 1)`
  const rows = await db.all<{ label: string }>(sql`
    WITH RECURSIVE known(label) AS (
      SELECT ${next(sql`''`)} UNION ALL SELECT ${next(sql`known.label`)} FROM known WHERE known.label IS NOT NULL
    ) SELECT label FROM known WHERE label IS NOT NULL LIMIT ${maxShown}`)
  return rows.map(({ label }) => label)
}

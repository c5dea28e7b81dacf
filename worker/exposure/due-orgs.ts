import { sql } from 'drizzle-orm'

const leaps = ['inventory_due', 'watch_due'].map((name) => {
  const [table, leap] = [sql.raw(name), sql.raw(`leap_${name}`)]
  return {
    steps: sql`${leap}(org_id) AS (SELECT min(org_id) FROM ${table}
      UNION ALL SELECT (SELECT min(d.org_id) FROM ${table} d WHERE d.org_id > ${leap}.org_id) FROM ${leap} WHERE ${leap}.org_id IS NOT NULL)`,
    found: sql`SELECT org_id FROM ${leap} WHERE org_id IS NOT NULL`,
  }
})
const join = (name: 'steps' | 'found', by: string) =>
  sql.join(
    leaps.map((one) => one[name]),
    sql.raw(by),
  )

/** The organizations of which something waits to be judged: leaps over the keys, as one may have a million rows. */
export const dueOrgs = sql`WITH RECURSIVE ${join('steps', ', ')} ${join('found', ' UNION ')}`

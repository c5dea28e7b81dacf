import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { jsonChunks } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { isWatched, watchedAmong } from './monitored'

/** What changed: vulnerabilities (their links, or when they were touched), or items on the watchlist of an organization. */
type Rewatched =
  | { cveids: string[] }
  | { vuln_ids: number[] }
  | { org_id: number; kind: keyof typeof linkedTo; ids: number[] }

/** Belongs in the batch that writes links, `vulns.updated_at` or watchlist items, behind the change. A row that stays writes nothing. */
export const rewatch = (db: Db, changed: Rewatched) => {
  const org_id = 'org_id' in changed ? changed.org_id : undefined
  const ofOrg = org_id === undefined ? sql`1` : sql`org_id = ${org_id}`
  return selections(changed).flatMap((ids) => [
    statement(
      db,
      sql`DELETE FROM org_vulns WHERE ${ofOrg} AND vuln_id IN (${ids}) AND NOT ${isWatched(sql`org_vulns.org_id`, sql`org_vulns.vuln_id`)}`,
    ),
    statement(
      db,
      sql`WITH changed AS MATERIALIZED (SELECT id, updated_at FROM vulns WHERE id IN (${ids}))
        INSERT INTO org_vulns(org_id, vuln_id, touched, verdict) SELECT org_id, vuln_id, touched, verdict FROM (${watchedAmong(sql`changed`, org_id)}) WHERE TRUE
        ON CONFLICT DO UPDATE SET touched = excluded.touched, verdict = excluded.verdict
        WHERE excluded.touched <> org_vulns.touched OR excluded.verdict IS NOT org_vulns.verdict`,
    ),
  ])
}

type Added = { org_id: number; kind: keyof typeof touchedBy; ids: number[] }

/** For items that nobody watched and that carry no versions: all that they concern is watched from now on, and nothing goes. */
export const watchAdded = (db: Db, { org_id, kind, ids }: Added) =>
  jsonChunks(ids).map((json) =>
    statement(
      db,
      sql`INSERT INTO org_vulns(org_id, vuln_id, touched) SELECT ${org_id}, n.vuln_id, n.touched
        FROM (${touchedBy[kind](sql`SELECT value FROM jsonb_each(${json})`)}) n WHERE n.org_id IS NULL OR n.org_id = ${org_id} ORDER BY n.vuln_id ON CONFLICT DO NOTHING`,
    ),
  )

/** Links know when their vulnerabilities were touched, and whose they are. */
const touchedBy = {
  product: (ids: SQL) => sql`SELECT vuln_id, touched, org_id FROM vuln_products WHERE product_id IN (${ids})`,
  package: (ids: SQL) => sql`SELECT vuln_id, touched, org_id FROM vuln_packages WHERE package_id IN (${ids})`,
  vuln: (ids: SQL) => sql`SELECT id AS vuln_id, updated_at AS touched, org_id FROM vulns WHERE id IN (${ids})`,
}

/** The ids of the vulnerabilities that are concerned, as selects of which each fits into one statement. */
function selections(changed: Rewatched): SQL[] {
  if ('cveids' in changed)
    return jsonChunks(changed.cveids).map(
      (json) => sql`SELECT v.id FROM jsonb_each(${json}) j CROSS JOIN vulns v ON v.cveid = j.value`,
    )
  if ('vuln_ids' in changed)
    return jsonChunks(changed.vuln_ids).map((json) => sql`SELECT value FROM jsonb_each(${json})`)
  return jsonChunks(changed.ids).map((json) => linkedTo[changed.kind](sql`SELECT value FROM jsonb_each(${json})`))
}

const linkedTo = {
  vendor: (ids: SQL) => sql`SELECT vuln_id FROM vuln_products WHERE vendor_id IN (${ids})`,
  product: (ids: SQL) => sql`SELECT vuln_id FROM vuln_products WHERE product_id IN (${ids})`,
  package: (ids: SQL) => sql`SELECT vuln_id FROM vuln_packages WHERE package_id IN (${ids})`,
  vuln: (ids: SQL) => ids,
}

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { jsonChunks } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { isWatched, watchedAmong } from './monitored'

/** What changed: vulnerabilities (their links, or when they were touched), or items on the watchlist of an organization. */
export type Rewatched =
  | { cveids: string[] }
  | { vuln_ids: number[] }
  | { org_id: number; kind: keyof typeof linkedTo; ids: number[] }

/**
 * Statements that bring `org_vulns` to what the watchlist says. Whoever writes links, `vulns.updated_at` or watchlist items
 * puts them into the same batch, behind the change. A row that stays as it is writes nothing.
 */
export const rewatch = (db: Db, changed: Rewatched) => {
  const ofOrg = 'org_id' in changed ? sql`org_id = ${changed.org_id}` : sql`1`
  return selections(changed).flatMap((ids) => [
    statement(
      db,
      sql`delete from org_vulns where ${ofOrg} and vuln_id in (${ids}) and not ${isWatched(sql`org_vulns.org_id`, sql`org_vulns.vuln_id`)}`,
    ),
    statement(
      db,
      sql`with changed as materialized (select id, updated_at from vulns where id in (${ids}))
        insert into org_vulns(org_id, vuln_id, touched, verdict) select org_id, vuln_id, touched, verdict from (${watchedAmong(sql`changed`)}) where ${ofOrg}
        on conflict do update set touched = excluded.touched, verdict = excluded.verdict
        where excluded.touched <> org_vulns.touched or excluded.verdict is not org_vulns.verdict`,
    ),
  ])
}

/** The ids of the vulnerabilities that are concerned, as selects of which each fits into one statement. */
function selections(changed: Rewatched): SQL[] {
  if ('cveids' in changed)
    return jsonChunks(changed.cveids).map(
      (json) => sql`select v.id from jsonb_each(${json}) j cross join vulns v on v.cveid = j.value`,
    )
  if ('vuln_ids' in changed)
    return jsonChunks(changed.vuln_ids).map((json) => sql`select value from jsonb_each(${json})`)
  return jsonChunks(changed.ids).map((json) => linkedTo[changed.kind](sql`select value from jsonb_each(${json})`))
}

const linkedTo = {
  vendor: (ids: SQL) => sql`select vuln_id from vuln_products where vendor_id in (${ids})`,
  product: (ids: SQL) => sql`select vuln_id from vuln_products where product_id in (${ids})`,
  package: (ids: SQL) => sql`select vuln_id from vuln_packages where package_id in (${ids})`,
  vuln: (ids: SQL) => ids,
}

import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'

/** What is said of a vulnerability in tables of its own. */
const details =
  'affected affected_packages epss_history vuln_aliases vuln_changes vuln_packages vuln_products vuln_records'.split(
    ' ',
  )

export function removeOwnVulns(db: Db, org_id: number) {
  const own = sql`(SELECT id FROM vulns WHERE org_id = ${org_id})`
  return [
    ...details.map((table) => sql`DELETE FROM ${sql.identifier(table)} WHERE vuln_id IN ${own}`),
    sql`DELETE FROM own_vulns_fts WHERE rowid IN ${own}`,
    sql`DELETE FROM vulns WHERE org_id = ${org_id}`,
  ].map((removal) => statement(db, removal))
}

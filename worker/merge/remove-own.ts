import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'

/** Tables of details of a vulnerability. */
export const ownDetails =
  'affected affected_packages epss_history exploitation_claims vuln_aliases vuln_changes vuln_packages vuln_products vuln_records'.split(
    ' ',
  )

export function removeOwnVulns(db: Db, org_id: number) {
  const own = sql`(SELECT id FROM vulns WHERE org_id = ${org_id})`
  return [
    ...ownDetails.map((table) => sql`DELETE FROM ${sql.identifier(table)} WHERE vuln_id IN ${own}`),
    sql`DELETE FROM own_vulns_fts WHERE rowid IN ${own}`,
    sql`DELETE FROM vulns WHERE org_id = ${org_id}`,
  ].map((removal) => statement(db, removal))
}

/** Private texts that came back otherwise than by a merge. */
export const indexOwnVulns = (org_id: number) => sql`
  INSERT OR REPLACE INTO own_vulns_fts(rowid, owner, cveid, summary, keywords)
  SELECT id, 'org' || org_id, cveid, summary, keywords FROM vulns WHERE org_id = ${org_id}`

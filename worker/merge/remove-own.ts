import type { Db } from '../db/open'

/** What is said of a vulnerability in tables of its own. */
const details =
  'affected affected_packages epss_history vuln_aliases vuln_changes vuln_packages vuln_products vuln_records'.split(
    ' ',
  )

/** Statements that remove all vulnerabilities that an organization wrote for itself, for the batch that removes it. */
export const removeOwnVulns = (db: Db, org_id: number) =>
  [
    ...details.map((table) => `delete from ${table} where vuln_id in (select id from vulns where org_id = ?1)`),
    'delete from own_vulns_fts where rowid in (select id from vulns where org_id = ?1)',
    'delete from vulns where org_id = ?1',
  ].map((sql) => db.$client.prepare(sql).bind(org_id))

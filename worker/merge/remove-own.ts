import type { Db } from '../db/open'

/** What is said of a vulnerability in tables of its own. */
const details =
  'affected affected_packages epss_history vuln_aliases vuln_changes vuln_packages vuln_products vuln_records'.split(
    ' ',
  )

export const removeOwnVulns = (db: Db, org_id: number) =>
  [
    ...details.map((table) => `DELETE FROM ${table} WHERE vuln_id IN (SELECT id FROM vulns WHERE org_id = ?1)`),
    'DELETE FROM own_vulns_fts WHERE rowid IN (SELECT id FROM vulns WHERE org_id = ?1)',
    'DELETE FROM vulns WHERE org_id = ?1',
  ].map((sql) => db.$client.prepare(sql).bind(org_id))

import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { vulns } from '../vulns/tables'
import { monitored } from './tables'

/** Whether the organization monitors the vulnerability of the row: the view says what that means. */
export const isMonitored = (org_id: number) =>
  sql<boolean>`exists (select 1 from ${monitored} m where m.org_id = ${org_id} and m.vuln_id = ${vulns.id})`.mapWith(
    Boolean,
  )

/** The ids of all vulnerabilities that the organization monitors. */
export const monitoredIds = (org_id: number) => sql`select vuln_id from ${monitored} m where m.org_id = ${org_id}`

export type MonitoredBy = { via: 'vuln' | 'product' | 'vendor'; id: number; name: string }

/** Which items of its watchlist make an organization monitor a vulnerability. */
export async function findMonitoredBy(db: Db, org_id: number, vuln_id: number): Promise<MonitoredBy[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT DISTINCT m.via, CASE m.via WHEN 'vuln' THEN m.vuln_id WHEN 'product' THEN m.product_id ELSE m.vendor_id END AS id,
       CASE m.via WHEN 'vuln' THEN 'PH-' || m.vuln_id WHEN 'product' THEN (SELECT p.vendor || ' ' || p.name FROM products p WHERE p.id = m.product_id)
       ELSE (SELECT v.name FROM vendors v WHERE v.id = m.vendor_id) END AS name
       FROM monitored m WHERE m.org_id = ?1 AND m.vuln_id = ?2 LIMIT 50`,
    )
    .bind(org_id, vuln_id)
    .all<MonitoredBy>()
  return results
}

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { isOpen } from '../watchlist/open-findings'
import type { FindingQuery } from './contract'

/** What CISA knows to be exploited comes first, then EPSS × score. */
export const findingRisk = sql`(v.kev_added_at IS NOT NULL) * 1000 + coalesce(v.epss, 0) * coalesce(v.score, 0)`

export const findingTables = (org_id: number, id: number) => sql`inventory_findings f
  CROSS JOIN inventory_components c ON c.org_id = f.org_id AND c.inventory_id = f.inventory_id AND c.id = f.component_id
  CROSS JOIN vulns v ON v.id = f.vuln_id AND v.state <> 'rejected' AND (v.org_id IS NULL OR v.org_id = f.org_id)
  WHERE f.org_id = ${org_id} AND f.inventory_id = ${id}`

type Wanted = Pick<FindingQuery, 'search' | 'status' | 'kev' | 'component' | 'vuln'>

export function findingConditions({ search, status, kev, component, vuln }: Wanted) {
  const word = search?.toLowerCase()
  const parts: (SQL | undefined)[] = [
    status === 'all' ? undefined : status === 'closed' ? sql`NOT ${sql.raw(isOpen)}` : sql.raw(isOpen),
    status === 'affected' || status === 'unknown' ? sql`f.status = ${status}` : undefined,
    kev === undefined ? undefined : sql`(v.kev_added_at IS NOT NULL) = ${Number(kev)}`,
    component === undefined ? undefined : sql`f.component_id = ${component}`,
    vuln === undefined ? undefined : sql`f.vuln_id = ${vuln}`,
    word
      ? sql`(instr(lower(c.name), ${word}) OR instr(lower(coalesce(v.cveid, '')), ${word}) OR instr(lower(v.summary), ${word}))`
      : undefined,
  ]
  return sql.join(
    parts.flatMap((part) => (part ? [sql` AND ${part}`] : [])),
    sql``,
  )
}

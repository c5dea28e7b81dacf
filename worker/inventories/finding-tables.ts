import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { isOpen } from '../exposure/open-findings'
import { stamp } from '../db/time'
import { isStatusOfFinding } from '../schema/decisions'
import { findingDue } from '../watchlist/due-days'
import type { FindingQuery } from './contract'

/** KEV comes first, then EPSS × score. */
export const findingRisk = sql`(v.kev_added_at IS NOT NULL) * 1000 + coalesce(v.epss, 0) * coalesce(v.score, 0)`

/** A finding without EPSS weighs nothing: among those a higher score comes first, and the unscored last. */
export const tieBreak = sql`coalesce(v.score, -1) DESC`

const ofComponents = sql`CROSS JOIN inventory_components c ON c.org_id = f.org_id AND c.inventory_id = f.inventory_id AND c.id = f.component_id`

/** Findings `f`, vulnerabilities `v`, components `c`; conditions follow. Sorting needs no components, unless by their names. */
export const findingTables = (org_id: number, id: number | SQL, hasNames = true) => sql`inventory_findings f
  ${hasNames ? ofComponents : sql``}
  CROSS JOIN vulns v ON v.id = f.vuln_id AND v.state <> 'rejected' AND (v.org_id IS NULL OR v.org_id = f.org_id)
  WHERE f.org_id = ${org_id} AND f.inventory_id = ${id}`

/** Private vulnerabilities have no id that others know. */
export const publicId = sql`CASE WHEN v.org_id IS NULL THEN v.cveid END`

/** The organization's work on the vulnerability of finding `f`, wherever that is. */
export const vulnStatus = sql`coalesce((SELECT s.verdict FROM decisions s WHERE ${sql.raw(isStatusOfFinding)}), 'undefined')`

/** The version that mends finding `f`; where no source names one, the first that is not listed. */
export const namedFix = sql`coalesce(f.fixed_in, f.first_unlisted)`

type Wanted = Pick<FindingQuery, 'search' | 'status' | 'kev' | 'overdue' | 'fix' | 'component' | 'vuln'>

/** `local`: now by the organization's own clock. */
export function findingConditions({ search, status, kev, overdue, fix, component, vuln }: Wanted, local: Date) {
  const word = search?.toLowerCase()
  const parts: (SQL | undefined)[] = [
    status === 'all' ? undefined : status === 'closed' ? sql`NOT ${sql.raw(isOpen)}` : sql.raw(isOpen),
    status === 'affected' || status === 'unknown' ? sql`f.status = ${status}` : undefined,
    kev === undefined ? undefined : sql`(v.kev_added_at IS NOT NULL) = ${Number(kev)}`,
    overdue === undefined
      ? undefined
      : sql`coalesce(${findingDue} < ${stamp(local).slice(0, 10)}, 0) = ${Number(overdue)}`,
    fix === undefined ? undefined : sql`(${namedFix} IS NOT NULL) = ${Number(fix)}`,
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

/** Null where hardly anybody asks for the list again, and where more than the inventory decides. */
export const listName = (
  list: string,
  { search, component, vuln, status, kev, overdue, fix, sorted_by }: Wanted & { sorted_by: string },
) =>
  search || component !== undefined || vuln !== undefined || overdue !== undefined || sorted_by.endsWith('due')
    ? null
    : [list, status, kev, fix, sorted_by].join(' ')

export const storedFindings = 1_000

/** Common to lists of findings and of their vulnerabilities. */
export const findingSorts = { risk: findingRisk, score: sql`v.score`, epss: sql`v.epss`, cveid: sql`v.cveid` }

/** Without a due day comes last, whatever the direction. */
export function orderRows<Field extends string>(sorts: Record<Field, SQL>, sorted_by: Field | `-${Field}`) {
  const field = sorted_by.replace('-', '') as Field
  const direction = sorted_by.startsWith('-') ? sql`DESC` : sql`ASC`
  return field === 'due'
    ? sql`${sorts[field]} IS NULL, ${sorts[field]} ${direction}`
    : sql`${sorts[field]} ${direction}`
}

/** `local`: now by the organization's own clock. */
export type FindingRequest<Query> = { name: string; query: Query; now: Date; local?: Date }

import { sql, type SQL } from 'drizzle-orm'

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

/** Conditions behind others. */
export const joinConditions = (...conditions: (SQL | false | '' | undefined)[]) =>
  sql.join(conditions.flatMap((condition) => (condition ? sql` AND ${condition}` : [])))

/** Only what fits the condition, or only the rest; both where nobody asks. */
export const isWanted = (condition: SQL, wanted: boolean | undefined) =>
  wanted !== undefined && sql`(${condition}) = ${Number(wanted)}`

/** The version that mends finding `f`; where no source names one, the first that is not listed. */
export const namedFix = sql`coalesce(f.fixed_in, f.first_unlisted)`

/** Without a due day comes last, whatever the direction. */
export function orderRows<Field extends string>(sorts: Record<Field, SQL>, sorted_by: Field | `-${Field}`) {
  const field = sorted_by.replace('-', '') as Field
  const direction = sorted_by.startsWith('-') ? sql`DESC` : sql`ASC`
  return field === 'due'
    ? sql`${sorts[field]} IS NULL, ${sorts[field]} ${direction}`
    : sql`${sorts[field]} ${direction}`
}

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

export const isAsleep = (at: string) => sql`(z.woken_at IS NULL AND (z.until IS NULL OR z.until > ${at.slice(0, 10)}))`

/** What of a run of changes `c` of the vulnerability `v` ends the row `z`; NULL when nothing does. */
const wakenedBy =
  sql.raw(`CASE WHEN z.on_kev AND c.is_kev THEN 'kev' WHEN z.on_exploit AND c.is_exploitable THEN 'exploit'
  WHEN z.on_fix AND c.is_fix THEN 'fix' WHEN v.epss > z.epss_above THEN 'epss' END`)

/** Runs before the changes are planned, so that they are told. */
export const wakeByChanges = (changed: SQL, at: string) => sql`
UPDATE vuln_snoozes SET woken_at = ${at}, woken_by = w.woken_by FROM (
  SELECT z.org_id, z.vuln_id, ${wakenedBy} AS woken_by FROM (${changed}) c CROSS JOIN vulns v ON v.id = c.vuln_id
  CROSS JOIN vuln_snoozes z ON z.vuln_id = c.vuln_id AND z.woken_at IS NULL
) w WHERE w.woken_by IS NOT NULL AND w.org_id = vuln_snoozes.org_id AND w.vuln_id = vuln_snoozes.vuln_id`

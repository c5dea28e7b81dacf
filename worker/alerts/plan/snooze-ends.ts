import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

/** What of a run of changes `c` of the vulnerability `v` ends the row `z`; NULL when nothing does. */
const wakenedBy =
  sql.raw(`CASE WHEN z.on_kev AND c.is_kev THEN 'kev' WHEN z.on_exploit AND c.is_exploitable THEN 'exploit'
  WHEN z.on_fix AND c.is_fix THEN 'fix' WHEN v.epss > z.epss_above THEN 'epss' END`)

/** Runs before the changes are planned, so that they are told. */
export const wakeByChanges = (changed: SQL, at: string) => sql`
UPDATE decisions SET ended_at = ${at}, ended_by = w.woken_by FROM (
  SELECT z.org_id, z.vuln_id, ${wakenedBy} AS woken_by FROM (${changed}) c CROSS JOIN vulns v ON v.id = c.vuln_id
  CROSS JOIN decisions z ON z.vuln_id = c.vuln_id AND z.scope = 'alerts' AND z.ended_at IS NULL
) w WHERE w.woken_by IS NOT NULL AND w.org_id = decisions.org_id AND w.vuln_id = decisions.vuln_id AND decisions.scope = 'alerts'`

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { dueOrgs } from '../../exposure/due-orgs'

/** So long an organization's alerts wait for its verdicts; then what is not compared counts as may be affected. */
const maxWait_s = 60
/** Nobody waits longer for the clock. */
const lateAfter_s = 180

const isBeingJudged = (org_id: SQL) => sql`EXISTS (SELECT 1 FROM inventory_due d WHERE d.org_id = ${org_id})`

/** For the batch of a run over all, before it plans: whose verdicts are still to be found. */
export const holdBack = ({ planned_to, at }: { planned_to: number; at: string }) => sql`
  INSERT INTO alert_waits(org_id, planned_to, since) SELECT o.id, ${planned_to}, ${at} FROM (${dueOrgs}) w
  CROSS JOIN orgs o ON o.id = w.org_id AND o.is_active = 1 WHERE TRUE ON CONFLICT DO NOTHING`

export type Wait = { org_id: number; planned_to: number }

/** Those whose verdicts are found, or who waited long enough. */
export const findReady = (db: Db, now: Date) =>
  db.all<Wait>(sql`
    SELECT w.org_id, w.planned_to FROM alert_waits w
    WHERE w.since <= ${stamp(plusSeconds(now, -maxWait_s))} OR NOT ${isBeingJudged(sql`w.org_id`)}
    ORDER BY w.since, w.org_id`)

/** Up to where the alerts of an organization are planned. */
export const plannedTo = (org_id: SQL) => sql`coalesce(
  (SELECT w.planned_to FROM alert_waits w WHERE w.org_id = ${org_id}),
  (SELECT value FROM counters WHERE name = 'alerts_planned_to'))`

/** Whether the alerts of anybody wait longer than promised. */
export async function isAnybodyLate(db: Db, now: Date) {
  const before = stamp(plusSeconds(now, -lateAfter_s))
  const [late] = await db.all(sql`
    SELECT 1 AS late WHERE EXISTS (SELECT 1 FROM alert_waits WHERE since < ${before}) OR (
      SELECT c.at FROM vuln_changes c WHERE c.seq > (SELECT value FROM counters WHERE name = 'alerts_planned_to')
      ORDER BY c.seq LIMIT 1) < ${before}`)
  return late !== undefined
}

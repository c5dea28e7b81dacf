import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { findLate } from '../../db/clock'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { dueOrgs } from '../../exposure/due-orgs'

/** So long an organization's alerts wait for its verdicts; then what is not compared counts as may be affected. */
const maxWait_s = 60
/** Nobody waits longer for the clock. */
const lateAfter_s = 180

const isBeingJudged = (org_id: SQL) => sql`EXISTS (SELECT 1 FROM inventory_due d WHERE d.org_id = ${org_id})`

/**
 * Organizations whose verdicts are still to be found, and those waiting already. Belongs in the batch that reads whom changes
 * concern: verdicts found a moment later are not in it.
 */
export const heldOrgs = sql`SELECT w.org_id FROM alert_waits w UNION SELECT d.org_id FROM (${dueOrgs}) d`

type Held = { planned_to: number; at: string; held: number[] }

/** For the batch of a run over all, before it plans. An organization ready by now has a run of its own at once. */
export const holdBack = ({ planned_to, at, held }: Held) => sql`
  INSERT INTO alert_waits(org_id, planned_to, since) SELECT o.id, ${planned_to}, ${at} FROM json_each(${JSON.stringify(held)}) w
  CROSS JOIN orgs o ON o.id = w.value AND o.is_active = 1 WHERE TRUE ON CONFLICT DO NOTHING`

/** Those whose verdicts are found, or who waited long enough. */
export const findReady = (db: Db, now: Date) =>
  db.all<{ org_id: number }>(sql`
    SELECT w.org_id FROM alert_waits w
    WHERE w.since <= ${stamp(plusSeconds(now, -maxWait_s))} OR NOT ${isBeingJudged(sql`w.org_id`)}
    ORDER BY w.since, w.org_id`)

/** Up to where the alerts of an organization are planned. */
export const plannedTo = (org_id: SQL) => sql`coalesce(
  (SELECT w.planned_to FROM alert_waits w WHERE w.org_id = ${org_id}),
  (SELECT value FROM counters WHERE name = 'alerts_planned_to'))`

/** Whether the alerts of anybody wait longer than promised. */
async function isAnybodyLate(db: Db, now: Date) {
  const before = stamp(plusSeconds(now, -lateAfter_s))
  const [late] = await db.all(sql`
    SELECT 1 AS late WHERE EXISTS (SELECT 1 FROM alert_waits WHERE since < ${before}) OR (
      SELECT c.at FROM vuln_changes c WHERE c.seq > (SELECT value FROM counters WHERE name = 'alerts_planned_to')
      ORDER BY c.seq LIMIT 1) < ${before}`)
  return late !== undefined
}

/** The names of jobs that are late, and 'alerts' where anybody's are. */
export async function findLateWork(db: Db, now: Date) {
  const [jobs, isWaiting] = await Promise.all([findLate(db, now), isAnybodyLate(db, now)])
  return [...new Set([...jobs, ...(isWaiting ? ['alerts'] : [])])]
}

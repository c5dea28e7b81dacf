import { sql, type SQL } from 'drizzle-orm'
import { findLate } from '../../db/clock'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { valuesTable } from '../../db/values'
import { dueOrgs } from '../../exposure/note-due'
import { lastMatched } from '../../watchlist/match-due'

/** So long an organization's alerts wait for its verdicts; then what is not compared counts as may be affected. */
const maxWait_s = 60
/** The clock drives them each minute, and may miss one. */
const lateAfter_s = 180

const isBeingJudged = (org_id: SQL) =>
  sql`coalesce((SELECT max(d.inventory_id) FROM inventory_due d WHERE d.org_id = ${org_id}) > ${lastMatched}, 0)`

/**
 * Organizations whose verdicts are still to be found, and those waiting already. Belongs in the batch that reads whom changes
 * concern: verdicts found a moment later are not in it.
 */
export const heldOrgs = sql`SELECT w.org_id FROM alert_waits w UNION SELECT o.org_id FROM (${dueOrgs}) o WHERE ${isBeingJudged(sql`o.org_id`)}`

type Held = { planned_to: number; at: string; held: number[] }

/** For the batch of a run over all, before it plans. An organization ready by now has a run of its own at once. */
export const holdBack = ({ planned_to, at, held }: Held) => sql`
  INSERT INTO alert_waits(org_id, planned_to, since) SELECT o.id, ${planned_to}, ${at} FROM json_each(${JSON.stringify(held)}) w
  CROSS JOIN orgs o ON o.id = w.value AND o.is_active = 1 WHERE TRUE ON CONFLICT DO NOTHING`

/** A worker that died keeps others from the run of an organization for so long. */
const lease_s = 30
const isFree = (now: Date) => sql`coalesce(w.leased_until, '') <= ${stamp(now)}`

/** Organizations whose verdicts are found, or that waited long enough, and for which nobody plans now. */
export async function findReady(db: Db, now: Date, failed: number[]) {
  const found = await db.all<{ org_id: number }>(sql`
    SELECT w.org_id FROM alert_waits w
    WHERE (w.since <= ${stamp(plusSeconds(now, -maxWait_s))} OR NOT ${isBeingJudged(sql`w.org_id`)})
      AND ${isFree(now)} AND w.org_id NOT IN ${valuesTable(failed)}
    ORDER BY w.since, w.org_id`)
  return found.map(({ org_id }) => org_id)
}

/** Whether the run of the organization is ours: of several consumers each plans for others. */
export async function claimRun(db: Db, org_id: number, now: Date) {
  const claimed = await db.all(sql`
    UPDATE alert_waits AS w SET leased_until = ${stamp(plusSeconds(now, lease_s))} WHERE w.org_id = ${org_id} AND ${isFree(now)} RETURNING 1`)
  return claimed.length > 0
}

export const releaseRun = (db: Db, org_id: number) =>
  db.run(sql`UPDATE alert_waits SET leased_until = NULL WHERE org_id = ${org_id}`)

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

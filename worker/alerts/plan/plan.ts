import { gt, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { literal } from '../../db/values'
import type { Env } from '../../env'
import { vulnChanges } from '../../schema/vulns'
import { selectChanged } from './fired-rules'
import { insertAlerts } from './plan-alerts'
import { addToWaiting, countInstant, insertDeliveries, tallyJoined } from './plan-deliveries'
import { wakeByChanges } from './snooze-ends'

/** Changes planned at once; what is left is planned by the next message or the clock. */
const maxChanges = 500
/** Changes within so many seconds after an alert join it. */
export const joinSeconds = 600

const lastDelivery = sql`(SELECT coalesce(max(id), 0) FROM deliveries)`
const lastOfNext = sql`(SELECT max(seq) FROM (
  SELECT seq FROM vuln_changes WHERE seq > c.value ORDER BY seq LIMIT ${literal(maxChanges)}))`

/**
 * One batch writes alerts (one per organization, vulnerability and run of changes), deliveries and the mark: run twice, it plans nothing
 * twice. A vulnerability that a change first ties to what an organization monitors is new to that organization.
 */
export async function planAlerts(db: Db, now: Date) {
  const [mark] = await db.all<{ planned_to: number; up_to: number | null; last_delivery: number }>(sql`
    SELECT c.value AS planned_to, ${lastOfNext} AS up_to, ${lastDelivery} AS last_delivery
    FROM counters c WHERE c.name = 'alerts_planned_to'`)
  if (!mark?.up_to) return { planned: 0, isDone: true }

  const { planned_to, up_to, last_delivery } = mark
  const run = { planned_to, up_to, last_delivery, at: stamp(now), joined_since: stamp(plusSeconds(now, -joinSeconds)) }
  const [, , alerts] = await db.$client.batch([
    // Somebody else may have planned since our reading: NULL breaks NOT NULL and with it the batch.
    statement(
      db,
      sql`UPDATE counters SET value = CASE WHEN value = ${planned_to} AND ${last_delivery} = ${lastDelivery} THEN ${up_to} END
        WHERE name = 'alerts_planned_to'`,
    ),
    statement(db, wakeByChanges(selectChanged(run), run.at)),
    statement(db, insertAlerts(run)),
    statement(db, addToWaiting(run)),
    statement(db, insertDeliveries(run)),
    statement(db, tallyJoined(run)),
    statement(db, countInstant(run)),
  ])
  const { seq } = vulnChanges
  const next = await db.select({ seq }).from(vulnChanges).where(gt(seq, up_to)).limit(1)
  return { planned: alerts?.meta.changes ?? 0, isDone: next.length === 0 }
}

export async function planAndDrive(env: Env, db: Db, now: Date) {
  for (;;) {
    const { planned, isDone } = await planAlerts(db, now)
    if (planned) await env.DELIVERIES.send({ reason: 'due' })
    if (isDone) return
  }
}

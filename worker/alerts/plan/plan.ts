import { gt, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { literal } from '../../db/values'
import type { Env } from '../../env'
import { vulnChanges } from '../../schema/vulns'
import { selectChanged } from './fired-rules'
import type { PlannedRun, RunOf } from './fired-rules'
import { insertAlerts } from './plan-alerts'
import { addToWaiting, countInstant, insertDeliveries, tallyJoined } from './plan-deliveries'
import { wakeByChanges } from './snooze-ends'
import { findReady, holdBack } from './waits'
import type { Wait } from './waits'

/** Changes planned at once; what is left is planned by the next message or the clock. */
const maxChanges = 500
/** Changes within so many seconds after an alert join it. */
export const joinSeconds = 600

const lastDelivery = sql`(SELECT coalesce(max(id), 0) FROM deliveries)`
const lastAfter = (seq: SQL) => sql`(SELECT max(seq) FROM (
  SELECT seq FROM vuln_changes WHERE seq > ${seq} ORDER BY seq LIMIT ${literal(maxChanges)}))`

type Mark = { planned_to: number; up_to: number | null; last_delivery: number }

/**
 * One batch writes alerts (one per organization, vulnerability and run of changes), deliveries and the mark: run twice, it plans nothing
 * twice. A vulnerability that a change first ties to what an organization monitors is new to that organization. Organizations whose
 * verdicts are still to be found are held back and have runs of their own.
 */
export async function planAlerts(db: Db, now: Date) {
  const ready = await findReady(db, now)
  let planned = 0
  for (const wait of ready) planned += await planWaiting(db, wait, now)
  const [mark] = await db.all<Mark>(sql`
    SELECT c.value AS planned_to, ${lastAfter(sql`c.value`)} AS up_to, ${lastDelivery} AS last_delivery
    FROM counters c WHERE c.name = 'alerts_planned_to'`)
  if (!mark?.up_to) return { planned, isDone: true }

  const { planned_to, up_to, last_delivery } = mark
  const run = toRun({ planned_to, up_to, last_delivery }, 'others', now)
  planned += await plan(db, run, [
    // Somebody else may have planned since our reading: NULL breaks NOT NULL and with it the batch.
    sql`UPDATE counters SET value = CASE WHEN value = ${planned_to} AND ${last_delivery} = ${lastDelivery} THEN ${up_to} END
      WHERE name = 'alerts_planned_to'`,
    holdBack(run),
  ])
  const { seq } = vulnChanges
  const next = await db.select({ seq }).from(vulnChanges).where(gt(seq, up_to)).limit(1)
  return { planned, isDone: next.length === 0 }
}

/** What was planned for the others meanwhile. */
async function planWaiting(db: Db, { org_id, planned_to }: Wait, now: Date) {
  const [mark] = await db.all<Pick<Mark, 'up_to' | 'last_delivery'>>(sql`
    SELECT min(c.value, coalesce(${lastAfter(sql`${planned_to}`)}, c.value)) AS up_to, ${lastDelivery} AS last_delivery
    FROM counters c WHERE c.name = 'alerts_planned_to'`)
  const { up_to, last_delivery = 0 } = mark ?? {}
  if (!up_to) return 0
  return plan(
    db,
    toRun({ planned_to, up_to, last_delivery }, { org_id }, now),
    [
      sql`UPDATE alert_waits SET planned_to = CASE WHEN planned_to = ${planned_to} AND ${last_delivery} = ${lastDelivery} THEN ${up_to} END
        WHERE org_id = ${org_id}`,
    ],
    [
      sql`DELETE FROM alert_waits WHERE org_id = ${org_id}
        AND planned_to >= (SELECT value FROM counters WHERE name = 'alerts_planned_to')`,
    ],
  )
}

const toRun = (span: Pick<PlannedRun, 'planned_to' | 'up_to' | 'last_delivery'>, whose: RunOf, now: Date) => ({
  ...span,
  whose,
  at: stamp(now),
  joined_since: stamp(plusSeconds(now, -joinSeconds)),
})

async function plan(db: Db, run: PlannedRun, before: SQL[], after: SQL[] = []) {
  const statements = [
    ...before,
    wakeByChanges(selectChanged(run), run.at),
    insertAlerts(run),
    addToWaiting(run),
    insertDeliveries(run),
    tallyJoined(run),
    countInstant(run),
    ...after,
  ]
  const answers = await db.$client.batch(statements.map((template) => statement(db, template)))
  return answers[before.length + 1]?.meta.changes ?? 0
}

export async function planAndDrive(env: Env, db: Db, now: Date) {
  for (;;) {
    const { planned, isDone } = await planAlerts(db, now)
    if (planned) await env.DELIVERIES.send({ reason: 'due' })
    if (isDone) return
  }
}

import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { literal } from '../../db/values'
import { urgentBits } from '../../domain/alerts/alert-rules'
import { isSettled } from '../../schema/decisions'
import { alerts, deliveries } from '../../schema/alerts'

/** A report takes so many; the others wait for the one after. */
const maxHeld = 2_000
const isSettledNow = sql`EXISTS (
  SELECT 1 FROM alerts a WHERE a.id = ${deliveries.alert_id} AND ${isSettled(sql`a.org_id`, sql`a.vuln_id`)})`
const isUrgent = sql`${deliveries.told} & ${literal(urgentBits)} <> 0`
/**
 * Deliveries that wait for a channel that is off stand in one report meanwhile; urgent ones of what was settled since, which no report
 * names, in none.
 */
export const isForReport = sql`(${deliveries.status} = 'held'
  OR ${deliveries.status} = 'parked' AND ${deliveries.reported_in} IS NULL AND NOT (${isUrgent} AND ${isSettledNow}))`

export type HeldAlert = Awaited<ReturnType<typeof findHeld>>[number]

export function findHeld(db: Db, org_id: number) {
  const { id, alert_id, channel, rule, status } = deliveries
  return db
    .select({ id, alert_id, channel, rule, status, vuln_id: alerts.vuln_id })
    .from(deliveries)
    .innerJoin(alerts, eq(alerts.id, alert_id))
    .where(and(eq(deliveries.org_id, org_id), isForReport))
    .orderBy(asc(id))
    .limit(maxHeld)
}

export async function findOrgsWithHeld(db: Db) {
  const found = await db.selectDistinct({ org_id: deliveries.org_id }).from(deliveries).where(isForReport)
  return found.map(({ org_id }) => org_id)
}

/** A delivery and the page on which its vulnerability stands. */
export type NamedDelivery = [id: number, reported_in: string]

// These belong in the batch that writes the report.

/** Told by the mail, which leads to the page; where nobody gets the mail, its channel tells of it after all. Parked ones stay so. */
export const reportHeld = (db: Db, named: NamedDelivery[], isMailed: boolean, now: Date) =>
  statement(
    db,
    sql`UPDATE deliveries SET status = CASE WHEN status = 'parked' THEN status WHEN ${isMailed} THEN 'reported' ELSE 'pending' END,
        sent_at = iif(status = 'held' AND ${isMailed}, ${stamp(now)}, sent_at),
        next_attempt_at = iif(status = 'held' AND NOT ${isMailed}, ${stamp(now)}, next_attempt_at),
        reported_in = iif(status = 'parked' OR ${isMailed}, n.value ->> 1, NULL)
      FROM json_each(${JSON.stringify(named)}) n WHERE deliveries.id = n.value ->> 0 AND status IN ('held', 'parked')`,
  )

/** Deliveries settled since stand in no report; an urgent one leaves all the same once its channel works again. */
export const settleHeld = (db: Db, ids: number[]) =>
  statement(
    db,
    sql`UPDATE deliveries SET status = 'suppressed', last_error = 'The vulnerability is fixed or not interesting to you'
      WHERE (status = 'held' OR status = 'parked' AND NOT (${isUrgent}))
        AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${isSettledNow}`,
  )

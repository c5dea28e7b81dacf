import { and, asc, eq, lte } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { alerts, deliveries } from '../../schema/alerts'

/** A report counts all of them, and names so many. */
const maxHeld = 2_000

export type HeldAlert = Awaited<ReturnType<typeof findHeld>>[number]

export const findHeld = (db: Db, org_id: number) =>
  db
    .select({
      id: deliveries.id,
      alert_id: deliveries.alert_id,
      vuln_id: alerts.vuln_id,
      channel: deliveries.channel,
      rule: deliveries.rule,
      at: alerts.created_at,
    })
    .from(deliveries)
    .innerJoin(alerts, eq(alerts.id, deliveries.alert_id))
    .where(and(eq(deliveries.org_id, org_id), eq(deliveries.status, 'held')))
    .orderBy(asc(deliveries.id))
    .limit(maxHeld)

export async function findOrgsWithHeld(db: Db) {
  const found = await db
    .selectDistinct({ org_id: deliveries.org_id })
    .from(deliveries)
    .where(eq(deliveries.status, 'held'))
  return found.map(({ org_id }) => org_id)
}

/** Belongs in the batch that queues the report. */
export const reportHeld = (db: Db, org_id: number, up_to_id: number, now: Date) =>
  statement(
    db,
    db
      .update(deliveries)
      .set({ status: 'reported', sent_at: stamp(now) })
      .where(and(eq(deliveries.org_id, org_id), eq(deliveries.status, 'held'), lte(deliveries.id, up_to_id))),
  )

import { and, eq, isNull, sql } from 'drizzle-orm'
import { getActorName, readyAuditBy } from '../../auth/audited-by'
import type { By } from '../../auth/audited-by'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { notFound } from '../../http/errors'
import { alerts } from '../../schema/alerts'
import { vulns } from '../../schema/vulns'

type AlertPlace = { org_id: number; alert_id: number; vuln_id: number; name: string }

export async function findAlertPlace(db: Db, org_id: number, alert_id: number): Promise<AlertPlace | null> {
  const row = await db
    .select({ vuln_id: alerts.vuln_id, name: sql<string>`coalesce(${vulns.cveid}, 'PH-' || ${vulns.id})`.as('name') })
    .from(alerts)
    .innerJoin(vulns, eq(vulns.id, alerts.vuln_id))
    .where(and(eq(alerts.id, alert_id), eq(alerts.org_id, org_id)))
    .get()
  return row ? { org_id, alert_id, ...row } : null
}

/** The first acknowledgement stays. */
export const acknowledgeStatement = (
  db: Db,
  { org_id, alert_id }: AlertPlace,
  { by, now }: { by: string; now: Date },
) =>
  statement(
    db,
    db
      .update(alerts)
      .set({ acknowledged_at: stamp(now), acknowledged_by: by })
      .where(and(eq(alerts.id, alert_id), eq(alerts.org_id, org_id), isNull(alerts.acknowledged_at))),
  )

/** Somebody has seen the alert: it goes to no further route. */
export async function acknowledgeAlert(db: Db, alert_id: number, by: By) {
  const [place, name, write] = await Promise.all([
    findAlertPlace(db, by.actor.org_id, alert_id),
    getActorName(db, by.actor),
    readyAuditBy(db, by),
  ])
  if (!place) throw notFound('Alert')
  const acknowledging = acknowledgeStatement(db, place, { by: name, now: by.now })
  await write([acknowledging], { action: 'alert.acknowledge', target: place.name, detail: {} })
}

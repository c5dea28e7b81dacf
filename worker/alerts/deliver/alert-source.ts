import { asc, eq } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { hasRule } from '../../domain/alerts/alert-rules'
import { findCraEvent } from '../../domain/alerts/cra-news'
import { findDueDay } from '../../domain/alerts/due-news'
import { alerts } from '../../schema/alerts'
import { orgs } from '../../schema/orgs'
import { vulnChanges } from '../../schema/vulns'
import { getVulnDetail } from '../../vulns/detail/detail'
import { selectLogged } from '../change-log'
import type { AlertSource } from '../channels/facts'

/** Null for an alert that is gone; a vulnerability that is gone throws. */
export async function findAlertSource(db: Db, alert_id: number, now: Date): Promise<AlertSource | null> {
  const row = await db
    .select({
      org_id: alerts.org_id,
      org_name: orgs.name,
      vuln_id: alerts.vuln_id,
      fired: alerts.fired,
      at: alerts.created_at,
      change_seq: alerts.change_seq,
      last_seq: alerts.last_seq,
    })
    .from(alerts)
    .innerJoin(orgs, eq(orgs.id, alerts.org_id))
    .where(eq(alerts.id, alert_id))
    .get()
  if (!row) return null
  const { org_id, org_name, vuln_id, fired, at, change_seq, last_seq } = row
  const [logged, vuln] = await Promise.all([
    selectLogged(db, { vuln_id, change_seq, last_seq }).orderBy(asc(vulnChanges.seq)),
    getVulnDetail(db, org_id, vuln_id, now),
  ])
  const changes = logged.flatMap((entry) => entry.changes)
  return {
    id: alert_id,
    org_id,
    org_name,
    is_new: hasRule(fired, 'new'),
    at,
    changes,
    due: findDueDay(change_seq),
    cra: findCraEvent(change_seq),
    vuln,
  }
}

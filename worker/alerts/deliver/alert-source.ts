import { asc, desc, eq, sql, type SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { hasRule, movedBit, type AlertRule } from '../../domain/alerts/alert-rules'
import {
  findCraEvent,
  findDueDay,
  findSnoozedSeq,
  numberSnoozeEnd,
  findRisenSeq,
} from '../../domain/alerts/news-numbers'
import { alerts } from '../../schema/alerts'
import { orgs } from '../../schema/orgs'
import { vulnChanges } from '../../schema/vulns'
import { getVulnDetail } from '../../vulns/detail/detail'
import { selectLogged } from '../change-log'
import type { AlertSource } from '../channels/facts'

type Sourced = { source: AlertSource; rule: AlertRule }

function selectAlert(db: Db) {
  const { id, rule, org_id, vuln_id, fired, created_at: at, change_seq, last_seq } = alerts
  return db.select({ id, rule, org_id, vuln_id, fired, at, change_seq, last_seq, org_name: orgs.name }).from(alerts)
}

/** Null for an alert that is gone; a vulnerability that is gone throws. */
export const findAlertSource = async (db: Db, alert_id: number, now: Date) =>
  (await findNewestSource(db, eq(alerts.id, alert_id), now))?.source ?? null

/** The newest alert of these. */
export async function findNewestSource(db: Db, which: SQL | undefined, now: Date): Promise<Sourced | null> {
  const row = await selectAlert(db)
    .innerJoin(orgs, eq(orgs.id, alerts.org_id))
    .where(which)
    .orderBy(desc(alerts.created_at), desc(alerts.id))
    .limit(1)
    .get()
  if (!row) return null
  const { rule, ...alert } = row
  const [logged, vuln] = await Promise.all([
    selectLogged(db, { vuln_id: row.vuln_id, ...(await findSpan(db, row)) }).orderBy(asc(vulnChanges.seq)),
    getVulnDetail(db, row.org_id, row.vuln_id, now),
  ])
  const source = {
    ...alert,
    is_new: hasRule(row.fired, 'new'),
    changes: logged.flatMap((entry) => entry.changes),
    due: findDueDay(row.change_seq),
    cra: findCraEvent(row.change_seq),
    was_snoozed: findSnoozedSeq(row.change_seq) !== null,
    moved: row.fired & movedBit ? row.fired : 0,
    has_risen: findRisenSeq(row.change_seq) !== null,
    vuln,
  }
  return { source, rule }
}

type Span = { change_seq: number; last_seq: number }

/** News that turned urgent during a snooze is told with the changes that were not. */
async function findSpan(db: Db, { org_id, vuln_id, change_seq, last_seq }: Span & { org_id: number; vuln_id: number }) {
  const last = findSnoozedSeq(change_seq)
  if (last === null) return { change_seq, last_seq }
  const [span] = await db.all<Span>(sql`
    SELECT coalesce(min(a.change_seq), ${last}) AS change_seq, coalesce(max(a.last_seq), ${last}) AS last_seq FROM alerts a
    WHERE a.org_id = ${org_id} AND a.vuln_id = ${vuln_id} AND a.change_seq BETWEEN 0 AND ${last}
      AND a.suppressed IN ('snoozed', 'accepted', 'settled') AND a.change_seq > coalesce((SELECT ${numberSnoozeEnd(0)} - min(t.change_seq) FROM alerts t
        WHERE t.org_id = a.org_id AND t.vuln_id = a.vuln_id AND t.change_seq > ${change_seq} AND t.change_seq <= ${numberSnoozeEnd(0)}), 0)`)
  return span ?? { change_seq: last, last_seq: last }
}

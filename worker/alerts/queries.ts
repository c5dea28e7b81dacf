import { desc, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { describeChange } from '../domain/change'
import type { VulnChange } from '../domain/change'
import { isScoreProvisional } from '../domain/score'
import { pageOffset } from '../http/page'
import { vulns } from '../schema/vulns'
import type { AlertQuery, AlertRow } from './contract'
import { alerts, deliveries } from '../schema/alerts'

export async function findAlerts(db: Db, org_id: number, query: AlertQuery) {
  const ours = eq(alerts.org_id, org_id)
  const [rows, counted] = await db.batch([
    db
      .select({
        id: alerts.id,
        rule: alerts.rule,
        suppressed: alerts.suppressed,
        created_at: alerts.created_at,
        vuln_id: sql<number>`${vulns.id}`.as('vuln_id'),
        cveid: vulns.cveid,
        summary: vulns.summary,
        score: vulns.score,
        cvss_vector: vulns.cvss_vector,
        cvss3_vector: vulns.cvss3_vector,
        cvss4_vector: vulns.cvss4_vector,
        details: sql<string>`(SELECT json_group_array(json(c.detail)) FROM (SELECT detail FROM vuln_changes
          WHERE vuln_id = ${alerts.vuln_id} AND seq BETWEEN ${alerts.change_seq} AND ${alerts.last_seq} AND is_backfill = 0
          ORDER BY seq LIMIT 100) c)`.as('details'),
      })
      .from(alerts)
      .innerJoin(vulns, eq(vulns.id, alerts.vuln_id))
      .where(ours)
      .orderBy(query.sorted_by === 'id' ? asc(alerts.id) : desc(alerts.id))
      .limit(query.limit)
      .offset(pageOffset(query)),
    db
      .select({ count: sql<number>`count(*)`.as('count') })
      .from(alerts)
      .where(ours),
  ])
  const sent = rows.length
    ? await findDeliveries(
        db,
        rows.map(({ id }) => id),
      )
    : []

  const results: AlertRow[] = rows.map(({ vuln_id, cveid, summary, details, suppressed, ...alert }) => {
    const { score } = alert
    const own = sent.filter(({ alert_id }) => alert_id === alert.id)
    return {
      ...alert,
      status: summarizeStatus(suppressed, own),
      reason: suppressed && reasons[suppressed],
      vuln: { id: vuln_id, cveid, summary, score, is_score_provisional: isScoreProvisional(alert) },
      changes: [...new Set((JSON.parse(details) as VulnChange[][]).flat().map(describeChange))],
      deliveries: own.map((one) => ({
        ...one,
        next_attempt_at: one.status === 'pending' ? one.next_attempt_at : null,
      })),
    }
  })
  return { count: counted[0]?.count ?? 0, results }
}

const findDeliveries = (db: Db, alert_ids: number[]) =>
  db
    .select()
    .from(deliveries)
    .where(inArray(deliveries.alert_id, sql`(SELECT value FROM json_each(${JSON.stringify(alert_ids)}))`))
    .orderBy(asc(deliveries.id))

const reasons = {
  disabled: 'Alerts of this kind are switched off',
  no_recipient: 'The organization has no alert address',
  unconfirmed: 'No alert address is confirmed yet',
  settled: 'The vulnerability is fixed or not interesting to you',
  snoozed: 'You snoozed the vulnerability',
  accepted: 'You accepted the risk',
  trial_over: 'The trial is over: alerts are paused',
}

function summarizeStatus(suppressed: string | null, own: { status: string }[]): AlertRow['status'] {
  if (suppressed) return 'suppressed'
  if (own.some(({ status }) => status === 'dead')) return 'failed'
  if (own.some(({ status }) => status === 'pending' || status === 'sending')) return 'pending'
  if (own.some(({ status }) => status === 'sent')) return 'sent'
  return own.some(({ status }) => status === 'held' || status === 'reported') ? 'held' : 'suppressed'
}

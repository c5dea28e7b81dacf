import { sql, type SQL } from 'drizzle-orm'
import { jsonChunks } from '../../db/bulk'
import { abortUnless } from '../../db/guard'
import { hasRule } from '../../domain/alerts/alert-rules'
import { unreadUrgent } from '../urgent/queries'
import type { AlertPlan } from './decide'

/** Run twice, it writes nothing twice; it undoes its batch where something that it goes by is no longer as it was read. */
export function writePlan(plan: AlertPlan, at: string): SQL[] {
  const { alerts, messages, grown, rung, spent } = plan
  const cleared = alerts.filter(({ fired }) => hasRule(fired, 'cleared'))
  const isToldMalice = ({ fired, suppressed }: (typeof alerts)[number]) =>
    suppressed === null && hasRule(fired, 'malicious') && !hasRule(fired, 'cleared')
  return [
    ...requireAsRead(plan, at),
    ...jsonChunks(grown).map((json) => grow(json, at)),
    ...jsonChunks([...new Set(rung)]).flatMap((json) => [unacknowledge(json), unreadUrgent(json)]),
    ...jsonChunks(alerts).map((json) => insertAlerts(json, at)),
    ...toPairs(cleared).map((json) => forgetMalice(json)),
    ...toPairs(alerts.filter(isToldMalice)).map((json) => noteMalice(json)),
    ...jsonChunks(messages).map((json) => insertMessages(json)),
    ...jsonChunks(spent).map((json) => spend(json, at)),
  ]
}

/** Messages that are to tell more still wait, alerts are those that were joined, and of daily numbers nothing more is gone. */
function requireAsRead({ grown, joined, spent }: AlertPlan, at: string) {
  const day = at.slice(0, 10)
  const differing = [
    ...jsonChunks(grown).map(
      (json) => sql`SELECT 1 FROM jsonb_each(${json}) g LEFT JOIN deliveries d ON d.id = g.value ->> 'id'
        WHERE d.status IS NOT g.value ->> 'status' OR d.attempts IS NOT g.value ->> 'attempts'`,
    ),
    ...jsonChunks(joined).map(
      (json) => sql`SELECT 1 FROM jsonb_each(${json}) j LEFT JOIN alerts a ON a.id = j.value ->> 'alert_id'
        WHERE a.last_seq IS NOT j.value ->> 'last_seq' OR a.planned IS NOT j.value ->> 'planned'`,
    ),
    ...jsonChunks(spent).map(
      (json) => sql`SELECT 1 FROM jsonb_each(${json}) s
        LEFT JOIN quotas q ON q.org_id = s.value ->> 'org_id' AND q.name = s.value ->> 'name' AND q.day = ${day}
        WHERE coalesce(q.used, 0) <> s.value ->> 'used'`,
    ),
  ]
  return differing.map((rows) => abortUnless(sql`NOT EXISTS (${rows})`, 'alerts planned'))
}

const grow = (json: string, at: string) => sql`
  UPDATE deliveries SET rule = g.value ->> 'rule', told = g.value ->> 'told', status = iif(g.value ->> 'isFreed', 'pending', status),
    next_attempt_at = iif(g.value ->> 'isFreed', ${at}, next_attempt_at), digest = iif(g.value ->> 'isFreed', '', digest)
  FROM jsonb_each(${json}) g WHERE deliveries.id = g.value ->> 'id'`

const unacknowledge = (json: string) => sql`
  UPDATE alerts SET acknowledged_at = NULL, acknowledged_by = NULL FROM jsonb_each(${json}) r
  WHERE alerts.id = r.value AND acknowledged_at IS NOT NULL`

const insertAlerts = (json: string, at: string) => sql`
  INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, score_from, cvss_from, cvss3_from, suppressed, planned, saw, created_at, updated_at)
  SELECT value ->> 'org_id', value ->> 'vuln_id', value ->> 'change_seq', value ->> 'last_seq', value ->> 'rule', value ->> 'fired', value ->> '$.from.score',
    value ->> '$.from.cvss', value ->> '$.from.cvss3', value ->> 'suppressed', value ->> 'planned', value ->> 'saw', ${at}, ${at} FROM jsonb_each(${json}) WHERE TRUE
  ON CONFLICT DO UPDATE SET last_seq = excluded.last_seq, rule = excluded.rule, fired = excluded.fired, score_from = excluded.score_from,
    cvss_from = excluded.cvss_from, cvss3_from = excluded.cvss3_from, suppressed = excluded.suppressed,
    planned = json_patch(planned, excluded.planned), saw = excluded.saw,
    updated_at = max(updated_at, excluded.updated_at)`

const toPairs = (alerts: AlertPlan['alerts']) => jsonChunks(alerts.map(({ vuln_id, org_id }) => [vuln_id, org_id]))

const noteMalice = (json: string) => sql`
  INSERT INTO summarized_malice(vuln_id, org_id) SELECT value ->> 0, value ->> 1 FROM jsonb_each(${json}) WHERE TRUE ON CONFLICT DO NOTHING`

const forgetMalice = (json: string) => sql`
  DELETE FROM summarized_malice WHERE (vuln_id, org_id) IN (SELECT value ->> 0, value ->> 1 FROM jsonb_each(${json}))`

const insertMessages = (json: string) => sql`
  INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, next_attempt_at, digest, escalated_from)
  SELECT a.org_id, a.id, m.value ->> 'channel', m.value ->> 'target', m.value ->> 'rule', m.value ->> 'told', m.value ->> 'status', m.value ->> 'due',
    m.value ->> 'digest', m.value ->> 'escalated_from'
  FROM jsonb_each(${json}) m CROSS JOIN alerts a ON a.org_id = m.value ->> 'org_id' AND a.vuln_id = m.value ->> 'vuln_id' AND a.change_seq = m.value ->> 'change_seq'
  WHERE TRUE ON CONFLICT DO NOTHING`

const spend = (json: string, at: string) => sql`
  INSERT INTO quotas(org_id, name, day, used) SELECT value ->> 'org_id', value ->> 'name', ${at.slice(0, 10)}, value ->> 'count' FROM jsonb_each(${json})
  WHERE TRUE ON CONFLICT DO UPDATE SET used = used + excluded.used`

import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { writeAll } from '../../db/statement'
import { stamp } from '../../db/time'
import { literal } from '../../db/values'
import type { RouteName } from '../../domain/alerts/alert-rules'
import { verdictRank } from '../../domain/versions/verdict'
import type { Env } from '../../env'
import { isAsleep, isSettled } from '../../schema/decisions'
import type { FollowUp } from '../channels/channel'

/** The next turn of the clock takes the others. Organizations take turns: nobody waits behind the thousands of another one. */
const maxAtOnce = 200

/** Before a delivery is recorded as sent: a worker that dies between the two sends it again. */
export const openIncidents = (db: Db, sent: { id: number }[]) =>
  db.run(sql`
    INSERT INTO incidents(org_id, channel, vuln_id, alert_id)
    SELECT d.org_id, d.channel, a.vuln_id, a.id FROM deliveries d JOIN alerts a ON a.id = d.alert_id
    WHERE d.id IN (SELECT value FROM json_each(${JSON.stringify(sent.map(({ id }) => id))}))
    ON CONFLICT DO UPDATE SET alert_id = excluded.alert_id, is_acknowledged = 0`)

type Due = { org_id: number; channel: RouteName; vuln_id: number; alert_id: number; is_closed: 0 | 1 }

/** Tells of acknowledged and closed alerts, each once; a route that does not work hears it when it does. */
export async function followIncidents(env: Env, db: Db, now: Date) {
  const due = await db.all<Due>(selectDue(now))
  if (!due.length) return
  const entries = due.map(({ is_closed, ...incident }) => {
    const { org_id, vuln_id } = incident
    const told: FollowUp = { action: is_closed ? 'resolve' : 'acknowledge', org_id, vuln_id }
    return { ...incident, is_closed, told: JSON.stringify(told) }
  })
  const among = sql`json_each(${JSON.stringify(entries)}) e`
  const isIt = sql`i.org_id = e.value ->> 'org_id' AND i.channel = e.value ->> 'channel' AND i.vuln_id = e.value ->> 'vuln_id'
    AND i.alert_id = e.value ->> 'alert_id' AND i.is_acknowledged <= e.value ->> 'is_closed'`
  const at = stamp(now)
  const writes = [
    sql`INSERT INTO summaries(org_id, channel, said, status, next_attempt_at, created_at)
      SELECT i.org_id, i.channel, e.value ->> 'told', 'pending', ${at}, ${at} FROM ${among} CROSS JOIN incidents i ON ${isIt}`,
    sql`DELETE FROM incidents AS i WHERE EXISTS (SELECT 1 FROM ${among} WHERE ${isIt} AND e.value ->> 'is_closed')`,
    sql`UPDATE incidents AS i SET is_acknowledged = 1 WHERE EXISTS (SELECT 1 FROM ${among} WHERE ${isIt})`,
  ]
  await writeAll(db, writes)
  await env.DELIVERIES.send({ reason: 'due' })
}

/** Fixed, not affected, accepted, rejected, removed, or watched no more. */
function selectDue(now: Date) {
  const at = stamp(now)
  const isAccepted = sql`EXISTS (SELECT 1 FROM decisions z WHERE z.vuln_id = i.vuln_id AND z.org_id = i.org_id
    AND z.verdict = 'accepted' AND ${isAsleep(at)})`
  // An item that waits to be compared or matched may still have it.
  const isWaiting = sql`EXISTS (SELECT 1 FROM inventory_due d WHERE d.org_id = i.org_id)`
  const isOpen = sql`(w.vuln_id IS NOT NULL OR ${isWaiting}) AND w.verdict IS NOT ${literal(verdictRank('not_affected'))} AND v.state <> 'rejected'
    AND NOT ${isSettled(sql`i.org_id`, sql`i.vuln_id`, at.slice(0, 10))} AND NOT ${isAccepted}`
  return sql`
    SELECT * FROM (
      SELECT i.org_id, i.channel, i.vuln_id, i.alert_id, NOT coalesce(${isOpen}, 0) AS is_closed,
        i.is_acknowledged = 0 AND a.acknowledged_at IS NOT NULL AS is_to_acknowledge
      FROM incidents i CROSS JOIN alert_channels c ON c.org_id = i.org_id AND c.channel = i.channel AND c.secrets <> '' AND c.disabled_at IS NULL
        LEFT JOIN org_vulns w ON w.org_id = i.org_id AND w.vuln_id = i.vuln_id
        LEFT JOIN vulns v ON v.id = i.vuln_id LEFT JOIN alerts a ON a.id = i.alert_id
    ) WHERE is_closed OR is_to_acknowledge ORDER BY row_number() OVER (PARTITION BY org_id ORDER BY alert_id) LIMIT ${literal(maxAtOnce)}`
}

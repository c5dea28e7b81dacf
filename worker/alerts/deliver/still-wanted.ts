import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { writeAll } from '../../db/statement'
import { stamp } from '../../db/time'
import { literal } from '../../db/values'
import { urgentBits, type RouteName } from '../../domain/alerts/alert-rules'
import { isSettled } from '../../schema/decisions'
import { isListed, isMail, mayReach, mayTakeMail } from '../recipients'
import { findReceivers } from '../rota/duty'
import type { ClaimedDelivery } from './lanes'

/**
 * The receivers of a mail may change while it waits for its hour. A mail that leaves now for the first time goes to whoever is on duty now;
 * one planned for a member who left since, or an address removed since, to the present receivers of its route.
 */
export async function passOnMails(db: Db, now: Date) {
  const waiting = sql`deliveries d LEFT JOIN alert_channels c ON c.org_id = d.org_id AND c.channel = d.channel
    LEFT JOIN alert_settings s ON s.org_id = d.org_id
    WHERE d.status = 'pending' AND d.next_attempt_at <= ${stamp(now)} AND ${isMail}
      AND (coalesce(c.rota, '') <> '' AND d.attempts = 0 OR NOT ${mayTakeMail})`
  const routes = await db.all<Pick<ClaimedDelivery, 'org_id' | 'channel'>>(
    sql`SELECT DISTINCT d.org_id, d.channel FROM ${waiting}`,
  )
  if (!routes.length) return
  const reached = (await findReceivers(db, routes, now)).filter(({ targets }) => targets.length)
  for (const [channel, receivers] of Map.groupBy(reached, (receiver) => receiver.channel)) {
    const ours = sql`json_each(${JSON.stringify(receivers.map(({ org_id, targets }) => [org_id, targets]))})`
    const others = await db.all<{ id: number; alert_id: number }>(sql`
      SELECT d.id, d.alert_id FROM ${ours} r CROSS JOIN ${waiting} AND d.org_id = r.value ->> 0 AND d.channel = ${channel}
        AND NOT EXISTS (SELECT 1 FROM json_each(r.value, '$[1]') t WHERE t.value = d.target)`)
    if (others.length) await passOn(db, { channel, ours, others })
  }
}

type Passed = { channel: RouteName; ours: SQL; others: { id: number; alert_id: number }[] }

/** A receiver with a message that tells of as much gets no second one. */
async function passOn(db: Db, { channel, ours, others }: Passed) {
  const among = (key: 'id' | 'alert_id') =>
    sql`(SELECT value FROM json_each(${JSON.stringify(others.map((delivery) => delivery[key]))}))`
  const isOurs = sql`d.id IN ${among('id')} AND d.status = 'pending'`
  await writeAll(db, [
    sql`INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, next_attempt_at, digest, escalated_from)
        SELECT d.org_id, d.alert_id, d.channel, t.value, d.rule, d.told, d.status, d.next_attempt_at, d.digest, d.escalated_from
        FROM deliveries d CROSS JOIN ${ours} r ON r.value ->> 0 = d.org_id CROSS JOIN json_each(r.value, '$[1]') t
        WHERE ${isOurs} AND NOT EXISTS (SELECT 1 FROM deliveries n WHERE n.alert_id = d.alert_id AND n.channel = d.channel
          AND n.target = t.value AND n.status <> 'suppressed' AND n.told & d.told = d.told) ON CONFLICT DO NOTHING`,
    sql`DELETE FROM deliveries AS d WHERE ${isOurs} AND d.attempts = 0`,
    recount(channel, among('alert_id')),
  ])
}

/** The proof expects as many messages as were planned. */
export const recount = (channel: RouteName, alert_ids: SQL) => sql`
  UPDATE alerts SET planned = json_set(planned, ${`$."${channel}"`}, (
    SELECT count(*) FROM deliveries d WHERE d.alert_id = alerts.id AND d.channel = ${channel}))
  WHERE id IN (${alert_ids}) AND EXISTS (SELECT 1 FROM deliveries d WHERE d.alert_id = alerts.id AND d.channel = ${channel})`

/** Planned before somebody settled the vulnerability, while it waited for its hour: of no use any more, unless it is urgent or sent by hand. */
const isSettledSince = (
  day: string,
) => sql`(d.attempts = 0 AND d.sent_at IS NULL AND d.last_error IS NULL AND d.told & ${literal(urgentBits)} = 0 AND EXISTS (
  SELECT 1 FROM alerts a WHERE a.id = d.alert_id AND ${isSettled(sql`a.org_id`, sql`a.vuln_id`, day)}))`

/** A message planned for an address removed since, for a disabled organization, or of what was settled since, stays unsent; a channel that is off keeps its own. */
export async function suppressUnwanted(db: Db, now: Date) {
  const at = stamp(now)
  const isSettledNow = isSettledSince(at.slice(0, 10))
  await db.run(sql`
    UPDATE deliveries SET status = iif(unwanted.reason IS NULL, 'parked', 'suppressed'), last_error = coalesce(unwanted.reason, last_error) FROM (
      SELECT d.id,
        CASE WHEN o.is_active = 0 THEN 'The organization is disabled'
          WHEN o.trial_ends_at <= ${at} THEN 'The trial is over'
          WHEN ${isSettledNow} THEN 'The vulnerability is fixed or not interesting to you'
          WHEN ${isMail} THEN iif(${isListed}, 'It is no member’s address, and nobody has confirmed it', iif(coalesce(c.rota, '') = '', 'The address was removed', 'The member on duty has left'))
          WHEN coalesce(c.secrets, '') = '' THEN 'The channel was removed' END AS reason
      FROM deliveries d JOIN orgs o ON o.id = d.org_id LEFT JOIN alert_settings s ON s.org_id = d.org_id
        LEFT JOIN alert_channels c ON c.org_id = d.org_id AND c.channel = d.channel
      WHERE d.status = 'pending' AND d.next_attempt_at <= ${at} AND (o.is_active = 0 OR o.trial_ends_at <= ${at}
        OR ${isSettledNow} OR NOT ${mayReach})
    ) AS unwanted WHERE unwanted.id = deliveries.id`)
}

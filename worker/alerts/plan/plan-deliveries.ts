import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { literal } from '../../db/values'
import { bitOfRule, retoldBits, ruleAmong, urgentBits } from './fired-rules'
import type { PlannedRun } from './fired-rules'
import { isOwn } from './plan-alerts'
import { mayReceive } from '../recipients'
import { channelsAmong, takes, toldBits, wantedBits } from './takes'
import { messageTally } from './tally'

/** KEV first, then what has an exploit, then by score. */
const risk = sql`(v.kev_added_at IS NOT NULL) * 2000 + v.is_exploitable * 1000 + coalesce(v.score, -1)`

/** The alerts that a run planned or added to, and what their vulnerabilities score now. */
const selectPlanned = ({ planned_to, up_to, at, whose }: PlannedRun, which: SQL) => sql`
  SELECT a.id, a.org_id, a.vuln_id, a.change_seq, a.fired, a.score_from, a.cvss_from, a.cvss3_from,
    v.score, v.cvss, v.cvss3, v.kev_added_at IS NOT NULL OR v.is_exploitable AS is_exploited, ${risk} AS risk
  FROM alerts a CROSS JOIN vulns v ON v.id = a.vuln_id
  WHERE a.last_seq > ${planned_to} AND a.last_seq <= ${up_to} AND a.updated_at = ${at} AND a.suppressed IS NULL AND ${isOwn(whose, sql`a.org_id`)} AND ${which}`

/** What each channel takes of these. */
const selectWanted = sql`
  SELECT a.org_id, a.id AS alert_id, a.change_seq, a.risk, ch.channel, ch.is_off, ch.daily_max, ${wantedBits} AS bits, ${toldBits} AS news
  FROM planned a CROSS JOIN channels ch ON ch.org_id = a.org_id AND ch.blocked = '' AND ${takes}`

const withWanted = (run: PlannedRun, which: SQL) => sql`
  WITH planned AS MATERIALIZED (${selectPlanned(run, which)}),
  channels AS MATERIALIZED (${channelsAmong(sql`SELECT DISTINCT org_id FROM planned`)}),
  wanted AS MATERIALIZED (${selectWanted})`

const isUrgent = (told: SQL) => sql`(${told} & ${literal(urgentBits)} <> 0)`
const turnsUrgent = sql`(deliveries.status = 'held' AND ${isUrgent(sql`w.news`)})`

/** A message that still waits also tells of the changes that joined; one that was held goes at once when they are urgent. */
export const addToWaiting = (run: PlannedRun) => sql`
  ${withWanted(run, sql`change_seq <= ${run.planned_to}`)}
  UPDATE deliveries SET told = told | w.news, rule = ${ruleAmong(sql`(w.news & ~told) | ${bitOfRule(sql`deliveries.rule`)}`)},
    status = iif(${turnsUrgent}, 'pending', status), next_attempt_at = iif(${turnsUrgent}, ${run.at}, next_attempt_at)
  FROM wanted w WHERE w.alert_id = deliveries.alert_id AND w.channel = deliveries.channel
    AND deliveries.status IN ('pending', 'held', 'parked') AND deliveries.attempts = 0 AND w.news & ~told`

/** A mail for each address; the other channels have one receiver. */
const selectReceivers = sql`
  SELECT s.org_id, 'email' AS channel, lower(e.value) AS target FROM alert_settings s, json_each(s.alerts_emails) e
  WHERE s.org_id IN (SELECT DISTINCT org_id FROM planned) AND ${mayReceive}
  UNION SELECT org_id, channel, '' FROM channels WHERE channel <> 'email'`

/** The last message of an alert to a receiver; a new alert has none. */
const lastMessage = ({ planned_to }: PlannedRun) => sql`CASE WHEN w.change_seq <= ${planned_to} THEN (
  SELECT max(e.id) FROM deliveries e WHERE e.alert_id = w.alert_id AND e.channel = w.channel AND e.target = r.target) END`

/** What a receiver was not told of: all of it at first, and then only what is urgent. */
const selectFresh = (run: PlannedRun) => sql`
  SELECT w.*, r.target, coalesce(d.told, 0) AS told
  FROM wanted w CROSS JOIN receivers r ON r.org_id = w.org_id AND r.channel = w.channel
    LEFT JOIN deliveries d ON d.id = ${lastMessage(run)}
  WHERE w.news & ~coalesce(d.told, 0) & iif(d.id IS NULL, -1, ${literal(retoldBits)})`

const isFreshUrgent = isUrgent(sql`(f.told | f.news)`)
const placeByRisk = sql`dense_rank() OVER (PARTITION BY f.org_id, f.channel, ${isFreshUrgent} ORDER BY f.risk DESC, f.alert_id)`
const isWithin = sql`(${isFreshUrgent} OR f.daily_max = 0 OR ${placeByRisk} + coalesce(q.used, 0) <= f.daily_max)`

/** Of each channel what is urgent, and then the highest risk first; what is above its daily number is held for the next report,
 * and what a channel that is off would take, for the channel. */
export const insertDeliveries = (run: PlannedRun) => sql`
  ${withWanted(run, sql`1`)}, receivers AS MATERIALIZED (${selectReceivers}), fresh AS (${selectFresh(run)})
  INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, next_attempt_at)
  SELECT f.org_id, f.alert_id, f.channel, f.target, ${ruleAmong(sql`iif(f.told, f.news, f.bits) & ~f.told`)}, f.told | f.news,
    CASE WHEN f.is_off THEN 'parked' WHEN ${isWithin} THEN 'pending' ELSE 'held' END, ${run.at}
  FROM fresh f LEFT JOIN quotas q ON q.org_id = f.org_id AND q.name = f.channel AND q.day = ${run.at.slice(0, 10)}
  WHERE TRUE ON CONFLICT DO NOTHING`

/** What is new knows its messages already. */
export const tallyJoined = ({ planned_to, up_to, last_delivery }: PlannedRun) => sql`
  UPDATE alerts SET tally = tally + (SELECT coalesce(sum(${messageTally(sql`d.channel`)}), 0) FROM deliveries d
    WHERE d.alert_id = alerts.id AND d.id > ${last_delivery})
  WHERE last_seq > ${planned_to} AND last_seq <= ${up_to} AND change_seq <= ${planned_to}`

/** What is urgent takes no place of the daily number. */
export const countInstant = ({ at, last_delivery }: PlannedRun) => sql`
  INSERT INTO quotas(org_id, name, day, used)
  SELECT org_id, channel, ${at.slice(0, 10)}, count(DISTINCT alert_id) FROM deliveries
  WHERE id > ${last_delivery} AND status = 'pending' AND NOT ${isUrgent(sql`told`)}
  GROUP BY org_id, channel
  ON CONFLICT DO UPDATE SET used = used + excluded.used`

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import { concerned } from '../watchlist/monitored'
import { bitOfRule, ruleAmong, selectChanged, selectFired, urgentBits } from './fired'
import type { LogSpan } from './fired'
import { mayReceive } from './recipients'
import { channelsAmong, takes, wantedBits } from './takes'
import { messageTally } from './tally'
import { isAsleep, wakeByChanges } from './waking'

/** Changes planned at once; what is left is planned by the next message or the clock. */
const maxChanges = 500
/** Changes within so many seconds after an alert join it. */
export const joinSeconds = 600

/**
 * One batch writes alerts (one per organization, vulnerability and run of changes), deliveries and the mark: run twice, it plans nothing
 * twice. A vulnerability that a change first ties to what an organization monitors is new to that organization.
 */
export async function planAlerts(db: Db, now: Date) {
  const mark = await db.$client
    .prepare(
      `SELECT c.value AS planned_to, (SELECT max(seq) FROM (SELECT seq FROM vuln_changes WHERE seq > c.value ORDER BY seq LIMIT ${maxChanges})) AS up_to,
         (SELECT coalesce(max(id), 0) FROM deliveries) AS last_delivery
       FROM counters c WHERE c.name = 'alerts_planned_to'`,
    )
    .first<{ planned_to: number; up_to: number | null; last_delivery: number }>()
  if (!mark?.up_to) return { planned: 0, isDone: true }

  const { planned_to, up_to, last_delivery } = mark
  const run = { planned_to, up_to, last_delivery, at: stamp(now), joined_since: stamp(plusSeconds(now, -joinSeconds)) }
  const [, , alerts] = await db.$client.batch([
    // Somebody else may have planned since our reading: NULL breaks NOT NULL and with it the batch.
    statement(
      db,
      sql`UPDATE counters SET value = CASE WHEN value = ${planned_to} AND ${last_delivery} = (SELECT coalesce(max(id), 0) FROM deliveries)
        THEN ${up_to} END WHERE name = 'alerts_planned_to'`,
    ),
    statement(db, wakeByChanges(selectChanged(run), run.at)),
    statement(db, insertAlerts(run)),
    statement(db, addToWaiting(run)),
    statement(db, insertDeliveries(run)),
    statement(db, tallyJoined(run)),
    statement(db, countInstant(run)),
  ])
  const isDone = (await nextChange(db, up_to)) === null
  return { planned: alerts?.meta.changes ?? 0, isDone }
}

const nextChange = (db: Db, seq: number) =>
  db.$client.prepare('SELECT seq FROM vuln_changes WHERE seq > ?1 LIMIT 1').bind(seq).first<{ seq: number }>()

type Run = LogSpan & { last_delivery: number; at: string; joined_since: string }

const selectConcerns = sql`
  SELECT org_id, vuln_id, kind = 'new' OR max(is_old) = 0 AS is_new FROM (${concerned(sql`changed`)}) GROUP BY vuln_id, org_id`

const lowest = (name: string) => sql.raw(`coalesce(min(f.${name}, b.${name}), f.${name}, b.${name}) AS ${name}`)

/** What is fired for each organization, together with the alert that it joins, if there is one. */
const selectAlerts = ({ joined_since }: Run) => sql`
  SELECT n.org_id, o.trial_ends_at, f.vuln_id, coalesce(b.change_seq, f.seq) AS change_seq, f.last_seq, f.is_news, f.rule,
    f.fired | coalesce(b.fired, 0) AS fired, ${lowest('score_from')}, ${lowest('cvss_from')}, ${lowest('cvss3_from')},
    f.score, f.cvss, f.cvss3, f.is_exploited
  FROM concerns n JOIN orgs o ON o.id = n.org_id AND o.is_active = 1
    JOIN fired f ON f.vuln_id = n.vuln_id AND f.is_new = n.is_new AND (f.owner_id IS NULL OR f.owner_id = n.org_id)
    LEFT JOIN alerts b ON b.id = (SELECT c.id FROM alerts c WHERE c.org_id = n.org_id AND c.vuln_id = n.vuln_id
      AND (c.last_seq >= f.seq OR c.created_at > ${joined_since}) ORDER BY c.change_seq DESC LIMIT 1)`

const insertAlerts = (run: Run) => sql`
WITH changed AS MATERIALIZED (${selectChanged(run)}),
fired AS MATERIALIZED (${selectFired}),
concerns AS MATERIALIZED (${selectConcerns}),
channels AS MATERIALIZED (${channelsAmong(sql`SELECT DISTINCT org_id FROM concerns`)}),
judged AS MATERIALIZED (
  SELECT a.*,
    (SELECT sum(ch.tally) FROM channels ch WHERE ch.org_id = a.org_id AND ${takes}) AS tally,
    EXISTS (SELECT 1 FROM vuln_statuses s WHERE s.org_id = a.org_id AND s.vuln_id = a.vuln_id
      AND s.status IN ('fixed', 'not_interesting') AND (s.expires_at IS NULL OR s.expires_at >= ${run.at.slice(0, 10)})) AS is_settled,
    (SELECT z.kind FROM vuln_snoozes z WHERE z.org_id = a.org_id AND z.vuln_id = a.vuln_id AND ${isAsleep(run.at)}) AS quiet
  FROM (${selectAlerts(run)}) a
)
INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, score_from, cvss_from, cvss3_from, suppressed, tally, created_at, updated_at)
SELECT org_id, vuln_id, change_seq, last_seq, rule, fired, score_from, cvss_from, cvss3_from, suppressed,
  iif(suppressed IS NULL, tally, 0), ${run.at}, ${run.at}
FROM (SELECT *, CASE WHEN trial_ends_at <= ${run.at} THEN 'trial_over' WHEN is_settled THEN 'settled' WHEN quiet IS NOT NULL THEN quiet
    WHEN tally IS NULL THEN 'disabled' WHEN tally = 0 THEN (SELECT ch.blocked FROM channels ch WHERE ch.org_id = judged.org_id AND ch.blocked <> '') END AS suppressed
  FROM judged)
WHERE is_news OR tally IS NOT NULL
ON CONFLICT DO UPDATE SET last_seq = excluded.last_seq, fired = excluded.fired, score_from = excluded.score_from,
  cvss_from = excluded.cvss_from, cvss3_from = excluded.cvss3_from, updated_at = excluded.updated_at,
  rule = iif(${bitOfRule(sql`excluded.rule`)} & ${urgentBits} AND alerts.rule IN ('updated', 'score'), excluded.rule, alerts.rule),
  suppressed = iif(excluded.suppressed IS NULL, NULL, alerts.suppressed)
WHERE excluded.last_seq > last_seq`

/** KEV first, then what has an exploit, then by score. */
const risk = sql.raw(`(v.kev_added_at IS NOT NULL) * 2000 + v.is_exploitable * 1000 + coalesce(v.score, -1)`)

/** What each channel takes of the alerts that a run planned or added to. */
const selectWanted = ({ planned_to, up_to, at }: Run, which: SQL) => sql`
planned AS MATERIALIZED (
  SELECT a.id, a.org_id, a.vuln_id, a.change_seq, a.fired, a.score_from, a.cvss_from, a.cvss3_from,
    v.score, v.cvss, v.cvss3, v.kev_added_at IS NOT NULL OR v.is_exploitable AS is_exploited, ${risk} AS risk
  FROM alerts a CROSS JOIN vulns v ON v.id = a.vuln_id
  WHERE a.last_seq > ${planned_to} AND a.last_seq <= ${up_to} AND a.updated_at = ${at} AND a.suppressed IS NULL AND ${which}
), channels AS MATERIALIZED (${channelsAmong(sql`SELECT DISTINCT org_id FROM planned`)}),
wanted AS MATERIALIZED (
  SELECT a.org_id, a.id AS alert_id, a.change_seq, a.risk, ch.channel, ch.daily_max, ${wantedBits} AS bits
  FROM planned a CROSS JOIN channels ch ON ch.org_id = a.org_id AND ch.blocked = '' AND ${takes}
)`

/** What did not leave yet tells of what joined, too: it is one message. */
const addToWaiting = (run: Run) => sql`
WITH ${selectWanted(run, sql`change_seq <= ${run.planned_to}`)}
UPDATE deliveries SET told = told | w.bits, rule = ${ruleAmong(sql`(w.bits & ~told) | ${bitOfRule(sql`deliveries.rule`)}`)}
FROM wanted w WHERE w.alert_id = deliveries.alert_id AND w.channel = deliveries.channel
  AND deliveries.status IN ('pending', 'held') AND deliveries.attempts = 0 AND w.bits & ~told`

/** Of each channel the highest risk first; what is above its daily number is held for the next report. */
const insertDeliveries = (run: Run) => sql`
WITH ${selectWanted(run, sql`1`)}, receivers AS MATERIALIZED (
  SELECT s.org_id, 'email' AS channel, lower(e.value) AS target FROM alert_settings s, json_each(s.alerts_emails) e
  WHERE s.org_id IN (SELECT DISTINCT org_id FROM planned) AND ${mayReceive}
  UNION SELECT org_id, channel, '' FROM channels WHERE channel <> 'email'
), fresh AS (
  SELECT w.*, r.target, coalesce(d.told, 0) AS told
  FROM wanted w CROSS JOIN receivers r ON r.org_id = w.org_id AND r.channel = w.channel
    LEFT JOIN deliveries d ON d.id = CASE WHEN w.change_seq <= ${run.planned_to} THEN (SELECT max(e.id) FROM deliveries e
      WHERE e.alert_id = w.alert_id AND e.channel = w.channel AND e.target = r.target) END
  WHERE w.bits & ~coalesce(d.told, 0) & iif(d.id IS NULL, -1, ${urgentBits})
)
INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, next_attempt_at)
SELECT f.org_id, f.alert_id, f.channel, f.target, ${ruleAmong(sql`f.bits & ~f.told`)}, f.told | f.bits,
  iif(dense_rank() OVER (PARTITION BY f.org_id, f.channel ORDER BY f.risk DESC, f.alert_id) + coalesce(q.used, 0) > f.daily_max,
    'held', 'pending'), ${run.at}
FROM fresh f LEFT JOIN quotas q ON q.org_id = f.org_id AND q.name = f.channel AND q.day = ${run.at.slice(0, 10)}
WHERE TRUE ON CONFLICT DO NOTHING`

/** What is new knows its messages already. */
const tallyJoined = ({ planned_to, up_to, last_delivery }: Run) => sql`
UPDATE alerts SET tally = tally + (SELECT coalesce(sum(${messageTally(sql`d.channel`)}), 0) FROM deliveries d
  WHERE d.alert_id = alerts.id AND d.id > ${last_delivery})
WHERE last_seq > ${planned_to} AND last_seq <= ${up_to} AND change_seq <= ${planned_to}`

const countInstant = ({ at, last_delivery }: Run) => sql`
INSERT INTO quotas(org_id, name, day, used)
SELECT org_id, channel, ${at.slice(0, 10)}, count(DISTINCT alert_id) FROM deliveries
WHERE id > ${last_delivery} AND status = 'pending'
GROUP BY org_id, channel
ON CONFLICT DO UPDATE SET used = used + excluded.used`

export async function planAndDrive(env: Env, db: Db, now: Date) {
  for (;;) {
    const { planned, isDone } = await planAlerts(db, now)
    if (planned) await env.DELIVERIES.send({ reason: 'due' })
    if (isDone) return
  }
}

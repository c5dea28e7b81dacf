import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import { concerned } from '../watchlist/monitored'
import { bitOfRule, channelsAmong, firedBits, ruleAmong, takes, urgentBits, wantedBits } from './fired'
import { mayReceive } from './recipients'
import { isAsleep, wakeByChanges } from './waking'

/** Changes planned at once; what is left is planned by the next message or the clock. */
const maxChanges = 500
/** Changes of a vulnerability within so many seconds after an alert belong to it. */
export const joinSeconds = 600

/**
 * Turns changes into alerts, one per organization, vulnerability and run of changes, and alerts into deliveries, all in one
 * batch that also moves the mark: run twice, it plans nothing twice. A change that only now ties a vulnerability to what
 * an organization monitors is new to that organization, whenever the vulnerability was first seen.
 */
export async function planAlerts(db: Db, now: Date) {
  const mark = await db.$client
    .prepare(
      `SELECT c.value AS planned_to, (SELECT max(seq) FROM (SELECT seq FROM vuln_changes WHERE seq > c.value ORDER BY seq LIMIT ${maxChanges})) AS up_to
       FROM counters c WHERE c.name = 'alerts_planned_to'`,
    )
    .first<{ planned_to: number; up_to: number | null }>()
  if (!mark?.up_to) return { planned: 0, isDone: true }

  const { planned_to, up_to } = mark
  const run = { planned_to, up_to, at: stamp(now), joined_since: stamp(plusSeconds(now, -joinSeconds)) }
  const [, , alerts] = await db.$client.batch([
    // Somebody else may have planned since our reading: NULL breaks NOT NULL and with it the batch.
    statement(
      db,
      sql`UPDATE counters SET value = CASE WHEN value = ${planned_to} THEN ${up_to} END WHERE name = 'alerts_planned_to'`,
    ),
    statement(db, wakeByChanges(changedBetween(run), run.at)),
    statement(db, insertAlerts(run)),
    statement(db, addToWaiting(run)),
    statement(db, insertDeliveries(run)),
    statement(db, countInstant(run)),
  ])
  const isDone = (await nextChange(db, up_to)) === null
  return { planned: alerts?.meta.changes ?? 0, isDone }
}

const nextChange = (db: Db, seq: number) =>
  db.$client.prepare('SELECT seq FROM vuln_changes WHERE seq > ?1 LIMIT 1').bind(seq).first<{ seq: number }>()

type Run = { planned_to: number; up_to: number; at: string; joined_since: string }

const field = sql.raw(`j.value ->> 'field'`)
const to = sql.raw(`j.value ->> 'to'`)
const lowestFrom = (name: string) =>
  sql`min(CASE WHEN ${field} = ${sql.raw(`'${name}'`)} THEN coalesce(j.value ->> 'from', -1) END)`

/** One row a vulnerability: the run of its changes, and what they are about. */
const changedBetween = ({ planned_to, up_to }: Run) => sql`
  SELECT c.vuln_id, min(c.seq) AS seq, max(c.seq) AS last_seq, iif(max(c.kind = 'new'), 'new', 'updated') AS kind,
    max(c.kind <> 'minor') AS is_news,
    max(${field} = 'is_exploitable' AND ${to}) AS is_exploitable,
    max(${field} = 'kev_added_at' AND ${to} IS NOT NULL) AS is_kev,
    max(${field} = 'fixes') AS is_fix,
    ${lowestFrom('score')} AS score_from, ${lowestFrom('cvss')} AS cvss_from, ${lowestFrom('cvss3')} AS cvss3_from
  FROM vuln_changes c, json_each(c.detail) j
  WHERE c.seq > ${planned_to} AND c.seq <= ${up_to} AND c.is_backfill = 0 GROUP BY c.vuln_id`

// What is new to an organization has come from nothing: all that holds of it is fired.
const bit = (name: keyof typeof firedBits, holds: SQL, is: SQL) =>
  sql`iif(CASE WHEN r.is_new THEN ${holds} ELSE ${is} END, ${sql.raw(String(firedBits[name]))}, 0)`
const risenFrom = (name: string) =>
  sql.raw(
    `CASE WHEN r.is_new THEN iif(v.${name} IS NULL, NULL, -1) WHEN r.${name}_from < v.${name} THEN r.${name}_from END`,
  )

const selectFired = (changed: SQL) => sql`
  SELECT r.org_id, r.vuln_id, r.seq, r.last_seq, r.is_news,
    CASE WHEN r.is_new THEN 'new' WHEN r.is_kev THEN 'kev' WHEN r.is_exploitable THEN 'exploitable' WHEN r.is_fix THEN 'fix'
      WHEN r.is_news THEN 'updated' ELSE 'score' END AS rule,
    ${sql.join(
      [
        bit('new', sql`1`, sql`0`),
        bit('updated', sql`0`, sql`r.is_news`),
        bit('exploitable', sql`v.is_exploitable`, sql`r.is_exploitable`),
        bit('kev', sql`v.kev_added_at IS NOT NULL`, sql`r.is_kev`),
        bit('fix', sql`0`, sql`r.is_fix`),
        ...(['score', 'cvss', 'cvss3'] as const).map((name) =>
          bit(name, sql.raw(`v.${name} IS NOT NULL`), sql.raw(`r.${name}_from < v.${name}`)),
        ),
      ],
      sql` + `,
    )} AS fired,
    ${risenFrom('score')} AS score_from, ${risenFrom('cvss')} AS cvss_from, ${risenFrom('cvss3')} AS cvss3_from
  FROM (
    SELECT n.org_id, n.is_new, c.* FROM (
      SELECT seq, vuln_id, org_id, kind = 'new' OR max(is_old) = 0 AS is_new
      FROM (${concerned(changed)}) GROUP BY seq, vuln_id, org_id) n
    JOIN ${changed} c ON c.vuln_id = n.vuln_id) r
  JOIN vulns v ON v.id = r.vuln_id AND (v.org_id IS NULL OR v.org_id = r.org_id)`

const lowest = (name: string) => sql.raw(`coalesce(min(f.${name}, b.${name}), f.${name}, b.${name}) AS ${name}`)

/** What a change fires together with the alert that it joins, if there is one. */
const selectJoined = ({ joined_since }: Run) => sql`
  SELECT f.org_id, f.vuln_id, coalesce(b.change_seq, f.seq) AS change_seq, f.last_seq, f.is_news, f.rule, f.fired | coalesce(b.fired, 0) AS fired,
    ${lowest('score_from')}, ${lowest('cvss_from')}, ${lowest('cvss3_from')}
  FROM fired f LEFT JOIN alerts b ON b.id = (SELECT c.id FROM alerts c WHERE c.org_id = f.org_id AND c.vuln_id = f.vuln_id
    AND (c.last_seq >= f.seq OR c.created_at > ${joined_since}) ORDER BY c.change_seq DESC LIMIT 1)`

const insertAlerts = (run: Run) => sql`
WITH changed AS MATERIALIZED (${changedBetween(run)}),
fired AS MATERIALIZED (${selectFired(sql`changed`)}),
channels AS MATERIALIZED (${channelsAmong(sql`SELECT org_id FROM fired`, mayReceive)}),
judged AS MATERIALIZED (
  SELECT a.*, o.trial_ends_at,
    (SELECT min(ch.blocked) FROM channels ch WHERE ch.org_id = a.org_id AND ${takes}) AS blocked,
    EXISTS (SELECT 1 FROM vuln_statuses s WHERE s.org_id = a.org_id AND s.vuln_id = a.vuln_id
      AND s.status IN ('fixed', 'not_interesting') AND (s.expires_at IS NULL OR s.expires_at >= ${run.at.slice(0, 10)})) AS is_settled,
    (SELECT z.kind FROM vuln_snoozes z WHERE z.org_id = a.org_id AND z.vuln_id = a.vuln_id AND ${isAsleep(run.at)}) AS quiet
  FROM (${selectJoined(run)}) a JOIN orgs o ON o.id = a.org_id AND o.is_active = 1 JOIN vulns v ON v.id = a.vuln_id
)
INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, score_from, cvss_from, cvss3_from, suppressed, created_at, updated_at)
SELECT org_id, vuln_id, change_seq, last_seq, rule, fired, score_from, cvss_from, cvss3_from,
  CASE WHEN trial_ends_at <= ${run.at} THEN 'trial_over' WHEN is_settled THEN 'settled'
    ELSE coalesce(quiet, nullif(coalesce(blocked, 'disabled'), '')) END, ${run.at}, ${run.at}
FROM judged WHERE is_news OR blocked IS NOT NULL
ON CONFLICT DO UPDATE SET last_seq = excluded.last_seq, fired = excluded.fired, score_from = excluded.score_from,
  cvss_from = excluded.cvss_from, cvss3_from = excluded.cvss3_from, updated_at = excluded.updated_at,
  rule = iif(${bitOfRule(sql`excluded.rule`)} & ${urgentBits} AND alerts.rule IN ('updated', 'score'), excluded.rule, alerts.rule),
  suppressed = iif(excluded.suppressed IS NULL, NULL, alerts.suppressed)
WHERE excluded.last_seq > last_seq`

/** What each channel takes of the alerts that a run planned or added to. */
const selectWanted = ({ planned_to, up_to, at }: Run, which: SQL) => sql`
planned AS MATERIALIZED (
  SELECT * FROM alerts WHERE last_seq > ${planned_to} AND last_seq <= ${up_to} AND updated_at = ${at} AND suppressed IS NULL AND ${which}
), channels AS MATERIALIZED (${channelsAmong(sql`SELECT org_id FROM planned`, mayReceive)}),
wanted AS MATERIALIZED (
  SELECT a.org_id, a.id AS alert_id, a.change_seq, ch.channel, ch.daily_max, v.kev_added_at IS NOT NULL AS is_kev, v.is_exploitable, v.score,
    ${wantedBits} AS bits
  FROM planned a JOIN vulns v ON v.id = a.vuln_id JOIN channels ch ON ch.org_id = a.org_id AND ch.blocked = '' AND ${takes}
)`

/** What did not leave yet tells of what joined, too: it is one message. */
const addToWaiting = (run: Run) => sql`
WITH ${selectWanted(run, sql`change_seq <= ${run.planned_to}`)}
UPDATE deliveries SET told = told | w.bits, rule = ${ruleAmong(sql`(w.bits & ~told) | ${bitOfRule(sql`deliveries.rule`)}`)}
FROM wanted w WHERE w.alert_id = deliveries.alert_id AND w.channel = deliveries.channel
  AND deliveries.status IN ('pending', 'held') AND deliveries.attempts = 0 AND w.bits & ~told`

/** Of each channel the highest risk first; what is above its daily number is held for the next report. */
const insertDeliveries = (run: Run) => sql`
WITH ${selectWanted(run, sql`1`)}, receivers AS (
  SELECT s.org_id, 'email' AS channel, lower(e.value) AS target FROM alert_settings s, json_each(s.alerts_emails) e
  WHERE s.org_id IN (SELECT org_id FROM planned) AND ${mayReceive}
  UNION SELECT org_id, channel, '' FROM channels WHERE channel <> 'email'
), fresh AS (
  SELECT w.*, r.target, coalesce(d.told, 0) AS told, w.bits & ~coalesce(d.told, 0) AS untold
  FROM wanted w JOIN receivers r ON r.org_id = w.org_id AND r.channel = w.channel
    LEFT JOIN deliveries d ON d.id = CASE WHEN w.change_seq <= ${run.planned_to} THEN (SELECT max(e.id) FROM deliveries e
      WHERE e.alert_id = w.alert_id AND e.channel = w.channel AND e.target = r.target) END
  WHERE (w.bits & ~coalesce(d.told, 0)) & iif(d.id IS NULL, -1, ${urgentBits})
)
INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, next_attempt_at)
SELECT f.org_id, f.alert_id, f.channel, f.target, ${ruleAmong(sql`f.untold`)}, f.told | f.bits,
  iif(dense_rank() OVER (PARTITION BY f.org_id, f.channel ORDER BY f.is_kev DESC, f.is_exploitable DESC, f.score DESC NULLS LAST, f.alert_id)
    + coalesce(q.used, 0) > f.daily_max, 'held', 'pending'), ${run.at}
FROM fresh f LEFT JOIN quotas q ON q.org_id = f.org_id AND q.name = f.channel AND q.day = ${run.at.slice(0, 10)}
WHERE TRUE ON CONFLICT DO NOTHING`

/** Counts the rows that the statement before it wrote: these are the last ones. */
const countInstant = ({ at }: Run) => sql`
INSERT INTO quotas(org_id, name, day, used)
SELECT org_id, channel, ${at.slice(0, 10)}, count(DISTINCT alert_id) FROM deliveries
WHERE changes() > 0 AND id > (SELECT max(id) FROM deliveries) - changes() AND status = 'pending'
GROUP BY org_id, channel
ON CONFLICT DO UPDATE SET used = used + excluded.used`

/** Plans all there is, and asks for the deliveries. */
export async function planAndDrive(env: Env, db: Db, now: Date) {
  for (;;) {
    const { planned, isDone } = await planAlerts(db, now)
    if (planned) await env.DELIVERIES.send({ reason: 'due' })
    if (isDone) return
  }
}

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import { concerned } from '../watchlist/monitored'
import { channelsAmong, crossesAny, firedBits, takes, takingRule, urgentBits } from './fired'
import { mayReceive } from './recipients'

/** Changes planned at once; what is left is planned by the next message or the clock. */
const maxChanges = 500
/**
 * Changes of a vulnerability within so many seconds after an alert belong to it, unless only they tell of an exploit, of KEV, of
 * a fix, or take it over a threshold that somebody set.
 */
const joinSeconds = 600

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
  const [, alerts] = await db.$client.batch([
    // Somebody else may have planned since our reading: NULL breaks NOT NULL and with it the batch.
    statement(
      db,
      sql`UPDATE counters SET value = CASE WHEN value = ${planned_to} THEN ${up_to} END WHERE name = 'alerts_planned_to'`,
    ),
    statement(db, insertAlerts(run)),
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

const insertAlerts = (run: Run) => sql`
WITH changed AS MATERIALIZED (${changedBetween(run)}),
fired AS MATERIALIZED (${selectFired(sql`changed`)}),
channels AS MATERIALIZED (${channelsAmong(sql`SELECT org_id FROM fired`, mayReceive)}),
judged AS (
  SELECT a.*, o.trial_ends_at,
    (SELECT min(ch.blocked) FROM channels ch WHERE ch.org_id = a.org_id AND ${takes}) AS blocked,
    EXISTS (SELECT 1 FROM vuln_statuses s WHERE s.org_id = a.org_id AND s.vuln_id = a.vuln_id
      AND s.status IN ('fixed', 'not_interesting')) AS is_settled,
    (SELECT b.change_seq FROM alerts b WHERE b.org_id = a.org_id AND b.vuln_id = a.vuln_id
      AND (b.last_seq >= a.seq OR (b.created_at > ${run.joined_since} AND (a.fired & ~b.fired & ${urgentBits}) = 0
        AND NOT EXISTS (SELECT 1 FROM channels ch WHERE ch.org_id = a.org_id AND (${crossesAny}))))
      ORDER BY b.change_seq DESC LIMIT 1) AS joined_seq
  FROM fired a JOIN orgs o ON o.id = a.org_id AND o.is_active = 1 JOIN vulns v ON v.id = a.vuln_id
)
INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, score_from, cvss_from, cvss3_from, suppressed, created_at)
SELECT org_id, vuln_id, coalesce(joined_seq, seq), last_seq, rule, fired, score_from, cvss_from, cvss3_from,
  CASE WHEN trial_ends_at <= ${run.at} THEN 'trial_over' WHEN is_settled THEN 'settled'
    ELSE nullif(coalesce(blocked, 'disabled'), '') END, ${run.at}
FROM judged WHERE is_news OR blocked IS NOT NULL
ON CONFLICT DO UPDATE SET last_seq = excluded.last_seq WHERE excluded.last_seq > last_seq`

/** Of each channel the highest risk first; what is above its daily number is held for the next report. */
const insertDeliveries = ({ planned_to, up_to, at }: Run) => sql`
WITH planned AS MATERIALIZED (
  SELECT * FROM alerts WHERE change_seq > ${planned_to} AND change_seq <= ${up_to} AND created_at = ${at} AND suppressed IS NULL
), channels AS MATERIALIZED (${channelsAmong(sql`SELECT org_id FROM planned`, mayReceive)}),
taken AS (
  SELECT a.org_id, a.id AS alert_id, ch.channel, ${takingRule} AS rule,
    row_number() OVER (PARTITION BY a.org_id, ch.channel
      ORDER BY v.kev_added_at IS NOT NULL DESC, v.is_exploitable DESC, v.score DESC NULLS LAST, a.id) + coalesce(q.used, 0) > ch.daily_max AS is_held
  FROM planned a JOIN vulns v ON v.id = a.vuln_id JOIN channels ch ON ch.org_id = a.org_id AND ch.blocked = '' AND ${takes}
    LEFT JOIN quotas q ON q.org_id = a.org_id AND q.name = ch.channel AND q.day = ${at.slice(0, 10)}
), receivers AS (
  SELECT s.org_id, 'email' AS channel, lower(e.value) AS target FROM alert_settings s, json_each(s.alerts_emails) e
  WHERE s.org_id IN (SELECT org_id FROM planned) AND ${mayReceive}
  UNION SELECT org_id, channel, '' FROM channels WHERE channel <> 'email'
)
INSERT INTO deliveries(org_id, alert_id, channel, target, rule, status, next_attempt_at)
SELECT t.org_id, t.alert_id, t.channel, r.target, t.rule, iif(t.is_held, 'held', 'pending'), ${at}
FROM taken t JOIN receivers r ON r.org_id = t.org_id AND r.channel = t.channel
WHERE TRUE ON CONFLICT DO NOTHING`

/** Counts what was just planned, when anything was. */
const countInstant = ({ planned_to, up_to, at }: Run) => sql`
INSERT INTO quotas(org_id, name, day, used)
SELECT d.org_id, d.channel, ${at.slice(0, 10)}, count(DISTINCT d.alert_id)
FROM alerts a JOIN deliveries d ON d.alert_id = a.id
WHERE changes() > 0 AND a.change_seq > ${planned_to} AND a.change_seq <= ${up_to} AND a.created_at = ${at} AND d.status = 'pending'
GROUP BY d.org_id, d.channel
ON CONFLICT DO UPDATE SET used = used + excluded.used`

/** Plans all there is, and asks for the deliveries. */
export async function planAndDrive(env: Env, db: Db, now: Date) {
  for (;;) {
    const { planned, isDone } = await planAlerts(db, now)
    if (planned) await env.DELIVERIES.send({ reason: 'due' })
    if (isDone) return
  }
}

import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import type { Env } from '../env'
import { concerned } from '../watchlist/monitored'
import { mayReceive } from './recipients'

/** Changes planned at once; what is left is planned by the next message or the clock. */
const maxChanges = 500

/**
 * Turns changes into alerts, one per organization, vulnerability, change and rule, and alerts into deliveries, all in one
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
  const [, alerts] = await db.$client.batch([
    // Somebody else may have planned since our reading: NULL breaks NOT NULL and with it the batch.
    statement(
      db,
      sql`UPDATE counters SET value = CASE WHEN value = ${planned_to} THEN ${up_to} END WHERE name = 'alerts_planned_to'`,
    ),
    statement(db, insertAlerts(planned_to, up_to, stamp(now))),
    statement(db, insertDeliveries(planned_to, up_to, stamp(now))),
  ])
  const isDone = (await nextChange(db, up_to)) === null
  return { planned: alerts?.meta.changes ?? 0, isDone }
}

const nextChange = (db: Db, seq: number) =>
  db.$client.prepare('SELECT seq FROM vuln_changes WHERE seq > ?1 LIMIT 1').bind(seq).first<{ seq: number }>()

const insertAlerts = (planned_to: number, up_to: number, at: string) => sql`
WITH changed AS MATERIALIZED (
  SELECT seq, vuln_id, kind FROM vuln_changes
  WHERE seq > ${planned_to} AND seq <= ${up_to} AND kind <> 'minor' AND is_backfill = 0
), ruled AS (
  SELECT seq, vuln_id, org_id, CASE WHEN kind = 'new' OR max(is_old) = 0 THEN 'new' ELSE 'updated' END AS rule
  FROM (${concerned(sql`changed`)}) GROUP BY seq, vuln_id, org_id
)
INSERT INTO alerts(org_id, vuln_id, change_seq, rule, suppressed, created_at)
SELECT r.org_id, r.vuln_id, r.seq, r.rule,
  CASE
    WHEN o.trial_ends_at <= ${at} THEN 'trial_over'
    WHEN coalesce(CASE r.rule WHEN 'new' THEN s.enable_email_alert_new_vuln ELSE s.enable_email_alert_update_vuln END, 0) = 0 THEN 'disabled'
    WHEN json_array_length(s.alerts_emails) = 0 THEN 'no_recipient'
    WHEN NOT EXISTS (SELECT 1 FROM json_each(s.alerts_emails) e WHERE ${mayReceive}) THEN 'unconfirmed'
  END, ${at}
FROM ruled r JOIN orgs o ON o.id = r.org_id AND o.is_active = 1
  JOIN vulns v ON v.id = r.vuln_id AND (v.org_id IS NULL OR v.org_id = r.org_id) LEFT JOIN alert_settings s ON s.org_id = r.org_id
WHERE true ON CONFLICT DO NOTHING`

const insertDeliveries = (planned_to: number, up_to: number, at: string) => sql`
INSERT INTO deliveries(org_id, alert_id, channel, target, status, next_attempt_at)
SELECT a.org_id, a.id, 'email', lower(e.value), 'pending', ${at}
FROM alerts a JOIN alert_settings s ON s.org_id = a.org_id, json_each(s.alerts_emails) e
WHERE a.change_seq > ${planned_to} AND a.change_seq <= ${up_to} AND a.suppressed IS NULL AND ${mayReceive}
ON CONFLICT DO NOTHING`

/** Plans all there is, and asks for the deliveries. */
export async function planAndDrive(env: Env, db: Db, now: Date) {
  for (;;) {
    const { planned, isDone } = await planAlerts(db, now)
    if (planned) await env.DELIVERIES.send({ reason: 'due' })
    if (isDone) return
  }
}

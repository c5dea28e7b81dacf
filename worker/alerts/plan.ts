import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { Env } from '../env'

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
  const prepare = (sql: string, ...values: unknown[]) => db.$client.prepare(sql).bind(...values)
  const [, alerts] = await db.$client.batch([
    // Somebody else may have planned since our reading: NULL breaks NOT NULL and with it the batch.
    prepare(
      "UPDATE counters SET value = CASE WHEN value = ?1 THEN ?2 END WHERE name = 'alerts_planned_to'",
      planned_to,
      up_to,
    ),
    prepare(insertAlerts, planned_to, up_to, stamp(now)),
    prepare(insertDeliveries, planned_to, up_to, stamp(now)),
  ])
  const isDone = (await nextChange(db, up_to)) === null
  return { planned: alerts?.meta.changes ?? 0, isDone }
}

const nextChange = (db: Db, seq: number) =>
  db.$client.prepare('SELECT seq FROM vuln_changes WHERE seq > ?1 LIMIT 1').bind(seq).first<{ seq: number }>()

// For each change the links that make it concern an organization; `is_old` tells a link that was there before the change.
const insertAlerts = `
WITH changed AS (
  SELECT seq, vuln_id, kind, json_extract(detail, '$') AS detail FROM vuln_changes
  WHERE seq > ?1 AND seq <= ?2 AND kind <> 'minor' AND is_backfill = 0
), concerned AS (
  SELECT c.seq, c.vuln_id, c.kind, m.org_id, 1 AS is_old
  FROM changed c JOIN monitored_vulns m ON m.vuln_id = c.vuln_id
  UNION ALL
  SELECT c.seq, c.vuln_id, c.kind, m.org_id, l.since_seq < c.seq
  FROM changed c JOIN vuln_products l ON l.vuln_id = c.vuln_id
  JOIN monitored_products m ON m.product_id = l.product_id AND m.is_monitored = 1
  UNION ALL
  SELECT c.seq, c.vuln_id, c.kind, m.org_id, l.since_seq < c.seq
  FROM changed c JOIN vuln_products l ON l.vuln_id = c.vuln_id
  JOIN monitored_vendors m ON m.vendor_id = l.vendor_id
  WHERE NOT EXISTS (SELECT 1 FROM monitored_products x WHERE x.org_id = m.org_id AND x.product_id = l.product_id AND x.is_monitored = 0)
), ruled AS (
  SELECT seq, vuln_id, org_id, CASE WHEN kind = 'new' OR max(is_old) = 0 THEN 'new' ELSE 'updated' END AS rule
  FROM concerned GROUP BY seq, vuln_id, org_id
)
INSERT INTO alerts(org_id, vuln_id, change_seq, rule, suppressed, created_at)
SELECT r.org_id, r.vuln_id, r.seq, r.rule,
  CASE
    WHEN coalesce(CASE r.rule WHEN 'new' THEN s.enable_email_alert_new_vuln ELSE s.enable_email_alert_update_vuln END, 0) = 0 THEN 'disabled'
    WHEN json_array_length(s.alerts_emails) = 0 THEN 'no_recipient'
  END, ?3
FROM ruled r JOIN orgs o ON o.id = r.org_id AND o.is_active = 1 LEFT JOIN alert_settings s ON s.org_id = r.org_id
JOIN vulns v ON v.id = r.vuln_id
WHERE true ON CONFLICT DO NOTHING`

const insertDeliveries = `
INSERT INTO deliveries(org_id, alert_id, channel, target, status, next_attempt_at)
SELECT a.org_id, a.id, 'email', lower(e.value), 'pending', ?3
FROM alerts a JOIN alert_settings s ON s.org_id = a.org_id, json_each(s.alerts_emails) e
WHERE a.change_seq > ?1 AND a.change_seq <= ?2 AND a.suppressed IS NULL
ON CONFLICT DO NOTHING`

/** Plans all there is, and asks for the deliveries. */
export async function planAndDrive(env: Env, db: Db, now: Date) {
  for (;;) {
    const { planned, isDone } = await planAlerts(db, now)
    if (planned) await env.DELIVERIES.send({ reason: 'due' })
    if (isDone) return
  }
}

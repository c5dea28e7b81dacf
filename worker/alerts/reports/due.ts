import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { ReportKind } from '../../domain/report-times'

export type DueReport = {
  org_id: number
  kind: ReportKind
  due_at: string
  org_name: string
  /** The organization is disabled, or its trial is over: no report is made. */
  is_paused: number
  is_wanted: number
  alerts_emails: string
  time_zone: string
  report_hour: number
  quiet_report: number
  /** Where the report before ended; null for the first one. */
  last_end: string | null
  last_seq: number | null
}

const perClaim = 20
/** Only a worker that died leaves a lease to run out. */
const leaseSeconds = 600
/** A report that nobody made for so long is late: readiness tells. */
const lateSeconds = 1_800

export async function claimReports(db: Db, now: Date) {
  const { results: claimed } = await db.$client
    .prepare(
      `UPDATE report_dues SET lease_until = ?2 WHERE (due_at, org_id, kind) IN (
         SELECT due_at, org_id, kind FROM report_dues
         WHERE due_at <= ?1 AND (lease_until IS NULL OR lease_until < ?1) ORDER BY due_at, org_id, kind LIMIT ${perClaim})
       RETURNING org_id, kind, due_at`,
    )
    .bind(stamp(now), stamp(plusSeconds(now, leaseSeconds)))
    .all()
  if (!claimed.length) return []
  const { results } = await db.$client
    .prepare(
      `SELECT d.value ->> 'org_id' AS org_id, d.value ->> 'kind' AS kind, d.value ->> 'due_at' AS due_at, o.name AS org_name,
         o.is_active = 0 OR coalesce(o.trial_ends_at <= ?2, 0) AS is_paused,
         CASE d.value ->> 'kind' WHEN 'daily' THEN s.daily_report WHEN 'weekly' THEN s.weekly_report ELSE s.monthly_report END AS is_wanted,
         s.alerts_emails, s.time_zone, s.report_hour, s.quiet_report, r.ends_at AS last_end, r.last_seq
       FROM json_each(?1) d JOIN orgs o ON o.id = d.value ->> 'org_id' JOIN alert_settings s ON s.org_id = o.id
         LEFT JOIN reports r ON r.org_id = o.id AND r.kind = d.value ->> 'kind' AND r.period = (
           SELECT max(period) FROM reports p WHERE p.org_id = o.id AND p.kind = d.value ->> 'kind')`,
    )
    .bind(JSON.stringify(claimed), stamp(now))
    .all<DueReport>()
  return results
}

/** A report that somebody is making does not count. */
export async function isReportDue(db: Db, now: Date) {
  const row = await db.$client
    .prepare('SELECT due_at FROM report_dues WHERE due_at <= ?1 AND (lease_until IS NULL OR lease_until < ?1) LIMIT 1')
    .bind(stamp(now))
    .first()
  return row !== null
}

export async function refuseLate(db: Db, now: Date) {
  const late = await db.$client
    .prepare('SELECT due_at, org_id, kind FROM report_dues ORDER BY due_at LIMIT 1')
    .first<{ due_at: string; org_id: number; kind: string }>()
  if (late && late.due_at < stamp(plusSeconds(now, -lateSeconds)))
    throw new Error(`The ${late.kind} report of the organization ${late.org_id} was due at ${late.due_at}`)
}

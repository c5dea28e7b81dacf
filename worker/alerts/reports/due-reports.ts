import { and, asc, eq, isNull, lt, lte, or, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { ReportKind } from '../../domain/alerts/report-times'
import { alertSettings } from '../../schema/alerts'
import { orgs } from '../../schema/orgs'
import { reportDues, reports } from '../../schema/reports'
import { isMatchedOrLate } from '../../watchlist/match-due'

const perClaim = 20
/** Only a worker that died leaves a lease to run out. */
const leaseSeconds = 600
/** A report that nobody made for so long is late: readiness tells. */
const lateSeconds = 1_800

const { due_at, org_id, kind, lease_until } = reportDues
const order = [asc(due_at), asc(org_id), asc(kind)]

/** A report that somebody is making is not free. */
const isFree = (now: Date) =>
  and(
    lte(due_at, stamp(now)),
    or(isNull(lease_until), lt(lease_until, stamp(now))),
    isMatchedOrLate(sql`report_dues.org_id`, sql`${due_at}`, now),
  )

export async function claimReports(db: Db, now: Date) {
  const free = db.select({ due_at, org_id, kind }).from(reportDues).where(isFree(now))
  const claimed = await db
    .update(reportDues)
    .set({ lease_until: stamp(plusSeconds(now, leaseSeconds)) })
    .where(sql`(${due_at}, ${org_id}, ${kind}) IN ${free.orderBy(...order).limit(perClaim)}`)
    .returning({ org_id, kind, due_at })
  return claimed.length ? describeDues(db, claimed, now) : []
}

/** Reports that were claimed and not begun. */
export const releaseReports = (db: Db, claimed: Claimed[]) =>
  db.run(sql`UPDATE report_dues SET lease_until = NULL WHERE (due_at, org_id, kind) IN (
    SELECT value ->> 'due_at', value ->> 'org_id', value ->> 'kind' FROM json_each(${JSON.stringify(claimed)}))`)

export type DueReport = Awaited<ReturnType<typeof claimReports>>[number]
type Claimed = Pick<typeof reportDues.$inferSelect, 'org_id' | 'kind' | 'due_at'>

const claim = {
  org_id: sql<number>`d.value ->> 'org_id'`,
  kind: sql<ReportKind>`d.value ->> 'kind'`,
  due_at: sql<string>`d.value ->> 'due_at'`,
}
const isWanted = sql`CASE ${claim.kind} WHEN 'daily' THEN ${alertSettings.daily_report}
  WHEN 'weekly' THEN ${alertSettings.weekly_report} ELSE ${alertSettings.monthly_report} END`
/** Of three days, as another time zone may go back a day. */
const newestPeriod = sql`(SELECT p.period FROM (SELECT p.period, p.ends_at FROM ${reports} p WHERE p.org_id = ${orgs.id} AND p.kind = ${claim.kind}
  ORDER BY p.period DESC LIMIT 3) p ORDER BY p.ends_at DESC LIMIT 1)`

export const describeDues = (db: Db, claimed: Claimed[], now: Date) =>
  db
    .select({
      ...claim,
      org_name: orgs.name,
      /** The organization is disabled, or its trial is over: no report is made. */
      is_paused: sql`(NOT ${orgs.is_active} OR coalesce(${orgs.trial_ends_at} <= ${stamp(now)}, FALSE))`.mapWith(
        Boolean,
      ),
      is_wanted: isWanted.mapWith(Boolean),
      alerts_emails: alertSettings.alerts_emails,
      time_zone: alertSettings.time_zone,
      report_hour: alertSettings.report_hour,
      quiet_report: alertSettings.quiet_report,
      /** End of the report before; null for the first one. */
      last_end: reports.ends_at,
      last_seq: reports.last_seq,
    })
    .from(sql`json_each(${JSON.stringify(claimed)}) d`)
    .innerJoin(orgs, eq(orgs.id, claim.org_id))
    .innerJoin(alertSettings, eq(alertSettings.org_id, orgs.id))
    .leftJoin(reports, and(eq(reports.org_id, orgs.id), eq(reports.kind, claim.kind), eq(reports.period, newestPeriod)))

export async function isReportDue(db: Db, now: Date) {
  const free = await db.select({ due_at }).from(reportDues).where(isFree(now)).limit(1)
  return free.length > 0
}

export async function refuseLate(db: Db, now: Date) {
  const first = await db.select({ due_at, org_id, kind }).from(reportDues).orderBy(asc(due_at)).limit(1).get()
  if (first && first.due_at < stamp(plusSeconds(now, -lateSeconds)))
    throw new Error(`The ${first.kind} report of the organization ${first.org_id} was due at ${first.due_at}`)
}

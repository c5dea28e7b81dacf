import { eq, inArray, min, sql } from 'drizzle-orm'
import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { findHeldUntil, nextReport, reportKinds } from '../../domain/alerts/report-times'
import type { LocalClock, ReportKind } from '../../domain/alerts/report-times'
import { alertSettings, deliveries } from '../../schema/alerts'
import { reportDues } from '../../schema/reports'
import { isForReport } from './held-deliveries'

/** The columns of the settings by which reports are due. */
const columns = ['daily_report', 'weekly_report', 'monthly_report', 'time_zone', 'report_hour']
export const movesReports = (changed: object) => columns.some((name) => name in changed)

type Schedule = Record<`enable_${ReportKind}_email_report`, boolean> & {
  reports_time_zone: string
  reports_hour: number
}

/** Another hour or zone may leave out the report that was to come, where the next one is due so much later: it is made at once. */
const leftOut_hours = { daily: 12, weekly: 48, monthly: 48 }

export const findDues = async (db: Db, org_id: number) =>
  db.select({ kind: reportDues.kind, due_at: reportDues.due_at }).from(reportDues).where(eq(reportDues.org_id, org_id))

type Due = Awaited<ReturnType<typeof findDues>>[number]

/** Changes only the kinds in `wanted`. */
export function scheduleStatements(
  db: Db,
  { org_id, dues: before }: { org_id: number; dues: Due[] },
  wanted: Partial<Schedule>,
  now: Date,
) {
  const clock = toClock(wanted.reports_time_zone ?? '', wanted.reports_hour ?? 0)
  const dues = reportKinds.flatMap((kind) => {
    const { due } = nextReport(kind, clock, now)
    const since = stamp(plusSeconds(due, -leftOut_hours[kind] * 3_600))
    const isLeftOut = before.some((stored) => stored.kind === kind && stored.due_at < since)
    return wanted[`enable_${kind}_email_report`] ? [{ org_id, kind, due_at: stamp(isLeftOut ? now : due) }] : []
  })
  const turn = stamp(nextReport('daily', clock, now).due)
  const turns = sql`UPDATE alert_settings SET due_turn_at = min(due_turn_at, ${turn}), support_turn_at = min(support_turn_at, ${turn})
    WHERE org_id = ${org_id}`
  return [
    statement(db, db.delete(reportDues).where(eq(reportDues.org_id, org_id))),
    statement(db, turns),
    ...insertDues(db, dues),
  ]
}

export const toClock = (time_zone: string, hour: number): LocalClock => ({ time_zone: time_zone || 'UTC', hour })

export const insertDues = (db: Db, dues: { org_id: number; kind: ReportKind; due_at: string }[]) =>
  bulk(
    db,
    `INSERT INTO report_dues(due_at, org_id, kind)
     SELECT value ->> 'due_at', value ->> 'org_id', value ->> 'kind' FROM jsonb_each(?1) WHERE TRUE ON CONFLICT DO NOTHING`,
    dues,
  )

/** Alerts above a daily limit are told the next day, also where reports are off or weekly: none waits for the end of a month. */
export async function scheduleHeld(db: Db, now: Date) {
  const { org_id, time_zone, report_hour } = alertSettings
  const held = db.select({ org_id: deliveries.org_id }).from(deliveries).where(isForReport)
  const [waiting, scheduled] = await db.batch([
    db.select({ org_id, time_zone, report_hour }).from(alertSettings).where(inArray(org_id, held)),
    db
      .select({ org_id: reportDues.org_id, first: min(reportDues.due_at) })
      .from(reportDues)
      .where(inArray(reportDues.org_id, held))
      .groupBy(reportDues.org_id),
  ])
  const firsts = new Map(scheduled.map((row) => [row.org_id, row.first]))
  const dues = waiting.flatMap((org) => {
    const [due_at, first] = [stamp(findHeldUntil(org, now)), firsts.get(org.org_id)]
    return first && first <= due_at ? [] : [{ org_id: org.org_id, kind: 'daily' as const, due_at }]
  })
  const statements = insertDues(db, dues)
  if (statements.length) await db.$client.batch(statements)
}

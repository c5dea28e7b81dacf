import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { reportKinds } from '../../domain/report-times'
import type { ReportKind } from '../../domain/report-times'
import { notFound } from '../../http/errors'
import { reports } from '../../schema/reports'
import type { ReportFacts } from './contract'

const perKind = 20

export async function findReports(db: Db, org_id: number) {
  const facts = sql`json_remove(${reports.facts}, '$.rows')`.as('facts')
  const newest = reportKinds.map((kind) =>
    db
      .select({ facts })
      .from(reports)
      .where(and(eq(reports.org_id, org_id), eq(reports.kind, kind)))
      .orderBy(desc(reports.period))
      .limit(perKind),
  )
  const found = await db.$client.batch<{ facts: string }>(newest.map((query) => statement(db, query)))
  return found.flatMap(({ results }) => results.map((row) => JSON.parse(row.facts) as Omit<ReportFacts, 'rows'>))
}

export async function getReportFacts(db: Db, org_id: number, { kind, period }: { kind: ReportKind; period: string }) {
  const report = await db
    .select({ facts: reports.facts })
    .from(reports)
    .where(and(eq(reports.org_id, org_id), eq(reports.kind, kind), eq(reports.period, period)))
    .get()
  if (!report) throw notFound('Report')
  return JSON.parse(report.facts) as ReportFacts
}

/** Daily reports go after a quarter; the others stay thirteen months, so that a year can be looked back on. */
export const reportDays: Record<ReportKind, number> = { daily: 92, weekly: 400, monthly: 400 }

export const pruneReports = (db: Db, now: Date) =>
  db.$client.batch(
    reportKinds.map((kind) => {
      const before = stamp(plusSeconds(now, -reportDays[kind] * 86_400))
      return statement(db, db.delete(reports).where(and(eq(reports.kind, kind), lt(reports.ends_at, before))))
    }),
  )

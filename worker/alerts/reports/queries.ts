import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { prune } from '../../db/prune'
import { statement } from '../../db/statement'
import { plusDays, stamp } from '../../db/time'
import { reportKinds, type ReportKind } from '../../domain/alerts/report-times'
import { notFound } from '../../http/errors'
import { reportPages, reports } from '../../schema/reports'
import type { ReportFacts, DescribedPage } from './contract'

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

type Place = { kind: ReportKind; period: string; page: number }

export async function getReportFacts(db: Db, org_id: number, { kind, period, page }: Place): Promise<ReportFacts> {
  const isIt = (table: typeof reports | typeof reportPages) =>
    and(eq(table.org_id, org_id), eq(table.kind, kind), eq(table.period, period))
  const [[report], [further]] = await db.batch([
    db.select({ facts: reports.facts }).from(reports).where(isIt(reports)),
    db
      .select({ body: reportPages.body })
      .from(reportPages)
      .where(and(isIt(reportPages), eq(reportPages.page, page))),
  ])
  if (!report || (page > 1 && !further)) throw notFound('Report')
  return { ...readFacts(report.facts), ...(further && (JSON.parse(further.body) as DescribedPage)) }
}

/** One of before reports had pages counted only the rows that it names. */
function readFacts(text: string) {
  const facts = JSON.parse(text) as ReportFacts & { pages?: number }
  if (facts.pages !== undefined) return facts
  const { rows, held } = facts
  const score = Math.max(-1, ...rows.map((row) => row.score ?? -1))
  const is_provisional = !rows.some((row) => row.score === score && !row.is_score_provisional)
  return {
    ...facts,
    kev: rows.filter(({ kev }) => kev).length,
    highest: score < 0 ? null : { score, is_score_provisional: is_provisional },
    parked: 0,
    untold: 0,
    held_pages: held ? [1] : [],
    pages: 1,
  }
}

/** As long as the ledger, whose alerts name the pages on which they stand. */
export const reportDays = 400

export function pruneReports(db: Db, now: Date) {
  const before = stamp(plusDays(now, -reportDays))
  const findKey = (table: typeof reports | typeof reportPages) => [table.org_id, table.kind, table.period]
  return prune(db, [
    { table: reports, key: findKey(reports), isOld: lt(reports.ends_at, before) },
    {
      table: reportPages,
      key: [...findKey(reportPages), reportPages.page],
      isOld: lt(reportPages.period, before.slice(0, 10)),
    },
  ])
}

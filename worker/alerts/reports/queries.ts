import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { reportKinds } from '../../domain/report-times'
import type { ReportKind } from '../../domain/report-times'
import { notFound } from '../../http/errors'
import type { ReportFacts } from './contract'

const perKind = 20

export async function findReports(db: Db, org_id: number) {
  const found = await db.$client.batch<{ facts: string }>(
    reportKinds.map((kind) =>
      db.$client
        .prepare(
          `SELECT json_remove(facts, '$.rows') AS facts FROM reports WHERE org_id = ?1 AND kind = ?2 ORDER BY period DESC LIMIT ${perKind}`,
        )
        .bind(org_id, kind),
    ),
  )
  return found.flatMap(({ results }) => results.map(({ facts }) => JSON.parse(facts) as Omit<ReportFacts, 'rows'>))
}

export async function getReportFacts(db: Db, org_id: number, { kind, period }: { kind: ReportKind; period: string }) {
  const row = await db.$client
    .prepare('SELECT facts FROM reports WHERE org_id = ?1 AND kind = ?2 AND period = ?3')
    .bind(org_id, kind, period)
    .first<{ facts: string }>()
  if (!row) throw notFound('Report')
  return JSON.parse(row.facts) as ReportFacts
}

/** Daily reports go after a quarter; the others stay thirteen months, so that a year can be looked back on. */
export const reportDays: Record<ReportKind, number> = { daily: 92, weekly: 400, monthly: 400 }

export const pruneReports = (db: Db, now: Date) =>
  db.$client.batch(
    reportKinds.map((kind) =>
      db.$client
        .prepare('DELETE FROM reports WHERE kind = ?1 AND ends_at < ?2')
        .bind(kind, stamp(plusSeconds(now, -reportDays[kind] * 86_400))),
    ),
  )

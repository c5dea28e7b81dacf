import { getReport, getSample, listReports } from '../../worker/alerts/reports/contract'
import type { ReportKind } from '../../worker/domain/alerts/report-times'
import { askFor } from '../lib/ask'

export const reportsQuery = askFor(['reports', 'list'], listReports, {}, 'Unable to get the reports')

export const sampleQuery = askFor(['reports', 'sample'], getSample, {})

type Named = { schedule: ReportKind; day: string; page: number; org_id: number | undefined }

export const reportQuery = ({ schedule, day, page, org_id }: Named) =>
  askFor(['reports', schedule, day, page, org_id ?? 0], getReport, {
    params: { schedule, day },
    query: { org_id, page },
  })

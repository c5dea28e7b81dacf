import { queryOptions } from '@tanstack/react-query'
import { getReport, listReports } from '../../worker/alerts/reports/contract'
import type { ReportKind } from '../../worker/domain/report-times'
import { call } from '../lib/call'

export const reportsQuery = queryOptions({
  queryKey: ['reports', 'list'],
  queryFn: ({ signal }) => call(listReports, { signal }),
  meta: { failure: 'Unable to get the reports' },
})

type Named = { schedule: ReportKind; day: string; page: number; org_id: number | undefined }

export const reportQuery = ({ schedule, day, page, org_id }: Named) =>
  queryOptions({
    queryKey: ['reports', schedule, day, page, org_id ?? 0],
    queryFn: ({ signal }) => call(getReport, { params: { schedule, day }, query: { org_id, page }, signal }),
  })

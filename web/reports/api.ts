import { getReport, getSample, listReports, previewReport, sendReport } from '../../worker/alerts/reports/contract'
import type { ReportKind } from '../../worker/domain/alerts/report-times'
import { act, askFor } from '../lib/ask'
import { call } from '../lib/call'

export const reportsQuery = askFor(['reports', 'list'], listReports, {}, 'Unable to get the reports')

export const sampleQuery = askFor(['reports', 'sample'], getSample, {})

type Named = { schedule: ReportKind; day: string; page: number; org_id: number | undefined }

export const reportQuery = ({ schedule, day, page, org_id }: Named) =>
  askFor(['reports', schedule, day, page, org_id ?? 0], getReport, {
    params: { schedule, day },
    query: { org_id, page },
  })

/** As it would be if it were due now. */
export const reportNowQuery = (schedule: ReportKind, page: number) =>
  askFor(['reports', schedule, 'now', page], previewReport, { params: { schedule }, query: { page } })

export const sendReportMutation = act((schedule: ReportKind) => call(sendReport, { params: { schedule } }), {
  success: 'The report is on its way to the contact e-mails.',
  failure: 'Unable to send the report',
})

import { expect, onTestFinished, test, vi } from 'vitest'
import { listReports } from '../../worker/alerts/reports/contract'
import { rows } from './support/org'
import { aReportScene } from './support/report-scene'

test('a report whose hour moves before this one is made at once, and not a week or month later', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2027-02-01T08:30:00Z'), shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const scene = await aReportScene()
  const org = await scene.watching()
  const all = { enable_weekly_email_report: true, enable_monthly_email_report: true, enable_quiet_email_report: true }
  await scene.save(org, { ...all, reports_hour: 10 })
  await scene.save(org, { reports_hour: 8 })
  await scene.makeAt(new Date('2027-02-01T08:31:00Z'))
  expect((await org.call(listReports)).map(({ kind, period }) => [kind, period]).toSorted()).toEqual([
    ['monthly', '2027-02-01'],
    ['weekly', '2027-02-01'],
  ])
  // An hour that passed after the report was made brings no second one.
  await scene.save(org, { reports_hour: 7 })
  await scene.makeAt(new Date('2027-02-01T10:01:00Z'))
  expect(scene.sent()).toHaveLength(2)
  expect(
    (await rows<{ due_at: string }>(scene.env, 'SELECT due_at FROM report_dues ORDER BY 1')).map((row) => row.due_at),
  ).toEqual(['2027-02-08T07:00:00Z', '2027-03-01T07:00:00Z'])
})

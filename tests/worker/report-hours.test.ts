import { expect, onTestFinished, test, vi } from 'vitest'
import { listReports } from '../../worker/alerts/reports/contract'
import { tellDueDays } from '../../worker/alerts/plan/due-days'
import { openDb } from '../../worker/db/open'
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

test('a weekly report that comes later on its day is made then alone', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2027-02-01T07:00:00Z'), shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const scene = await aReportScene()
  const org = await scene.watching()
  await scene.save(org, { enable_weekly_email_report: true, reports_hour: 8 })
  await scene.save(org, { reports_time_zone: 'America/Los_Angeles', reports_hour: 20 })
  expect((await scene.firstDue()).toISOString()).toBe('2027-02-02T04:00:00.000Z')
})

test('vulnerabilities due tomorrow are told at the new hour of the reports, from the next day on', async () => {
  const at = (time: string) => vi.setSystemTime(new Date(time))
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2027-02-01T20:00:10Z'), shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const scene = await aReportScene()
  const org = await scene.watching()
  await scene.save(org, { reports_hour: 20, enable_instant_email_report_due: true })
  await scene.change(1)
  await rows(scene.env, "UPDATE vulns SET kev_added_at = '2026-01-01', is_in_the_wild = 1, kev_due_at = '2027-02-03'")
  const told = async () => {
    await tellDueDays(scene.env, openDb(scene.env), new Date())
    return (await rows(scene.env, "SELECT 1 FROM alerts WHERE rule = 'due'")).length
  }
  expect(await told()).toBe(0)
  at('2027-02-01T20:05:00Z')
  await scene.save(org, { reports_hour: 8 })
  at('2027-02-02T08:00:10Z')
  expect(await told()).toBe(1)
})

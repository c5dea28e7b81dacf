import { beforeEach, expect, test } from 'vitest'
import { getReport, listReports } from '../../worker/alerts/reports/contract'
import { editDuePolicy } from '../../worker/decisions/due-contract'
import { rows } from './support/org'
import { aReportScene } from './support/report-scene'
import type { ReportScene } from './support/report-scene'

let scene: ReportScene
beforeEach(async () => void (scene = await aReportScene()))

const day_ms = 86_400_000
const daily = { enable_daily_email_report: true, reports_time_zone: 'Europe/Berlin', reports_hour: 8 }

test('a report tells what is overdue and what is due by tomorrow, by the policy of its organization', async () => {
  const [org, other] = [await scene.watching(), await scene.watching()]
  for (const one of [org, other]) await scene.save(one, daily)
  for (const id of [1, 2, 3, 4]) await scene.change(id, { score: 60 })
  const due = await scene.firstDue()
  const dayIn = (days: number) => new Date(due.getTime() + days * day_ms).toISOString().slice(0, 10)
  for (const [id, days] of [
    [1, -1],
    [2, 0],
    [3, 1],
    [4, 2],
  ] as const)
    await rows(
      scene.env,
      "UPDATE vulns SET kev_added_at = '2026-01-01', kev_due_at = ?2 WHERE id = ?1",
      id,
      dayIn(days),
    )
  await other.call(editDuePolicy, { body: { due_policy: 'none' } })
  await scene.makeAt(due)

  const read = async (one: typeof org) => {
    const [entry] = await one.call(listReports)
    const params = { schedule: 'daily', day: entry?.period ?? '' } as const
    const { overdue, soon } = await one.call(getReport, { params })
    return { overdue, soon }
  }
  expect(await read(org)).toEqual({ overdue: 1, soon: 2 })
  expect(await read(other)).toEqual({ overdue: 0, soon: 0 })
  const mailTo = (email: string) => scene.sent().find(({ to }) => to === email)
  expect(mailTo(org.email)?.subject).toMatch(/, 2 due by tomorrow$/)
  expect(mailTo(org.email)?.text).toContain('2 vulnerabilities are due today or tomorrow, 1 overdue.')
  expect(mailTo(other.email)?.text).not.toMatch(/overdue|due today/)
})

import { expect, test } from 'vitest'
import { rows } from './support/org'
import { aReportScene } from './support/report-scene'

test('a time zone that the tables no longer know stops the reports of nobody, nor its own', async () => {
  const scene = await aReportScene()
  const orgs = [await scene.watching(), await scene.watching()]
  for (const one of orgs) await scene.save(one, { enable_daily_email_report: true, reports_hour: 8 })
  const gone = "UPDATE alert_settings SET time_zone = 'US/Pacific-New' WHERE org_id = ?1"
  await rows(scene.env, gone, orgs[0]?.org_id)
  await scene.change(1, { score: 60 })
  await rows(scene.env, "UPDATE deliveries SET status = 'held'")
  const due = await scene.firstDue()
  await scene.world.tick(due)
  expect(await rows(scene.env, "SELECT last_error FROM clock_jobs WHERE name = 'reports' AND failed_at > ''")).toEqual(
    [],
  )
  await scene.makeAt(due)
  expect(new Set(scene.sent().map(({ to }) => to))).toEqual(new Set(orgs.map(({ email }) => email)))
})

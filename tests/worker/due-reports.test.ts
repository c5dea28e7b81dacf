import { expect, test } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { tellDueDays } from '../../worker/alerts/plan/due-days'
import { getReport, listReports, previewReport, sendReport } from '../../worker/alerts/reports/contract'
import { setSnooze } from '../../worker/decisions/decide-contract'
import { editDuePolicy } from '../../worker/decisions/due-contract'
import { findDueDay } from '../../worker/domain/alerts/news-numbers'
import { openDb } from '../../worker/db/open'
import { editStatus } from '../../worker/triage/contract'
import { eachTest } from './support/each-test'
import { aMember } from './support/member'
import { rows, sqlIn } from './support/org'
import { aReportScene } from './support/report-scene'

const scene = eachTest(aReportScene)

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
    await sqlIn(scene.env)`UPDATE vulns SET kev_added_at = '2026-01-01', kev_due_at = ${dayIn(days)} WHERE id = ${id}`
  await other.call(editDuePolicy, { body: { due_policy: 'none' } })

  // As it would be now, and sent by a click: nothing counts as told by it.
  const now = await org.call(previewReport, { params: { schedule: 'daily' } })
  expect(now).toMatchObject({ kind: 'daily', updated: 4, open: { medium: 4 } })
  expect(now.rows).toHaveLength(4)
  expect((await org.answer(previewReport, { params: { schedule: 'daily' }, query: { page: 2 } })).status).toBe(404)
  expect(await org.call(sendReport, { params: { schedule: 'daily' } })).toEqual({ sent: 1 })
  await scene.world.drain()
  expect(scene.sent()).toMatchObject([{ to: org.email, text: expect.stringContaining('/reports/daily/now?org=') }])
  scene.world.mails.length = 0
  expect(await rows(scene.env, 'SELECT 1 FROM reports')).toEqual([])
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

test('a report counts what is overdue by the day of its own clock, without what is snoozed or accepted', async () => {
  const org = await scene.watching()
  // The hour of the second zone comes after that of the first, whatever time it is.
  const reports_hour = new Date().getUTCHours() === 18 ? 10 : 8
  await scene.save(org, { ...daily, reports_hour, reports_time_zone: 'Pacific/Kiritimati' })
  for (const id of [1, 2, 3, 4]) await scene.change(id, { score: 60 })
  // In the morning it is the day before where UTC counts.
  const due = await scene.firstDue()
  const dayIn = (days: number) => new Date(due.getTime() + (days + 1) * day_ms).toISOString().slice(0, 10)
  for (const [id, days] of [-1, 1, 2, -1].entries())
    await sqlIn(scene.env)`UPDATE vulns SET kev_added_at = '2026-01-01', kev_due_at = ${dayIn(days)}
      WHERE id = ${id + 1}`
  await org.call(setSnooze, { params: { id: 4 }, body: { kind: 'accepted', reason: 'Behind a VPN', until: dayIn(99) } })
  await scene.makeAt(due)
  const [entry] = await org.call(listReports)
  expect(entry?.period).toBe(dayIn(0))
  const { overdue, soon, open } = await org.call(getReport, { params: { schedule: 'daily', day: dayIn(0) } })
  expect([overdue, soon, open.medium]).toEqual([1, 1, 3])

  // West of the date line the next report is of the day before, and tells nothing again.
  await scene.save(org, { reports_time_zone: 'Pacific/Pago_Pago' })
  await scene.change(2, { score: 70, changes: [{ field: 'is_exploitable', to: true }] })
  for (const _ of [1, 2, 3]) await scene.makeAt(await scene.firstDue())
  const made = await org.call(listReports)
  expect(made.reduce((sum, one) => sum + one.new + one.updated, 0)).toBe(5)
})

test('vulnerabilities due tomorrow and overdue ones are told by routes in one mail, each due day once, whatever the policy says meanwhile', async () => {
  const { env, world } = scene
  const [failing, org, other] = [await scene.watching(), await scene.watching(), await scene.watching()]
  const inZone = { reports_time_zone: 'Pacific/Kiritimati', reports_hour: 8 }
  for (const id of [1, 2, 3, 4, 5]) await scene.change(id, { score: 60 + id })
  for (const one of [failing, org]) await scene.save(one, { ...inZone, enable_instant_email_report_due: true })
  // It is tomorrow already where clocks are 14 hours ahead.
  const today = new Date(Date.now() + 14 * 3_600_000)
  const dayIn = (days: number) => new Date(today.getTime() + days * day_ms).toISOString().slice(0, 10)
  for (const [id, days] of [
    [1, -3],
    [2, 0],
    [3, 1],
    [4, 2],
    [5, 1],
  ] as const)
    await sqlIn(env)`UPDATE vulns SET kev_added_at = '2026-01-01', is_in_the_wild = 1, kev_due_at = ${dayIn(days)}
      WHERE id = ${id}`
  await org.call(editStatus, { params: { id: 5 }, body: { status: 'fixed' } })
  await rows(
    env,
    `CREATE TRIGGER refuse BEFORE INSERT ON alerts WHEN NEW.org_id = ${failing.org_id} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
  )
  const failures: string[] = []
  const told = async () => {
    await tellDueDays(env, openDb(env), new Date()).catch((error: Error) => failures.push(error.message))
    await world.drain()
    const found = await sqlIn(env)<{
      vuln_id: number
      rule: string
      org_id: number
      change_seq: number
    }>`SELECT vuln_id, rule, org_id, change_seq
      FROM alerts WHERE rule IN ('due', 'overdue') ORDER BY vuln_id, id`
    return found.map(({ vuln_id, rule, org_id, change_seq }) => [org_id, vuln_id, rule, findDueDay(change_seq)])
  }
  const first = [
    [org.org_id, 1, 'overdue', dayIn(-3)],
    [org.org_id, 2, 'due', dayIn(0)],
    [org.org_id, 3, 'due', dayIn(1)],
  ]
  expect(await told()).toEqual(first)
  expect(failures).toEqual([`Failed for organization ${failing.org_id}`])
  const mails = world.mails.filter(({ subject, to }) => to === org.email && /3 alerts/.test(subject))
  expect(mails.map(({ text }) => text)).toEqual([
    expect.stringContaining(`CVE-2026-20001 is overdue since ${dayIn(-3)}`),
  ])
  expect(mails[0]?.text).toContain(`CVE-2026-20003 is due on ${dayIn(1)}`)
  const listed = (await org.call(listAlerts, { query: { rule: 'overdue' } })).results
  expect(listed.map(({ changes, status }) => [changes, status])).toEqual([[[`Due on ${dayIn(-3)}`], 'sent']])

  // The turn of the day is over; the next one finds nothing that was told, though days went and came back.
  const nextTurn = () => rows(env, "UPDATE alert_settings SET due_turn_at = ''")
  expect(await told()).toEqual(first)
  await nextTurn()
  const days = { exposed: 1, not_exposed: 1 }
  await org.call(editDuePolicy, {
    body: { due_policy: 'own', table: { critical: days, high: days, medium: days, low: days, unscored: days } },
  })
  const own = await rows<{ vuln_id: number; due: string }>(env, 'SELECT vuln_id, due FROM org_vulns WHERE due NOT NULL')
  expect(own).toHaveLength(5)
  await told()
  await org.call(editDuePolicy, { body: { due_policy: 'cisa_kev' } })
  await nextTurn()
  const after = await told()
  for (const one of first) expect(after.filter((row) => row.join() === one.join())).toHaveLength(1)
  expect(after.every(([org_id]) => org_id === org.org_id)).toBe(true)
  expect(world.mails.filter(({ to, text }) => to === other.email && text.includes('is due on'))).toEqual([])

  await rows(env, 'DROP TRIGGER refuse')
  // A change after it is news of its own.
  await scene.change(1, { score: 90 })
  const rules = await sqlIn(env)<{ rule: string }>`SELECT rule FROM alerts WHERE vuln_id = 1
    AND org_id = ${org.org_id} ORDER BY id`
  expect(rules.map(({ rule }) => rule)).toContain('updated')
})

test('after days in which nobody made reports one tells of all of them, and says so', async () => {
  const org = await scene.watching()
  await scene.save(org, daily)
  await scene.change(1, { score: 60 })
  const due = await scene.firstDue()
  await scene.makeAt(due)
  await scene.change(1, { score: 70 })
  await scene.makeAt(new Date(due.getTime() + 5 * day_ms + 3 * 3_600_000))
  expect(scene.sent()).toHaveLength(2)
  expect(scene.sent()[1]?.text).toContain('(Europe/Berlin): 5 days, as no report was made in between')
  expect((await org.call(listReports)).map(({ updated }) => updated)).toEqual([1, 1])
  expect((await scene.firstDue()).getTime() - due.getTime()).toBe(6 * day_ms)
})

test('the admins hear once of an address that takes no report, and no other organization does', async () => {
  const { world } = scene
  const [org, other] = [await scene.watching(), await scene.watching()]
  const soc = await aMember(world, org.org_id)
  await scene.save(org, { ...daily, alerts_emails: [soc.email] })
  await scene.save(other, daily)
  await world.sql`UPDATE alert_settings SET on_new = 0, on_update = 0`
  world.mailServer.unknown = soc.email
  await scene.change(1, { score: 60 })
  const due = await scene.firstDue()
  for (const days of [0, 1]) {
    await scene.change(2, { score: 60 + days })
    await scene.makeAt(new Date(due.getTime() + days * day_ms))
    await world.drain()
  }
  expect(await world.sql`SELECT status, attempts FROM mails WHERE "to" = ${soc.email}`).toEqual(
    [1, 2].map(() => ({ status: 'dead', attempts: 1 })),
  )
  const told = world.mails.filter(({ subject }) => subject.includes(`reports do not reach ${soc.email}`))
  expect(told.map(({ to }) => to)).toEqual([org.email])
  expect(told[0]?.text).toContain('550 5.1.1 No such user here')
})

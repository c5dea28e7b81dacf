import { expect, test } from 'vitest'
import { getReport, listReports } from '../../worker/alerts/reports/contract'
import { claimReports } from '../../worker/alerts/reports/due-reports'
import { createDueReports } from '../../worker/alerts/reports/make'
import { reportDays } from '../../worker/alerts/reports/queries'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { openDb } from '../../worker/db/open'
import { listAudit } from '../../worker/orgs/contract'
import { editStatus } from '../../worker/triage/contract'
import { eachTest } from './support/each-test'
import { rows, sqlIn } from './support/org'
import { aReportScene, type ReportOrg } from './support/report-scene'

const scene = eachTest(aReportScene)

const day_ms = 86_400_000
const plus = (at: Date, ms: number) => new Date(at.getTime() + ms)
const daily = { enable_daily_email_report: true, reports_time_zone: 'Europe/Berlin', reports_hour: 8 }
const evenQuiet = { ...daily, enable_quiet_email_report: true }
const findReportRows = (org: ReportOrg) => rows(scene.env, 'SELECT * FROM reports WHERE org_id = ?1', org.org_id)

test('a daily report tells once what is new and what changed, by product, and the next one goes on after it', async () => {
  const org = await scene.watching()
  await rows(scene.env, "UPDATE products SET name = 'big_widget'")
  await scene.save(org, daily)
  await scene.change(1, { score: 60 })
  await scene.change(2, { score: 91, cvss3: 9.8, isNew: true, kev: true })
  await scene.change(1, { score: 70, changes: [{ field: 'fixes', added: ['acme:widget 2.0'], count: 1 }] })
  const due = await scene.firstDue()
  await scene.makeAt(due)

  expect(scene.sent().map(({ to, subject }) => [to, subject])).toEqual([
    [
      org.email,
      expect.stringMatching(/^\[Earshot\] .+: daily report, 1 new, 1 changed, highest score 91, exploited among them$/),
    ],
  ])
  const [mail] = scene.sent()
  for (const part of [mail?.html, mail?.text])
    for (const text of [
      '1 vulnerability new to you, 1 changed, 1 of these known to be exploited (CISA KEV).',
      '08:00 (Europe/Berlin)',
      'Acme · Big Widget',
      'CVE-2026-20002',
      '9.8 Critical',
      'Fix published (Acme · Widget 2.0)',
      'https://earshot.test/vulns/2',
    ])
      expect(part).toContain(text)

  const list = await org.call(listReports)
  expect(list).toMatchObject([{ kind: 'daily', new: 1, updated: 1, fixed: 0, held: 0 }])
  const { period = '' } = list[0] ?? {}
  expect(mail?.text).toContain(`https://earshot.test/reports/daily/${period}?org=${org.org_id}`)
  const report = await org.call(getReport, { params: { schedule: 'daily', day: period } })
  expect(report.open).toEqual({ critical: 1, high: 0, medium: 1, low: 0, unscored: 0 })
  // Two changes of one vulnerability are one row.
  expect(report.rows.map(({ name, is_new, changed }) => [name, is_new, changed])).toEqual([
    ['CVE-2026-20002', true, ['First seen']],
    ['CVE-2026-20001', false, ['CVSS 3: 4 → 5', 'Fix published (Acme · Widget 2.0)']],
  ])

  await scene.makeAt(plus(due, day_ms))
  // Nothing changed since: no mail, but a report.
  expect(scene.sent()).toHaveLength(1)
  expect((await org.call(listReports)).map((one) => [one.new, one.updated])).toEqual([
    [0, 0],
    [1, 1],
  ])
})

test('asking for a quiet report is answered that all is quiet', async () => {
  const org = await scene.watching()
  await scene.save(org, evenQuiet)
  await scene.makeAt(await scene.firstDue())
  expect(scene.sent().map(({ subject }) => subject)).toEqual([expect.stringMatching(/daily report, all quiet$/)])
  expect(scene.sent()[0]?.text).toContain('All quiet: nothing of what you monitor changed.')
})

test('weekly and monthly reports are due on the first day of their period, each with one row', async () => {
  const org = await scene.watching()
  await scene.save(org, {
    enable_weekly_email_report: true,
    enable_monthly_email_report: true,
    enable_quiet_email_report: true,
    reports_time_zone: 'Asia/Kolkata',
    reports_hour: 9,
  })
  for (let step = 0; step < 6; step++) await scene.makeAt(await scene.firstDue())
  const made = await rows<{ kind: string; period: string; ends_at: string }>(scene.env, 'SELECT * FROM reports')
  // On a first Monday both are due at once.
  expect(made.length).toBeGreaterThanOrEqual(6)
  expect(new Set(made.map(({ kind, period }) => kind + period)).size).toBe(made.length)
  for (const { kind, period, ends_at } of made) {
    const isFirst = kind === 'weekly' ? new Date(period).getUTCDay() === 1 : period.endsWith('-01')
    expect([kind, isFirst, ends_at.slice(11)]).toEqual([kind, true, '03:30:00Z'])
  }
})

test('a report is made once, whoever makes it, and however often', async () => {
  const org = await scene.watching()
  await scene.save(org, daily)
  await scene.change(1)
  const { env } = scene
  const due = await scene.firstDue()
  await Promise.all([1, 2, 3].map(() => createDueReports(env, openDb(env), () => due)))
  // A worker that died after its batch left nothing to do; one that died before it left a lease.
  await sqlIn(env)`INSERT INTO report_dues(due_at, org_id, kind) SELECT ends_at, org_id, kind FROM reports
    WHERE org_id = ${org.org_id}`
  await scene.makeAt(due)
  expect(scene.sent()).toHaveLength(1)
  expect(await findReportRows(org)).toHaveLength(1)
  // Another hour of the same day makes no second one of that day.
  await scene.save(org, { reports_hour: 9 })
  await scene.makeAt(plus(due, 7_200_000))
  expect(scene.sent()).toHaveLength(1)
  expect(await rows(env, 'SELECT * FROM report_dues WHERE org_id = ?1', org.org_id)).toHaveLength(1)
})

test('a report that a dead worker had taken is made when its lease is out', async () => {
  const org = await scene.watching()
  await scene.save(org, evenQuiet)
  const due = await scene.firstDue()
  expect(await claimReports(openDb(scene.env), due)).toHaveLength(1)
  await scene.makeAt(due)
  expect(await findReportRows(org)).toEqual([])
  await scene.makeAt(plus(due, 700_000))
  expect(await findReportRows(org)).toHaveLength(1)
})

test('alerts above the daily number stand in the next report, are counted there, and the ledger says so', async () => {
  const org = await scene.watching()
  await scene.save(org, { enable_daily_email_report: true })
  await rows(scene.env, 'UPDATE alert_settings SET daily_max = 1')
  for (const id of [1, 2, 3]) await scene.change(id, { isNew: true })
  await scene.makeAt(await scene.firstDue())
  const [mail] = scene.sent()
  expect(mail?.text).toContain(
    'Of these, 2 were held back, above the daily number of a channel: all of them stand in this report, for the first time.',
  )
  expect(mail?.text).toContain('New (held back): CVE-2026-20003')
  const told = await rows(scene.env, "SELECT status FROM deliveries WHERE status IN ('held', 'reported')")
  expect(told).toEqual([{ status: 'reported' }, { status: 'reported' }])
})

test('a held alert is told the next day even where no report is switched on', async () => {
  const org = await scene.watching()
  await rows(scene.env, 'UPDATE alert_settings SET daily_max = 1')
  for (const id of [1, 2]) await scene.change(id, { isNew: true })
  await scene.world.tick()
  await scene.makeAt(await scene.firstDue())
  expect(scene.sent().map(({ to }) => to)).toEqual([org.email])
  expect(await rows(scene.env, 'SELECT * FROM report_dues')).toEqual([])
})

test('settled vulnerabilities are left out, and counted as fixed', async () => {
  const org = await scene.watching()
  await scene.save(org, daily)
  await scene.change(1)
  await org.call(editStatus, { params: { id: 1 }, body: { status: 'fixed' } })
  await scene.makeAt(await scene.firstDue())
  expect(await org.call(listReports)).toMatchObject([{ updated: 0, fixed: 1 }])
})

test('an organization reads only its own reports, and a member of several names one', async () => {
  const [ours, theirs] = [await scene.watching(), await scene.watching()]
  await scene.save(ours, evenQuiet)
  await scene.makeAt(await scene.firstDue())
  const [{ period = '' } = {}] = await ours.call(listReports)
  expect(await theirs.call(listReports)).toEqual([])
  const statusFor = async (org: ReportOrg, query = {}) =>
    (await org.answer(getReport, { params: { schedule: 'daily', day: period }, query })).status
  expect(await statusFor(theirs)).toBe(404)
  expect(await statusFor(theirs, { org_id: ours.org_id })).toBe(403)
  expect(await statusFor(ours, { org_id: ours.org_id })).toBe(200)
})

test('reports that are read together tell each organization of its own alone, and one that fails stops no other', async () => {
  const [ours, theirs, broken] = [await scene.watching(), await scene.watching(), await scene.watching()]
  for (const org of [ours, theirs, broken]) await scene.save(org, daily)
  await rows(scene.env, 'UPDATE alert_settings SET daily_max = 1 WHERE org_id = ?1', theirs.org_id)
  for (const id of [1, 2, 3]) await scene.change(id, { score: 50 + id, isNew: true })
  // One is theirs alone, one is settled for us, and of one we run an affected version.
  await rows(scene.env, 'UPDATE vulns SET org_id = ?1 WHERE id = 3', theirs.org_id)
  await ours.call(editStatus, { params: { id: 2 }, body: { status: 'fixed' } })
  await rows(scene.env, 'UPDATE org_vulns SET verdict = 3 WHERE org_id = ?1 AND vuln_id = 1', ours.org_id)
  await sqlIn(scene.env)`INSERT INTO monitored_vulns(org_id, vuln_id, created_at) VALUES (${theirs.org_id}, 1, ${''})`
  await scene.makeAt(await scene.firstDue())

  const [{ period = '' } = {}] = await ours.call(listReports)
  const read = async (org: ReportOrg) => {
    const { rows: told, fixed, held, open } = await org.call(getReport, { params: { schedule: 'daily', day: period } })
    const lines = told.map(({ id, verdict, products, is_held }) => [id, verdict, products, is_held])
    return { lines, fixed, held, open: open.high + open.medium }
  }
  const widget = ['Acme · Widget']
  expect(await read(ours)).toEqual({ lines: [[1, 'confirmed', widget, false]], fixed: 1, held: 0, open: 2 })
  expect(await read(theirs)).toEqual({
    lines: [
      [3, null, widget, true],
      [2, null, widget, true],
      [1, null, widget, false],
    ],
    fixed: 0,
    held: 2,
    open: 3,
  })
})

test('a report that cannot be read stops no other that is due with it', async () => {
  const [ours, theirs] = [await scene.watching(), await scene.watching()]
  for (const org of [ours, theirs]) await scene.save(org, daily)
  await scene.change(1)
  await rows(scene.env, 'UPDATE vulns SET org_id = ?1 WHERE id = 1', theirs.org_id)
  await rows(scene.env, "UPDATE vuln_changes SET detail = 'no JSON'")
  await scene.makeAt(await scene.firstDue())
  expect([(await findReportRows(ours)).length, (await findReportRows(theirs)).length]).toEqual([1, 0])
})

test('an address that is no member unsubscribes by one POST of its mail program', async () => {
  const org = await scene.watching()
  const email = 'soc@outside.example'
  await scene.save(org, { ...evenQuiet, alerts_emails: [org.email, email] })
  await sqlIn(scene.env)`INSERT INTO alert_addresses(org_id, email, confirmed_at)
    VALUES (${org.org_id}, ${email}, '2026-11-01T00:00:00Z')`
  const due = await scene.firstDue()
  await scene.makeAt(due)
  const [own, other] = [org.email, email].map((to) => scene.sent().find((mail) => mail.to === to))
  expect(own?.headers['List-Unsubscribe']).toBe('<https://earshot.test/settings?tab=alerting>')
  expect(own?.headers).not.toHaveProperty('List-Unsubscribe-Post')
  expect(other?.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
  const url = /<(.+)>/.exec(other?.headers['List-Unsubscribe'] ?? '')?.[1] ?? ''
  expect(other?.text).toContain(url)

  expect(await (await scene.world.request(url)).text()).toContain('<button')
  const press = async (path: string) =>
    (
      await scene.world.request(path, {
        method: 'POST',
        body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      })
    ).status
  expect(await press(`${url}x`)).toBe(400)
  expect(await press(url.replace(/leave\/\d+/, `leave/${org.org_id + 1}`))).toBe(400)
  expect([await press(url), await press(url)]).toEqual([200, 200])
  await scene.makeAt(plus(due, day_ms))
  expect(scene.sent().map(({ to }) => to)).toEqual(expect.arrayContaining([org.email]))
  expect(scene.sent().filter(({ to }) => to === email)).toHaveLength(1)
  expect(scene.world.mails.filter(({ subject }) => subject.endsWith('gets no alerts any more'))).toHaveLength(1)
  expect((await org.call(listAudit)).results.map(({ action }) => action)).toContain('alert_address.leave')
})

test('no report is made for an organization that is disabled or whose trial is over', async () => {
  const org = await scene.watching()
  for (const off of ['is_active = 0', "is_active = 1, trial_ends_at = '2026-01-01T00:00:00Z'"]) {
    await rows(scene.env, `UPDATE orgs SET is_active = 1, trial_ends_at = NULL`)
    await scene.save(org, { ...evenQuiet, reports_hour: off.length % 24 })
    await rows(scene.env, `UPDATE orgs SET ${off}`)
    const due = await scene.firstDue()
    await scene.makeAt(due)
    expect(await findReportRows(org)).toEqual([])
    expect((await scene.firstDue()) > due).toBe(true)
  }
})

test('a report that nobody makes makes the job late, and old ones are removed', async () => {
  const org = await scene.watching()
  await scene.save(org, evenQuiet)
  await scene.makeAt(await scene.firstDue())
  await sqlIn(scene.env)`INSERT INTO report_dues(due_at, org_id, kind, lease_until)
    VALUES ('2026-01-01T00:00:00Z', ${org.org_id}, 'weekly', '2099-01-01T00:00:00Z')`
  await scene.world.tick()
  const [job] = await rows<{ last_error: string }>(scene.env, "SELECT * FROM clock_jobs WHERE name = 'reports'")
  expect(job?.last_error).toMatch(/weekly report of the organization \d+ was due at 2026-01-01/)
  expect(await findReportRows(org)).toHaveLength(1)
  await scene.world.tick(plus(new Date(), (reportDays + 2) * day_ms), '17 3 * * *')
  expect(await findReportRows(org)).toEqual([])
})

test('the time zone is a region, and the hour one of a day', async () => {
  const { answer, org_id } = await scene.watching()
  const wrong = { reports_time_zone: ['Berlin', '+02:00'], reports_hour: ['24', '7.5'] }
  for (const [field, values] of Object.entries(wrong))
    for (const value of values)
      expect((await answer(updateOrgSettings, { body: { org_id, [field]: value } })).status).toBe(400)
})

import { expect, test } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { planAndDrive } from '../../worker/alerts/plan/plan'
import { listProofs } from '../../worker/alerts/proof/contract'
import { getReport, listReports } from '../../worker/alerts/reports/contract'
import { openDb } from '../../worker/db/open'
import { editStatus } from '../../worker/triage/contract'
import { eachTest } from './support/each-test'
import { rows, sqlIn } from './support/org'
import { aReportScene, type ReportOrg } from './support/report-scene'

const scene = eachTest(aReportScene)

const now = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
/** So many vulnerabilities of the widget become known at once; those above `kev_from` are exploited. */
async function publish(count: number, kev_from = Infinity) {
  const { env } = scene
  const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
  const kev = Math.min(kev_from, count + 1)
  await rows(
    env,
    `${many} INSERT INTO vulns(id, cveid, state, summary, score, kev_added_at, top_products, created_at, updated_at)
     SELECT i, 'CVE-2026-' || (20000 + i), 'published', 'A flaw of the widget.', i % 90, iif(i >= ${kev}, '2026-11-20', NULL),
       '[[1,"acme","widget"]]', unixepoch(), unixepoch() FROM n`,
  )
  await rows(
    env,
    `${many} INSERT INTO vuln_changes(vuln_id, at, kind, source, detail)
     SELECT i, ${now}, 'new', 'nvd', '[{"field":"created","state":"published"}]' FROM n`,
  )
  await rows(
    env,
    `${many} INSERT INTO vuln_products(vuln_id, product_id, vendor_id, since_seq, touched) SELECT i, 1, 1, i, unixepoch() FROM n`,
  )
  await rows(
    env,
    `${many} INSERT INTO org_vulns(org_id, vuln_id, touched) SELECT m.org_id, i, unixepoch() FROM n, monitored_products m`,
  )
  await planAndDrive(env, openDb(env), new Date())
}
const count = async (status: string) =>
  (await rows<{ n: number }>(scene.env, 'SELECT count(*) AS n FROM deliveries WHERE status = ?1', status))[0]?.n

async function readPages(org: ReportOrg) {
  const [{ kind = 'daily' as const, period = '' } = {}] = await org.call(listReports)
  const read = (page: number) => org.call(getReport, { params: { schedule: kind, day: period }, query: { page } })
  const first = await read(1)
  const others = await Promise.all(Array.from({ length: first.pages - 1 }, (_, at) => read(at + 2)))
  return { kind, period, pages: [first, ...others] }
}

test('of 450 at once what is exploited is told at once, all others stand by name on the pages of a report, and the proof counts these', async () => {
  const org = await scene.watching()
  await scene.save(org, { enable_daily_email_report: true })
  await publish(450, 441)
  expect([await count('pending'), await count('held')]).toEqual([30, 420])
  await scene.makeAt(await scene.firstDue())
  const [mail] = scene.sent()
  expect(mail?.subject).toMatch(/450 new, 0 changed, highest score 89 \(provisional\), exploited among them$/)
  expect(mail?.text).toContain(
    '450 vulnerabilities new to you, 0 changed, 10 of these known to be exploited (CISA KEV). Of these, 420 were held back, above the daily number of a channel: all of them stand on pages 1 to 3 of this report, for the first time.',
  )
  expect(mail?.text).toContain('and 410 more in the report')
  expect(mail?.text).toContain('and 445 more')

  const { kind, period, pages } = await readPages(org)
  for (const page of [1, 2, 3])
    for (const part of [mail?.text, mail?.html?.replaceAll('&amp;', '&')])
      expect(part).toContain(`https://earshot.test/reports/${kind}/${period}?org=${org.org_id}&page=${page}`)
  expect(pages.map((page) => page.rows.length)).toEqual([200, 200, 50])
  expect(new Set(pages.flatMap((page) => page.rows.map(({ name }) => name))).size).toBe(450)
  expect((await org.answer(getReport, { params: { schedule: kind, day: period }, query: { page: 4 } })).status).toBe(
    404,
  )
  expect([await count('held'), await count('reported')]).toEqual([0, 420])

  // The ledger leads to the page.
  const { results } = await org.call(listAlerts, { query: { status: 'held', limit: 100 } })
  for (const { vuln, deliveries } of results) {
    const page = Number(/page=(\d)$/.exec(deliveries[0]?.reported_in ?? '')?.[1])
    expect(pages[page - 1]?.rows.map(({ id }) => id)).toContain(vuln.id)
  }
  const proof = async () => {
    const { today } = await org.call(listProofs)
    return { held: today.held, lost: today.lost, named: today.differences.map((one) => [one.vuln_id, one.channels]) }
  }
  expect(await proof()).toEqual({ held: 420, lost: 0, named: [] })
  const gone = pages[1]?.rows[0]?.id ?? 0
  await rows(scene.env, "UPDATE report_pages SET body = json_remove(body, '$.rows[0]') WHERE page = 2")
  expect(await proof()).toEqual({ held: 419, lost: 1, named: [[gone, ['email']]] })
  await rows(scene.env, "UPDATE deliveries SET reported_in = NULL WHERE status = 'reported'")
  expect(await proof()).toMatchObject({ held: 0, lost: 420 })
}, 60_000)

test('alerts told by another channel are not called told for the first time, and settled ones wait for no report', async () => {
  const org = await scene.watching()
  await scene.save(org, { enable_daily_email_report: true })
  await rows(scene.env, 'UPDATE alert_settings SET daily_max = 1')
  await publish(4)
  const [first, second] = await sqlIn(scene.env)<{ alert_id: number; vuln_id: number }>`SELECT d.alert_id, a.vuln_id
    FROM deliveries d JOIN alerts a ON a.id = d.alert_id WHERE d.status = 'held'`
  await sqlIn(scene.env)`INSERT INTO deliveries(org_id, alert_id, channel, target, rule, status, next_attempt_at)
    VALUES (${org.org_id}, ${first?.alert_id}, 'slack', '', 'new', 'sent', '')`
  await org.call(editStatus, { params: { id: second?.vuln_id ?? 0 }, body: { status: 'fixed' } })
  await scene.makeAt(await scene.firstDue())
  expect(scene.sent()[0]?.text).toContain(
    'Of these, 2 were held back, above the daily number of a channel: all of them stand in this report, 1 of them for the first time.',
  )
  expect([await count('held'), await count('reported')]).toEqual([0, 2])
  expect(await rows(scene.env, "SELECT alert_id, last_error FROM deliveries WHERE status = 'suppressed'")).toEqual([
    { alert_id: second?.alert_id, last_error: 'The vulnerability is fixed or not interesting to you' },
  ])
})

test('held alerts go by their channel after all where nobody gets the report', async () => {
  const org = await scene.watching()
  await rows(scene.env, 'UPDATE alert_settings SET daily_max = 1')
  await publish(3)
  await rows(scene.env, "UPDATE alert_settings SET alerts_emails = '[]'")
  await scene.world.tick()
  await scene.makeAt(await scene.firstDue())
  expect((await org.call(listReports)).map(({ held }) => held)).toEqual([2])
  expect([await count('held'), await count('reported')]).toEqual([0, 0])
})

test('of 1,100 at once that are exploited each is told at once, by name and once, and the proof says so', async () => {
  const org = await scene.watching()
  await publish(1_100, 1)
  expect([await count('pending'), await count('held')]).toEqual([1_100, 0])
  while (await count('pending')) {
    await scene.world.deliver('earshot-deliveries', { reason: 'due' })
    await scene.world.drain()
  }
  const named = scene.world.mails.flatMap(({ text }) => /CVE-2026-\d+/.exec(text) ?? [])
  expect([named.length, new Set(named).size]).toEqual([1_100, 1_100])
  const { today } = await org.call(listProofs)
  expect(today).toMatchObject({ delivered: 1_100, held: 0, lost: 0, doubled: 0 })
}, 120_000)

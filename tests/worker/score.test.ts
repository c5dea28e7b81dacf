import { expect, onTestFinished, test } from 'vitest'
import { createAlertFeed } from '../../worker/atom/contract'
import { listAlerts, whyAlerted } from '../../worker/alerts/contract'
import { getReport, listReports } from '../../worker/alerts/reports/contract'
import { openDb } from '../../worker/db/open'
import { plusSeconds } from '../../worker/db/time'
import type { Source, VulnRecord } from '../../worker/domain/words/record'
import { KevEntry, fromKev } from '../../worker/feeds/signals/kev-record'
import { remergeVulns, saveRecords } from '../../worker/merge/save-records'
import { scoreStatements } from '../../worker/merge/save-scores'
import { listCves } from '../../worker/kb/cves/contract'
import { latestVulns } from '../../worker/home/contract'
import { exportFindings, listComponents, listFindings, listFoundVulns } from '../../worker/inventories/finding-contract'
import { listMonitored } from '../../worker/monitoring/contract'
import { getPackage, packageVulns } from '../../worker/packages/contract'
import { getPublicVuln } from '../../worker/public/contract'
import { vulnRecordList } from '../../worker/triage/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { exportVulns, listVulns } from '../../worker/vulns/contract'
import { vulnMail } from '../../worker/vulns/mail'
import { setDetails } from '../../worker/exposure/watch-due'
import { aKevEntry } from '../support/records'
import { eachTest } from './support/each-test'
import { aScene, configure, findDeliveries, point } from './support/alerting'
import { send } from './support/inventory-scene'
import { anOrg } from './support/org'
import { aReportScene } from './support/report-scene'
import { aWorld } from './support/world'

const world = eachTest(aWorld)

const now = new Date()
const say = (source: Source, record: Omit<VulnRecord, 'state'>, state: VulnRecord['state'] = 'published') =>
  saveRecords(openDb(world.env), { source, records: [{ state, ...record }], is_backfill: true, now })
const sayKev = (entry: object) =>
  saveRecords(openDb(world.env), {
    source: 'kev',
    records: [fromKev(KevEntry.parse(entry))],
    is_backfill: false,
    now,
  })
async function sayEpss(cveid: string, epss: number, score_date = '2026-11-20') {
  const db = openDb(world.env)
  const { counted, listed, more } = await scoreStatements(db, [[cveid, epss, 0.9]], {
    score_date,
    is_comparable: false,
    now,
  })
  await db.$client.batch([...counted, ...listed, ...more])
}

const citrixBleed = {
  cveID: 'CVE-2023-4966',
  vendorProject: 'Citrix',
  product: 'NetScaler ADC and NetScaler Gateway',
  vulnerabilityName: 'Citrix NetScaler ADC and NetScaler Gateway Buffer Overflow Vulnerability',
  dateAdded: '2023-10-18',
  shortDescription: 'Citrix NetScaler ADC and NetScaler Gateway contain a buffer overflow vulnerability.',
  requiredAction: 'Apply mitigations and kill all active and persistent sessions per vendor instructions.',
  dueDate: '2023-11-08',
  knownRansomwareCampaignUse: 'Known',
  notes: 'https://www.netscaler.com/blog/news/cve-2023-4966; https://nvd.nist.gov/vuln/detail/CVE-2023-4966',
  cwes: ['CWE-119'],
}
const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
const idBy = async (cveid: string) =>
  (await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = ${cveid}`)[0]?.id ?? 0

test('CVE-2023-4966 stands in KEV before its record is here: scored, marked, found by filters, and by whoever watches NetScaler', async () => {
  await sayEpss('CVE-2023-4966', 0.999)
  await sayKev(citrixBleed)
  const { call, answer } = await anOrg({ world })
  const params = { id: await idBy('CVE-2023-4966') }
  const vuln = await call(getVuln, { params })
  expect(vuln).toMatchObject({
    score: 89,
    is_score_provisional: true,
    title: citrixBleed.vulnerabilityName,
    kev: {
      vendor: 'Citrix',
      product: citrixBleed.product,
      action: citrixBleed.requiredAction,
      notes: citrixBleed.notes,
    },
    reflinks: ['https://www.netscaler.com/blog/news/cve-2023-4966'],
    unknown_flags: ['is_in_the_news'],
  })
  expect(vuln.affected.map(({ vendor, product, is_name_only }) => [vendor, product, is_name_only])).toEqual([
    ['citrix', 'netscaler_gateway', true],
    ['citrix', 'netscaler_application_delivery_controller', true],
  ])
  const found = await call(listVulns, { query: { score__gte: 80, product_name: 'netscaler_gateway' } })
  expect(found.results).toMatchObject([{ cveid: 'CVE-2023-4966', score: 89, is_score_provisional: true }])
  expect(await call(getPublicVuln, { params })).toMatchObject({ is_score_provisional: true })
  const csv = await (await answer(exportVulns, { params: { format: 'csv' } })).text()
  expect(csv.split('\r\n')[0]).toContain('score,is_score_provisional,')
  expect(csv).toContain(',89,true,')
  const mail = await vulnMail(vuln, { title: 't', footer: 'f', app_url: 'https://e' })
  expect(mail.text).toMatch(/Score: 89\/100 .*provisional/)
})

test('wherever a provisional score is told, it says that it is one: lists, items, inventories, timelines, files', async () => {
  const cveid = 'CVE-2023-4966'
  await say('ghsa', { cveid, packages: [{ type: 'npm', name: 'lib', ranges: [{ order: 'semver', lt: '2.0.0' }] }] })
  await sayKev(citrixBleed)
  const org = await anOrg({ world })
  const told = { score: 80, is_score_provisional: true }
  const [lib] = await world.sql<{ id: number }>`SELECT id FROM packages WHERE name = 'lib'`
  const params = { id: lib?.id ?? 0 }
  await setDetails(openDb(world.env), org.org_id, { kind: 'package', items: [{ id: params.id }], now })
  await send(org, 'shop', ['pkg:npm/lib@1.0.0'])

  const shop = { params: { name: 'shop' } }
  expect((await org.call(listFindings, shop)).results).toMatchObject([told])
  expect((await org.call(listFoundVulns, shop)).results).toMatchObject([told])
  expect((await org.call(listComponents, shop)).results).toMatchObject([
    { worst_score: 80, is_worst_provisional: true },
  ])
  for (const by of ['finding', 'vulnerability'] as const) {
    const file = { params: { name: 'shop', format: 'csv' }, query: { by } } as const
    const csv = await (await org.answer(exportFindings, file)).text()
    expect(csv).toContain('score,is_score_provisional,')
    expect(csv).toContain(',80,true,')
  }
  const [monitored] = (await org.call(listMonitored, { params: { kind: 'packages' } })).results
  expect(monitored?.worst).toMatchObject(told)
  const detail = await org.call(getPackage, { params })
  expect([detail.vulns, detail.timeline]).toMatchObject([[told], [{ vuln: told }]])
  expect((await org.call(packageVulns, { params })).results).toMatchObject([told])
  expect((await org.call(latestVulns)).monitored_vulns).toMatchObject([told])

  await say('nvd', { cveid, cvss3: { score: 9.8, vector, by: 'NVD' } })
  const rated = { is_score_provisional: false }
  expect((await org.call(listFindings, shop)).results).toMatchObject([rated])
  expect((await org.call(listComponents, shop)).results).toMatchObject([{ is_worst_provisional: false }])
})

test('CVE-2023-4966 gets its rating with its CVSS vector, and its products from its record', async () => {
  await sayKev(citrixBleed)
  const product = { vendor: 'citrix', product: 'netscaler_gateway', ranges: [{ cpe: 'a', lt: '12.1-55.300' }] }
  const cvss3 = { score: 9.4, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:L', by: 'nvd' }
  await say('nvd', { cveid: 'CVE-2023-4966', published: '2023-10-10T14:15:10Z', cvss3, affected: [product] })
  const { call } = await anOrg({ world })
  const vuln = await call(getVuln, { params: { id: await idBy('CVE-2023-4966') } })
  expect(vuln.is_score_provisional).toBe(false)
  expect(vuln.score).toBeGreaterThan(80)
  expect(vuln.affected.map(({ product: name, source }) => [name, source])).toEqual([['netscaler_gateway', 'nvd']])
  const others = await world.sql`SELECT vulns_count FROM products WHERE name LIKE '%delivery%'`
  expect(others).toEqual([{ vulns_count: 0 }])

  // NVD takes it back: KEV's names count again.
  await saveRecords(openDb(world.env), {
    source: 'nvd',
    records: [],
    withdrawn: [{ cveid: 'CVE-2023-4966' }],
    is_backfill: false,
    now,
  })
  const again = await call(getVuln, { params: { id: vuln.id } })
  expect(again.affected.map(({ product: name, source }) => [name, source])).toEqual([
    ['netscaler_gateway', 'kev'],
    ['netscaler_application_delivery_controller', 'kev'],
  ])
})

test('CVE-2025-53770, ToolShell, and CVE-2025-5777, CitrixBleed 2, stand above the default threshold of 80', async () => {
  for (const [cveID, at] of [
    ['CVE-2025-53770', '2025-07-20T00:00:00Z'],
    ['CVE-2025-5777', '2025-06-17T12:00:00Z'],
  ] as const) {
    await say('cve', { cveid: cveID, published: at, cvss3: { score: 9.8, vector, by: 'cna' } })
    await sayKev({ ...citrixBleed, cveID })
  }
  const { call } = await anOrg({ world })
  const { results } = await call(listVulns, { query: { score__gt: 80 } })
  expect(results.map(({ cveid, is_score_provisional }) => [cveid, is_score_provisional]).toSorted()).toEqual([
    ['CVE-2025-53770', false],
    ['CVE-2025-5777', false],
  ])
})

test('a provisional score follows EPSS, and a merge of all that is stored changes nothing', async () => {
  await sayKev({ ...citrixBleed, knownRansomwareCampaignUse: 'Unknown' })
  await sayEpss('CVE-2023-4966', 0.2)
  const read = async () => (await world.sql<{ score: number }>`SELECT score FROM vulns`)[0]?.score
  expect(await read()).toBe(62)
  await sayEpss('CVE-2023-4966', 0.95, '2026-11-21')
  expect(await read()).toBe(69)
  const changed: number[] = []
  await remergeVulns(openDb(world.env), ['CVE-2023-4966'], { now, is_backfill: false }, (count) => {
    changed.push(count)
    return []
  })
  expect(changed).toEqual([0])
})

test('Heartbleed was published on 2014-04-07 in every zone: a date without a time is no instant', async () => {
  await say('cve', {
    cveid: 'CVE-2014-0160',
    published: '2014-04-07T00:00:00Z',
    modified: '2024-08-06T09:05:38Z',
  })
  const { call, answer } = await anOrg({ world })
  const { results } = await call(listVulns, { query: {} })
  expect(results).toMatchObject([{ published: '2014-04-07', modified: '2024-08-06T09:05:38Z' }])
  await say('nvd', { cveid: 'CVE-2014-0161', published: '2014-04-07T00:00:00Z', modified: '2014-04-08T00:00:00Z' })
  const { results: cves } = await call(listCves, { query: { search: 'CVE-2014-0161' } })
  expect(cves).toMatchObject([{ modified: '2014-04-08' }])
  const params = { id: await idBy('CVE-2014-0161') }
  expect(await call(vulnRecordList, { params })).toMatchObject([{ modified: '2014-04-08' }])
  const found = await call(getPublicVuln, { params })
  expect([found.published, found.modified]).toEqual(['2014-04-07', '2014-04-08'])
  const csv = await (
    await answer(exportVulns, { params: { format: 'csv' }, query: { search: 'CVE-2014-0161' } })
  ).text()
  expect(csv).toMatch(/,2014-04-07,/)
})

test('CVE-2023-4966, of KEV before its record is here, crosses a threshold by its provisional score, and each message says so', async () => {
  const scene = await aScene()
  onTestFinished(() => scene.origins.restore())
  const org = await scene.watching({ emails: ['desk@example.org'] })
  const channels = ['email', 'slack', 'teams', 'thehive', 'misp', 'webhook']
  const rules = { on_new: false, on_update: false, on_score: true, score_value: 80, min_score: 80 }
  await configure(org, 'email', rules)
  for (const channel of channels.slice(1)) await point(scene, org, channel, rules)
  // The organization watches CISA's name of the product; no record names it yet.
  await saveRecords(openDb(scene.world.env), {
    source: 'kev',
    records: [fromKev(KevEntry.parse(aKevEntry('CVE-2023-4966')))],
    is_backfill: false,
    now: new Date(),
  })
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
  const deliveries = await findDeliveries(scene.world)
  expect(deliveries.map(({ channel, rule }) => [channel, rule]).toSorted()).toEqual(
    channels.map((channel) => [channel, 'score']).toSorted(),
  )
  const mail = scene.world.mails.find(({ to }) => to === 'desk@example.org')
  expect(mail?.subject).toContain('score 80 (provisional)')
  expect(mail?.text).toContain('80/100 (provisional)')
  expect(mail?.html).toContain('80/100 (provisional)')
  for (const [path, words] of [
    ['slack', '80/100 (provisional)'],
    ['teams', '80/100 \\\\(provisional\\\\)'],
    ['hive', '80/100 (provisional)'],
    ['misp', '80/100 (provisional)'],
    ['hook', '"score":80,"is_score_provisional":true'],
  ] as const) {
    const [message] = await scene.box.taken(path)
    expect([path, message?.body]).toEqual([path, expect.stringContaining(words)])
  }

  const { json_url } = await org.call(createAlertFeed, { body: { view_id: 0 } })
  const feed = await (await scene.world.request(new URL(json_url).pathname)).text()
  expect(feed).toContain('Score: 80 (provisional)')
  const [row] = (await org.call(listAlerts)).results
  expect(row?.vuln).toMatchObject({ score: 80, is_score_provisional: true })
  const why = await org.call(whyAlerted, { params: { id: row?.vuln.id ?? 0 } })
  expect(JSON.stringify(why)).toContain('Its provisional score is 80, the minimum score is 80')
})

test('a report marks a provisional score in its subject, its rows, its sections and on its page', async () => {
  const scene = await aReportScene()
  const org = await scene.watching()
  await scene.save(org, { enable_daily_email_report: true })
  await scene.change(1, { score: 60 })
  await scene.change(2, { score: 80, isUnrated: true, isNew: true, kev: true })
  const due = await scene.firstDue()
  await scene.makeAt(due)
  const [mail] = scene.sent()
  expect(mail?.subject).toContain('1 new, 1 changed, highest score 80 (provisional), exploited among them')
  expect(mail?.text.match(/score \d+(?: \(provisional\))?/g)).toEqual([
    'score 80 (provisional)',
    'score 60',
    'score 80 (provisional)',
    'score 60',
  ])
  expect(mail?.html).toMatch(/<b>80<\/b\s*><br \/><span class="quiet">provisional<\/span>/)
  expect(mail?.html).not.toMatch(/<b>60<\/b\s*><br \/>/)
  const [{ period: day = '' } = {}] = await org.call(listReports)
  const report = await org.call(getReport, { params: { schedule: 'daily', day } })
  expect(report.rows.map(({ score, is_score_provisional }) => [score, is_score_provisional])).toEqual([
    [80, true],
    [60, false],
  ])
  // A rating that is as high needs no mark.
  await scene.change(1, { score: 80 })
  await scene.change(2, { score: 80, isUnrated: true, kev: true, changes: [{ field: 'summary' }] })
  await scene.makeAt(plusSeconds(due, 86_400))
  expect(scene.sent()[1]?.subject).toContain('highest score 80, exploited among them')
})

import { beforeEach, expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import type { Source, VulnRecord } from '../../worker/domain/record'
import { KevEntry, fromKev } from '../../worker/feeds/signals/kev-record'
import { remergeVulns, saveRecords } from '../../worker/merge/save-records'
import { scoreStatements } from '../../worker/merge/save-scores'
import { listCves } from '../../worker/kb/cves/contract'
import { latestVulns } from '../../worker/home/contract'
import { exportFindings, listComponents, listFindings } from '../../worker/inventories/contract'
import { listFoundVulns } from '../../worker/inventories/vuln-contract'
import { listMonitored } from '../../worker/monitoring/contract'
import { getPackage, packageVulns } from '../../worker/packages/contract'
import { getPublicVuln } from '../../worker/public/contract'
import { vulnRecordList } from '../../worker/triage/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { exportVulns, listVulns } from '../../worker/vulns/contract'
import { vulnMail } from '../../worker/vulns/mail'
import { setDetails } from '../../worker/watchlist/set-details'
import { send } from './support/inventory-scene'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'
import type { World } from './support/world'

let world: World
beforeEach(() => {
  world = aWorld()
})

const now = new Date('2026-11-20T10:00:00Z')
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
  (await rows<{ id: number }>(world.env, 'SELECT id FROM vulns WHERE cveid = ?1', cveid))[0]?.id ?? 0

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
  const [lib] = await rows<{ id: number }>(world.env, "SELECT id FROM packages WHERE name = 'lib'")
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
  const others = await rows(world.env, "SELECT vulns_count FROM products WHERE name LIKE '%delivery%'")
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
  const read = async () => (await rows<{ score: number }>(world.env, 'SELECT score FROM vulns'))[0]?.score
  expect(await read()).toBe(62)
  await sayEpss('CVE-2023-4966', 0.95, '2026-11-21')
  expect(await read()).toBe(69)
  const changed: number[] = []
  await remergeVulns(openDb(world.env), ['CVE-2023-4966'], now, (count) => {
    changed.push(count)
    return []
  })
  expect(changed).toEqual([0])
})

test('of a flag that is false it is told whether somebody said no', async () => {
  const ssvc = { exploitation: 'none', automatable: null, technical_impact: null } as const
  await say('cve', { cveid: 'CVE-2021-44228' })
  await say('cve', { cveid: 'CVE-2024-10001', ssvc })
  const { call } = await anOrg({ world })
  const { results } = await call(listVulns, { query: { sorted_by: 'cveid' } })
  expect(results.map(({ unknown_flags }) => unknown_flags)).toEqual([
    ['is_exploitable', 'is_confirmed', 'is_in_the_news', 'is_in_the_wild'],
    ['is_confirmed', 'is_in_the_news'],
  ])
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

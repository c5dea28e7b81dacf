import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { vendorAliases } from '../../worker/domain/names/aliases'
import { knownUpdate } from '../../worker/domain/words/last-update'
import type { VulnRecord } from '../../worker/domain/words/record'
import { Cve5 } from '../../worker/feeds/cve5/schema'
import { fromCve5 } from '../../worker/feeds/cve5/record'
import { getProduct, getVendor, listProducts, listVendors } from '../../worker/kb/contract'
import { remergeVulns, saveRecords } from '../../worker/merge/save-records'
import { listPackages } from '../../worker/packages/contract'
import { listVulns } from '../../worker/vulns/contract'
import { vulnRecordList } from '../../worker/triage/contract'
import { getVuln, vulnHistory } from '../../worker/vulns/detail/contract'
import { aCisaAdp, aCve5, anEntry, aRange } from '../support/cve5'
import { readContainers } from '../support/cve5-read'
import { eachTest } from './support/each-test'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'

const world = eachTest(aWorld)

const now = new Date('2026-11-20T10:00:00Z')
const save = (source: 'cve' | 'nvd', record: VulnRecord) =>
  saveRecords(openDb(world.env), { source, records: [record], is_backfill: true, now })
const saveCve5 = (cveid: string, cna: Record<string, unknown>) => save('cve', fromCve5(Cve5.parse(aCve5(cveid, cna))))
const aListing = (cveid: string, vendor: string, product: string): VulnRecord => ({
  cveid,
  state: 'published',
  affected: [{ vendor, product, ranges: [{ cpe: 'a', lt: '3.4.1' }] }],
})
const sayNvd = (...listing: Parameters<typeof aListing>) => save('nvd', aListing(...listing))
const idBy = async (cveid: string) =>
  (await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = ${cveid}`)[0]?.id ?? 0

const freeglut = {
  affected: [{ vendor: 'n/a', product: 'n/a', versions: [{ version: 'n/a', status: 'affected' }] }],
  references: [
    { url: 'https://github.com/yinluming13579/mupdf_defects/blob/main/mupdf_detect_1.md' },
    { url: 'https://github.com/freeglut/freeglut/pull/155' },
  ],
}

test('CVE-2024-24258 names no product: where its fix is published names one that is known, by its name only', async () => {
  await sayNvd('CVE-2024-10001', 'freeglut_project', 'freeglut')
  await saveCve5('CVE-2024-24258', freeglut)
  const { call } = await anOrg({ world })
  const { affected } = await call(getVuln, { params: { id: await idBy('CVE-2024-24258') } })
  expect(affected).toMatchObject([
    { vendor: 'freeglut_project', product: 'freeglut', source: 'cve', is_name_only: true, versions: [] },
  ])
  const changed: number[] = []
  await remergeVulns(openDb(world.env), ['CVE-2024-24258', 'CVE-2024-10001'], { now, is_backfill: false }, (count) => {
    changed.push(count)
    return []
  })
  expect(changed).toEqual([0])
})

test('CVE-2024-24258 names nothing where nobody knows such a product, and the word of NVD counts alone', async () => {
  await saveCve5('CVE-2024-24258', freeglut)
  expect(await world.sql`SELECT * FROM products`).toEqual([])
  await sayNvd('CVE-2024-24258', 'freeglut_project', 'freeglut')
  await saveCve5('CVE-2024-24258', { ...freeglut, title: 'freeglut leaks' })
  const { call } = await anOrg({ world })
  const { affected } = await call(getVuln, { params: { id: await idBy('CVE-2024-24258') } })
  expect(affected.map(({ source }) => source)).toEqual(['nvd'])
})

/** Fixes of `product` are published where it is made. */
const aGuess = (cveid: string, product: string) => {
  const references = [{ url: `https://github.com/${product}/${product}/pull/155` }]
  return fromCve5(Cve5.parse(aCve5(cveid, { ...freeglut, references })))
}
type Said = { source: 'cve' | 'nvd'; record: VulnRecord }
const speak = (id: string, product: string): Said[] => [
  { source: 'cve', record: aGuess(`${id}1`, product) },
  { source: 'cve', record: aGuess(`${id}2`, product) },
  { source: 'nvd', record: aListing(`${id}2`, 'acme', 'other') },
  { source: 'nvd', record: aListing(`${id}3`, `${product}_project`, product) },
]
const listOrders = (said: Said[]): Said[][] =>
  said.length
    ? said.flatMap((first) => listOrders(said.filter((one) => one !== first)).map((others) => [first, ...others]))
    : [[]]
async function saveAll(said: Said[]) {
  for (const [source, own] of Map.groupBy(said, (one) => one.source)) {
    const records = own.map(({ record }) => record)
    await saveRecords(openDb(world.env), { source, records, is_backfill: false, now })
  }
}

test('in whatever order sources speak, the same products are guessed, and no guess rests on another', async () => {
  const ids = Array.from({ length: 24 }, (_, at) => `CVE-2024-${200 + at}0`)
  const orders = ids.map((id, at) => listOrders(speak(id, `widget${at}`))[at] ?? [])
  for (const turn of [0, 1, 2, 3]) {
    await saveAll(orders.flatMap((order) => order[turn] ?? []))
    if (turn !== 1) await world.tick()
  }
  const countNames = () =>
    world.sql`SELECT substr(v.cveid, -1) || ' ' || a.source || ' ' || rtrim(p.name, '0123456789') AS said, count(*) AS orders FROM affected a
       JOIN vulns v ON v.id = a.vuln_id JOIN products p ON p.id = a.product_id GROUP BY 1 ORDER BY 1`
  const listed = ['2 nvd other', '3 nvd widget'].map((said) => ({ said, orders: 24 }))
  expect(await countNames()).toEqual([{ said: '1 cve widget', orders: 24 }, ...listed])

  await saveAll(ids.map((id) => ({ source: 'cve', record: { cveid: `${id}3`, state: 'rejected' } })))
  await world.tick()
  expect(await countNames()).toEqual(listed)
  await world.tick()
  const looked = "SELECT value FROM counters WHERE name IN ('guesses_settled_to', 'kb_version')"
  expect(new Set((await rows<{ value: number }>(world.env, looked)).map(({ value }) => value)).size).toBe(1)
})

test('the outcome of a guess is history while a feed is loaded for the first time, and news afterwards', async () => {
  const guess = (number: number) => aGuess(`CVE-2024-2000${number}`, `widget${number}`)
  await saveRecords(openDb(world.env), { source: 'cve', records: [1, 2].map(guess), is_backfill: true, now })
  const list = (number: number) =>
    save('nvd', aListing(`CVE-2024-1000${number}`, `widget${number}_project`, `widget${number}`))
  const readChanges = () => world.sql`SELECT v.cveid FROM vuln_changes c JOIN vulns v ON v.id = c.vuln_id`
  const readLinks = async () => (await world.sql`SELECT * FROM affected WHERE source = 'cve'`).length

  await list(1)
  await world.sql`INSERT INTO feeds(id, state, next_run_at) VALUES ('nvd', 'running', '2100-01-01T00:00:00Z')`
  await world.tick()
  expect([await readLinks(), await readChanges()]).toEqual([1, []])
  await world.sql`UPDATE feeds SET state = 'idle', last_success = '2026-11-20T10:00:00Z'`
  await list(2)
  await world.tick()
  expect([await readLinks(), await readChanges()]).toEqual([2, [{ cveid: 'CVE-2024-20002' }]])
})

test('CVE-2023-1523, snapd: a watcher of a product whose fix a record names hears of it, until a source lists versions', async () => {
  const snapd = {
    affected: [{ vendor: 'Canonical Ltd.', product: 'snapd', versions: [{ version: '2.59.5', status: 'unaffected' }] }],
  }
  await saveCve5('CVE-2023-1523', snapd)
  const { call } = await anOrg({ world })
  const read = async () => (await call(getVuln, { params: { id: await idBy('CVE-2023-1523') } })).affected
  expect(await read()).toMatchObject([{ vendor: 'canonical', product: 'snapd', source: 'cve', is_name_only: true }])
  await sayNvd('CVE-2023-1523', 'canonical', 'snapd')
  expect(await read()).toMatchObject([{ vendor: 'canonical', product: 'snapd', source: 'nvd', is_name_only: false }])
})

test('apache_software_foundation:apache_http_server is apache:http_server: one product, found by both names, with the other listed', async () => {
  await sayNvd('CVE-2024-10001', 'apache', 'http_server')
  await sayNvd('CVE-2024-10002', 'apache_software_foundation', 'apache_http_server')
  expect(await world.sql`SELECT vendor, name, vulns_count FROM products`).toEqual([
    { vendor: 'apache', name: 'http_server', vulns_count: 2 },
  ])
  const { call } = await anOrg({ world })
  for (const product_name of ['http_server', 'apache_software_foundation:apache_http_server'])
    expect((await call(listVulns, { query: { product_name } })).count).toBe(2)
  expect((await call(listVulns, { query: { vendor_name: 'Apache Software Foundation' } })).count).toBe(2)
  expect((await call(listVendors, { query: { search: 'Apache Software Foundation' } })).count).toBe(1)
  for (const search of ['apache_software_foundation', 'Apache Software Foundation:apache_http_server'])
    expect((await call(listProducts, { query: { search } })).count).toBe(1)
  const [vendor] = await world.sql<{ id: number }>`SELECT id FROM vendors`
  expect((await call(getVendor, { params: { id: vendor?.id ?? 0 } })).aliases).toEqual([
    { name: 'apache_software_foundation', fact: 'cve' },
  ])
  const [product] = await world.sql<{ id: number }>`SELECT id FROM products`
  expect((await call(getProduct, { params: { id: product?.id ?? 0 } })).aliases).toEqual([
    { name: 'apache_software_foundation:http_server', fact: 'cve' },
  ])
})

test('an alias that is taken back is undone by reading the source again', async () => {
  const listNames = () => world.sql`SELECT vendor || ':' || name AS name FROM products WHERE vulns_count > 0`
  const read = () => sayNvd('CVE-2024-10002', 'apache_software_foundation', 'apache_http_server')
  await read()
  expect(await listNames()).toEqual([{ name: 'apache:http_server' }])
  const aliases = vendorAliases as Map<string, string>
  aliases.delete('apache_software_foundation')
  try {
    await read()
    expect(await listNames()).toEqual([{ name: 'apache_software_foundation:apache_http_server' }])
  } finally {
    aliases.set('apache_software_foundation', 'apache')
  }
  await read()
  expect(await listNames()).toEqual([{ name: 'apache:http_server' }])
})

test('pkg:github/Tukaani-Project/XZ finds what is stored in lower case (CVE-2024-3094), and so does one of bitbucket', async () => {
  const { call } = await anOrg({ world })
  for (const [type, cveid] of [
    ['github', 'CVE-2024-3094'],
    ['bitbucket', 'CVE-2024-30005'],
  ] as const) {
    const packages = [{ type, name: 'tukaani-project/xz', ranges: [{ order: 'loose' as const, is: '5.6.1' }] }]
    await save('cve', { cveid, state: 'published', packages })
    const search = `pkg:${type}/Tukaani-Project/XZ@5.6.1`
    const found = (await call(listPackages, { query: { search } })).results
    expect(found.map((one) => [one.type, one.name])).toEqual([[type, 'tukaani-project/xz']])
    expect((await call(listVulns, { query: { search } })).results.map((one) => one.cveid)).toEqual([cveid])
  }
})

test('the versions of a product hold no prose, and are grouped by branch', async () => {
  await save('nvd', {
    cveid: 'CVE-2017-10001',
    state: 'published',
    affected: [
      { vendor: 'linux', product: 'linux', ranges: ['o:2.5.10', 'o:2.5.9', 'o:2.3.31', 'o:Snapdragon 8 Gen 1'] },
    ],
  })
  const { call } = await anOrg({ world })
  const [product] = await world.sql<{ id: number }>`SELECT id FROM products`
  const { versions, aliases } = await call(getProduct, { params: { id: product?.id ?? 0 } })
  expect(versions.map(({ version, branch }) => `${branch} ${version}`)).toEqual([
    '2.3.x 2.3.31',
    '2.5.x 2.5.9',
    '2.5.x 2.5.10',
  ])
  expect(aliases).toEqual([
    { name: 'linux:linux', fact: 'cve' },
    { name: 'linux:kernel', fact: 'kev' },
  ])
})

test('a record without a date never counts as news; it is as old as its id, and its last update is not known', async () => {
  await save('cve', { cveid: 'CVE-2019-10001', state: 'published' })
  await save('cve', { cveid: 'CVE-2019-10002', state: 'published', published: '2026-11-19T00:00:00Z' })
  const { call } = await anOrg({ world })
  const { results } = await call(listVulns, { query: { updated_at__gte: '2026-10-21' } })
  expect(results.map(({ cveid }) => cveid)).toEqual(['CVE-2019-10002'])
  const all = await call(listVulns, { query: { sorted_by: 'cveid' } })
  expect(all.results.map(knownUpdate)).toEqual([null, '2026-11-19T00:00:00Z'])
})

test('CVE-2021-44228 is reached over the network without an account: T1190 is its technique', async () => {
  const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H'
  await save('nvd', { cveid: 'CVE-2021-44228', state: 'published', cvss3: { score: 10, vector, by: 'nvd' } })
  const { call } = await anOrg({ world })
  const { attack_techniques } = await call(getVuln, { params: { id: await idBy('CVE-2021-44228') } })
  expect(attack_techniques).toMatchObject([{ external_id: 'T1190', reason: 'exposure' }])
})

test('of a flag that is false it is told whether somebody said no', async () => {
  const ssvc = { exploitation: 'none', automatable: null, technical_impact: null } as const
  await save('cve', { cveid: 'CVE-2021-44228', state: 'published' })
  await save('cve', { cveid: 'CVE-2024-10001', state: 'published', ssvc })
  const { call } = await anOrg({ world })
  const { results } = await call(listVulns, { query: { sorted_by: 'cveid' } })
  expect(results.map(({ unknown_flags }) => unknown_flags)).toEqual([
    ['is_exploitable', 'is_confirmed', 'is_in_the_news', 'is_in_the_wild'],
    ['is_confirmed', 'is_in_the_news'],
  ])
})

test('CISA’s additions to a record stand as its own, and a change of who says them is no news', async () => {
  const widget = [anEntry('Acme', 'Widget', aRange('0', '2.0'))]
  const saySomeone = (shortName: string, is_backfill: boolean) =>
    saveRecords(openDb(world.env), {
      source: 'cve',
      records: [readContainers({ affected: [] }, [aCisaAdp({ affected: widget, providerMetadata: { shortName } })])],
      is_backfill,
      now,
    })
  const { call } = await anOrg({ world })
  const tellWho = async () => {
    const params = { id: await idBy('CVE-2026-0001') }
    const [detail, records, history] = await Promise.all([
      call(getVuln, { params }),
      call(vulnRecordList, { params }),
      call(vulnHistory, { params }),
    ])
    const stored = await world.sql<{ source: string }>`SELECT source FROM affected`
    return {
      stored: stored.map(({ source }) => source),
      shown: detail.affected.map(({ source }) => source),
      items: detail.affected_items.map(({ sources }) => sources),
      record: records.map(({ record }) => record.affected),
      changes: history.length,
    }
  }
  await saySomeone('CISA-ADP', true)
  const first = await tellWho()
  expect(first).toMatchObject({
    stored: ['cve/cisa'],
    shown: ['cve/cisa'],
    items: [['cve/cisa']],
    record: [[{ vendor: 'acme', product: 'widget', by: 'cisa' }]],
  })
  await saySomeone('other-ADP', false)
  const { stored, shown, items, record, changes } = await tellWho()
  expect([stored, shown, items]).toEqual([['cve'], ['cve'], [['cve']]])
  expect(record).toEqual([[expect.not.objectContaining({ by: 'cisa' })]])
  expect(changes).toBe(first.changes)
})

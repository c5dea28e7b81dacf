import { afterEach, beforeEach, expect, test } from 'vitest'
import { runSync, syncInfo } from '../../worker/feeds/contract'
import { getBulletin, listBulletins, monitorBulletin } from '../../worker/kb/bulletins/contract'
import { aCsaf, aCsafVuln } from '../support/csaf'
import type { FeedMessage } from '../../worker/env'
import { anOrg, rows } from './support/org'
import { fakeOrigins } from './support/origins'
import type { Origins } from './support/origins'
import { aWorld } from './support/world'
import type { World } from './support/world'

const cert = 'https://raw.test/certgov/CSAF/develop/csaf_files/OT/white'
const vendor = 'https://vendor.test/csaf/v2/advisories'

let origins: Origins
let world: World
let files: Map<string, () => Response>
let admin: Awaited<ReturnType<typeof anOrg>>
beforeEach(async () => {
  origins = fakeOrigins()
  origins.instead = (url) => files.get(url.href)?.() ?? null
  world = aWorld({ CSAF_URL: `${cert} ${vendor}/` })
  files = new Map()
  publish(cert, [])
  publish(vendor, [
    ['2026/other-1.json', '2026-11-01T00:00:00Z', aCsaf({ id: 'OTHER-1', title: 'Other', vendor: 'Other' })],
  ])
  admin = await anOrg({ world, is_admin: true })
})
afterEach(() => origins.restore())

type Listed = [path: string, date: string, document?: unknown]
function publish(folder: string, listed: Listed[], line = ([path, date]: Listed) => `"${path}","${date}"`) {
  const first: Listed = ['2020/first.json', '2020-01-01T00:00:00Z', aCsaf({ id: 'FIRST', title: 'First' })]
  const all = folder === cert ? [...listed, first] : listed
  files.set(`${folder}/changes.csv`, () => new Response(all.map(line).join('\n')))
  for (const [path, , document] of all) {
    const url = `${folder}/${path.replace('csaf_files/OT/white/', '')}`
    if (document) files.set(url, () => Response.json(document))
  }
}

async function sync() {
  await admin.call(runSync, { query: { feed: 'csaf' } })
  await world.drain()
  return (await admin.call(syncInfo)).feeds.find(({ id }) => id === 'csaf')
}
const list = (query: Record<string, string> = {}) => admin.call(listBulletins, { query })
const titles = async (query?: Record<string, string>) => (await list(query)).results.map(({ title }) => title)
const asked = () =>
  origins.requests.map(({ href }) => href).filter((href) => /^https:..(raw|vendor)\.test.*json$/.test(href))
const findDetail = async (publicid: string) => {
  const found = (await list()).results.find((one) => one.publicid === publicid)
  return admin.call(getBulletin, { params: { id: found?.id ?? 0 } })
}

test('an advisory becomes a bulletin of the vendor it speaks of, with what it says of each CVE', async () => {
  publish(cert, [['2026/acsa-26-001.json', '2026-11-10T06:00:00Z', aCsaf()]])
  expect(await sync()).toMatchObject({ state: 'idle', records: 3, changed: 3, skipped: 0, last_error: null })

  const detail = await findDetail('ACSA-26-001')
  expect(detail).toMatchObject({
    publicid: 'ACSA-26-001',
    source: 'cert',
    vendor: 'Acme',
    title: 'Acme Widget',
    severity: 'High',
    impact: 'An attacker could stop the widget.',
    link: 'https://cert.example/ACSA-26-001',
    published: '2026-11-01T06:00:00Z',
    modified: '2026-11-10T06:00:00Z',
    monitored: false,
    vulns: [{ cveid: 'CVE-2026-10001', id: null, score: null, state: null }],
  })
  expect(detail.body).toEqual({
    category: 'csaf_security_advisory',
    publisher: 'CERT',
    status: 'final',
    version: '1',
    notes: [
      { category: 'summary', title: 'Risk evaluation', text: 'An attacker could stop the widget.' },
      { category: 'general', title: 'Recommended Practices', text: 'Keep it off the internet.\nUse a VPN.' },
    ],
    products: [
      { vendor: 'Acme', product: 'Widget', version: '<2.0' },
      { vendor: 'Acme', product: 'Widget', version: '2.0' },
    ],
    products_count: 2,
    vulns: [
      {
        cveid: 'CVE-2026-10001',
        title: null,
        cwe_id: 'CWE-79',
        cvss: { version: 3, score: 7.5, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H' },
        impact: null,
        note: 'What CVE-2026-10001 does.',
        statuses: [
          { status: 'affected', products: [0], count: 1 },
          { status: 'fixed', products: [1], count: 1 },
        ],
        justifications: [],
      },
    ],
    vulns_count: 1,
    remediations: [
      {
        category: 'vendor_fix',
        details: 'Update to 2.0',
        url: 'https://acme.example/2.0',
        cveids: [],
        products: [0],
      },
    ],
    references: [
      { summary: 'JSON', url: 'https://cert.example/ACSA-26-001.json' },
      { summary: 'Web', url: 'https://cert.example/ACSA-26-001' },
      { summary: 'Vendor', url: 'https://acme.example/advisory' },
    ],
  })
})

test("paths of changes.csv that repeat the folder, as CISA's do, and bare ones find their documents", async () => {
  publish(
    cert,
    [['csaf_files/OT/white/2026/acsa-26-001.json', '2026-11-10T06:00:00.000000Z', aCsaf()]],
    ([path, date]) => `${path},${date}`,
  )
  expect(await sync()).toMatchObject({ state: 'idle', records: 3, skipped: 0 })
  expect(asked()).toContain(`${cert}/2026/acsa-26-001.json`)
})

test('a path that leaves its folder, or is an address of its own, is never asked for', async () => {
  publish(cert, [
    ['../../secret.json', '2026-11-10T06:00:00Z'],
    ['https://evil.test/x.json', '2026-11-10T06:00:00Z'],
    ['2026//x.json', '2026-11-10T06:00:00Z'],
    ['2026/not-a-date.json', 'soon'],
  ])
  expect(await sync()).toMatchObject({ state: 'idle', records: 2 })
  expect(asked()).toEqual([`${cert}/2020/first.json`, `${vendor}/2026/other-1.json`])
})

test('the newest documents are read first, whatever the order of the list', async () => {
  publish(cert, [
    ['2026/a.json', '2026-03-01T00:00:00Z', aCsaf({ id: 'A' })],
    ['2026/c.json', '2026-05-01T00:00:00Z', aCsaf({ id: 'C' })],
    ['2026/b.json', '2026-04-01T00:00:00+00:00', aCsaf({ id: 'B' })],
  ])
  await sync()
  expect(asked().slice(0, 4)).toEqual(['2026/c', '2026/b', '2026/a', '2020/first'].map((one) => `${cert}/${one}.json`))
})

test('the next run reads only what changed, and a document listed late with an older date', async () => {
  publish(cert, [['2026/b.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'B', title: 'B' })]])
  await sync()
  origins.requests.length = 0
  expect(await sync()).toMatchObject({ state: 'idle', records: 0, changed: 0 })
  expect(asked()).toEqual([])

  publish(cert, [
    [
      '2026/b.json',
      '2026-11-11T06:00:00Z',
      aCsaf({ id: 'B', title: 'B again', vulnerabilities: [aCsafVuln('CVE-2026-10002')] }),
    ],
    ['2026/late.json', '2026-11-09T06:00:00Z', aCsaf({ id: 'LATE', title: 'Late' })],
  ])
  expect(await sync()).toMatchObject({ records: 2, changed: 2 })
  expect(asked()).toEqual([`${cert}/2026/b.json`, `${cert}/2026/late.json`])
  expect((await titles()).toSorted()).toEqual(['B again', 'First', 'Late', 'Other'])
  expect((await findDetail('B')).vulns.map(({ cveid }) => cveid)).toEqual(['CVE-2026-10002'])

  origins.requests.length = 0
  await sync()
  expect(asked()).toEqual([])
})

test('many documents are read in steps, and a run that was killed goes on where it was', async () => {
  const many = Array.from({ length: 130 }, (_, at): Listed => [
    `2026/n${at}.json`,
    new Date(Date.UTC(2026, 0, 1, at)).toISOString(),
    aCsaf({ id: `N-${at}`, title: `Number ${at}` }),
  ])
  publish(cert, many)
  await admin.call(runSync, { query: { feed: 'csaf' } })
  const [message] = world.waiting.splice(0)
  await world.deliver('earshot-feeds', message?.body as FeedMessage)
  expect((await list()).count).toBe(60)

  // The message for the next step is lost; the clock finds the step again.
  world.waiting.length = 0
  origins.requests.length = 0
  await world.tick(new Date(Date.now() + 3_600_000))
  await world.drain()
  const feed = (await admin.call(syncInfo)).feeds.find(({ id }) => id === 'csaf')
  expect(feed).toMatchObject({ state: 'idle', records: 132, total: 132, changed: 132 })
  expect(asked()).toHaveLength(72)
  expect((await list()).count).toBe(132)
})

test('what is published while a reading is under way is read in the next run', async () => {
  const many = Array.from({ length: 70 }, (_, at): Listed => [
    `2026/n${at}.json`,
    new Date(Date.UTC(2026, 0, 1, at)).toISOString(),
    aCsaf({ id: `N-${at}`, title: `Number ${at}` }),
  ])
  publish(cert, many)
  await admin.call(runSync, { query: { feed: 'csaf' } })
  const [message] = world.waiting.splice(0)
  await world.deliver('earshot-feeds', message?.body as FeedMessage)
  const news: Listed[] = [
    ['2026/new.json', '2026-02-01T00:00:00Z', aCsaf({ id: 'NEW', title: 'New' })],
    ['2026/between.json', '2026-01-03T12:30:00Z', aCsaf({ id: 'BETWEEN', title: 'Between' })],
  ]
  publish(cert, [...many, ...news])
  await world.drain()
  expect((await list()).count).toBe(72)
  await sync()
  expect((await list()).count).toBe(74)
})

const faulty: [string, () => Response, RegExp][] = [
  ['is missing', () => new Response('', { status: 404 }), /no such file/],
  ['is no JSON', () => new Response('<html>'), /JSON|Unexpected/],
  ['is another document', () => Response.json({ title: 'x' }), /document/],
  ['has a date that is none', () => Response.json(aCsaf({ id: 'X', modified: 'soon' })), /Not a time/],
  ['nests without end', () => new Response(nested(30_000)), /./],
  ['is too large', () => new Response(`{"x":"${'x'.repeat(12_100_000)}"}`), /larger than/],
]
const nested = (depth: number) =>
  JSON.stringify(aCsaf({ id: 'X', product_tree: { branches: ['here'] } })).replace(
    '"here"',
    '{"category":"product_family","name":"x","branches":['.repeat(depth) + ']}'.repeat(depth),
  )

test.each(faulty)(
  'a document that %s is skipped, counted and kept with its reason; the others come in',
  async (_, answer, reason) => {
    publish(cert, [['2026/x.json', '2026-11-10T06:00:00Z']])
    files.set(`${cert}/2026/x.json`, answer)
    expect(await sync()).toMatchObject({ state: 'idle', records: 3, changed: 2, skipped: 1 })
    expect(await rows(world.env, 'SELECT record_id, reason FROM feed_skips')).toEqual([
      { record_id: `${cert}/2026/x.json`, reason: expect.stringMatching(reason) },
    ])
  },
)

test.each([
  ['WHITE', true],
  ['CLEAR', true],
  [null, true],
  ['GREEN', false],
  ['AMBER+STRICT', false],
  ['RED', false],
])('a document marked TLP %s is shown: %s', async (tlp, isShown) => {
  publish(cert, [['2026/x.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'X', title: 'Marked', tlp })]])
  expect(await sync()).toMatchObject({ skipped: isShown ? 0 : 1 })
  expect(await titles({ search: 'marked' })).toEqual(isShown ? ['Marked'] : [])
})

test('a bulletin whose document is no longer for everybody disappears, also for those who monitor it', async () => {
  publish(cert, [['2026/x.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'X', title: 'Marked' })]])
  await sync()
  const { id } = await findDetail('X')
  await admin.call(monitorBulletin, { params: { id }, body: { monitored: true } })

  publish(cert, [['2026/x.json', '2026-11-11T06:00:00Z', aCsaf({ id: 'X', title: 'Marked', tlp: 'AMBER' })]])
  expect(await sync()).toMatchObject({ state: 'idle', skipped: 1 })
  expect((await admin.answer(getBulletin, { params: { id } })).status).toBe(404)
  expect(await list()).toMatchObject({ count: 2 })
  expect(await rows(world.env, 'SELECT * FROM bulletin_vulns WHERE bulletin_id = ?1', id)).toEqual([])
})

test('a provider that is down stops no other; the run says so and heals', async () => {
  files.set(`${cert}/changes.csv`, () => new Response('', { status: 503 }))
  expect(await sync()).toMatchObject({ state: 'failed', last_error: expect.stringContaining('raw.test answered 503') })
  expect(await titles()).toEqual(['Other'])

  publish(cert, [])
  expect(await sync()).toMatchObject({ state: 'idle', last_error: null, records: 1 })
  expect((await titles()).toSorted()).toEqual(['First', 'Other'])
})

test.each([
  ['an empty list', () => new Response(''), /lists no document/],
  ['a page of HTML', () => new Response('<html>sorry</html>'), /lists no document/],
  ['no list', () => new Response('', { status: 404 }), /No such file/],
])('%s is an error, not the end of all bulletins', async (_, answer, error) => {
  await sync()
  files.set(`${cert}/changes.csv`, answer)
  expect(await sync()).toMatchObject({ state: 'failed', last_error: expect.stringMatching(error) })
  expect((await list()).count).toBe(2)
})

test('severity is what the vendor says, else the band of the highest score', async () => {
  const scored = (...scores: unknown[]) => [aCsafVuln('CVE-2026-10001', { scores })]
  const v3 = (baseScore: number) => ({ cvss_v3: { baseScore, vectorString: '' } })
  publish(cert, [
    [
      '2026/a.json',
      '2026-11-10T06:00:00Z',
      aCsaf({ id: 'A', document: { aggregate_severity: { text: 'Important' } } }),
    ],
    ['2026/b.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'B', vulnerabilities: scored(v3(5), v3(9.8)) })],
    [
      '2026/c.json',
      '2026-11-10T06:00:00Z',
      aCsaf({ id: 'C', vulnerabilities: scored({ cvss_v2: { baseScore: 10 } }) }),
    ],
    ['2026/d.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'D', vulnerabilities: [] })],
  ])
  await sync()
  const { results } = await list({ search: 'acme' })
  expect(Object.fromEntries(results.map(({ publicid, severity }) => [publicid, severity]))).toEqual({
    A: 'Important',
    B: 'Critical',
    C: 'High',
    D: null,
    FIRST: 'High',
  })
})

test('a package as part of a platform is that platform with the package as its version, once for all architectures', async () => {
  const arch = (name: string) => ({
    category: 'architecture',
    name,
    branches: [
      { category: 'product_version', name: `git-0:2.1.${name}`, product: { product_id: `git.${name}`, name: 'git' } },
    ],
  })
  const part = (name: string) => ({
    category: 'default_component_of',
    product_reference: `git.${name}`,
    relates_to_product_reference: 'EL',
    full_product_name: { product_id: `EL:git.${name}`, name: 'git in EL' },
  })
  const platform = { category: 'product_name', name: 'Linux 9', product: { product_id: 'EL', name: 'Linux 9' } }
  const product_tree = {
    branches: [{ category: 'vendor', name: 'Hat', branches: [platform, arch('x86_64'), arch('aarch64')] }],
    relationships: [part('x86_64'), part('aarch64')],
  }
  const vuln = aCsafVuln('CVE-2026-10001', {
    product_status: { fixed: ['EL:git.x86_64', 'EL:git.aarch64'] },
    threats: [{ category: 'impact', details: 'Moderate' }],
    remediations: [],
  })
  publish(cert, [['2026/x.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'X', product_tree, vulnerabilities: [vuln] })]])
  await sync()
  const { vendor: named, body } = await findDetail('X')
  expect(named).toBe('Hat')
  expect(body.products).toEqual([{ vendor: 'Hat', product: 'Linux 9', version: 'git-0:2.1' }])
  expect(body.vulns[0]).toMatchObject({ impact: 'Moderate', statuses: [{ status: 'fixed', products: [0], count: 1 }] })
})

test('a VEX document says why products are not affected; several vendors are all named', async () => {
  const branch = (vendor_name: string) => ({
    category: 'vendor',
    name: vendor_name,
    product: { product_id: vendor_name, name: `${vendor_name} thing` },
  })
  const vuln = aCsafVuln('CVE-2026-10001', {
    cve: undefined,
    ids: [{ system_name: 'x', text: 'X-1' }],
    product_status: { known_not_affected: ['A'], under_investigation: ['B', 'C', 'D', 'E'] },
    flags: [{ label: 'vulnerable_code_not_present', product_ids: ['A'] }],
  })
  const document = aCsaf({
    id: 'X',
    document: { category: 'csaf_vex' },
    product_tree: { branches: ['A', 'B', 'C', 'D', 'E'].map(branch) },
    vulnerabilities: [vuln],
  })
  publish(cert, [['2026/x.json', '2026-11-10T06:00:00Z', document]])
  await sync()
  const detail = await findDetail('X')
  expect(detail.vendor).toBe('A, B, C and 2 more')
  expect(detail.vulns).toEqual([])
  expect(detail.body.vulns[0]).toMatchObject({
    cveid: null,
    title: 'X-1',
    justifications: ['vulnerable_code_not_present'],
    statuses: [
      { status: 'not_affected', products: [0], count: 1 },
      { status: 'under_investigation', products: [1, 2, 3, 4], count: 4 },
    ],
  })
})

test('the CVEs with the highest score come first, and what to do for some of them names these', async () => {
  const scored = (cve: string, baseScore: number, details: string) =>
    aCsafVuln(cve, {
      scores: [{ cvss_v3: { baseScore } }],
      remediations: [
        { category: 'vendor_fix', details, product_ids: ['P1'] },
        { category: 'mitigation', details: 'Wait', product_ids: [] },
      ],
    })
  const vulnerabilities = [scored('CVE-2026-10001', 5, 'Update'), scored('CVE-2026-10002', 9.8, 'Replace')]
  publish(cert, [['2026/x.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'X', vulnerabilities })]])
  await sync()
  const { body } = await findDetail('X')
  expect(body.vulns.map(({ cveid }) => cveid)).toEqual(['CVE-2026-10002', 'CVE-2026-10001'])
  expect(body.remediations.map(({ details, cveids }) => [details, cveids])).toEqual([
    ['Update', ['CVE-2026-10001']],
    ['Wait', []],
    ['Replace', ['CVE-2026-10002']],
  ])
})

test('a huge document is kept below 60 kB, and tells how much there was', async () => {
  const branches = Array.from({ length: 900 }, (_, at) => ({
    category: 'product_version',
    name: `version ${at} ${'x'.repeat(60)}`,
    product: { product_id: `P${at}`, name: `P${at}` },
  }))
  const ids = branches.map(({ product }) => product.product_id)
  const vulnerabilities = Array.from({ length: 400 }, (_, at) =>
    aCsafVuln(`CVE-2026-${10000 + at}`, {
      product_status: { known_affected: ids },
      remediations: [{ category: 'mitigation', details: 'Wait. '.repeat(800), product_ids: ids }],
    }),
  )
  publish(cert, [
    ['2026/x.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'X', product_tree: { branches }, vulnerabilities })],
  ])
  expect(await sync()).toMatchObject({ skipped: 0 })
  const [stored] = await rows<{ bytes: number }>(
    world.env,
    "SELECT length(body) AS bytes FROM bulletins WHERE publicid = 'X'",
  )
  expect(stored?.bytes).toBeLessThan(61_000)
  const { body, vulns } = await findDetail('X')
  expect(vulns).toHaveLength(400)
  expect(body).toMatchObject({ products_count: 900, vulns_count: 400 })
  expect(body.vulns.length).toBeGreaterThan(50)
  expect(body.vulns[0]?.statuses[0]?.count).toBe(900)
  expect(Math.max(...(body.vulns[0]?.statuses[0]?.products ?? []))).toBeLessThan(body.products.length)
})

test('of large documents one at a time is in memory', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `2026/large-${at}.json`)
  publish(cert, [])
  files.set(
    `${cert}/changes.csv`,
    () => new Response(names.map((name) => `"${name}","2026-11-01T00:00:00Z"`).join('\n')),
  )
  const size = 4_000_000
  const held = { bytes: 0, most: 0 }
  for (const name of names) files.set(`${cert}/${name}`, () => new Response(aLargeDocument(name, size, held)))

  expect(await sync()).toMatchObject({ state: 'idle', skipped: 0, last_error: null })
  expect((await list({ search: 'Large' })).count).toBe(names.length)
  // Six of a little more than 1 MB, and one that is whole.
  expect(held.most).toBeGreaterThan(size)
  expect(held.most).toBeLessThan(size + 6 * 1_300_000)
})

/** A document that comes in small pieces; `held` counts what was sent of those that are not whole yet. */
function aLargeDocument(name: string, size: number, held: { bytes: number; most: number }) {
  const document = { ...(aCsaf({ id: name, title: `Large ${name}` }) as object), padding: 'x'.repeat(size) }
  const bytes = new TextEncoder().encode(JSON.stringify(document))
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = bytes.slice(at, at + 100_000)
        at += piece.length
        held.bytes += piece.length
        held.most = Math.max(held.most, held.bytes)
        controller.enqueue(piece)
        if (at < bytes.length) return
        held.bytes -= bytes.length
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

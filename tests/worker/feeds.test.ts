import { expect, test } from 'vitest'
import { syncInfo } from '../../worker/feeds/contract'
import { vulnHistory } from '../../worker/vulns/detail/contract'
import { listVulns } from '../../worker/vulns/contract'
import { eachTest } from './support/each-test'
import { anOrg } from './support/org'
import { gzip, nvdPage, originSettings } from './support/origins'
import { aCve, aKevEntry, affecting, aMatch, aMetric } from '../support/records'
import { aWorld } from './support/world'
import { aFeedsScene, minutes } from './support/feeds-scene'

const scene = eachTest(aFeedsScene)

test('the first load reads the yearly files, then what was modified since', async () => {
  const { origins, world, sync } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001'), aCve('CVE-2024-10002')])
  origins.files.set(2025, [aCve('CVE-2025-123456')])
  origins.modified = [aCve('CVE-2026-10003', { lastModified: new Date().toISOString().slice(0, 19) })]
  await sync()

  const { call } = await anOrg({ world })
  const found = await call(listVulns, { query: { sorted_by: 'cveid' } })
  expect(found.results.map(({ cveid }) => cveid)).toEqual([
    'CVE-2024-10001',
    'CVE-2024-10002',
    'CVE-2025-123456',
    'CVE-2026-10003',
  ])
  expect(found.count).toBe(4)
  const { feeds } = await call(syncInfo)
  expect(feeds.find(({ id }) => id === 'nvd')).toMatchObject({
    state: 'idle',
    records: 4,
    skipped: 0,
    last_error: null,
    is_late: false,
  })
})

test('a second sync of the same data writes no row of the knowledge base', async () => {
  const { origins, world, sync, lastRun, contents } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001'), aCve('CVE-2024-10002')])
  origins.modified = [aCve('CVE-2024-10001')]
  origins.kev = [aKevEntry('CVE-2024-10001'), aKevEntry('CVE-2019-0708')]
  origins.epss.rows = [['CVE-2024-10001', 0.5, 0.9]]
  await sync()
  await sync()
  const before = await contents()
  await world.env.DB.prepare('UPDATE feeds SET cursor = NULL').run()
  await sync(minutes(120))

  expect(await contents()).toEqual(before)
  expect(await lastRun('nvd')).toMatchObject({ changed: 0, skipped: 0 })
})

test('rows of a first load changed when their source says so; later changes changed today', async () => {
  const { origins, world, sync } = scene
  origins.files.set(2024, [
    aCve('CVE-2024-10001', { lastModified: '2024-05-01T10:00:00.000' }),
    aCve('CVE-2024-10002', { lastModified: '2025-05-01T10:00:00.000' }),
  ])
  await sync()
  const updates = () =>
    world.sql`SELECT cveid, strftime('%FT%TZ', updated_at, 'unixepoch') AS updated_at FROM vulns ORDER BY 2`
  expect(await updates()).toEqual([
    { cveid: 'CVE-2024-10001', updated_at: '2024-05-01T10:00:00Z' },
    { cveid: 'CVE-2024-10002', updated_at: '2025-05-01T10:00:00Z' },
  ])
  expect(await world.sql`SELECT updated_at FROM products`).toEqual([{ updated_at: '2025-05-01T10:00:00Z' }])

  origins.modified = [
    aCve('CVE-2024-10001', { lastModified: new Date().toISOString().slice(0, 19), vulnStatus: 'Rejected' }),
  ]
  await sync(minutes(15))
  const [, newest] = (await updates()) as { cveid: string; updated_at: string }[]
  expect(newest?.cveid).toBe('CVE-2024-10001')
  expect(Date.parse(newest?.updated_at ?? '')).toBeGreaterThan(Date.now() - 60_000)
})

test('a changed record changes its vulnerability, and its history says how', async () => {
  const { origins, world, sync } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  await sync()
  origins.modified = [
    aCve('CVE-2024-10001', {
      lastModified: new Date().toISOString().slice(0, 19),
      metrics: { cvssMetricV31: [aMetric('3.1', 7.5, 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H')] },
      configurations: affecting(aMatch('acme', 'widget', { versionEndExcluding: '2.1' }), aMatch('acme', 'gadget')),
    }),
  ]
  await sync(minutes(15))

  const { call } = await anOrg({ world })
  const { results } = await call(listVulns)
  const [vuln] = results
  expect(vuln).toMatchObject({ cvss3: 7.5, product_count: 2 })
  const history = await call(vulnHistory, { params: { id: vuln?.id ?? 0 } })
  expect(history.map(({ reason }) => reason)).toEqual(['New vulnerability', 'Updated'])
  expect(history.at(-1)?.changes).toEqual([
    'CVSS 3: 9.8 → 7.5',
    expect.stringMatching(/^Score: \d+ → \d+$/),
    'Products: 1 added (acme:gadget)',
    'Affected versions changed (acme:widget)',
    'First version not listed as affected (acme:widget 2.1)',
  ])
})

test('one malformed record is skipped, counted and kept with its reason; the others come in', async () => {
  const { origins, world, sync, lastRun } = scene
  const many = Array.from({ length: 1999 }, (_, at) => aCve(`CVE-2024-${10000 + at}`, { configurations: undefined }))
  const broken = { ...aCve('CVE-2024-99999'), descriptions: 'none' }
  origins.files.set(2024, [...many.slice(0, 1000), broken, ...many.slice(1000)])
  await sync()

  expect(await lastRun('nvd')).toMatchObject({ records: 2000, changed: 1999, skipped: 1 })
  const [skip] = await world.sql<Record<string, string>>`SELECT * FROM feed_skips`
  expect(skip).toMatchObject({
    feed_id: 'nvd',
    record_id: 'CVE-2024-99999',
    reason: expect.stringContaining('descriptions'),
  })
})

const cutOff = async () => {
  const whole = await (
    await gzip(JSON.stringify(nvdPage(Array.from({ length: 900 }, (_, at) => aCve(`CVE-2024-${20000 + at}`)))))
  ).arrayBuffer()
  return new Response(whole.slice(0, Math.floor(whole.byteLength * 0.9)), { headers: { etag: '"cut off"' } })
}

const faults: [string, () => Response | Promise<Response>, RegExp][] = [
  ['a truncated gzip', cutOff, /cut off|ends in the middle|damaged/],
  ['broken JSON', () => gzip('{"vulnerabilities":[{"cve":{"id":"CVE-2024-1"'), /ends in the middle/],
  ['JSON without records', () => gzip('{"error":"down"}'), /ends before its "vulnerabilities"/],
  ['a page of HTML', () => new Response('<html>maintenance</html>'), /ends before its "vulnerabilities"/],
  ['403', () => new Response('no', { status: 403 }), /answered 403/],
  ['404', () => new Response('no', { status: 404 }), /No such file/],
  ['429', () => new Response('slow down', { status: 429 }), /answered 429/],
  [
    '503',
    () => new Response('busy', { status: 503, headers: { message: 'Maintenance' } }),
    /answered 503 \(Maintenance\)/,
  ],
]

test.each(faults)('%s stops the run with a readable error, and the next run heals it', async (_, fault, error) => {
  const { origins, world, sync } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  origins.instead = (url) => (url.pathname.includes('2024') ? fault() : null)
  await sync()
  const { call } = await anOrg({ world })
  const failed = (await call(syncInfo)).feeds.find(({ id }) => id === 'nvd')
  expect(failed).toMatchObject({ state: 'failed', last_success: null, last_error: expect.stringMatching(error) })

  origins.instead = null
  await sync(minutes(2))
  const healed = (await call(syncInfo)).feeds.find(({ id }) => id === 'nvd')
  expect(healed).toMatchObject({ state: 'idle', last_error: null })
  expect((await call(listVulns, { query: { search: 'CVE-2024-10001' } })).count).toBe(1)
})

test.each([
  ['120', 120],
  [new Date(Date.now() + 3_600_000).toUTCString(), 3_500],
])('Retry-After %s is honoured', async (value, seconds) => {
  const { origins, sync, feed } = scene
  origins.instead = (url) =>
    url.host === 'nvd.test' ? new Response('', { status: 503, headers: { 'retry-after': value } }) : null
  await sync()
  const { next_run_at } = (await feed('nvd')) as { next_run_at: string }
  expect(Date.parse(next_run_at)).toBeGreaterThan(Date.now() + (seconds - 5) * 1000)
})

test('without Retry-After the pauses grow', async () => {
  const { origins, sync, feed } = scene
  origins.instead = () => new Response('', { status: 503 })
  const waits: number[] = []
  let now = new Date()
  for (let run = 0; run < 4; run++) {
    await sync(now)
    const { next_run_at } = (await feed('nvd')) as { next_run_at: string }
    waits.push(Math.round((Date.parse(next_run_at) - Date.now()) / 60_000))
    now = new Date(Date.parse(next_run_at))
  }
  expect(waits).toEqual([1, 2, 4, 8])
})

test('the window is read again when its pages shift', async () => {
  const { origins, world, sync } = scene
  const cves = Array.from({ length: 2100 }, (_, at) => aCve(`CVE-2026-${10000 + at}`, { configurations: undefined }))
  const recent = new Date().toISOString().slice(0, 19)
  origins.modified = cves.map((cve) => ({ ...cve, lastModified: recent }))
  let pages = 0
  origins.instead = (url) => {
    if (url.pathname !== '/api') return null
    // After the first page one of its records leaves the window, and all that follow move up by one.
    if (++pages === 2) origins.modified = origins.modified.slice(1)
    return null
  }
  await sync()

  const [{ count } = { count: 0 }] = await world.sql<{ count: number }>`SELECT count(*) AS count FROM vulns`
  expect(count).toBe(2100)
})

test('a page of the API is asked for with its window, and with the key when there is one', async () => {
  const { origins } = scene
  const world = aWorld({ ...originSettings, NVD_API_KEY: 'secret' })
  await world.tick()
  await world.drain()
  const [page] = origins.requests.filter(({ pathname }) => pathname === '/api')
  const [from, to] = [page?.searchParams.get('lastModStartDate'), page?.searchParams.get('lastModEndDate')]
  expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBeLessThanOrEqual(120 * 86_400_000)
  expect(page?.searchParams.get('resultsPerPage')).toBe('2000')
})

test('a step that is delivered twice, or late, changes nothing', async () => {
  const { origins, world, contents } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  await world.tick()
  const first = world.waiting.map(({ queue, body }) => ({ queue, body }))
  await world.drain()
  const before = await contents()
  for (const { queue, body } of first) await world.deliver(queue, body)
  await world.drain()
  expect(await contents()).toEqual(before)
})

test('a lost message is sent again by the clock, and a dead step is taken over when its lease is out', async () => {
  const { origins, world, sync, feed } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  await world.tick()
  world.waiting.length = 0
  await world.env.DB.prepare("UPDATE feeds SET claim = 7, lease_until = ?1 WHERE id = 'nvd'")
    .bind(minutes(1).toISOString())
    .run()

  await sync(minutes(0.5))
  expect(await feed('nvd')).toMatchObject({ state: 'running' })
  await world.env.DB.prepare("UPDATE feeds SET lease_until = '2026-01-01T00:00:00Z' WHERE id = 'nvd'").run()
  await sync(minutes(3))
  expect(await feed('nvd')).toMatchObject({ state: 'idle', last_error: null })
})

test('a list waits for the first load of CVEs, and goes on as soon as that ends', async () => {
  const { origins, world, feed } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  await world.tick()
  const asked = (id: string) => world.waiting.filter(({ body }) => 'feed_id' in body && body.feed_id === id)
  const list = asked('eukev')
  world.waiting.splice(0, world.waiting.length, ...list, ...asked('nvd'))
  await world.drain()
  // It was asked for, and there is none.
  expect([await feed('nvd'), await feed('eukev')]).toMatchObject([{ state: 'idle' }, { state: 'failed' }])
})

test('a step that lost its claim writes nothing', async () => {
  const { origins, world, sync, feed } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  origins.instead = async (url) => {
    if (url.pathname.includes('2024')) await world.env.DB.prepare("UPDATE feeds SET claim = 7 WHERE id = 'nvd'").run()
    return null
  }
  await sync()
  expect(await world.sql`SELECT * FROM vulns`).toEqual([])
  expect(await feed('nvd')).toMatchObject({ state: 'running', claim: 7, last_error: null })
})

test('an older copy of a record does not replace a newer one', async () => {
  const { origins, world, sync } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001', { lastModified: '2026-11-18T10:00:00.000' })])
  await sync()
  origins.files.set(2024, [
    aCve('CVE-2024-10001', {
      lastModified: '2026-11-17T10:00:00.000',
      descriptions: [{ lang: 'en', value: 'Older words.' }],
    }),
  ])
  await world.env.DB.prepare('UPDATE feeds SET cursor = NULL').run()
  await sync(minutes(60))
  const [vuln] = await world.sql<{ summary: string }>`SELECT summary FROM vulns`
  expect(vuln?.summary).not.toBe('Older words.')
})

test('a record with thousands of CPE matches comes in whole', async () => {
  const { origins, world, sync } = scene
  const matches = Array.from({ length: 4891 }, (_, at) => ({
    vulnerable: true,
    criteria: `cpe:2.3:o:acme:router_${at % 40}:1.${at}:*:*:*:*:*:*:*`,
  }))
  origins.files.set(2016, [aCve('CVE-2016-1409', { configurations: affecting(...matches) })])
  await sync()
  const { call } = await anOrg({ world })
  expect((await call(listVulns)).results[0]).toMatchObject({ cpe_count: 4891, product_count: 40 })
  expect(await world.sql`SELECT vulns_count FROM vendors WHERE name = 'acme'`).toEqual([{ vulns_count: 1 }])
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { getProduct, listProducts } from '../../worker/kb/contract'
import { toggleProduct, toggleVendor } from '../../worker/monitoring/contract'
import { getVuln, vulnHistory } from '../../worker/vulns/detail/contract'
import { listVulns, toggleVuln, vulnSorts } from '../../worker/vulns/contract'
import { latestVulns, vulnStats } from '../../worker/home/contract'
import { anOrg } from './support/org'
import { fakeOrigins, originSettings } from './support/origins'
import type { Origins } from './support/origins'
import { aCve, aKevEntry, affecting, aMatch, aMetric } from '../support/records'
import { aWorld } from './support/world'
import type { World } from './support/world'

let origins: Origins
let world: World
beforeEach(async () => {
  origins = fakeOrigins()
  world = aWorld(originSettings)
  const products = ['widget', 'gadget', 'widget_server', 'nginx', 'mod_ssl', 'proxy', 'cache', 'widget']
  origins.files.set(2024, [
    aCve('CVE-2024-10001', { published: '2024-01-01T00:00:00.000' }),
    aCve('CVE-2024-10002', {
      published: '2024-02-01T00:00:00.000',
      descriptions: [{ lang: 'en', value: 'A use after free in the C++ parser of Thing, known as "Café".' }],
      metrics: {
        cvssMetricV2: [aMetric('2.0', 4.3, 'AV:N/AC:M/Au:N/C:P/I:N/A:N')],
        cvssMetricV31: [aMetric('3.1', 5.3, 'CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:L/I:L/A:L')],
      },
      configurations: affecting(aMatch('other', 'thing')),
    }),
    aCve('CVE-2024-10003', {
      published: '2024-03-01T00:00:00.000',
      descriptions: [{ lang: 'en', value: 'Not analysed yet.' }],
      metrics: {},
      configurations: [],
      references: [],
    }),
    aCve('CVE-2024-10004', {
      vulnStatus: 'Rejected',
      descriptions: [{ lang: 'en', value: 'Rejected reason: a parser is no flaw.' }],
    }),
    aCve('CVE-2024-10005', {
      published: '2024-05-01T00:00:00.000',
      descriptions: [{ lang: 'en', value: 'Seven products share a heap overflow.' }],
      configurations: affecting(...products.map((name) => aMatch('umbrella', name))),
      references: [{ url: 'https://acme.example/poc', tags: ['Exploit'] }],
    }),
  ])
  origins.kev = [aKevEntry('CVE-2024-10002'), aKevEntry('CVE-2026-77777')]
  origins.epss.rows = [
    ['CVE-2024-10001', 0.5, 0.9],
    ['CVE-2024-10005', 0.00042, 0.1],
  ]
  await world.tick()
  await world.drain()
})
afterEach(() => origins.restore())

type Listed = { cveid: string | null }[]
const listIds = ({ results }: { results: Listed }) => results.map(({ cveid }) => Number(cveid?.slice(-5)))
const all = [10_001, 10_002, 10_003, 10_005, 77_777]
const inOrder = (ids: number[]) => ids.toSorted((a, b) => a - b)
/** One world serves a table of cases that only read: what was expected and what came, by case. */
async function compare<Case>(cases: [Case, unknown][], answer: (given: Case) => Promise<unknown>) {
  const came: [Case, unknown][] = []
  for (const [given] of cases) came.push([given, await answer(given)])
  expect(came).toEqual(cases)
}

test('a row of the list says what a table shows, without its links being read', async () => {
  const { call } = await anOrg({ world })
  const { results } = await call(listVulns, { query: { search: 'CVE-2024-10005' } })
  expect(results).toEqual([
    {
      id: expect.any(Number),
      uuid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      cveid: 'CVE-2024-10005',
      scope: 'public',
      state: 'published',
      summary: 'Seven products share a heap overflow.',
      published: '2024-05-01T00:00:00Z',
      modified: '2026-11-18T10:00:00Z',
      assigner: 'cna@example.org',
      cvss: null,
      cvss_vector: null,
      cvss3: 9.8,
      cvss3_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      cvss4: null,
      cvss4_vector: null,
      cwe_id: 'CWE-79',
      access: { authentication: 'NONE', complexity: 'LOW', vector: 'NETWORK' },
      impact: { confidentiality: 'COMPLETE', integrity: 'COMPLETE', availability: 'COMPLETE' },
      is_exploitable: true,
      is_confirmed: false,
      is_in_the_news: false,
      is_in_the_wild: false,
      exploit_count: 1,
      threat_activity_count: 0,
      cpe_count: 7,
      product_count: 7,
      package_count: 0,
      score: expect.any(Number),
      epss: 0.00042,
      epss_percentile: 0.1,
      kev: null,
      products: expect.arrayContaining([{ id: expect.any(Number), vendor: 'umbrella', name: 'widget' }]),
      monitored: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ])
  // One more than a row shows tells that there are more.
  expect(results[0]?.products).toHaveLength(6)
})

const filtered: [Record<string, unknown>, number[]][] = [
  [{}, all],
  [{ kev: true }, [10_002, 77_777]],
  [{ kev: 'False' }, [10_001, 10_003, 10_005]],
  [{ is_exploitable: true }, [10_002, 10_005, 77_777]],
  [{ score__gte: 0 }, [10_001, 10_002, 10_005]],
  [{ score__gte: 101 }, []],
  [{ score__lte: -1 }, []],
  [{ updated_at__gte: '2026-11-19' }, [10_002, 77_777]],
  [{ updated_at__gte: '2099-01-01T00:00:00Z' }, []],
  [{ product: 999_999 }, []],
  [{ search: 'overflow', kev: true }, []],
  [{ unknown: 'x', order: '1' }, all],
]

test('each filter narrows the list and its count; unknown parameters are ignored', async () => {
  const { answer } = await anOrg({ world })
  await compare(filtered, async (query) => {
    const page = (await (await answer(listVulns, { query })).json()) as { count: number; results: Listed }
    expect(page.count).toBe(page.results.length)
    return inOrder(listIds(page))
  })
})

test('the list of a product and of a vendor', async () => {
  const { call } = await anOrg({ world })
  const [thing] = (await call(listProducts, { query: { search: 'thing' } })).results
  if (!thing) throw new Error('no thing')
  expect(listIds(await call(listVulns, { query: { product: thing.id } }))).toEqual([10_002])
  expect(listIds(await call(listVulns, { query: { vendor: thing.vendor_id } }))).toEqual([10_002])
  expect((await call(getProduct, { params: { id: thing.id } })).vulns_count).toBe(1)
})

test('each order runs both ways, and what has no value is the least', async () => {
  const { call } = await anOrg({ world })
  for (const field of vulnSorts) {
    const up = await call(listVulns, { query: { sorted_by: field } })
    const down = await call(listVulns, { query: { sorted_by: `-${field}` } })
    expect(inOrder(listIds(up))).toEqual(all)
    expect(listIds(down)).toEqual(listIds(up).toReversed())
    const values = up.results.map((row) => row[field])
    expect(values).toEqual(values.toSorted((a, b) => (a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1)))
  }
})

test('paging hands out every row once; the last page has no next one, and a page past it is empty', async () => {
  const { call } = await anOrg({ world })
  const seen: number[] = []
  for (const page of [1, 2, 3]) {
    const found = await call(listVulns, { query: { limit: 2, page, sorted_by: 'cveid' } })
    seen.push(...listIds(found))
    expect([found.next === null, found.previous === null]).toEqual([page === 3, page === 1])
    expect(found.count).toBe(all.length)
  }
  expect(seen).toEqual(all)
  const past = await call(listVulns, { query: { limit: 2, page: 4 } })
  expect(past).toMatchObject({ count: all.length, next: null, results: [] })
})

test('a client that follows next comes to the end with its filters kept', async () => {
  const { call, access } = await anOrg({ world })
  const first = await call(listVulns, { query: { limit: 1, kev: true, sorted_by: 'cveid' } })
  const next = new URL(first.next ?? '')
  expect(Object.fromEntries(next.searchParams)).toEqual({ limit: '1', kev: 'true', sorted_by: 'cveid', page: '2' })
  const headers = { authorization: `JWT ${access}` }
  const second = (await (await world.request(next.pathname + next.search, { headers })).json()) as typeof first
  expect([listIds(first), listIds(second), second.next]).toEqual([[10_002], [77_777], null])
})

const wrong: Record<string, unknown>[] = [
  { sorted_by: 'assigner' },
  { sorted_by: '-' },
  { page: 0 },
  { page: 'two' },
  { page: 1.5 },
  { limit: 0 },
  { limit: -1 },
  { score__gte: 'high' },
  { updated_at__gte: 'yesterday' },
  { updated_at__gte: '2026-13-45' },
  { monitored: 'perhaps' },
  { product: 'widget' },
  { search: 'x'.repeat(10_001) },
]

test('a query that is wrong is refused and told which field it is', async () => {
  const { answer } = await anOrg({ world })
  await compare(
    wrong.map((query) => [query, [400, 'invalid', Object.keys(query)]]),
    async (query) => {
      const response = await answer(listVulns, { query })
      const { code, issues } = (await response.json()) as { code?: string; issues?: { path: string[] }[] }
      return [response.status, code, issues?.flatMap(({ path }) => path)]
    },
  )
})

test('a limit above 100 counts as 100', async () => {
  origins.modified = Array.from({ length: 120 }, (_, at) =>
    aCve(`CVE-2026-${20_000 + at}`, { configurations: [], lastModified: new Date().toISOString().slice(0, 19) }),
  )
  await world.tick(new Date(Date.now() + 15 * 60_000))
  await world.drain()
  const { call } = await anOrg({ world })
  const page = await call(listVulns, { query: { limit: 100_000 } })
  expect([page.results.length, page.count]).toEqual([100, 125])
})

const searches: [string, number[]][] = [
  ['CVE-2024-10001', [10_001]],
  ['cve-2024-10001', [10_001]],
  ['CVE-2024-10004', [10_004]],
  ['CVE-2024-99999', []],
  ['PH-1', [10_002]],
  ['ph-1', [10_002]],
  ['PH-999999', []],
  ['widget', [10_001, 10_005, 77_777]],
  ['heap overflow', [10_005]],
  ['overflow heap', [10_005]],
  ['over', [10_005]],
  ['cafe', [10_002]],
  ['C++', [10_002]],
  ['"use after free"', [10_002]],
  ['use" OR "widget', []],
  ['parser NOT thing', []],
  ['NEAR(use free)', []],
  ['summary:parser', []],
  ['parser*', [10_002]],
  ['🙈', []],
  ['🙈 parser', [10_002]],
  ['par\u0000ser', []],
  ["%_'--;", []],
  ['x'.repeat(10_000), []],
  ['parser '.repeat(1_000), [10_002]],
]

test('a search finds ids and words, and takes no sign of the user for an operator', async () => {
  const { call } = await anOrg({ world })
  await compare(searches, async (search) => {
    const found = await call(listVulns, { query: { search } })
    expect(found.count).toBe(found.results.length)
    return inOrder(listIds(found))
  })
})

test('the detail tells of versions, references, sources and the rating', async () => {
  const { call } = await anOrg({ world })
  const [row] = (await call(listVulns, { query: { search: 'CVE-2024-10001' } })).results
  const detail = await call(getVuln, { params: { id: row?.id ?? 0 } })
  expect(detail).toMatchObject({
    ...row,
    cvss3_source: 'nvd@nist.gov',
    cwe_ids: ['CWE-79'],
    reflinks: ['https://acme.example/CVE-2024-10001'],
    references: [{ url: 'https://acme.example/CVE-2024-10001', tags: ['Vendor Advisory'] }],
    affected: [{ vendor: 'acme', product: 'widget', source: 'nvd', versions: ['< 2.0'], versions_count: 1 }],
    vulnerable_products: ['cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*'],
    vulnerable_product_versions: { acme: { widget: ['< 2.0'] } },
    monitored_by: [],
    rating_vector: expect.stringContaining('AV:N/AC:L/Au:N'),
    sources: [{ source: 'nvd', modified: '2026-11-18T10:00:00Z' }],
  })
})

test('what is no id is refused', async () => {
  const { access } = await anOrg({ world })
  for (const id of ['0', '-1', 'x', '1.5', '1e9', '9007199254740993', '%00'])
    for (const path of [`/api/vulns/${id}/`, `/api/vulns/${id}/history`, `/api/kb/detailed-products/${id}`]) {
      const { status } = await world.request(path, { headers: { authorization: `JWT ${access}` } })
      expect([path, status]).toEqual([path, id === '1e9' ? 404 : 400])
    }
})

test('what is not there is 404, whatever one wants of it', async () => {
  const { answer } = await anOrg({ world })
  const params = { id: 999_999 }
  const asked = [
    answer(getVuln, { params }),
    answer(vulnHistory, { params }),
    answer(getProduct, { params }),
    answer(toggleVuln, { params, body: { monitored: true } }),
    answer(toggleProduct, { body: { product_id: 999_999, monitored: true } }),
    answer(toggleProduct, { body: { vendor_name: 'acme', product_name: 'nothing', monitored: true } }),
    answer(toggleVendor, { body: { vendor_name: 'nobody', monitored: true } }),
  ]
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 404))
})

test('a vulnerability is monitored and no longer, twice without harm', async () => {
  const { call } = await anOrg({ world })
  const monitored = async () => (await call(getVuln, { params: { id: 1 } })).monitored_by
  for (const on of [true, true, false, false]) {
    expect(await call(toggleVuln, { params: { id: 1 }, body: { monitored: on } })).toBe('toggled.')
    expect(await monitored()).toEqual(on ? [{ via: 'vuln', id: 1, name: 'PH-1', vendor: null }] : [])
  }
})

test('the detail names each item of the watchlist that it concerns, readably', async () => {
  const { call } = await anOrg({ world })
  await call(toggleVendor, { body: { vendor_name: 'acme', monitored: true } })
  await call(toggleProduct, { body: { vendor_name: 'other', product_name: 'thing', monitored: true } })
  const reasons = async (search: string) => {
    const [row] = (await call(listVulns, { query: { search } })).results
    return (await call(getVuln, { params: { id: row?.id ?? 0 } })).monitored_by.map(({ id: _, ...one }) => one)
  }
  expect(await reasons('CVE-2024-10001')).toEqual([{ via: 'vendor', name: 'acme', vendor: null }])
  expect(await reasons('CVE-2024-10002')).toEqual([{ via: 'product', name: 'thing', vendor: 'other' }])
})

test('what one organization monitors shows in no other', async () => {
  const [ours, theirs] = [await anOrg({ world }), await anOrg({ world })]
  await theirs.call(toggleVendor, { body: { vendor_name: 'acme', monitored: true } })
  await theirs.call(toggleProduct, { body: { vendor_name: 'other', product_name: 'thing', monitored: true } })
  await theirs.call(toggleVuln, { params: { id: 1 }, body: { monitored: true } })

  expect((await ours.call(listVulns)).results.some(({ monitored }) => monitored)).toBe(false)
  expect(await ours.call(listVulns, { query: { monitored: true } })).toMatchObject({ count: 0, results: [] })
  expect((await ours.call(listProducts)).results.some(({ monitored }) => monitored)).toBe(false)
  expect(await ours.call(listProducts, { query: { monitored: true } })).toMatchObject({ count: 0, results: [] })
  expect((await ours.call(latestVulns)).monitored_vulns).toEqual([])
  expect((await ours.call(vulnStats)).monitored).toBe(0)
  expect(await ours.call(getVuln, { params: { id: 1 } })).toMatchObject({ monitored: false, monitored_by: [] })
})

test('a monitored vendor marks its own products and no other', async () => {
  const { call } = await anOrg({ world })
  await call(toggleVendor, { body: { vendor_name: 'umbrella', monitored: true } })
  await call(toggleProduct, { body: { vendor_name: 'umbrella', product_name: 'nginx', monitored: false } })
  const flags = (await call(listProducts)).results.map(({ vendor, name, monitored }) => [
    `${vendor} ${name}`,
    monitored,
  ])
  expect(Object.fromEntries(flags)).toEqual({
    'acme widget': false,
    'other thing': false,
    'umbrella cache': true,
    'umbrella gadget': true,
    'umbrella mod_ssl': true,
    'umbrella nginx': false,
    'umbrella proxy': true,
    'umbrella widget': true,
    'umbrella widget_server': true,
  })
  expect((await call(listProducts, { query: { monitored: true } })).count).toBe(6)
})

const productSearches: [string, string[]][] = [
  ['idge', ['acme widget', 'umbrella widget', 'umbrella widget_server']],
  ['WIDGET', ['acme widget', 'umbrella widget', 'umbrella widget_server']],
  ['umbrella widget', ['umbrella widget', 'umbrella widget_server']],
  ['widget umb', ['umbrella widget', 'umbrella widget_server']],
  ['mod_ssl', ['umbrella mod_ssl']],
  ['wi', ['acme widget', 'umbrella widget', 'umbrella widget_server']],
  ['"; DROP TABLE', []],
  ['%', []],
  ['par\u0000t', []],
]

test('products are found by any part of their name or vendor, and by two words', async () => {
  const { call } = await anOrg({ world })
  await compare(productSearches, async (search) => {
    const found = await call(listProducts, { query: { search } })
    expect(found.count).toBe(found.results.length)
    return found.results.map(({ vendor, name }) => `${vendor} ${name}`)
  })
})

test('what a search finds is the same after the daily tidying of its index', async () => {
  const { call } = await anOrg({ world })
  const found = async () => (await call(listVulns, { query: { search: 'parser' } })).results.map(({ id }) => id)
  const before = await found()
  await world.tick(new Date(), '17 3 * * *')
  expect(before.length).toBeGreaterThan(0)
  expect(await found()).toEqual(before)
})

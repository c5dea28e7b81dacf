import { expect, test } from 'vitest'
import { getProduct, listProducts } from '../../worker/kb/contract'
import { listVulns, vulnSorts } from '../../worker/vulns/contract'
import { eachTest } from './support/each-test'
import { anOrg } from './support/org'
import { aCve } from '../support/records'
import { aVulnsScene, allVulns } from './support/vulns-scene'
import { listIds, inOrder, compare, type CasesPage } from './support/vuln-cases'

const scene = eachTest(aVulnsScene)

test('a row of the list says what a table shows, without its links being read', async () => {
  const { world } = scene
  const { call } = await anOrg({ world })
  const { results } = await call(listVulns, { query: { search: 'CVE-2024-10005' } })
  expect(results).toEqual([
    {
      id: expect.any(Number),
      uuid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      cveid: 'CVE-2024-10005',
      known_as: 'CVE-2024-10005',
      scope: 'public',
      state: 'published',
      summary: 'Seven products share a heap overflow.',
      published: '2024-05-01',
      modified: '2026-11-18T10:00:00Z',
      title: null,
      assigner: 'cna@example.org',
      cvss: null,
      cvss_vector: '',
      cvss3: 9.8,
      cvss3_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      cvss4: null,
      cvss4_vector: '',
      cwe_id: 'CWE-79',
      access: { authentication: 'NONE', complexity: 'LOW', vector: 'NETWORK' },
      impact: { confidentiality: 'COMPLETE', integrity: 'COMPLETE', availability: 'COMPLETE' },
      is_exploitable: true,
      is_confirmed: false,
      is_in_the_news: false,
      is_in_the_wild: false,
      is_malicious: false,
      unknown_flags: ['is_confirmed', 'is_in_the_news', 'is_in_the_wild'],
      exploit_count: 1,
      threat_activity_count: 0,
      cpe_count: 7,
      product_count: 7,
      package_count: 0,
      score: expect.any(Number),
      is_score_provisional: false,
      epss: 0.00042,
      epss_percentile: 0.1,
      kev: null,
      due: null,
      products: expect.arrayContaining([{ id: expect.any(Number), vendor: 'umbrella', name: 'widget' }]),
      monitored: false,
      run_verdict: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ])
  // One more than a row shows tells that there are more.
  expect(results[0]?.products).toHaveLength(6)
})

const filtered: [Record<string, unknown>, number[]][] = [
  [{}, allVulns],
  [{ kev: true }, [10_002, 77_777]],
  [{ kev: 'False' }, [10_001, 10_003, 10_005]],
  [{ is_exploitable: true }, [10_002, 10_005, 77_777]],
  [{ score__gt: -1 }, [10_001, 10_002, 10_005, 77_777]],
  [{ score__gte: 101 }, []],
  [{ score__lte: -1 }, []],
  [{ updated_at__gte: '2026-11-19' }, [10_002, 77_777]],
  [{ updated_at__gte: '2099-01-01T00:00:00Z' }, []],
  [{ product: 999_999 }, []],
  [{ search: 'overflow', kev: true }, []],
  [{ unknown: 'x', order: '1' }, allVulns],
]

test('each filter narrows the list and its count; unknown parameters are ignored', async () => {
  const { world } = scene
  const { answer } = await anOrg({ world })
  await compare(filtered, async (query) => {
    const page = (await (await answer(listVulns, { query })).json()) as CasesPage
    expect(page.count).toBe(page.results.length)
    return inOrder(listIds(page))
  })
})

test('the list of a product and of a vendor', async () => {
  const { world } = scene
  const { call } = await anOrg({ world })
  const [thing] = (await call(listProducts, { query: { search: 'thing' } })).results
  if (!thing) throw new Error('no thing')
  expect(listIds(await call(listVulns, { query: { product: thing.id } }))).toEqual([10_002])
  expect(listIds(await call(listVulns, { query: { vendor: thing.vendor_id } }))).toEqual([10_002])
  expect((await call(getProduct, { params: { id: thing.id } })).vulns_count).toBe(1)
})

test('each order runs both ways, and a missing value is the least', async () => {
  const { world } = scene
  const { call } = await anOrg({ world })
  for (const field of vulnSorts) {
    const up = await call(listVulns, { query: { sorted_by: field } })
    const down = await call(listVulns, { query: { sorted_by: `-${field}` } })
    expect(inOrder(listIds(up))).toEqual(allVulns)
    expect(listIds(down)).toEqual(listIds(up).toReversed())
    const values = up.results.map((row) => row[field])
    expect(values).toEqual(values.toSorted((a, b) => (a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1)))
  }
})

test('paging hands out every row once; the last page has no next one, and a page past it is empty', async () => {
  const { world } = scene
  const { call } = await anOrg({ world })
  const seen: number[] = []
  for (const page of [1, 2, 3]) {
    const found = await call(listVulns, { query: { limit: 2, page, sorted_by: 'cveid' } })
    seen.push(...listIds(found))
    expect([found.next === null, found.previous === null]).toEqual([page === 3, page === 1])
    expect(found.count).toBe(allVulns.length)
  }
  expect(seen).toEqual(allVulns)
  const past = await call(listVulns, { query: { limit: 2, page: 4 } })
  expect(past).toMatchObject({ count: allVulns.length, next: null, results: [] })
})

test('a client that follows next comes to the end with its filters kept', async () => {
  const { world } = scene
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
  const { world } = scene
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
  const { origins, world } = scene
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
  ['widget', [10_001, 10_002, 10_005, 77_777]],
  ['acme flaw known', [10_002]],
  ['heap overflow', [10_005]],
  ['overflow heap', [10_005]],
  ['over', [10_005]],
  ['cafe', [10_002]],
  ['C++', [10_002]],
  ['"use after free"', [10_002]],
  ['use" OR "widget', [10_002]],
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
  const { world } = scene
  const { call } = await anOrg({ world })
  await compare(searches, async (search) => {
    const found = await call(listVulns, { query: { search } })
    expect(found.count).toBe(found.results.length)
    return inOrder(listIds(found))
  })
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
  const { world } = scene
  const { call } = await anOrg({ world })
  await compare(productSearches, async (search) => {
    const found = await call(listProducts, { query: { search } })
    expect(found.count).toBe(found.results.length)
    return found.results.map(({ vendor, name }) => `${vendor} ${name}`)
  })
})

test('a search finds the same after the daily tidying of its index', async () => {
  const { world } = scene
  const { call } = await anOrg({ world })
  const found = async () => (await call(listVulns, { query: { search: 'parser' } })).results.map(({ id }) => id)
  const before = await found()
  await world.tick(new Date(), '17 3 * * *')
  expect(before.length).toBeGreaterThan(0)
  expect(await found()).toEqual(before)
})

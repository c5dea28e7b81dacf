import { afterEach, beforeEach, expect, test } from 'vitest'
import { cveSorts, listCves } from '../../worker/kb/cves/contract'
import {
  getProduct,
  getVendor,
  listCpes,
  listProducts,
  listVendors,
  productSorts,
  setVendor,
  vendorSorts,
} from '../../worker/kb/contract'
import { productTimeline, vendorTimeline } from '../../worker/kb/timeline/contract'
import { toggleProduct, toggleVendor } from '../../worker/monitoring/contract'
import { listVulns } from '../../worker/vulns/contract'
import { anOrg, rows } from './support/org'
import { fakeOrigins, originSettings } from './support/origins'
import type { Origins } from './support/origins'
import { aCve, affecting, aMatch, aMetric } from '../support/records'
import { aWorld } from './support/world'
import type { World } from './support/world'

let origins: Origins
let world: World
beforeEach(async () => {
  origins = fakeOrigins()
  world = aWorld(originSettings)
  origins.files.set(2024, [
    aCve('CVE-2024-20001', {
      published: '2024-01-01T00:00:00.000',
      lastModified: '2024-01-02T00:00:00.000',
      descriptions: [{ lang: 'en', value: 'A heap overflow in the widget.' }],
      metrics: { cvssMetricV2: [aMetric('2.0', 4.3, 'AV:N/AC:M/Au:N/C:P/I:N/A:N')] },
      configurations: affecting(aMatch('acme', 'widget'), aMatch('acme', 'widget_server')),
    }),
    aCve('CVE-2024-20002', {
      published: '2024-02-01T00:00:00.000',
      lastModified: '2024-05-02T00:00:00.000',
      configurations: affecting(aMatch('acme', 'widget')),
    }),
    aCve('CVE-2024-20003', {
      published: '2024-03-01T00:00:00.000',
      lastModified: '2024-03-02T00:00:00.000',
      configurations: affecting(aMatch('widget', 'frame'), aMatch('beta', 'gadget')),
    }),
    aCve('CVE-2024-20004', { vulnStatus: 'Rejected', lastModified: '2024-06-01T00:00:00.000' }),
  ])
  await world.tick()
  await world.drain()
})
afterEach(() => origins.restore())

const listNames = ({ results }: { results: { name: string }[] }) => results.map(({ name }) => name)
const productNames = ({ results }: { results: { vendor: string; name: string }[] }) =>
  results.map(({ vendor, name }) => `${vendor} ${name}`)

type Ask = (query: Record<string, unknown>) => Promise<Response>
const inOrder = (a: unknown, b: unknown) =>
  a === b ? 0 : (typeof a === 'string' ? a < String(b) : Number(a) < Number(b)) ? -1 : 1

type Org = Awaited<ReturnType<typeof anOrg>>
async function vendorNamed({ call }: Org, name: string) {
  const [vendor] = (await call(listVendors, { query: { name } })).results
  if (!vendor) throw new Error(`No vendor ${name}`)
  return vendor
}
async function productNamed({ call }: Org, name: string) {
  const [product] = (await call(listProducts, { query: { name } })).results
  if (!product) throw new Error(`No product ${name}`)
  return product
}

test('a vendor says how many products and vulnerabilities it has, and another id is nobody', async () => {
  const org = await anOrg({ world })
  const acme = await vendorNamed(org, 'acme')
  expect(acme).toEqual({
    id: expect.any(Number),
    name: 'acme',
    monitored: false,
    products_count: 2,
    vulns_count: 2,
    updated_at: '2024-05-02T00:00:00Z',
  })
  expect(await org.call(getVendor, { params: { id: acme.id } })).toEqual(acme)
  expect((await org.answer(getVendor, { params: { id: 999_999 } })).status).toBe(404)
  expect((await org.answer(getProduct, { params: { id: 999_999 } })).status).toBe(404)
  expect((await org.answer(vendorTimeline, { params: { id: 999_999 } })).status).toBe(404)
})

test('vendors are found by any part of their name, the very name first', async () => {
  const { call } = await anOrg({ world })
  const found = async (query: Record<string, unknown>) => listNames(await call(listVendors, { query }))
  expect(await found({})).toEqual(['acme', 'beta', 'widget'])
  expect(await found({ search: 'idge' })).toEqual(['widget'])
  expect(await found({ search: 'WIDGET' })).toEqual(['widget'])
  expect(await found({ search: 'ac' })).toEqual(['acme'])
  expect(await found({ name: 'Acme' })).toEqual(['acme'])
  expect(await found({ name: 'acm' })).toEqual([])
  expect(await found({ name__icontains: 'ET' })).toEqual([])
  expect(await found({ name__icontains: 'DGET' })).toEqual(['widget'])
  expect(await found({ name__icontains: 'DGET', search: 'wid' })).toEqual(['widget'])
  expect(await found({ name__icontains: 'acm', search: 'wid' })).toEqual([])
  for (const search of ['"', "'; DROP TABLE vendors", 'C++', '%', '🦊', '* OR *', '\u0000\u0000\u0000'])
    expect(await found({ search })).toEqual([])
})

test('a name that many hold is found among the most that a search looks at, in each order, the very name first', async () => {
  await rows(
    world.env,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO vendors(name, products_count, vulns_count, updated_at)
      SELECT 'zulu_' || i, i % 7, i * 37 % 901, '2024-01-' || (10 + i % 19) FROM n`,
  )
  await rows(world.env, "INSERT INTO vendors(name, vulns_count, updated_at) VALUES ('zulu', 0, '2024-01-01')")
  const org = await anOrg({ world })
  await org.call(toggleVendor, { body: { vendor_name: 'zulu_33', monitored: true } })
  const most = 750
  const parts = await org.call(listVendors, { query: { search: 'zulu', limit: 3 } })
  expect(parts).toMatchObject({ count: most + 1, count_is_exact: false })
  expect(parts.results[0]?.name).toBe('zulu')
  for (const sort of vendorSorts)
    for (const sorted_by of [sort, `-${sort}` as const]) {
      const seen: unknown[] = []
      for (const page of [1, 2, 3, 4, 5, 6, 7, 8]) {
        const { results } = await org.call(listVendors, { query: { search: 'zulu', sorted_by, page, limit: 100 } })
        seen.push(...results.map((row) => row[sort]))
      }
      const up = seen.toSorted(inOrder)
      expect([sorted_by, seen]).toEqual([sorted_by, sorted_by === sort ? up : up.toReversed()])
      expect(seen).toHaveLength(most + 1)
    }
  const only = await org.call(listVendors, { query: { search: 'zulu', monitored: true } })
  expect([listNames(only), only.count]).toEqual([['zulu_33'], 1])
  const begun = await org.call(listVendors, { query: { search: 'z', limit: 2 } })
  expect(begun.count_is_exact).toBe(false)
  const [{ name }] = (await rows(world.env, 'SELECT name FROM vendors ORDER BY vulns_count DESC LIMIT 1')) as [
    { name: string },
  ]
  expect(listNames(begun)[0]).toBe(name)
  expect(await org.call(listVendors, { query: { search: 'ac' } })).toMatchObject({ count: 1, count_is_exact: true })
})

test('products are found by their name, their vendor or both, what is named so first', async () => {
  const org = await anOrg({ world })
  const found = async (query: Record<string, unknown>) => productNames(await org.call(listProducts, { query }))
  const all = ['acme widget', 'acme widget_server', 'beta gadget', 'widget frame']
  expect(await found({})).toEqual(all)
  expect(await found({ search: 'widget' })).toEqual(['acme widget', 'widget frame', 'acme widget_server'])
  expect(await found({ search: 'acme serv' })).toEqual(['acme widget_server'])
  expect(await found({ search: 'widget', sorted_by: '-name' })).toEqual([
    'acme widget_server',
    'acme widget',
    'widget frame',
  ])
  expect(await found({ name: 'widget' })).toEqual(['acme widget'])
  expect(await found({ name__icontains: 'widget' })).toEqual(['acme widget', 'acme widget_server'])
  expect(await found({ vendor: 'ACME' })).toEqual(['acme widget', 'acme widget_server'])
  expect(await found({ vendor_id: (await vendorNamed(org, 'widget')).id })).toEqual(['widget frame'])
  expect(await found({ vendor: 'acme', name__icontains: 'serv' })).toEqual(['acme widget_server'])
  expect(await found({ vendor: 'acme', name__icontains: 'acm' })).toEqual([])
  expect(await found({ vendor: 'acme', search: 'WID acm' })).toEqual(['acme widget', 'acme widget_server'])
  expect(await found({ vendor: 'acme', search: 'r' })).toEqual(['acme widget_server'])
  expect((await org.call(listProducts, { query: { vendor: 'acme', limit: 1 } })).count).toBe(2)
  expect((await org.call(listProducts, { query: { vendor: 'nobody' } })).count).toBe(0)
  expect(await org.call(listProducts, { query: { vendor: '', limit: 1 } })).toMatchObject({ count: 4 })
})

test('each order of vendors and products runs both ways and holds everything once; another order is refused', async () => {
  const org = await anOrg({ world })
  await org.call(toggleVendor, { body: { vendor_name: 'beta', monitored: true } })
  const pageThrough = async (ask: Ask, sorted_by: string) => {
    const seen: Record<string, unknown>[] = []
    for (const page of [1, 2, 3, 4]) {
      const response = await ask({ sorted_by, page, limit: 1 })
      seen.push(...((await response.json()) as { results: Record<string, unknown>[] }).results)
    }
    return seen
  }
  const lists: [Ask, readonly string[], number][] = [
    [(query) => org.answer(listVendors, { query }), vendorSorts, 3],
    [(query) => org.answer(listProducts, { query }), productSorts, 4],
  ]
  for (const [ask, sorts, all] of lists) {
    for (const field of sorts) {
      const up = (await pageThrough(ask, field)).map((row) => row[field])
      const down = (await pageThrough(ask, `-${field}`)).map((row) => row[field])
      expect([field, up.length, down.length]).toEqual([field, all, all])
      expect([field, ...up]).toEqual([field, ...down.toReversed()])
      expect(up).toEqual(up.toSorted(inOrder))
    }
    expect((await ask({ sorted_by: 'id; --' })).status).toBe(400)
  }
}, 20_000)

test('what is monitored comes first in that order, on every page', async () => {
  const org = await anOrg({ world })
  await org.call(toggleVendor, { body: { vendor_name: 'widget', monitored: true } })
  const page = async (number: number) =>
    listNames(await org.call(listVendors, { query: { sorted_by: '-monitored', page: number, limit: 2 } }))
  expect([await page(1), await page(2)]).toEqual([['widget', 'acme'], ['beta']])
})

test('monitoring a vendor by its own call covers its products, and only for the own organization', async () => {
  const [ours, theirs] = [await anOrg({ world }), await anOrg({ world })]
  const { id } = await vendorNamed(ours, 'acme')
  expect(await ours.call(setVendor, { params: { id }, body: { monitored: true } })).toBe('toggled.')

  expect((await ours.call(getVendor, { params: { id } })).monitored).toBe(true)
  const monitored = { query: { monitored: true } } as const
  expect(productNames(await ours.call(listProducts, monitored))).toEqual(['acme widget', 'acme widget_server'])
  expect(listNames(await ours.call(listVendors, monitored))).toEqual(['acme'])
  expect(listNames(await ours.call(listVendors, { query: { monitored: false } }))).toEqual(['beta', 'widget'])

  expect((await theirs.call(getVendor, { params: { id } })).monitored).toBe(false)
  expect(await theirs.call(listProducts, monitored)).toMatchObject({ count: 0, results: [] })
  const foreign = { params: { id }, body: { monitored: false, organization_id: ours.org_id } }
  expect((await theirs.answer(setVendor, foreign)).status).toBe(403)
  expect((await ours.answer(setVendor, { params: { id: 999_999 }, body: { monitored: true } })).status).toBe(404)
  expect((await ours.answer(setVendor, { params: { id }, body: {} })).status).toBe(400)

  await ours.call(setVendor, { params: { id }, body: { monitored: 'False' } })
  expect((await ours.call(listProducts, monitored)).count).toBe(0)
})

test('a product that was taken out of a monitored vendor is not listed as monitored', async () => {
  const org = await anOrg({ world })
  await org.call(toggleVendor, { body: { vendor_name: 'acme', monitored: true } })
  await org.call(toggleProduct, { body: { vendor_name: 'acme', product_name: 'widget', monitored: false } })
  const monitored = await org.call(listProducts, { query: { monitored: true } })
  expect(productNames(monitored)).toEqual(['acme widget_server'])
  expect(productNames(await org.call(listProducts, { query: { monitored: false, vendor: 'acme' } }))).toEqual([
    'acme widget',
  ])
})

test('the vulnerabilities of a vendor come once each, newest first, with their exact number', async () => {
  const org = await anOrg({ world })
  const { id } = await vendorNamed(org, 'acme')
  const page = await org.call(listVulns, { query: { vendor: id, limit: 1 } })
  const next = await org.call(listVulns, { query: { vendor: id, limit: 1, page: 2 } })
  expect([page.count, next.count, page.count_is_exact]).toEqual([2, 2, true])
  expect([...page.results, ...next.results].map(({ cveid }) => cveid)).toEqual(['CVE-2024-20002', 'CVE-2024-20001'])
  expect((await org.call(listVulns, { query: { vendor: 999_999 } })).count).toBe(0)
})

test('the CPE names of products are well formed and searchable', async () => {
  const { call } = await anOrg({ world })
  const { results } = await call(listCpes, { query: { search: 'widget_server' } })
  expect(results).toEqual([
    {
      id: expect.any(Number),
      title: 'acme widget server',
      vector: 'cpe:2.3:*:acme:widget_server:*:*:*:*:*:*:*:*',
      vendor: 'acme',
      product: 'widget_server',
    },
  ])
  expect((await call(listCpes)).count).toBe(4)
})

test('the CVE list shows what is published, newest change first, and finds by id and by words', async () => {
  const { call } = await anOrg({ world })
  const found = async (query: Record<string, unknown>) =>
    (await call(listCves, { query })).results.map(({ cve_id }) => Number(cve_id.slice(-1)))
  expect(await found({})).toEqual([2, 3, 1])
  expect(await found({ search: 'overflow widget' })).toEqual([1])
  expect(await found({ search: 'cve-2024-20003' })).toEqual([3])
  expect(await found({ search: 'CVE-2024-20004' })).toEqual([4])
  for (const search of ['"', 'C++ AND', '🦊', 'x'.repeat(9_000), '-- nothing'])
    expect(await found({ search })).toEqual([])
  const [row] = (await call(listCves, { query: { search: 'overflow' } })).results
  expect(row).toEqual({
    id: expect.any(Number),
    cve_id: 'CVE-2024-20001',
    summary: 'A heap overflow in the widget.',
    cvss: 4.3,
    cvss_vector: 'AV:N/AC:M/Au:N/C:P/I:N/A:N',
    cvss3: null,
    cvss3_vector: null,
    modified: '2024-01-02T00:00:00Z',
    monitored: false,
  })
})

test('each order of the CVE list runs both ways', async () => {
  const { call } = await anOrg({ world })
  for (const sort of cveSorts) {
    const up = (await call(listCves, { query: { sorted_by: sort } })).results.map(({ id }) => id)
    const down = (await call(listCves, { query: { sorted_by: `-${sort}` } })).results.map(({ id }) => id)
    expect([sort, up.length, ...down]).toEqual([sort, 3, ...up.toReversed()])
  }
})

test('the timeline of a product and of a vendor tells what changed on their vulnerabilities, newest first', async () => {
  const org = await anOrg({ world })
  const product = await productNamed(org, 'widget')
  const seen = async (page = 1, limit = 20) =>
    (await org.call(productTimeline, { params: { id: product.id }, query: { page, limit } })).results.map(
      ({ vuln, reason }) => [Number(vuln.cveid?.slice(-1)), reason],
    )
  const loaded = [
    [2, 'Changed at its source'],
    [1, 'Changed at its source'],
  ]
  expect(await seen()).toEqual(loaded)

  origins.modified = [
    aCve('CVE-2024-20001', {
      published: '2024-01-01T00:00:00.000',
      lastModified: `${new Date(Date.now() - 60_000).toISOString().slice(0, 19)}.000`,
      descriptions: [{ lang: 'en', value: 'A heap overflow in the widget.' }],
      metrics: { cvssMetricV31: [aMetric('3.1', 9.8, 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H')] },
      configurations: affecting(aMatch('acme', 'widget'), aMatch('acme', 'widget_server')),
    }),
  ]
  await world.tick(new Date(Date.now() + 3 * 3_600_000))
  await world.drain()
  const first = await seen(1, 1)
  expect(first).toEqual([[1, 'Updated']])
  expect(await seen(2, 1)).toEqual([loaded[0]])

  const { results, next } = await org.call(vendorTimeline, { params: { id: product.vendor_id }, query: { limit: 1 } })
  expect(results).toMatchObject([
    { vuln: { cveid: 'CVE-2024-20001' }, changes: expect.arrayContaining(['CVSS 3: n/a → 9.8']) },
  ])
  expect(next).toContain('page=2')
  const last = await org.call(vendorTimeline, { params: { id: product.vendor_id }, query: { limit: 1, page: 2 } })
  expect([last.results.length, last.next]).toEqual([1, null])
})

test('a version of a product is looked for in the ranges, not in their words', async () => {
  const range = (more: Record<string, unknown>) => affecting(aMatch('openssl', 'openssl', more))
  const exact = (version: string) => ({ criteria: `cpe:2.3:a:openssl:openssl:${version}:*:*:*:*:*:*:*` })
  const lastModified = `${new Date(Date.now() - 60_000).toISOString().slice(0, 19)}.000`
  const aProblem = (id: string, configurations: unknown) => aCve(id, { lastModified, configurations })
  origins.modified = [
    aProblem('CVE-2025-30001', range({ versionStartIncluding: '1.0.1', versionEndExcluding: '1.0.1g' })),
    aProblem('CVE-2025-30002', range({ versionEndIncluding: '1.0.1f' })),
    aProblem('CVE-2025-30003', range(exact('1.0.2'))),
    aProblem('CVE-2025-30004', range({})),
    aProblem('CVE-2025-30005', range(exact('1.0.1f'))),
  ]
  await world.tick(new Date(Date.now() + 3 * 3_600_000))
  await world.drain()

  const org = await anOrg({ world })
  const product = await productNamed(org, 'openssl')
  const affectedBy = async (query: Record<string, unknown>) => {
    const { results, count } = await org.call(listVulns, { query })
    expect(count).toBe(results.length)
    return results.map(({ cveid }) => Number(cveid?.slice(-1))).toSorted((a, b) => a - b)
  }
  expect(await affectedBy({ product: product.id, product_version: '1.0.1f' })).toEqual([1, 2, 4, 5])
  expect(await affectedBy({ product: product.id, product_version: '1.0.1g' })).toEqual([4])
  expect(await affectedBy({ product: product.id, product_version: '1.0.0' })).toEqual([2, 4])
  expect(await affectedBy({ product: product.id, product_version: '1.0.2', sorted_by: 'score' })).toEqual([3, 4])
  const named = { product_name: 'openssl', vendor_name: 'openssl', product_version: '1.0.1f' }
  expect(await affectedBy(named)).toEqual([1, 2, 4, 5])
  expect(await affectedBy({ ...named, vendor_name: 'acme' })).toEqual([])
  for (const product_version of ['"', 'latest', '🦊', '1.0.1f or 1=1', '-', '*'])
    expect((await org.answer(listVulns, { query: { product: product.id, product_version } })).status).toBe(200)

  const { versions, versions_count } = await org.call(getProduct, { params: { id: product.id } })
  expect(versions.map(({ version }) => version)).toEqual(['1.0.1', '1.0.1f', '1.0.1g', '1.0.2'])
  expect([versions_count, versions.map(({ id }) => id)]).toEqual([4, [1, 2, 3, 4]])
})

test('a reworded summary is found by the words it kept, and no more by those it lost', async () => {
  const lastModified = `${new Date(Date.now() - 60_000).toISOString().slice(0, 19)}.000`
  const descriptions = [{ lang: 'en', value: 'A stack overflow in the gizmo.' }]
  origins.modified = [aCve('CVE-2024-20001', { lastModified, descriptions })]
  await world.tick(new Date(Date.now() + 3 * 3_600_000))
  await world.drain()
  const { call } = await anOrg({ world })
  const count = async (search: string) => (await call(listCves, { query: { search } })).count
  expect([await count('gizmo'), await count('overflow'), await count('heap')]).toEqual([1, 1, 0])
})

import { expect, test } from 'vitest'
import { cveSorts, listCves } from '../../worker/kb/cves/contract'
import { getProduct, listCpes } from '../../worker/kb/contract'
import { productTimeline, vendorTimeline } from '../../worker/kb/timeline/contract'
import { listVulns } from '../../worker/vulns/contract'
import { eachTest } from './support/each-test'
import { anOrg } from './support/org'
import { aCve, affecting, aMatch, aMetric } from '../support/records'
import { aKbScene, vendorNamed, productNamed } from './support/kb-scene'

const scene = eachTest(aKbScene)

test('the vulnerabilities of a vendor come once each, newest first, with their exact number', async () => {
  const { world } = scene
  const org = await anOrg({ world })
  const { id } = await vendorNamed(org, 'acme')
  const page = await org.call(listVulns, { query: { vendor: id, limit: 1 } })
  const next = await org.call(listVulns, { query: { vendor: id, limit: 1, page: 2 } })
  expect([page.count, next.count, page.count_is_exact]).toEqual([2, 2, true])
  expect([...page.results, ...next.results].map(({ cveid }) => cveid)).toEqual(['CVE-2024-20002', 'CVE-2024-20001'])
  expect((await org.call(listVulns, { query: { vendor: 999_999 } })).count).toBe(0)
})

test('the CPE names of products are well formed and searchable', async () => {
  const { world } = scene
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
  const { world } = scene
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
    cvss3_vector: '',
    modified: '2024-01-02',
    monitored: false,
  })
})

test('each order of the CVE list runs both ways', async () => {
  const { world } = scene
  const { call } = await anOrg({ world })
  for (const sort of cveSorts) {
    const up = (await call(listCves, { query: { sorted_by: sort } })).results.map(({ id }) => id)
    const down = (await call(listCves, { query: { sorted_by: `-${sort}` } })).results.map(({ id }) => id)
    expect([sort, up.length, ...down]).toEqual([sort, 3, ...up.toReversed()])
  }
})

test('the CVE list honours the second of two keys where rows are alike in the first', async () => {
  const { answer } = await anOrg({ world: scene.world })
  const ids = async (sorted_by: string) => {
    const page = await (await answer(listCves, { query: { sorted_by } })).json()
    return (page as { results: { cve_id: string }[] }).results.map(({ cve_id }) => cve_id.slice(-5))
  }
  expect(await ids('cvss,cve_id')).toEqual(['20002', '20003', '20001'])
  expect(await ids('cvss,-cve_id')).toEqual(['20003', '20002', '20001'])
})

test('the timeline of a product and of a vendor tells what changed on their vulnerabilities, newest first', async () => {
  const { origins, world } = scene
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
  const { origins, world } = scene
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
  const { origins, world } = scene
  const lastModified = `${new Date(Date.now() - 60_000).toISOString().slice(0, 19)}.000`
  const descriptions = [{ lang: 'en', value: 'A stack overflow in the gizmo.' }]
  origins.modified = [aCve('CVE-2024-20001', { lastModified, descriptions })]
  await world.tick(new Date(Date.now() + 3 * 3_600_000))
  await world.drain()
  const { call } = await anOrg({ world })
  const count = async (search: string) => (await call(listCves, { query: { search } })).count
  expect([await count('gizmo'), await count('overflow'), await count('heap')]).toEqual([1, 1, 0])
})

import { expect, test } from 'vitest'
import {
  getProduct,
  getVendor,
  listProducts,
  listVendors,
  productSorts,
  setVendor,
  vendorSorts,
} from '../../worker/kb/contract'
import { vendorTimeline } from '../../worker/kb/timeline/contract'
import { toggleProduct, toggleVendor } from '../../worker/monitoring/contract'
import { eachTest } from './support/each-test'
import { anOrg } from './support/org'
import { aKbScene, listNames, productNames, byText, vendorNamed, type Ask } from './support/kb-scene'

const scene = eachTest(aKbScene)

test('a vendor says how many products and vulnerabilities it has, and another id is nobody', async () => {
  const { world } = scene
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
  expect(await org.call(getVendor, { params: { id: acme.id } })).toEqual({ ...acme, aliases: [] })
  expect((await org.answer(getVendor, { params: { id: 999_999 } })).status).toBe(404)
  expect((await org.answer(getProduct, { params: { id: 999_999 } })).status).toBe(404)
  expect((await org.answer(vendorTimeline, { params: { id: 999_999 } })).status).toBe(404)
})

test('vendors are found by any part of their name, the very name first', async () => {
  const { world } = scene
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
  const { world } = scene
  await world.sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO vendors(name, products_count, vulns_count, updated_at)
      SELECT 'zulu_' || i, i % 7, i * 37 % 901, '2024-01-' || (10 + i % 19) FROM n`
  await world.sql`INSERT INTO vendors(name, vulns_count, updated_at) VALUES ('zulu', 1, '2024-01-01')`
  const org = await anOrg({ world })
  await org.call(toggleVendor, { body: { vendor_name: 'zulu_33', monitored: true } })
  const most = 750
  const parts = await org.call(listVendors, { query: { search: 'zulu', limit: 3, count: 'quick' } })
  expect(parts).toMatchObject({ count: most, count_is_exact: false })
  expect(parts.results[0]?.name).toBe('zulu')
  for (const sort of vendorSorts)
    for (const sorted_by of [sort, `-${sort}` as const]) {
      const seen: unknown[] = []
      for (const page of [1, 2, 3, 4, 5, 6, 7, 8]) {
        const query = { search: 'zulu', sorted_by, page, limit: 100, count: 'quick' as const }
        const { results } = await org.call(listVendors, { query })
        seen.push(...results.map((row) => row[sort]))
      }
      const up = seen.toSorted(byText)
      expect([sorted_by, seen]).toEqual([sorted_by, sorted_by === sort ? up : up.toReversed()])
      expect(seen).toHaveLength(most)
    }
  const only = await org.call(listVendors, { query: { search: 'zulu', monitored: true } })
  expect([listNames(only), only.count]).toEqual([['zulu_33'], 1])
  const begun = await org.call(listVendors, { query: { search: 'z', limit: 2, count: 'quick' } })
  expect(begun.count_is_exact).toBe(false)
  const [{ name }] = (await world.sql`SELECT name FROM vendors ORDER BY vulns_count DESC LIMIT 1`) as [{ name: string }]
  expect(listNames(begun)[0]).toBe(name)
  expect(await org.call(listVendors, { query: { search: 'ac' } })).toMatchObject({ count: 1, count_is_exact: true })

  await world.sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO vendors(name, vulns_count, updated_at) SELECT 'the_zulu_' || i, i, '2024-01-01' FROM n`
  const all: string[] = []
  for (let page = 1; page <= 41; page++) {
    const found = await org.call(listVendors, { query: { search: 'zulu', limit: 30, page } })
    all.push(...listNames(found))
    expect([page, found.next === null, found.count_is_exact]).toEqual([page, page === 41, page > 33])
  }
  expect([all[0], all.length, new Set(all).size]).toEqual(['zulu', 1_201, 1_201])
})

test('products are found by their name, their vendor or both, those of that very name first', async () => {
  const { world } = scene
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

  // A name without vulnerabilities ("Windows", when sources write "Windows 11") must not come first.
  await world.sql`INSERT INTO products(vendor_id, vendor, name, updated_at) SELECT id, name, 'server', ''
    FROM vendors WHERE name = 'acme'`
  expect(await found({ search: 'server' })).toEqual(['acme widget_server', 'acme server'])
})

test('products are found as analysts write them: with a version, a short word, without a hyphen, by another name', async () => {
  const { world } = scene
  const org = await anOrg({ world })
  const names = ['windows_11_23h2', 'windows_server_2016', 'windows_11', 'exchange_server', 'sql_server', 'big-ip_11']
  await world.sql`INSERT INTO products(vendor_id, vendor, name, updated_at, vulns_count) SELECT v.id, v.name, j.value, '', 9 + j.key % 2
      FROM vendors v CROSS JOIN json_each(${JSON.stringify(names)}) j WHERE v.name = 'acme'`
  const found = async (search: string) => productNames(await org.call(listProducts, { query: { search, limit: 2 } }))
  expect(await found('Windows 11')).toEqual(['acme windows_11', 'acme windows_11_23h2'])
  expect(await found('acme windows 11')).toEqual(['acme windows_11', 'acme windows_server_2016'])
  expect(await found('exchange 2019')).toEqual(['acme exchange_server'])
  expect(await found('exchange v15.2')).toEqual(['acme exchange_server'])
  expect((await found('mssql'))[0]).toBe('acme sql_server')
  expect((await found('sql server'))[0]).toBe('acme sql_server')
  expect(await found('bigip 11')).toEqual(['acme big-ip_11'])
  for (const odd of ['"', "' OR 1", `windows ${'x'.repeat(190)}`, '11 22', 'a b c d e f g h'])
    expect((await org.answer(listProducts, { query: { search: odd } })).status).toBe(200)
})

test('a product tells of those of its name at other vendors, the most affected first', async () => {
  const { world } = scene
  const org = await anOrg({ world })
  await world.sql`INSERT INTO products(vendor_id, vendor, name, updated_at, vulns_count)
    SELECT id, name, 'proxy', '', length(name) - 4 FROM vendors`
  const { results } = await org.call(listProducts, { query: { name: 'proxy', sorted_by: 'vulns_count' } })
  const [own, known] = [results[0], results.at(-1)]
  await org.call(toggleProduct, { body: { product_id: known?.id ?? 0, monitored: true } })
  const { namesakes } = await org.call(getProduct, { params: { id: own?.id ?? 0 } })
  expect(namesakes.map(({ vulns_count }) => vulns_count)).toEqual(
    results
      .map(({ vulns_count }) => vulns_count)
      .filter((count) => count > 0)
      .toSorted((a, b) => b - a),
  )
  expect(namesakes.map(({ id, monitored }) => [id, monitored])).toContainEqual([known?.id, true])
})

test('each order of vendors and products runs both ways and holds everything once; another order is refused', async () => {
  const { world } = scene
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
      expect(up).toEqual(up.toSorted(byText))
    }
    expect((await ask({ sorted_by: 'id; --' })).status).toBe(400)
  }
}, 20_000)

test('monitored rows come first in that order, on every page', async () => {
  const { world } = scene
  const org = await anOrg({ world })
  await org.call(toggleVendor, { body: { vendor_name: 'widget', monitored: true } })
  const page = async (number: number) =>
    listNames(await org.call(listVendors, { query: { sorted_by: '-monitored', page: number, limit: 2 } }))
  expect([await page(1), await page(2)]).toEqual([['widget', 'acme'], ['beta']])
})

test('monitoring a vendor by its own call covers its products, and only for the own organization', async () => {
  const { world } = scene
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
  const { world } = scene
  const org = await anOrg({ world })
  await org.call(toggleVendor, { body: { vendor_name: 'acme', monitored: true } })
  await org.call(toggleProduct, { body: { vendor_name: 'acme', product_name: 'widget', monitored: false } })
  const monitored = await org.call(listProducts, { query: { monitored: true } })
  expect(productNames(monitored)).toEqual(['acme widget_server'])
  expect(productNames(await org.call(listProducts, { query: { monitored: false, vendor: 'acme' } }))).toEqual([
    'acme widget',
  ])
})

import { expect, test } from 'vitest'
import { getProduct, listProducts } from '../../worker/kb/contract'
import { toggleProduct, toggleVendor } from '../../worker/monitoring/contract'
import { getVuln, vulnHistory } from '../../worker/vulns/detail/contract'
import { listVulns, toggleVuln } from '../../worker/vulns/contract'
import { latestVulns, vulnStats } from '../../worker/home/contract'
import { eachTest } from './support/each-test'
import { anOrg } from './support/org'
import { aVulnsScene } from './support/vulns-scene'

const scene = eachTest(aVulnsScene)

test('the detail tells of versions, references, sources and the rating', async () => {
  const { world } = scene
  const { call } = await anOrg({ world })
  await world.sql`INSERT INTO weaknesses(id, name, description) VALUES (79, 'Cross-site Scripting', '')`
  const [row] = (await call(listVulns, { query: { search: 'CVE-2024-10001' } })).results
  const detail = await call(getVuln, { params: { id: row?.id ?? 0 } })
  expect(detail).toMatchObject({
    ...row,
    cvss3_source: 'nvd@nist.gov',
    cwe_ids: ['CWE-79'],
    cwe_names: { 'CWE-79': 'Cross-site Scripting' },
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

test('a malformed id is refused', async () => {
  const { world } = scene
  const { access } = await anOrg({ world })
  for (const id of ['0', '-1', 'x', '1.5', '1e9', '9007199254740993', '%00'])
    for (const path of [`/api/vulns/${id}/`, `/api/vulns/${id}/history`, `/api/kb/detailed-products/${id}`]) {
      const { status } = await world.request(path, { headers: { authorization: `JWT ${access}` } })
      expect([path, status]).toEqual([path, id === '1e9' ? 404 : 400])
    }
})

test('an unknown id is 404, whatever one wants of it', async () => {
  const { world } = scene
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
  const { world } = scene
  const { call } = await anOrg({ world })
  const monitored = async () => (await call(getVuln, { params: { id: 1 } })).monitored_by
  for (const on of [true, true, false, false]) {
    expect(await call(toggleVuln, { params: { id: 1 }, body: { monitored: on } })).toBe('toggled.')
    expect(await monitored()).toEqual(on ? [{ via: 'vuln', id: 1, name: 'PH-1', vendor: null }] : [])
  }
})

test('the detail names each item of the watchlist that it concerns, readably', async () => {
  const { world } = scene
  const { call } = await anOrg({ world })
  await call(toggleVendor, { body: { vendor_name: 'acme', monitored: true } })
  await call(toggleProduct, { body: { vendor_name: 'other', product_name: 'thing', monitored: true } })
  const reasons = async (search: string) => {
    const [row] = (await call(listVulns, { query: { search } })).results
    return (await call(getVuln, { params: { id: row?.id ?? 0 } })).monitored_by.map(({ id: _, ...one }) => one)
  }
  expect(await reasons('CVE-2024-10001')).toEqual([{ via: 'vendor', name: 'acme', vendor: null }])
  // KEV says that it is Acme's.
  expect(await reasons('CVE-2024-10002')).toEqual([
    { via: 'product', name: 'thing', vendor: 'other' },
    { via: 'vendor', name: 'acme', vendor: null },
  ])
})

test('the monitored flag of one organization shows in no other', async () => {
  const { world } = scene
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
  const { world } = scene
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

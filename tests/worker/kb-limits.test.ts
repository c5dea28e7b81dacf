import { beforeEach, expect, test } from 'vitest'
import { cveSorts, listCves } from '../../worker/kb/cves/contract'
import {
  getProduct,
  getVendor,
  listCpes,
  listProducts,
  listVendors,
  productSorts,
  vendorSorts,
} from '../../worker/kb/contract'
import { productTimeline, vendorTimeline } from '../../worker/kb/timeline/contract'
import { listVulns } from '../../worker/vulns/contract'
import { aCve, affecting, aMatch } from '../support/records'
import { eachTest } from './support/each-test'
import { anOrg } from './support/org'
import { fakeOrigins, originSettings } from './support/origins'
import { aWorld } from './support/world'

const origins = eachTest(fakeOrigins)
const world = eachTest(() => aWorld({ ...originSettings, METER: '1' }))
beforeEach(async () => {
  const others = Array.from({ length: 300 }, (_, at) =>
    aCve(`CVE-2024-${30_000 + at}`, { configurations: affecting(aMatch(`vendor_${at}`, `product_${at}`)) }),
  )
  const big = Array.from({ length: 600 }, (_, at) =>
    aCve(`CVE-2024-${40_000 + at}`, {
      lastModified: `2024-01-${String(1 + (at % 28)).padStart(2, '0')}T00:00:00.000`,
      configurations: affecting(
        aMatch('big', 'system', { versionEndExcluding: `${1 + (at % 40)}.0` }),
        ...Array.from({ length: 4 }, (_none, part) => aMatch('big', `part_${part}`)),
      ),
    }),
  )
  origins.files.set(2024, [...others, ...big])
  await world.tick()
  await world.drain()
})

const lists = 200
/** Without an index of their own: all names are read and sorted. */
const unsorted = /products_count|updated_at/
const whole = 20_000
/** Words that many have are counted up to 10,000. */
const counted = 20_000
const searches = 2_100
const versions = 2_000

test('no list or page of the knowledge base reads more rows than its budget', async () => {
  const { call, answer } = await anOrg({ world })
  const [system] = (await call(listProducts, { query: { name: 'system' } })).results
  if (!system) throw new Error('No system')
  const [product, vendor] = [{ id: system.id }, { id: system.vendor_id }]
  const each = (sorts: readonly string[]) => sorts.flatMap((sort) => [sort, `-${sort}`])
  const budgets: [name: string, most: number, ask: () => Promise<Response>][] = [
    ...each(vendorSorts).map((sorted_by): (typeof budgets)[number] => [
      `vendors by ${sorted_by}`,
      unsorted.test(sorted_by) ? whole : lists,
      () => answer(listVendors, { query: { sorted_by } }),
    ]),
    ...each(productSorts).map((sorted_by): (typeof budgets)[number] => [
      `products by ${sorted_by}`,
      unsorted.test(sorted_by) ? whole : lists,
      () => answer(listProducts, { query: { sorted_by } }),
    ]),
    ...each(cveSorts).map((sorted_by): (typeof budgets)[number] => [
      `CVEs by ${sorted_by}`,
      // The index holds the first letters, of which all summaries here have the same.
      sorted_by.endsWith('summary') ? 5_000 : lists,
      () => answer(listCves, { query: { sorted_by } }),
    ]),
    ['products of a vendor', lists, () => answer(listProducts, { query: { vendor_id: vendor.id } })],
    ['vendors by a part', lists, () => answer(listVendors, { query: { search: 'vendor_29' } })],
    [
      'products by a part that many have',
      searches,
      () => answer(listProducts, { query: { search: 'product', count: 'quick' } }),
    ],
    ['products by one letter', searches, () => answer(listProducts, { query: { search: 'p', count: 'quick' } })],
    ['CVEs by a common word', counted, () => answer(listCves, { query: { search: 'flaw' } })],
    ['a CVE by its id', lists, () => answer(listCves, { query: { search: 'CVE-2024-40001' } })],
    ['CPE names', lists, () => answer(listCpes)],
    ['a vendor', lists, () => answer(getVendor, { params: vendor })],
    ['a product, its versions read for the first time', versions, () => answer(getProduct, { params: product })],
    ['a product', lists, () => answer(getProduct, { params: product })],
    ['the timeline of a vendor', lists, () => answer(vendorTimeline, { params: vendor })],
    ['the timeline of a product', lists, () => answer(productTimeline, { params: product })],
    [
      'a version of a product',
      versions,
      () => answer(listVulns, { query: { product: product.id, product_version: '30.1', count: 'quick' } }),
    ],
    [
      'a version of a product, in an older window',
      versions,
      () =>
        answer(listVulns, {
          query: { product: product.id, product_version: '30.1', version_window: 2, count: 'quick' },
        }),
    ],
  ]
  const read: Record<string, number> = {}
  for (const [name, , ask] of budgets) read[name] = rowsRead(await ask())
  const over = budgets.filter(([name, most]) => !((read[name] ?? Number.NaN) <= most))
  expect(over.map(([name, most]) => `${name}: ${read[name]} rows, at most ${most}`)).toEqual([])
})

test('a product with very many vulnerabilities is asked about a version window by window', async () => {
  const { call } = await anOrg({ world })
  const [system] = (await call(listProducts, { query: { name: 'system' } })).results
  const asked = { product: system?.id ?? 0, product_version: '39.5', limit: 100 }
  const windows = []
  for (const version_window of [1, 2, 3, 4, 5])
    windows.push(await call(listVulns, { query: { ...asked, version_window } }))
  // Each fortieth range ends at 40.0.
  const ids = windows.flatMap(({ results }) => results.map(({ cveid }) => cveid))
  expect([ids.length, new Set(ids).size]).toEqual([15, 15])
  expect(windows.map(({ count }) => count > 0)).toEqual([true, true, true, true, false])
})

const rowsRead = ({ headers }: Response) => Number(/ read=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1])

import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { CveRow } from '../../worker/kb/cves/contract'
import type { ProductDetail, VendorRow } from '../../worker/kb/contract'
import type { TimelineEntry } from '../../worker/kb/timeline/contract'
import { CveListPage } from '../../web/kb/cves/cve-list-page'
import { VendorListPage } from '../../web/kb/vendors/vendor-list-page'
import { signInAs } from './support/account'
import { atHome } from './support/answers'
import { aPage, aProduct, aVulnRow } from './support/rows'
import { show } from './support/screen'
import { fakeServer } from './support/server'
import { visit } from './support/visit'

const aVendor = (given: Partial<VendorRow> = {}): VendorRow => ({
  id: 3,
  name: 'f5',
  monitored: false,
  products_count: 2,
  vulns_count: 42,
  updated_at: '2026-11-18T06:30:00Z',
  ...given,
})

const aDetail = (versions: string[]): ProductDetail => ({
  ...aProduct(),
  versions: versions.map((version, at) => ({ id: at + 1, version, branch: version })),
  versions_count: versions.length,
  lifecycles: [],
  aliases: [],
  namesakes: [],
})

const anEntry = (given: Partial<TimelineEntry> = {}): TimelineEntry => ({
  id: 'c1',
  date: '2026-11-18T12:00:00Z',
  vuln: {
    id: 12,
    cveid: 'CVE-2026-10012',
    summary: 'nginx mishandles a header.',
    score: 60,
    is_score_provisional: false,
  },
  reason: 'Updated',
  changes: ['CVSS 3: n/a → 9.8'],
  source: 'nvd',
  ...given,
})

const aCve = (given: Partial<CveRow> = {}): CveRow => ({
  id: 12,
  cve_id: 'CVE-2026-10012',
  summary: 'A very long summary of a flaw in nginx that does not fit into one line of the table.',
  cvss: 4.3,
  cvss_vector: 'AV:N/AC:M/Au:N/C:P/I:N/A:N',
  cvss3: null,
  cvss3_vector: '',
  modified: '2026-11-18T06:30:00Z',
  monitored: false,
  ...given,
})

const refused = () => ({ status: 400, body: { code: 'invalid', message: 'No' } })

test('the vendors have their columns, and a toggle flips when the server has answered', async () => {
  let monitored = false
  const server = fakeServer({
    'GET /api/kb/vendors/': () => ({ body: aPage([aVendor({ monitored })]) }),
    'POST /api/monitor/vendor/toggle': () => {
      monitored = true
      return { body: 'toggled.' }
    },
  })
  show(<VendorListPage />, '/vendors')
  expect(await screen.findByRole('link', { name: 'F5' })).toBeTruthy()
  const headers = screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(headers).toEqual(['Vendor', '# Products', '# Vulnerabilities', 'Monitored', 'Last update', 'Actions'])
  expect(screen.getByText('2026-11-18')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'View f5' }).getAttribute('href')).toBe('/vendor/3')

  fireEvent.click(screen.getByRole('button', { name: 'No: monitor f5 with all its products' }))
  expect(await screen.findByText('Monitoring status successfuly updated.')).toBeTruthy()
  expect(await screen.findByRole('button', { name: 'Yes: monitor f5 with all its products' })).toBeTruthy()
  expect(server.to('/api/monitor/vendor/toggle')[0]?.body).toMatchObject({ vendor_id: 3, monitored: true })
})

test('showing only what is monitored starts at page 1, and its chip then offers all', async () => {
  const server = fakeServer({ 'GET /api/kb/vendors/': () => ({ body: aPage([aVendor()], { count: 90 }) }) })
  const { address } = show(<VendorListPage />, '/vendors?page=3')
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Show monitored only' }))
  expect(await screen.findByRole('checkbox', { name: 'Show all' })).toBeTruthy()
  expect(address()).toBe('/vendors?monitored=true')
  await waitFor(() => expect(server.requests.at(-1)?.query.get('monitored')).toBe('true'))
  expect(server.requests.at(-1)?.query.get('page')).toBe('1')
})

test.each([
  ['', '-vulns_count'],
  ['?search=f5', null],
  ['?monitored=true', null],
  ['?sorted_by=updated_at', 'updated_at'],
])('vendors%s are sorted by %s', async (query, sorted_by) => {
  const server = fakeServer({ 'GET /api/kb/vendors/': () => ({ body: aPage([aVendor()]) }) })
  show(<VendorListPage />, `/vendors${query}`)
  await screen.findByRole('checkbox', { name: /^Show/ })
  await waitFor(() => expect(server.requests.at(-1)?.query.get('sorted_by')).toBe(sorted_by))
})

test('the tab of products keeps its own filters in the address', async () => {
  fakeServer({
    'GET /api/kb/vendors/': () => ({ body: aPage([aVendor()]) }),
    'GET /api/kb/products/': () => ({ body: aPage([aProduct()]) }),
  })
  const { address } = show(<VendorListPage />, '/vendors?search=f5')
  fireEvent.click(screen.getByRole('tab', { name: 'By Products' }))
  expect(await screen.findByRole('link', { name: 'Nginx' })).toBeTruthy()
  expect(address()).toBe('/vendors?tab=products')
  const headers = screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(headers).toEqual(['Vendor', 'Product', '# Vulnerabilities', 'Monitored', 'Last update', 'Actions'])
})

test.each([
  ['/vendors', 'GET /api/kb/vendors/', 'unable to get vendors'],
  ['/vendors?tab=products', 'GET /api/kb/products/', 'unable to get products'],
  ['/products', 'GET /api/kb/products/', 'unable to get products'],
  ['/kb/cves', 'GET /api/kb/cve', 'unable to get cves'],
  ['/vendor/3', 'GET /api/kb/vendors/3/', 'Unable to get vendor details'],
  ['/product/7', 'GET /api/kb/detailed-products/7/', 'unable to get product details'],
])('a failure at %s is told in its own words', async (address, call, words) => {
  signInAs()
  fakeServer({ ...atHome, [call]: () => ({ status: 403, body: { code: 'no', message: 'No' } }) })
  visit(address)
  expect((await screen.findAllByText(words)).length).toBeGreaterThan(0)
})

test('the parts of a vendor that fail are told in their own words', async () => {
  signInAs()
  fakeServer({
    ...atHome,
    'GET /api/kb/vendors/3/': () => ({ body: { ...aVendor(), aliases: [] } }),
    'GET /api/kb/products/': refused,
    'GET /api/vulns/': refused,
  })
  visit('/vendor/3')
  expect((await screen.findAllByText('Unable to get vulns')).length).toBeGreaterThan(0)
  fireEvent.click(screen.getByRole('tab', { name: 'Products' }))
  expect((await screen.findAllByText('Unable to get products')).length).toBeGreaterThan(0)
})

test('a vendor shows its numbers and the vulnerabilities with both scores', async () => {
  signInAs()
  const vuln = aVulnRow({ score: 72, cvss: 6.4, cvss3: 9.8, exploit_count: 2 })
  const server = fakeServer({
    ...atHome,
    'GET /api/kb/vendors/3/': () => ({ body: { ...aVendor({ monitored: true }), aliases: [] } }),
    'GET /api/vulns/': () => ({ body: aPage([vuln]) }),
  })
  visit('/vendor/3')
  expect(await screen.findByRole('heading', { level: 1, name: 'F5' })).toBeTruthy()
  expect(screen.getByRole('button', { name: /^Monitored: monitor f5/ })).toBeTruthy()
  const table = await screen.findByRole('table', { name: 'Vulnerabilities' })
  const headers = within(table)
    .getAllByRole('columnheader')
    .map(({ textContent }) => textContent)
  expect(headers).toEqual(['Score', 'Summary', 'Metadata', 'Last update'])
  for (const text of ['72', 'CVSSv2', '6.4', 'CVSSv3', '9.8', 'PH-12'])
    expect(within(table).getByText(text)).toBeTruthy()
  expect(within(table).getByLabelText('2 exploits')).toBeTruthy()
  expect(within(table).getByRole('link', { name: 'View CVE-2026-10012' }).getAttribute('href')).toBe('/vulns/12')
  expect(server.to('/api/vulns/')[0]?.query.get('vendor')).toBe('3')
})

test('a known version filters by asking the server for it, and the reset icon clears it', async () => {
  signInAs()
  const server = fakeServer({
    ...atHome,
    'GET /api/kb/detailed-products/7/': () => ({ body: aDetail(['1.0', '1.1', '1.2']) }),
    'GET /api/vulns/': ({ query }) => ({ body: aPage(query.get('product_version') ? [] : [aVulnRow()]) }),
  })
  const { address } = visit('/product/7?page=2')
  const chips = await screen.findByRole('group', { name: 'Known versions' })
  const labels = within(chips)
    .getAllByRole('button')
    .map(({ textContent }) => textContent)
  expect(labels).toEqual(['1.2', '1.1', '1.0'])

  fireEvent.click(within(chips).getByRole('button', { name: '1.1' }))
  expect(await screen.findByText('No known vulnerability affects 1.1')).toBeTruthy()
  expect(address()).toBe('/product/7?product_version=1.1')
  expect(server.to('/api/vulns/').at(-1)?.query.get('product_version')).toBe('1.1')
  expect((await within(chips).findByRole('button', { name: '1.1' })).getAttribute('aria-pressed')).toBe('true')

  fireEvent.click(screen.getByRole('button', { name: 'Reset the version' }))
  expect(await screen.findByText('CVE-2026-10012')).toBeTruthy()
  expect(address()).toBe('/product/7')
})

test('of many versions the first are shown, the others are searched, and any other can be asked for', async () => {
  signInAs()
  const versions = Array.from({ length: 300 }, (_, at) => `1.${at}`)
  fakeServer({
    ...atHome,
    'GET /api/kb/detailed-products/7/': () => ({ body: aDetail(versions) }),
    'GET /api/vulns/': () => ({ body: aPage([aVulnRow()]) }),
  })
  const { address } = visit('/product/7')
  const chips = await screen.findByRole('group', { name: 'Known versions' })
  expect(within(chips).getByRole('button', { name: '1.299' })).toBeTruthy()
  expect(within(chips).queryByRole('button', { name: '1.12' })).toBeNull()
  expect(within(chips).getByRole('button', { name: '276 more versions' })).toBeTruthy()

  const field = screen.getByRole('searchbox', { name: 'Version' })
  fireEvent.change(field, { target: { value: '1.12' } })
  expect(within(chips).getByRole('button', { name: '1.12' })).toBeTruthy()
  fireEvent.change(field, { target: { value: '9.9.9' } })
  fireEvent.keyDown(field, { key: 'Enter' })
  await waitFor(() => expect(address()).toBe('/product/7?product_version=9.9.9'))
  const chip = await within(chips).findByRole('button', { name: '9.9.9' })
  expect(chip.getAttribute('aria-pressed')).toBe('true')
})

test('a product with very many vulnerabilities says which of them it was asked about', async () => {
  signInAs()
  const server = fakeServer({
    ...atHome,
    'GET /api/kb/detailed-products/7/': () => ({ body: { ...aDetail(['1.0']), vulns_count: 1_200 } }),
    'GET /api/vulns/': () => ({ body: aPage([aVulnRow()]) }),
  })
  visit('/product/7?product_version=1.0')
  expect(await screen.findByText(/vulnerabilities 1 to 150 of 1,200, newest first/)).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Older' }))
  expect(await screen.findByText(/151 to 300/)).toBeTruthy()
  await waitFor(() => expect(server.to('/api/vulns/').at(-1)?.query.get('version_window')).toBe('2'))
})

test('the timeline goes day by day, and each entry leads to its vulnerability', async () => {
  signInAs()
  fakeServer({
    ...atHome,
    'GET /api/kb/detailed-products/7/': () => ({ body: aDetail([]) }),
    'GET /api/kb/detailed-products/7/timeline': () => ({
      body: aPage([
        anEntry(),
        anEntry({ id: 'c2', vuln: { id: 13, cveid: null, summary: '', score: null, is_score_provisional: false } }),
        anEntry({ id: 'v14', date: '2026-11-02T12:00:00Z', reason: 'Changed at its source', changes: [] }),
      ]),
    }),
  })
  visit('/product/7?tab=timeline')
  const day = await screen.findByRole('region', { name: '2026-11-18' })
  expect(within(day).getByRole('link', { name: 'CVE-2026-10012' }).getAttribute('href')).toBe('/vulns/12')
  expect(within(day).getByRole('link', { name: 'PH-13' })).toBeTruthy()
  expect(within(day).getAllByText('CVSS 3: n/a → 9.8')).toHaveLength(2)
  const earlier = screen.getByRole('region', { name: '2026-11-02' })
  expect(within(earlier).getByText(/Changed at its source/)).toBeTruthy()
})

test('a CVE shows one line of its summary, and offers more where that is not all of it', async () => {
  const [short, long] = ['A text that fits into the line of most screens.', 'A text that goes on. '.repeat(9)]
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockImplementation(function (this: HTMLElement) {
    return this.textContent.length > short.length ? 40 : 0
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const body = aPage([aCve({ id: 13, cve_id: 'CVE-2026-10013', summary: short }), aCve({ summary: long })])
  fakeServer({ 'GET /api/kb/cve': () => ({ body }) })
  show(<CveListPage />, '/kb/cves')
  expect((await screen.findByRole('link', { name: 'CVE-2026-10012' })).getAttribute('href')).toBe('/vulns/12')
  const headers = screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(headers).toEqual(['Select', 'CVE-ID', 'Summary', 'CVSS', 'CVSS Vector', 'Modified'])
  const more = screen.getByRole('button', { name: 'more' })
  fireEvent.click(more)
  expect(screen.getByRole('button', { name: 'less' }).getAttribute('aria-expanded')).toBe('true')
})

test('chosen CVEs are monitored together', async () => {
  signInAs()
  const server = fakeServer({
    'GET /api/kb/cve': () => ({ body: aPage([aCve(), aCve({ id: 13, cve_id: 'CVE-2026-10013' })]) }),
    'POST /api/vulns/toggle/bulk': () => ({ body: { monitored: true, set: [12, 13] } }),
  })
  show(<CveListPage />, '/kb/cves')
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select CVE-2026-10013' }))
  expect(screen.getByText('1 selected')).toBeTruthy()
  fireEvent.click(screen.getByRole('checkbox', { name: '1 selected' }))
  fireEvent.click(screen.getByRole('button', { name: 'Monitor' }))
  expect(await screen.findByText('Monitoring status successfuly updated.')).toBeTruthy()
  expect(server.to('/api/vulns/toggle/bulk').map(({ body }) => body)).toEqual([
    { ids: [12, 13], monitored: true, organization_id: 1 },
  ])
  expect(await screen.findByRole('checkbox', { name: 'Select the page' })).toBeTruthy()
})

test('a CVE that cannot be monitored is told', async () => {
  signInAs()
  fakeServer({ 'GET /api/kb/cve': () => ({ body: aPage([aCve()]) }), 'POST /api/vulns/toggle/bulk': refused })
  show(<CveListPage />, '/kb/cves')
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select CVE-2026-10012' }))
  fireEvent.click(screen.getByRole('button', { name: 'Monitor' }))
  expect(await screen.findByText('Unable to change the monitoring status')).toBeTruthy()
})

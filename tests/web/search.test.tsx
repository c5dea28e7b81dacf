import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { signInAs } from './support/account'
import { submit } from './support/forms'
import { aPage, aVulnRow } from './support/rows'
import { fakeServer } from './support/server'
import { atHome } from './support/answers'
import { visit } from './support/visit'

const anExploit = {
  id: 3,
  uuid: 'x',
  vuln_id: 12,
  cveid: 'CVE-2026-10012',
  link: 'https://github.com/acme/poc',
  notes: 'A proof of concept',
  trust_level: 'low',
  trusted: 'low',
  tlp_level: 'white',
  source: 'poc',
  scope: 'public',
  published: null,
  modified: '2026-11-20T06:30:00Z',
  is_editable: false,
  availability: 'public',
  maturity: 'poc',
  type: 'exploitation',
  purpose: 'exploit',
  relevancy_level: 4,
  products: [],
  vp: [],
}
const aThreat = { ...anExploit, id: 4, is_in_the_wild: true, is_in_the_news: false, link: 'https://cisa.gov/kev' }

function open(address: string, answers: Parameters<typeof fakeServer>[0] = {}) {
  signInAs()
  const server = fakeServer({
    ...atHome,
    'GET /api/search-target': () => ({ body: null }),
    'GET /api/vulns/': () => ({ body: aPage([aVulnRow()], { count: 31 }) }),
    'GET /api/exploits/': ({ query }) => ({ body: aPage([anExploit], { count: query.has('source') ? 2 : 5 }) }),
    'GET /api/threats/': () => ({ body: aPage([aThreat], { count: 1 }) }),
    'GET /api/kb/bulletins': () => ({ body: aPage([], { count: 0 }) }),
    ...answers,
  })
  return { server, ...visit(address) }
}
const tab = (name: RegExp) => screen.findByRole('tab', { name })

test('a search counts what it finds in five tabs, and shows each', async () => {
  const { server, address } = open('/search/overflow')
  await waitFor(async () => expect((await tab(/Vulnerabilities/)).textContent).toBe('Vulnerabilities31'))
  await waitFor(async () => expect((await tab(/Tools/)).textContent).toBe('Tools2'))
  expect((await tab(/^Exploits/)).textContent).toBe('Exploits5')
  expect((await tab(/Threat activities/)).textContent).toBe('Threat activities1')
  expect((await tab(/Advisories/)).textContent).toBe('Advisories0')
  expect((await tab(/Tools/)).textContent).toBe('Tools2')
  expect(await screen.findByText('CVE-2026-10012')).toBeTruthy()
  expect(server.to('/api/vulns/')[0]?.query.get('search')).toBe('overflow')
  expect(server.to('/api/vulns/')[0]?.query.get('limit')).toBe('10')

  fireEvent.click(await tab(/Tools/))
  expect(await screen.findByText('github.com/acme/poc')).toBeTruthy()
  expect(server.to('/api/exploits/').some(({ query }) => query.get('source') === 'metasploit,nuclei,poc')).toBe(true)
  expect(address()).toBe('/search/overflow?tab=tools')
  fireEvent.click(await tab(/Threat activities/))
  expect(await screen.findByText('In the wild')).toBeTruthy()
  fireEvent.click(await tab(/Advisories/))
  expect(await screen.findByText('No advisories found')).toBeTruthy()
  const sizes = screen.getByLabelText('Rows per page')
  expect(
    within(sizes)
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['10 rows', '25 rows', '50 rows', '100 rows'])
})

test.each([
  ['cve-2099-12345', 'CVE-2099-12345'],
  ['ghsa-9999-8888-7777', 'GHSA-9999-8888-7777'],
  ['pkg:npm/%40acme/pad@1.2.3', 'npm:@acme/pad', 'package,"npm:@acme/pad",,"1.2.3"'],
  ['cpe:2.3:a:acme:pad:2.0:*:*:*:*:*:*:*', 'acme:pad', 'product,"acme:pad",,"2.0"'],
  ['Acme:pad', 'acme:pad', 'product,"acme:pad",,""'],
  // A link that would have another line imported.
  ['pkg:npm/pad%22%0Avendor,all@1.0', 'npm:pad" vendor,all', 'package,"npm:pad""\nvendor,all",,"1.0"'],
])(
  'a name that no source has says so, and is watched for on request: %s',
  async (typed, id, line = `vuln,"${id}",,""`) => {
    const { server } = open(`/search/${encodeURIComponent(typed)}`, {
      'GET /api/vulns/': () => ({ body: aPage([], { count: 0 }) }),
      'POST /api/monitor/import': () => ({ body: { status: 'success', awaited: 1 } }),
    })
    expect(await screen.findByText(`${id} is not known yet`)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Monitor it when it appears' }))
    expect(await screen.findByText(/You will monitor it as soon as a source names it/)).toBeTruthy()
    expect(server.to('/api/monitor/import')[0]?.body).toMatchObject({
      file: expect.stringContaining(line),
    })
  },
)

test('a vendor and products that the words name exactly stand on top', async () => {
  const row = { id: 5, monitored: false, vulns_count: 1234, updated_at: '2026-11-20T06:30:00Z' }
  const { server } = open('/search/Apache Tomcat', {
    'GET /api/kb/vendors/': () => ({ body: aPage([]) }),
    'GET /api/kb/products/': () => ({
      body: aPage([
        { ...row, name: 'tomcat', vendor: 'apache', vendor_id: 2 },
        { ...row, id: 6, vulns_count: 0, name: 'tomcat', vendor: 'nobody', vendor_id: 3 },
      ]),
    }),
  })
  const card = within(await screen.findByRole('region', { name: 'Named “Apache Tomcat”' }))
  expect(card.getByRole('link', { name: 'Apache · Tomcat' }).getAttribute('href')).toBe('/product/5')
  expect(card.getByText('1,234 vulnerabilities')).toBeTruthy()
  expect(card.getAllByRole('link')).toHaveLength(1)
  expect(server.to('/api/kb/products/')[0]?.query.get('name')).toBe('apache_tomcat')
})

test('a product with its version is answered first, with a link to the page that judges each of its vulnerabilities', async () => {
  const answer = { id: 5, group: 'apache', name: 'tomcat', version: '9.0.30', vulns_count: 20, release: null }
  const { server } = open('/search/apache tomcat 9.0.30', {
    'GET /api/search-version': () => ({
      body: [
        {
          ...answer,
          type: 'product',
          counts: { affected: 12, exploited: 1, unknown: 2 },
          free: { version: '9.0.99', is_stated: true, still: 1 },
        },
        { ...answer, type: 'package', group: 'maven', name: 'org.apache.tomcat:tomcat', counts: null, free: null },
      ],
    }),
  })
  const card = within(await screen.findByRole('region', { name: 'Version “apache tomcat 9.0.30”' }))
  const links = card.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])
  expect(links).toEqual([
    ['Apache · Tomcat 9.0.30', '/product/5?product_version=9.0.30'],
    ['maven: org.apache.tomcat:tomcat 9.0.30', '/packages/5?version=9.0.30'],
  ])
  const told = '20 vulnerabilities: 12 affect it, 1 of them exploited, all but 1 fixed in 9.0.99, of 2 nobody can tell'
  expect(card.getByText(told)).toBeTruthy()
  expect(card.getByText(/^20 vulnerabilities, too many to compare here/)).toBeTruthy()
  expect(screen.getByText('Found by “apache tomcat”:')).toBeTruthy()
  expect(server.to('/api/vulns/').at(-1)?.query.get('search')).toBe('apache tomcat')
  expect(server.to('/api/search-version')[0]?.query.get('term')).toBe('apache tomcat 9.0.30')
})

test('the score limits and the advanced filters are about vulnerabilities, and stand in the address', async () => {
  const { server } = open('/search/overflow?score__gte=20&score__lte=90&q=kev')
  await tab(/Vulnerabilities/)
  await waitFor(() =>
    expect(Object.fromEntries(server.to('/api/vulns/')[0]?.query ?? [])).toMatchObject({
      score__gte: '20',
      score__lte: '90',
      q: 'kev',
    }),
  )
  expect(screen.getByText('Minimum score 20')).toBeTruthy()
  expect(screen.getByText('Maximum score 90')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'In KEV: remove this filter' }))
  await waitFor(() => expect(server.to('/api/vulns/').at(-1)?.query.get('q')).toBe(null))
})

test('an id goes straight to what it names', async () => {
  const { address } = open('/search/CVE-2026-10012', {
    'GET /api/search-target': ({ query }) => ({
      body: query.get('term') === 'CVE-2026-10012' ? { type: 'vuln', id: 12, version: null } : null,
    }),
  })
  await waitFor(() => expect(address()).toBe('/vulns/12'))
})

test('a CPE name with a version goes to that version of the product', async () => {
  const { address } = open(`/search/${encodeURIComponent('cpe:2.3:a:apache:log4j:2.14.1')}`, {
    'GET /api/search-target': () => ({ body: { type: 'product', id: 4, version: '2.14.1' } }),
  })
  await waitFor(() => expect(address()).toBe('/product/4?product_version=2.14.1'))
})

test('the field at the top leads to the search', async () => {
  const { address } = open('/search')
  expect(await screen.findByText('Search for something')).toBeTruthy()
  fireEvent.change(screen.getByLabelText('Search everything'), { target: { value: 'C++ / AND "x"' } })
  submit('Search everything')
  await waitFor(() => expect(address()).toBe(`/search/${encodeURIComponent('C++ / AND "x"')}`))
  expect(await screen.findByText('CVE-2026-10012')).toBeTruthy()
})

test.each([
  ['vulns', '/api/vulns/', 'Unable to get vulns.'],
  ['exploits', '/api/exploits/', 'Unable to get exploits.'],
  ['threats', '/api/threats/', 'Unable to get threat news.'],
])('a failure at %s is said', async (name, path, message) => {
  open(`/search/overflow?tab=${name}`, { [`GET ${path}`]: () => ({ status: 400, body: { code: 'x', message: 'no' } }) })
  expect((await screen.findAllByText(message)).length).toBeGreaterThan(0)
})

test('the search says what is called so as well, and leads to what was typed alone', async () => {
  open('/search/k8s%20dos')
  const note = await screen.findByRole('note', { name: 'What the search finds as well' })
  expect(note.textContent).toContain('k8s also finds kubernetes; dos also finds denial of service')
  const alone = within(note).getByRole('link', { name: 'Only what is typed' })
  expect(alone.getAttribute('href')).toBe(`/vulns?${new URLSearchParams({ q: '"k8s" "dos"' })}`)
})

test('the id of an advisory that nobody knows says so', async () => {
  open('/search/KB5034441', { 'GET /api/vulns/': () => ({ body: aPage([], { count: 0 }) }) })
  expect(await screen.findByText('KB5034441 is not known here')).toBeTruthy()
  cleanup()
  open('/search/MS17-010')
  expect(await screen.findByText('CVE-2026-10012')).toBeTruthy()
  expect(screen.queryByText('MS17-010 is not known here')).toBe(null)
  expect(screen.queryByRole('button', { name: 'Monitor it when it appears' })).toBe(null)
})

test('a search that finds nothing asks what was meant, and words that name a filter become one', async () => {
  const { server, address } = open('/search/fortinte%20critical', {
    'GET /api/vulns/': () => ({ body: aPage([], { count: 0 }) }),
    'GET /api/search-corrected': () => ({ body: { search: 'fortinet', q: 'severity:critical' } }),
  })
  const meant = await screen.findByRole('link', { name: 'fortinet' })
  expect(meant.parentElement?.textContent).toMatch(/finds with the filter severity:critical\.$/)
  expect(meant.getAttribute('href')).toBe('/search/fortinet?q=severity%3Acritical')
  await waitFor(() =>
    expect(Object.fromEntries(server.to('/api/vulns/').at(-1)?.query ?? [])).toMatchObject({
      search: 'fortinet',
      q: '(severity:critical)',
    }),
  )
  expect(server.to('/api/search-corrected')[0]?.query.get('search')).toBe('fortinte critical')
  fireEvent.click(screen.getByRole('button', { name: 'critical: Severity = critical' }))
  await waitFor(() => expect(address()).toBe('/search/fortinte?q=severity%3Acritical'))
})

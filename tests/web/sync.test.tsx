import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { FeedInfo } from '../../worker/feeds/contract'
import { findFreshness } from '../../web/layout/feed-state'
import { SettingsPage } from '../../web/settings/settings-page'
import { globalAdmin, signInAs } from './support/account'
import { refusal, settingsServer } from './support/account-server'
import { atHome } from './support/answers'
import { aPage } from './support/rows'
import { fakeServer } from './support/server'
import { show } from './support/screen'
import { visit } from './support/visit'

const aFeed = (given: Partial<FeedInfo> = {}): FeedInfo => ({
  id: 'nvd',
  name: 'NVD',
  state: 'idle',
  records: 1200,
  changed: 30,
  skipped: 2,
  total: null,
  started_at: '2026-11-20T10:00:00Z',
  finished_at: '2026-11-20T10:01:00Z',
  last_success: '2026-11-20T10:01:00Z',
  last_error: null,
  next_run_at: '2026-11-20T12:00:00Z',
  newest_at: '2026-11-20T09:00:00Z',
  mass_edit: null,
  reread: null,
  is_stale: false,
  is_late: false,
  years: [],
  holes: 0,
  skips: [],
  ...given,
})

type Answers = Parameters<typeof settingsServer>[0]

function showSync(feeds: FeedInfo[], answers: Answers = {}, query = '') {
  signInAs(globalAdmin)
  const server = settingsServer({ 'GET /api/data/sync/info': () => ({ body: { feeds } }), ...answers })
  return { ...server, ...show(<SettingsPage />, `/settings?tab=sync${query}`) }
}
const card = (name: string) => screen.findByRole('region', { name })

test('each feed says how it does, by a word', async () => {
  showSync([
    aFeed(),
    aFeed({ id: 'kev', name: 'CISA KEV', is_late: true }),
    aFeed({ id: 'csaf', name: 'CSAF bulletins', is_late: true, is_stale: true }),
    aFeed({ id: 'epss', name: 'EPSS', state: 'failed', last_error: 'The source answered 503' }),
    aFeed({ id: 'cwe', name: 'CWE', last_success: null, next_run_at: null }),
    aFeed({ id: 'cve', name: 'CVE list', state: 'running', records: 500, total: 2000 }),
    aFeed({ id: 'osv', name: 'OSV', state: 'running', records: 7, total: null }),
  ])
  expect(within(await card('NVD')).getByText('Up to date')).toBeTruthy()
  expect(within(await card('CISA KEV')).getByText('Late')).toBeTruthy()
  expect(within(await card('CSAF bulletins')).getByText('Nothing new')).toBeTruthy()
  expect(within(await card('EPSS')).getByText('Failed')).toBeTruthy()
  expect(within(await card('EPSS')).getByText('The source answered 503')).toBeTruthy()
  expect(within(await card('CWE')).getByText('Not run yet')).toBeTruthy()

  const running = within(await card('CVE list'))
  expect(running.getByText('Running')).toBeTruthy()
  expect(running.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25')
  expect(running.getByText('500 of 2,000 records')).toBeTruthy()
  expect(running.getByRole('button', { name: 'Run now: CVE list' })).toHaveProperty('disabled', true)
  expect(within(await card('OSV')).getByText('7 records')).toBeTruthy()
})

test('a feed is compared with its source, and missing records are named by year', async () => {
  const years = [
    { year: 2023, source_count: 1000, here_count: 1000 },
    { year: 2024, source_count: 1500, here_count: 1497 },
  ]
  const mass_edit = { at: '2026-11-20T09:00:00Z', records: 300 }
  const reread = { at: '2026-11-20T09:00:00Z', records: 12 }
  showSync(
    [aFeed({ years, holes: 3, mass_edit, reread, skips: [{ reason: 'No summary', count: 2 }] })],
    {},
    '&feed=nvd',
  )
  const words =
    "2,497 of the source's 2,500 records are here · 3 missing records queued to be fetched · 2 records could not be read"
  expect(await screen.findByText(words)).toBeTruthy()
  expect(screen.getByText(/^The source rewrote 300 records without news, .*It alerted nobody\.$/)).toBeTruthy()
  expect(
    screen.getByText(/^All were read anew, which changed 12 records, since .* Those changes alert nobody\.$/),
  ).toBeTruthy()
  fireEvent.click(await screen.findByRole('tab', { name: 'Years' }))
  const rows = within(await screen.findByRole('table', { name: 'Years' })).getAllByRole('row')
  expect(rows.slice(1).map(({ textContent }) => textContent)).toEqual([
    '20241,5001,4973 missing',
    '20231,0001,000Complete',
  ])
})

test('a feed is up to date only where no year has holes and nothing waits to be fetched', async () => {
  const year = { year: 2021, source_count: 147_601, here_count: 147_601 }
  const holed = aFeed({ id: 'cve', name: 'CVE list', years: [year, { ...year, year: 2024, here_count: 147_600 }] })
  const queued = aFeed({ id: 'osv', name: 'OSV', holes: 2 })
  // One year with more records here than the source counts does not make up for another that lacks some.
  const uneven = aFeed({
    id: 'kev',
    name: 'CISA KEV',
    years: [
      { ...year, here_count: 147_611 },
      { ...year, here_count: 147_591 },
    ],
  })
  showSync([aFeed({ years: [year] }), holed, queued, uneven])
  const states = {
    NVD: 'Up to date',
    'CVE list': '1 record missing',
    OSV: '2 records missing',
    'CISA KEV': '10 records missing',
  }
  for (const [name, state] of Object.entries(states)) expect(within(await card(name)).getByText(state)).toBeTruthy()
  expect(screen.getAllByText('Up to date')).toHaveLength(1)

  const now = new Date('2026-11-20T11:00:00Z')
  expect(findFreshness([holed, queued], now)).toMatchObject({
    tone: 'warning',
    text: expect.stringMatching(/^CVE list, OSV: records are missing, last read /),
  })
  expect(findFreshness([aFeed({ years: [year] })], now)).toMatchObject({
    tone: 'calm',
    text: expect.stringMatching(/^Feeds up to date/),
  })
})

test('the skipped records of a feed show their reason and what the source said', async () => {
  const skip = {
    id: 1,
    feed: 'nvd',
    record_id: 'CVE-2024-1',
    reason: 'No summary',
    body: '{"id":1}',
    at: '2026-11-20T10:00:00Z',
  }
  const server = showSync(
    [aFeed({ skips: [{ reason: 'No summary', count: 2 }] })],
    {
      'GET /api/data/sync/skips': () => ({ body: aPage([skip]) }),
      'GET /api/data/sync/runs': () => ({ body: { runs: [] } }),
    },
    '&feed=nvd',
  )
  expect(await screen.findByText('It has not run yet')).toBeTruthy()
  fireEvent.click(screen.getByRole('tab', { name: 'Skipped records (2)' }))
  expect(await screen.findByText('CVE-2024-1')).toBeTruthy()
  expect(screen.getByText('{"id":1}')).toBeTruthy()
  expect(screen.getByText('2 × No summary')).toBeTruthy()
  expect(server.to('/api/data/sync/skips')[0]?.query.get('feed')).toBe('nvd')
  fireEvent.keyDown(document.body, { key: 'Escape' })
  await waitFor(() => expect(server.address()).toBe('/settings?tab=sync'))
})

test('one feed or all are run at once, and the answer is told', async () => {
  const enqueued = () => ({ body: { status: 'enqueued', feeds: ['nvd'] } })
  const server = showSync([aFeed()], { 'POST /api/data/sync/run': enqueued })
  fireEvent.click(await screen.findByRole('button', { name: 'Run now: NVD' }))
  expect(await screen.findByText('Sync successfuly enqueued.')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Run all now' }))
  await waitFor(() => expect(server.to('/api/data/sync/run')).toHaveLength(2))
  expect(server.to('/api/data/sync/run').map(({ query }) => query.get('feed'))).toEqual(['nvd', null])
})

test('a sync that is refused says so', async () => {
  showSync([aFeed()], { 'POST /api/data/sync/run': () => refusal('No') })
  fireEvent.click(await screen.findByRole('button', { name: 'Run all now' }))
  expect(await screen.findByText('Unable to sync :/')).toBeTruthy()
})

test('the triggers of the specification are reachable, and one that is refused says so', async () => {
  const server = showSync([aFeed()], {
    'POST /api/kb/bulletins/async': () => ({ body: { status: 'enqueued', feeds: ['csaf'] } }),
    'POST /api/kb/cwes/async': () => refusal('No'),
  })
  fireEvent.click(await screen.findByRole('button', { name: 'More' }))
  fireEvent.click(await screen.findByText('Read bulletins now'))
  expect(await screen.findByText('Sync successfuly enqueued.')).toBeTruthy()
  expect(server.to('/api/kb/bulletins/async')).toHaveLength(1)
  fireEvent.click(screen.getByRole('button', { name: 'More' }))
  fireEvent.click(await screen.findByText('Read CWE, CAPEC and ATT&CK now'))
  expect(await screen.findByText('Unable to call action')).toBeTruthy()
})

test('CVE records are read by year', async () => {
  const server = showSync([aFeed()], {
    'POST /api/kb/cves/async/2016': () => ({ body: { status: 'enqueued', feeds: ['nvd'] } }),
    'POST /api/kb/cves/async/from/2016': () => refusal('No'),
  })
  const years = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'CVE records by year' })
  const offered = [...years.options].map(({ value }) => Number(value))
  expect([offered.at(-1), offered[0]]).toEqual([1999, new Date().getUTCFullYear()])
  fireEvent.change(years, { target: { value: '2016' } })
  fireEvent.click(screen.getByRole('button', { name: 'Read 2016' }))
  expect(await screen.findByText('Sync successfuly enqueued.')).toBeTruthy()
  expect(server.to('/api/kb/cves/async/2016')).toHaveLength(1)
  fireEvent.click(screen.getByRole('button', { name: 'Read from 2016 on' }))
  expect(await screen.findByText('Unable to call action')).toBeTruthy()
})

const now = new Date('2026-11-20T10:11:00Z')

test.each<[string, Partial<FeedInfo>[], string, string]>([
  [
    'the newest success',
    [{}, { last_success: '2026-11-10T00:00:00Z' }],
    'calm',
    'Feeds up to date, last read 10 minutes ago',
  ],
  ['a late feed', [{}, { name: 'CISA KEV', is_late: true }], 'warning', 'CISA KEV: late or failed'],
  [
    'many troubled feeds',
    ['A', 'B', 'C', 'D', 'E'].map((name) => ({ name, state: 'failed' as const })),
    'warning',
    'A, B, C and 2 more: late or failed',
  ],
  [
    'the end of a copy',
    [{}, { name: 'CISA KEV', is_stale: true, newest_at: '2025-08-25T00:00:00Z' }],
    'calm',
    'Feeds are read from a copy: CISA KEV until 2025-08-25',
  ],
  ['a first load', [{}, { state: 'running', last_success: null }], 'busy', 'Feeds are loading for the first time'],
  ['nothing yet', [{ last_success: null }], 'busy', 'Feeds are loading for the first time'],
])('the footer tells %s', (_what, feeds, tone, text) => {
  expect(findFreshness(feeds.map(aFeed), now)).toEqual({ tone, text })
})

test.each([
  ['an admin', globalAdmin, '/settings?tab=sync'],
  ['a member', {}, '/help#sources'],
])('the list of feeds leads %s on', async (_who, user, href) => {
  signInAs(user)
  fakeServer({ ...atHome, 'GET /api/data/sync/info': () => ({ body: { feeds: [aFeed({ is_late: true })] } }) })
  visit('/homepage')
  fireEvent.click(await screen.findByRole('button', { name: 'NVD: late or failed' }))
  const list = await screen.findByRole('dialog')
  expect(
    within(list)
      .getAllByRole('link')
      .map((link) => link.getAttribute('href')),
  ).toEqual([href])
  fireEvent(window, new Event('offline'))
  expect(await screen.findByText(/^Offline: nothing new arrives/)).toBeTruthy()
  fireEvent(window, new Event('online'))
  expect(await screen.findByRole('button', { name: 'NVD: late or failed' })).toBeTruthy()
})

test('the operator confirms by name what products of endoflife.date are, and takes it back', async () => {
  const product = { product_id: 7, vendor: 'microsoft', name: 'windows_server_2012', release: '2012' }
  const reader = { product_id: 8, vendor: 'acme', name: 'windows_server', release: null }
  let confirmed: object[] = []
  const entry = () => ({
    id: 'windows-server',
    label: 'Windows Server',
    link: 'https://endoflife.date/windows-server',
    confirmed,
    proposed: confirmed.length ? [reader] : [product, reader],
  })
  const nameless = { ...entry(), id: 'tls', label: 'TLS', proposed: [] }
  const { to } = showSync([aFeed({ id: 'endoflife', name: 'endoflife.date' })], {
    'GET /api/data/sync/runs': () => ({ body: { runs: [] } }),
    'GET /api/kb/support-names': () => ({ body: [entry(), nameless] }),
    'PUT /api/kb/support-names/windows-server': ({ body }) => {
      confirmed = (body as { confirmed: boolean }).confirmed ? [{ ...product, confirmed_by: 'admin' }] : []
      return { body: 'confirmed.' }
    },
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Details: endoflife.date' }))
  fireEvent.click(await screen.findByRole('tab', { name: 'Names to confirm' }))
  const name = 'microsoft:windows_server_2012 is Windows Server'
  fireEvent.click(await screen.findByRole('button', { name: `Confirm: ${name}` }))
  fireEvent.click(await screen.findByRole('button', { name: `Take back: ${name}` }))
  await screen.findByRole('button', { name: `Confirm: ${name}` })
  expect(screen.getByText('No product here has the name of 1 more.')).toBeTruthy()
  const asked = to('/api/kb/support-names/windows-server').map(({ body }) => body)
  expect(asked).toEqual([true, false].map((is) => ({ product_id: 7, release: '2012', confirmed: is })))
})

import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { startSession } from '../../web/session/session'
import { HomePage } from '../../web/home/home-page'
import { aUser, atHome, noDesk, refusedWith } from './support/answers'
import { anExploit } from './support/exploits'
import { aVulnRow } from './support/rows'
import { show } from './support/screen'
import { fakeServer } from './support/server'

test.each([
  ['GET /api/vulns/stats', 'Unable to get stats'],
  ['GET /api/vulns/latest', 'Unable to get vulnerabilities and exploits'],
])('when %s fails the home screen says so', async (route, notice) => {
  const answers = {
    'GET /api/vulns/stats': () => ({ body: noStats }),
    'GET /api/vulns/latest': () => ({
      body: { vulns: [], exploits: [], monitored_vulns: [], last_monitored: null },
    }),
    'GET /api/vulns/desk': () => ({ body: noDesk }),
    'GET /api/vulns/news': () => ({ body: noNews }),
  }
  fakeServer({ ...answers, [route]: () => ({ status: 400, body: { code: 'invalid', message: 'No' } }) })
  show(<HomePage />, '/homepage')
  expect((await screen.findAllByText(notice)).length).toBeGreaterThan(0)
})

test('a list without a change in 30 days is told by the last that did, and a group narrows what did', async () => {
  const latest = { vulns: [], exploits: [], monitored_vulns: [], last_monitored: aVulnRow({ id: 12 }) }
  const server = fakeServer({
    'GET /api/vulns/stats': () => ({ body: { ...noStats, monitored: 1 } }),
    'GET /api/vulns/latest': ({ query }) => ({
      body: query.get('group')
        ? { ...latest, last_monitored: null, monitored_vulns: [aVulnRow({ run_verdict: 'unknown' })] }
        : latest,
    }),
    'GET /api/vulns/desk': () => ({ body: noDesk }),
    'GET /api/vulns/stats/monitored': () => ({
      body: { days: [{ day: '2026-11-20', critical: 1, high: 2, medium: 0, low: 0, unscored: 0 }] },
    }),
    'GET /api/vulns/news': () => ({ body: noNews }),
    'GET /api/monitor/groups': () => ({ body: ['dmz'] }),
  })
  show(<HomePage />, '/homepage')
  expect(await screen.findByText('Nothing that you monitor changed in 30 days')).toBeTruthy()
  expect(
    await screen.findByRole('img', { name: /^Open vulnerabilities over time\. 2026-11-20: .*2 high/ }),
  ).toBeTruthy()
  expect(screen.getByRole('link', { name: /^The last that did: CVE-/ }).getAttribute('href')).toBe('/vulns/12')
  fireEvent.change(await screen.findByLabelText('Group'), { target: { value: 'dmz' } })
  await waitFor(() => expect(server.to('/api/vulns/latest').at(-1)?.query.get('group')).toBe('dmz'))
  expect(await screen.findByText('May affect you')).toBeTruthy()
})

test('home answers first what is exploited, overdue, changed and late, each with its list', async () => {
  const worst = aVulnRow({ id: 12, kev: { added: '2026-01-01', due: '2026-01-22', ransomware: true }, monitored: true })
  const feed = { state: 'failed', is_late: true, name: 'NVD', years: [], holes: 0, last_success: null }
  fakeServer({
    'GET /api/vulns/stats': () => ({ body: { ...noStats, monitored: 1 } }),
    'GET /api/vulns/latest': () => ({ body: { vulns: [], exploits: [], monitored_vulns: [], last_monitored: null } }),
    'GET /api/vulns/desk': () => ({
      body: {
        ...noDesk,
        exploited: 11,
        affecting: 4,
        overdue: 49,
        changed: 500,
        changed_is_exact: false,
        worst: [worst],
        changes: [{ ...worst, at: '2026-11-20T10:00:00Z', texts: ['Exploitable: yes'] }],
        days: ['2026-11-19', '2026-11-20'].map((day) => ({
          day,
          critical: 1,
          high: 2,
          medium: 0,
          low: 0,
          unscored: 0,
        })),
      },
    }),
    'GET /api/vulns/news': () => ({ body: noNews }),
    'GET /api/data/sync/info': () => ({ body: { feeds: [feed] } }),
  })
  show(<HomePage />, '/homepage')
  const link = (name: string) => screen.findByRole('link', { name })
  const q = async (name: string) =>
    new URL((await link(name)).getAttribute('href') ?? '', 'http://x').searchParams.get('q')
  expect(await q('11 exploited vulnerabilities affect or may affect what you run, 4 surely or likely')).toMatch(
    /NOT snoozed wild$/,
  )
  expect(await q('49 overdue')).toMatch(/ due<today$/)
  expect(await q('500+ published or changed in 24 hours')).toMatch(/ updated<=24h$/)
  expect((await link('1 feed late or failed')).getAttribute('href')).toBe('/help#sources')
  const card = (name: string) => within(screen.getByRole('region', { name }))
  expect(card('Worst open').getByLabelText('Ransomware')).toBeTruthy()
  expect(card('Changed in the last 24 hours').getByText(/Exploitable: yes/)).toBeTruthy()
  expect(screen.getByRole('img', { name: /Open findings over time/ })).toBeTruthy()
})

test('home says how much still waits to be matched or compared, and calls it not safe', async () => {
  let isUp = false
  fakeServer({
    ...atHome,
    'GET /api/vulns/stats': () => ({ body: { ...noStats, monitored: 1 } }),
    'GET /api/vulns/desk': () =>
      isUp ? { body: { ...noDesk, matching_count: 812, comparing_count: 1 } } : refusedWith(403, 'no', 'No'),
  })
  show(<HomePage />, '/homepage')
  const alert = await screen.findByText(/^The exploited, overdue and new vulnerabilities could not be loaded/)
  isUp = true
  fireEvent.click(within(alert).getByRole('button', { name: 'Retry' }))
  const href = async (name: string) => (await screen.findByRole('link', { name })).getAttribute('href')
  expect(await href('812 monitored items wait to be matched')).toBe('/monitoring')
  expect(await href('1 component waits to be compared')).toBe('/monitoring/inventories')
  expect(await href('Nothing exploited is known yet to affect what you run')).toMatch(/wild/)
  expect(screen.queryByText('Nothing that is exploited affects what you run')).toBe(null)
})

test('home calls nothing safe, and no feed read, while feeds load for the first time', async () => {
  const feed = { id: 'nvd', name: 'NVD', state: 'running', is_late: false, is_stale: false, last_success: null }
  fakeServer({
    ...atHome,
    'GET /api/vulns/stats': () => ({ body: { ...noStats, monitored: 1 } }),
    'GET /api/data/sync/info': () => ({ body: { feeds: [feed] } }),
  })
  show(<HomePage />, '/homepage')
  const loading = await screen.findByRole('link', { name: 'feeds are being read for the first time' })
  expect(loading.dataset.alarm).toBe('true')
  expect(screen.getByRole('link', { name: 'Nothing exploited is known yet to affect what you run' })).toBeTruthy()
})

test('home calls the first re-merge of what is here no first reading of feeds', async () => {
  const feed = {
    id: 'nvd',
    name: 'NVD',
    state: 'idle',
    is_late: false,
    is_stale: false,
    last_success: '2026-11-20T08:00:00Z',
  }
  const remerge = { ...feed, id: 'remerge', name: 'Re-merge of all records', state: 'running', last_success: null }
  fakeServer({
    ...atHome,
    'GET /api/vulns/stats': () => ({ body: { ...noStats, monitored: 1 } }),
    'GET /api/data/sync/info': () => ({ body: { feeds: [feed, remerge] } }),
  })
  show(<HomePage />, '/homepage')
  expect(await screen.findByRole('link', { name: 'all feeds up to date' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Nothing that is exploited affects what you run' })).toBeTruthy()
})

test('each card shows its reason, the monitored first, and a failed one can be asked again', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const product = { id: 3, vendor: 'microsoft', name: 'windows_server_2008' }
  const kev = { added: '2026-11-19', due: today, ransomware: true }
  const vuln = aVulnRow({ kev, monitored: true, epss: 0.6, products: [product], product_count: 3 })
  const exploit = { ...anExploit({ published: '2026-11-20', link: 'https://poc.test/widget' }), monitored: true }
  const news = {
    kev: [vuln],
    due: [vuln],
    rises: [{ ...vuln, rise: { from: 0.01, to: 0.6, day: today } }],
    exploits: [exploit],
    exploits_looked_at: 1_000,
  }
  let isDown = true
  fakeServer({
    ...atHome,
    'GET /api/vulns/stats': () => ({
      body: { ...noStats, monitored: 2, monitored_packages: 2, exploits: 7, threats: 3 },
    }),
    'GET /api/vulns/latest': () => ({
      body: { vulns: [], exploits: [], monitored_vulns: [], last_monitored: null },
    }),
    'GET /api/vulns/desk': () => ({ body: { ...noDesk, due: [vuln] } }),
    'GET /api/vulns/news': () => (isDown ? { status: 400, body: { code: 'invalid', message: 'No' } } : { body: news }),
  })
  show(<HomePage />, '/homepage')
  const [retry] = await screen.findAllByRole('button', { name: 'Retry' })
  isDown = false
  if (retry) fireEvent.click(retry)
  const card = (name: string) => within(screen.getByRole('region', { name }))
  await waitFor(() => expect(card('Newly in KEV').getByText('Ransomware')).toBeTruthy())
  expect(card('Newly in KEV').getByText('Windows Server 2008')).toBeTruthy()
  expect(card('Newly in KEV').getByTitle('windows_server_2008')).toBeTruthy()
  // The mark never leaves its name for a line of its own.
  expect(card('Newly in KEV').getByLabelText('Monitored').closest('a + span')).toBeTruthy()
  expect(card('Due this week or overdue').getByText('due today')).toBeTruthy()
  expect(card('EPSS risers').getByText('60.0%')).toBeTruthy()
  expect(card('Newest exploits').getByText('poc.test/widget')).toBeTruthy()
  expect(card('Newest exploits').getByText(/among the 1,000 exploits that changed last/)).toBeTruthy()
  expect(screen.getByRole('link', { name: '2 packages' }).getAttribute('href')).toBe('/monitoring?tab=packages')
  expect(screen.getByRole('link', { name: '7 exploits' }).getAttribute('href')).toBe('/exploits')
  expect(card('Metadata').getByText('10')).toBeTruthy()
  expect(card('Metadata').getAllByRole('link')).toHaveLength(2)
})

test('parts of the screen that fail alike are told once', async () => {
  const isDown = () => ({ status: 400, body: { code: 'invalid', message: 'No' } })
  const parts = ['GET /api/vulns/latest', 'GET /api/vulns/desk', 'GET /api/vulns/news']
  fakeServer({ ...atHome, ...Object.fromEntries(parts.map((part) => [part, isDown])) })
  show(<HomePage />, '/homepage')
  await waitFor(() => expect(screen.getAllByRole('button', { name: 'Retry' }).length).toBeGreaterThan(3))
  expect(screen.getAllByText('Unable to get vulnerabilities and exploits')).toHaveLength(1)
})

const noNews = { kev: [], due: [], rises: [], exploits: [], exploits_looked_at: null }
const noStats = {
  vulns: 0,
  vulns_exploitable: 0,
  vulns_remote: 0,
  exploits: 0,
  threats: 0,
  monitored: 0,
  monitored_vendors: 0,
  monitored_products: 0,
  monitored_packages: 0,
  monitored_vulns: 0,
  monitored_inventories: 0,
}

test('the first steps show what one may do, lead there, and close by hand', async () => {
  const steps = ['monitor', 'addresses', 'test', 'colleague', 'inventory'].map((name) => ({
    name,
    is_done: name === 'monitor',
  }))
  const profile = { ...aUser().profile, manage_alert_email: false, manage_organization: false }
  startSession(aUser({ is_org_admin: false, profile }), { id: 1, name: 'Acme' })
  let isClosed = false
  const { to } = fakeServer({
    ...atHome,
    'GET /api/vulns/first-steps': () => ({ body: { steps: isClosed ? [] : steps } }),
    'POST /api/vulns/first-steps/close': () => {
      isClosed = true
      return { body: { status: 'success' } }
    },
  })
  show(<HomePage />, '/homepage')
  const card = within(await screen.findByRole('region', { name: 'First steps' }))
  expect(card.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Monitor what you run',
    'Add an inventory: an SBOM or a lock fileAdd one',
  ])
  expect(card.getByText(/^1 of 2 done/)).toBeTruthy()
  expect(card.getByRole('link', { name: 'Add one' }).getAttribute('href')).toBe('/monitoring/inventories')
  fireEvent.click(card.getByRole('button', { name: 'Close the first steps' }))
  await waitFor(() => expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull())
  expect(to('/api/vulns/first-steps/close')).toHaveLength(1)
})

import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { HomePage } from '../../web/home/home-page'
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
      body: { vulns: [], exploits: [], monitored_vulns: [], older_count: 0, is_older: false },
    }),
    'GET /api/vulns/news': () => ({ body: noNews }),
  }
  fakeServer({ ...answers, [route]: () => ({ status: 400, body: { code: 'invalid', message: 'No' } }) })
  show(<HomePage />, '/homepage')
  expect((await screen.findAllByText(notice)).length).toBeGreaterThan(0)
})

test('what is older is shown as such, with what the version that runs is, and a group narrows it', async () => {
  const latest = {
    vulns: [],
    exploits: [],
    monitored_vulns: [aVulnRow({ run_verdict: 'unknown' })],
    older_count: 1,
    is_older: true,
  }
  const server = fakeServer({
    'GET /api/vulns/stats': () => ({ body: { ...noStats, monitored: 1 } }),
    'GET /api/vulns/latest': () => ({ body: latest }),
    'GET /api/vulns/news': () => ({ body: noNews }),
    'GET /api/monitor/groups': () => ({ body: ['dmz'] }),
  })
  show(<HomePage />, '/homepage')
  expect(await screen.findByText(/changed in the last 30 days: these are the newest before/)).toBeTruthy()
  expect(screen.getByText('Your version: unknown')).toBeTruthy()
  fireEvent.change(await screen.findByLabelText('Group'), { target: { value: 'dmz' } })
  await waitFor(() => expect(server.to('/api/vulns/latest').at(-1)?.query.get('group')).toBe('dmz'))
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
    'GET /api/vulns/stats': () => ({
      body: { ...noStats, monitored: 2, monitored_packages: 2, exploits: 7, threats: 3 },
    }),
    'GET /api/vulns/latest': () => ({
      body: { vulns: [], exploits: [], monitored_vulns: [], older_count: 0, is_older: false },
    }),
    'GET /api/vulns/news': () => (isDown ? { status: 400, body: { code: 'invalid', message: 'No' } } : { body: news }),
  })
  show(<HomePage />, '/homepage')
  const [retry] = await screen.findAllByRole('button', { name: 'Retry' })
  isDown = false
  if (retry) fireEvent.click(retry)
  const card = (name: string) => within(screen.getByRole('region', { name }))
  await waitFor(() => expect(card('Newly in KEV').getByText('Ransomware')).toBeTruthy())
  expect(card('Newly in KEV').getByText('Windows Server 2008')).toBeTruthy()
  expect(card('Newly in KEV').getByText('windows_server_2008')).toBeTruthy()
  expect(card('Newly in KEV').getByLabelText('Monitored')).toBeTruthy()
  expect(card('Due this week').getByText('today')).toBeTruthy()
  expect(card('EPSS risers').getByText('60.0%')).toBeTruthy()
  expect(card('Newest exploits').getByText('poc.test/widget')).toBeTruthy()
  expect(card('Newest exploits').getByText(/among the 1,000 exploits that changed last/)).toBeTruthy()
  expect(screen.getByRole('link', { name: '2 packages' }).getAttribute('href')).toBe('/monitoring?tab=packages')
  expect(screen.getByRole('link', { name: '7 exploits' }).getAttribute('href')).toBe('/exploits')
  expect(card('Metadata').getByText('10')).toBeTruthy()
  expect(card('Metadata').getAllByRole('link')).toHaveLength(2)
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
}

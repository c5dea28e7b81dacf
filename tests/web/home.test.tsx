import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { HomePage } from '../../web/home/home-page'
import { aVuln } from './support/rows'
import { show } from './support/screen'
import { fakeServer } from './support/server'

test.each([
  ['GET /api/vulns/stats', 'Unable to get stats'],
  ['GET /api/vulns/latest', 'Unable to get vulnerabilities and exploits'],
])('when %s fails the home screen says so', async (route, notice) => {
  const answers = {
    'GET /api/vulns/stats': () => ({ body: noStats }),
    'GET /api/vulns/latest': () => ({ body: { vulns: [], exploits: [], monitored_vulns: [], is_older: false } }),
  }
  fakeServer({ ...answers, [route]: () => ({ status: 400, body: { code: 'invalid', message: 'No' } }) })
  show(<HomePage />, '/homepage')
  expect((await screen.findAllByText(notice)).length).toBeGreaterThan(0)
})

test('what is older is shown as such, with what the version that runs is, and a group narrows it', async () => {
  const latest = { vulns: [], exploits: [], monitored_vulns: [aVuln({ run_verdict: 'unknown' })], is_older: true }
  const server = fakeServer({
    'GET /api/vulns/stats': () => ({ body: { ...noStats, monitored: 1 } }),
    'GET /api/vulns/latest': () => ({ body: latest }),
    'GET /api/monitor/groups': () => ({ body: ['dmz'] }),
  })
  show(<HomePage />, '/homepage')
  expect(await screen.findByText(/changed in the last 30 days: these are the newest before/)).toBeTruthy()
  expect(screen.getByText('Your version: unknown')).toBeTruthy()
  fireEvent.change(await screen.findByLabelText('Group'), { target: { value: 'dmz' } })
  await waitFor(() => expect(server.to('/api/vulns/latest').at(-1)?.query.get('group')).toBe('dmz'))
})

const noStats = {
  vulns: 0,
  vulns_exploitable: 0,
  vulns_remote: 0,
  exploits: 0,
  threats: 0,
  monitored: 0,
  monitored_vendors: 0,
  monitored_products: 0,
  monitored_vulns: 0,
}

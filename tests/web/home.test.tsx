import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { HomePage } from '../../web/home/home-page'
import { show } from './support/screen'
import { fakeServer } from './support/server'

test.each([
  ['GET /api/vulns/stats', 'Unable to get stats'],
  ['GET /api/vulns/latest', 'Unable to get vulnerabilities and exploits'],
])('when %s fails the home screen says so', async (route, notice) => {
  const answers = {
    'GET /api/vulns/stats': () => ({ body: noStats }),
    'GET /api/vulns/latest': () => ({ body: { vulns: [], exploits: [], monitored_vulns: [] } }),
  }
  fakeServer({ ...answers, [route]: () => ({ status: 400, body: { code: 'invalid', message: 'No' } }) })
  show(<HomePage />, '/homepage')
  expect((await screen.findAllByText(notice)).length).toBeGreaterThan(0)
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

import { fireEvent, screen } from '@testing-library/react'
import { expect } from 'vitest'
import { atHome } from './answers'
import { aThreat } from './exploits'
import { aPage } from './rows'
import { fakeServer } from './server'
import { visit } from './visit'
import { aVulnDetail } from './vuln-detail'

type Answers = Parameters<typeof fakeServer>[0]

export const forbiddenAnswer = () => ({ status: 403, body: { code: 'forbidden', message: 'No' } })
export const failedAnswer = () => ({ status: 400, body: { code: 'invalid', message: '' } })

export const aComment = {
  id: 4,
  body: 'Mine',
  author: { id: 1, name: 'ada' },
  created_at: '2026-11-19T08:00:00Z',
  updated_at: null,
  is_own: true,
}

const noReason = { justification: null, note: null, owner: null, expires_at: null }

/** Answers to a vulnerability's page. */
const atVuln: Answers = {
  ...atHome,
  'GET /api/vulns/12/': () => ({ body: aVulnDetail({ monitored: true, scope: 'private' }) }),
  'GET /api/vulns/12/counter': () => ({ body: { count_exploit: 0, count_threat: 1 } }),
  'GET /api/vulns/12/status/history': () => ({
    body: { status: 'undefined', updated_at: null, by: null, history: [], ...noReason },
  }),
  'GET /api/vulns/12/comments': () => ({ body: { count: 1, results: [aComment] } }),
  'GET /api/exploits/': () => ({ body: aPage([]) }),
  'GET /api/threats/': () => ({ body: aPage([aThreat()]) }),
  'GET /api/vulns/12/epss': () => ({ body: { now: null, history: [], models: [], lev: null, composite: null } }),
  'GET /api/vulns/12/edit': () => ({
    body: { id: 12, version: '2026-11-20T06:30:00Z', form: { summary: 'A flaw of ours' }, products: [] },
  }),
}

/** Opens a screen of somebody who sees vulnerability 12. */
export function openAtVuln(address: string, answers: Answers) {
  const server = fakeServer({ ...atVuln, ...answers })
  visit(address)
  return server
}
export const expectNotice = async (message: string) =>
  expect((await screen.findAllByText(message)).length).toBeGreaterThan(0)

export const pressVulnToggle = async () =>
  fireEvent.click(await screen.findByRole('button', { name: 'Monitored: monitor PH-12' }))

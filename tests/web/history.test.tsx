import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import {
  addModel,
  epssSteps,
  findEvents,
  findFirstModel,
  findSpan,
  flagEvents,
  scoreSteps,
} from '../../web/vulns/detail/history-series'
import { setTokens, startSession } from '../../web/session/session'
import type { HistoryEntry } from '../../worker/vulns/detail/contract'
import { aUser, tokens } from './support/answers'
import { openAtVuln } from './support/at-vuln'
import { aVulnDetail } from './support/vuln-detail'

const entry = (given: Partial<HistoryEntry>): HistoryEntry => ({
  date: '2026-11-10T08:00:00Z',
  reason: 'Updated',
  changes: [],
  details: [],
  scope: 'vuln',
  source: 'nvd',
  ...given,
})
const scored = entry({ details: [{ field: 'score', label: 'Score', from: 60, to: 80 }] })
const exploited = entry({
  date: '2026-11-20T08:00:00Z',
  scope: 'exploit',
  source: 'poc',
  details: [{ field: 'exploits', label: 'Exploits (poc)', from: 0, to: 2 }],
})

const newModel = entry({
  date: '2026-11-12',
  details: [{ field: 'epss_model', label: 'New model of EPSS, v6', from: null, to: null }],
})

beforeEach(() => {
  localStorage.clear()
  setTokens(tokens)
  startSession(aUser(), { id: 1, name: 'Acme' })
})

test('the history tells before, after and source, marks what is new since the last look, and draws both scores', async () => {
  const vuln = aVulnDetail({ score: 80, epss: 0.6, updated_at: '2026-11-20T08:00:00Z' })
  const server = openAtVuln('/vulns/12?tab=history', {
    'GET /api/vulns/triage/marks': () => ({ body: { results: [{ id: 12, seen_at: '2026-11-15T08:00:00Z' }] } }),
    'POST /api/vulns/triage/seen': () => ({ body: { status: 'success' } }),
    'GET /api/vulns/12/': () => ({ body: vuln }),
    'GET /api/vulns/12/history': () => ({ body: [scored, exploited, newModel] }),
    'GET /api/vulns/12/epss': () => ({
      body: { now: 0.6, history: [{ until: '2026-11-18', epss: 0.1 }], models: [], lev: null, composite: 0.6 },
    }),
  })
  expect(await screen.findByText(/1 new since you last looked on 2026-11-15/)).toBeTruthy()
  const items = screen.getAllByText(/^(Score|Exploits \(poc\)): /, { selector: 'li' })
  expect(items.map(({ textContent }) => textContent)).toEqual(['Exploits (poc): 0 → 2', 'Score: 60 → 80'])
  expect(screen.getAllByText('New')).toHaveLength(1)
  expect(screen.getByRole('tab', { name: 'History · changed since you looked' })).toBeTruthy()
  expect(screen.getByRole('img', { name: /the score is 80 of 100 and EPSS 60.0% now/ })).toBeTruthy()
  const events = within(screen.getByRole('list', { name: 'Events' })).getAllByRole('listitem')
  expect(events.map(({ textContent }) => textContent)).toEqual([
    'P 2026-11-01 Published',
    'M 2026-11-12 New model of EPSS, v6',
    'E 2026-11-20 Exploits (poc): 0 → 2',
  ])
  // After this look nothing is news the next time, on any machine; until then the marks stay.
  await waitFor(() => expect(server.to('/api/vulns/triage/seen')[0]?.body).toEqual({ ids: [12], is_seen: true }))
  expect(screen.getAllByText('New')).toHaveLength(1)
})

test('the chart of a provisional score says that it is one', async () => {
  const provisional = entry({ details: [{ field: 'score', label: 'Provisional score', from: null, to: 89 }] })
  openAtVuln('/vulns/12?tab=history', {
    'GET /api/vulns/12/': () => ({ body: aVulnDetail({ score: 89, is_score_provisional: true }) }),
    'GET /api/vulns/12/history': () => ({ body: [provisional] }),
  })
  expect(await screen.findByRole('img', { name: /the score is 89 of 100, provisional and EPSS/ })).toBeTruthy()
  expect(screen.getByText(/Score 89 of 100, provisional/)).toBeTruthy()
  expect(screen.getByText(/^Provisional score/, { selector: 'li' }).textContent).toContain('89')
})

test('a value holds from its day to the next, and before the first the one that it moved from holds', () => {
  expect(scoreSteps(80, [scored]).map(({ value }) => value)).toEqual([60, 80])
  expect(scoreSteps(80, []).map(({ value }) => value)).toEqual([80])
  const history = [
    { until: '2026-11-01', epss: 0.01 },
    { until: '2026-11-18', epss: 0.1 },
  ]
  expect(epssSteps(0.6, history).map(({ value }) => value)).toEqual([1, 10, 60])
  expect(epssSteps(null, []).map(({ value }) => value)).toEqual([null])
})

test('the chart reaches from the first move to now, a month at least, and leaves out what was years before', () => {
  const now = Date.parse('2026-11-22T00:00:00Z')
  const vuln = aVulnDetail({ published: '2026-11-20', kev: null })
  const events = findEvents(vuln, [exploited])
  expect(events.map(({ mark }) => mark)).toEqual(['P', 'E'])
  const { start, end } = findSpan([scoreSteps(80, [])], events, now)
  expect([end, start < now - 30 * 86_400_000, start > now - 33 * 86_400_000]).toEqual([now, true, true])
  expect(flagEvents(events, { start, end }).map(({ marks }) => marks)).toEqual(['PE'])
  const late = Date.parse('2026-11-21T00:00:00Z')
  const moved = [{ at: late - 86_400_000 * 40, value: 1 }]
  const old = [...events, { at: 0, date: '1970-01-01', mark: 'K', label: '' }]
  expect(findSpan([moved], old, now).start).toBeGreaterThan(Date.parse('2026-09-01'))
  expect(flagEvents(old.toReversed(), { start, end })).toHaveLength(1)
})

test('EPSS is drawn from the first day of the model of its first known value, which is marked', () => {
  const [start, end] = [Date.parse('2026-01-01'), Date.parse('2026-11-22')]
  const models = ['2025-03-17', '2026-06-15', '2026-11-18'].map((day, at) => ({ name: `v${at + 4}`, since: day }))
  const first = (history: { until: string; epss: number }[], from = start) =>
    findFirstModel(epssSteps(0.6, history), models, { start: from, end })?.name
  expect(first([])).toBe('v6')
  expect(first([{ until: '2026-11-18', epss: 0.1 }])).toBe('v5')
  expect(first([{ until: '2026-05-01', epss: 0.1 }])).toBe(undefined)
  expect(first([{ until: '2026-05-01', epss: 0.1 }], Date.parse('2025-01-01'))).toBe('v4')
  const event = { at: Date.parse('2026-01-01'), date: '2026-01-01', mark: 'P', label: 'Published' }
  const marked = addModel([event], { name: 'v5', since: '2026-06-15' })
  expect(marked.map(({ date, label }) => `${date} ${label}`)).toEqual([
    '2026-01-01 Published',
    '2026-06-15 First day of EPSS v5: older values are not comparable',
  ])
  expect(addModel(marked, { name: 'v5', since: '2026-06-15' })).toBe(marked)
})

test('a part of the page that fails says so and is asked for again', async () => {
  let isDown = true
  const orRefused = (body: unknown) => () =>
    isDown ? { status: 400, body: { code: 'invalid', message: 'No' } } : { body }
  const noReason = { justification: null, note: null, owner: null, expires_at: null }
  const sources = [{ source: 'nvd', modified: '2026-08-21T12:00:00Z' }]
  openAtVuln('/vulns/12', {
    'GET /api/vulns/12/': () => ({ body: aVulnDetail({ monitored: true, epss: 0.6, sources }) }),
    'GET /api/vulns/12/epss': orRefused({
      now: 0.6,
      history: [{ until: '2026-11-18', epss: 0.1 }],
      models: [{ name: 'v6', since: '2026-11-18' }],
    }),
    'GET /api/vulns/12/status/history': orRefused({
      status: 'in_progress',
      updated_at: null,
      by: null,
      history: [],
      ...noReason,
    }),
  })
  await screen.findByText(/Its history could not be loaded/)
  expect(screen.getByText(/ of 2026-08-21$/)).toBeTruthy()
  expect(screen.getAllByText(/The status could not be loaded/).length).toBeGreaterThan(0)
  isDown = false
  for (const retry of screen.getAllByRole('button', { name: 'Retry' })) fireEvent.click(retry)
  const line = await screen.findByRole('img', { name: /EPSS was 10.0% until 2026-11-18/ })
  expect(line.querySelectorAll('polyline')).toHaveLength(2)
  expect(screen.getByText(/New model \(v6\) since 2026-11-18: not comparable across it/)).toBeTruthy()
  expect((await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Status' })).value).toBe('in_progress')
  expect(screen.queryByText(/(Its history|The status) could not be loaded/)).toBeNull()
})

test('a decision by SSVC shows its points, and which of them nobody stated', async () => {
  const ssvc = { exploitation: 'active', automatable: null, technical_impact: 'total' } as const
  openAtVuln('/vulns/12', { 'GET /api/vulns/12/': () => ({ body: aVulnDetail({ ssvc }) }) })
  const card = (await screen.findByText('SSVC', {}, { timeout: 30_000 })).closest('section')
  expect([...(card?.querySelectorAll('dd') ?? [])].map(({ textContent }) => textContent)).toEqual([
    'Active',
    'n/a',
    'Total',
  ])
})

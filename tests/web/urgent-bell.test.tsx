import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { UrgentNews } from '../../worker/alerts/urgent/contract'
import { UrgentBell } from '../../web/layout/urgent-bell'
import { setPageTitle } from '../../web/ui/title'
import { fakeServer, type SeenRequest } from './support/server'
import { show } from './support/screen'

afterEach(() => {
  vi.restoreAllMocks()
  localStorage.clear()
})

const anItem = (id: number, is_unread = true): UrgentNews['results'][number] => ({
  id,
  rule: 'kev',
  created_at: '2026-11-20T10:00:00Z',
  is_unread,
  vuln: { id: 100 + id, cveid: `CVE-2026-${1_000 + id}`, summary: 'A flaw in the widget' },
})

/** Answers as the worker does, and with 304 while nothing changed. */
function aServer(news: UrgentNews) {
  const state = { news, etag: '"1"' }
  const known: (string | null)[] = []
  const server = fakeServer({
    'GET /api/alerts/urgent': ({ etag }: SeenRequest) => {
      known.push(etag)
      const headers = { etag: state.etag }
      return etag === state.etag ? { status: 304, headers, body: null } : { headers, body: state.news }
    },
    'POST /api/alerts/urgent/read': () => {
      Object.assign(state, {
        etag: '"read"',
        news: { unread: 0, results: state.news.results.map(({ id }) => anItem(id, false)) },
      })
      return { body: { status: 'success' } }
    },
  })
  return { ...server, state, known }
}

test('the bell counts, lists and marks as read; the title tells quietly', async () => {
  setPageTitle('Home')
  const server = aServer({ unread: 2, results: [anItem(2), anItem(1)] })
  show(<UrgentBell />)
  fireEvent.click(await screen.findByRole('button', { name: 'Urgent alerts: 2 unread' }))
  expect(document.title).toBe('(2) Home · Earshot')
  const list = within(await screen.findByRole('dialog'))
  expect(list.getByRole('link', { name: 'CVE-2026-1002' }).getAttribute('href')).toBe('/vulns/102')
  expect(list.getAllByText('unread')).toHaveLength(2)

  fireEvent.click(list.getByRole('button', { name: 'Mark all as read' }))
  await screen.findByRole('button', { name: 'Urgent alerts' })
  expect(server.to('/api/alerts/urgent/read')[0]?.body).toEqual({ id: 2 })
  expect(document.title).toBe('Home · Earshot')
  expect(list.queryByText('unread')).toBeNull()
})

test('more than 99 are not counted', async () => {
  aServer({ unread: 100, results: [anItem(1)] })
  show(<UrgentBell />)
  await screen.findByRole('button', { name: 'Urgent alerts: 99+ unread' })
})

test('the browser tells once of news that becomes urgent while nobody looks, where that is wanted', async () => {
  const told: string[] = []
  class Notice extends EventTarget {
    static permission = 'granted'
    constructor(title: string) {
      super()
      told.push(title)
    }
  }
  vi.stubGlobal('Notification', Notice)
  localStorage.setItem('EarshotNotices', 'on')
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const { state, known } = aServer({ unread: 1, results: [anItem(1)] })
  show(<UrgentBell />)
  await screen.findByRole('button', { name: 'Urgent alerts: 1 unread' })
  expect(told).toEqual([])

  // Hidden tabs are most of those that are open: they ask every 30 s.
  await vi.advanceTimersByTimeAsync(29_000)
  expect(known).toEqual([null])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(known).toEqual([null, '"1"'])
  Object.assign(state, { etag: '"2"', news: { unread: 2, results: [anItem(2), anItem(1)] } })
  await vi.advanceTimersByTimeAsync(30_000)
  await screen.findByRole('button', { name: 'Urgent alerts: 2 unread' })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toEqual(['CVE-2026-1002: Known to be exploited (CISA KEV, EU KEV …)'])
})

test('without an answer it says so, and asks again', async () => {
  let isDown = true
  fakeServer({
    'GET /api/alerts/urgent': () =>
      isDown ? { status: 503, body: { message: 'down' } } : { body: { unread: 0, results: [] } },
  })
  show(<UrgentBell />)
  fireEvent.click(await screen.findByRole('button', { name: 'Urgent alerts' }))
  const retry = await screen.findByRole('button', { name: 'Retry' }, { timeout: 5_000 })
  isDown = false
  fireEvent.click(retry)
  await waitFor(() => expect(screen.getByText('Nothing urgent.')).toBeTruthy())
})

test('a call that found too many others beside it is made again by itself', async () => {
  const answers = [
    { status: 429, headers: { 'retry-after': '2' }, body: { code: 'throttled', message: 'Wait' } },
    { body: { unread: 0, results: [] } },
  ]
  fakeServer({ 'GET /api/alerts/urgent': () => answers.shift() ?? { status: 500, body: {} } })
  show(<UrgentBell />)
  fireEvent.click(await screen.findByRole('button', { name: 'Urgent alerts' }))
  expect(await screen.findByText('Nothing urgent.', undefined, { timeout: 5_000 })).toBeTruthy()
})

import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { Keyboard } from '../../web/layout/keyboard'
import { inboxAddress } from '../../web/vulns/inbox-address'
import { VulnListPage } from '../../web/vulns/list/vuln-list-page'
import { signInAs } from './support/account'
import { show } from './support/screen'
import { aPage, aVulnRow } from './support/rows'
import { fakeServer } from './support/server'

test('a list that was not read to its end goes on until a page is full, says where it stopped, and leads back', async () => {
  let rare = 1
  const server = fakeServer({
    'GET /api/vulns/': ({ query }) => {
      const looked_at = Number(query.get('after') ?? 0) + 7_500
      const rows = Array.from({ length: rare }, (_, at) => aVulnRow({ id: looked_at + at }))
      const next = `/api/vulns/?q=confirmed&page=1&after=${looked_at}`
      return { body: { ...aPage(rows), count: rare, count_is_exact: false, looked_at, next } }
    },
    'GET /api/vulns/count': () => ({ body: { count: 1, count_is_exact: false, next: null } }),
    'GET /api/views/': () => ({ body: [] }),
  })
  const { address } = show(<VulnListPage />, '/vulns?q=confirmed')
  expect(await screen.findByText('Searched the first 37,500 of the list; there may be more.')).toBeTruthy()
  expect(document.querySelectorAll('tr[data-id]')).toHaveLength(5)
  rare = 6
  fireEvent.click(screen.getByRole('button', { name: 'Continue' }))
  await waitFor(() => expect(address()).toBe('/vulns?q=confirmed&after=37500'))
  await waitFor(() => expect(document.querySelectorAll('tr[data-id]')).toHaveLength(12))
  expect(server.to('/api/vulns/')).toHaveLength(7)
  fireEvent.click(screen.getByRole('button', { name: 'Back to the start of the list' }))
  await waitFor(() => expect(address()).toBe('/vulns?q=confirmed'))
})

test('a list goes on by itself while nothing is found, and stops where it has looked far', async () => {
  const server = fakeServer({
    'GET /api/vulns/': ({ query }) => {
      const looked_at = Number(query.get('after') ?? 0) + 40_000
      const next = `/api/vulns/?q=confirmed&page=1&after=${looked_at}`
      return { body: { ...aPage([]), count: 0, count_is_exact: false, looked_at, next } }
    },
    'GET /api/vulns/count': () => ({ body: { count: 0, count_is_exact: false, next: null } }),
    'GET /api/views/': () => ({ body: [] }),
  })
  const { address } = show(<VulnListPage />, '/vulns?q=confirmed')
  expect(await screen.findByText('None among the first 120,000')).toBeTruthy()
  expect(server.to('/api/vulns/').map(({ query }) => query.get('after'))).toEqual([null, '40000', '80000'])
  expect(address()).toBe('/vulns?q=confirmed&after=80000')
  expect(screen.queryByText('No vulnerability matches')).toBe(null)
  fireEvent.click(screen.getByRole('button', { name: 'Continue' }))
  await waitFor(() => expect(address()).toBe('/vulns?q=confirmed&after=120000'))
})

test('a list of what is monitored says that nothing is, and never that everything is done', async () => {
  fakeServer({
    'GET /api/vulns/': () => ({ body: aPage([]) }),
    'GET /api/vulns/stats': () => ({ body: { monitored: 0 } }),
    'GET /api/views/': () => ({ body: [] }),
  })
  show(<VulnListPage />, inboxAddress)
  expect(await screen.findByText('You monitor nothing yet')).toBeTruthy()
  expect(screen.queryByText('Everything is done')).toBe(null)
})

test('a row whose change could not be sent comes back as it was, and does not say that it is fixed', async () => {
  signInAs()
  // The pane stands beside the list from 1200 px on.
  vi.stubGlobal('matchMedia', (query: string) => Object.assign(new EventTarget(), { matches: query.includes('75em') }))
  let isOnline = true
  const whileOnline = (body: unknown) => (isOnline ? { body } : Promise.reject(new TypeError('Failed to fetch')))
  const rows = [12, 13].map((id) => aVulnRow({ id, cveid: `CVE-2026-100${id}`, monitored: true }))
  const mark = { status: 'in_progress', assignee: null, is_snoozed: false, is_unread: false, seen_at: null }
  fakeServer({
    'GET /api/vulns/': () => whileOnline(aPage(rows)),
    'GET /api/vulns/triage/marks': () => whileOnline({ results: rows.map(({ id }) => ({ ...mark, id })) }),
    'GET /api/views/': () => whileOnline([]),
    'POST /api/decisions': () => whileOnline({}),
  })
  show(
    <>
      <VulnListPage />
      <Keyboard />
    </>,
    '/vulns?inbox=on',
  )
  const line = () => document.querySelector<HTMLElement>('tr[data-id="12"]')
  await waitFor(() => expect(line()?.textContent).toContain('In Progress'))
  isOnline = false
  for (const key of ['j', 'e']) fireEvent.keyDown(document.activeElement ?? document.body, { key, code: key })
  await screen.findByText('Unable to change CVE-2026-10012')
  await waitFor(() => expect(line()?.textContent).toContain('In Progress'))
})

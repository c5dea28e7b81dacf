import { act, cleanup, fireEvent, renderHook, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Keyboard } from '../../web/layout/keyboard'
import { resetSession } from '../../web/session/session'
import { keyDialog } from '../../web/ui/keys'
import { inboxAddress } from '../../web/vulns/inbox-address'
import { useOpenRow } from '../../web/vulns/list/use-inbox-place'
import { VulnListPage } from '../../web/vulns/list/vuln-list-page'
import type { VulnMarks } from '../../worker/triage/inbox-contract'
import { signInAs } from './support/account'
import { aPage, aVulnRow } from './support/rows'
import { show } from './support/screen'
import { fakeServer } from './support/server'
import { aVulnDetail } from './support/vuln-detail'

const rows = [12, 13, 14].map((id) => aVulnRow({ id, cveid: `CVE-2026-100${id}`, monitored: true }))
const aMark = (given: Partial<VulnMarks>): VulnMarks => ({
  id: 12,
  status: 'undefined',
  assignee: null,
  is_snoozed: false,
  is_unread: true,
  seen_at: null,
  ...given,
})
type Made = { scope: string; ids: number[]; decision: object }

const decisionsIn = (body: unknown) => Object(body).decisions as Made[]
const status = (id: number, value: string) => ({ scope: 'vulnerability', ids: [id], decision: { status: value } })

function openInbox(
  address = '/vulns?inbox=on',
  marks = rows.map(({ id }) => aMark({ id })),
  refuses = (_made: Made) => false,
  others: Parameters<typeof fakeServer>[0] = {},
) {
  const details = rows.map((row) => [
    `GET /api/vulns/${row.id}/`,
    () => ({ body: aVulnDetail({ id: row.id, cveid: row.cveid, known_as: row.known_as, monitored: true }) }),
  ])
  const server = fakeServer({
    ...Object.fromEntries(details),
    'GET /api/vulns/': () => ({ body: aPage(rows) }),
    'GET /api/vulns/triage/marks': ({ query }) => ({
      body: { results: marks.filter(({ id }) => query.get('ids')?.split(',').includes(String(id))) },
    }),
    'GET /api/vulns/triage/assignees': () => ({
      body: {
        results: [
          { id: 1, name: 'analyst' },
          { id: 9, name: 'carla' },
        ],
      },
    }),
    'GET /api/views/': () => ({ body: [] }),
    'GET /api/vulns/stats': () => ({ body: { monitored: 2 } }),
    'POST /api/vulns/triage/seen': () => ({ body: { status: 'success' } }),
    'POST /api/decisions': ({ body }) => ({
      body: {
        results: decisionsIn(body).map((made) =>
          refuses(made)
            ? { set: [], skipped: made.ids, refusal: 'Only a monitored vulnerability has a status', undo: null }
            : { set: made.ids, skipped: [], refusal: null, undo: `of ${made.ids.join()}` },
        ),
      },
    }),
    'POST /api/decisions/undo': ({ body }) => ({
      body: { status: 'success', undone: 1, skipped: 0, undo: `back ${Object(body).ids.join()}` },
    }),
    ...others,
  })
  const shown = show(
    <>
      <VulnListPage />
      <Keyboard />
    </>,
    address,
  )
  const made = () => server.to('/api/decisions').flatMap(({ body }) => decisionsIn(body))
  const undone = () => server.to('/api/decisions/undo').map(({ body }) => body)
  return { server, made, undone, ...shown }
}

const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key, code: key })
const line = (id: number) => document.querySelector(`tr[data-id="${id}"]`)
/** As long as a second write may wait. */
const slow = { timeout: 5_000 }
const ready = () => waitFor(() => expect(screen.getAllByLabelText('Unread').length).toBeGreaterThan(0))

beforeEach(() => {
  // The pane stands beside the list from 1200 px on.
  vi.stubGlobal('matchMedia', (query: string) => Object.assign(new EventTarget(), { matches: query.includes('75em') }))
  signInAs()
})
afterEach(() => {
  resetSession()
  keyDialog.value = null
})

test('done goes on to the next row, and undo takes back what the answer names', async () => {
  const { made, undone } = openInbox()
  await ready()
  press('j')
  press('j')
  expect(document.activeElement).toBe(line(13))
  const pane = await screen.findByRole('complementary', { name: 'Preview' })
  expect(await within(pane).findByRole('region', { name: 'Decision' })).toBeTruthy()
  press('e')
  expect(document.activeElement).toBe(line(14))
  await waitFor(() => expect(made()).toEqual([status(13, 'fixed')]))
  await screen.findByText('Fixed: CVE-2026-10013')
  press('u')
  await screen.findByText('Undone.')
  expect(undone()).toEqual([{ changes: ['of 13'], ids: [13] }])
  await waitFor(() => expect(document.activeElement).toBe(line(13)))
})

test('undo takes back what is not yet answered, as soon as it is', async () => {
  const { made, undone } = openInbox()
  await ready()
  for (const key of ['j', 'e', 'u']) press(key)
  await screen.findByText('Undone.')
  expect([made(), undone()]).toEqual([[status(12, 'fixed')], [{ changes: ['of 12'], ids: [12] }]])
  await waitFor(() => expect(document.activeElement).toBe(line(12)))
})

test('an undo that is answered late changes neither the row that a question is about nor the focus', async () => {
  let answer = () => {}
  const { server, made, undone } = openInbox(undefined, undefined, undefined, {
    'POST /api/decisions/undo': async () => {
      await new Promise<void>((done) => (answer = done))
      return { body: { status: 'success', undone: 1, skipped: 0, undo: null } }
    },
  })
  await ready()
  for (const key of ['j', 'e', 'u', 'a']) press(key)
  const field = await screen.findByRole('combobox', { name: 'Assign' })
  await screen.findByRole('option', { name: 'carla' })
  await waitFor(() => expect(undone()).toHaveLength(1))
  const before = server.to('/api/vulns/').length
  answer()
  await waitFor(() => expect(server.to('/api/vulns/').length).toBeGreaterThan(before))
  expect(document.activeElement).toBe(field)
  fireEvent.change(field, { target: { value: 'carla' } })
  fireEvent.keyDown(field, { key: 'Enter', code: 'Enter' })
  await waitFor(() => expect(made().at(-1)).toEqual({ scope: 'assignee', ids: [13], decision: { user_id: 9 } }))
})

test('keys that come faster than answers go with the next write, and are taken back from the last one on', async () => {
  const { made, undone } = openInbox()
  await ready()
  for (const key of ['j', 'e', 'n', 'i', 'u']) press(key)
  await screen.findByText('Undone.')
  await waitFor(() => expect(made()).toEqual([status(12, 'fixed'), status(13, 'not_interesting')]), slow)
  press('u')
  await waitFor(() => expect(undone().map((body) => Object(body).ids)).toEqual([[13]]))
  await waitFor(() => expect(document.activeElement).toBe(line(13)))
  for (const key of ['u', 'u']) press(key)
  await screen.findByText('Nothing to undo.')
  await waitFor(() => expect(undone()).toHaveLength(2))
  expect(Object(undone()[1])).toMatchObject({ ids: [12], changes: expect.arrayContaining(['of 12', 'back 13']) })
})

test('a change that fails is told, and an undo that waited for it takes back nothing else', async () => {
  const { made, undone } = openInbox(undefined, undefined, ({ ids }) => ids.includes(12))
  await ready()
  for (const key of ['j', 'e', 'u', 'n']) press(key)
  await screen.findByText('Unable to change CVE-2026-10012')
  await screen.findByText('The change had failed: there is nothing to undo.')
  await screen.findByText('Not Interesting: CVE-2026-10013', undefined, slow)
  press('u')
  await screen.findByText('Undone.')
  expect(made()).toEqual([status(12, 'fixed'), status(13, 'not_interesting')])
  expect(undone()).toEqual([{ changes: ['of 13'], ids: [13] }])
})

test('a burst is one write more and one notice, waits in silence when told to, and is taken back as one', async () => {
  let refusals = 1
  const { server, made, undone } = openInbox(inboxAddress, undefined, undefined, {
    'POST /api/decisions': ({ body }) =>
      refusals-- > 0
        ? { status: 429, body: { code: 'throttled', message: 'Too many requests' } }
        : {
            body: {
              results: decisionsIn(body).map(({ ids }) => ({
                set: ids,
                skipped: [],
                refusal: null,
                undo: `of ${ids.join()}`,
              })),
            },
          },
  })
  await ready()
  const before = server.to('/api/vulns/').length
  for (const key of ['j', 'e', 'e', 'e']) press(key)
  await screen.findByText('Everything is done')
  const notice = await screen.findByText('Fixed: 3 vulnerabilities', undefined, slow)
  expect(made()).toEqual([status(12, 'fixed'), status(12, 'fixed'), { ...status(13, 'fixed'), ids: [13, 14] }])
  expect(screen.queryByText(/Too many requests|^Unable/)).toBeNull()
  expect(server.to('/api/vulns/').length).toBeLessThanOrEqual(before + 1)
  fireEvent.click(within(notice.parentElement ?? notice).getByRole('button', { name: 'Undo' }))
  await screen.findByText('Undone.')
  expect(undone()).toEqual([{ changes: ['of 12', 'of 13,14'], ids: [12, 13, 14] }])
})

test('several are assigned at once, and taken back at once', async () => {
  const { made, undone } = openInbox()
  await ready()
  for (const key of ['j', 'x', 'j', 'x', 'a']) press(key)
  fireEvent.click(await screen.findByRole('option', { name: /analyst/ }))
  await screen.findByText('Assigned: 2 vulnerabilities')
  press('u')
  await screen.findByText('Undone.')
  expect(made()).toEqual([{ scope: 'assignee', ids: [12, 13], decision: { user_id: 1 } }])
  expect(undone()).toEqual([{ changes: ['of 12,13'], ids: [12, 13] }])
})

test('an address leads to a row; it is snoozed, woken, read after a look and unread again', async () => {
  const { server, made, undone, address } = openInbox('/vulns?inbox=12')
  await ready()
  await waitFor(() => expect(document.activeElement).toBe(line(12)))
  await waitFor(() => expect(server.to('/api/vulns/triage/seen')[0]?.body).toEqual({ ids: [12], is_seen: true }))
  await waitFor(() => expect(screen.getAllByLabelText('Unread')).toHaveLength(2))
  press('U')
  await waitFor(() => expect(screen.getAllByLabelText('Unread')).toHaveLength(3))
  press('s')
  fireEvent.click(await screen.findByRole('option', { name: 'Until a fix is published' }))
  await screen.findByText(/Snoozed: CVE-2026-10012/)
  expect(made()).toEqual([{ scope: 'alerts', ids: [12], decision: { on_fix: true } }])
  await waitFor(() => expect(address()).toBe('/vulns?inbox=13'))
  press('u')
  await waitFor(() => expect(undone()).toEqual([{ changes: ['of 12'], ids: [12] }]))
  press('s')
  fireEvent.click(await screen.findByRole('option', { name: /^For 90 days/ }))
  await waitFor(() => expect(made()).toHaveLength(2))
  expect(made()[1]).toMatchObject({ decision: { until: expect.any(String), on_kev: true, on_exploit: true } })
})

test('the button opens what is open and leaves to all', async () => {
  const { address } = openInbox('/vulns')
  fireEvent.click(await screen.findByRole('button', { name: 'Inbox' }))
  await waitFor(() => expect(address()).toContain('inbox=on'))
  const params = new URLSearchParams(address().split('?')[1])
  expect(params.get('monitored')).toBe('true')
  expect(params.get('q')).toContain('NOT snoozed')
  fireEvent.click(screen.getByRole('button', { name: 'Inbox' }))
  await waitFor(() => expect(address()).toBe('/vulns'))
})

test('an inbox in which nothing is open says that everything is done, and a narrower one only that nothing matches', async () => {
  const nothing = { 'GET /api/vulns/': () => ({ body: aPage([]) }) }
  openInbox(inboxAddress, [], undefined, nothing)
  await screen.findByText('Everything is done')
  expect(screen.getByRole('link', { name: 'What you monitor' }).getAttribute('href')).toBe('/monitoring')
  cleanup()
  openInbox(`${inboxAddress}&kev=true`, [], undefined, nothing)
  await screen.findByText('No vulnerability matches')
})

test('the inbox begins with the worst for the organization, and another order can be chosen', async () => {
  const worst = aVulnRow({ id: 12, monitored: true, kev: { added: '2026-01-01', due: '2026-01-22', ransomware: true } })
  const { server, address } = openInbox('/vulns?inbox=on', [], undefined, {
    'GET /api/vulns/': () => ({ body: aPage([worst]) }),
  })
  const sorts = () => server.to('/api/vulns/').map(({ query }) => query.get('sorted_by'))
  const header = await screen.findByRole('columnheader', { name: 'Risk' })
  expect(header.getAttribute('aria-sort')).toBe('other')
  expect(await screen.findByLabelText('Ransomware')).toBeTruthy()
  expect(screen.getByText(/^overdue \d+ d$/)).toBeTruthy()
  expect(sorts()).toEqual(['risk'])

  fireEvent.click(screen.getByRole('button', { name: 'Score' }))
  await waitFor(() => expect(sorts().at(-1)).toBe('-score'))
  fireEvent.click(screen.getByRole('button', { name: 'Risk' }))
  await waitFor(() => expect(address()).toBe('/vulns?inbox=on'))
})

test('an address that comes late takes nobody back to a row that the keys have left', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const told: (number | undefined)[] = []
  const place = (openId: number | undefined) => ({ openId, open: (id: number | undefined) => void told.push(id) })
  const initialProps: { at?: number } = {}
  const { result, rerender } = renderHook(({ at }) => useOpenRow(place(at), true), { initialProps })
  const go = (id: number) =>
    act(async () => {
      result.current[1](id)
      await vi.advanceTimersByTimeAsync(300)
    })
  await go(12)
  await go(13)
  expect(told).toEqual([12, 13])
  rerender({ at: 12 })
  expect(result.current[0]).toBe(13)
  rerender({ at: 13 })
  expect(result.current[0]).toBe(13)
  // Back.
  rerender({ at: 12 })
  expect(result.current[0]).toBe(12)
})

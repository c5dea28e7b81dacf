import { notificationsStore } from '@mantine/notifications'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { globalAdmin, signInAs } from './support/account'
import { atHome } from './support/answers'
import { aThreat } from './support/exploits'
import { fill, press } from './support/forms'
import { aPage, aProduct, aVuln } from './support/rows'
import { fakeServer } from './support/server'
import { visit } from './support/visit'
import { aVulnDetail } from './support/vuln-detail'

type Answers = Parameters<typeof fakeServer>[0]

const refused = () => ({ status: 403, body: { code: 'forbidden', message: 'No' } })
const failed = () => ({ status: 400, body: { code: 'invalid', message: '' } })

const aComment = {
  id: 4,
  body: 'Mine',
  author: { id: 1, name: 'ada' },
  created_at: '2026-11-19T08:00:00Z',
  updated_at: null,
  is_own: true,
}

/** What a vulnerability's page asks for. */
const atVuln: Answers = {
  ...atHome,
  'GET /api/vulns/12/': () => ({ body: aVulnDetail({ monitored: true, scope: 'private' }) }),
  'GET /api/vulns/12/counter': () => ({ body: { count_exploit: 0, count_threat: 1 } }),
  'GET /api/vulns/12/status': () => ({ body: { status: 'undefined', updated_at: null, by: null, history: [] } }),
  'GET /api/vulns/12/comments': () => ({ body: { count: 1, results: [aComment] } }),
  'GET /api/vulns/12/exploits': () => ({ body: aPage([]) }),
  'GET /api/vulns/12/threats': () => ({ body: aPage([aThreat()]) }),
  'GET /api/vulns/12/epss': () => ({ body: { now: null, history: [] } }),
  'GET /api/vulns/12/edit': () => ({
    body: { id: 12, modified: '2026-11-20T06:30:00Z', form: { summary: 'A flaw of ours' }, products: [] },
  }),
}

beforeEach(() => {
  signInAs(globalAdmin)
  // happy-dom knows no fonts, and a text area that grows waits for them.
  Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true })
})

function open(address: string, answers: Answers) {
  const server = fakeServer({ ...atVuln, ...answers })
  visit(address)
  return server
}
const told = async (message: string) => expect((await screen.findAllByText(message)).length).toBeGreaterThan(0)

async function choose(item: string) {
  fireEvent.click(await screen.findByRole('button', { name: 'More for PH-12' }))
  fireEvent.click(await screen.findByRole('menuitem', { name: item }))
}
const toggle = async () => fireEvent.click(await screen.findByRole('button', { name: 'Monitored: monitor PH-12' }))
async function setStatus() {
  const select = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Status' })
  await waitFor(() => expect(select.disabled).toBe(false))
  fireEvent.change(select, { target: { value: 'fixed' } })
}
async function send() {
  await choose('Send by mail')
  fireEvent.change(await screen.findByLabelText('E-mail addresses'), { target: { value: 'a@example.org' } })
  press('Send')
}
async function comment() {
  fireEvent.change(await screen.findByLabelText('Your comment'), { target: { value: 'Ours' } })
  press('Comment')
}
async function changeComment() {
  fireEvent.click(await screen.findByRole('button', { name: 'Edit' }))
  fill('Edit your comment', 'Mine, changed')
  press('Save')
}
async function deleteRow() {
  fireEvent.click(await screen.findByRole('button', { name: /^Delete/ }))
  fireEvent.click((await screen.findAllByRole('button', { name: 'Delete' })).at(-1) ?? document.body)
}
async function edit() {
  await choose('Edit')
  await screen.findByDisplayValue('A flaw of ours')
  press('Save')
}

const page = '/vulns/12'
const comments = '/vulns/12?tab=comments'
const threats = '/vulns/12?tab=threats'

type Case = [
  message: { success: string; failure: string },
  address: string,
  act: () => Promise<unknown>,
  call: string,
  reply: unknown,
]
const acts: Case[] = [
  [
    {
      success: 'Vulnerability monitoring successfuly updated.',
      failure: 'Unable to change the vulnerability monitoring status',
    },
    page,
    toggle,
    'POST /api/vulns/toggle/bulk',
    'toggled.',
  ],
  [
    { success: 'Status successfuly modified.', failure: 'Unable to modify the status.' },
    page,
    setStatus,
    'POST /api/vulns/12/status/edit',
    { status: 'fixed' },
  ],
  [
    { success: 'Vulnerability details successfuly sent by mail.', failure: 'Unable to send vulnerability details.' },
    page,
    send,
    'POST /api/vulns/12/export/email',
    { status: 'success', sent_to: ['a@example.org'] },
  ],
  [
    { success: 'Vulnerability details available.', failure: 'Unable to download vulnerability details.' },
    page,
    () => choose('Download as JSON'),
    'GET /api/vulns/12/export/json',
    { vulnerability: {} },
  ],
  [
    { success: 'Vulnerability successfuly saved.', failure: 'Unable to update the vulnerability.' },
    page,
    edit,
    'POST /api/vulns/edit',
    { status: 'success', id: 12 },
  ],
  [
    { success: 'Comment successfuly modified.', failure: 'Unable to modify the comment.' },
    comments,
    comment,
    'POST /api/vulns/12/comments',
    aComment,
  ],
  [
    { success: 'Comment successfuly modified.', failure: 'Unable to modify the comment.' },
    comments,
    changeComment,
    'PUT /api/vulns/12/comments/4',
    aComment,
  ],
  [
    { success: 'Comment successfuly modified.', failure: 'Unable to modify the comment.' },
    comments,
    deleteRow,
    'DELETE /api/vulns/12/comments/4',
    { status: 'success' },
  ],
  [
    { success: 'Threat activity successfuly deleted.', failure: 'Unable to delete the threat activity' },
    threats,
    deleteRow,
    'DELETE /api/vulns/12/threats/5/del',
    { status: 'success' },
  ],
]

test.each(acts)('$success', async ({ success, failure }, address, act, call, reply) => {
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  const server = open(address, { [call]: () => ({ body: reply }) })
  await act()
  await told(success)
  expect(server.asked.some(({ method, path }) => `${method} ${path}` === call)).toBe(true)
  expect(screen.queryByText(failure)).toBeNull()
})

test.each(acts.map(([message, ...rest]) => [message.failure, ...rest] as const))(
  '%s (%s)',
  async (failure, address, act, call) => {
    open(address, { [call]: refused })
    await act()
    await told(failure)
    expect(screen.queryByText(/successfuly/)).toBeNull()
  },
)

test.each([
  ['Unable to get vuln details', page, 'GET /api/vulns/12/'],
  ['Unable to get counter', page, 'GET /api/vulns/12/counter'],
  ['unable to get comment', comments, 'GET /api/vulns/12/comments'],
])('%s', async (message, address, call) => {
  open(address, { [call]: refused })
  await told(message)
})

test('Unable to change the metrics - Insufficient privileges', async () => {
  open(page, {})
  const switches = ['Exploitable', 'Confirmed', 'Relayed in the News', 'Exploited in the Wild']
  for (const [at, name] of switches.entries()) {
    fireEvent.click(await screen.findByRole('switch', { name }))
    await waitFor(() =>
      expect(screen.getAllByText('Unable to change the metrics - Insufficient privileges')).toHaveLength(at + 1),
    )
    expect(screen.getByRole<HTMLInputElement>('switch', { name }).checked).toBe(false)
  }
  expect(screen.getAllByText('Error')).toHaveLength(switches.length)
})

test.each([
  ['Unable to save the vulnerability: No', refused],
  ['Unable to save the vulnerability', failed],
  ['Vulnerability successfuly saved.', () => ({ status: 201, body: { status: 'success', id: 12 } })],
])('%s', async (message, answer) => {
  open('/vulns', {
    'GET /api/vulns/': () => ({ body: aPage([aVuln()]) }),
    'GET /api/views/': () => ({ body: [] }),
    'POST /api/vulns/add': answer,
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Add' }))
  fireEvent.change(await screen.findByLabelText(/^Summary/), { target: { value: 'A flaw' } })
  press('Save')
  await told(message)
})

const dates = { updated_at: '2026-11-18T06:30:00Z', monitored: false }
const pressFirst = async (name: RegExp) =>
  fireEvent.click((await screen.findAllByRole('button', { name }))[0] ?? document.body)
async function monitorSelected() {
  fireEvent.click(await screen.findByRole('checkbox', { name: /^Select CVE/ }))
  press('Monitor')
}
const status = 'Unable to change the monitoring status'

// S2, section 8.
test.each<[string, ms: number, address: string, Answers, act: () => Promise<unknown>, message: string]>([
  [
    'vendor',
    2_000,
    '/vendors',
    {
      'GET /api/kb/vendors/': () => ({
        body: aPage([{ id: 3, name: 'f5', products_count: 2, vulns_count: 42, ...dates }]),
      }),
      'POST /api/monitor/vendor/toggle': refused,
    },
    () => pressFirst(/^No: monitor/),
    status,
  ],
  [
    'product',
    2_000,
    '/products',
    { 'GET /api/kb/products/': () => ({ body: aPage([aProduct()]) }), 'POST /api/monitor/product/toggle': refused },
    () => pressFirst(/^No: monitor/),
    status,
  ],
  [
    'package',
    2_000,
    '/packages',
    {
      'GET /api/kb/packages/': () => ({
        body: aPage([{ id: 9, type: 'npm', name: 'widget', purl: 'pkg:npm/widget', vulns_cnt: 1, ...dates }]),
      }),
      'POST /api/monitor/package/toggle': refused,
    },
    () => pressFirst(/^No: monitor/),
    status,
  ],
  [
    'bulletin',
    3_000,
    '/kb/bulletins',
    {
      'GET /api/kb/bulletins': () => ({
        body: aPage([
          {
            id: 5,
            publicid: 'ICSA-26-001-01',
            vendor: 'Acme',
            title: 'Acme Widget',
            severity: null,
            impact: null,
            published: '2026-11-10T06:00:00Z',
            monitored: false,
          },
        ]),
      }),
      'PUT /api/kb/bulletins': refused,
    },
    () => pressFirst(/^No: monitor/),
    status,
  ],
  [
    'CVE',
    3_000,
    '/kb/cves',
    {
      'GET /api/kb/cve': () => ({ body: aPage([{ ...aVuln(), cve_id: 'CVE-2026-10012' }]) }),
      'POST /api/vulns/toggle/bulk': refused,
    },
    monitorSelected,
    status,
  ],
  [
    'vulnerability',
    3_000,
    page,
    { 'POST /api/vulns/toggle/bulk': refused },
    toggle,
    'Unable to change the vulnerability monitoring status',
  ],
])('the failed toggle of a %s is told for %i ms', async (_, ms, address, answers, act, message) => {
  open(address, answers)
  await act()
  await told(message)
  const shown = notificationsStore.getState().notifications.find(({ title }) => title === message)
  expect(shown?.autoClose).toBe(ms)
})

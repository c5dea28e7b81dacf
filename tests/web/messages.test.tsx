import { notificationsStore } from '@mantine/notifications'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { loseSession } from '../../web/session/session'
import { globalAdmin, signInAs } from './support/account'
import { aComment, expectNotice, failedAnswer, openAtVuln, forbiddenAnswer, pressVulnToggle } from './support/at-vuln'
import { fill, press } from './support/forms'
import { aPage, aVulnRow } from './support/rows'

beforeEach(() => signInAs(globalAdmin))

async function choose(item: string) {
  fireEvent.click(await screen.findByRole('button', { name: 'More for PH-12' }))
  fireEvent.click(await screen.findByRole('menuitem', { name: item }))
}
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
async function updateComment() {
  fireEvent.click(await screen.findByRole('button', { name: 'Edit' }))
  fill('Edit your comment', 'Mine, changed')
  press('Save')
}
async function removeRow() {
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
    pressVulnToggle,
    'POST /api/vulns/toggle/bulk',
    'toggled.',
  ],
  [
    { success: 'Status successfuly modified.', failure: 'Unable to modify the status.' },
    page,
    setStatus,
    'POST /api/decisions',
    { results: [{ set: [12], skipped: [], refusal: null, undo: null }] },
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
    updateComment,
    'PUT /api/vulns/12/comments/4',
    aComment,
  ],
  [
    { success: 'Comment successfuly modified.', failure: 'Unable to modify the comment.' },
    comments,
    removeRow,
    'DELETE /api/vulns/12/comments/4',
    { status: 'success' },
  ],
  [
    { success: 'Threat activity successfuly deleted.', failure: 'Unable to delete the threat activity' },
    threats,
    removeRow,
    'DELETE /api/vulns/12/threats/5/del',
    { status: 'success' },
  ],
]

test.each(acts)('$success', async ({ success, failure }, address, act, call, reply) => {
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  const server = openAtVuln(address, { [call]: () => ({ body: reply }) })
  await act()
  await expectNotice(success)
  expect(server.requests.some(({ method, path }) => `${method} ${path}` === call)).toBe(true)
  expect(screen.queryByText(failure)).toBeNull()
})

test.each(acts.map(([message, ...details]) => [message.failure, ...details] as const))(
  '%s (%s)',
  async (failure, address, act, call) => {
    openAtVuln(address, { [call]: forbiddenAnswer })
    await act()
    await expectNotice(failure)
    expect(screen.queryByText(/successfuly/)).toBeNull()
  },
)

test.each([
  ['Unable to get vuln details', page, 'GET /api/vulns/12/'],
  ['Unable to get counter', page, 'GET /api/vulns/12/counter'],
  ['unable to get comment', comments, 'GET /api/vulns/12/comments'],
])('%s', async (message, address, call) => {
  openAtVuln(address, { [call]: forbiddenAnswer })
  await expectNotice(message)
})

test.each([
  [() => ({ status: 503, body: { code: 'busy', message: 'The service is busy' } }), 'The service is busy'],
  [() => Promise.reject(new TypeError('Failed to fetch')), 'Earshot cannot be reached'],
])('a change that the service did not take says that it is not the change', async (answer, reason) => {
  openAtVuln(page, { 'POST /api/decisions': answer })
  await setStatus()
  await expectNotice('Unable to modify the status.')
  expect(screen.getByText(reason)).toBeTruthy()
})

test('a comment on its way is not posted twice', async () => {
  const server = openAtVuln(comments, { 'POST /api/vulns/12/comments': () => new Promise(() => undefined) })
  await comment()
  const sent = () => server.to('/api/vulns/12/comments').filter(({ method }) => method === 'POST')
  await waitFor(() => expect(sent()).toHaveLength(1))
  await waitFor(() => expect(screen.getByRole('button', { name: 'Comment' }).hasAttribute('data-loading')).toBe(true))
  fireEvent.keyDown(screen.getByLabelText('Your comment'), { key: 'Enter', ctrlKey: true })
  expect(sent()).toHaveLength(1)
})

test('where the session ends, the sign-in says so, and a comment that was begun is there again until it is posted', async () => {
  sessionStorage.clear()
  const field = () => screen.findByLabelText<HTMLTextAreaElement>('Your comment')
  openAtVuln(comments, {})
  fireEvent.change(await field(), { target: { value: 'Long thoughts' } })
  loseSession()
  expect(await screen.findByText(/^Your session has ended/)).toBeTruthy()
  cleanup()
  signInAs(globalAdmin)
  const post = () => ({ body: aComment })
  openAtVuln(comments, { 'POST /api/vulns/12/comments': post })
  expect((await field()).value).toBe('Long thoughts')
  press('Comment')
  await waitFor(async () => expect((await field()).value).toBe(''))
  expect(sessionStorage).toHaveLength(0)
})

test('a vulnerability that cannot be read is told in one pop-up of three seconds', async () => {
  const paths = ['GET /api/vulns/12/', 'GET /api/vulns/12/counter', 'GET /api/vulns/12/comments']
  openAtVuln(page, Object.fromEntries(paths.map((path) => [path, forbiddenAnswer])))
  await expectNotice('Unable to get vuln details')
  const notice = { title: 'Error', message: 'Unable to get vuln details', autoClose: 3000 }
  expect(notificationsStore.getState().notifications).toMatchObject([notice])
})

test('Unable to change the metrics - Insufficient privileges', async () => {
  openAtVuln(page, {})
  const switches = ['Exploitable', 'Confirmed', 'Relayed in the News', 'Exploited in the Wild']
  for (const [at, name] of switches.entries()) {
    fireEvent.click(await screen.findByRole('switch', { name: new RegExp(name) }))
    await waitFor(() =>
      expect(screen.getAllByText('Unable to change the metrics - Insufficient privileges')).toHaveLength(at + 1),
    )
    expect(screen.getByRole('switch', { name: new RegExp(name), checked: false })).toBeTruthy()
  }
  expect(screen.getAllByText('Error')).toHaveLength(switches.length)
})

test.each([
  ['Unable to save the vulnerability: No', forbiddenAnswer],
  ['Unable to save the vulnerability', failedAnswer],
  ['Vulnerability successfuly saved.', () => ({ status: 201, body: { status: 'success', id: 12 } })],
])('%s', async (message, answer) => {
  openAtVuln('/vulns', {
    'GET /api/vulns/': () => ({ body: aPage([aVulnRow()]) }),
    'GET /api/views/': () => ({ body: [] }),
    'POST /api/vulns/add': answer,
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Add' }))
  fireEvent.change(await screen.findByLabelText(/^Summary/), { target: { value: 'A flaw' } })
  press('Save')
  await expectNotice(message)
})

async function acceptRisk() {
  fireEvent.click(await screen.findByRole('button', { name: 'Decide' }))
  fireEvent.change(await screen.findByLabelText('Your decision'), { target: { value: 'accepted' } })
}
const nothing = async () => undefined

test.each([
  ['The members could not be loaded.', page, acceptRisk, 'GET /api/vulns/triage/assignees', { results: [] }],
  ['The groups could not be loaded.', '/homepage', nothing, 'GET /api/monitor/groups', ['dmz']],
  [
    'The vector of PH-12 could not be loaded: this is the default.',
    '/ratings?vuln=12',
    nothing,
    'GET /api/ratings/vector/12',
    'AV:N/AC:L/Au:N/C:C/I:C/A:C',
  ],
])('"%s" stands where it happened, and Retry mends it', async (message, address, act, call, reply) => {
  let isDown = true
  openAtVuln(address, {
    'GET /api/vulns/stats': () => ({ body: { ...noStats, monitored: 1 } }),
    'GET /api/vulns/12/snooze': () => ({ body: { snooze: null } }),
    [call]: () => (isDown ? failedAnswer() : { body: reply }),
  })
  await act()
  const alert = await screen.findByText(message)
  isDown = false
  fireEvent.click(within(alert).getByRole('button', { name: 'Retry' }))
  await waitFor(() => expect(screen.queryByText(message)).toBeNull())
})

const noStats = {
  vulns: 0,
  vulns_exploitable: 0,
  vulns_remote: 0,
  exploits: 0,
  threats: 0,
  monitored_vendors: 0,
  monitored_products: 0,
  monitored_packages: 0,
  monitored_vulns: 0,
  monitored_inventories: 0,
}

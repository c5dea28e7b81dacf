import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { AlertRow, AlertWhy } from '../../worker/alerts/contract'
import { AlertListPage } from '../../web/alerts/alert-list-page'
import { alertManager, signInAs } from './support/account'
import { settingsServer } from './support/account-server'
import { show } from './support/screen'

const anAlert = (given: Partial<AlertRow> = {}): AlertRow => ({
  id: 1,
  rule: 'new',
  status: 'failed',
  reason: null,
  acknowledged: null,
  created_at: '2026-11-20T10:00:00Z',
  vuln: { id: 7, cveid: 'CVE-2026-20001', summary: 'A flaw.', score: 80, is_score_provisional: false },
  changes: ['First seen'],
  concerns: [{ via: 'product', id: 1, name: 'widget', vendor: 'acme' }],
  deliveries: [
    {
      id: 11,
      channel: 'slack',
      escalated_from: '',
      target: '',
      rule: 'new',
      status: 'dead',
      attempts: 10,
      next_attempt_at: null,
      last_error: 'The receiver answered 500',
      answer: '500 no',
      sent_at: null,
      reported_in: null,
    },
  ],
  ...given,
})

const why: AlertWhy = {
  vuln: { id: 7, cveid: 'CVE-2026-20001' },
  is_told: false,
  first_no: 'Slack: Its score is 70, the minimum score is 90',
  change: { at: '2026-11-20T10:00:00Z', lines: ['First seen'] },
  reasons: [{ is_ok: true, text: 'You monitor it' }],
  channels: [
    { channel: 'slack', rule: null, reasons: [{ is_ok: false, text: 'Its score is 70, the minimum score is 90' }] },
  ],
}

const proof = {
  day: '2026-11-20',
  matched: 3,
  delivered: 1,
  held: 1,
  suppressed: 1,
  failed: 0,
  waiting: 0,
  lost: 0,
  unsure: 0,
  doubled: 0,
  unasked: 0,
  by_rules: 2,
  minor: 0,
  minor_by_rules: 0,
  documents: 0,
  unjudged: {},
  messages: { slack: 1 },
  differences: [],
}

function showAlerts(address = '/alerts', results = [anAlert()]) {
  signInAs(alertManager)
  const page = { count: results.length, count_is_exact: true, next: null, previous: null, results }
  const server = settingsServer({
    'GET /api/alerts/': () => ({ body: page }),
    'GET /api/alerts/why/7': () => ({ body: why }),
    'GET /api/alerts/proof/': () => ({
      body: {
        proved_at: '2026-11-21T03:17:00Z',
        today: {
          ...proof,
          day: '2026-11-21',
          matched: 14_310,
          by_rules: 2_000,
          minor: 12,
          minor_by_rules: 11,
          documents: 2,
          unjudged: { filters: 40, epss: 1 },
          lost: 1,
          unasked: 1,
          differences: [
            { vuln_id: 9, change: 4, problem: 'lost', channels: ['slack'] },
            { vuln_id: 8, change: 5, problem: 'unasked', channels: ['teams'] },
          ],
        },
        days: [proof, { ...proof, day: '2026-11-19', matched: 0, by_rules: 0 }],
      },
    }),
    'POST /api/alerts/deliveries/11/resend': () => ({ body: { status: 'success' } }),
  })
  return { ...server, ...show(<AlertListPage />, address) }
}

test('the ledger says what became of each delivery, and sends it again', async () => {
  const { to } = showAlerts()
  const row = within((await screen.findByText('A flaw.')).closest('tr') ?? document.body)
  for (const text of ['Failed', 'First seen', 'The receiver answered 500', 'Slack'])
    expect(row.getByText(text)).toBeTruthy()
  expect(row.getByText(/Concerns Acme · Widget/)).toBeTruthy()
  expect(row.getByText(/given up after 10 attempts/)).toBeTruthy()
  expect(row.queryByText('Answer: 500 no')).toBeNull()
  fireEvent.click(row.getByRole('button', { name: 'Answers' }))
  expect(row.getByText('Answer: 500 no')).toBeTruthy()
  fireEvent.click(row.getByRole('button', { name: 'Send again by Slack' }))
  expect(await screen.findByText('The alert is being sent again.')).toBeTruthy()
  expect(to('/api/alerts/deliveries/11/resend')).toHaveLength(1)
})

test('an alert that waits for its hour or a report says when that is', async () => {
  const [failed] = anAlert().deliveries
  if (!failed) throw new Error('There is one')
  const waits = { ...failed, attempts: 0, last_error: null, next_attempt_at: '2096-11-21T07:00:00Z' }
  const deliveries = [
    { ...waits, id: 21, status: 'pending' },
    { ...waits, id: 22, status: 'held' },
    { ...waits, id: 23, status: 'pending', next_attempt_at: null },
  ] as const
  showAlerts('/alerts', [anAlert({ deliveries: [...deliveries] })])
  const row = within((await screen.findByText('A flaw.')).closest('tr') ?? document.body)
  expect(row.getAllByText(/waiting|kept/).map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^waiting until 2096-11-2/),
    expect.stringMatching(/^kept for the next report, 2096-11-2/),
    'waiting',
  ])
})

test('deliveries that succeeded are one line, those that did not are another, and each has its answer', async () => {
  const [failed] = anAlert().deliveries
  if (!failed) throw new Error('There is one')
  const sent = { ...failed, status: 'sent', attempts: 1, last_error: null, sent_at: '2026-11-20T10:00:02Z' } as const
  const deliveries = [
    { ...sent, id: 21, channel: 'email', target: 'a@example.org', answer: '250 accepted' },
    { ...sent, id: 22, channel: 'misp', answer: '200 {}' },
    failed,
  ] as const
  showAlerts('/alerts', [anAlert({ deliveries: [...deliveries] })])
  const row = within((await screen.findByText('A flaw.')).closest('tr') ?? document.body)
  const lines = () =>
    row
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent ?? '')
      .filter((text) => /E-mail|MISP|Slack/.test(text))
  expect(lines()).toEqual([
    expect.stringMatching(/^E-mail a@example.org, MISP sent /),
    expect.stringMatching(/^Slack {2}given up/),
  ])
  fireEvent.click(row.getByRole('button', { name: 'Answers' }))
  expect(lines()).toHaveLength(3)
  expect(row.getByText('Answer: 250 accepted')).toBeTruthy()
})

test('filters stand in the address and are asked for', async () => {
  const { to } = showAlerts('/alerts?status=failed')
  await screen.findByText('A flaw.')
  fireEvent.change(screen.getByRole('combobox', { name: 'Channel' }), { target: { value: 'slack' } })
  await waitFor(() => expect(to('/api/alerts/').at(-1)?.query.get('channel')).toBe('slack'))
  expect(to('/api/alerts/').at(-1)?.query.get('status')).toBe('failed')
  // The days are those of the times in the list.
  localStorage.setItem('time zone', 'Pacific/Kiritimati')
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-11-29' } })
  await waitFor(() => expect(to('/api/alerts/').at(-1)?.query.get('from')).toBe('2026-11-28T10:00:00Z'))
  expect(screen.getByLabelText<HTMLInputElement>('From').value).toBe('2026-11-29')
  localStorage.removeItem('time zone')
})

test('a filter that nothing matches leads back to all', async () => {
  showAlerts('/alerts?status=pending', [])
  fireEvent.click(await screen.findByRole('button', { name: 'All alerts' }))
  expect(await screen.findByText('No alerts yet')).toBeTruthy()
})

test('a vulnerability of the ledger says which rule said no first', async () => {
  showAlerts('/alerts?vuln_id=7')
  expect(await screen.findByRole('heading', { name: 'Why you are not alerted about CVE-2026-20001' })).toBeTruthy()
  expect(screen.getByText(/Stopped by: Slack: Its score is 70, the minimum score is 90\./)).toBeTruthy()
  const slack = within(screen.getByRole('region', { name: 'Slack' }))
  expect(slack.getByRole('img', { name: 'No' })).toBeTruthy()
})

test('the daily proof shows 0 lost and 0 sent twice, or what differs', async () => {
  showAlerts('/alerts?tab=proof')
  expect(await screen.findAllByText('0 lost, 0 sent twice')).toHaveLength(2)
  for (const text of [
    '1 lost, 0 sent twice, 1 sent against your rules',
    '2 of 3',
    '2,000 of 14,310',
    'none to judge',
    'Minor changes that told nobody, as your rules ask: 11 of 12',
    'Not judged by your rules: 40, as the groups, inventories, views or versions of that time were not noted',
  ])
    expect(screen.getByText(text)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'PH-9' }).getAttribute('href')).toBe('/alerts?vuln_id=9')
  expect(screen.getByText(/2 first documents of inventories, each told in one message/)).toBeTruthy()
  expect(screen.getByText(/lost:/).textContent).toBe('lost: PH-9 (Slack)')
  expect(screen.getByText(/^sent against your rules:/).textContent).toBe(
    'sent against your rules: PH-8 (Microsoft Teams)',
  )
  expect(screen.queryByRole('button', { name: 'Download CSV' })).toBeNull()
})

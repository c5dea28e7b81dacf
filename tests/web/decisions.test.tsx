import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { DecideDialog } from '../../web/decisions/decide-dialog'
import { RegisterPage } from '../../web/decisions/register-page'
import type { Made } from '../../worker/decisions/decide-contract'
import { AlertCard, QuickActions } from '../../web/vulns/detail/decide-action'
import { DecisionButton } from '../../web/vulns/detail/decision-strip'
import { alertManager, decider, signInAs } from './support/account'
import { settingsServer } from './support/account-server'
import { aPage } from './support/rows'
import { show } from './support/screen'
import { aVulnDetail } from './support/vuln-detail'

const snooze = {
  kind: 'accepted',
  until: '2030-01-01',
  on_fix: true,
  on_kev: false,
  on_exploit: false,
  epss_above: 0.5,
  epss_percentile_above: 0.95,
  new_epss_model: { name: 'v5', since: '2026-06-15' },
  reason: 'Not reachable',
  owner: { id: 2, name: 'olga' },
  by: { id: 1, name: 'ann' },
  created_at: '2026-11-20T10:00:00Z',
  woken_by: null,
  woken_at: null,
}

const unstated = {
  status: 'undefined',
  updated_at: null,
  by: null,
  justification: null,
  note: null,
  owner: null,
  expires_at: null,
  history: [],
}

const made: Made = { set: [7], skipped: [], refusal: null, is_requested: false, undo: 'it' }

function showQuiet(stored: object | null, user = decider, outcome: Partial<typeof made> = {}) {
  signInAs(user)
  const server = settingsServer({
    'GET /api/vulns/7/snooze': () => ({ body: { snooze: stored } }),
    'DELETE /api/vulns/7/snooze': () => ({ body: { status: 'success', undo: null } }),
    'GET /api/vulns/7/status/history': () => ({ body: unstated }),
    'POST /api/decisions': () => ({ body: { results: [{ ...made, ...outcome }] } }),
    'POST /api/decisions/undo': () => ({ body: { status: 'success', undone: 1, skipped: 0, undo: null } }),
    'GET /api/vulns/triage/assignees': () => ({ body: { results: [] } }),
    'GET /api/decisions/settings': () => ({ body: { needs_approver: outcome.is_requested ?? false } }),
  })
  return { ...server, ...show(<AlertCard vuln={{ id: 7, known_as: 'CVE-2026-10007', monitored: true }} />, '/') }
}

test('an accepted risk says until when, why, and whose it is, and can be ended', async () => {
  const { to } = showQuiet(snooze)
  expect(
    await screen.findByText(
      'Risk accepted until 2030-01-01 or a fix is published or EPSS is above 0.5 (EPSS has a new model, v5, since 2026-06-15: this probability may mean something else) or EPSS is higher than that of 95.0% of all, whichever comes first.',
    ),
  ).toBeTruthy()
  expect(screen.getByText('Reason: Not reachable')).toBeTruthy()
  expect(screen.getByText(/Owner: olga/)).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Resume alerts' }))
  expect(await screen.findByText('Alerts for this vulnerability are on again.')).toBeTruthy()
  expect(to('/api/vulns/7/snooze').some(({ method }) => method === 'DELETE')).toBe(true)
})

test('a member who decides nothing for all accepts no risk and ends no accepted one', async () => {
  showQuiet(snooze, alertManager)
  expect(await screen.findByText(/Risk accepted until/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Resume alerts' })).toBeNull()
  cleanup()
  showQuiet(null, alertManager)
  fireEvent.click(await screen.findByRole('button', { name: 'Snooze' }))
  expect(screen.queryByRole('button', { name: 'Accept the risk' })).toBeNull()
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByRole('option', { name: 'Snoozed' })).toBeTruthy()
  expect(dialog.queryByRole('option', { name: 'Risk accepted' })).toBeNull()
})

test.each([
  ['undefined', 'Acknowledge'],
  ['in_progress', 'Mark as fixed'],
  ['not_interesting', 'Not Interesting'],
])('a vulnerability whose status is %s offers the next step, or says what was decided: %s', async (status, text) => {
  signInAs(decider)
  settingsServer({ 'GET /api/vulns/7/status/history': () => ({ body: { ...unstated, status } }) })
  show(<DecisionButton vuln={aVulnDetail({ id: 7, monitored: true })} />, '/')
  expect(await screen.findByText(text)).toBeTruthy()
})

test('two taps snooze for a week, and two assign', async () => {
  signInAs(decider)
  const marks = { id: 7, status: 'undefined', assignee: null, is_snoozed: false, is_unread: false, seen_at: null }
  const { to } = settingsServer({
    'GET /api/vulns/triage/marks': () => ({ body: { results: [marks] } }),
    'GET /api/vulns/triage/assignees': () => ({ body: { results: [{ id: 2, name: 'olga' }] } }),
    'GET /api/vulns/7/snooze': () => ({ body: { snooze: null, request: null } }),
    'POST /api/decisions': () => ({ body: { results: [made] } }),
  })
  show(<QuickActions vuln={aVulnDetail({ id: 7, monitored: true })} />, '/')
  const snoozing = await screen.findByRole('button', { name: 'Snooze' })
  snoozing.focus()
  fireEvent.click(snoozing)
  fireEvent.click(await screen.findByRole('option', { name: /For a week/ }))
  expect(await screen.findByText('Alerts for this vulnerability are paused.')).toBeTruthy()
  await waitFor(() => expect(document.activeElement).toBe(snoozing))
  marks.is_snoozed = true
  fireEvent.click(screen.getByRole('button', { name: 'Assign' }))
  fireEvent.click(await screen.findByRole('option', { name: 'olga' }))
  expect(await screen.findByText('Snoozed')).toBeTruthy()
  expect(to('/api/decisions').map(({ body }) => body)).toMatchObject([
    { decisions: [{ scope: 'alerts', ids: [7], decision: { on_kev: true, on_exploit: true } }] },
    { decisions: [{ scope: 'assignee', ids: [7], decision: { user_id: 2 } }] },
  ])
})

function TwoPages() {
  const [id, setId] = useState(7)
  return (
    <>
      <button onClick={() => setId(8)}>Next</button>
      <QuickActions vuln={aVulnDetail({ id, monitored: true })} />
    </>
  )
}

test('an accepted risk offers no snooze, and each page names who has its own vulnerability', async () => {
  signInAs(decider)
  const mark = { status: 'undefined', is_snoozed: false, is_unread: false, seen_at: null }
  const seven = { ...mark, id: 7, assignee: { id: 2, name: 'olga' }, is_snoozed: true }
  const eight = { ...mark, id: 8, assignee: { id: 1, name: 'ann' } }
  settingsServer({
    'GET /api/vulns/triage/marks': () => ({ body: { results: [seven, eight] } }),
    'GET /api/vulns/7/snooze': () => ({ body: { snooze, request: null } }),
    'GET /api/vulns/8/snooze': () => ({ body: { snooze: null, request: null } }),
  })
  show(<TwoPages />, '/')
  expect(await screen.findByRole('button', { name: 'Assigned to olga' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: /Snooze/ })).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Next' }))
  expect(await screen.findByRole('button', { name: 'Assigned to ann' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Snooze' })).toBeTruthy()
})

test('a snooze names what ends it', async () => {
  const { to } = showQuiet(null)
  fireEvent.click(await screen.findByRole('button', { name: 'Snooze' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Decide on CVE-2026-10007' }))
  fireEvent.click(dialog.getByRole('checkbox', { name: 'A fix is published' }))
  fireEvent.change(dialog.getByLabelText('EPSS is higher than that of'), { target: { value: '99.9' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Decide' }))
  expect(await screen.findByText('Alerts for this vulnerability are paused.')).toBeTruthy()
  expect(to('/api/decisions')[0]?.body).toMatchObject({
    decisions: [
      {
        scope: 'alerts',
        ids: [7],
        decision: { kind: 'snoozed', on_fix: true, on_kev: false, epss_percentile_above: 0.999 },
      },
    ],
  })
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('Undone.')).toBeTruthy()
  expect(to('/api/decisions/undo')[0]?.body).toEqual({ changes: ['it'] })
})

test('one form decides: a status keeps its reason, owner and last day, and a risk needs a reason and an end', async () => {
  const { to } = showQuiet(null)
  fireEvent.click(await screen.findByRole('button', { name: 'Accept the risk' }))
  const dialog = within(await screen.findByRole('dialog'))
  const decide = (choice: string) =>
    fireEvent.change(dialog.getByLabelText('Your decision'), { target: { value: choice } })
  const write = (label: RegExp, value: string) => fireEvent.change(dialog.getByLabelText(label), { target: { value } })
  expect(dialog.getByRole('checkbox', { name: 'An exploit is seen' })).toMatchObject({ checked: true })
  decide('undefined')
  expect(dialog.queryByLabelText(/Reason/)).toBeNull()
  decide('not_interesting')
  expect(dialog.queryByRole('checkbox', { name: 'An exploit is seen' })).toBeNull()
  write(/Justification/, 'component_not_present')
  write(/^Reason/, 'Nobody calls it')
  write(/Owner/, 'Platform')
  write(/Until/, '2030-01-01')
  fireEvent.click(dialog.getByRole('button', { name: 'Decide' }))
  expect(await screen.findByText('Status successfuly modified.')).toBeTruthy()
  const decision = {
    status: 'not_interesting',
    justification: 'component_not_present',
    note: 'Nobody calls it',
    owner: 'Platform',
    expires_at: '2030-01-01',
  }
  expect(to('/api/decisions')[0]?.body).toEqual({ decisions: [{ scope: 'vulnerability', ids: [7], decision }] })
})

test('a risk that waits for an approver pauses nothing, of one or of many', async () => {
  const asked = 'Asked for approval: alerts stay as they are until another manager approves.'
  const { to } = showQuiet(null, decider, { set: [7, 8], skipped: [9], is_requested: true })
  cleanup()
  show(<DecideDialog title="Decide" about={{ ids: [7, 8, 9] }} choice="accepted" onClose={() => undefined} />, '/')
  fireEvent.click(await screen.findByRole('button', { name: 'Decide' }))
  expect(await screen.findByText(asked)).toBeTruthy()
  expect(screen.getByText('1 could not be changed')).toBeTruthy()
  expect(screen.queryByText(/are paused/)).toBeNull()
  expect(to('/api/decisions')[0]?.body).toMatchObject({ decisions: [{ scope: 'alerts', ids: [7, 8, 9] }] })
  cleanup()

  showQuiet(null, decider, { is_requested: true })
  fireEvent.click(await screen.findByRole('button', { name: 'Accept the risk' }))
  expect(await screen.findByText('Nothing is paused before another manager approves it.')).toBeTruthy()
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Decide' }))
  expect(await screen.findByText(asked)).toBeTruthy()
  cleanup()

  showQuiet(null, decider, { set: [7, 8] })
  fireEvent.click(await screen.findByRole('button', { name: 'Snooze' }))
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Decide' }))
  expect(await screen.findByText('Alerts for 2 vulnerabilities are paused.')).toBeTruthy()
})

test('the cause that ended a snooze stays to be seen', async () => {
  showQuiet({ ...snooze, kind: 'snoozed', woken_by: 'kev', woken_at: '2026-11-21T00:00:00Z' })
  expect(await screen.findByText(/No longer snoozed: CISA listed it as exploited/)).toBeTruthy()
})

test('the register says what is due and who answers for it; a request is approved by another manager than its own', async () => {
  signInAs(decider)
  const risk = {
    kind: 'accepted',
    is_requested: true,
    vuln_id: 7,
    cveid: 'CVE-2026-10007',
    summary: 'A flaw',
    score: 80,
    is_score_provisional: false,
    kev: true,
    inventory: null,
    component: null,
    version: null,
    reason: 'Behind a VPN',
    owner: 'olga',
    last_day: '2026-12-01',
    is_due: true,
    decided_at: '2026-11-20T06:30:00Z',
    user_id: 99,
    by: 'ann',
    approved_by: null,
  }
  const { to } = settingsServer({
    'GET /api/decisions/settings': () => ({ body: { needs_approver: true } }),
    'GET /api/decisions/accepted': () => ({ body: aPage([risk, { ...risk, vuln_id: 8, cveid: null, user_id: 1 }]) }),
    'POST /api/vulns/7/accepting': () => ({ body: { status: 'success', undo: null } }),
  })
  show(<RegisterPage />, '/')
  expect(await screen.findByText('PH-8')).toBeTruthy()
  expect(screen.getAllByText('Review')).toHaveLength(2)
  expect(screen.getAllByText('olga')).toHaveLength(2)
  expect(screen.getByText(/Another manager than the requester/)).toBeTruthy()
  expect(screen.getAllByRole('button', { name: /^(Refuse|Withdraw)$/ })).toHaveLength(2)
  expect(screen.getByRole('button', { name: 'Withdraw' })).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Approve' }))
  expect(await screen.findByText('The risk is accepted.')).toBeTruthy()
  expect(to('/api/vulns/7/accepting')[0]?.body).toEqual({ approved: true, asked_at: '2026-11-20T06:30:00Z' })
})

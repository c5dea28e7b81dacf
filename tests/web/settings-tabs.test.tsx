import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { formatDateTime } from '../../web/lib/format'
import { describeDetail } from '../../web/settings/audit/detail'
import { endOfDay, startOfDay } from '../../web/lib/zone'
import { actionChoices } from '../../web/settings/audit/words'
import { SettingsPage } from '../../web/settings/settings-page'
import { aSessionUser, alertManager, globalAdmin, inviter, orgAdmin, signInAs } from './support/account'
import { refusal, settingsServer } from './support/account-server'
import { aChannel, alertingAnswers } from './support/alerting'
import { aPage } from './support/rows'
import { show } from './support/screen'

type Answers = Parameters<typeof settingsServer>[0]

function showTab(user: Parameters<typeof signInAs>[0], tab: string, answers: Answers = {}) {
  signInAs(user)
  const server = settingsServer(answers)
  return { ...server, ...show(<SettingsPage />, `/settings?tab=${tab}`) }
}
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const type = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })

test.each([
  ['a member', {}, ['Profile']],
  ['a manager of alerts', alertManager, ['Profile', 'Alerting']],
  ['a manager of the organization', inviter, ['Profile', 'Orgs + Users']],
  ['an admin of the organization', orgAdmin, ['Profile', 'Orgs + Users', 'Audit', 'Single sign-on']],
  [
    'a global admin',
    globalAdmin,
    ['Profile', 'Alerting', 'Orgs + Users', 'Audit', 'Single sign-on', 'Sync', 'Service'],
  ],
])('%s sees the tabs that they may see', (_who, user, tabs) => {
  showTab(user, 'sso', { 'GET /users/org/sso': () => refusal('No') })
  expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(tabs)
})

test('a tab that they may not see shows the profile, and asks nothing else', async () => {
  const { requests } = showTab({}, 'audit')
  expect(await screen.findByDisplayValue('Lovelace')).toBeTruthy()
  expect(requests.map(({ path }) => path)).not.toContain('/api/audit/')
})

test('rights that were given since the sign-in open their tab', async () => {
  const rights = { manage_organization: false, manage_alert_email: true, manage_metadata: false }
  showTab({}, 'profile', { 'GET /users/api/current': () => ({ body: { ...aSessionUser, profile: rights } }) })
  expect(screen.queryByRole('tab', { name: 'Alerting' })).toBeNull()
  expect(await screen.findByRole('tab', { name: 'Alerting' })).toBeTruthy()
})

test('a chosen tab is in the address', async () => {
  const { address } = showTab(orgAdmin, 'profile')
  fireEvent.click(screen.getByRole('tab', { name: 'Orgs + Users' }))
  await waitFor(() => expect(address()).toBe('/settings?tab=orgs'))
})

const entry = {
  seq: 9,
  at: '2026-11-20T08:01:00Z',
  actor: 'grace',
  action: 'member.invite',
  target: 'a@example.org',
  detail: '{"added":[],"invited":["a@example.org"]}',
  ip: '192.0.2.1',
}

test('the audit log is filtered by actor, action and days of the own calendar', async () => {
  const { to } = showTab(orgAdmin, 'audit', {
    'GET /api/audit/': () => ({ body: { ...aPage([entry]), is_intact: true } }),
  })
  expect(await screen.findByText('Sent an invitation')).toBeTruthy()
  expect(await screen.findByText('Intact')).toBeTruthy()

  type('From', '2026-11-01')
  type('To', '2026-11-20')
  type('Who', 'grace')
  fireEvent.keyDown(screen.getByLabelText('Who'), { key: 'Enter' })
  fireEvent.click(screen.getByRole('combobox', { name: 'What' }))
  fireEvent.click(await screen.findByRole('option', { name: 'Sent an invitation' }))
  await waitFor(() =>
    expect(Object.fromEntries(to('/api/audit/').at(-1)?.query ?? [])).toMatchObject({
      actor: 'grace',
      action: 'member.invite',
      at__gte: startOfDay('2026-11-01'),
      at__lte: endOfDay('2026-11-20'),
    }),
  )
})

test('every code of the audit log has words of its own', () => {
  const words = actionChoices.map(({ label }) => label)
  expect(words.filter((text) => !/^[A-Z][\w. -]+[a-z]$/.test(text))).toEqual([])
  expect(new Set(words).size).toBe(words.length)
})

test('a broken chain is said in words', async () => {
  showTab(orgAdmin, 'audit', { 'GET /api/audit/': () => ({ body: { ...aPage([entry]), is_intact: false } }) })
  expect((await screen.findByRole('alert')).textContent).toMatch(/Not intact.*changed after it was written, or one was/)
})

test.each([
  ['{"added":[],"invited":["a@b.org","c@d.org"]}', 'invited: a@b.org, c@d.org'],
  ['{"expires_at":null,"is_enabled":true}', 'enabled: yes'],
  [
    '{"on_new":1,"on_fix":0,"groups":"[\\"dmz\\",\\"web\\"]","hints":"{\\"url\\":\\"****lack\\"}","report_hour":1}',
    'alert of a new vulnerability: yes · alert of a fix: no · groups: dmz, web · hints: url ****lack · report hour: 1',
  ],
  [
    '{"kind":"snoozed","until":"2026-11-29","on_fix":true,"on_kev":false,"on_exploit":false,"epss_above":null,"reason":""}',
    'until 2026-11-29, or a fix is published',
  ],
  [
    '{"kind":"accepted","until":"2027-01-01","on_fix":false,"reason":"It stands alone"}',
    'until 2027-01-01 · It stands alone',
  ],
  ['{"by":"code"}', 'with: password and code'],
  ['{"keep_access":false}', 'passkeys and API tokens kept: no'],
  [
    '{"email":"a@b.org","trial_ends_at":"2026-12-07T03:11:43Z"}',
    `e-mail: a@b.org · the trial ends: ${formatDateTime('2026-12-07T03:11:43Z')}`,
  ],
  ['{}', ''],
  ['not json', 'not json'],
])('the detail %s reads "%s"', (detail, words) => {
  expect(describeDetail(detail)).toBe(words)
})

const sso = {
  issuer: 'https://login.example.org',
  client_id: 'earshot',
  has_secret: true,
  email_domains: ['example.org'],
  is_enabled: true,
  redirect_url: 'https://earshot.example.org/sso/1',
  domains: [
    {
      domain: 'example.org',
      txt_name: '_earshot.example.org',
      txt_value: 'earshot-domain-verification=abc',
      proved_at: null,
      proved_by: null,
      missing_since: null,
    },
  ],
}

test('the client secret is never shown and stays when it is left empty', async () => {
  const { to } = showTab(orgAdmin, 'sso', {
    'GET /users/org/sso': () => ({ body: sso }),
    'PUT /users/org/sso': () => ({ body: sso }),
  })
  expect(await screen.findByText('https://earshot.example.org/sso/1')).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>('Client secret').value).toBe('')
  expect(screen.getByText('One is stored. Leave this empty to keep it.')).toBeTruthy()
  type('Client id', 'other')
  press('Save')
  expect(await screen.findByText('Single sign-on updated')).toBeTruthy()
  expect(to('/users/org/sso').find(({ method }) => method === 'PUT')?.body).toEqual({
    issuer: 'https://login.example.org',
    client_id: 'other',
    email_domains: ['example.org'],
    is_enabled: true,
  })
})

test('the worker’s objection to a provider is told at its field', async () => {
  const issues = [{ path: ['email_domains', 0], message: 'gmail.com is a public mail service' }]
  showTab(orgAdmin, 'sso', {
    'GET /users/org/sso': () => ({ body: sso }),
    'PUT /users/org/sso': () => ({ status: 400, body: { code: 'invalid', message: 'No', issues } }),
  })
  await screen.findByText('https://earshot.example.org/sso/1')
  press('Save')
  expect(await screen.findByText('Unable to update single sign-on')).toBeTruthy()
  expect(screen.getAllByText('gmail.com is a public mail service')).toHaveLength(2)
})

test('a provider needs an https address, a client and a domain; it is removed after a question', async () => {
  let isSet = true
  const none = {
    ...sso,
    issuer: '',
    client_id: '',
    has_secret: false,
    email_domains: [],
    domains: [],
    is_enabled: false,
  }
  showTab(orgAdmin, 'sso', {
    'GET /users/org/sso': () => ({ body: isSet ? sso : none }),
    'DELETE /users/org/sso': () => {
      isSet = false
      return { body: { status: 'success' } }
    },
  })
  await screen.findByText('https://earshot.example.org/sso/1')
  press('Remove')
  expect(await screen.findByText(/Do you really want to remove single sign-on/)).toBeTruthy()
  fireEvent.click(screen.getAllByRole('button', { name: 'Remove' }).at(-1) ?? document.body)
  expect(await screen.findByText('Single sign-on removed')).toBeTruthy()

  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Issuer').value).toBe(''))
  press('Save')
  expect(await screen.findByText('Client id is required')).toBeTruthy()
  expect(screen.getByText('At least one domain')).toBeTruthy()
  expect(screen.getByText(/Must be the address of the provider/)).toBeTruthy()
})

test('a further receiver of mails shows who is on duty, and takes a rota and swaps', async () => {
  const [ann, bob] = [
    { id: 5, name: 'ann', is_reachable: true },
    { id: 6, name: 'bob', is_reachable: true },
  ]
  const cal = { id: 7, name: 'cal', is_reachable: false }
  const days = ['2026-11-23', '2026-11-30', '2026-12-07'].map((day) => `${day}T08:00:00Z`)
  const turn = (at: number, person: object) => ({ from: days[at], to: days[at + 1], person, usual: person })
  const empty = { rota: null, on_duty: null, turns: [], members: [ann, bob, cal], addresses: ['soc@example.org'] }
  const rota = { zone: 'UTC', starts_on: '2026-11-23', hour: 8, people: [6, 5], swaps: [] }
  const made = { ...empty, rota, on_duty: bob, turns: [turn(0, bob), turn(1, ann)] }
  let stored: object = empty
  const path = '/api/alerts/routes/email-2/rota'
  signInAs(alertManager)
  const route = aChannel('email-2', { is_configured: true, name: 'On call', addresses: ['soc@example.org'] })
  const server = settingsServer({
    ...alertingAnswers(undefined, [aChannel('email'), route]),
    [`GET ${path}`]: () => ({ body: stored }),
    [`PUT ${path}`]: () => ({ body: made }),
  })
  show(<SettingsPage />, '/settings?tab=alerting')
  const card = within(await screen.findByRole('region', { name: 'On duty for On call (E-mail #2)' }))
  fireEvent.click(await card.findByRole('button', { name: 'Make a rota' }))
  fireEvent.click(card.getByRole('button', { name: 'Save' }))
  expect(await card.findByText('Choose somebody')).toBeTruthy()
  fireEvent.click(card.getByRole('combobox', { name: 'Members' }))
  for (const name of ['bob', 'ann']) fireEvent.click(await screen.findByRole('option', { name }))
  expect(screen.getByRole('option', { name: /^cal \(is skipped/ })).toBeTruthy()
  fireEvent.change(card.getByLabelText('Begins on'), { target: { value: '2026-11-23' } })
  const save = card.getByRole('button', { name: 'Save' })
  save.focus()
  fireEvent.click(save)
  const sent = () => server.to(path).filter(({ method }) => method === 'PUT')
  const second = await card.findByRole('combobox', { name: /^On duty from 2026-11-30/ })
  expect(card.getByText('bob', { selector: 'strong' })).toBeTruthy()
  // The form is gone: the focus stays where it stood.
  await waitFor(() =>
    expect(document.activeElement?.getAttribute('aria-label')).toBe('On duty for On call (E-mail #2)'),
  )
  expect(sent()[0]?.body).toMatchObject({ people: [6, 5], starts_on: '2026-11-23', hour: 8 })

  // A colleague's swap meanwhile stays.
  const theirs = { user_id: 5, from: '2026-12-20T08:00:00Z', to: '2026-12-21T08:00:00Z' }
  stored = { ...made, rota: { ...rota, swaps: [theirs] } }
  fireEvent.change(second, { target: { value: '6' } })
  await waitFor(() => expect(sent()).toHaveLength(2))
  expect(sent()[1]?.body).toEqual({ swaps: [theirs, { user_id: 6, from: days[1], to: days[2] }] })

  localStorage.setItem('time zone', 'Asia/Kolkata')
  fireEvent.click(card.getByRole('button', { name: 'Somebody else for a span' }))
  fireEvent.change(card.getByLabelText('Who'), { target: { value: '5' } })
  fireEvent.change(card.getByLabelText('From'), { target: { value: '2026-11-24T00:15' } })
  fireEvent.change(card.getByLabelText('To'), { target: { value: '2026-11-24T12:00' } })
  fireEvent.click(card.getByRole('button', { name: 'Swap' }))
  await waitFor(() => expect(sent()).toHaveLength(3))
  localStorage.removeItem('time zone')
  const span = { user_id: 5, from: '2026-11-23T18:45:00Z', to: '2026-11-24T06:30:00Z' }
  expect(sent()[2]?.body).toEqual({ swaps: [theirs, span] })
})

test('an operator reads the work of each day, with its errors, rows and price', async () => {
  const work = [
    { day: '2026-11-24', requests: 1_200, errors: 3, rows_read: 4_000_000, rows_written: 52_000, price: 0.0564 },
    { day: '2026-11-23', requests: 10, errors: 0, rows_read: 900, rows_written: 0, price: 0.0000039 },
  ]
  const orgs = { active: 1, on_trial: 0, expired: 0, off: 0 }
  const calm = { late: [], waiting: [], jobs: [], dead: [], alerts_p95: null, database_bytes: null, orgs }
  showTab(globalAdmin, 'service', { 'GET /api/service': () => ({ body: { ...calm, work } }) })
  const [, ...rows] = within(await screen.findByRole('table', { name: 'Work of the last days' })).getAllByRole('row')
  expect(
    rows.map((row) =>
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    ),
  ).toEqual([
    ['2026-11-24', '1,200', '3', '4,000,000', '52,000', '$0.06'],
    ['2026-11-23', '10', '0', '900', '0', 'less than $0.01'],
  ])
})

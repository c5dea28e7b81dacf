import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { startSession, resetSession, setTokens } from '../../web/session/session'
import { ApiError } from '../../web/lib/call'
import { queryClient, showFailure } from '../../web/lib/query-client'
import { describeTrial } from '../../web/layout/trial-banner'
import { aUser, atHome, entering, tokens } from './support/answers'
import { fill, press } from './support/forms'
import { alertingAnswers } from './support/alerting'
import { aReport } from './support/reports'
import { aPage, aProduct, aVulnRow } from './support/rows'
import { fakeServer } from './support/server'
import { visit } from './support/visit'

const trial = '/api/public/trial'
const now = new Date('2026-11-20T12:00:00Z')
const pages = { terms_url: null, privacy_url: null, plans_url: null }
const settings = { ...pages, turnstile_site_key: null, trial_days: 14, version: '1.3.0', edition: null, build: null }
const endsAt = (trial_ends_at: string | null) => describeTrial({ is_read_only: false, trial_ends_at }, now)?.title

beforeEach(resetSession)

test('the public pages offer a free trial and the login', async () => {
  fakeServer({})
  visit('/auth')
  const link = (name: string) => screen.getByRole('link', { name }).getAttribute('href')
  await screen.findByLabelText('Username or e-mail')
  expect(link('Start a free 14-day trial')).toBe('/trial')
  expect(link('Sign in')).toBe('/auth')
})

test('asking for a trial sends a link to the mailbox', async () => {
  const named = { ...settings, contact: null, terms_url: 'https://earshot.test/terms' }
  const server = fakeServer({
    [`POST ${trial}`]: () => ({ body: { status: 'success' } }),
    'GET /api/public/settings': () => ({ body: named }),
  })
  visit('/trial')
  expect((await screen.findByRole('link', { name: 'terms' })).getAttribute('href')).toBe('https://earshot.test/terms')
  expect(screen.queryByRole('link', { name: 'privacy notice' })).toBeNull()
  expect(screen.queryByRole('link', { name: 'Start a free 14-day trial' })).toBeNull()
  press('Start the trial')
  expect(screen.getByText('E-mail is required')).toBeTruthy()
  expect(screen.getByText('At least 2 characters')).toBeTruthy()

  fill('E-mail', 'founder@acme.example')
  fill('Organization', 'Acme')
  press('Start the trial')
  expect(await screen.findByText('Check your mailbox')).toBeTruthy()
  expect(screen.getByText('founder@acme.example')).toBeTruthy()
  expect(server.to(trial).map(({ body }) => body)).toEqual([{ email: 'founder@acme.example', org_name: 'Acme' }])
  press('Use another address')
  expect((await screen.findByLabelText<HTMLInputElement>('E-mail')).value).toBe('founder@acme.example')
})

test('the link of a trial makes the account, signs in and opens the first steps', async () => {
  const server = fakeServer({
    [`GET ${trial}/t0k3n`]: () => ({ body: { status: 'valid', email: 'founder@acme.example', org_name: 'Acme' } }),
    [`POST ${trial}/t0k3n`]: () => ({ body: { status: 'success' } }),
    'POST /api/public/jwt-auth/obtain-token/': () => ({ body: tokens }),
    ...entering,
    ...atHome,
  })
  const place = visit('/trial/t0k3n')
  await screen.findByLabelText('Username')
  fill('Username', 'founder')
  fill('Password', 'Correct-Horse-9')
  fill('Password again', 'Correct-Horse-9')
  press('Start the trial')

  await waitFor(() => expect(place.address()).toBe('/homepage?firststeps=1'))
  expect(await screen.findByRole('heading', { name: 'Welcome to Earshot' })).toBeTruthy()
  expect(server.to('/api/public/jwt-auth/obtain-token/')[0]?.body).toEqual({
    username: 'founder',
    password: 'Correct-Horse-9',
  })
})

test('a link that was used already says so, and where to get another', async () => {
  fakeServer({ [`GET ${trial}/t0k3n`]: () => ({ body: { status: 'invalid', email: null, org_name: null } }) })
  visit('/trial/t0k3n')
  expect(await screen.findByText('This link was already used, or has expired.')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Ask for a new one' }).getAttribute('href')).toBe('/trial')
})

test.each([
  [null, undefined],
  ['2026-11-29T11:00:00Z', 'Your trial ends in 9 days'],
  ['2026-11-21T13:00:00Z', 'Your trial ends in 2 days'],
  ['2026-11-21T11:00:00Z', 'Your trial ends within a day'],
  ['2026-11-20T11:59:59Z', 'Your trial has ended'],
])('a trial until %s: %s', (at, title) => {
  expect(endsAt(at)).toBe(title)
})

test.each([
  ['help@earshot.test', null, ['mailto:help@earshot.test']],
  ['help@earshot.test', 'https://earshot.test/plans', ['https://earshot.test/plans', 'mailto:help@earshot.test']],
  [null, null, []],
])('an Earshot at %s that names its plans at %s has a banner that leads to %s', async (contact, plans_url, leads) => {
  const soon = {
    org_id: 1,
    org_name: 'Acme',
    slug: 'acme',
    is_read_only: false,
    trial_ends_at: '2099-11-01T00:00:00Z',
  }
  fakeServer({
    ...atHome,
    'GET /api/public/settings': () => ({ body: { ...settings, contact, plans_url } }),
    'GET /users/org/info': () => ({ body: soon }),
  })
  setTokens(tokens)
  startSession(aUser(), { id: 1, name: 'Acme' })
  visit('/homepage')
  await waitFor(() => {
    const links = within(screen.getByLabelText('Trial')).queryAllByRole('link')
    expect(links.map((link) => link.getAttribute('href'))).toEqual(leads)
  })
})

const isOver = { org_id: 1, org_name: 'Acme', slug: 'acme', is_read_only: true, trial_ends_at: '2026-11-01T00:00:00Z' }
const reason = 'The trial is over: nothing can be changed'
function visitEnded(address: string) {
  fakeServer({
    ...atHome,
    ...alertingAnswers(),
    'GET /users/org/info': () => ({ body: isOver }),
    'GET /api/kb/products/': () => ({ body: aPage([aProduct()]) }),
    'GET /api/vulns/': () => ({ body: aPage([aVulnRow({ cveid: 'CVE-2026-20001' })]) }),
    'GET /api/reports/daily/now': () => ({ body: aReport() }),
    'GET /api/vulns/first-steps': () => ({ body: { steps: [{ name: 'colleague', is_done: false }] } }),
  })
  setTokens(tokens)
  startSession(aUser(), { id: 1, name: 'Acme' })
  return visit(address)
}

test('after the end the banner says what holds, and a refusal is told once', async () => {
  visitEnded('/homepage')
  expect(await screen.findByText('Your trial has ended')).toBeTruthy()
  expect(screen.getByLabelText('Trial').textContent).toMatch(
    /can only be read, and its alerts are paused.*On 2026-12-31 it is removed/,
  )
  await screen.findByText('You monitor nothing yet')
  expect(screen.queryByText('First steps')).toBeNull()
  const refusal = new ApiError(403, 'trial_ended', `${reason} until it is extended`)
  showFailure(refusal, 'Unable to change the monitoring status')
  showFailure(refusal, 'Unable to save the comment')
  expect(await screen.findAllByText(`${reason} until it is extended`)).toHaveLength(1)
})

test.each([
  ['/products', ['No: monitor f5 nginx']],
  ['/vulns', ['No: monitor CVE-2026-20001', 'Add']],
  ['/vulns?inbox=1', ['Snooze s', 'Assign a']],
  ['/reports/daily/now', ['Send it now']],
  ['/settings?tab=alerting', ['Send a test e-mail', 'Save the limits', 'Make an address', 'Add a receiver']],
])('after the end the controls of %s that change something are disabled with the reason', async (address, names) => {
  visitEnded(address)
  for (const name of names) {
    const button = await screen.findByRole<HTMLButtonElement>('button', { name })
    expect([name, button.disabled, button.title]).toEqual([name, true, reason])
  }
})

test('after the end no command and no key offers a change', async () => {
  visitEnded('/vulns')
  await screen.findByText('CVE-2026-20001')
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
  const field = await screen.findByPlaceholderText(/A screen, a CVE, a product/)
  expect(await screen.findByRole('option', { name: 'Keyboard shortcuts' })).toBeTruthy()
  expect(screen.queryByRole('option', { name: /Snooze a vulnerability/ })).toBeNull()
  fireEvent.change(field, { target: { value: 'snooze CVE-2026-20001' } })
  expect(await screen.findByText(reason)).toBeTruthy()
})

test('the banner of a trial stands at the next start before the server has answered, in its own organization alone', async () => {
  const soon = { org_id: 1, org_name: 'Acme', slug: 'acme', is_read_only: false, trial_ends_at: '2099-11-01T00:00:00Z' }
  fakeServer({ ...atHome, 'GET /users/org/info': () => ({ body: soon }) })
  setTokens(tokens)
  startSession(aUser(), { id: 1, name: 'Acme' })
  visit('/homepage')
  expect(await screen.findByLabelText('Trial')).toBeTruthy()
  cleanup()

  queryClient.clear()
  fakeServer({ ...atHome, 'GET /users/org/info': () => new Promise(() => undefined) })
  visit('/homepage')
  expect(await screen.findByLabelText('Trial')).toBeTruthy()
  cleanup()

  startSession(aUser(), { id: 2, name: 'Widgets' })
  visit('/homepage')
  await screen.findByRole('heading', { name: 'Home' })
  expect(screen.queryByLabelText('Trial')).toBeNull()
})

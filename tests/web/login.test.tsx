import { notificationsStore } from '@mantine/notifications'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { AuthPage } from '../../web/auth/auth-page'
import { isAuthenticated, resetSession } from '../../web/session/session'
import { fakeServer } from './support/server'
import { show } from './support/screen'
import { entering, refusedWith, tokens } from './support/answers'
import { fill, press } from './support/forms'
import { visit } from './support/visit'

const obtain = 'POST /api/public/jwt-auth/obtain-token/'

beforeEach(() => {
  resetSession()
  sessionStorage.clear()
  vi.restoreAllMocks()
})

function signInAs(username: string, password: string) {
  fireEvent.change(screen.getByLabelText('Username or e-mail'), { target: { value: username } })
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: password } })
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))
}

test.each([
  ['', '', ['Username is required', 'Password is required']],
  [
    'abc',
    '1234567',
    ['A username must be more than 3 characters long', 'The password must be longer than 7 characters'],
  ],
  ['not allowed!', '12345678', ["A username can only contain letters, digits and symbols '@.+-_'"]],
])('signing in as "%s" with "%s" says what is wrong, and asks nobody', (username, password, messages) => {
  const { requests } = fakeServer({})
  show(<AuthPage />, '/auth')
  signInAs(username, password)

  for (const message of messages) expect(screen.getByText(message)).toBeTruthy()
  expect(requests).toEqual([])
})

test('a long name or address is sent whole', async () => {
  const { requests } = fakeServer({
    [obtain]: () => ({ status: 401, body: { code: 'wrong_credentials', message: 'No' } }),
  })
  show(<AuthPage />, '/auth')
  expect(screen.getByLabelText<HTMLInputElement>('Username or e-mail').maxLength).toBe(-1)
  const name = `${'a'.repeat(90)}@example.org`
  signInAs(name, 'long enough')
  await waitFor(() => expect(requests.map(({ body }) => body)).toEqual([{ username: name, password: 'long enough' }]))
})

test('a password is masked until it is asked to show, may be pasted, and is known to password managers', () => {
  show(<AuthPage />, '/login')
  const field = screen.getByLabelText<HTMLInputElement>('Password')
  expect([field.type, field.autocomplete, field.onpaste]).toEqual(['password', 'current-password', null])
  const isPasted = fireEvent.paste(field, { clipboardData: { getData: () => 'Correct-Horse-9!' } })
  expect(isPasted).toBe(true)
  fireEvent.mouseDown(screen.getByRole('button', { name: 'Show the password' }))
  expect(field.type).toBe('text')
})

test('wrong credentials are told, and the session stays closed', async () => {
  fakeServer({ [obtain]: () => ({ status: 401, body: { code: 'wrong_credentials', message: 'No' } }) })
  show(<AuthPage />, '/auth')
  signInAs('analyst', 'long enough')

  const dialog = await screen.findByRole('dialog', { name: 'Error' })
  expect(dialog.textContent).toBe('Wrong username or password')
  expect(notificationsStore.getState().notifications).toEqual([])
  expect(isAuthenticated()).toBe(false)
})

test('the dialog about wrong credentials lasts three seconds, can be closed before, and leaves its field marked', async () => {
  fakeServer({ [obtain]: () => ({ status: 401, body: { code: 'wrong_credentials', message: 'No' } }) })
  show(<AuthPage />, '/auth')
  const timers = vi.spyOn(window, 'setTimeout')
  signInAs('analyst', 'long enough')
  await screen.findByRole('dialog')
  const due = timers.mock.calls.filter(([, ms]) => ms === 3_000)
  expect(due).toHaveLength(1)
  act(() => due[0]?.[0]())
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(screen.getByLabelText('Password').getAttribute('aria-invalid')).toBe('true')

  signInAs('analyst', 'long enough')
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test.each([
  ['POST /users/set-org', 'Unable to get organisation'],
  ['GET /users/api/current', 'Unable to get user'],
])('a step after the password that fails (%s) is told by its name', async (step, message) => {
  fakeServer({
    [obtain]: () => ({ body: { access: 'a', refresh: 'r' } }),
    ...entering,
    [step]: () => refusedWith(404, 'not_found', 'Not found'),
  })
  show(<AuthPage />, '/auth')
  signInAs('analyst', 'long enough')

  expect(await screen.findByText(message)).toBeTruthy()
  expect(isAuthenticated()).toBe(false)
})

test.each([
  ['/auth?next=%2Fvulns%3Fmonitored%3Dtrue', '/vulns?monitored=true'],
  ['/auth', '/homepage'],
  ['/auth?next=%2F%2Fevil.example%2F', '/homepage'],
  ['/auth?next=%2F%5Cevil.example', '/homepage'],
  ['/auth?next=https%3A%2F%2Fevil.example', '/homepage'],
])('signing in at %s leads to %s', async (address, expected) => {
  fakeServer({
    [obtain]: () => ({ body: { access: 'a', refresh: 'r' } }),
    ...entering,
  })
  const place = show(<AuthPage />, address)
  signInAs('analyst', 'long enough')

  await waitFor(() => expect(place.address()).toBe(expected))
  expect(isAuthenticated()).toBe(true)
})

test('after a password a passkey is offered once, where the device can keep one', async () => {
  localStorage.removeItem('EarshotPasskeyOffer')
  fakeServer({ [obtain]: () => ({ body: { access: 'a', refresh: 'r' } }), ...entering })
  const offers = () => notificationsStore.getState().notifications.filter(({ id }) => id === 'passkey-offer')
  for (const [canKeep, count] of [
    [false, 0],
    [true, 1],
    [true, 0],
  ] as const) {
    vi.stubGlobal('PublicKeyCredential', { isUserVerifyingPlatformAuthenticatorAvailable: async () => canKeep })
    const place = show(<AuthPage />, '/auth')
    signInAs('analyst', 'long enough')
    await waitFor(() => expect(place.address()).toBe('/homepage'))
    if (count) await waitFor(() => expect(offers()).toHaveLength(count))
    else expect(offers()).toHaveLength(0)
    notificationsStore.setState((state) => ({ ...state, notifications: [] }))
    cleanup()
    resetSession()
  }
  vi.unstubAllGlobals()
})

test.each([
  ['1', '1 second'],
  ['32', '32 seconds'],
])('too many tries say how long to wait: %s', async (seconds, text) => {
  fakeServer({
    [obtain]: () => ({
      ...refusedWith(429, 'throttled', 'Too many attempts: try again in a moment'),
      headers: { 'retry-after': seconds },
    }),
  })
  show(<AuthPage />, '/auth')
  signInAs('analyst', 'long enough')
  expect(await screen.findByText(`Too many attempts: try again in a moment (wait ${text})`)).toBeTruthy()
})

const start = '/api/public/sso/start'
const finish = '/api/public/sso/finish'

async function goToCompany(address: string) {
  const leave = vi.spyOn(location, 'assign').mockImplementation(() => {})
  visit(address)
  fireEvent.click(await screen.findByRole('link', { name: 'Sign in with your company account' }))
  await screen.findByLabelText('E-mail')
  fill('E-mail', 'analyst@acme.example')
  press('Continue')
  return leave
}

test('a company account is signed in at its provider, and one comes back to where one wanted to go', async () => {
  const server = fakeServer({
    [`POST ${start}`]: () => ({ body: { url: 'https://login.acme.example/authorize?state=s1' } }),
    [`POST ${finish}`]: () => ({ body: tokens }),
    ...entering,
  })
  const leave = await goToCompany('/auth?next=%2Fhelp')
  await waitFor(() => expect(leave).toHaveBeenCalledWith('https://login.acme.example/authorize?state=s1'))
  expect(server.to(start)[0]?.body).toEqual({ email: 'analyst@acme.example' })

  const place = visit('/sso/7?code=c1&state=s1&iss=https%3A%2F%2Fidp.example')
  await waitFor(() => expect(place.address()).toBe('/help'))
  expect(server.to(finish).map(({ body }) => body)).toEqual([
    { code: 'c1', state: 's1', iss: 'https://idp.example', org_id: 7 },
  ])
  expect(server.to('/users/set-org')).toEqual([])
  expect(isAuthenticated()).toBe(true)
})

test('an answer that this browser did not ask for signs nobody in', async () => {
  const server = fakeServer({})
  visit('/sso/7?code=c1&state=foreign')
  expect(await screen.findByText('This sign-in was not started in this browser. Please start again.')).toBeTruthy()
  expect(server.to(finish)).toEqual([])
})

test('a refusal by the provider or Earshot can be read', async () => {
  fakeServer({
    [`POST ${start}`]: () => ({ body: { url: 'https://login.acme.example/authorize?state=s1' } }),
    [`POST ${finish}`]: () => refusedWith(403, 'forbidden', 'Your address is not one of Acme'),
  })
  await goToCompany('/auth')
  await waitFor(() => expect(sessionStorage.length).toBe(1))
  visit('/sso/7?code=c1&state=s1&iss=https%3A%2F%2Fidp.example')
  expect(await screen.findByText('Your address is not one of Acme')).toBeTruthy()

  visit('/sso?error=access_denied&error_description=The+user+declined')
  expect(await screen.findByText('The user declined')).toBeTruthy()
  expect(isAuthenticated()).toBe(false)
})

test('a domain without a provider says so', async () => {
  fakeServer({ [`POST ${start}`]: () => refusedWith(404, 'not_found', 'No company account for this address') })
  const leave = await goToCompany('/auth')
  expect(await screen.findByText('No company account for this address')).toBeTruthy()
  expect(leave).not.toHaveBeenCalled()
})

function aBrowserWithPasskeys(get: () => Promise<unknown>) {
  vi.stubGlobal('PublicKeyCredential', function PublicKeyCredential() {})
  vi.stubGlobal('navigator', { credentials: { get } })
}

const passkeys = '/api/public/passkeys'
const bytes = new Uint8Array([1, 2, 3]).buffer
const credential = {
  id: 'AQID',
  rawId: bytes,
  type: 'public-key',
  response: { authenticatorData: bytes, clientDataJSON: bytes, signature: bytes, userHandle: bytes },
  getClientExtensionResults: () => ({}),
}
const asking = {
  [`POST ${passkeys}/options`]: () => ({ body: { challenge_id: 'c1', options: { challenge: 'AQID' } } }),
}

test('a passkey signs in without a password', async () => {
  aBrowserWithPasskeys(() => Promise.resolve(credential))
  const server = fakeServer({ ...asking, [`POST ${passkeys}/verify`]: () => ({ body: tokens }), ...entering })
  const place = show(<AuthPage />, '/auth')
  press('Sign in with a passkey')

  await waitFor(() => expect(place.address()).toBe('/homepage'))
  expect(server.to(`${passkeys}/verify`)[0]?.body).toMatchObject({
    challenge_id: 'c1',
    response: { id: 'AQID', type: 'public-key', response: { signature: 'AQID', userHandle: 'AQID' } },
  })
})

test('the offer of passkeys is made anew before it expires, while the page is shown', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  aBrowserWithPasskeys(() => new Promise(() => undefined))
  Object.assign(PublicKeyCredential, { isConditionalMediationAvailable: async () => true })
  const server = fakeServer(asking)
  const asked = () => server.to(`${passkeys}/options`).length
  show(<AuthPage />, '/auth')
  await waitFor(() => expect(asked()).toBe(1))
  await vi.advanceTimersByTimeAsync(245_000)
  await waitFor(() => expect(asked()).toBe(2))
  const shown = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(asked()).toBe(2)
  shown.mockRestore()
  document.dispatchEvent(new Event('visibilitychange'))
  await waitFor(() => expect(asked()).toBe(3))
  vi.useRealTimers()
})

test('a passkey that is not used, or not known, leaves the form as it was', async () => {
  aBrowserWithPasskeys(() => Promise.reject(new DOMException('', 'NotAllowedError')))
  fakeServer({ ...asking, [`POST ${passkeys}/verify`]: () => refusedWith(401, 'unknown_passkey', 'No') })
  show(<AuthPage />, '/auth')
  press('Sign in with a passkey')
  expect(await screen.findByText('No passkey was used')).toBeTruthy()

  aBrowserWithPasskeys(() => Promise.resolve(credential))
  press('Sign in with a passkey')
  expect(await screen.findByText('Unable to sign in with the passkey')).toBeTruthy()
  expect(isAuthenticated()).toBe(false)
})

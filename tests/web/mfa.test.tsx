import { fireEvent, screen, waitFor } from '@testing-library/react'
import { notificationsStore } from '@mantine/notifications'
import { beforeEach, expect, test, vi } from 'vitest'
import { AuthPage } from '../../web/auth/auth-page'
import { isAuthenticated, resetSession } from '../../web/session/session'
import { entering, refusedWith, tokens } from './support/answers'
import { fill, press } from './support/forms'
import { fakeServer } from './support/server'
import { show } from './support/screen'

const obtain = 'POST /api/public/jwt-auth/obtain-token/'
const totp = '/users/profile/totp/login/123456/'
const recovery = '/api/public/mfa/recovery'
const owing = (...methods: string[]) => ({ [obtain]: () => ({ body: { token: 'eph', methods } }) })

beforeEach(resetSession)

async function passPassword() {
  const place = show(<AuthPage />, '/auth')
  fill('Username or e-mail', 'analyst')
  fill('Password', 'long enough')
  press('Sign in')
  await screen.findByRole('button', { name: 'Back' })
  return place
}

const digit = (number: number) => screen.getByLabelText<HTMLInputElement>(`Digit ${number} of 6`)
const typeCode = (code: string) => fireEvent.change(digit(1), { target: { value: code } })

test('six digits are sent as soon as they are complete, and sign in', async () => {
  const server = fakeServer({ ...owing('totp'), [`POST ${totp}`]: () => ({ body: tokens }), ...entering })
  const place = await passPassword()
  expect(digit(1).autocomplete).toBe('one-time-code')
  typeCode('12345')
  expect(server.to(totp)).toEqual([])
  typeCode('123456')

  await waitFor(() => expect(place.address()).toBe('/homepage'))
  expect(server.to(totp).map(({ body }) => body)).toEqual([{ eph_token: 'eph' }])
  expect(isAuthenticated()).toBe(true)
})

test.each([
  [['totp'], 1],
  [['totp', 'passkey'], 0],
])('after a code of %s a passkey is offered to who has none', async (methods, count) => {
  localStorage.removeItem('EarshotPasskeyOffer')
  vi.stubGlobal('PublicKeyCredential', { isUserVerifyingPlatformAuthenticatorAvailable: async () => true })
  fakeServer({ ...owing(...methods), [`POST ${totp}`]: () => ({ body: tokens }), ...entering })
  const place = await passPassword()
  typeCode('123456')
  await waitFor(() => expect(place.address()).toBe('/homepage'))
  const offers = () => notificationsStore.getState().notifications.filter(({ id }) => id === 'passkey-offer')
  await waitFor(() => expect(offers()).toHaveLength(count))
  notificationsStore.setState((state) => ({ ...state, notifications: [] }))
  vi.unstubAllGlobals()
})

test('a wrong code is told, and the next one can be typed at once', async () => {
  const server = fakeServer({ ...owing('totp'), [`POST ${totp}`]: () => refusedWith(401, 'wrong_code', 'No') })
  await passPassword()
  typeCode('123456')

  expect(await screen.findByText('Wrong 2FA code (or server error).')).toBeTruthy()
  await waitFor(() => expect(digit(6).value).toBe(''))
  // A sign in an empty field would look like a digit that is still there.
  expect(digit(6).placeholder).toBe('')
  expect(document.activeElement).toBe(digit(1))
  // A clock that is off makes every code a wrong one.
  expect(screen.getByText(/clock of the device/)).toBeTruthy()
  typeCode('123456')
  await waitFor(() => expect(server.to(totp)).toHaveLength(2))
})

test('too many codes say how long to wait', async () => {
  fakeServer({
    ...owing('totp'),
    [`POST ${totp}`]: () => ({
      ...refusedWith(429, 'throttled', 'Too many attempts'),
      headers: { 'retry-after': '8' },
    }),
  })
  await passPassword()
  typeCode('123456')
  expect(await screen.findByText('Too many attempts (wait 8 seconds)')).toBeTruthy()
})

test('Back clears the form', async () => {
  fakeServer(owing('totp'))
  await passPassword()
  press('Back')
  expect(screen.getByLabelText<HTMLInputElement>('Username or e-mail').value).toBe('')
  expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('')
})

test('a step that took too long says so, and asks for the password again', async () => {
  fakeServer({
    ...owing('totp'),
    [`POST ${totp}`]: () => refusedWith(401, 'challenge_expired', 'This sign-in has expired: begin again'),
  })
  await passPassword()
  typeCode('123456')
  expect(await screen.findByText('This sign-in has expired: begin again')).toBeTruthy()
  expect(await screen.findByLabelText('Username or e-mail')).toBeTruthy()
})

test('a recovery code serves in place of the app', async () => {
  const server = fakeServer({
    ...owing('totp', 'recovery'),
    [`POST ${recovery}`]: () => ({ body: tokens }),
    ...entering,
  })
  const place = await passPassword()
  press('Use a recovery code')
  fill('Recovery code', 'ABCD')
  press('Sign in')
  expect(screen.getByText('A recovery code is longer')).toBeTruthy()
  fill('Recovery code', 'ABCD-EFGH-JKLM-NPQR')
  press('Sign in')

  await waitFor(() => expect(place.address()).toBe('/homepage'))
  expect(server.to(recovery).map(({ body }) => body)).toEqual([{ eph_token: 'eph', code: 'ABCD-EFGH-JKLM-NPQR' }])
})

test('a wrong recovery code is told', async () => {
  fakeServer({ ...owing('recovery'), [`POST ${recovery}`]: () => refusedWith(401, 'wrong_code', 'No') })
  await passPassword()
  fill('Recovery code', 'ABCD-EFGH-JKLM-NPQR')
  press('Sign in')
  expect(await screen.findByText('Wrong 2FA code (or server error).')).toBeTruthy()
  expect(isAuthenticated()).toBe(false)
})

test('only what the account has is offered', async () => {
  fakeServer(owing('totp', 'recovery'))
  await passPassword()
  expect(screen.queryByRole('button', { name: 'Use a passkey' })).toBeNull()
})

test('a passkey is offered where the account has one, and a browser without them says so', async () => {
  fakeServer(owing('totp', 'passkey'))
  await passPassword()
  press('Use a passkey')
  expect(screen.getByText('This browser cannot use passkeys.')).toBeTruthy()
  press('Use a code of the authenticator app')
  expect(digit(1)).toBeTruthy()
})

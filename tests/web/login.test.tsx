import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { AuthPage } from '../../web/auth/auth-page'
import { isAuthenticated, resetSession } from '../../web/session/session'
import { fakeServer } from './support/server'
import { show } from './support/screen'

const obtain = 'POST /api/public/jwt-auth/obtain-token/'

beforeEach(resetSession)

function signInAs(username: string, password: string) {
  fireEvent.change(screen.getByLabelText('Username'), { target: { value: username } })
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
  const { asked } = fakeServer({})
  show(<AuthPage />, '/auth')
  signInAs(username, password)

  for (const message of messages) expect(screen.getByText(message)).toBeTruthy()
  expect(asked).toEqual([])
})

test('wrong credentials are told, and the session stays closed', async () => {
  fakeServer({ [obtain]: () => ({ status: 401, body: { code: 'wrong_credentials', message: 'No' } }) })
  show(<AuthPage />, '/auth')
  signInAs('analyst', 'long enough')

  expect(await screen.findByText('Wrong username or password')).toBeTruthy()
  expect(isAuthenticated()).toBe(false)
})

test('a failing step after the password is told by its name', async () => {
  fakeServer({
    [obtain]: () => ({ body: { access: 'a', refresh: 'r' } }),
    'POST /users/set-org': () => ({ status: 404, body: { code: 'not_found', message: 'Organization not found' } }),
  })
  show(<AuthPage />, '/auth')
  signInAs('analyst', 'long enough')

  expect(await screen.findByText('Unable to get organisation')).toBeTruthy()
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
    'POST /users/set-org': () => ({ body: { status: 'set', org_id: 1, org_name: 'Acme' } }),
    'GET /users/api/current': () => ({ body: { id: 1, username: 'analyst', orgs: [] } }),
  })
  const place = show(<AuthPage />, address)
  signInAs('analyst', 'long enough')

  await waitFor(() => expect(place.address()).toBe(expected))
  expect(isAuthenticated()).toBe(true)
})

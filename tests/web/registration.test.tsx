import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { resetSession } from '../../web/session/session'
import { aSessionUser, signInAs } from './support/account'
import { atHome, refusedWith } from './support/answers'
import { fill, press } from './support/forms'
import { fakeServer } from './support/server'
import { visit } from './support/visit'

const invitation = '/users/activate/t0k3n'
const valid = {
  [`GET ${invitation}`]: () => ({
    body: { status: 'valid', email: 'new@acme.example', step: 'register', org_name: 'Acme', invited_by: 'carla' },
  }),
}
const good = { username: 'new_user', password: 'Correct-Horse-9', again: 'Correct-Horse-9' }

beforeEach(resetSession)

async function register({ username, password, again }: typeof good) {
  const place = visit('/registration?token=t0k3n')
  await screen.findByLabelText('Username')
  fill('Username', username)
  fill('Password', password)
  fill('Password again', again)
  press('Register')
  return place
}

test('an invited person registers and is sent to the login with a word', async () => {
  const server = fakeServer({ ...valid, [`POST ${invitation}`]: () => ({ body: { status: 'success' } }) })
  const place = await register(good)

  await waitFor(() => expect(place.address()).toBe('/auth'))
  expect(await screen.findByText('Your account is ready: sign in.')).toBeTruthy()
  expect(server.to(invitation).at(-1)?.body).toEqual({
    email: 'new@acme.example',
    username: 'new_user',
    password: 'Correct-Horse-9',
    password_confirm: 'Correct-Horse-9',
    first_name: '',
    last_name: '',
  })
})

test('the address is that of the invitation and cannot be changed', async () => {
  fakeServer(valid)
  visit('/registration?token=t0k3n')
  const email = await screen.findByLabelText<HTMLInputElement>('E-mail')
  expect(email.value).toBe('new@acme.example')
  expect(email.readOnly).toBe(true)
  expect(screen.getByText('Acme').parentElement?.textContent).toBe('carla invites you to Acme.')
})

test('a signed-in user joins another organization and goes on without a sign-in', async () => {
  signInAs()
  const body = { status: 'valid', email: aSessionUser.email, step: 'confirm', org_name: 'Acme', invited_by: 'carla' }
  fakeServer({
    ...atHome,
    [`GET ${invitation}`]: () => ({ body }),
    [`POST ${invitation}/join`]: () => ({ body: { status: 'success' } }),
  })
  const place = visit('/registration?token=t0k3n')
  expect((await screen.findByText(/^There is an account/)).textContent).not.toContain('sign in')
  press('Join')
  await waitFor(() => expect(place.address()).toBe('/homepage'))
  expect(await screen.findByText(/^You are a member now: choose the organization/)).toBeTruthy()
})

test('a user who is signed in with another address is told so, and signs out before registering', async () => {
  signInAs()
  const server = fakeServer({ ...atHome, ...valid, 'POST /users/logout': () => ({ body: {} }) })
  visit('/registration?token=t0k3n')
  const told = await screen.findByText(/^You are signed in as/)
  expect(told.textContent).toBe(
    `You are signed in as ${aSessionUser.username}; this invitation is for new@acme.example.`,
  )
  expect(screen.queryByLabelText('Username')).toBeNull()
  expect(screen.getByRole('link', { name: 'Stay signed in' }).getAttribute('href')).toBe('/homepage')
  press('Sign out and go on')
  await screen.findByLabelText('Username')
  expect(server.to('/users/logout')).toHaveLength(1)
})

test('an invitation that cannot be looked at now stays in the address, for another try', async () => {
  const hidden = vi.spyOn(window.history, 'replaceState')
  fakeServer({ [`GET ${invitation}`]: () => refusedWith(503, 'busy', 'The service is busy') })
  visit('/registration?token=t0k3n')
  await screen.findByRole('button', { name: 'Reload' })
  expect(hidden).not.toHaveBeenCalled()
})

test.each(['/registration?token=t0k3n', '/registration'])(
  '%s without a valid invitation leads to the login',
  async (at) => {
    fakeServer({ [`GET ${invitation}`]: () => ({ body: { status: 'invalid', email: null } }) })
    const place = visit(at)
    await waitFor(() => expect(place.address()).toBe('/auth'))
    if (at.includes('token')) expect(await screen.findByText('This invitation does not hold any more')).toBeTruthy()
  },
)

test.each([
  [{ ...good, username: '' }, 'Username is required'],
  [{ ...good, username: 'abc' }, 'A username must be more than 3 characters long'],
  [{ ...good, username: 'New.User' }, 'A username can only contain lowercase letters, digits and underscore'],
  [{ ...good, password: '', again: '' }, 'Password is required'],
  [{ ...good, again: 'Correct-Horse-8' }, 'Password mismatch.'],
])('%o: %s', async (account, message) => {
  const server = fakeServer(valid)
  await register(account)
  expect(screen.getByText(message)).toBeTruthy()
  expect(server.to(invitation)).toHaveLength(1)
})

test('the rules of the password are ticked while it is typed', async () => {
  fakeServer(valid)
  visit('/registration?token=t0k3n')
  await screen.findByLabelText('Password')
  const met = () => [...document.querySelectorAll('li[data-met]')].map((rule) => rule.textContent)
  expect(met()).toEqual([])
  fill('Password', 'Correct9')
  expect(met()).toEqual(['Must have one uppercase character', 'Must have one number'])
  fill('Password', 'Correct-Horse-9')
  expect(met()).toHaveLength(4)
})

test('a username that is taken is told at its field', async () => {
  const issues = [{ path: ['username'], message: 'This username is taken' }]
  fakeServer({
    ...valid,
    [`POST ${invitation}`]: () => ({
      status: 400,
      body: { code: 'invalid', message: 'username: This username is taken', issues },
    }),
  })
  await register(good)
  expect(await screen.findByText('This username is taken')).toBeTruthy()
  expect(screen.queryByText(/^username:/)).toBeNull()
  expect(screen.getByLabelText('Username').getAttribute('aria-invalid')).toBe('true')
})

test('a new address is confirmed by a button, not by opening the link', async () => {
  const server = fakeServer({ 'POST /api/public/email/t0k3n': () => ({ body: { status: 'success' } }) })
  visit('/email/t0k3n')
  await screen.findByRole('button', { name: 'Confirm the address' })
  expect(server.to('/api/public/email/t0k3n')).toEqual([])
  press('Confirm the address')
  expect(await screen.findByText('Your new address is confirmed.')).toBeTruthy()
})

test('a confirmation that came too late says so', async () => {
  fakeServer({ 'POST /api/public/email/t0k3n': () => refusedWith(404, 'not_found', 'Link not found') })
  visit('/email/t0k3n')
  await screen.findByRole('button', { name: 'Confirm the address' })
  press('Confirm the address')
  expect(await screen.findByText('Link not found')).toBeTruthy()
})

test('the confirmation of an address for alerts promises no account', async () => {
  fakeServer({ 'POST /api/public/email/t0k3n': () => ({ body: { status: 'success' } }) })
  visit('/email/t0k3n?for=alerts')
  expect(await screen.findByText(/^Earshot will send this address the alerts/)).toBeTruthy()
  expect(screen.queryByText(/sign in with it/)).toBeNull()
  press('Confirm the address')
  expect(await screen.findByText('This address gets the alerts from now on.')).toBeTruthy()
  expect(screen.queryByRole('link', { name: 'Go to Earshot' })).toBeNull()
})

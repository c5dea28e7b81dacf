import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { resetSession } from '../../web/session/session'
import { refusedWith } from './support/answers'
import { fill, press } from './support/forms'
import { fakeServer } from './support/server'
import { visit } from './support/visit'

const ask = '/password_reset/'
const confirm = '/password_reset/confirm/'
const success = () => ({ body: { status: 'success' } })

beforeEach(resetSession)

async function askLink(email: string) {
  const place = visit('/lostpassword')
  await screen.findByLabelText('E-mail')
  fill('E-mail', email)
  press('Send me a link')
  return place
}

test('asking for a link is answered that an e-mail comes', async () => {
  const server = fakeServer({ [`POST ${ask}`]: success })
  await askLink('analyst@acme.example')
  expect(await screen.findByText('You will receive an email')).toBeTruthy()
  expect(server.to(ask)[0]?.body).toEqual({ email: 'analyst@acme.example' })
})

test('after asking one is led to the login in three seconds', async () => {
  fakeServer({ [`POST ${ask}`]: success })
  const place = await askLink('analyst@acme.example')
  await screen.findByText('You will receive an email')
  expect(place.address()).toBe('/lostpassword')
  await waitFor(() => expect(place.address()).toBe('/auth'), { timeout: 10_000 })
})

test.each([
  ['', 'E-mail is required'],
  ['nobody', 'E-mail must be valid'],
])('an address such as "%s" is not sent', async (email, message) => {
  const server = fakeServer({})
  await askLink(email)
  expect(screen.getByText(message)).toBeTruthy()
  expect(server.to(ask)).toEqual([])
})

test('a form whose Worker asks for a human waits for the check and sends its token', async () => {
  let solve: (token: string) => void = () => undefined
  globalThis.turnstile = { render: (_place, { callback }) => void (solve = callback) }
  const server = fakeServer({
    'GET /api/public/settings': () => ({ body: { turnstile_site_key: 'site', trial_days: 14 } }),
    [`POST ${ask}`]: success,
  })
  visit('/lostpassword')
  const send = await screen.findByRole<HTMLButtonElement>('button', { name: 'Send me a link' })
  await waitFor(() => expect(send.disabled).toBe(true))
  solve('a-token')
  await waitFor(() => expect(send.disabled).toBe(false))
  fill('E-mail', 'analyst@acme.example')
  press('Send me a link')
  await screen.findByText('You will receive an email')
  expect(server.to(ask)[0]?.body).toEqual({ email: 'analyst@acme.example', turnstile: 'a-token' })
  globalThis.turnstile = undefined
})

test.each([
  [403, 'Unable to send a link'],
  [429, 'No'],
  [500, 'Huh? Something goes wrong. Unable to send a link'],
])('a link that cannot be sent (%i) is told', async (status, message) => {
  fakeServer({ [`POST ${ask}`]: () => refusedWith(status, 'x', 'No') })
  await askLink('analyst@acme.example')
  expect(await screen.findByText(message)).toBeTruthy()
  expect(screen.queryByText('You will receive an email')).toBeNull()
})

async function setPassword(first: string, second: string) {
  const place = visit('/newpassword?token=t0k3n')
  await screen.findByLabelText('Password')
  fill('Password', first)
  fill('Password again', second)
  press('Set the new password')
  return place
}

test('a new password is set, told, and leads to the login after three seconds', async () => {
  const server = fakeServer({ [`POST ${confirm}`]: success })
  const place = await setPassword('Correct-Horse-9', 'Correct-Horse-9')

  expect(await screen.findByText('Your password has been successfully changed !')).toBeTruthy()
  expect(server.to(confirm)[0]?.body).toEqual({ token: 't0k3n', password: 'Correct-Horse-9', keep_access: false })
  expect(place.address()).toBe('/newpassword?token=t0k3n')
  await waitFor(() => expect(place.address()).toBe('/auth'))
})

test.each([
  ['Correct-Horse-9', 'Correct-Horse-8', 'Password mismatch.'],
  ['correct-horse-9', 'correct-horse-9', 'Must have one uppercase character'],
  ['Correct-Horse', 'Correct-Horse', 'Must have one number'],
  ['CorrectHorse9', 'CorrectHorse9', 'Must have one special character [!@#$%-_]'],
  ['Short-9', 'Short-9', 'The password must be longer than 8 characters'],
])('"%s" and "%s": %s', async (first, second, message) => {
  const server = fakeServer({})
  await setPassword(first, second)
  expect(screen.getAllByText(message).length).toBeGreaterThan(0)
  expect(server.to(ask)).toEqual([])
})

test('a link that no longer works is told, with the way to a new one', async () => {
  fakeServer({ [`POST ${confirm}`]: () => refusedWith(400, 'invalid_token', 'No') })
  await setPassword('Correct-Horse-9', 'Correct-Horse-9')
  expect(await screen.findByText('An error occured, please try again or try later.')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'ask for a new one' }).getAttribute('href')).toBe('/lostpassword')
})

test('without a token one is asked for', async () => {
  fakeServer({})
  const place = visit('/newpassword')
  await waitFor(() => expect(place.address()).toBe('/lostpassword'))
})

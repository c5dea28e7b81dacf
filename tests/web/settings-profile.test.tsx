import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { SettingsPage } from '../../web/settings/settings-page'
import { aProfile, signInAs } from './support/account'
import { refusal, settingsServer } from './support/account-server'
import { show } from './support/screen'

beforeEach(() => signInAs())

const update = 'POST /users/profile/update'
const type = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const card = (name: string) => within(screen.getByRole('region', { name }))

async function showProfile(answers: Parameters<typeof settingsServer>[0] = {}) {
  const server = settingsServer(answers)
  show(<SettingsPage />, '/settings')
  await screen.findByRole('heading', { name: 'Second factor (MFA)' })
  return server
}

test('a profile that cannot be read is told, and can be tried again', async () => {
  let isUp = false
  settingsServer({ 'GET /users/profile': () => (isUp ? { body: aProfile() } : refusal('No')) })
  show(<SettingsPage />, '/settings')

  expect((await screen.findAllByText('Unable to get user profile')).length).toBeGreaterThan(0)
  isUp = true
  press('Retry')
  expect(await screen.findByDisplayValue('Lovelace')).toBeTruthy()
})

test('names are saved', async () => {
  const server = await showProfile({ [update]: () => ({ body: { status: 'success' } }) })
  type('First name', 'Augusta')
  press('Save')

  expect(await screen.findByText('User profile updated !')).toBeTruthy()
  expect(server.to('/users/profile/update')[0]?.body).toEqual({ first_name: 'Augusta', last_name: 'Lovelace' })
})

test('names that are not saved are told, with the reason', async () => {
  await showProfile({ [update]: () => refusal('You are not allowed to do this') })
  press('Save')
  expect(await screen.findByText('Unable to update user profile :/')).toBeTruthy()
  expect(screen.getByText('You are not allowed to do this')).toBeTruthy()
})

test('a new e-mail address needs the password, and then a look into the mailbox', async () => {
  let isRight = false
  await showProfile({
    'POST /users/profile/email': () =>
      isRight ? { body: { status: 'success' } } : refusal('Invalid Password', 400, 'wrong_password'),
  })
  press('Change e-mail')
  type('New e-mail', 'not an address')
  press('Send the link')
  expect(await screen.findByText('E-mail must be valid')).toBeTruthy()
  expect(screen.getByText('Password is required')).toBeTruthy()

  type('New e-mail', 'new@example.org')
  type('Your password', 'wrong')
  press('Send the link')
  expect(await screen.findByText('Invalid Password')).toBeTruthy()

  isRight = true
  press('Send the link')
  expect(await screen.findByText('Check your mailbox')).toBeTruthy()
})

test('the rules of a new password show as one types, and the button waits for two that match', async () => {
  await showProfile()
  const change = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Change password' })
  const unmet = () => card('Password').queryAllByRole('img', { name: 'not met:' }).length
  expect(unmet()).toBe(4)
  expect(change().disabled).toBe(true)

  type('New password', 'Abcdefgh')
  expect(unmet()).toBe(3)
  type('New password again', 'Abcdefgh1!')
  expect(screen.getByText('Password mismatch.')).toBeTruthy()
  expect(change().disabled).toBe(true)

  type('New password', 'Abcdefgh1!')
  expect(unmet()).toBe(0)
  expect(screen.queryByText('Password mismatch.')).toBeNull()
  expect(change().disabled).toBe(false)
})

test('a password is changed; a wrong old one is told at its field', async () => {
  let isRight = false
  const server = await showProfile({
    'POST /users/profile/chpwd': () => ({
      ...(isRight ? { body: { status: 'success' } } : refusal('Invalid Password', 400, 'wrong_password')),
    }),
  })
  type('Old password', 'old')
  type('New password', 'Abcdefgh1!')
  type('New password again', 'Abcdefgh1!')
  press('Change password')
  expect(await screen.findByText('Unable to change the password')).toBeTruthy()
  expect(card('Password').getByText('Invalid Password')).toBeTruthy()

  isRight = true
  press('Change password')
  expect(await screen.findByText('Your password has been successfully changed !')).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>('Old password').value).toBe('')
  expect(server.to('/users/profile/chpwd')[1]?.body).toEqual({
    old_password: 'old',
    new_password1: 'Abcdefgh1!',
    new_password2: 'Abcdefgh1!',
  })
})

function typeCode(code: string) {
  for (const [at, input] of screen.getAllByLabelText('Digit of the code').entries())
    fireEvent.change(input, { target: { value: code[at] } })
}

test('MFA: six digits are sent by themselves, then it is enabled, and the codes are shown once', async () => {
  const server = await showProfile({
    'POST /users/profile/totp/create': () => ({
      body: { svg: '<svg xmlns="http://www.w3.org/2000/svg"/>', secret: 'JBSWY3DPEHPK3PXP' },
    }),
    'POST /users/profile/totp/verify_auth_totp': ({ body }) => ({
      ...(JSON.stringify(body).includes('123456') ? { body: { status: 'success' } } : refusal('OTP Incorrect', 400)),
    }),
    [update]: () => ({ body: { status: 'success', recovery_codes: ['aaaa-bbbb', 'cccc-dddd'] } }),
  })
  press('Enable MFA')
  const image = await screen.findByRole<HTMLImageElement>('img', { name: /QR code/ })
  expect(image.src).toMatch(/^data:image\/svg\+xml,/)
  expect(screen.getByText('JBSW Y3DP EHPK 3PXP')).toBeTruthy()
  const enable = screen.getByRole<HTMLButtonElement>('button', { name: 'Enable' })
  expect(enable.disabled).toBe(true)

  typeCode('000000')
  expect(await screen.findByText('OTP Incorrect')).toBeTruthy()
  await waitFor(() => expect(screen.getAllByLabelText<HTMLInputElement>('Digit of the code')[0]?.value).toBe(''))

  typeCode('123456')
  expect(await screen.findByText('OTP Correct')).toBeTruthy()
  await waitFor(() => expect(enable.disabled).toBe(false))
  fireEvent.click(enable)

  expect(await screen.findByText('User MFA update')).toBeTruthy()
  expect(await screen.findByText('aaaa-bbbb')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Download' }).getAttribute('href')).toContain('cccc-dddd')
  expect(server.to('/users/profile/update')[0]?.body).toEqual({ mfa_enabled: true })

  press('I have saved them')
  await waitFor(() => expect(screen.queryByText('aaaa-bbbb')).toBeNull())
})

test('MFA that cannot be enabled is told', async () => {
  await showProfile({ 'POST /users/profile/totp/create': () => refusal('No') })
  press('Enable MFA')
  expect(await screen.findByText('Unable to change MFA')).toBeTruthy()
})

test('MFA is disabled only after the password', async () => {
  let isRight = false
  const server = await showProfile({
    'GET /users/profile': () => ({ body: aProfile({ mfa_enabled: true, recovery_codes_left: 7 }) }),
    'POST /users/profile/check_password': () =>
      isRight ? { body: { status: 'success' } } : refusal('Invalid Password', 400),
    [update]: () => ({ body: { status: 'success' } }),
  })
  expect(screen.getByText('7 recovery codes left')).toBeTruthy()
  press('Disable MFA')
  expect(screen.getByText(/^To switch off the second factor, confirm .*, however lately you signed in/)).toBeTruthy()
  expect(screen.queryByText(/sign out and in again/)).toBeNull()
  type('Your password', 'wrong')
  press('Continue')
  expect(await screen.findByText('Invalid Password')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Disable' })).toBeNull()

  isRight = true
  press('Continue')
  fireEvent.click(await screen.findByRole('button', { name: 'Disable' }))
  expect(await screen.findByText('User MFA update')).toBeTruthy()
  expect(server.to('/users/profile/update')[0]?.body).toEqual({ mfa_enabled: false })
})

test('an account without a password is not asked for one, and can set one by mail', async () => {
  const server = await showProfile({
    'GET /users/profile': () => ({ body: aProfile({ has_password: false, mfa_enabled: true }) }),
    [update]: () => ({ body: { status: 'success' } }),
  })
  expect(screen.queryByLabelText('Old password')).toBeNull()
  for (const name of ['Set one by mail', 'Set a password by mail to change it'])
    expect(screen.getByRole('link', { name }).getAttribute('href')).toBe('/lostpassword')
  expect(screen.getByText(/ends all devices, passkeys, API tokens and the second factor/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Change e-mail' })).toBeNull()
  press('Disable MFA')
  fireEvent.click(await screen.findByRole('button', { name: 'Disable' }))
  expect(await screen.findByText('User MFA update')).toBeTruthy()
  expect(server.to('/users/profile/update')[0]?.body).toEqual({ mfa_enabled: false })
})

test('recovery codes are renewed without a password of their own, and shown once', async () => {
  const server = await showProfile({
    'GET /users/profile': () => ({ body: aProfile({ mfa_enabled: true, recovery_codes_left: 1 }) }),
    'POST /users/profile/recovery-codes': () => ({ body: { status: 'success', recovery_codes: ['eeee-ffff'] } }),
  })
  press('Renew recovery codes')
  fireEvent.click(await screen.findByRole('button', { name: 'Renew' }))
  expect(await screen.findByText('eeee-ffff')).toBeTruthy()
  expect(server.to('/users/profile/recovery-codes')[0]?.body).toEqual({})
  press('I have saved them')
  await waitFor(() => expect(screen.queryByText('eeee-ffff')).toBeNull())
})

test('the default token is renewed after a question, and shown once', async () => {
  const token = {
    id: 3,
    name: 'default',
    prefix: 'esh_Ab12',
    scope: 'write',
    reach: 'organization',
    org_id: 1,
    org_name: 'Acme',
    is_default: true,
    created_at: '2026-11-01T10:00:00Z',
    expires_at: null,
    last_used_at: null,
  }
  await showProfile({
    'GET /users/tokens': () => ({ body: [token] }),
    'POST /users/token/renew': () => ({ body: { status: 'success', token: 'esh_secret' } }),
  })
  expect(await screen.findByRole('columnheader', { name: 'Acts in' })).toBeTruthy()
  fireEvent.click(await screen.findByRole('button', { name: 'Renew the default token' }))
  press('Renew')
  expect(await screen.findByText("User's API Token updated !")).toBeTruthy()
  expect(screen.getByText('esh_secret')).toBeTruthy()
  press('I have copied it')
  await waitFor(() => expect(screen.queryByText('esh_secret')).toBeNull())
})

test('a new token has a name, a scope, a reach and an end', async () => {
  const server = await showProfile({
    'POST /users/tokens': () => ({ status: 201, body: { id: 4, token: 'esh_new' } }),
  })
  press('New token')
  press('Create')
  expect(await screen.findByText('Name is required')).toBeTruthy()
  type('Name', 'export')
  fireEvent.change(screen.getByLabelText('Acts in'), { target: { value: 'all' } })
  fireEvent.change(screen.getByLabelText('Expires after'), { target: { value: '' } })
  press('Create')
  expect(await screen.findByText('esh_new')).toBeTruthy()
  expect(server.to('/users/tokens').find(({ method }) => method === 'POST')?.body).toEqual({
    name: 'export',
    scope: 'read',
    reach: 'all',
  })
})

test('this device is marked and cannot be signed out here; another one can', async () => {
  const aSession = { ip: '192.0.2.1', created_at: '2026-11-01T10:00:00Z', last_seen: '2026-11-20T10:00:00Z' }
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0'
  const server = await showProfile({
    'GET /users/sessions': () => ({
      body: [
        { ...aSession, id: 1, user_agent: firefox, is_current: true },
        { ...aSession, id: 2, user_agent: 'curl/8.9', is_current: false },
      ],
    }),
    'DELETE /users/sessions/2': () => ({ body: { status: 'success' } }),
  })
  expect(await screen.findByText('Firefox on Linux')).toBeTruthy()
  expect(screen.getAllByText('This device')).toHaveLength(1)
  expect(screen.queryByRole('button', { name: 'Sign out Firefox on Linux' })).toBeNull()
  press('Sign out curl')
  expect(await screen.findByText('The device is signed out')).toBeTruthy()
  expect(server.to('/users/sessions/2')).toHaveLength(1)
})

test('of many sessions this device and the newest are shown, and all on request', async () => {
  const at = '2026-11-20T10:00:00Z'
  const sessions = Array.from({ length: 30 }, (_, index) => ({
    id: index + 1,
    user_agent: `curl/${index}`,
    ip: '',
    created_at: at,
    last_seen: at,
    is_current: index === 29,
  }))
  await showProfile({ 'GET /users/sessions': () => ({ body: sessions }) })
  expect(await screen.findByText('This device')).toBeTruthy()
  expect(card('Sessions').getAllByRole('listitem')).toHaveLength(10)
  press('Show all 30')
  expect(card('Sessions').getAllByRole('listitem')).toHaveLength(30)
})

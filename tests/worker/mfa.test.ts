import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  checkPassword,
  createTotp,
  getProfile,
  renewRecoveryCodes,
  updateProfile,
  verifyTotp,
} from '../../worker/account/contract'
import { currentUser } from '../../worker/auth/contract'
import { anOrg, caller, expectAnswer } from './support/org'
import { obtain, postRecoveryCode, postTotp, withTotp, wrongCode } from './support/sign-in'
import { currentCode, password } from '../support/credentials'

// A code must not grow old between its making and its use.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T10:00:00Z') }))
afterEach(() => void vi.useRealTimers())

test('with the second factor on, a password gives a token for it, and a code opens the session', async () => {
  const { world, username, call } = await anOrg()
  const { secret, verified, recovery_codes } = await withTotp({ call })
  expect(verified).toEqual({ status: 'success' })
  expect(new Set(recovery_codes).size).toBe(10)
  expect((await call(currentUser)).mfa_enabled).toBe(true)
  expect(await call(getProfile)).toMatchObject({ mfa_enabled: true, recovery_codes_left: 10 })

  const { body: owed } = await obtain(world, { username })
  expect(owed).toEqual({ token: expect.any(String), methods: ['totp', 'recovery'] })
  const { status, body } = await postTotp(world, owed.token, currentCode(secret))
  expect(status).toBe(200)
  expect((await caller(world, body.access ?? '').call(currentUser)).username).toBe(username)
})

test('a code of the app counts once, and so does the one it was set up with', async () => {
  const { world, username, call } = await anOrg()
  const { secret } = await withTotp({ call })
  const [one, other] = [(await obtain(world, { username })).body.token, (await obtain(world, { username })).body.token]
  expect((await postTotp(world, other, currentCode(secret, -1))).body.code).toBe('wrong_code')
  expect((await postTotp(world, one, currentCode(secret))).status).toBe(200)
  expect((await postTotp(world, other, currentCode(secret))).body.code).toBe('wrong_code')
  expect((await postTotp(world, other, currentCode(secret, 1))).status).toBe(200)
})

test('the same code sent many times at once opens one session', async () => {
  const { world, username, call } = await anOrg()
  const { secret } = await withTotp({ call })
  const tokens = await Promise.all(Array.from({ length: 4 }, () => obtain(world, { username })))
  const answers = await Promise.all(tokens.map(({ body }) => postTotp(world, body.token, currentCode(secret))))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
})

test('a sign-in has five tries, then even the right code comes too late', async () => {
  const { world, username, call } = await anOrg()
  const { secret } = await withTotp({ call })
  const { body } = await obtain(world, { username })
  for (let time = 0; time < 5; time++)
    expect((await postTotp(world, body.token, wrongCode(secret))).body).toMatchObject({ code: 'wrong_code' })
  expect(await world.sql`SELECT id FROM challenges WHERE kind = 'mfa'`).toEqual([])
  expect((await postTotp(world, body.token, currentCode(secret))).status).toBe(401)
})

test('the token of a sign-in works once, for five minutes, and is no access token', async () => {
  const { world, username, call } = await anOrg()
  const { secret } = await withTotp({ call })
  const { body: first } = await obtain(world, { username })
  expect((await caller(world, first.token ?? '').answer(currentUser)).status).toBe(401)
  expect((await postTotp(world, first.token, currentCode(secret))).status).toBe(200)
  expect((await postTotp(world, first.token, currentCode(secret, 1))).body.code).toBe('challenge_expired')
  const { body: second } = await obtain(world, { username })
  await world.sql`UPDATE challenges SET expires_at = '2026-01-01T00:00:00Z'`
  expect((await postTotp(world, second.token, currentCode(secret, 1))).body.code).toBe('challenge_expired')
})

test('a disabled user does not get in with a code', async () => {
  const { world, username, call } = await anOrg()
  const { secret, recovery_codes } = await withTotp({ call })
  const { body } = await obtain(world, { username })
  await world.sql`UPDATE users SET is_active = 0`
  expect((await postTotp(world, body.token, currentCode(secret))).status).toBe(401)
  expect((await postRecoveryCode(world, body.token, recovery_codes[0] ?? '')).status).toBe(401)
})

test('a recovery code works once, however it is typed', async () => {
  const { world, username, call } = await anOrg()
  const { recovery_codes } = await withTotp({ call })
  const typed = ` ${(recovery_codes[3] ?? '').toLowerCase().replaceAll('-', ' ')} `
  const signIn = async () => postRecoveryCode(world, (await obtain(world, { username })).body.token, typed)
  expect((await signIn()).status).toBe(200)
  expect((await signIn()).body.code).toBe('wrong_code')
  expect((await call(getProfile)).recovery_codes_left).toBe(9)
})

test('a recovery code of somebody else is wrong', async () => {
  const { world, username, call } = await anOrg()
  await withTotp({ call })
  const other = await withTotp(await anOrg({ world }))
  const { body } = await obtain(world, { username })
  expect((await postRecoveryCode(world, body.token, other.recovery_codes[0] ?? '')).body.code).toBe('wrong_code')
})

test('new recovery codes need the password and void the old ones', async () => {
  const { world, username, email, answer, call } = await anOrg()
  const { recovery_codes } = await withTotp({ call })
  expect((await answer(renewRecoveryCodes, { body: { password: 'Wrong-Horse-9!' } })).status).toBe(400)
  const renewed = await call(renewRecoveryCodes, { body: { password } })
  expect(renewed.recovery_codes).toHaveLength(10)
  const { body } = await obtain(world, { username })
  expect((await postRecoveryCode(world, body.token, recovery_codes[0] ?? '')).body.code).toBe('wrong_code')
  expect((await postRecoveryCode(world, body.token, renewed.recovery_codes[0] ?? '')).status).toBe(200)
  // Their holder gets in at any time.
  await world.deliver('earshot-deliveries', { reason: 'due' })
  expect(world.mails.map(({ to, subject }) => [to, subject])).toContainEqual([
    email,
    '[Earshot] Your recovery codes were made anew',
  ])
  expect(await world.sql`SELECT target FROM audit_log WHERE action = 'user.mfa_codes'`).toHaveLength(1)
})

test('an account without a password gets new recovery codes after a proof of the last five minutes', async () => {
  const { world, answer, call } = await anOrg()
  const { recovery_codes } = await withTotp({ call })
  await world.sql`UPDATE users SET password_hash = '!'`
  expect((await call(renewRecoveryCodes, { body: {} })).recovery_codes).not.toEqual(recovery_codes)
  await world.sql`UPDATE sessions SET proved_at = '2026-01-01T00:00:00Z'`
  await expectAnswer(answer(renewRecoveryCodes, { body: {} }), 403, { code: 'password_needed' })
})

test('switching on needs a verified code of the new secret', async () => {
  const { call, answer } = await anOrg()
  const turnOn = () => answer(updateProfile, { body: { mfa_enabled: true } })
  expect((await turnOn()).status).toBe(403)
  const { secret, svg } = await call(createTotp, { body: {} })
  expect(svg).toContain('<svg')
  expect((await turnOn()).status).toBe(403)
  await expectAnswer(answer(verifyTotp, { body: { otp: wrongCode(secret) } }), 400, { reason: 'OTP Incorrect' })
  expect((await turnOn()).status).toBe(403)
  expect(await call(verifyTotp, { body: { otp: currentCode(secret) } })).toEqual({ status: 'success' })
  expect((await turnOn()).status).toBe(200)
  expect((await turnOn()).status).toBe(409)
})

test('a change of names leaves the second factor on, proved a moment ago or not', async () => {
  const { world, call } = await anOrg()
  await withTotp({ call })
  await call(updateProfile, { body: { first_name: 'Carla' } })
  await world.sql`UPDATE sessions SET proved_at = NULL`
  await call(updateProfile, { body: { last_name: 'Analyst' } })
  expect(await call(getProfile)).toMatchObject({ first_name: 'Carla', last_name: 'Analyst', mfa_enabled: true })
  expect(await world.sql`SELECT count(*) AS left FROM recovery_codes`).toEqual([{ left: 10 }])
})

test('switching off needs the password of a moment ago, and clears secret and codes', async () => {
  const { world, username, call, answer } = await anOrg()
  await withTotp({ call })
  const forget = () => world.sql`UPDATE sessions SET proved_at = '2026-01-01T00:00:00Z'`
  const turnOff = () => answer(updateProfile, { body: { mfa_enabled: false } })
  await forget()
  await expectAnswer(turnOff(), 403, { code: 'password_needed' })
  expect((await answer(checkPassword, { body: { password: 'Wrong-Horse-9!' } })).status).toBe(400)
  expect((await turnOff()).status).toBe(403)

  expect(await call(checkPassword, { body: { password } })).toEqual({ status: 'success' })
  await forget()
  expect((await turnOff()).status).toBe(403)

  await call(checkPassword, { body: { password } })
  expect((await turnOff()).status).toBe(200)
  expect(await world.sql`SELECT totp_secret, mfa_enabled FROM users`).toEqual([{ totp_secret: null, mfa_enabled: 0 }])
  expect(await world.sql`SELECT * FROM recovery_codes`).toEqual([])
  expect((await obtain(world, { username })).body.access).toEqual(expect.any(String))
  await world.drain()
  const told = ['on', 'off'].map((way) => `[Earshot] Your second factor was switched ${way}`)
  expect(world.mails.map(({ subject }) => subject)).toEqual(told)
  expect(world.mails.at(-1)?.text).toContain('signs in with the password alone now')

  await withTotp({ call })
  await world.sql`UPDATE users SET password_hash = '!'`
  expect((await turnOff()).status).toBe(200)
  await world.drain()
  expect(world.mails.at(-1)?.text).toContain('signs in with its provider alone now')
})

test('a checked password counts only in its own session', async () => {
  const { world, username, call, answer } = await anOrg()
  const { secret } = await withTotp({ call })
  const { token } = (await obtain(world, { username })).body
  const other = caller(world, (await postTotp(world, token, currentCode(secret))).body.access ?? '')
  await world.sql`UPDATE sessions SET proved_at = NULL`
  await other.call(checkPassword, { body: { password } })
  expect((await answer(updateProfile, { body: { mfa_enabled: false } })).status).toBe(403)
  expect((await other.answer(updateProfile, { body: { mfa_enabled: false } })).status).toBe(200)
})

test('the QR code by GET is an image, for a deliberate call only', async () => {
  const { world, access } = await anOrg()
  const get = (headers: Record<string, string>) =>
    world.request('/users/profile/totp/create', { headers: { authorization: `JWT ${access}`, ...headers } })
  const image = await get({})
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  expect(image.headers.get('cache-control')).toBe('no-store')
  expect(await image.text()).toMatch(/^<svg/)
  expect((await get({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
})

test('secret and codes are not readable in the database', async () => {
  const { world, call } = await anOrg()
  const { secret, recovery_codes } = await withTotp({ call })
  const stored = JSON.stringify([
    await world.sql`SELECT * FROM users`,
    await world.sql`SELECT * FROM challenges`,
    await world.sql`SELECT * FROM recovery_codes`,
    await world.sql`SELECT * FROM audit_log`,
  ])
  for (const word of [secret, ...recovery_codes]) expect(stored).not.toContain(word)
})

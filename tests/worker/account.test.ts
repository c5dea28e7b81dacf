import { afterEach, expect, test, vi } from 'vitest'
import { askEmailChange, changePassword, checkPassword, getProfile, updateProfile } from '../../worker/account/contract'
import {
  createToken,
  deleteDefaultToken,
  endOtherSessions,
  endSession,
  getDefaultToken,
  listSessions,
  listTokens,
  removeToken,
  renewDefaultToken,
} from '../../worker/account/access-contract'
import { loadApi } from '../../worker/features'
import { accountRoutes } from '../../worker/account/routes'
import { currentUser } from '../../worker/auth/contract'
import { anOrg, caller, expectAnswer, rows } from './support/org'
import { obtain, post } from './support/sign-in'
import type { World } from './support/world'
import { password } from '../support/credentials'

afterEach(() => void vi.useRealTimers())

const newPassword = 'Brand-New-Horse-7!'
const withToken = (world: World, token: string) => (path: string, body?: unknown) =>
  world.request(path, {
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
const toggle = { vendor_name: 'acme', product_name: 'widget', monitored: true }
const change = (given: Record<string, string> = {}) => ({
  old_password: password,
  new_password1: newPassword,
  new_password2: newPassword,
  ...given,
})

test('a user reads and changes his own names', async () => {
  const { call, username, email } = await anOrg()
  expect(await call(getProfile)).toMatchObject({
    username,
    email,
    first_name: '',
    auth_token: null,
    has_password: true,
    mfa_enabled: false,
    recovery_codes_left: 0,
    profile: { manage_organization: false, manage_alert_slack: false },
  })
  expect(await call(updateProfile, { body: { first_name: 'Ada', last_name: 'Lovelace' } })).toEqual({
    status: 'success',
  })
  expect(await call(getProfile)).toMatchObject({ first_name: 'Ada', last_name: 'Lovelace' })
})

test('a changed name leaves the other one alone', async () => {
  const { call } = await anOrg()
  await call(updateProfile, { body: { first_name: 'Ada', last_name: 'Lovelace' } })
  await call(updateProfile, { body: { last_name: 'King' } })
  expect(await call(getProfile)).toMatchObject({ first_name: 'Ada', last_name: 'King' })
})

test('a form changes the names too', async () => {
  const { world, access, call } = await anOrg()
  const response = await world.request('/users/profile/update', {
    method: 'POST',
    headers: { authorization: `JWT ${access}` },
    body: new URLSearchParams({ first_name: 'Ada', last_name: 'Lovelace' }),
  })
  expect(await response.json()).toEqual({ status: 'success' })
  expect(await call(getProfile)).toMatchObject({ first_name: 'Ada', mfa_enabled: false })
})

test('a password change ends all other sessions, keeps this one, and is told by mail', async () => {
  const { world, username, email, call } = await anOrg()
  const other = (await obtain(world, { username })).body
  expect(await call(changePassword, { body: change() })).toEqual({ status: 'success' })
  expect((await call(currentUser)).username).toBe(username)
  expect((await caller(world, other.access ?? '').answer(currentUser)).status).toBe(401)
  expect((await post(world, '/api/public/jwt-auth/refresh-token/', { refresh: other.refresh })).status).toBe(401)
  expect((await obtain(world, { username })).status).toBe(401)
  expect((await obtain(world, { username, password: newPassword })).status).toBe(200)
  await world.drain()
  expect(world.mails.map(({ to, subject }) => [to, subject])).toEqual([[email, '[Earshot] Your password was changed']])
  expect(await world.sql`SELECT actor, action FROM audit_log WHERE action <> 'user.sign_in'`).toEqual([
    { actor: username, action: 'user.change_password' },
  ])
})

const invalidPassword = expect.objectContaining({ code: 'wrong_password', reason: 'Invalid Password' })

test('a password change needs the old one, and a new one that fits twice', async () => {
  const { world, username, answer } = await anOrg()
  const wrong = await answer(changePassword, { body: change({ old_password: 'Wrong-Horse-9!' }) })
  expect([wrong.status, await wrong.json()]).toEqual([400, invalidPassword])
  const messages = [
    [change({ new_password2: 'Another-Horse-7!' }), 'Password mismatch.'],
    [change({ new_password1: 'lower-case-7!', new_password2: 'lower-case-7!' }), 'Must have one uppercase character'],
    [change({ new_password1: 'No-Number-Here', new_password2: 'No-Number-Here' }), 'Must have one number'],
  ] as const
  for (const [body, message] of messages) {
    const response = await answer(changePassword, { body })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(message)])
  }
  expect((await obtain(world, { username })).status).toBe(200)
})

test('a guesser of passwords within a session must wait, and no other session with him', async () => {
  const { world, username, answer } = await anOrg()
  const other = caller(world, (await obtain(world, { username })).body.access ?? '')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const statuses: number[] = []
  for (let time = 0; time < 7; time++)
    statuses.push((await answer(checkPassword, { body: { password: 'Wrong-Horse-9!' } })).status)
  expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 429])
  expect((await answer(changePassword, { body: change() })).status).toBe(429)
  expect(await other.call(checkPassword, { body: { password } })).toEqual({ status: 'success' })
})

test('a new address counts once it is confirmed, and the old one hears of both', async () => {
  const { world, email, answer, call, org_id, username } = await anOrg()
  const wanted = 'new@example.org'
  const wrong = await answer(askEmailChange, { body: { email: wanted, password: 'Wrong-Horse-9!' } })
  expect([wrong.status, await wrong.json()]).toEqual([400, invalidPassword])
  await call(askEmailChange, { body: { email: wanted.toUpperCase(), password } })
  expect((await call(getProfile)).email).toBe(email)
  await world.drain()
  const token = /earshot\.test\/email\/([\w-]+)/.exec(world.mails.find(({ to }) => to === wanted)?.text ?? '')?.[1]
  expect(world.mails.map(({ to }) => to).sort()).toEqual([wanted, email].sort())

  expect((await post(world, `/api/public/email/${token}`, {})).body).toEqual({ status: 'success' })
  expect((await call(getProfile)).email).toBe(wanted)
  expect((await post(world, `/api/public/email/${token}`, {})).body.code).toBe('link_invalid')
  await world.drain()
  expect(world.mails.at(-1)).toMatchObject({ to: email, subject: '[Earshot] Your e-mail address was changed' })
  const logged = "SELECT target FROM audit_log WHERE action = 'user.change_email' AND org_id = ?1"
  expect(await rows(world.env, logged, org_id)).toEqual([{ target: username }])
  expect((await obtain(world, { username: wanted })).status).toBe(200)
})

test('an address that belongs to another account shows only to who reads its mail', async () => {
  const [ours, theirs] = [await anOrg(), await anOrg()]
  expect(await ours.call(askEmailChange, { body: { email: theirs.email, password } })).toEqual({ status: 'success' })
  await ours.world.drain()
  const mail = ours.world.mails.find(({ to }) => to === theirs.email)
  const token = /earshot\.test\/email\/([\w-]+)/.exec(mail?.text ?? '')?.[1]
  const { status, body } = await post(ours.world, `/api/public/email/${token}`, {})
  expect([status, body.code]).toEqual([409, 'email_taken'])
  expect((await ours.call(getProfile)).email).toBe(ours.email)
})

test('a user sees his sessions, and ends one or all others', async () => {
  const { world, username, call, answer } = await anOrg()
  const places = [{ device: 'Phone', ip: '203.0.113.1' }, { device: 'Tablet' }, { device: 'Laptop' }]
  const tokens: string[] = []
  for (const place of places) tokens.push((await obtain(world, { username }, place)).body.access ?? '')
  const findStatus = async (token = '') => (await caller(world, token).answer(currentUser)).status
  const seen = await call(listSessions)
  expect(seen.filter(({ is_current }) => is_current)).toHaveLength(1)
  const phone = seen.find(({ user_agent }) => user_agent === 'Phone')
  expect(phone).toMatchObject({ ip: '203.0.113.1', is_current: false })

  await call(endSession, { params: { id: phone?.id ?? 0 } })
  expect([await findStatus(tokens[0]), await findStatus(tokens[1])]).toEqual([401, 200])
  expect((await answer(endSession, { params: { id: phone?.id } })).status).toBe(404)
  await call(endOtherSessions, { body: {} })
  expect([await findStatus(tokens[1]), await findStatus(tokens[2])]).toEqual([401, 401])
  expect(await call(listSessions)).toHaveLength(1)
})

test("nobody ends another user's session", async () => {
  const [ours, theirs] = [await anOrg(), await anOrg()]
  const [session] = await theirs.call(listSessions)
  expect((await ours.answer(endSession, { params: { id: session?.id } })).status).toBe(404)
  await ours.call(endOtherSessions, { body: {} })
  expect((await theirs.answer(currentUser)).status).toBe(200)
})

test('an API token is shown once, stored as a hash, and acts in its organization', async () => {
  const { world, username, org_id, call } = await anOrg()
  const made = await call(createToken, { body: { name: 'CI', scope: 'write', expires_in_days: 30 } })
  expect(made.token).toMatch(/^esh_[\w-]{43}$/)
  expect(made.prefix).toBe(made.token.slice(0, 8))
  const [row] = await call(listTokens)
  expect(row).toMatchObject({
    name: 'CI',
    scope: 'write',
    reach: 'organization',
    org_id,
    is_default: false,
    last_used_at: null,
  })
  expect(JSON.stringify([row, await world.sql`SELECT * FROM api_tokens`])).not.toContain(made.token)

  const ask = withToken(world, made.token)
  expect(await (await ask('/users/api/current')).json()).toMatchObject({ username })
  expect((await ask('/api/monitor/product/toggle', toggle)).status).toBe(404)
  expect((await call(listTokens))[0]?.last_used_at).toEqual(expect.any(String))
  expect(await world.sql`SELECT action, target FROM audit_log`).toEqual([{ action: 'token.create', target: 'CI' }])
})

test('a token that only reads may not write', async () => {
  const { world, call } = await anOrg()
  const { token } = await call(createToken, { body: { name: 'Reader' } })
  await expectAnswer(withToken(world, token)('/api/monitor/product/toggle', toggle), 403, { code: 'read_only_token' })
  expect((await withToken(world, token)('/api/vulns/')).status).toBe(200)
})

const endings = {
  expired: "UPDATE api_tokens SET expires_at = '2026-01-01T00:00:00Z'",
  'of a disabled member': 'UPDATE members SET is_active = 0',
  'of a disabled user': 'UPDATE users SET is_active = 0',
  'of a disabled organization': 'UPDATE orgs SET is_active = 0',
  'of a former member': 'DELETE FROM members',
}
test.each(Object.entries(endings))('a token %s no longer works', async (_, sql) => {
  const { world, call } = await anOrg()
  const { token } = await call(createToken, { body: { name: 'CI', expires_in_days: 1 } })
  expect((await withToken(world, token)('/api/vulns/')).status).toBe(200)
  await world.env.DB.prepare(sql).run()
  await expectAnswer(withToken(world, token)('/api/vulns/'), 401, { code: 'token_not_valid' })
})

test('a token is removed by its owner alone', async () => {
  const [ours, theirs] = [await anOrg(), await anOrg()]
  const made = await theirs.call(createToken, { body: { name: 'CI' } })
  expect(await ours.call(listTokens)).toEqual([])
  expect((await ours.answer(removeToken, { params: { id: made.id } })).status).toBe(404)
  await theirs.call(removeToken, { params: { id: made.id } })
  expect((await withToken(theirs.world, made.token)('/api/vulns/')).status).toBe(401)
})

test('the default token is renewed and deleted, by POST as by GET', async () => {
  const { world, access, call } = await anOrg()
  expect(await call(getDefaultToken)).toEqual({ status: 'success', token: null })
  const { token: first } = await call(renewDefaultToken)
  const get = (path: string) => world.request(path, { headers: { authorization: `JWT ${access}` } })
  const { token: second } = (await (await get('/users/token/renew')).json()) as { token: string }
  expect(await call(getDefaultToken)).toEqual({ status: 'success', token: second.slice(0, 8) })
  expect((await call(getProfile)).auth_token).toBe(second.slice(0, 8))
  expect((await withToken(world, first)('/api/vulns/')).status).toBe(401)
  expect((await withToken(world, second)('/api/vulns/')).status).toBe(200)
  await get('/users/token/delete')
  expect((await withToken(world, second)('/api/vulns/')).status).toBe(401)
  expect(await call(deleteDefaultToken)).toEqual({ status: 'success' })
})

const own = accountRoutes.map(({ contract }) => contract)
/** Calls of clients with a token on the person behind it: names, rights and the beginning of the token. */
const alsoByToken = new Set(['GET /users/profile', 'POST /users/profile/update', 'GET /users/token/get'])
const named = own.map((contract): [string, typeof contract] => [`${contract.method} ${contract.path}`, contract])
test.each(named.filter(([name]) => !alsoByToken.has(name)))(
  '%s belongs to a signed-in person, not to an API token',
  async (_, { method, path, body }) => {
    const { world, call } = await anOrg()
    const { token } = await call(createToken, { body: { name: 'CI', scope: 'write' } })
    const before = await world.sql`SELECT * FROM users`
    const response = await world.request(path.replace(':id', '1'), {
      method,
      headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: JSON.stringify(body ? sample : {}) }),
    })
    expect([response.status, await response.json()]).toEqual([403, expect.objectContaining({ code: 'forbidden' })])
    expect(await world.sql`SELECT * FROM users`).toEqual(before)
  },
)

const sample = {
  ...change(),
  password,
  otp: '123456',
  email: 'new@example.org',
  name: 'Mine',
  challenge_id: 'x',
  response: {},
}

test('every call of the account is served', async () => {
  const served = new Set((await loadApi()).map(({ contract }) => contract))
  expect(own.length).toBeGreaterThan(20)
  expect(own.every((contract) => served.has(contract))).toBe(true)
})

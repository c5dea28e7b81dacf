import { expect, test } from 'vitest'
import {
  addPasskey,
  listPasskeys,
  passkeyOptions,
  removePasskey,
  renamePasskey,
} from '../../worker/account/passkeys-contract'
import { currentUser, passkeyLoginOptions } from '../../worker/auth/contract'
import { anAuthenticator, type Quirks } from './support/authenticator'
import { anOrg, caller, rows } from './support/org'
import { obtain, post, withTotp, type Org } from './support/sign-in'
import type { World } from './support/world'

type Device = Awaited<ReturnType<typeof anAuthenticator>>
type Options = { challenge: string; user: { id: string }; rpId?: string; allowCredentials?: { id: string }[] }

const begin = async (world: World, eph_token?: string) => {
  const { challenge_id, options } = await caller(world, null).call(passkeyLoginOptions, { body: { eph_token } })
  return { challenge_id, options: options as Options }
}
const finish = (world: World, challenge_id: string, response: unknown) =>
  post(world, '/api/public/passkeys/verify', { challenge_id, response })

async function register({ call, answer }: Pick<Org, 'call' | 'answer'>, device: Device, quirks?: Quirks) {
  const { challenge_id, options } = await call(passkeyOptions, { body: {} })
  const response = await device.create(options as Options, quirks)
  return answer(addPasskey, { body: { challenge_id, name: 'Laptop', response } })
}

async function signIn(world: World, device: Device, { quirks, token }: { quirks?: Quirks; token?: string } = {}) {
  const { challenge_id, options } = await begin(world, token)
  return finish(world, challenge_id, await device.get(options, quirks))
}

test('a passkey is added, signs in by itself, is renamed and removed', async () => {
  const org = await anOrg()
  const { world, username, call } = org
  const device = await anAuthenticator()
  expect((await register(org, device)).status).toBe(200)
  const [row] = await call(listPasskeys)
  expect(row).toMatchObject({ name: 'Laptop', last_used_at: null })

  const { status, body } = await signIn(world, device)
  expect(status).toBe(200)
  expect((await caller(world, body.access ?? '').call(currentUser)).username).toBe(username)
  expect((await call(listPasskeys))[0]?.last_used_at).toEqual(expect.any(String))

  const params = { id: row?.id ?? 0 }
  expect((await call(renamePasskey, { params, body: { name: 'Phone' } })).name).toBe('Phone')
  await call(removePasskey, { params })
  expect(await call(listPasskeys)).toEqual([])
  expect((await signIn(world, device)).body.code).toBe('passkey_refused')
  await world.drain()
  const told = ['[Earshot] A passkey was added', '[Earshot] A passkey was removed']
  expect(world.mails.map(({ subject }) => subject)).toEqual(told)
  expect(world.mails[1]?.text).toContain('"Phone"')
})

test('a passkey is two factors: alone it asks for no code, and it serves as the second one', async () => {
  const org = await anOrg()
  const { world, username } = org
  const device = await anAuthenticator()
  await withTotp(org)
  await register(org, device)
  expect((await signIn(world, device)).body.access).toEqual(expect.any(String))

  const { body: owed } = await obtain(world, { username })
  expect(owed['methods']).toEqual(['totp', 'recovery', 'passkey'])
  const { options } = await begin(world, owed.token)
  expect(options.allowCredentials).toHaveLength(1)
  expect((await signIn(world, device, { token: owed.token })).status).toBe(200)
  expect(await world.sql`SELECT id FROM challenges WHERE kind = 'mfa'`).toEqual([])
})

test('a passkey without a second factor asked for leaves the password alone enough', async () => {
  const org = await anOrg()
  await register(org, await anAuthenticator())
  expect((await obtain(org.world, { username: org.username })).body.access).toEqual(expect.any(String))
})

test('a passkey lets its owner in while others have blocked the account', async () => {
  const org = await anOrg()
  const { world, username, user_id } = org
  const device = await anAuthenticator()
  await register(org, device)
  for (let time = 0; time < 8; time++)
    await obtain(world, { username, password: 'Wrong-Horse-9!' }, { ip: `203.0.113.${time}` })
  expect((await signIn(world, device)).status).toBe(200)
  expect(await rows(world.env, `SELECT key FROM throttles WHERE key = 'account ${user_id}'`)).toEqual([])
})

test('as a second factor only a passkey of the same user counts', async () => {
  const [ours, theirs] = [await anOrg(), await anOrg()]
  const [device, foreign] = [await anAuthenticator(), await anAuthenticator()]
  await withTotp(ours)
  await register(ours, device)
  await register(theirs, foreign)
  const { body } = await obtain(ours.world, { username: ours.username })
  expect((await signIn(ours.world, foreign, { token: body.token })).body.code).toBe('passkey_refused')
})

test.each<[string, Quirks]>([
  ['of another origin', { origin: 'https://evil.test' }],
  ['for another host', { rpId: 'evil.test' }],
  ['without the finger or PIN', { isVerified: false }],
  ['of another ceremony', { type: 'webauthn.create' }],
])('an answer %s signs nobody in', async (_, quirks) => {
  const org = await anOrg()
  const device = await anAuthenticator()
  await register(org, device)
  const { status, body } = await signIn(org.world, device, { quirks })
  expect([status, body.code]).toEqual([401, 'passkey_refused'])
})

test.each<[string, Quirks]>([
  ['of another origin', { origin: 'https://evil.test' }],
  ['for another host', { rpId: 'evil.test' }],
  ['without the finger or PIN', { isVerified: false }],
])('an answer %s adds no passkey', async (_, quirks) => {
  const org = await anOrg()
  expect((await register(org, await anAuthenticator(), quirks)).status).toBe(400)
  expect(await org.call(listPasskeys)).toEqual([])
})

test('a challenge serves once, and a copied device shows by its counter', async () => {
  const org = await anOrg()
  const { world } = org
  const device = await anAuthenticator()
  await register(org, device)
  const { challenge_id, options } = await begin(world)
  const response = await device.get(options, { counter: 10 })
  expect((await finish(world, challenge_id, response)).status).toBe(200)
  expect((await finish(world, challenge_id, response)).body.code).toBe('challenge_expired')
  expect((await signIn(world, device, { quirks: { counter: 10 } })).body.code).toBe('passkey_refused')
  expect((await signIn(world, device, { quirks: { counter: 11 } })).status).toBe(200)
})

test('an answer to another challenge, or by a disabled user, is refused', async () => {
  const org = await anOrg()
  const { world } = org
  const device = await anAuthenticator()
  await register(org, device)
  const [one, other] = [await begin(world), await begin(world)]
  expect((await finish(world, one.challenge_id, await device.get(other.options))).status).toBe(401)
  await world.sql`UPDATE users SET is_active = 0`
  expect((await signIn(world, device)).status).toBe(401)
})

test("nobody adds to, sees, renames or removes another user's passkeys", async () => {
  const [ours, theirs] = [await anOrg(), await anOrg()]
  await register(theirs, await anAuthenticator())
  const [row] = await theirs.call(listPasskeys)
  const params = { id: row?.id }
  expect(await ours.call(listPasskeys)).toEqual([])
  expect((await ours.answer(renamePasskey, { params, body: { name: 'Mine' } })).status).toBe(404)
  expect((await ours.answer(removePasskey, { params })).status).toBe(404)
  expect(await theirs.call(listPasskeys)).toEqual([row])

  const { challenge_id, options } = await theirs.call(passkeyOptions, { body: {} })
  const response = await (await anAuthenticator()).create(options as Options)
  expect((await ours.answer(addPasskey, { body: { challenge_id, name: 'Mine', response } })).status).toBe(400)
})

test('an account without a passkey is offered none, and rubbish is a bad request', async () => {
  const { world, username, call } = await anOrg()
  await withTotp({ call })
  const { body } = await obtain(world, { username })
  expect((await post(world, '/api/public/passkeys/options', { eph_token: body.token })).status).toBe(400)
  expect((await finish(world, (await begin(world)).challenge_id, { id: 7 })).status).toBe(400)
  expect((await finish(world, 'nothing', await (await anAuthenticator()).get({ challenge: 'x' }))).status).toBe(401)
})

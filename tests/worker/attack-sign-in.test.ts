import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTotp, passkeyProofOptions, provePasskey, updateProfile, verifyTotp } from '../../worker/account/contract'
import { addPasskey, listPasskeys, passkeyOptions, removePasskey } from '../../worker/account/passkeys-contract'
import { currentUser, passkeyLoginOptions } from '../../worker/auth/contract'
import { currentCode } from '../support/credentials'
import { anAuthenticator } from './support/authenticator'
import { anOrg, caller, postJson, signInByPassword } from './support/org'
import { obtain, post, postRecoveryCode, postTotp, withTotp, type Org } from './support/sign-in'
import type { World } from './support/world'

const start = Date.parse('2026-11-20T10:00:00Z')
const [minute, day] = [60_000, 86_400_000]
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start }))
afterEach(() => void vi.useRealTimers())

type Device = Awaited<ReturnType<typeof anAuthenticator>>
type Options = { challenge: string; user: { id: string } }
async function register({ call, answer }: Pick<Org, 'call' | 'answer'>, device: Device) {
  const { challenge_id, options } = await call(passkeyOptions, { body: {} })
  const response = await device.create(options as Options)
  return answer(addPasskey, { body: { challenge_id, name: 'Laptop', response } })
}
const begin = async (world: World, eph_token?: string) => {
  const { challenge_id, options } = await caller(world, null).call(passkeyLoginOptions, { body: { eph_token } })
  return { challenge_id, options: options as Options }
}
const verify = (world: World, challenge_id: string, response: unknown) =>
  post(world, '/api/public/passkeys/verify', { challenge_id, response })

test('a token given for a password alone opens nothing while a factor is owed', async () => {
  const org = await anOrg()
  const { world, username } = org
  await withTotp(org)
  const { body: owed } = await obtain(world, { username })
  expect([owed.access, owed.refresh]).toEqual([undefined, undefined])
  const token = owed.token ?? ''
  for (const scheme of ['JWT', 'Bearer', 'Token']) {
    const answer = await world.request(currentUser.path, { headers: { authorization: `${scheme} ${token}` } })
    expect([scheme, answer.status]).toEqual([scheme, 401])
  }
  const asRefresh = await postJson(world, '/api/public/jwt-auth/refresh-token/', { refresh: token })
  const asAccess = await postJson(world, '/auth-jwt/verify/', { token })
  const asReset = await postJson(world, '/password_reset/confirm/', { token, password: 'Brand-New-Horse-7!' })
  const asPasskey = await verify(
    world,
    token,
    await (await anAuthenticator()).get({ challenge: 'x', user: { id: '' } }),
  )
  expect([asRefresh.status, asAccess.status, asReset.status, asPasskey.status]).toEqual([401, 401, 400, 401])
})

test('a code of the app and a recovery code open one session each, however many come at once', async () => {
  const org = await anOrg()
  const { world, username } = org
  const { secret, recovery_codes } = await withTotp(org)
  const owed = await Promise.all([1, 2, 3, 4, 5].map(async () => (await obtain(world, { username })).body.token))
  const opened = async (tries: ReturnType<typeof post>[]) =>
    (await Promise.all(tries)).filter(({ status }) => status === 200).length
  expect(await opened(owed.map((token) => postRecoveryCode(world, token, recovery_codes[0] ?? '')))).toBe(1)
  const again = await Promise.all([1, 2, 3, 4, 5].map(async () => (await obtain(world, { username })).body.token))
  expect(await opened(again.map((token) => postTotp(world, token, currentCode(secret))))).toBe(1)
  // One sign-in that is finished twice at once with two different codes.
  const { body } = await obtain(world, { username })
  await opened(recovery_codes.slice(1, 6).map((code) => postRecoveryCode(world, body.token, code)))
  expect((await postRecoveryCode(world, body.token, recovery_codes[7] ?? '')).body.code).toBe('challenge_expired')
})

test('nothing that opens a second factor stands in the database as it is', async () => {
  const org = await anOrg()
  const { secret: pending } = await org.call(createTotp, { body: {} })
  const setUp = JSON.stringify(await org.world.sql`SELECT * FROM challenges`)
  await org.call(verifyTotp, { body: { otp: currentCode(pending) } })
  const { recovery_codes = [] } = await org.call(updateProfile, { body: { mfa_enabled: true } })
  const stored = JSON.stringify([
    setUp,
    await org.world.sql`SELECT * FROM users`,
    await org.world.sql`SELECT * FROM recovery_codes`,
    await org.world.sql`SELECT * FROM audit_log`,
  ])
  const bits = [...pending].map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'))
  const bytes = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)
      ?.map((byte) => Number.parseInt(byte, 2)) ?? [],
  )
  const spellings = [pending, ...(['base64', 'base64url', 'hex'] as const).map((form) => bytes.toString(form))]
  expect(bytes).toHaveLength(20)
  for (const text of [...spellings, ...recovery_codes, ...recovery_codes.map((code) => code.replaceAll('-', ''))])
    expect(stored).not.toContain(text)
})

test('the challenge of a passkey is used once, for what it was made for and by whom', async () => {
  const [anna, bert] = [await anOrg(), await anOrg()]
  const { world } = anna
  const [hers, his] = [await anAuthenticator(), await anAuthenticator()]
  await register(anna, hers)
  await register({ ...bert }, his)

  const once = await begin(world)
  const answer = await hers.get(once.options)
  const both = await Promise.all([1, 2, 3].map(() => verify(world, once.challenge_id, answer)))
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])

  await withTotp(anna)
  const { body: owed } = await obtain(world, { username: anna.username })
  const second = await begin(world, owed.token)
  expect((await verify(world, second.challenge_id, await his.get(second.options))).status).toBe(401)

  const proof = await anna.call(passkeyProofOptions, { body: {} })
  const proved = await hers.get(proof.options as Options)
  expect((await verify(world, proof.challenge_id, proved)).status).toBe(401)
  const byHim = { challenge_id: proof.challenge_id, response: await his.get(proof.options as Options) }
  expect((await bert.answer(provePasskey, { body: byHim })).status).toBe(403)
  const entry = await begin(world)
  const asProof = { challenge_id: entry.challenge_id, response: await hers.get(entry.options) }
  expect((await anna.answer(provePasskey, { body: asProof })).status).toBe(403)
  const creation = await bert.call(passkeyOptions, { body: {} })
  const stolen = await hers.create(creation.options as Options)
  const adding = { challenge_id: creation.challenge_id, name: 'Mine', response: stolen }
  expect((await anna.answer(addPasskey, { body: adding })).status).toBe(400)
})

test('a factor that is removed ends the sign-ins that were begun with it', async () => {
  const org = await anOrg()
  const { world, username } = org
  const device = await anAuthenticator()
  await register(org, device)
  const { secret } = await withTotp(org)
  const { body: owed } = await obtain(world, { username })
  const [alone, second] = [await begin(world), await begin(world, owed.token)]
  const [row] = await org.call(listPasskeys)
  await org.call(removePasskey, { params: { id: row?.id ?? 0 } })
  for (const { challenge_id, options } of [alone, second])
    expect((await verify(world, challenge_id, await device.get(options))).status).toBe(401)
  await org.call(updateProfile, { body: { mfa_enabled: false } })
  expect((await postTotp(world, owed.token, currentCode(secret))).body.code).toBe('challenge_expired')
})

test('of two who switch the second factor on at once, one has the codes that count', async () => {
  const org = await anOrg()
  const { secret } = await org.call(createTotp, { body: {} })
  await org.call(verifyTotp, { body: { otp: currentCode(secret, -1) } })
  const answers = await Promise.all([1, 2, 3].map(() => org.answer(updateProfile, { body: { mfa_enabled: true } })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  const given = await answers.find(({ status }) => status === 200)?.json()
  const { body } = await obtain(org.world, { username: org.username })
  const [code] = (given as { recovery_codes: string[] }).recovery_codes
  expect((await postRecoveryCode(org.world, body.token, code ?? '')).status).toBe(200)
})

test('a code is not taken twice when the clock goes back, nor before its time', async () => {
  const org = await anOrg()
  const { world, username } = org
  const { secret } = await withTotp(org)
  const owe = async () => {
    // Waits have a test of their own.
    await world.sql`DELETE FROM throttles`
    return (await obtain(world, { username })).body.token
  }
  const [now, soon] = [currentCode(secret), currentCode(secret, 20)]
  expect((await postTotp(world, await owe(), soon)).status).toBe(401)
  expect((await postTotp(world, await owe(), now)).status).toBe(200)
  for (const jump of [-30_000, -10 * minute, -2 * day, 0]) {
    vi.setSystemTime(start + jump)
    expect((await postTotp(world, await owe(), now)).status).toBe(401)
  }
  vi.setSystemTime(start + 10 * minute)
  expect((await postTotp(world, await owe(), soon)).status).toBe(200)
})

test('sessions, links and challenges made while the clock was a year ahead do not live for that year', async () => {
  vi.setSystemTime(start + 365 * day)
  const { world, email, username, user_id } = await anOrg()
  const ahead = await signInByPassword(world, username)
  await postJson(world, '/password_reset/', { email })
  await world.drain()
  const token = /\?token=([\w-]+)/.exec(world.mails.at(-1)?.text ?? '')?.[1]
  await world.sql`UPDATE users SET mfa_enabled = 1, totp_secret = NULL WHERE id = ${user_id}`
  const { body: owed } = await obtain(world, { username })
  const passkey = await begin(world)

  vi.setSystemTime(start)
  expect((await ahead.answer(currentUser)).status).toBe(401)
  const refreshed = await postJson(world, '/api/public/jwt-auth/refresh-token/', { refresh: ahead.refresh })
  expect(refreshed.status).toBe(401)
  const reset = await postJson(world, '/password_reset/confirm/', { token, password: 'Brand-New-Horse-7!' })
  expect([reset.status, ((await reset.json()) as { code: string }).code]).toEqual([400, 'link_invalid'])
  expect((await postRecoveryCode(world, owed.token, 'AAAA-AAAA')).body.code).toBe('challenge_expired')
  const device = await anAuthenticator()
  expect((await verify(world, passkey.challenge_id, await device.get(passkey.options))).body.code).toBe(
    'challenge_expired',
  )
  // The reset that was asked for ahead does not keep the next one back.
  await postJson(world, '/password_reset/', { email })
  await world.drain()
  expect(world.mails.filter(({ subject }) => subject.includes('Set a new password'))).toHaveLength(2)
})

test('waits that were begun while the clock was ahead are over with it, and those before go on', async () => {
  const { world, username } = await anOrg()
  const fail = async (times: number) => {
    for (let time = 0; time < times; time++)
      await obtain(world, { username, password: 'Wrong-Horse-9!' }, { ip: `198.51.100.${time}` })
  }
  vi.setSystemTime(start + 365 * day)
  await fail(8)
  vi.setSystemTime(start)
  expect((await obtain(world, { username }, { ip: '203.0.113.1' })).status).toBe(200)
  await fail(12)
  expect((await obtain(world, { username }, { ip: '203.0.113.2' })).status).toBe(429)
  vi.setSystemTime(start - 5 * minute)
  expect((await obtain(world, { username }, { ip: '203.0.113.2' })).status).toBe(429)
  vi.setSystemTime(start + 20 * minute)
  expect((await obtain(world, { username }, { ip: '203.0.113.2' })).status).toBe(200)
})

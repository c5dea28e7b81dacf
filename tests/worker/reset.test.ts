import { afterEach, expect, test, vi } from 'vitest'
import { currentUser } from '../../worker/auth/contract'
import { publicSettings } from '../../worker/auth/settings-contract'
import { anOrg, caller, rows } from './support/org'
import { obtain, post, postTotp, withTotp } from './support/sign-in'
import { medianRatio } from './support/timing'
import { aWorld, type World } from './support/world'
import { currentCode, password } from '../support/credentials'

afterEach(() => vi.restoreAllMocks())

const newPassword = 'Brand-New-Horse-7!'
const ask = (world: World, email: string, more: { ip?: string; turnstile?: string } = {}) =>
  post(world, '/password_reset/', { email, turnstile: more.turnstile }, { ip: more.ip })
const confirm = (world: World, token: string, wanted = newPassword) =>
  post(world, '/password_reset/confirm/', { token, password: wanted })

async function linkFor(world: World, email: string) {
  await ask(world, email)
  await world.drain()
  const mail = world.mails.findLast(({ subject }) => subject === '[Earshot] Set a new password')
  return /https:\/\/earshot\.test\/newpassword\?token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? ''
}

test('a link by mail sets a new password, ends all sessions and says so', async () => {
  const { world, username, email, answer, refresh } = await anOrg()
  const token = await linkFor(world, email.toUpperCase())
  expect((await confirm(world, token)).body).toEqual({ status: 'success' })
  expect((await answer(currentUser)).status).toBe(401)
  expect((await post(world, '/api/public/jwt-auth/refresh-token/', { refresh })).status).toBe(401)
  expect((await obtain(world, { username })).status).toBe(401)
  expect((await obtain(world, { username, password: newPassword })).status).toBe(200)
  await world.drain()
  expect(world.mails.map(({ to, subject }) => [to, subject])).toEqual([
    [email, '[Earshot] Set a new password'],
    [email, '[Earshot] Your password was changed'],
  ])
})

test('a link works once, for an hour, and voids those of before', async () => {
  const { world, email } = await anOrg()
  const anotherLink = async () => {
    await world.sql`DELETE FROM mail_allowances`
    return linkFor(world, email)
  }
  const [first, second] = [await anotherLink(), await anotherLink()]
  expect((await confirm(world, second, 'weak')).status).toBe(400)
  expect((await confirm(world, second)).status).toBe(200)
  expect((await confirm(world, second)).body.code).toBe('link_invalid')
  expect((await confirm(world, first)).body.code).toBe('link_invalid')
  const third = await anotherLink()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 })
  expect((await confirm(world, third)).body.code).toBe('link_invalid')
  vi.useRealTimers()
  expect((await confirm(world, 'nonsense')).status).toBe(400)
})

test('the second factor stays, and the waits of the account are over', async () => {
  const { world, username, email, call } = await anOrg()
  const { secret } = await withTotp({ call })
  const { body: before } = await obtain(world, { username }, { ip: '203.0.113.99' })
  for (let time = 0; time < 8; time++)
    await obtain(world, { username, password: 'Wrong-Horse-9!' }, { ip: `203.0.113.${time}` })
  await confirm(world, await linkFor(world, email))
  expect((await postTotp(world, before.token, currentCode(secret))).body.code).toBe('challenge_expired')
  const { body } = await obtain(world, { username, password: newPassword }, { ip: '203.0.113.77' })
  expect(body['methods']).toContain('totp')
  expect((await postTotp(world, body.token, currentCode(secret))).status).toBe(200)
})

test('an unknown or disabled address gets the same answer, and no mail', async () => {
  const { world, email } = await anOrg()
  const known = await ask(world, email)
  const unknown = await ask(world, 'nobody@example.org')
  expect(unknown).toEqual(known)
  await world.sql`UPDATE users SET is_active = 0`
  expect(await ask(world, email)).toEqual(known)
  await world.drain()
  expect(world.mails.map(({ to }) => to)).toEqual([email])
  expect(await world.sql`SELECT email FROM links`).toEqual([{ email }])
})

test('a link of a user who was disabled since sets nothing', async () => {
  const { world, email } = await anOrg()
  const token = await linkFor(world, email)
  await world.sql`UPDATE users SET is_active = 0`
  expect((await confirm(world, token)).status).toBe(400)
})

test('time does not tell a known address from an unknown one', { timeout: 60_000, retry: 2 }, async () => {
  const { world, email } = await anOrg()
  // The clock of the runtime counts milliseconds: five at a time are long enough for it.
  const askFive = async (address: (one: number) => string) => {
    for (let one = 0; one < 5; one++) {
      await world.sql`DELETE FROM mail_allowances`
      await ask(world, address(one), { ip: `10.0.0.${one}` })
    }
  }
  const ratio = await medianRatio(
    () => askFive(() => email),
    (time) => askFive((one) => `nobody${time}-${one}@example.org`),
    () => world.sql`DELETE FROM throttles`,
  )
  expect(ratio).toBeGreaterThan(0.8)
  expect(ratio).toBeLessThan(1.2)
})

test('nobody floods a mailbox, nor keeps its owner from a link: one mail in ten minutes, known or not', async () => {
  const { world, email } = await anOrg()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  let host = 0
  const askFromAnywhere = (address: string) => ask(world, address, { ip: `198.51.100.${++host}` })
  for (const address of [email, 'nobody@example.org']) {
    const statuses: number[] = []
    for (let time = 0; time < 8; time++) statuses.push((await askFromAnywhere(address)).status)
    expect(statuses).toEqual(statuses.map(() => 200))
  }
  const first = await linkFor(world, email)
  expect(world.mails).toHaveLength(1)
  vi.setSystemTime(Date.now() + 601_000)
  expect(await linkFor(world, email)).not.toBe(first)
  expect(world.mails).toHaveLength(2)
  expect((await confirm(world, first)).status).toBe(200)
  vi.useRealTimers()
})

test('a link waits behind no thousand reports', async () => {
  const { world, email } = await anOrg()
  await rows(
    world.env,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
    INSERT INTO mails("to", kind, subject, html, text, status, next_attempt_at, created_at)
    SELECT 'reader-' || i || '@example.com', 'report', 'A report', '', 'A report', 'pending', ?1, ?1 FROM n`,
    '2026-01-01T00:00:00Z',
  )
  await ask(world, email)
  await world.drain()
  const places = world.mails.map(({ to }) => to)
  expect([places.length, places.indexOf(email) < 10]).toEqual([61, true])
})

test('tokens of links are stored as hashes, and no longer in a mail that was sent', async () => {
  const { world, email } = await anOrg()
  const token = await linkFor(world, email)
  expect(token).not.toBe('')
  const stored = [await world.sql`SELECT * FROM links`, await world.sql`SELECT * FROM mails`]
  expect(JSON.stringify(stored)).not.toContain(token)
})

test('the public settings name version, edition and build of the configuration', async () => {
  const { call } = caller(aWorld(), null)
  expect(await call(publicSettings)).toMatchObject({ version: '1.3.0', edition: 'Pro', build: 'SaaS' })
  const bare = aWorld({
    APP_VERSION: undefined,
    APP_EDITION: undefined,
    APP_BUILD: undefined,
    SUPPORT_EMAIL: undefined,
  })
  const unnamed = { version: '1.0.0-RC1', edition: null, build: null, contact: null }
  const pages = { TERMS_URL: 'https://earshot.test/terms', PRIVACY_URL: 'javascript:alert(1)', PLANS_URL: '' }
  const reached = aWorld({ SUPPORT_EMAIL: 'help@earshot.test', ...pages })
  expect(await caller(reached, null).call(publicSettings)).toMatchObject({
    contact: 'help@earshot.test',
    terms_url: 'https://earshot.test/terms',
    privacy_url: null,
    plans_url: null,
  })
  expect(await caller(bare, null).call(publicSettings)).toMatchObject(unnamed)
  const own = (await (await bare.request('/api/docs/openapi.json')).json()) as { info: { version: string } }
  expect(own.info.version).toBe('1.0.0-RC1')
})

test('the public settings name the Turnstile key, when there is one', async () => {
  expect(await caller(aWorld(), null).call(publicSettings)).toMatchObject({ turnstile_site_key: null, trial_days: 14 })
  const world = aWorld({ TURNSTILE_SITE_KEY: 'site' })
  expect((await caller(world, null).call(publicSettings)).turnstile_site_key).toBe('site')
})

test('with a Turnstile secret only humans ask for a link', async () => {
  const asked: string[] = []
  vi.spyOn(console, 'error').mockReturnValue()
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    asked.push(`${String(input)} ${String(init?.body)}`)
    if (String(init?.body).includes('response=broken')) return new Response('<html>', { status: 502 })
    if (String(init?.body).includes('response=down')) throw new TypeError('network')
    return Response.json({ success: String(init?.body).includes('response=human') })
  })
  const { world, email } = await anOrg({ world: aWorld({ TURNSTILE_SECRET: 'secret' }) })
  for (const turnstile of [undefined, 'robot', 'broken', 'down']) {
    const { status, body } = await ask(world, email, { turnstile })
    expect([status, body.code]).toEqual([403, 'not_human'])
  }
  expect((await ask(world, email, { turnstile: 'human', ip: '203.0.113.5' })).status).toBe(200)
  expect(asked.at(-1)).toBe(
    'https://challenges.cloudflare.com/turnstile/v0/siteverify secret=secret&response=human&remoteip=203.0.113.5',
  )
  expect((await obtain(world, { username: 'nobody', password })).status).toBe(401)
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hashToken } from '../../worker/auth/keys'
import { tokenMailedTo } from './support/member'
import { anOrg } from './support/org'
import { obtain, post, postRecoveryCode, postTotp, withTotp, wrongCode, type SignInAnswer } from './support/sign-in'
import type { World } from './support/world'
import { currentCode } from '../support/credentials'

// Each try costs a hash; the machine may be busy.
vi.setConfig({ testTimeout: 60_000 })

// A wait of one second must not end before the test looks at it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T10:00:00Z') }))
afterEach(() => void vi.useRealTimers())

const wrong = 'Wrong-Horse-9!'
let hosts = 0
const elsewhere = () => `198.51.${(++hosts >> 8) & 255}.${hosts & 255}`

/** Fails at an account from ever new addresses, so that only the account itself counts. */
async function failFromEverywhere(world: World, username: string, times: number) {
  const answers: SignInAnswer[] = []
  for (let time = 0; time < times; time++)
    answers.push(await obtain(world, { username, password: wrong }, { ip: elsewhere() }))
  return answers
}

const blockFor = (world: World, username: string) => failFromEverywhere(world, username, 7)
const wait = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

test('each failure after the fifth makes the account wait longer, and an unknown name just the same', async () => {
  const { world, username } = await anOrg()
  const seen: Record<string, unknown[]> = {}
  for (const name of [username, 'nobody']) {
    const first = await failFromEverywhere(world, name, 6)
    expect([name, ...first.map(({ status }) => status)]).toEqual([name, 401, 401, 401, 401, 401, 401])
    const waits: unknown[] = []
    for (let time = 0; time < 11; time++) {
      const [stopped] = await failFromEverywhere(world, name, 1)
      waits.push([stopped?.status, stopped?.retry_after, stopped?.body])
      wait(Number(stopped?.retry_after))
      expect((await failFromEverywhere(world, name, 1)).map(({ status }) => status)).toEqual([401])
    }
    seen[name] = waits
  }
  expect(seen['nobody']).toEqual(seen[username])
  const retries = seen['nobody']?.map((one) => (one as unknown[])[1])
  expect(retries).toEqual(['1', '2', '4', '8', '16', '32', '64', '128', '256', '512', '900'])
  expect(seen['nobody']?.[0]).toEqual([
    429,
    '1',
    { code: 'throttled', message: expect.any(String), detail: expect.any(String) },
  ])
})

test('while an account waits, the right password of somebody at a new place waits too', async () => {
  const { world, username } = await anOrg()
  await blockFor(world, username)
  expect((await obtain(world, { username }, { ip: elsewhere() })).status).toBe(429)
})

test('an attacker does not lock out whoever has signed in from his address before', async () => {
  const { world, username } = await anOrg()
  const home = { ip: '203.0.113.7' }
  expect((await obtain(world, { username }, home)).status).toBe(200)
  await blockFor(world, username)
  expect((await obtain(world, { username, password: wrong }, home)).status).toBe(401)
  expect((await obtain(world, { username }, home)).status).toBe(200)
})

test('while an account waits, a right password is not told from a wrong one, with a second factor either', async () => {
  const { world, username, call } = await anOrg()
  await withTotp({ call })
  await blockFor(world, username)
  const [wrongOne, rightOne] = [
    await obtain(world, { username, password: wrong }, { ip: elsewhere() }),
    await obtain(world, { username }, { ip: elsewhere() }),
  ]
  expect(rightOne).toEqual(wrongOne)
  expect(rightOne.status).toBe(429)
})

test('a user locked out by others resets the password and gets in from there', async () => {
  const { world, username, email } = await anOrg()
  const [here, changed] = [{ ip: elsewhere() }, 'Other-Stable-8?']
  await blockFor(world, username)
  for (let time = 0; time < 12; time++) await post(world, '/password_reset/', { email }, { ip: elsewhere() })
  await post(world, '/password_reset/', { email }, here)
  const token = await tokenMailedTo(world, email)
  expect(world.mails.filter(({ subject }) => subject.includes('new password'))).toHaveLength(1)
  expect((await post(world, '/password_reset/confirm/', { token, password: changed }, here)).status).toBe(200)
  await blockFor(world, username)
  expect((await obtain(world, { username, password: changed }, { ip: elsewhere() })).status).toBe(429)
  expect((await obtain(world, { username, password: changed }, here)).status).toBe(200)
})

test('failures at one name of a person tell nothing about another', async () => {
  const { world, username, email } = await anOrg()
  await blockFor(world, username)
  expect((await obtain(world, { username }, { ip: elsewhere() })).status).toBe(429)
  expect((await obtain(world, { username: email, password: wrong }, { ip: elsewhere() })).status).toBe(401)
})

test('wrong codes over many sign-ins wait as well, but a recovery code lets its owner in', async () => {
  const { world, username, call } = await anOrg()
  const { secret, recovery_codes } = await withTotp({ call })
  const tryCode = async (code: string) => {
    const here = { ip: elsewhere() }
    const { body } = await obtain(world, { username }, here)
    return (await postTotp(world, body.token, code, here)).status
  }
  const statuses: number[] = []
  for (let time = 0; time < 7; time++) statuses.push(await tryCode(wrongCode(secret)))
  expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429])
  expect(await tryCode(currentCode(secret))).toBe(429)
  const { body } = await obtain(world, { username }, { ip: elsewhere() })
  expect((await postRecoveryCode(world, body.token, recovery_codes[0] ?? '')).status).toBe(200)
})

test('an address that fails at many accounts waits for all of them, with its whole IPv6 network', async () => {
  const { world, username } = await anOrg()
  for (let time = 0; time < 22; time++)
    await obtain(world, { username: `nobody${time}`, password: wrong }, { ip: `2001:db8:0:1::${time}` })
  expect((await obtain(world, { username }, { ip: '2001:db8:0:1:ffff::1' })).status).toBe(429)
  expect((await obtain(world, { username }, { ip: '2001:db8:0:2::1' })).status).toBe(200)
})

test('a try that is stopped costs its account nothing', async () => {
  const { world, username } = await anOrg()
  const here = { ip: elsewhere() }
  for (let time = 0; time < 12; time++) await obtain(world, { username, password: wrong }, here)
  expect(await world.sql`SELECT failures FROM throttles WHERE key = ${`account ${await hashToken(username)}`}`).toEqual(
    [{ failures: 6 }],
  )
})

test('a right password clears the pair and leaves the other counts as they were', async () => {
  const { world, username } = await anOrg()
  const here = { ip: elsewhere() }
  for (let time = 0; time < 3; time++) await obtain(world, { username, password: wrong }, here)
  expect((await obtain(world, { username }, here)).status).toBe(200)
  const left = await world.sql<{
    key: string
    failures: number
  }>`SELECT key, failures FROM throttles WHERE failures > 0`
  expect(left.map(({ key, failures }) => [key.split(' ')[0], failures]).sort()).toEqual([
    ['account', 3],
    ['address', 3],
  ])
})

test('many tries at once are no more than one after the other', async () => {
  const { world, username } = await anOrg()
  const here = { ip: elsewhere() }
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => obtain(world, { username, password: wrong }, here)),
  )
  expect(answers.filter(({ status }) => status === 401).length).toBe(6)
  expect(answers.filter(({ status }) => status === 429).length).toBe(14)
})

test('a wait is forgiven step by step', async () => {
  const { world, username } = await anOrg()
  await blockFor(world, username)
  wait(4 * 900)
  expect((await failFromEverywhere(world, username, 3)).map(({ status }) => status)).toEqual([401, 401, 401])
})

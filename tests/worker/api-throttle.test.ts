import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createToken } from '../../worker/account/access-contract'
import { currentUser } from '../../worker/auth/contract'
import { inviteUsers } from '../../worker/orgs/members/contract'
import { anOrg, caller, rows } from './support/org'
import { aWorld } from './support/world'

// Each test has a day of its own, so that the buckets of the one before are full again.
let day = Date.parse('2030-01-01T00:00:00Z')
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: (day += 86_400_000) }))
afterEach(() => void vi.useRealTimers())
const wait = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

const aThrottledWorld = () => aWorld({ RATE_SCALE: '1' })

test('an API token makes twenty calls at once and then five a second, and hears when it may go on', async () => {
  const world = aThrottledWorld()
  const { call } = await anOrg({ world })
  const { token } = await call(createToken, { body: { name: 'script' } })
  const ask = () => world.request('/users/api/current', { headers: { authorization: `Token ${token}` } })
  const first = await ask()
  expect([first.status, first.headers.get('ratelimit'), first.headers.get('ratelimit-policy')]).toEqual([
    200,
    '"token";r=19;t=1',
    '"token";q=20;w=4',
  ])
  const statuses: number[] = []
  for (let times = 0; times < 20; times++) statuses.push((await ask()).status)
  expect(statuses).toEqual([...Array.from({ length: 19 }, () => 200), 429])
  const late = await ask()
  expect([late.headers.get('retry-after'), late.headers.get('ratelimit')]).toEqual(['1', '"token";r=0;t=4'])
  expect(await late.json()).toMatchObject({ code: 'throttled' })
  wait(1)
  const after: number[] = []
  for (let times = 0; times < 6; times++) after.push((await ask()).status)
  expect(after).toEqual([200, 200, 200, 200, 200, 429])
})

test('the plan of an organization may grant its tokens another rate', async () => {
  const world = aThrottledWorld()
  const { call, org_id } = await anOrg({ world })
  await rows(world.env, 'UPDATE orgs SET api_rate = 1 WHERE id = ?1', org_id)
  const { token } = await call(createToken, { body: { name: 'script' } })
  const statuses: number[] = []
  for (let times = 0; times < 5; times++)
    statuses.push((await world.request('/users/api/current', { headers: { authorization: `Token ${token}` } })).status)
  expect(statuses).toEqual([200, 200, 200, 200, 429])
})

test('many tokens of a user share what the user may ask, a dear call costs more, and others go on', async () => {
  const world = aThrottledWorld()
  const { call, answer, org_id } = await anOrg({ world, is_org_admin: true })
  const other = await anOrg({ world })
  const tokens: string[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e']) tokens.push((await call(createToken, { body: { name } })).token)
  const statuses: number[] = []
  for (const token of tokens)
    for (let times = 0; times < 20; times++)
      statuses.push(
        (await world.request('/users/api/current', { headers: { authorization: `Token ${token}` } })).status,
      )
  expect(statuses.filter((status) => status === 200)).toHaveLength(75)
  expect((await other.answer(currentUser)).status).toBe(200)

  wait(10)
  const invite = () => answer(inviteUsers, { params: { org_id }, body: { emails: 'nonsense' } })
  const dear: number[] = []
  for (let times = 0; times < 9; times++) dear.push((await invite()).status)
  expect(dear).toEqual([...Array.from({ length: 8 }, () => 201), 429])
})

test('a refused call costs nothing and reaches no handler; an address has a bucket over all its users', async () => {
  const world = aThrottledWorld()
  const ask = () => world.request('/api/public/settings', { headers: { 'cf-connecting-ip': '203.0.113.9' } })
  const statuses: number[] = []
  for (let times = 0; times < 251; times++) statuses.push((await ask()).status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(250)
  wait(1)
  expect((await ask()).status).toBe(200)
  expect((await caller(world, null).answer(currentUser)).status).toBe(401)
})

test('the platform counts over all isolates, and no call writes a row for being counted', async () => {
  const keys: string[] = []
  const RATE_LIMIT_API = {
    limit: async ({ key }: { key: string }) => ({ success: keys.push(key) < 3 }),
  }
  const world = aWorld({ RATE_LIMIT_API, RATE_SCALE: '1', METER: '1' })
  const { answer, user_id } = await anOrg({ world })
  const answers = [await answer(currentUser), await answer(currentUser), await answer(currentUser)]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(answers[2]?.headers.get('retry-after')).toBe('10')
  expect(new Set(keys)).toEqual(new Set([`user ${user_id}`]))
  expect(answers[0]?.headers.get('server-timing')).toContain('written=0')
})

test('a body without a length is counted while it streams, and nothing of what is too large is kept', async () => {
  const world = aWorld()
  let pulled = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++
      controller.enqueue(new Uint8Array(100_000).fill(32))
    },
  })
  const response = await world.request('/api/public/jwt-auth/obtain-token/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([413, 'too_large'])
  expect(pulled).toBeLessThan(20)
})

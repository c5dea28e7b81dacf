import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createToken } from '../../worker/account/access-contract'
import { currentUser } from '../../worker/auth/contract'
import { pause } from '../../worker/db/readers'
import { charge, chargeRows, rowsPerCall } from '../../worker/http/throttle'
import { listVulns, vulnCount } from '../../worker/vulns/contract'
import { inviteUsers } from '../../worker/orgs/members/contract'
import { aMember } from './support/member'
import { anOrg, caller } from './support/org'
import { aWorld } from './support/world'

// Each test has a day of its own, so that the buckets of the one before are full again.
let day = Date.parse('2030-01-01T00:00:00Z')
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: (day += 86_400_000) }))
afterEach(() => void vi.useRealTimers())
const wait = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

const aThrottledWorld = () => aWorld({ RATE_SCALE: '1' })

test('an API token makes 120 calls at once, and a client that pages in a loop gets through at ten a second', async () => {
  vi.useRealTimers()
  const world = aThrottledWorld()
  const { call } = await anOrg({ world })
  const { token } = await call(createToken, { body: { name: 'script' } })
  const ask = () => world.request('/users/api/current', { headers: { authorization: `Token ${token}` } })
  const first = await ask()
  // The nearest end: of the token, or of its user, who asked for it.
  expect([first.status, first.headers.get('ratelimit'), first.headers.get('ratelimit-policy')]).toEqual([
    200,
    expect.stringMatching(/^"(token|user)";r=11[89];t=1$/),
    expect.stringMatching(/^"(token|user)";q=120;w=(6|12)$/),
  ])
  const started = Date.now()
  for (let times = 0; times < 139; times++) expect((await ask()).status).toBe(200)
  // The time of the calls themselves refills the bucket.
  expect(Date.now() - started).toBeGreaterThan(1_500)
}, 20_000)

test('of too many calls at once, as many wait as get their turn within two seconds, and nobody else waits', async () => {
  const world = aThrottledWorld()
  const { call } = await anOrg({ world })
  const other = await anOrg({ world })
  const { token } = await call(createToken, { body: { name: 'script' } })
  const ask = () => world.request('/users/api/current', { headers: { authorization: `Token ${token}` } })
  const flood = Promise.all(Array.from({ length: 200 }, ask))
  let isOver = false
  void flood.then(() => (isOver = true))
  for (let times = 0; times < 5; times++) expect((await other.answer(currentUser)).status).toBe(200)
  expect(isOver).toBe(false)
  const answers = await flood
  const late = answers.filter(({ status }) => status === 429)
  expect([answers.filter(({ status }) => status === 200).length, late.length]).toEqual([140, 60])
  expect([late[0]?.headers.get('retry-after'), late[0]?.headers.get('ratelimit')]).toEqual(['3', '"token";r=0;t=14'])
  expect(await late[0]?.json()).toMatchObject({ code: 'throttled' })
  wait(3)
  expect((await ask()).status).toBe(200)
}, 20_000)

test('a caller who goes while waiting for a turn keeps no place in the line', async () => {
  const { env } = aThrottledWorld()
  const spend = (key: string, at_ms: number) => charge(env, [{ key, per_second: 10, burst: 1 }], 1, at_ms)
  const at_ms = Date.now()
  const gone = vi.spyOn(globalThis, 'setTimeout').mockImplementation((() => 0) as unknown as typeof setTimeout)
  for (let at = 0; at < 500; at++) {
    await spend(`gone ${at}`, at_ms)
    void spend(`gone ${at}`, at_ms)
  }
  gone.mockRestore()
  await spend('next', at_ms)
  await expect(spend('next', at_ms)).rejects.toThrow('Too many requests')
  await spend('next', at_ms + 1_000)
  expect(await spend('next', at_ms + 1_000)).toMatchObject({ ratelimit: expect.any(String) })
})

test('the plan of an organization may grant its tokens another rate', async () => {
  const world = aThrottledWorld()
  const { call, org_id } = await anOrg({ world })
  await world.sql`UPDATE orgs SET api_rate = 1 WHERE id = ${org_id}`
  const { token } = await call(createToken, { body: { name: 'script' } })
  const ask = () => world.request('/users/api/current', { headers: { authorization: `Token ${token}` } })
  const answers = await Promise.all(Array.from({ length: 20 }, ask))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(14)
})

test('many tokens of a user share what the user may ask, a dear call costs more, and others go on', async () => {
  const world = aThrottledWorld()
  const { call, answer, org_id } = await anOrg({ world, is_org_admin: true })
  const other = await anOrg({ world })
  const tokens: string[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e']) tokens.push((await call(createToken, { body: { name } })).token)
  const asked = tokens.flatMap((token) =>
    Array.from({ length: 40 }, () =>
      world.request('/users/api/current', { headers: { authorization: `Token ${token}` } }),
    ),
  )
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  // 120 at once less the five that made the tokens, and forty that wait.
  expect(statuses.filter((status) => status === 200)).toHaveLength(155)
  expect((await other.answer(currentUser)).status).toBe(200)

  wait(10)
  const invite = () => answer(inviteUsers, { params: { org_id }, body: { emails: 'nonsense' } })
  const dear = await Promise.all(Array.from({ length: 20 }, invite))
  expect(dear.filter(({ status }) => status === 201)).toHaveLength(16)
}, 20_000)

test('the rows that a call reads are charged, so that dear searches come to rest sooner than cheap pages', async () => {
  const world = aThrottledWorld()
  const allowances = [{ key: 'user of rows', per_second: 10, burst: 120 }]
  const now_ms = Date.now()
  const left = async () => (await charge(world.env, allowances, 1, now_ms)).ratelimit
  expect(await left()).toBe('"user";r=119;t=1')
  chargeRows(world.env, allowances, { cost: 1, rows: rowsPerCall - 1, each: rowsPerCall }, now_ms)
  expect(await left()).toBe('"user";r=118;t=1')
  chargeRows(world.env, allowances, { cost: 1, rows: 20_000, each: rowsPerCall }, now_ms)
  expect(await left()).toBe('"user";r=109;t=2')
  // An export paid for them before.
  chargeRows(world.env, allowances, { cost: 20, rows: 20_000, each: rowsPerCall }, now_ms)
  expect(await left()).toBe('"user";r=108;t=2')
  chargeRows(world.env, allowances, { cost: 1, rows: 10_000_000, each: rowsPerCall }, now_ms)
  await expect(charge(world.env, allowances, 1, now_ms)).rejects.toMatchObject({
    status: 429,
    headers: { 'retry-after': '13' },
  })
})

/** A world whose batches go their way through `around`. */
function aWorldAround(around: (ask: () => Promise<D1Result[]>) => Promise<D1Result[]>) {
  const { DB } = aThrottledWorld().env
  const withSession: D1Database['withSession'] = (start) => {
    const session = DB.withSession(start)
    const batch = (statements: D1PreparedStatement[]) => around(() => session.batch(statements))
    const prepare = (sql: string) => session.prepare(sql)
    return { prepare, batch, getBookmark: () => session.getBookmark() } as D1DatabaseSession
  }
  const ours = { prepare: (sql: string) => DB.prepare(sql), batch: DB.batch.bind(DB), withSession }
  return aWorld({ RATE_SCALE: '1', DB: ours as unknown as D1Database })
}

test('a call that kept the database busy for long is charged for the time, whatever it read', async () => {
  // As if another machine had answered: by its word each statement took two seconds.
  const world = aWorldAround(async (ask) => {
    const results = await ask()
    for (const { meta } of results) meta.duration = 2_000
    return results
  })
  const { answer } = await anOrg({ world })
  const left = async () => Number(/r=(\d+)/.exec((await answer(listVulns)).headers.get('ratelimit') ?? '')?.[1])
  const first = await left()
  expect((await left()) - first).toBeLessThan(-80)
})

test('of dear counts that a user asks for at once, by any token, eight run and the others follow in turn', async () => {
  let [running, most] = [0, 0]
  const world = aWorldAround(async (ask) => {
    most = Math.max(most, ++running)
    await pause(20)
    return ask().finally(() => running--)
  })
  const { call, answer } = await anOrg({ world })
  const tokens = [await call(createToken, { body: { name: 'a' } }), await call(createToken, { body: { name: 'b' } })]
  const count = (token: string) =>
    world.request(`${vulnCount.path}?q=NOT+kev`, { headers: { authorization: `Token ${token}` } })
  for (const { token } of tokens) expect((await count(token)).status).toBe(200)
  await answer(vulnCount)
  most = 0
  const asked = Array.from({ length: 20 }, () => [...tokens.map(({ token }) => count(token)), answer(vulnCount)])
  const statuses = (await Promise.all(asked.flat())).map(({ status }) => status)
  expect([new Set(statuses), most]).toEqual([new Set([200]), 8])
})

test('calls of which nobody heard the end keep out their caller alone, for a minute', async () => {
  const { promise: end, resolve } = Promise.withResolvers<void>()
  let isHung = false
  const world = aWorldAround(async (ask) => {
    if (isHung) await end
    return ask()
  })
  const [ours, theirs] = [await anOrg({ world }), await anOrg({ world })]
  for (const { answer } of [ours, theirs]) await answer(vulnCount)
  isHung = true
  const hung = Array.from({ length: 8 }, () => ours.answer(vulnCount))
  await pause(50)
  isHung = false
  const refused = ours.answer(vulnCount)
  expect((await theirs.answer(vulnCount)).status).toBe(200)
  expect(await (await refused).json()).toMatchObject({
    code: 'throttled',
    message: expect.stringContaining('8 of your calls'),
  })
  wait(61)
  expect((await ours.answer(vulnCount)).status).toBe(200)
  resolve()
  expect((await Promise.all(hung)).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
})

test('of the documents that an organization sends at once four are read, and its other calls go on', async () => {
  const world = aThrottledWorld()
  const [ours, theirs] = [await anOrg({ world }), await anOrg({ world })]
  const colleague = await aMember(world, ours.org_id, { is_org_admin: true })
  const { promise: end, resolve } = Promise.withResolvers<void>()
  let read = 0
  const send = ({ access }: { access: string }, name: string, until?: Promise<void>) => {
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      read++
      await until
      controller.enqueue(new TextEncoder().encode('{"bomFormat":"CycloneDX","specVersion":"1.6","components":[]}'))
      controller.close()
    }
    const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
    return world.request(`/api/inventories/${name}`, {
      method: 'PUT',
      headers: { authorization: `JWT ${access}` },
      body,
    })
  }
  const slow = Array.from({ length: 4 }, (_, at) => send(ours, `slow${at}`, end))
  while (read < slow.length) await pause(10)
  const refused = send(colleague, 'fifth')
  expect((await ours.answer(currentUser)).status).toBe(200)
  expect((await send(theirs, 'shop')).status).toBe(200)
  expect((await refused).status).toBe(429)
  resolve()
  // New ones that come together may be asked for again.
  expect((await Promise.all(slow)).map(({ status }) => status)).not.toContain(429)
  expect((await send(colleague, 'fifth')).status).toBe(200)
})

test('bodies that strangers send slowly keep nobody out who has the same address, and few large ones are held', async () => {
  vi.useRealTimers()
  const { world, access } = await anOrg({ world: aThrottledWorld() })
  const end = Promise.withResolvers<void>()
  let read = 0
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    read++
    await end.promise
    controller.close()
  }
  const address = { 'cf-connecting-ip': '198.51.100.7' }
  const send = (length?: string, path = '/api/public/jwt-auth/obtain-token/') =>
    world.request(path, {
      method: 'POST',
      headers: { ...address, 'content-type': 'application/json', ...(length && { 'content-length': length }) },
      body: new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }),
    })
  expect([(await send('4000000', '/api/monitor/import')).status, read]).toEqual([401, 0])
  const small = Array.from({ length: 30 }, () => send('2'))
  const large = Array.from({ length: 40 }, (_, at) => send(at % 2 ? undefined : '900000'))
  await vi.waitUntil(() => read >= 54, 5_000)
  const headers = { ...address, authorization: `JWT ${access}` }
  expect((await world.request(currentUser.path, { headers })).status).toBe(200)
  const late = await Promise.race(large)
  expect([late.status, late.headers.get('retry-after'), read]).toEqual([429, '2', 54])
  end.resolve()
  await Promise.all([small, large].flat())
}, 20_000)

test('a refused call costs nothing and reaches no handler; an address has a bucket over all its users', async () => {
  const world = aThrottledWorld()
  // A caller with one address of IPv6 has its whole network.
  const ask = (_: unknown, at = 0) =>
    world.request('/api/public/settings', { headers: { 'cf-connecting-ip': `2001:db8:1:2::${at}` } })
  const answers = await Promise.all(Array.from({ length: 400 }, ask))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(350)
  wait(3)
  expect((await ask(0)).status).toBe(200)
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

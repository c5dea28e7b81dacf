import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { workPrices } from '../../worker/domain/service/prices'
import { runSync, syncInfo } from '../../worker/feeds/contract'
import { getService } from '../../worker/objectives/contract'
import { createView } from '../../worker/views/contract'
import { anOrg, postJson, rows } from './support/org'
import { aWorld } from './support/world'

const lines: string[] = []
beforeEach(() => {
  lines.length = 0
  for (const name of ['info', 'error'] as const)
    vi.spyOn(console, name).mockImplementation((line: string) => void lines.push(line))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const noted = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>)

test('the log of the platform tells who was refused what, and nothing of what was sent', async () => {
  const world = aWorld({ NOTE_REFUSALS: '1' })
  const { user_id, org_id, username, answer } = await anOrg({ world })
  const from = { 'cf-connecting-ip': '192.0.2.7' }
  await postJson(world, '/api/public/jwt-auth/obtain-token/', { username, password: 'Wrong-Horse\n-9!' }, from)
  await answer(runSync)
  await world.request('/users/sessions', { headers: { authorization: 'JWT s3cret' } })
  expect(noted()).toEqual([
    {
      event: 'refused',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/),
      request: expect.stringMatching(/^[\da-f-]{36}$/),
      status: 401,
      code: 'wrong_credentials',
      method: 'POST',
      route: '/api/public/jwt-auth/obtain-token',
      ip: '192.0.2.7',
    },
    expect.objectContaining({ status: 403, method: 'POST', route: '/api/data/sync/run', user_id, org_id }),
    expect.objectContaining({ status: 401, code: 'token_not_valid' }),
  ])
  expect(lines.join()).not.toMatch(/Wrong-Horse|s3cret/)
  expect(lines.filter((line) => line.includes('\n'))).toEqual([])
})

test('a merely wrong request is not noted', async () => {
  const world = aWorld({ NOTE_REFUSALS: '1' })
  const { call } = await anOrg({ world })
  await world.request('/api/nowhere')
  await expect(call(runSync)).rejects.toThrow('403')
  expect(noted().map(({ status }) => status)).toEqual([403])
})

/** A writing call that fails, as the database refuses the row. */
const failAt = (env: Parameters<typeof rows>[0], table: string) =>
  rows(
    env,
    `CREATE TRIGGER broken_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END`,
  )

test('a call that fails is found in the log by the reference of its answer', async () => {
  const world = aWorld()
  const { answer, user_id, org_id } = await anOrg({ world })
  await failAt(world.env, 'saved_views')
  const failed = await answer(createView, { body: { name: 'A view of ours', query: '' } })
  const request = failed.headers.get('x-request-id')
  expect([failed.status, request]).toEqual([500, expect.stringMatching(/^[\da-f-]{36}$/)])
  expect(noted()).toEqual([
    {
      event: 'failed',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/),
      request,
      status: 500,
      code: 'error',
      method: 'POST',
      route: '/api/views',
      user_id,
      org_id,
      error: expect.stringContaining('the disk is gone'),
      stack: expect.stringContaining(' at '),
    },
  ])
  expect(lines.join()).not.toMatch(/A view of ours|insert into/i)
})

test('the reference is the one of the network in front, where there is one that callers cannot write', async () => {
  const ask = async (world: ReturnType<typeof aWorld>) =>
    (await world.request('/api/nowhere', { headers: { 'cf-ray': '230b030023ae2822-SJC' } })).headers.get('x-request-id')
  expect(await ask(aWorld())).toBe('230b030023ae2822-SJC')
  expect(await ask(aWorld({ TRUST_PROXY: '0' }))).toMatch(/^[\da-f-]{36}$/)
})

test('a public page that fails, a job and a queue stand in the log with their names', async () => {
  const world = aWorld()
  await failAt(world.env, 'service_days')
  await failAt(world.env, 'subscribers')
  await postJson(world, '/public/newsletter', { email: 'reader@example.net' })
  await world.tick()
  await failAt(world.env, 'dead_messages')
  const queue = 'earshot-feeds-dead'
  await expect(world.deliver(queue, { feed_id: 'kev', run_id: 1, step: 2 })).rejects.toThrow('the disk is gone')
  expect(noted()).toMatchObject([
    { event: 'failed', route: '/public/newsletter', request: expect.any(String) },
    { event: 'failed', job: 'objectives' },
    { event: 'given_up', queue, bodies: [{ feed_id: 'kev' }] },
    { event: 'failed', queue },
  ])
})

const at = (time: string) => new Date(`2026-11-24T${time}:00Z`)

test('operators see the requests, errors, rows and price of a day, added up once a minute to what other isolates did', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: at('10:00') })
  const world = aWorld()
  const { call, answer } = await anOrg({ world, is_admin: true })
  const stored = async () => (await world.sql<{ work: string }>`SELECT work FROM service_days`)[0]?.work
  await world.tick(at('10:00'))
  vi.setSystemTime(at('10:02'))
  await call(syncInfo)
  const others = { requests: 1_000, errors: 7, trips: 1, rows_read: 5_000_000, rows_written: 2_000_000, duration_ms: 1 }
  await world.sql`UPDATE service_days SET work = ${JSON.stringify(others)}`

  await failAt(world.env, 'saved_views')
  expect((await answer(createView, { body: { name: 'A view', query: '' } })).status).toBe(500)
  await call(syncInfo)
  expect(JSON.parse((await stored()) ?? '')).toEqual(others)

  vi.setSystemTime(at('10:03'))
  await call(syncInfo)
  const [day] = (await call(getService)).work
  expect(day).toMatchObject({ day: '2026-11-24', requests: 1_003, errors: 8 })
  const { rows_read = 0, rows_written = 0, price } = day ?? {}
  expect([rows_read > others.rows_read, rows_written >= others.rows_written]).toEqual([true, true])
  const { requests, rows_read: read, rows_written: wrote } = workPrices
  expect(price).toBeCloseTo(1_003 * requests + rows_read * read + rows_written * wrote, 9)
})

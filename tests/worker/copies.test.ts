import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { known, aKnownWorld } from './support/known-world'
import { stopUsingCopy, readFromLateCopy } from './support/late-copy'
import { anOrg } from './support/org'

const { DB, COPY } = env as unknown as { DB: D1Database; COPY: D1Database }
const bookmark = 'x-d1-bookmark'
const trips = ({ headers }: Response) => /trips=\d+ copies=\d+/.exec(headers.get('server-timing') ?? '')?.[0]

afterEach(() => {
  stopUsingCopy()
  vi.useRealTimers()
})

/** Somebody whose requests this isolate knows, and who says for themselves what they have seen of the database. */
async function aReader() {
  const copy = await readFromLateCopy(DB, COPY)
  const world = await aKnownWorld({ METER: '1' })
  const org = await anOrg({ world, is_org_admin: true })
  const seen = { bookmark: '' }
  async function ask(call: string, body?: unknown, headers: Record<string, string> = { [bookmark]: seen.bookmark }) {
    const [method = '', path = ''] = call.split(' ')
    const response = await world.request(path, {
      method,
      headers: { authorization: `JWT ${org.access}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    seen.bookmark = response.headers.get(bookmark) ?? seen.bookmark
    return response
  }
  await ask('GET /api/views/')
  await copy.catchUp()
  return { copy, world, org, ask, seen }
}

/** A write of each area, and its read. */
const areas: [write: string, body: unknown, read: string][] = [
  ['POST /api/views/', { name: 'Mine', query: 'q=kev' }, '/api/views/'],
  ['POST /api/monitor/vendor/toggle', { vendor_name: known.vendor, monitored: true }, '/api/monitor/items/vendors'],
  ['POST /api/vulns/1/status/edit', { status: 'in_progress' }, '/api/vulns/1/status'],
  ['POST /api/vulns/2/comments', { body: 'Look at this' }, '/api/vulns/2/comments'],
  ['POST /api/vulns/2/snooze', { kind: 'snoozed', until: '2099-01-01' }, '/api/vulns/2/snooze'],
  ['POST /api/vulns/1/exploits/add', { link: 'https://acme.example/exploit' }, '/api/vulns/1/exploits'],
  ['POST /api/vulns/add', { summary: 'A flaw of ours', products: 'acme:widget' }, '/api/vulns/'],
  ['PUT /api/vulns/1/toggle', { monitored: true }, '/api/vulns/1/'],
  ['PUT /api/inventories/shop', { bomFormat: 'CycloneDX', specVersion: '1.6', components: [] }, '/api/inventories/'],
  ['PUT /api/decisions/due-policy', { due_policy: 'none' }, '/api/decisions/due-policy'],
  ['POST /users/profile/update', { first_name: 'Ada' }, '/users/profile'],
  ['POST /users/tokens', { name: 'script' }, '/users/tokens'],
  ['POST /api/alerts/feeds/', {}, '/api/alerts/feeds/'],
]

test('everybody reads their own writes, and a copy that forgets bookmarks is found', async () => {
  const { copy, ask } = await aReader()
  const found = { late: [] as string[], elsewhere: [] as string[], stale: [] as string[], forgotten: [] as string[] }
  for (const [write, body, path] of areas) {
    const written = await ask(write, body)
    expect([write, written.status < 300 || (await written.text())]).toEqual([write, true])
    // A copy would wait until it knows what the call has just written.
    if (!/copies=0/.test(trips(written) ?? '')) found.late.push(write)
    copy.state.isForgetful = true
    const before = await (await ask(`GET ${path}`)).text()
    copy.state.isForgetful = false
    const read = await ask(`GET ${path}`)
    if (!/copies=[1-9]/.test(trips(read) ?? '')) found.elsewhere.push(path)
    const fromPrimary = await (await ask(`GET ${path}`, undefined, {})).text()
    if ((await read.text()) !== fromPrimary) found.stale.push(path)
    if (before !== fromPrimary) found.forgotten.push(path)
  }
  expect(found).toEqual({ late: [], elsewhere: [], stale: [], forgotten: areas.map(([, , path]) => path) })
})

test('an ended session writes nothing, and reads nothing at a late copy after a minute', async () => {
  const { world, org, ask, seen } = await aReader()
  const before = seen.bookmark
  const readAgain = async () => {
    seen.bookmark = before
    const answer = await ask('GET /api/views/')
    return [answer.status, trips(answer)]
  }
  await world.sql`UPDATE sessions SET revoked_at = '2026-01-01T00:00:00Z' WHERE user_id = ${org.user_id}`
  expect(await readAgain()).toEqual([200, 'trips=1 copies=1'])
  expect((await ask('POST /api/views/', { name: 'Late', query: 'q=kev' })).status).toBe(401)
  // One that begins before the answer to who calls.
  expect((await ask('POST /api/vulns/2/comments', { body: 'Late' })).status).toBe(401)
  expect(await world.sql`SELECT * FROM comments`).toEqual([])
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 59_000 })
  expect((await readAgain())[0]).toBe(401)
})

test('somebody who goes on reading never waits for the primary', async () => {
  const { ask } = await aReader()
  vi.useFakeTimers({ toFake: ['Date'] })
  const found: unknown[] = []
  for (let minute = 0; minute < 6; minute++) {
    vi.setSystemTime(Date.now() + 40_000)
    found.push(trips(await ask('GET /api/views/')))
  }
  expect(found).toEqual(Array(6).fill('trips=1 copies=1'))
  vi.setSystemTime(Date.now() + 61_000)
  expect(trips(await ask('GET /api/views/'))).toBe('trips=1 copies=0')
})

test('a copy that knows less of somebody than the primary said is asked no further', async () => {
  const { world, org, ask, seen } = await aReader()
  const before = seen.bookmark
  await world.sql`UPDATE members SET is_admin = 0 WHERE user_id = ${org.user_id}`
  expect((await ask('GET /api/audit/', undefined, {})).status).toBe(403)
  const answer = await ask('GET /api/audit/', undefined, { [bookmark]: before })
  expect([answer.status, trips(answer)]).toEqual([403, 'trips=2 copies=1'])
})

const hostile = ['first-unconstrained', '%00', "' OR 1=1", 'x'.repeat(9_000), '-1', '00000001-00000000-00000000', '🦊']

test('a bookmark that is none counts as none, and one that no copy can use leads to the primary', async () => {
  const { world, ask } = await aReader()
  for (const value of hostile) {
    const answer = await ask('GET /api/views/', undefined, { [bookmark]: encodeURI(value) })
    expect([value, answer.status, trips(answer)]).toEqual([value, 200, 'trips=1 copies=0'])
  }
  const { withSession } = world.env.DB
  const broken: (() => Promise<unknown>)[] = [
    () => Promise.reject(new Error('D1_ERROR: no such bookmark')),
    () => new Promise(() => undefined),
  ]
  for (const fail of broken) {
    const statement = { bind: () => statement, all: fail }
    world.env.DB.withSession = (start) =>
      start?.startsWith('f') && start !== 'first-primary'
        ? ({ prepare: () => statement, batch: fail, getBookmark: () => start } as unknown as D1DatabaseSession)
        : withSession(start)
    const forged = `ffffffff-ffffffff-ffffffff-${'f'.repeat(32)}`
    const answer = await ask('GET /api/views/', undefined, { [bookmark]: forged })
    expect([answer.status, (answer.headers.get(bookmark) ?? forged) < forged]).toEqual([200, true])
  }
})

import { beforeEach, expect, test } from 'vitest'
import { syncInfo } from '../../worker/feeds/contract'
import { listVulns } from '../../worker/vulns/contract'
import { anArchive, aRepository } from '../support/exploits'
import { aKevEntry } from '../support/records'
import { eachTest } from './support/each-test'
import { aFeedsScene, minutes } from './support/feeds-scene'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'

/** The catalogue's server: its next answer, and requests so far. */
let server: { etag: string | null; modified: string | null; knowsConditions: boolean; asked: Headers[] }
let instead: null | ((request: Request) => Response)

const scene = eachTest(aFeedsScene)
beforeEach(() => {
  server = { etag: '"1"', modified: null, knowsConditions: true, asked: [] }
  instead = null
  scene.origins.kev = [aKevEntry('CVE-2024-10001')]
  scene.origins.instead = ({ host }, request) => {
    if (host !== 'kev.test') return null
    server.asked.push(request.headers)
    return instead?.(request) ?? answer(request.headers)
  }
})

function answer(asked: Headers) {
  const headers = new Headers()
  if (server.etag) headers.set('etag', server.etag)
  if (server.modified) headers.set('last-modified', server.modified)
  const isSame =
    (server.etag && asked.get('if-none-match') === server.etag) ||
    (server.modified && asked.get('if-modified-since') === server.modified)
  if (isSame && server.knowsConditions) return new Response(null, { status: 304, headers })
  const vulnerabilities = scene.origins.kev
  return Response.json({ count: vulnerabilities.length, vulnerabilities }, { headers })
}

const countRuns = async () =>
  (await scene.world.sql<{ n: number }>`SELECT count(*) AS n FROM feed_runs WHERE feed_id = 'kev'`)[0]?.n
const findKev = async () => {
  const { feeds } = await (await anOrg({ world: scene.world })).call(syncInfo)
  return feeds.find(({ id }) => id === 'kev')
}

/** Notes each write to a table of the feeds from now on. */
async function noteWrites() {
  await scene.world.sql`CREATE TABLE noted(what TEXT)`
  for (const table of ['feeds', 'feed_runs', 'feed_skips', 'feed_years', 'feed_holes'])
    for (const verb of ['INSERT', 'UPDATE', 'DELETE'])
      await rows(
        scene.world.env,
        `CREATE TRIGGER note_${verb}_${table} AFTER ${verb} ON ${table} BEGIN INSERT INTO noted VALUES ('${verb} ${table}'); END`,
      )
  return async () => (await scene.world.sql<{ what: string }>`SELECT what FROM noted`).map(({ what }) => what)
}

test.each([
  ['an ETag', { etag: 'W/"7"', modified: null }, 'if-none-match', 'W/"7"'],
  ['a date', { etag: null, modified: 'Fri, 20 Nov 2026 10:00:00 GMT' }, 'if-modified-since', undefined],
] as const)('a list that is unchanged by %s costs one request and one written row', async (_, version, name, value) => {
  Object.assign(server, version)
  await scene.sync()
  const before = await scene.feed('kev')
  server.asked = []

  await scene.world.tick(minutes(2))
  const { queue, body } = scene.world.waiting.find(({ body: one }) => 'due' in one && one.feed_id === 'kev') ?? {}
  const written = await noteWrites()
  await scene.world.deliver(queue ?? '', body as never)
  expect(await written()).toEqual(['UPDATE feeds'])
  expect(server.asked.map((headers) => headers.get(name))).toEqual([value ?? version.modified])
  expect(await countRuns()).toBe(1)
  expect(await scene.feed('kev')).toMatchObject({ state: 'idle', cursor: before?.cursor, run_id: before?.run_id })
  // The run that brought the list is still the one that is shown.
  expect(await findKev()).toMatchObject({ records: 1, last_error: null })
})

test('a list that its server sends again with the same ETag is not read again', async () => {
  server.knowsConditions = false
  await scene.sync()
  await scene.sync(minutes(2))
  expect(await countRuns()).toBe(1)
})

test('a new entry of KEV is here with the look of the clock two minutes after the last', async () => {
  await scene.sync()
  const { next_run_at } = (await scene.feed('kev')) as { next_run_at: string }
  expect(Date.parse(next_run_at)).toBeLessThan(Date.now() + 100_000)

  scene.origins.kev = [aKevEntry('CVE-2024-10001'), aKevEntry('CVE-2026-77777')]
  server.etag = '"2"'
  await scene.sync(minutes(2))
  const { call } = await anOrg({ world: scene.world })
  expect((await call(listVulns, { query: { search: 'CVE-2026-77777' } })).results).toMatchObject([
    { is_in_the_wild: true },
  ])
  expect(await countRuns()).toBe(2)
})

test.each([
  ['whose ETag changes with each answer', () => (server.etag = `"after ${server.asked.length}"`)],
  ['without any version', () => (server.etag = null)],
])('a list %s is read each time, and changes nothing', async (_, change) => {
  await scene.sync()
  const before = await scene.contents()
  for (const look of [2, 4, 6]) {
    change()
    await scene.sync(minutes(look))
  }
  expect(await countRuns()).toBe(4)
  expect(await scene.contents()).toEqual(before)
})

test('a refusal is told, waits as long as the server asks, and the next answer clears it', async () => {
  await scene.sync()
  const { cursor } = (await scene.feed('kev')) as { cursor: string }
  instead = () => new Response('slow down', { status: 429, headers: { 'retry-after': '600' } })
  await scene.sync(minutes(2))
  const failed = (await scene.feed('kev')) as { next_run_at: string }
  expect(failed).toMatchObject({ state: 'failed', failures: 1, cursor, last_error: 'kev.test answered 429' })
  expect(Date.parse(failed.next_run_at)).toBeGreaterThan(Date.now() + 595_000)
  server.asked = []
  await scene.sync(minutes(9))
  expect(server.asked).toEqual([])

  instead = null
  await scene.sync(minutes(11))
  expect(await scene.feed('kev')).toMatchObject({ state: 'idle', failures: 0, cursor, last_error: null })
  expect(await countRuns()).toBe(1)
})

test('without Retry-After the pauses of a refused question grow', async () => {
  await scene.sync()
  instead = () => new Response('', { status: 503 })
  const waits: number[] = []
  let now = minutes(2)
  for (let look = 0; look < 4; look++) {
    await scene.sync(now)
    const { next_run_at } = (await scene.feed('kev')) as { next_run_at: string }
    waits.push(Math.round((Date.parse(next_run_at) - Date.now()) / 60_000))
    now = new Date(next_run_at)
  }
  expect(waits).toEqual([1, 2, 4, 8])
})

test('a server that answers "not modified" to a question without a version is not believed', async () => {
  instead = () => new Response(null, { status: 304 })
  await scene.sync()
  expect(await findKev()).toMatchObject({ state: 'failed', last_success: null, last_error: 'kev.test answered 304' })
})

test('a question that is delivered twice is asked once, and a lost one again by the clock', async () => {
  await scene.sync()
  await scene.world.sql`UPDATE feeds SET next_run_at = '2026-01-01T00:00:00Z' WHERE id = 'kev'`
  await scene.world.tick()
  await scene.world.tick()
  server.asked = []
  await scene.world.drain()
  expect(server.asked).toHaveLength(1)

  await scene.world.tick(minutes(5))
  scene.world.waiting.length = 0
  await scene.sync(minutes(6))
  expect(server.asked).toHaveLength(2)
})

test('NVD is asked for the last quarter of an hour, and once an hour for what it may have published late', async () => {
  const { origins, world, sync } = scene
  origins.instead = null
  await sync()
  async function look(now: Date) {
    origins.requests.length = 0
    await sync(now)
    const query = origins.requests.find(({ pathname }) => pathname === '/api')?.searchParams
    const [from, to] = [query?.get('lastModStartDate') ?? '', query?.get('lastModEndDate') ?? '']
    return Math.round((Date.parse(to) - Date.parse(from)) / 60_000)
  }
  expect(await look(minutes(5))).toBe(15)
  const hourAgo = new Date(Date.now() - 61 * 60_000).toISOString()
  await world.sql`UPDATE feeds SET cursor = json_set(cursor, '$.swept', ${hourAgo}) WHERE id = 'nvd'`
  expect(await look(minutes(10))).toBe(61 + 120)
  expect(await look(minutes(15))).toBe(15)
})

test('a branch of GitHub is asked for its newest commit, and its archive is read only when that moved', async () => {
  const POC_URL = 'https://codeload.github.com/nomi-sec/PoC-in-GitHub/zip/refs/heads/master'
  const world = aWorld({ POC_URL, GITHUB_TOKEN: 'secret' })
  const sync = async (now = new Date()) => {
    await world.tick(now)
    await world.drain()
  }
  let [commit, asked]: [string, Headers[]] = ['a'.repeat(40), []]
  const archives: string[] = []
  const findPoc = () => world.sql`SELECT state, last_error FROM feeds WHERE id = 'poc'`
  scene.origins.instead = ({ host, pathname }, { headers }) => {
    if (host === 'codeload.github.com') {
      archives.push(pathname.split('/').at(-1) ?? '')
      return new Response(anArchive({ '2017/CVE-2017-0144.json': [aRepository('acme/blue')] }))
    }
    if (host !== 'api.github.com') return null
    expect(pathname).toBe('/repos/nomi-sec/PoC-in-GitHub/commits/master')
    asked.push(headers)
    const etag = `"${commit}"`
    if (headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: { etag } })
    return new Response(commit, { headers: { etag } })
  }
  await sync()
  expect(archives).toEqual(['a'.repeat(40)])
  expect(await world.sql`SELECT key FROM exploits`).toEqual([{ key: 'github:acme/blue' }])
  asked = []
  for (const minute of [15, 30]) await sync(minutes(minute))
  expect(asked.map((headers) => headers.get('if-none-match'))).toEqual([`"${commit}"`, `"${commit}"`])
  expect(asked[0]?.get('accept')).toBe('application/vnd.github.sha')
  expect(asked[0]?.get('authorization')).toBe('Bearer secret')
  commit = 'b'.repeat(40)
  await sync(minutes(45))
  await sync(minutes(60))
  expect(archives).toEqual(['a'.repeat(40), commit])
  expect(await findPoc()).toEqual([{ state: 'idle', last_error: null }])

  commit = 'Not Found'
  await sync(minutes(75))
  expect(await findPoc()).toEqual([{ state: 'failed', last_error: 'GitHub names no commit of the branch' }])
})

import { expect, test, vi } from 'vitest'
import { pause } from '../../worker/db/readers'
import { exportVulns, listVulns } from '../../worker/vulns/contract'
import { catchUp } from './support/catch-up'
import { anOrg, rows } from './support/org'
import { aWorld, type World } from './support/world'

const total = 70_000
/** The most rows that a statement tests. */
const most = 40_000

/** More vulnerabilities than one statement may test; the oldest is the only one of 2001. */
async function fill({ env }: World) {
  await rows(
    env,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${total})
     INSERT INTO vulns(id, cveid, state, summary, published, score, is_in_the_news, created_at, updated_at)
     SELECT i, 'CVE-2024-' || (100000 + i), 'published', 'A flaw', unixepoch(iif(i = 1, '2001-01-01', '2024-01-01')), 50, i % 10 = 0, 0, i FROM n`,
  )
  await rows(env, `UPDATE counters SET value = ${total} WHERE name = 'vulns'`)
}

// No index knows any of these, so that rows are tested one by one.
const rare = 'NOT kev published<2002 cvss3<1 OR NOT kev published<2002 cvss<1 OR NOT kev published<2002 NOT news'
const words = Array.from({ length: 19 }, (_, at) => `NOT "flaws of kind ${at}"`).join(' ')

test('one statement tests some rows of a list, fewer where a test is dear, and the answer says where it stopped', async () => {
  const world = aWorld({ METER: '1' })
  await fill(world)
  const { call, answer } = await anOrg({ world })
  const ask = (query: Record<string, unknown>) => call(listVulns, { query: { count: 'quick', limit: 1, ...query } })

  const deep = await ask({ q: 'NOT kev NOT news severity:critical', page: 1_000_000 })
  expect([deep.results, deep.looked_at, new URL(deep.next ?? '').searchParams.get('after')]).toEqual([
    [],
    most,
    String(most),
  ])
  // Also without a filter; `next` goes on from there.
  const last = await ask({ page: most })
  expect([last.results.map(({ id }) => id), last.looked_at]).toEqual([[total - most + 1], most])
  const beyond = await answer(listVulns, { query: { limit: 1, page: most + 1 } })
  expect([beyond.status, await beyond.text()]).toEqual([400, expect.stringContaining('follow `next`')])
  expect((await ask({ after: most })).results.map(({ id }) => id)).toEqual([total - most])

  const dear = await ask({ q: `severity:critical ${words}` })
  expect(dear.looked_at).toBeLessThan(300)
  expect(dear.looked_at).toBeGreaterThan(200)

  // Also where one list stands behind the other: what is no news, and then the news.
  const flagged = await ask({ q: 'NOT kev severity:critical', sorted_by: 'is_in_the_news' })
  expect([flagged.results, flagged.looked_at]).toEqual([[], most])
  await makeCritical(world, 'id = 10')
  const news = await ask({ q: 'NOT kev severity:critical', sorted_by: 'is_in_the_news', after: total })
  expect(listIds(news.results)).toEqual([10])
})

test('an export reads its list to the end in steps, between which others get to the database', async () => {
  const world = aWorld({ METER: '1' })
  await fill(world)
  const { answer } = await anOrg({ world })
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const response = await answer(exportVulns, { params: { format: 'json' }, query: { q: rare } })
  clearInterval(timer)
  expect(turns).toBeGreaterThan(5)
  const found = (await response.json()) as { id: number }[]
  expect(found.map(({ id }) => id)).toEqual([1])
  expect(Number(/queries=(\d+)/.exec(response.headers.get('server-timing') ?? '')?.[1])).toBeGreaterThan(5)

  const endless = await answer(exportVulns, {
    params: { format: 'csv' },
    query: { q: `composite<0 ${Array.from({ length: 15 }, () => 'NOT composite>0').join(' ')}` },
  })
  expect([endless.status, await endless.text()]).toEqual([400, expect.stringContaining('filter the list further')])
  // Not after all the steps that would not do.
  expect(Number(/queries=(\d+)/.exec(endless.headers.get('server-timing') ?? '')?.[1])).toBeLessThan(20)
})

type Call = Awaited<ReturnType<typeof anOrg>>

const listIds = (found: { id: number }[]) => found.map(({ id }) => id)

async function exportIds({ answer }: Call, query: Record<string, unknown>) {
  const response = await answer(exportVulns, { params: { format: 'json' }, query })
  expect(response.status).toBe(200)
  return listIds((await response.json()) as { id: number }[])
}

/** The ids from one to another, which may be smaller. */
const idsBetween = (from: number, to: number) =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => (from < to ? from + at : from - at))

/** A filter that no index knows. */
const critical = 'severity:critical'
const makeCritical = ({ env }: World, ids: string, values = '') =>
  rows(env, `UPDATE vulns SET cvss3 = 9.8${values} WHERE ${ids}`)

test('by risk each exploited one is found, however dear the other tests are and however many there are', async () => {
  const world = aWorld()
  await fill(world)
  await makeCritical(world, 'id <= 1600', ', is_in_the_wild = 1')
  const org = await anOrg({ world })
  const query = { q: `${critical} NOT composite>0.9`, sorted_by: 'risk' as const }
  const { results, next } = await org.call(listVulns, { query: { ...query, limit: 100, page: 16 } })
  expect([listIds(results), next]).toEqual([idsBetween(100, 1), expect.stringContaining('after=')])
  expect(await exportIds(org, query)).toEqual(idsBetween(1600, 1))

  await world.sql`UPDATE vulns SET is_in_the_wild = 1 WHERE id <= 5000`
  const page = await org.call(listVulns, {
    query: { q: 'severity:medium OR severity:critical', sorted_by: 'risk', limit: 100, page: 50, count: 'quick' },
  })
  expect(page.results.filter((vuln) => vuln.is_in_the_wild)).toHaveLength(100)
}, 90_000)

test('behind the end of a long first list comes the second, page by page and in a file', async () => {
  const world = aWorld()
  await fill(world)
  await makeCritical(world, 'id <= 10500', ', is_exploitable = 1')
  await makeCritical(world, `id > ${total - 500}`)
  const org = await anOrg({ world })
  const ask = (page: number) =>
    org.call(listVulns, { query: { q: critical, sorted_by: '-is_exploitable', limit: 100, page } })
  expect(listIds((await ask(105)).results)).toEqual(idsBetween(100, 1))
  expect(listIds((await ask(106)).results)).toEqual(idsBetween(total, total - 99))

  expect(await exportIds(org, { q: critical, sorted_by: 'is_exploitable' })).toEqual([
    ...idsBetween(total - 499, total),
    ...idsBetween(1, 9_500),
  ])
  // Most are alike in the first key, which a page may not sort.
  await rows(world.env, `UPDATE vulns SET epss = id / 1000000.0 WHERE id > ${total - 6000}`)
  expect(await exportIds(org, { q: critical, sorted_by: '-epss', then_by: '-score' })).toEqual([
    ...idsBetween(total, total - 499),
    ...idsBetween(10_500, 1_001),
  ])
}, 90_000)

/** A database in which something happens before the first statements with such a value. */
function beforeReading(real: D1Database, sign: number, act: () => Promise<unknown>, times = 1): D1Database {
  let awaited = times
  const prepare = (base: D1DatabaseSession) => (text: string) => ({
    bind: (...values: unknown[]) => {
      const statement = base.prepare(text).bind(...values)
      if (!awaited || !values.includes(sign)) return statement
      awaited--
      return { all: async () => (await act(), statement.all()) }
    },
  })
  const withSession: D1Database['withSession'] = (start) => {
    const session = real.withSession(start)
    const batch: D1DatabaseSession['batch'] = (statements) => session.batch(statements)
    return { prepare: prepare(session), batch, getBookmark: () => session.getBookmark() } as D1DatabaseSession
  }
  return { prepare: (text: string) => real.prepare(text), batch: real.batch.bind(real), withSession } as D1Database
}

test('an export holds vulnerabilities that a change brings to its front meanwhile, each once', async () => {
  const world = aWorld()
  await fill(world)
  await makeCritical(world, 'id <= 2 OR id BETWEEN 49401 AND 49600')
  const org = await anOrg({ world })
  const { DB } = world.env
  // The step that ends there begins after 20,500, between these.
  world.env.DB = beforeReading(DB, 35_500, () => DB.exec('UPDATE vulns SET updated_at = 90000 + id WHERE id <= 2'))
  expect(await exportIds(org, { q: critical })).toEqual([2, 1, ...idsBetween(49_600, 49_401)])
}, 90_000)

test('a user has two exports at once: a third one waits for its place, and not for long', async () => {
  const world = aWorld()
  await fill(world)
  const org = await anOrg({ world })
  const { promise: end, resolve } = Promise.withResolvers<void>()
  world.env.DB = beforeReading(world.env.DB, 35_500, () => end, 2)
  const ask = () => org.answer(exportVulns, { params: { format: 'json' }, query: { q: critical } })
  const two = [ask(), ask()]
  await pause(1_000)
  const third = await ask()
  expect([third.status, await third.text()]).toEqual([429, expect.stringContaining('2 of your exports')])
  const fourth = ask()
  resolve()
  expect((await Promise.all([...two, fourth])).map(({ status }) => status)).toEqual([200, 200, 200])
}, 90_000)

test('a search whose words have too many names for one statement is refused, and is no failure of ours', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { answer } = await anOrg()
  const query = { search: 'rce xss sqli dos csrf k8s js win', sorted_by: 'relevance', q: words } as const
  expect((await answer(listVulns, { query })).status).toBe(400)
})

test('exploits with a common word are looked up once, however the list is sorted', async () => {
  const world = aWorld({ METER: '1' })
  await world.sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
     INSERT INTO exploits(vuln_id, source, key, link, trust_level, availability, maturity, modified)
     SELECT i, 'poc', 'k' || i, 'https://github' || (i % 50) || '.test/' || i, 'low', 'public', 'poc', '2026-11-20T10:00:00Z' FROM n`
  await catchUp(world)
  const ask = async (query: string) => {
    const response = await world.request(`/api/public/exploits/?limit=5&${query}`)
    expect(((await response.json()) as { results: unknown[] }).results).toHaveLength(5)
    return Number(/dur=([\d.]+)/.exec(response.headers.get('server-timing') ?? '')?.[1])
  }
  const plain = await ask('sorted_by=best')
  const [newest, best] = [await ask('search=github'), await ask('search=github&sorted_by=best')]
  // A look into the index for each row took seconds.
  expect(Math.max(newest, best)).toBeLessThan(20 * plain + 300)
})

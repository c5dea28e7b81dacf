import { eq, sql, type SQL } from 'drizzle-orm'
import { afterEach, expect, test } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { currentUser } from '../../worker/auth/contract'
import { bulk, jsonChunks } from '../../worker/db/bulk'
import { d1Limits, LimitExceeded, newMeter } from '../../worker/db/limits'
import { openDb } from '../../worker/db/open'
import { syncInfo } from '../../worker/feeds/contract'
import { getProduct, listProducts, listVendors } from '../../worker/kb/contract'
import { products, vendors } from '../../worker/schema/kb'
import { toggleProduct } from '../../worker/monitoring/contract'
import { getVuln, vulnHistory } from '../../worker/vulns/detail/contract'
import { listVulns } from '../../worker/vulns/contract'
import { latestNews, latestVulns, vulnStats } from '../../worker/home/contract'
import { anOrg } from './support/org'
import { fakeOrigins, originSettings, type Origins } from './support/origins'
import { aCve, affecting, aKevEntry, aMatch } from '../support/records'
import { aWorld } from './support/world'

let origins: Origins | undefined
afterEach(() => origins?.restore())

const aDb = () => {
  const meter = newMeter()
  return { meter, db: openDb(aWorld().env, meter) }
}

test('an invocation may ask the database a thousand times, and not once more', async () => {
  const { db, meter } = aDb()
  const one = db.$client.prepare('SELECT 1 AS one')
  await db.$client.batch(Array.from({ length: d1Limits.queries_per_invocation - 1 }, () => one))
  await one.first()
  expect(meter.queries).toBe(1000)
  await expect(one.first()).rejects.toThrow(LimitExceeded)
  await expect(db.$client.batch([one])).rejects.toThrow('queries in one invocation')
})

test('a value above 2 MB is refused, counted in bytes and not in characters', () => {
  const { db } = aDb()
  const bind = (value: string) => () => db.$client.prepare('SELECT ?1').bind(value)
  expect(bind('x'.repeat(2_000_000))).not.toThrow()
  expect(bind('x'.repeat(2_000_001))).toThrow('a value of 2000001 bytes')
  expect(bind('é'.repeat(1_000_000))).not.toThrow()
  expect(bind('é'.repeat(1_000_001))).toThrow(LimitExceeded)
})

test('too much SQL and too many parameters are refused', () => {
  const { db } = aDb()
  expect(() => db.$client.prepare(`SELECT 1 -- ${'x'.repeat(100_000)}`).bind()).toThrow('SQL of')
  expect(() => db.$client.prepare('SELECT 1').bind(...Array.from({ length: 101 }))).toThrow('101 bound parameters')
})

test('a select that names a column twice is refused: D1 would silently drop one of them', async () => {
  const { db } = aDb()
  const twice = db
    .select({ vendor: vendors.name, product: products.name })
    .from(products)
    .innerJoin(vendors, eq(vendors.id, products.vendor_id))
  await expect(twice).rejects.toMatchObject({ cause: { message: expect.stringContaining('"name" stands twice') } })
  const once = db.select({ vendor: products.vendor, product: products.name }).from(products)
  expect(await once).toEqual([])
})

test('a subquery in a select from one table is refused when its column lost the table', async () => {
  const { db } = aDb()
  const count = (id: SQL) => sql<number>`(SELECT count(*) FROM products p WHERE p.vendor_id = ${id})`
  const one = sql<number>`(SELECT count(*) FROM products p WHERE p.vendor_id = ${vendors.id})`
  const select = (held: SQL) => db.select({ id: vendors.id, held }).from(vendors)
  await expect(select(one).all()).rejects.toThrow()
  await expect(async () => db.batch([select(one)])).rejects.toThrow('names a column without its table')
  expect(await select(count(sql`vendors.id`)).all()).toEqual([])
  expect(await select(one).innerJoin(products, eq(products.vendor_id, vendors.id)).all()).toEqual([])
})

test.each([
  'D1 DB is overloaded. Too many requests queued.',
  'Network connection lost.',
  'Cannot resolve D1 DB due to transient issue on remote node.',
  'Internal error in D1 DB storage caused object to be reset.',
])('while the database is overloaded a client is told when to come back', async (text) => {
  const overloaded = () => Promise.reject(new Error(`D1_ERROR: ${text}`))
  const statement = { bind: () => statement, all: overloaded, run: overloaded }
  const session = { prepare: () => statement, batch: overloaded, getBookmark: () => null }
  const DB = { ...session, withSession: () => session } as unknown as D1Database
  const response = await aWorld({ DB }).request('/readyz')
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
  expect(await response.json()).toMatchObject({ code: 'busy' })
})

test('bulk rows are cut into parameters that D1 takes, and none is lost', async () => {
  const { db } = aDb()
  const listed = Array.from({ length: 5_000 }, (_, at) => ({ at, text: 'é'.repeat(at % 7 === 0 ? 3_000 : 10) }))
  const chunks = jsonChunks(listed)
  for (const chunk of chunks) expect(Buffer.byteLength(chunk)).toBeLessThan(1_510_000)
  expect(chunks.flatMap((chunk) => JSON.parse(chunk) as unknown[])).toEqual(listed)

  const answers = await db.$client.batch<{ n: number }>(bulk(db, 'SELECT count(*) AS n FROM json_each(?1)', listed))
  expect(answers.reduce((sum, { results }) => sum + (results[0]?.n ?? 0), 0)).toBe(5_000)
  expect(jsonChunks([])).toEqual([])
})

test('no request reads more rows than its budget, however many there are', async () => {
  origins = fakeOrigins()
  const world = aWorld({ ...originSettings, METER: '1' })
  const cves = Array.from({ length: 3_000 }, (_, at) =>
    aCve(`CVE-2024-${10_000 + at}`, {
      published: `2024-${String(1 + (at % 12)).padStart(2, '0')}-01T00:00:00.000`,
      descriptions: [{ lang: 'en', value: at % 100 ? `A flaw of kind ${at % 40}.` : 'A rare overflow.' }],
      configurations: affecting(aMatch(`vendor_${at % 200}`, `product_${at % 600}`)),
    }),
  )
  origins.files.set(2024, cves)
  origins.kev = cves
    .slice(0, 300)
    .map(({ id }, at) => aKevEntry(id, { vendorProject: `vendor_${at % 200}`, product: `product_${at % 600}` }))
  await world.tick()
  await world.drain()

  const { call, answer } = await anOrg({ world })
  for (const at of [1, 2]) {
    const body = { vendor_name: `vendor_${at}`, product_name: `product_${at}`, monitored: true }
    await call(toggleProduct, { body })
  }
  const budgets: [name: string, most: number, ask: () => Promise<Response>][] = [
    ['list', 200, () => answer(listVulns)],
    ['list by score', 200, () => answer(listVulns, { query: { sorted_by: '-score' } })],
    ['list of 100', 900, () => answer(listVulns, { query: { limit: 100 } })],
    ['list, monitored', 200, () => answer(listVulns, { query: { monitored: true } })],
    ['list of a product', 200, () => answer(listVulns, { query: { product: 1 } })],
    ['search of an id', 50, () => answer(listVulns, { query: { search: 'CVE-2024-10007' } })],
    ['search of a rare word', 500, () => answer(listVulns, { query: { search: 'overflow' } })],
    ['detail', 300, () => answer(getVuln, { params: { id: 1 } })],
    ['history', 20, () => answer(vulnHistory, { params: { id: 1 } })],
    ['statistics', 50, () => answer(vulnStats)],
    ['latest', 200, () => answer(latestVulns)],
    ['products', 200, () => answer(listProducts)],
    ['products by a part', 200, () => answer(listProducts, { query: { search: 'product_59' } })],
    ['monitored products', 200, () => answer(listProducts, { query: { monitored: true } })],
    ['product', 30, () => answer(getProduct, { params: { id: 1 } })],
    ['vendors', 200, () => answer(listVendors)],
    ['alerts', 50, () => answer(listAlerts)],
    ['current user', 50, () => answer(currentUser)],
    ['feeds', 50, () => answer(syncInfo)],
  ]
  const read: Record<string, number> = {}
  for (const [name, , ask] of budgets) read[name] = rowsRead(await ask())
  const over = budgets.filter(([name, most]) => !((read[name] ?? Number.NaN) <= most))
  expect(over.map(([name, most]) => `${name}: ${read[name]} rows, at most ${most}`)).toEqual([])

  await world.sql`INSERT INTO exploits(vuln_id, source, key, link, trust_level, availability, maturity, modified)
     SELECT id, 'poc', 'link:' || id, 'https://poc.test/' || id, 'low', 'public', 'poc', '2026-11-20T10:00:00Z' FROM vulns`
  await world.sql`INSERT INTO epss_rises SELECT date('now', -value || ' days'), (SELECT json_group_array(json_array(id, 0.01, 0.2)) FROM vulns WHERE id % 8 = value)
     FROM json_each('[0,1,2,3,4,5,6,7]')`
  // Four short lists. The first call guesses, from what this isolate read last, which rows will be asked for.
  await answer(latestNews)
  expect(rowsRead(await answer(latestNews))).toBeLessThanOrEqual(380)
})

const rowsRead = ({ headers }: Response) => Number(/ read=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1])

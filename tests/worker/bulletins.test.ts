import { beforeEach, expect, test } from 'vitest'
import { runSync } from '../../worker/feeds/contract'
import { getBulletin, listBulletins, monitorBulletin, monitorBulletins } from '../../worker/kb/bulletins/contract'
import { aCsaf, aCsafVuln } from '../support/csaf'
import { eachTest } from './support/each-test'
import { catchUp } from './support/catch-up'
import { anOrg } from './support/org'
import { fakeOrigins } from './support/origins'
import { aWorld, type World } from './support/world'

const folder = 'https://raw.test/white'
const ids = ['A', 'B', 'C']

let world: World
let org: Awaited<ReturnType<typeof anOrg>>
let documents: Map<string, ReturnType<typeof aCsaf>>
const origins = eachTest(fakeOrigins)
beforeEach(async () => {
  origins.instead = ({ href }) => {
    if (href.endsWith('changes.csv'))
      return new Response([...documents].map(([id], at) => `${id}.json,2026-11-${10 + (at % 10)}`).join('\n'))
    const found = documents.get(/([^/]+)\.json$/.exec(href)?.[1] ?? '')
    return found ? Response.json(found) : null
  }
  documents = new Map([
    ['A', aBulletin('A', '2026-01-01', 9.8, { title: 'Acme Widget', vendor: 'Acme' })],
    ['B', aBulletin('B', '2026-03-01', 5, { title: 'Beta Gadget', vendor: 'Beta' })],
    ['C', aBulletin('C', '2026-02-01', 7.5, { title: 'Acme Frame', vendor: 'Acme' })],
  ])
  world = aWorld({ CSAF_URL: folder })
  org = await anOrg({ world })
})

function aBulletin(id: string, day: string, baseScore: number, given: { title: string; vendor: string }) {
  const document = aCsaf({
    id,
    ...given,
    vulnerabilities: [aCsafVuln('CVE-2026-10001', { scores: [{ cvss_v3: { baseScore } }] })],
  })
  document.document.tracking.initial_release_date = `${day}T00:00:00Z`
  return document
}

async function load() {
  const admin = await anOrg({ world, is_admin: true })
  await admin.call(runSync, { query: { feed: 'csaf' } })
  await world.drain()
}
const listIds = async (query: Record<string, string | number> = {}) =>
  (await org.call(listBulletins, { query })).results.map(({ publicid }) => publicid)
const findId = async (publicid: string) =>
  (await org.call(listBulletins)).results.find((one) => one.publicid === publicid)?.id ?? 0

test('bulletins come newest first, and by vendor', async () => {
  await load()
  expect(await listIds()).toEqual(['B', 'C', 'A'])
  expect(await listIds({ sorted_by: 'published' })).toEqual(['A', 'C', 'B'])
  expect((await listIds({ sorted_by: '-vendor' }))[0]).toBe('B')
  expect((await org.answer(listBulletins, { query: { sorted_by: 'body' } })).status).toBe(400)
})

test.each([
  [{ search: 'acme' }, ['C', 'A']],
  [{ search: 'acme widg' }, ['A']],
  [{ search: 'b' }, ['B']],
  [{ search: 'nothing' }, []],
  [{ vendor: 'Acme' }, ['C', 'A']],
  [{ severity: 'Critical' }, ['A']],
  [{ vendor: 'Acme', severity: 'High' }, ['C']],
  [{ cveid: 'cve-2026-10001' }, ['B', 'C', 'A']],
  [{ cveid: 'CVE-2026-99999' }, []],
  [{ monitored: 'true' }, []],
  [{ monitored: 'false', vendor: 'Beta' }, ['B']],
  [{ limit: 1, page: 2 }, ['C']],
  [{ page: 9 }, []],
])('asked for %j, the list holds %j', async (query, expected) => {
  await load()
  expect(await listIds(query)).toEqual(expected)
})

test.each(['" OR "', 'C++ *', 'NEAR(a b)', '🙂', '\u0000', 'x'.repeat(200), '%', "'; DROP TABLE bulletins; --"])(
  'the search %j is answered',
  async (search) => {
    await load()
    expect((await org.answer(listBulletins, { query: { search } })).status).toBe(200)
    expect(
      (
        await org.answer(listBulletins, {
          query: { vendor: search, severity: search.slice(0, 50), cveid: search.slice(0, 50) },
        })
      ).status,
    ).toBe(200)
  },
)

test('an organization monitors a bulletin for itself alone', async () => {
  await load()
  const other = await anOrg({ world })
  const id = await findId('A')
  expect(await org.call(monitorBulletin, { params: { id }, body: { monitored: true } })).toBe('toggled.')
  await org.call(monitorBulletin, { params: { id }, body: { monitored: true } })
  expect(await listIds({ monitored: 'true' })).toEqual(['A'])
  expect(await org.call(getBulletin, { params: { id } })).toMatchObject({ publicid: 'A', monitored: true })
  expect(await other.call(getBulletin, { params: { id } })).toMatchObject({ monitored: false })
  expect((await other.call(listBulletins, { query: { monitored: true } })).results).toEqual([])

  await other.call(monitorBulletin, { params: { id }, body: { monitored: false } })
  expect(await listIds({ monitored: 'true' })).toEqual(['A'])
  await org.call(monitorBulletin, { params: { id }, body: { monitored: false } })
  expect(await listIds({ monitored: 'true' })).toEqual([])
})

test('some bulletins are monitored at once: all of them, or none when one is unknown', async () => {
  await load()
  const all = await Promise.all(ids.map(findId))
  await org.call(monitorBulletins, { body: { ids: all, monitored: true } })
  expect(await listIds({ monitored: 'true' })).toEqual(['B', 'C', 'A'])
  await org.call(monitorBulletins, { body: { ids: all.slice(0, 2), monitored: false } })
  expect(await listIds({ monitored: 'true' })).toEqual(['C'])

  expect((await org.answer(monitorBulletins, { body: { ids: [...all, 4711], monitored: true } })).status).toBe(404)
  expect(await listIds({ monitored: 'true' })).toEqual(['C'])
  expect((await org.answer(monitorBulletins, { body: { ids: [], monitored: true } })).status).toBe(400)
  const tooMany = Array.from({ length: 101 }, (_, at) => at + 1)
  expect((await org.answer(monitorBulletins, { body: { ids: tooMany, monitored: true } })).status).toBe(400)
  expect((await org.answer(monitorBulletin, { params: { id: 4711 }, body: { monitored: true } })).status).toBe(404)
  expect((await org.answer(monitorBulletin, { params: { id: all[0] ?? 0 }, body: {} })).status).toBe(400)
})

test('a hundred bulletins are monitored at once', async () => {
  for (let at = 0; at < 100; at++)
    documents.set(`N${at}`, aBulletin(`N${at}`, '2026-05-01', 5, { title: 'N', vendor: 'N' }))
  await load()
  const { results } = await org.call(listBulletins, { query: { limit: 100 } })
  await org.call(monitorBulletins, { body: { ids: results.map(({ id }) => id), monitored: true } })
  expect((await org.call(listBulletins, { query: { monitored: true } })).count).toBe(100)
})

test("a bulletin links its CVEs to vulnerabilities, but never to another organization's own", async () => {
  const cves = ['CVE-2026-10001', 'CVE-2026-10002', 'CVE-2026-10003']
  documents.set('A', aCsaf({ id: 'A', vulnerabilities: cves.map((cve) => aCsafVuln(cve)) }))
  await load()
  const other = await anOrg({ world })
  await world.sql`INSERT INTO vulns(id, cveid, org_id, state, summary, score, created_at, updated_at) VALUES
     (7, 'CVE-2026-10001', NULL, 'published', '', 88, 0, 0), (8, 'CVE-2026-10002', ${other.org_id}, 'published', '', 50, 0, 0)`
  const id = await findId('A')
  const { vulns } = await org.call(getBulletin, { params: { id } })
  expect(vulns).toEqual([
    { cveid: 'CVE-2026-10001', id: 7, score: 88, is_score_provisional: true, state: 'published' },
    { cveid: 'CVE-2026-10002', id: null, score: null, is_score_provisional: false, state: null },
    { cveid: 'CVE-2026-10003', id: null, score: null, is_score_provisional: false, state: null },
  ])
  expect((await other.call(getBulletin, { params: { id } })).vulns[1]).toMatchObject({ id: 8, score: 50 })
  expect((await org.answer(getBulletin, { params: { id: 4711 } })).status).toBe(404)
})

test('a page of bulletins reads few rows, however many there are', async () => {
  await world.sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
     INSERT INTO bulletins(publicid, source, vendor, title, severity, link, published, modified, hash, body)
     SELECT 'B-' || i, 'x', 'Vendor ' || (i / 20), 'Title ' || i, 'High', '', strftime('%Y-%m-%dT%H:%M:%SZ', i * 10000, 'unixepoch'), '', '', '{}' FROM n`
  await world.sql`INSERT INTO counters(name, value) VALUES ('bulletins', 5000)`
  await catchUp(world)
  world.env.METER = '1'
  const rowsRead = async (query: Record<string, unknown>) => {
    const { headers } = await org.answer(listBulletins, { query })
    return Number(/ read=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1])
  }
  // There are some ten thousand bulletins: unusual orders and filters may read them all.
  for (const query of [{ sorted_by: 'vendor' }, { vendor: 'Vendor 7' }])
    expect(await rowsRead(query), JSON.stringify(query)).toBeLessThanOrEqual(20_000)
  for (const query of [{}, { page: 3 }, { search: 'title 4711' }, { monitored: 'true' }, { cveid: 'CVE-2026-10001' }])
    expect(await rowsRead(query), JSON.stringify(query)).toBeLessThanOrEqual(200)
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { countCensus } from '../../worker/census/count'
import { publicCensus } from '../../worker/public/contract'
import { openDb } from '../../worker/db/open'
import { saveRecords } from '../../worker/merge/save-records'
import { listVulns } from '../../worker/vulns/contract'
import { anOrg, sqlIn } from './support/org'
import { pageAt } from './support/public-rows'
import { randomRecords, scanCensus } from './support/plain-census'
import { aWorld, type World } from './support/world'

const now = new Date('2026-11-20T10:00:00Z')
// The months end with that of the reader.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }))
afterEach(() => void vi.useRealTimers())

const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000)
const feed = ({ env }: World, id: string, state: string, last_success: string | null) =>
  sqlIn(
    env,
  )`INSERT INTO feeds(id, state, next_run_at, last_success) VALUES (${id}, ${state}, '2099-01-01T00:00:00Z', ${last_success})
     ON CONFLICT(id) DO UPDATE SET state = excluded.state, last_success = excluded.last_success`
const allFeeds = ['cve', 'nvd', 'osv', 'redhat', 'overrides']
const readCensus = async (world: World) => {
  const response = await world.request('/api/public/census')
  return publicCensus.reply.parse(await response.json())
}
const save = (world: World, batches: ReturnType<typeof randomRecords>) =>
  batches.reduce(
    (before, batch) => before.then(async () => void (await saveRecords(openDb(world.env), batch))),
    Promise.resolve(),
  )
async function countAll(world: World, from: Date) {
  await world.tick(from)
  for (let minute = 1; minute < 4; minute++)
    await countCensus(openDb(world.env), new Date(from.getTime() + minute * 60_000))
}

test('the census counts what a plain scan of the same records counts, in chunks and twice', async () => {
  const world = aWorld()
  for (const id of allFeeds) await feed(world, id, 'idle', '2026-11-20T09:00:00Z')
  await save(world, randomRecords(7, 90))
  // More of one second than a statement counts.
  await world.sql`INSERT INTO vulns(cveid, state, summary, published, created_at, updated_at)
     SELECT 'CVE-2026-' || (50000 + value), 'published', '', unixepoch('2026-07-01T00:00:00Z'), 0, 0
     FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 1200) SELECT value FROM n)`
  const scanned = await scanCensus(world)
  const counted = async () => {
    const { months, months_total } = await readCensus(world)
    expect(months).toHaveLength(months_total)
    const found = months.flatMap(({ month, cves, by_name, sources }) =>
      [
        ...Object.entries({ cves, by_name }),
        ...Object.entries(sources).flatMap(([id, waits]) => waits.map((count, at) => [`${id} ${at}`, count] as const)),
      ].map(([what, count]) => [`${month} ${what}`, count] as const),
    )
    return Object.fromEntries(found.filter(([, count]) => count > 0))
  }
  await countAll(world, now)
  expect(await counted()).toEqual(scanned)
  const seen = new Set(Object.keys(scanned).map((key) => key.slice(8)))
  for (const what of ['by_name', 'other 3', 'cisa 1', 'cisa 4', ...[0, 1, 2, 3, 4].map((wait) => `any ${wait}`)])
    expect([what, seen.has(what)]).toEqual([what, true])

  const { counted_from } = await readCensus(world)
  const idle = openDb(world.env)
  await countCensus(idle, later(30))
  expect([idle.meter.queries, idle.meter.rows_written]).toEqual([3, 0])
  await countAll(world, later(7 * 24 * 60 + 30))
  expect(await counted()).toEqual(scanned)
  expect((await readCensus(world)).counted_from).not.toBe(counted_from)
})

test('nothing is counted before the first load is done, and unread data is not none', async () => {
  const world = aWorld()
  const empty = await pageAt(world, '/census')
  expect([empty.status, empty.headers.get('cache-control')]).toEqual([200, 'public, max-age=300'])
  expect(empty.text).toContain('Nothing was counted yet')
  await feed(world, 'cve', 'running', null)
  await feed(world, 'nvd', 'idle', '2026-11-20T09:00:00Z')
  await world.tick(now)
  expect((await readCensus(world)).months).toEqual([])

  await feed(world, 'cve', 'idle', '2026-11-20T09:00:00Z')
  const told = { summary: 'A flaw.', published: '2026-10-05T00:00:00Z', modified: '2026-10-05T10:00:00Z' }
  const affected = [{ vendor: 'acme', product: 'widget', ranges: ['a:1.0'] }]
  await save(world, [
    {
      source: 'cve',
      now: new Date('2026-10-05T11:00:00Z'),
      is_backfill: false,
      records: [
        { cveid: 'CVE-2026-10001', state: 'published', ...told, affected },
        {
          cveid: 'CVE-2026-10002',
          state: 'published',
          ...told,
          affected: [{ vendor: 'acme', product: 'w', ranges: [] }],
        },
        { cveid: 'CVE-2026-10003', state: 'published', ...told },
        { cveid: 'CVE-2026-10004', state: 'rejected', ...told, affected },
        { cveid: 'CVE-2026-10005', state: 'awaiting' },
        { cveid: 'GHSA-aaaa-bbbb-0001', state: 'published', ...told, affected },
      ],
    },
  ])
  // Private rows of an organization are nobody else's; a date before all CVEs is a mistake.
  await world.sql`INSERT INTO vulns(cveid, org_id, state, summary, published, created_at, updated_at)
     VALUES ('CVE-2026-10006', 999, 'published', '', unixepoch('2026-10-05'), 0, 0), ('CVE-1999-0001', NULL, 'published', '', 0, 0, 0)`
  await world.tick(later(1))
  const census = await readCensus(world)
  const october = census.months.find(({ month }) => month === '2026-10')
  expect(october).toMatchObject({ cves: 3, by_name: 1, sources: { any: [1, 0, 0, 0, 0], cve: [1, 0, 0, 0, 0] } })
  expect(Object.keys(october?.sources ?? {}).toSorted()).toEqual(['any', 'cisa', 'cve', 'nvd', 'other'])
  expect(census).toMatchObject({ rejected: 1, reserved: 1, undated: 0 })
  expect(census.months.length).toBeLessThan(census.months_total)

  const { text, status } = await pageAt(world, '/census')
  const plain = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
  expect(status).toBe(200)
  for (const part of [
    `${census.months.length} of ${census.months_total} months are counted so far`,
    'not counted yet',
    'OSV not read',
    '2026-10 3 1 (33 %) 1 (33 %) 1 (33 %)',
    'Any source 1 (33 %) 0 (0 %)',
    '1 rejected CVEs, and 1 that are reserved',
    'WITH cves AS MATERIALIZED',
  ])
    expect(plain).toContain(part)
  // The list behind the month has what has no CVE id, too.
  const [, link = ''] = /href="(\/vulns[^"]+)">2026-10</.exec(text) ?? []
  const { call } = await anOrg({ world })
  const q = new URL(link, 'https://earshot.test').searchParams.get('q') ?? ''
  expect((await call(listVulns, { query: { q } })).count).toBe(4)

  const file = await pageAt(world, '/api/public/census/export/csv')
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const [head, ...lines] = file.text.trim().split('\r\n')
  expect(head).toBe(
    'month,counted_at,cves,by_name,source,versions,versions_day,versions_week,versions_month,versions_unknown,versions_later',
  )
  expect(lines).toContain('2026-10,2026-11-20T10:01:00Z,3,1,any,1,1,0,0,0,0')
  expect(lines).toContain('2026-10,2026-11-20T10:01:00Z,3,1,osv,,,,,,')

  // Statements of another source are missing in months counted before it was read.
  await feed(world, 'osv', 'idle', '2026-11-20T10:01:30Z')
  await countCensus(openDb(world.env), later(2))
  const again = (await readCensus(world)).months.find(({ month }) => month === '2026-10')
  expect(again?.sources).toMatchObject({ cve: [1, 0, 0, 0, 0], osv: [0, 0, 0, 0, 0], ghsa: [0, 0, 0, 0, 0] })
})

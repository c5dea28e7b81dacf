import { beforeEach, expect, test } from 'vitest'
import { chunkRecords } from '../../worker/feeds/source/chunk'
import { getVuln } from '../../worker/vulns/detail/contract'
import { eachTest } from './support/each-test'
import { fakeOrigins } from './support/origins'
import { anOrg } from './support/org'
import { aWorld, type World } from './support/world'
import { versioned } from './support/versioned'
import { answerBucket } from './support/osv-bucket'
import { anAdvisory } from '../support/osv'

const settings = {
  NVD_URL: '',
  KEV_URL: '',
  EPSS_URL: '',
  OSV_URL: 'https://osv.test',
  OSV_ECOSYSTEMS: 'PyPI, Go',
  GHSA_URL: '',
}
let world: World

const origins = eachTest(fakeOrigins)
beforeEach(() => {
  for (const ecosystem of ['PyPI', 'Go']) origins.osv.set(ecosystem, [])
  world = aWorld({ ...settings })
})

const put = (ecosystem: string, ...advisories: ReturnType<typeof anAdvisory>[]) => {
  const others = (origins.osv.get(ecosystem) ?? []).filter(({ id }) => !advisories.some((one) => one.id === id))
  origins.osv.set(ecosystem, [...others, ...advisories])
}
const minutes = (count: number) => new Date(Date.now() + count * 60_000)

async function sync(now = new Date()) {
  origins.requests.length = 0
  await world.tick(now)
  await world.drain()
}
const feed = async () => (await world.sql<Record<string, unknown>>`SELECT * FROM feeds WHERE id = 'osv'`)[0]
const stored = () =>
  world.sql<{ cveid: string; source: string; state: string }>`SELECT v.cveid, r.source, v.state
    FROM vuln_records r JOIN vulns v ON v.id = r.vuln_id ORDER BY 1, 2`
const later = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

test('each ecosystem is read from its archive, and then only what its list of changes names', async () => {
  put('PyPI', anAdvisory('PYSEC-2026-1'), anAdvisory('PYSEC-2026-2', { aliases: ['CVE-2026-10002'] }))
  put('Go', anAdvisory('GO-2026-0003', { aliases: [] }))
  await sync()
  expect(await feed()).toMatchObject({ state: 'idle', last_error: null })
  expect((await stored()).map(({ cveid, source }) => [cveid, source])).toEqual([
    ['CVE-2026-10001', 'osv/PYSEC-2026-1'],
    ['CVE-2026-10002', 'osv/PYSEC-2026-2'],
    ['GO-2026-0003', 'osv/GO-2026-0003'],
  ])
  const packages = await world.sql`SELECT type, name, vulns_count FROM packages ORDER BY type`
  expect(packages).toEqual([{ type: 'pypi', name: 'acme-widget', vulns_count: 3 }])

  put('PyPI', anAdvisory('PYSEC-2026-9', { aliases: ['CVE-2026-10009'], modified: later(1) }))
  await sync(minutes(70))
  const asked = origins.requests.filter(({ host }) => host === 'osv.test').map(({ pathname }) => pathname)
  expect(asked).toContain('/PyPI/PYSEC-2026-9.json')
  expect(asked.filter((path) => path.endsWith('.zip'))).toEqual([])
  expect((await stored()).map(({ cveid }) => cveid)).toContain('CVE-2026-10009')
})

test('a second sync of the same data writes nothing', async () => {
  put('PyPI', anAdvisory('PYSEC-2026-1'))
  put('Go', anAdvisory('GO-2026-0003'))
  await sync()
  await world.env.DB.prepare('UPDATE feeds SET cursor = NULL').run()
  await sync(minutes(70))
  const runs = await world.sql`SELECT changed, records, skipped FROM feed_runs WHERE feed_id = 'osv'
    ORDER BY id`
  expect(runs).toEqual([
    { changed: 2, records: 2, skipped: 0 },
    { changed: 0, records: 2, skipped: 0 },
  ])
})

test('an advisory that gets its CVE moves to it, and one that was withdrawn takes its claims back', async () => {
  put('Go', anAdvisory('GO-2026-0003', { aliases: [] }), anAdvisory('GO-2026-0004', { aliases: ['CVE-2026-10004'] }))
  await sync()
  put(
    'Go',
    anAdvisory('GO-2026-0003', { aliases: ['CVE-2026-10003'], modified: later(1) }),
    anAdvisory('GO-2026-0004', { aliases: ['CVE-2026-10004'], modified: later(2), withdrawn: later(2) }),
  )
  await sync(minutes(70))
  expect(await stored()).toEqual([
    { cveid: 'CVE-2026-10003', source: 'osv/GO-2026-0003', state: 'published' },
    { cveid: 'CVE-2026-10004', source: 'osv/GO-2026-0004', state: 'rejected' },
  ])
  expect(await world.sql`SELECT name, vulns_count FROM packages`).toEqual([{ name: 'acme-widget', vulns_count: 1 }])
})

test('an advisory that changes its CVE is taken from the one it no longer names', async () => {
  put('Go', anAdvisory('GO-2026-0003', { aliases: ['CVE-2026-10003'] }))
  put('PyPI', anAdvisory('PYSEC-2026-3', { aliases: ['CVE-2026-10003'] }))
  await sync()
  put('Go', anAdvisory('GO-2026-0003', { aliases: ['CVE-2026-10004'], modified: later(1) }))
  await sync(minutes(70))
  expect((await stored()).map(({ cveid, source }) => [cveid, source])).toEqual([
    ['CVE-2026-10003', 'osv/PYSEC-2026-3'],
    ['CVE-2026-10004', 'osv/GO-2026-0003'],
  ])
})

test('malicious packages are left to their own feed, and GHSA ids to GitHub where that feed is on', async () => {
  put('PyPI', anAdvisory('MAL-2026-1', { aliases: [] }), anAdvisory('GHSA-2222-3333-4444', { aliases: [] }))
  await sync()
  expect((await stored()).map(({ source }) => source)).toEqual(['ghsa/GHSA-2222-3333-4444'])

  world = aWorld({ ...settings, GHSA_URL: 'https://ghsa.test/advisories' })
  put('PyPI', anAdvisory('GHSA-2222-3333-5555', { aliases: [], modified: later(1) }))
  await sync(minutes(70))
  expect((await stored()).map(({ source }) => source)).toEqual(['ghsa/GHSA-2222-3333-4444'])
})

test('a broken record is skipped with its id and reason, and the others come in', async () => {
  const broken = { ...anAdvisory('PYSEC-2026-7'), affected: 'all' } as unknown as ReturnType<typeof anAdvisory>
  put('PyPI', broken, anAdvisory('PYSEC-2026-1'))
  put('Go', anAdvisory('GO-2026-0003'))
  await sync()
  expect(await world.sql`SELECT record_id, reason FROM feed_skips`).toEqual([
    { record_id: 'PYSEC-2026-7', reason: expect.stringMatching(/^affected: /) },
  ])
  expect(await stored()).toHaveLength(2)
})

test('an ecosystem that OSV does not have is named', async () => {
  origins.osv.delete('Go')
  origins.instead = (url) => (url.pathname.startsWith('/Go/') ? new Response('', { status: 404 }) : null)
  await sync()
  expect(await feed()).toMatchObject({ state: 'failed', last_error: 'OSV has no ecosystem Go' })
})

test('a load that is killed in the middle of an archive goes on where it was', { timeout: 30_000 }, async () => {
  const many = Array.from({ length: chunkRecords + 300 }, (_, at) =>
    anAdvisory(`PYSEC-2026-${at + 1}`, { aliases: [`CVE-2026-${20_000 + at}`] }),
  )
  put('PyPI', ...many)
  put('Go', anAdvisory('GO-2026-0003'))
  await world.env.DB.exec(
    `CREATE TRIGGER stop BEFORE INSERT ON vulns WHEN new.cveid = 'CVE-2026-${20_000 + chunkRecords + 200}' BEGIN SELECT raise(abort, 'killed'); END`,
  )
  await sync()
  expect(await feed()).toMatchObject({ state: 'failed', last_error: expect.stringContaining('killed') })
  // A busy machine commits the second chunk in several pieces, and those before the kill stay.
  const before = (await stored()).length
  expect(before).toBeGreaterThanOrEqual(chunkRecords)
  expect(before).toBeLessThanOrEqual(chunkRecords + 200)
  await world.env.DB.exec('DROP TRIGGER stop')
  await sync(minutes(5))
  expect(await feed()).toMatchObject({ state: 'idle', last_error: null })
  expect(await stored()).toHaveLength(many.length + 1)
  const [, resumed] = await world.sql<{ records: number }>`SELECT records FROM feed_runs WHERE feed_id = 'osv'
    ORDER BY id`
  expect(resumed?.records).toBe(301)
})

test('an advisory without a CVE shows its own id, which leads to where it is told of', async () => {
  put('PyPI', anAdvisory('PYSEC-2026-7', { aliases: [] }))
  await sync()
  const [row] = await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = 'PYSEC-2026-7'`
  const { call } = await anOrg({ world })
  const vuln = await call(getVuln, { params: { id: row?.id ?? 0 } })
  expect(vuln).toMatchObject({ cveid: null, aliases: ['PYSEC-2026-7'] })
  const page = await (await world.request(`/public/vulns/${row?.id}`)).text()
  expect(page).toContain('PYSEC-2026-7 at <a href="https://osv.dev/vulnerability/PYSEC-2026-7"')
})

test('one list tells which ecosystems have news, and a record that was read is not read again', async () => {
  origins.instead = async (url, request) =>
    url.host === 'osv.test' ? versioned(request, answerBucket(origins.osv, url)) : null
  put('PyPI', anAdvisory('PYSEC-2026-1', { modified: later(0) }))
  put('Go', anAdvisory('GO-2026-0003'))
  await sync()
  const looks: string[][] = []
  async function look(at: number) {
    origins.requests.length = 0
    await sync(minutes(at))
    looks.push(origins.requests.map(({ pathname }) => pathname))
  }
  const [all, ...lists] = ['/modified_id.csv', '/PyPI/modified_id.csv', '/Go/modified_id.csv']
  await look(5)
  await look(10)
  expect(looks.at(-1)).toEqual([all])
  put('PyPI', anAdvisory('PYSEC-2026-2', { aliases: ['CVE-2026-10002'], modified: later(1) }))
  await look(15)
  expect(looks.at(-1)).toEqual([all, lists[0], '/PyPI/PYSEC-2026-2.json'])
  expect((await stored()).map(({ cveid }) => cveid)).toContain('CVE-2026-10002')
  // Left to their own feed: no reason to ask.
  put('Go', anAdvisory('MAL-2026-1', { aliases: [], modified: later(1) }))
  await look(20)
  expect(looks.at(-1)).toEqual([all])

  // Listed before it is there, and then broken off: asked for until it comes.
  const late = anAdvisory('PYSEC-2026-3', { aliases: ['CVE-2026-10003'], modified: later(2) })
  put('PyPI', late)
  origins.instead = async (url, request) =>
    url.pathname.endsWith(`${late.id}.json`)
      ? new Response('', { status: 404 })
      : versioned(request, answerBucket(origins.osv, url))
  await look(25)
  origins.instead = async (url, request) =>
    url.pathname.endsWith(`${late.id}.json`)
      ? new Response('{"id": "PYS')
      : versioned(request, answerBucket(origins.osv, url))
  await look(30)
  expect(await world.sql`SELECT reason FROM feed_skips WHERE record_id = ${late.id}`).toContainEqual({
    reason: 'not valid JSON',
  })
  origins.instead = async (url, request) => versioned(request, answerBucket(origins.osv, url))
  await look(35)
  expect(looks.at(-1)).toEqual([all, lists[0], `/PyPI/${late.id}.json`])
  expect((await stored()).map(({ cveid }) => cveid)).toContain('CVE-2026-10003')
  await look(40)
  expect(looks.at(-1)).toEqual([all])

  // An entry with a time long gone is no sign, and each is asked itself after an hour.
  put('PyPI', anAdvisory('PYSEC-2026-4', { aliases: ['CVE-2026-10004'], modified: later(-5_400) }))
  await look(45)
  expect(looks.at(-1)).toEqual([all])
  await world.env.DB.prepare("UPDATE feeds SET cursor = json_set(cursor, '$.all.asked_at', '2026-01-01')").run()
  await look(50)
  expect(looks.at(-1)).toEqual([lists[0], '/PyPI/PYSEC-2026-4.json', lists[1]])
  expect((await stored()).map(({ cveid }) => cveid)).toContain('CVE-2026-10004')
  await look(55)
  expect(looks.at(-1)).toEqual([all])

  // One that is not there is asked for again, although another one is newer by more than what is read twice.
  const missed = anAdvisory('PYSEC-2026-5', { aliases: ['CVE-2026-10005'], modified: later(10) })
  put('PyPI', missed, anAdvisory('PYSEC-2026-6', { aliases: [], modified: later(7_300) }))
  origins.instead = async (url, request) =>
    url.pathname.endsWith(`${missed.id}.json`)
      ? new Response('', { status: 404 })
      : versioned(request, answerBucket(origins.osv, url))
  await look(60)
  origins.instead = async (url, request) => versioned(request, answerBucket(origins.osv, url))
  await look(65)
  expect((await stored()).map(({ cveid }) => cveid)).toContain('CVE-2026-10005')
})

test('a record that says it changed in a far year hides no news of others, nor where one did before', async () => {
  put('PyPI', anAdvisory('PYSEC-2026-1'))
  await sync()
  put('PyPI', anAdvisory('PYSEC-2026-2', { aliases: ['CVE-2026-10002'], modified: '9998-01-01T00:00:00.000Z' }))
  await sync(minutes(70))
  put('PyPI', anAdvisory('PYSEC-2026-3', { aliases: ['CVE-2026-10003'], modified: later(60) }))
  await sync(minutes(140))
  expect((await stored()).map(({ cveid }) => cveid)).toEqual(['CVE-2026-10001', 'CVE-2026-10002', 'CVE-2026-10003'])
  const read = origins.requests.map(({ pathname }) => pathname).filter((path) => /PYSEC/.test(path))
  expect(read).toEqual(['/PyPI/PYSEC-2026-3.json'])

  await world.sql`UPDATE feeds SET cursor = json_set(cursor, '$.through.PyPI', '9998-01-01T00:00:00.000Z')
    WHERE id = 'osv'`
  put('PyPI', anAdvisory('PYSEC-2026-4', { aliases: ['CVE-2026-10004'], modified: later(120) }))
  await sync(minutes(210))
  expect((await stored()).map(({ cveid }) => cveid)).toContain('CVE-2026-10004')
})

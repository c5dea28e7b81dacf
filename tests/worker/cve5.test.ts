import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createZip } from '../../scripts/mirror/zip-writer'
import type { ZipOptions } from '../../scripts/mirror/zip-writer'
import { chunkRecords } from '../../worker/feeds/source/chunk'
import { listRuns, listSkips, runSync, syncInfo, syncTriggers, syncYearTriggers } from '../../worker/feeds/contract'
import { listVulns } from '../../worker/vulns/contract'
import { aCve5, cvePath } from '../support/cve5'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'
import type { World } from './support/world'
import { serveFile } from './support/zip-server'

type Raw = ReturnType<typeof aCve5>
type Asset = { name: string; updated_at: string; bytes: Uint8Array<ArrayBuffer> }

const settings = { CVE_URL: 'https://list.test/releases', CVE_API_URL: 'https://one.test/api/cve' }
const realFetch = globalThis.fetch
let world: World
/** Releases, the newest first, each with its files; and the records that can be asked for one by one. */
let origin: {
  releases: Asset[][]
  records: Map<string, Raw>
  hasRanges: boolean
  requests: string[]
  instead: null | ((url: URL) => Response | null | Promise<Response | null>)
}

beforeEach(() => {
  world = aWorld({
    NVD_URL: '',
    KEV_URL: '',
    EPSS_URL: '',
    ATTACK_URL: '',
    CSAF_URL: '',
    ...onlyCve,
    ...settings,
  })
  origin = { releases: [], records: new Map(), hasRanges: true, requests: [], instead: null }
  globalThis.fetch = async (input, init) => {
    const url = new URL(new Request(input as RequestInfo).url)
    origin.requests.push(url.pathname)
    return (await origin.instead?.(url)) ?? answer(url, init as RequestInit)
  }
})
afterEach(() => {
  globalThis.fetch = realFetch
})

const onlyCve = Object.fromEntries(
  ['EXPLOITDB', 'METASPLOIT', 'POC', 'NUCLEI', 'CWE', 'CAPEC', 'OVERRIDES', 'OSV', 'GHSA', 'REDHAT'].map((name) => [
    `${name}_URL`,
    '',
  ]),
)

function answer(url: URL, init: RequestInit) {
  if (url.host === 'one.test') {
    const found = origin.records.get(url.pathname.split('/').at(-1) ?? '')
    return found ? Response.json(found) : Response.json({ error: 'CVE_RECORD_DNE' }, { status: 404 })
  }
  if (url.pathname === '/releases') {
    const size = Number(url.searchParams.get('per_page'))
    const page = Number(url.searchParams.get('page'))
    const some = origin.releases.slice((page - 1) * size, page * size)
    return Response.json(some.map((assets) => ({ body: '', assets: assets.map(asAsset) })))
  }
  const file = origin.releases.flat().find(({ name, updated_at }) => url.pathname === `/${updated_at}/${name}`)
  return file
    ? serveFile(file.bytes, init, { ...origin, etag: `"${file.bytes.length}"` })
    : new Response('', { status: 404 })
}
const asAsset = ({ name, updated_at }: Asset) => ({
  name,
  updated_at,
  browser_download_url: `https://list.test/${updated_at}/${name}`,
})

const listFiles = (raws: (Raw | string)[]) =>
  raws.map((raw, at) =>
    typeof raw === 'string'
      ? { name: cvePath(`CVE-2024-9990${at}`), data: Buffer.from(raw) }
      : { name: cvePath(raw.cveMetadata.cveId), data: Buffer.from(JSON.stringify(raw)) },
  )
const wholeList = (date: string, raws: (Raw | string)[], options: ZipOptions = { isStored: true }): Asset => ({
  name: `${date}_all_CVEs_at_midnight.zip.zip`,
  updated_at: `${date}T00:40:00Z`,
  bytes: createZip(
    [
      {
        name: 'cves.zip',
        data: createZip([{ name: 'cves/deltaLog.json', data: Buffer.from('[]') }, ...listFiles(raws)]),
      },
    ],
    options,
  ),
})
const delta = (date: string, time: string, raws: (Raw | string)[], updated_at = `${date}T${time}:10:00Z`): Asset => ({
  name: time === 'end' ? `${date}_delta_CVEs_at_end_of_day.zip` : `${date}_delta_CVEs_at_${time}00Z.zip`,
  updated_at,
  bytes: createZip(listFiles(raws)),
})
const changed = (raw: Raw, dateUpdated: string, summary: string): Raw => ({
  ...raw,
  cveMetadata: { ...raw.cveMetadata, dateUpdated },
  containers: { ...raw.containers, cna: { ...raw.containers.cna, descriptions: [{ lang: 'en', value: summary }] } },
})
const many = (count: number, year = 2024) =>
  Array.from({ length: count }, (_, at) => aCve5(`CVE-${year}-${10_000 + at}`, { affected: [] }))

async function sync(now = new Date()) {
  await world.tick(now)
  await world.drain()
}
const hours = (count: number) => new Date(Date.now() + count * 3_600_000)
const info = async () => {
  const { call } = await anOrg({ world })
  const found = (await call(syncInfo)).feeds.find(({ id }) => id === 'cve')
  if (!found) throw new Error('No such feed')
  return found
}
const findSummary = async (cveid: string) =>
  (await rows<{ summary: string }>(world.env, 'SELECT summary FROM vulns WHERE cveid = ?1', cveid))[0]?.summary
const countVulns = async () => (await rows<{ n: number }>(world.env, 'SELECT count(*) AS n FROM vulns'))[0]?.n

test('the whole list comes in, with what it says of products, and is counted by year', async () => {
  origin.releases = [[wholeList('2026-11-20', [...many(3), ...many(2, 2025), aCve5('CVE-2026-0001')])]]
  await sync()
  expect(await info()).toMatchObject({
    state: 'idle',
    last_error: null,
    records: 6,
    changed: 6,
    // With the log of changes that is in the archive too.
    total: 7,
    holes: 0,
    years: [
      { year: 2024, source_count: 3, here_count: 3 },
      { year: 2025, source_count: 2, here_count: 2 },
      { year: 2026, source_count: 1, here_count: 1 },
    ],
  })
  const { call } = await anOrg({ world })
  const [vuln] = (await call(listVulns, { query: { search: 'CVE-2026-0001' } })).results
  expect(vuln).toMatchObject({ state: 'published', assigner: 'acme', products: [{ vendor: 'acme', name: 'widget' }] })
})

test.each<[string, ZipOptions, boolean]>([
  ['stored, with ranges', { isStored: true }, true],
  ['packed into a stream', { hasDescriptors: true }, true],
  ['packed, without ranges', {}, false],
])(
  'a list that is %s is read in several steps, and never twice',
  { timeout: 30_000 },
  async (_, options, hasRanges) => {
    origin.hasRanges = hasRanges
    origin.releases = [[wholeList('2026-11-20', many(4_600), options)]]
    await sync()
    expect(await info()).toMatchObject({ state: 'idle', last_error: null, records: 4_600, changed: 4_600 })
    expect(await countVulns()).toBe(4_600)
  },
)

test.each<[string, ZipOptions]>([
  ['by ranges', { isStored: true }],
  ['as a stream', { hasDescriptors: true }],
])('a list that is cut short in the middle, read %s, goes on where it was', { timeout: 30_000 }, async (_, options) => {
  const count = 2 * chunkRecords + 200
  origin.releases = [[wholeList('2026-11-20', many(count), options)]]
  await world.tick(hours(0))
  const [first] = world.waiting
  const real = world.env.DB.batch.bind(world.env.DB)
  let batches = 0
  // Somebody else takes the step over after its second chunk.
  world.env.DB.batch = (async (statements: D1PreparedStatement[]) => {
    if (++batches === 9)
      await world.env.DB.prepare("UPDATE feeds SET claim = 7, lease_until = '2026-01-01T00:00:00Z'").run()
    return real(statements)
  }) as typeof world.env.DB.batch
  await world.drain()
  world.env.DB.batch = real
  const before = await countVulns()
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThan(count)

  if (first) await world.deliver(first.queue, first.body)
  await world.drain()
  expect(await info()).toMatchObject({ state: 'idle', last_error: null, records: count, changed: count })
  expect(await countVulns()).toBe(count)
})

test('deltas of the hour bring what is new and what changed, and nothing twice', async () => {
  const [first, second] = [aCve5('CVE-2026-0001'), aCve5('CVE-2026-0002')]
  const list = wholeList('2026-11-20', [first, second])
  origin.releases = [[list]]
  await sync()

  const update = changed(first, '2026-11-20T12:30:00.000Z', 'Better words.')
  origin.releases = [[list, delta('2026-11-20', '13', [update, aCve5('CVE-2026-0003')])], [list]]
  await sync(hours(2))
  expect(await info()).toMatchObject({ state: 'idle', last_error: null, records: 2, changed: 2 })
  expect([await findSummary('CVE-2026-0001'), await countVulns()]).toEqual(['Better words.', 3])

  await sync(hours(3))
  expect(await info()).toMatchObject({ state: 'idle', last_error: null, records: 0, changed: 0 })
})

test.each<[string, ZipOptions]>([
  ['by ranges', { isStored: true }],
  ['as a stream', { hasDescriptors: true }],
])('of a delta that follows a list read %s what has another text is read again', async (_, options) => {
  const [same, unread, silent] = many(3)
  if (!same || !unread || !silent) throw new Error('Too few')
  const list = wholeList('2026-11-20', [same, unread, silent], options)
  origin.releases = [[list]]
  await sync()

  const said = changed(silent, silent.cveMetadata.dateUpdated, 'Other words on the same day.')
  const asked = readTexts()
  origin.releases = [[list, delta('2026-11-20', '13', [same, { ...unread, dataVersion: '5.2' }, said])], [list]]
  await sync(hours(2))
  expect(await info()).toMatchObject({ state: 'idle', last_error: null, records: 3, changed: 1 })
  expect(await findSummary(silent.cveMetadata.cveId)).toBe('Other words on the same day.')
  expect(asked()).toEqual([unread, silent].map(({ cveMetadata }) => cveMetadata.cveId))
})

/** The CVE ids of the records that are parsed from now on. */
function readTexts() {
  const parse = vi.spyOn(JSON, 'parse')
  return () => {
    const texts = parse.mock.calls.map(([text]) => /^\{"dataType":"CVE_RECORD".*?"cveId":"([^"]+)"/.exec(text)?.[1])
    parse.mockRestore()
    return texts.filter((id) => id !== undefined)
  }
}

test('the end of a day is read too, and of every other day its last delta alone', async () => {
  const list = wholeList('2026-11-20', [aCve5('CVE-2026-0001')])
  origin.releases = [[list]]
  await sync()

  const late = aCve5('CVE-2026-0009')
  const today = [delta('2026-11-21', '02', [aCve5('CVE-2026-0011')]), delta('2026-11-21', '01', [])]
  const yesterday = [
    delta('2026-11-20', 'end', [aCve5('CVE-2026-0008'), late], '2026-11-21T00:46:00Z'),
    delta('2026-11-20', '23', [aCve5('CVE-2026-0008')]),
  ]
  origin.releases = [...today, ...yesterday].map((file) => [file, list])
  origin.requests = []
  await sync(hours(15))
  expect(await info()).toMatchObject({ state: 'idle', last_error: null, changed: 3 })
  const read = new Set(origin.requests.filter((path) => path.includes('delta')).map((path) => path.slice(22)))
  expect(read).toEqual(new Set(['2026-11-20_delta_CVEs_at_end_of_day.zip', '2026-11-21_delta_CVEs_at_0200Z.zip']))
})

test('files whose names are an hour ahead are told by when they were made', async () => {
  const list = wholeList('2026-11-20', [aCve5('CVE-2026-0001')])
  origin.releases = [[list, delta('2026-11-20', '04', [aCve5('CVE-2026-0002')], '2026-11-20T03:05:00Z')]]
  await sync()
  origin.releases.unshift([list, delta('2026-11-20', '04', [aCve5('CVE-2026-0003')], '2026-11-20T04:05:00Z')])
  await sync(hours(2))
  expect(await countVulns()).toBe(3)
})

test('after an absence longer than releases are listed the whole list is read again, and only changes are written', async () => {
  const raws = many(20)
  origin.releases = [[wholeList('2026-11-20', raws)]]
  await sync()
  const [one] = raws
  if (!one) throw new Error('No record')
  const update = changed(one, '2026-12-20T12:30:00.000Z', 'Better words.')
  origin.releases = [[wholeList('2026-12-25', [update, ...raws.slice(1), aCve5('CVE-2026-0001')])]]
  await sync(hours(36 * 24))
  expect(await info()).toMatchObject({ state: 'idle', last_error: null, records: 21, changed: 2 })
  expect(await findSummary('CVE-2024-10000')).toBe('Better words.')
})

test(
  'a list that is gone before it is read to its end is begun anew with the newest',
  { timeout: 30_000 },
  async () => {
    origin.releases = [[wholeList('2026-11-20', many(4_600))]]
    await world.tick(hours(0))
    const [message] = world.waiting.splice(0)
    if (message) await world.deliver(message.queue, message.body)
    origin.releases = [[wholeList('2026-11-21', many(4_601))]]
    await world.drain()
    expect(await info()).toMatchObject({ state: 'idle', last_error: null, changed: 4_601 })
    expect(await countVulns()).toBe(4_601)
  },
)

const garbage = new Uint8Array(Buffer.from('<html>maintenance</html>'))
const cutOff = wholeList('2026-11-20', many(50))
test.each<[string, Asset[], RegExp]>([
  ['no archive', [{ ...cutOff, bytes: garbage }], /cut off: it has no directory/],
  ['cut off', [{ ...cutOff, bytes: cutOff.bytes.slice(0, -30) }], /cut off/],
  ['not there', [], /hold no whole list/],
])('a list that is %s stops the run in words, and the next run heals it', async (_, release, error) => {
  origin.releases = [release]
  await sync()
  expect(await info()).toMatchObject({ state: 'failed', last_error: expect.stringMatching(error) })
  origin.releases = [[wholeList('2026-11-20', many(50))]]
  await sync(hours(1))
  expect(await info()).toMatchObject({ state: 'idle', last_error: null, changed: 50 })
})

test('a broken record is skipped and kept with its reason, and the admin sees it', async () => {
  origin.releases = [[wholeList('2026-11-20', [...many(3), '{"cveMetadata":{"cveId":"CVE-2024-99903"}}', '{'])]]
  await sync()
  expect(await info()).toMatchObject({
    state: 'idle',
    records: 5,
    changed: 3,
    skipped: 2,
    years: [{ year: 2024, source_count: 5, here_count: 3 }],
    holes: 2,
    skips: expect.arrayContaining([{ reason: 'not valid JSON', count: 1 }]),
  })
  const admin = await anOrg({ world, is_admin: true })
  const { count, results } = await admin.call(listSkips, { query: { feed: 'cve', limit: 1 } })
  expect([count, results]).toEqual([
    2,
    [expect.objectContaining({ feed: 'cve', record_id: expect.stringContaining('CVE-2024-9990') })],
  ])
  const member = await anOrg({ world })
  expect((await member.answer(listSkips)).status).toBe(403)
})

test('a record that the list has and we lack is fetched by itself', async () => {
  const list = wholeList('2026-11-20', many(3))
  origin.releases = [[list]]
  await sync()
  await rows(
    world.env,
    "DELETE FROM vuln_records WHERE vuln_id = (SELECT id FROM vulns WHERE cveid = 'CVE-2024-10001')",
  )
  await rows(world.env, "DELETE FROM vulns WHERE cveid = 'CVE-2024-10001'")
  // The next whole list knows of a record that no delta brought.
  origin.releases = [[wholeList('2026-11-21', [...many(3), aCve5('CVE-2026-0007')]), delta('2026-11-20', '13', [])]]
  origin.records = new Map([...many(3), aCve5('CVE-2026-0007')].map((raw) => [raw.cveMetadata.cveId, raw]))
  await sync(hours(13))
  expect(await info()).toMatchObject({
    state: 'idle',
    last_error: null,
    changed: 2,
    holes: 0,
    years: [
      { year: 2024, source_count: 3, here_count: 3 },
      { year: 2026, source_count: 1, here_count: 1 },
    ],
  })
  expect(await findSummary('CVE-2026-0007')).toContain('CVE-2026-0007')
})

test('a record that cannot be fetched is tried again, later each time, and does not fail the run', async () => {
  origin.releases = [[wholeList('2026-11-20', [...many(1), '{'])]]
  const broken = 'CVE-2024-99901'
  origin.instead = ({ host }) => (host === 'one.test' ? new Response('', { status: 503 }) : null)
  await sync()
  const hole = async () =>
    (
      await rows<{ attempts: number; next_attempt_at: string; last_error: string }>(
        world.env,
        'SELECT * FROM feed_holes',
      )
    )[0]
  expect(await info()).toMatchObject({ state: 'idle', last_error: null, holes: 1 })
  expect(await hole()).toMatchObject({ record_id: broken, attempts: 1, last_error: 'one.test answered 503' })
  const first = await hole()

  await sync(new Date(Date.now() + 700_000))
  await rows(world.env, "UPDATE feeds SET next_run_at = '2026-01-01T00:00:00Z', state = 'idle'")
  origin.instead = null
  origin.records = new Map([[broken, aCve5(broken)]])
  await rows(world.env, 'UPDATE feed_holes SET next_attempt_at = ?1', first?.next_attempt_at.replace(/^\d{4}/, '2020'))
  await sync()
  expect(await info()).toMatchObject({ holes: 0, years: [{ year: 2024, source_count: 2, here_count: 2 }] })
})

test('a source that is down is not asked for every missing record', async () => {
  origin.releases = [[wholeList('2026-11-20', [...many(1), ...Array.from({ length: 9 }, () => '{')])]]
  origin.instead = ({ host }) => (host === 'one.test' ? new Response('', { status: 503 }) : null)
  origin.requests = []
  await sync()
  expect(origin.requests.filter((path) => path.startsWith('/api/cve/'))).toHaveLength(3)
})

test('the runs of a feed are listed for the admin, the newest first', async () => {
  origin.releases = [[wholeList('2026-11-20', many(3))]]
  await sync()
  await sync(hours(2))
  const admin = await anOrg({ world, is_admin: true })
  const { runs } = await admin.call(listRuns, { query: { feed: 'cve' } })
  expect(runs).toMatchObject([
    { feed: 'cve', records: 0, error: null },
    { feed: 'cve', records: 3, changed: 3, error: null },
  ])
})

test('each trigger of the specification asks for the feeds that are on, and only an admin pulls it', async () => {
  const admin = await anOrg({ world, is_admin: true })
  const member = await anOrg({ world })
  const started: Record<string, string[]> = {}
  for (const { topic, contract } of syncTriggers) {
    const { status, feeds } = await admin.call(contract)
    expect(status).toBe('enqueued')
    started[topic] = feeds
    expect((await member.answer(contract)).status).toBe(403)
  }
  const [records, rules] = [['cve'], ['remerge']]
  const nothing = { cwes: [], bulletins: [], vias: [] }
  expect(started).toEqual({ ...nothing, cves: records, cpes: records, scores: rules, versions: rules })
  for (const contract of syncYearTriggers) {
    expect(await admin.call(contract, { params: { year: 2024 } })).toEqual({ status: 'enqueued', feeds: ['cve'] })
    expect((await admin.answer(contract, { params: { year: 'soon' } })).status).toBe(400)
  }
  expect(await admin.call(runSync, { query: { feed: 'cve' } })).toEqual({ status: 'enqueued', feeds: ['cve'] })
})

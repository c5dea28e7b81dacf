import { expect, test, vi } from 'vitest'
import type { ZipOptions } from '../../scripts/mirror/zip-writer'
import { chunkRecords } from '../../worker/feeds/source/chunk'
import { listVulns } from '../../worker/vulns/contract'
import { eachTest } from './support/each-test'
import { versioned } from './support/versioned'
import { aCve5 } from '../support/cve5'
import { anOrg } from './support/org'
import { aCveList, wholeList, delta, changed, many, hours, type Asset } from './support/cve-list'

const scene = eachTest(aCveList)

test('the whole list comes in, with what it says of products, and is counted by year', async () => {
  const { world, origin, sync, info } = scene
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
    const { origin, sync, info, countVulns } = scene
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
  const { world, origin, info, countVulns } = scene
  const count = 2 * chunkRecords + 200
  origin.releases = [[wholeList('2026-11-20', many(count), options)]]
  await world.tick(hours(0))
  const [first] = world.waiting
  const real = world.env.DB.batch.bind(world.env.DB)
  let isTaken = false
  // Somebody else takes the step over after its first chunk.
  world.env.DB.batch = (async (statements: D1PreparedStatement[]) => {
    if (!isTaken && ((await countVulns()) ?? 0) >= chunkRecords) {
      isTaken = true
      await world.env.DB.prepare("UPDATE feeds SET claim = 7, lease_until = '2026-01-01T00:00:00Z'").run()
    }
    return real(statements)
  }) as typeof world.env.DB.batch
  await world.drain()
  world.env.DB.batch = real
  expect(isTaken).toBe(true)
  expect(await countVulns()).toBeLessThan(count)

  if (first) await world.deliver(first.queue, first.body)
  await world.drain()
  expect(await info()).toMatchObject({ state: 'idle', last_error: null, records: count, changed: count })
  expect(await countVulns()).toBe(count)
})

test('deltas of the hour bring what is new and what changed, and nothing twice', async () => {
  const { origin, sync, info, findSummary, countVulns } = scene
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
  const { origin, sync, info, findSummary } = scene
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
  const { origin, sync, info } = scene
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
  const { origin, sync, countVulns } = scene
  const list = wholeList('2026-11-20', [aCve5('CVE-2026-0001')])
  origin.releases = [[list, delta('2026-11-20', '04', [aCve5('CVE-2026-0002')], '2026-11-20T03:05:00Z')]]
  await sync()
  origin.releases.unshift([list, delta('2026-11-20', '04', [aCve5('CVE-2026-0003')], '2026-11-20T04:05:00Z')])
  await sync(hours(2))
  expect(await countVulns()).toBe(3)
})

test('after an absence longer than releases are listed the whole list is read again, and only changes are written', async () => {
  const { origin, sync, info, findSummary } = scene
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
    const { world, origin, info, countVulns } = scene
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
  const { origin, sync, info } = scene
  origin.releases = [release]
  await sync()
  expect(await info()).toMatchObject({ state: 'failed', last_error: expect.stringMatching(error) })
  origin.releases = [[wholeList('2026-11-20', many(50))]]
  await sync(hours(1))
  expect(await info()).toMatchObject({ state: 'idle', last_error: null, changed: 50 })
})

test('while there is no newer release, a look at the list is one question and no run', async () => {
  const { origin, answer, world, sync, countVulns } = scene
  origin.instead = async (url, request) => versioned(request, answer(url, { headers: request.headers }))
  origin.releases = [[wholeList('2026-11-20', many(3))]]
  await sync()
  const countRuns = async () => (await world.sql`SELECT id FROM feed_runs WHERE feed_id = 'cve'`).length
  origin.requests = []
  await sync(hours(1))
  expect([origin.requests, await countRuns()]).toEqual([['/releases'], 1])

  origin.releases.unshift([delta('2026-11-20', '13', [aCve5('CVE-2026-0007')])])
  await sync(hours(2))
  expect([await countVulns(), await countRuns()]).toEqual([4, 2])
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { toZip } from '../../scripts/mirror/zip-writer'
import { fromOverride, Override } from '../../worker/feeds/nvd/overrides-record'
import { affecting, aMatch } from '../support/records'
import { fakeOrigins, type Origins } from './support/origins'
import { aWorld, type World } from './support/world'
import { serveFile } from './support/zip-server'

const anOverride = (cve_id: string, about: Record<string, unknown> = {}, cve: Record<string, unknown> = {}) => ({
  _annotation: {
    cna: 'acme',
    cve_id,
    description: 'Widget opens the door.',
    published: '2026-02-05T16:13:33.718000+00:00',
    modified: '2026-02-05T21:18:03.656000+00:00',
    reason: 'Added CPE configurations because not yet analyzed by NVD.',
    references: ['https://acme.example/widget'],
    ...about,
  },
  cve: { configurations: affecting(aMatch('acme', 'widget', { versionEndExcluding: '1.4' })), ...cve },
})
const read = (about: Record<string, unknown> = {}, cve: Record<string, unknown> = {}) =>
  fromOverride(Override.parse(anOverride('CVE-2026-10001', about, cve)))

test('an override names products in the shape of NVD, and says what the CVE says where it knows', () => {
  expect(read({}, { references: [{ url: 'https://acme.example/patch', tags: ['Patch'] }] })).toEqual({
    cveid: 'CVE-2026-10001',
    state: 'published',
    summary: 'Widget opens the door.',
    published: '2026-02-05T16:13:33Z',
    modified: '2026-02-05T21:18:03Z',
    assigner: 'acme',
    references: [
      { url: 'https://acme.example/widget', tags: [] },
      { url: 'https://acme.example/patch', tags: ['Patch'] },
    ],
    affected: [{ vendor: 'acme', product: 'widget', ranges: [{ cpe: 'a', lt: '1.4' }] }],
  })
})

test('description and dates may be absent', () => {
  const record = read({ description: undefined, published: undefined, modified: undefined })
  expect([record.summary, record.published, record.modified]).toEqual([undefined, undefined, undefined])
})

test('one that was emptied because its CVE was rejected says so; one that is merely empty does not', () => {
  const reason = 'Emptying previously overridden CVE record because the CVE has been rejected.'
  expect(read({ reason }, { configurations: undefined })).toMatchObject({ state: 'rejected' })
  expect(read({}, { configurations: [] })).toMatchObject({ state: 'published', affected: [] })
})

const settings = {
  NVD_URL: '',
  KEV_URL: '',
  EPSS_URL: '',
  OVERRIDES_URL: 'https://overrides.test/zip/refs/heads/main',
}
let origins: Origins
let world: World
let listed: ReturnType<typeof anOverride>[]
let etag: string

beforeEach(() => {
  listed = []
  etag = '"1"'
  origins = fakeOrigins()
  world = aWorld({ ...settings })
  origins.instead = (url) => (url.host === 'overrides.test' ? archive() : null)
})
afterEach(() => origins.restore())

// As GitHub sends it: whole, without ranges.
function archive() {
  const files = listed.map((one) => {
    const { _annotation: about } = one
    return {
      name: `main/data/${about.cve_id.slice(4, 8)}/${about.cve_id}.json`,
      data: Buffer.from(JSON.stringify(one)),
    }
  })
  const others = ['README.md', 'schema/x.json'].map((name) => ({ name: `main/${name}`, data: Buffer.from('{}') }))
  return serveFile(toZip([...others, ...files]), undefined, { hasRanges: false, etag })
}
const hours = (count: number) => new Date(Date.now() + count * 3_600_000)
async function sync(now = new Date()) {
  await world.tick(now)
  await world.drain()
}
const feed = async () => (await world.sql<Record<string, unknown>>`SELECT * FROM feeds WHERE id = 'overrides'`)[0]
const ids = async () =>
  (
    await world.sql<{ cveid: string }>`SELECT v.cveid FROM vuln_records r JOIN vulns v ON v.id = r.vuln_id
      ORDER BY 1`
  ).map(({ cveid }) => cveid)
const many = (count: number) => Array.from({ length: count }, (_, at) => anOverride(`CVE-2026-${10_000 + at}`))

test('the archive is read when it changed, and entries that it no longer holds are taken back', async () => {
  listed = many(30)
  await sync()
  expect(await feed()).toMatchObject({ state: 'idle', last_error: null })
  expect(await ids()).toHaveLength(30)

  listed = listed.slice(1)
  await sync(hours(7))
  expect(await ids()).toHaveLength(30)
  etag = '"2"'
  await sync(hours(14))
  expect(await ids()).toHaveLength(29)
  expect(await world.sql`SELECT vulns_count FROM products WHERE name = 'widget'`).toEqual([{ vulns_count: 29 }])
})

test('an archive that lost more than a tenth is refused', async () => {
  listed = many(30)
  await sync()
  listed = listed.slice(4)
  etag = '"2"'
  await sync(hours(7))
  expect(await feed()).toMatchObject({
    state: 'failed',
    last_error: '4 of 30 records would be withdrawn at once',
  })
  expect(await ids()).toHaveLength(30)
})

test('a broken file is skipped with its reason and not taken back; an archive that is cut off fails the run', async () => {
  listed = many(12)
  await sync()
  const broken = { ...anOverride('CVE-2026-10003'), cve: { configurations: 'none' } }
  listed = [...listed.slice(0, 3), broken as unknown as ReturnType<typeof anOverride>, ...listed.slice(4)]
  etag = '"2"'
  await sync(hours(7))
  expect(await world.sql`SELECT record_id, reason FROM feed_skips WHERE feed_id = 'overrides'`).toEqual([
    { record_id: 'CVE-2026-10003', reason: expect.stringMatching(/^cve\.configurations: /) },
  ])
  expect(await ids()).toHaveLength(12)

  etag = '"3"'
  const whole = await archive().arrayBuffer()
  origins.instead = (url) =>
    url.host === 'overrides.test' ? new Response(whole.slice(0, whole.byteLength / 2), { headers: { etag } }) : null
  await sync(hours(14))
  expect(await feed()).toMatchObject({ state: 'failed', last_error: expect.stringMatching(/cut off|damaged/) })
  expect(await ids()).toHaveLength(12)
})

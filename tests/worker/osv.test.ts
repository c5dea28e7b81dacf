import { afterEach, beforeEach, expect, test } from 'vitest'
import { createZip } from '../../scripts/mirror/zip-writer'
import { chunkRecords } from '../../worker/feeds/source/chunk'
import type { VulnRecord } from '../../worker/domain/record'
import { fromOsv, OsvAdvisory } from '../../worker/feeds/osv/record'
import { getVuln } from '../../worker/vulns/detail/contract'
import { fakeOrigins } from './support/origins'
import type { Origins } from './support/origins'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'
import type { World } from './support/world'
import { serveFile } from './support/zip-server'

const anAdvisory = (id: string, more: Record<string, unknown> = {}) => ({
  schema_version: '1.7.3',
  id,
  modified: '2026-11-18T10:00:00Z',
  published: '2026-11-01T10:00:00Z',
  aliases: ['CVE-2026-10001'],
  summary: 'Widget opens the door',
  details: 'Widget opens the door to anybody who knocks.',
  affected: [
    {
      package: { ecosystem: 'PyPI', name: 'Acme.Widget' },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '2.1' }] }],
    },
  ],
  references: [{ type: 'WEB', url: 'https://acme.example/widget' }],
  ...more,
})
const read = (id: string, more: Record<string, unknown> = {}) => fromOsv(OsvAdvisory.parse(anAdvisory(id, more)))
const only = (found: VulnRecord[]) => {
  expect(found).toHaveLength(1)
  return found[0] as VulnRecord
}
const v31 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
const v4 = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N'

test('an advisory is a record of the CVE it is an alias of, with its own id and the others as aliases', () => {
  expect(only(read('PYSEC-2026-1', { aliases: ['GHSA-2222-3333-4444', 'CVE-2026-10001'] }))).toMatchObject({
    cveid: 'CVE-2026-10001',
    ref: 'PYSEC-2026-1',
    state: 'published',
    summary: 'Widget opens the door to anybody who knocks.',
    published: '2026-11-01T10:00:00Z',
    modified: '2026-11-18T10:00:00Z',
    aliases: ['PYSEC-2026-1', 'GHSA-2222-3333-4444'],
    packages: [{ type: 'pypi', name: 'acme-widget', ranges: [{ order: 'pypi', lt: '2.1' }] }],
  })
})

test('an advisory with several CVEs is a record of each', () => {
  const found = read('GO-2026-0001', { aliases: ['CVE-2026-10001', 'CVE-2026-10002'] })
  expect(found.map(({ cveid, ref, aliases }) => [cveid, ref, aliases])).toEqual([
    ['CVE-2026-10001', 'GO-2026-0001', ['GO-2026-0001']],
    ['CVE-2026-10002', 'GO-2026-0001', ['GO-2026-0001']],
  ])
})

test.each([
  ['its own id', [], 'GO-2026-0001', []],
  ['its GHSA id, by which GitHub knows it too', ['GHSA-2222-3333-4444'], 'GHSA-2222-3333-4444', ['GO-2026-0001']],
])('an advisory without a CVE goes by %s', (_, aliases, cveid, others) => {
  expect(only(read('GO-2026-0001', { aliases }))).toMatchObject({ cveid, ref: 'GO-2026-0001', aliases: others })
})

test.each([
  ['upstream', 'UBUNTU-CVE-2026-10001', { aliases: [], upstream: ['CVE-2026-10001'] }],
  ['upstream, of Debian', 'DEBIAN-CVE-2026-10001', { aliases: null, upstream: ['CVE-2026-10001'] }],
  ['related, before there was upstream', 'RHSA-2026:0216', { aliases: undefined, related: ['CVE-2026-10001'] }],
  ['its own id', 'CVE-2026-10001', { aliases: ['GHSA-2222-3333-4444'] }],
])('the CVE of a distribution stands in %s', (_, id, more) => {
  expect(only(read(id, more)).cveid).toBe('CVE-2026-10001')
})

test('of an advisory about several flaws, each keeps the id that a distribution gave just it', () => {
  const found = read('USN-6332-1', {
    aliases: [],
    related: ['CVE-2026-10001', 'CVE-2026-10002'],
    upstream: ['UBUNTU-CVE-2026-10001', 'UBUNTU-CVE-2026-10002'],
  })
  expect(found.map(({ cveid, aliases }) => [cveid, aliases])).toEqual([
    ['CVE-2026-10001', ['USN-6332-1', 'UBUNTU-CVE-2026-10001']],
    ['CVE-2026-10002', ['USN-6332-1', 'UBUNTU-CVE-2026-10002']],
  ])
})

test('what is merely related is another flaw', () => {
  expect(only(read('GO-2026-0001', { aliases: [], related: ['CVE-2026-10009'] })).cveid).toBe('GO-2026-0001')
})

test('a withdrawn advisory is rejected and claims nothing', () => {
  const record = only(
    read('GO-2026-0001', { withdrawn: '2026-11-19T00:00:00Z', severity: [{ type: 'CVSS_V3', score: v31 }] }),
  )
  expect([record.state, record.packages, record.cvss3]).toEqual(['rejected', undefined, undefined])
})

test.each(['0001-01-01T00:00:00Z', '1-01-01T00:00:00Z'])('the date %s means that none is known', (never) => {
  const record = only(read('GO-2026-0001', { modified: never, published: never }))
  expect([record.modified, record.published]).toEqual([undefined, undefined])
})

test('severities are vectors, whose scores are ours to tell; words of a distribution are no vectors', () => {
  const severity = [
    { type: 'Ubuntu', score: 'medium' },
    { type: 'CVSS_V2', score: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' },
    { type: 'CVSS_V3', score: v31 },
    { type: 'CVSS_V4', score: v4 },
  ]
  expect(only(read('GO-2026-0001', { severity }))).toMatchObject({
    cvss: { score: 7.5, by: 'OSV' },
    cvss3: { score: 9.8, vector: v31 },
    cvss4: { score: 9.3, vector: v4 },
  })
  const broken = [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' }]
  expect(only(read('GO-2026-0001', { severity: broken })).cvss3).toBeUndefined()
})

test('only evidence counts as an exploit, a fix as a patch, and what is no link is left out', () => {
  const references = ['EVIDENCE', 'FIX', 'ADVISORY', 'REPORT', 'ARTICLE', 'WEB'].map((type) => ({
    type,
    url: `https://acme.example/${type.toLowerCase()}`,
  }))
  const links = only(
    read('GO-2026-0001', { references: [...references, { type: 'WEB', url: 'ssh://acme' }] }),
  ).references
  expect(links?.map(({ url, tags }) => [url.split('/').at(-1), tags[0]])).toEqual([
    ['GO-2026-0001', 'Third Party Advisory'],
    ['evidence', 'Exploit'],
    ['fix', 'Patch'],
    ['advisory', 'Third Party Advisory'],
    ['report', 'Issue Tracking'],
    ['article', 'Technical Description'],
    ['web', undefined],
  ])
})

test('weaknesses come from what the database adds', () => {
  const database_specific = { cwe_ids: ['CWE-79', 'unknown'], severity: 'HIGH' }
  expect(only(read('GHSA-2222-3333-4444', { database_specific })).cwe_ids).toEqual(['CWE-79'])
})

test('entries of one package are joined, releases of a distribution are told apart, and a repository is no package', () => {
  const fixed = (ecosystem: string, version: string) => ({
    package: { ecosystem, name: 'openssl' },
    ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: version }] }],
  })
  const git = { ranges: [{ type: 'GIT', repo: 'https://acme.example/w', events: [{ introduced: '0' }] }] }
  const affected = [fixed('Debian:11', '1.1.1n-0+deb11u1'), fixed('Debian:12', '3.0.2-1'), git]
  expect(only(read('DSA-1-1', { affected })).packages).toEqual([
    {
      type: 'deb',
      name: 'debian/openssl',
      ranges: [
        { order: 'deb', lt: '1.1.1n-0+deb11u1', on: 'Debian:11' },
        { order: 'deb', lt: '3.0.2-1', on: 'Debian:12' },
      ],
    },
  ])
})

test('enumerated versions are never unrolled: those that a range covers are not kept', () => {
  const affected = [
    {
      package: { ecosystem: 'PyPI', name: 'widget' },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '1.0' }, { fixed: '2.0' }] }],
      versions: ['1.0', '1.5', '2.5'],
    },
  ]
  expect(only(read('PYSEC-2026-1', { affected })).packages?.[0]?.ranges).toEqual([
    { order: 'pypi', ge: '1.0', lt: '2.0' },
    { order: 'pypi', is: '2.5' },
  ])
})

test('versions of Go that the module proxy cannot order stand in custom ranges', () => {
  const affected = [
    {
      package: { ecosystem: 'Go', name: 'k8s.io/ingress-nginx' },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
      ecosystem_specific: {
        custom_ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.9.0' }] }],
      },
    },
  ]
  expect(only(read('GO-2026-0001', { affected })).packages).toEqual([
    { type: 'golang', name: 'k8s.io/ingress-nginx', ranges: [{ order: 'golang', lt: '1.9.0' }] },
  ])
})

const settings = {
  NVD_URL: '',
  KEV_URL: '',
  EPSS_URL: '',
  OSV_URL: 'https://osv.test',
  OSV_ECOSYSTEMS: 'PyPI, Go',
  GHSA_URL: '',
}
let origins: Origins
let world: World
let bucket: Map<string, Record<string, ReturnType<typeof anAdvisory>>>

beforeEach(() => {
  bucket = new Map([
    ['PyPI', {}],
    ['Go', {}],
  ])
  origins = fakeOrigins()
  world = aWorld({ ...settings })
  origins.instead = (url) => (url.host === 'osv.test' ? answer(url) : null)
})
afterEach(() => origins.restore())

function answer(url: URL) {
  const [, ecosystem = '', file = ''] = url.pathname.split('/')
  const records = Object.values(bucket.get(ecosystem) ?? {})
  if (file === 'all.zip') {
    const files = records.map((one) => ({ name: `${one.id}.json`, data: Buffer.from(JSON.stringify(one)) }))
    const about = { name: 'README.txt', data: Buffer.from('OSV') }
    const etag = `"${JSON.stringify(records).length}"`
    return serveFile(createZip([about, ...files]), undefined, { hasRanges: false, etag })
  }
  if (file === 'modified_id.csv') {
    const newestFirst = records.toSorted((a, b) => (a.modified < b.modified ? 1 : -1))
    return new Response(newestFirst.map(({ id, modified }) => `${modified},${id}\n`).join(''))
  }
  const one = bucket.get(ecosystem)?.[file.replace(/\.json$/, '')]
  return one ? Response.json(one) : new Response('no', { status: 404 })
}
const put = (ecosystem: string, ...advisories: ReturnType<typeof anAdvisory>[]) => {
  for (const one of advisories) Object.assign(bucket.get(ecosystem) ?? {}, { [one.id]: one })
}
const minutes = (count: number) => new Date(Date.now() + count * 60_000)
async function sync(now = new Date()) {
  origins.requests.length = 0
  await world.tick(now)
  await world.drain()
}
const feed = async () => (await rows<Record<string, unknown>>(world.env, "SELECT * FROM feeds WHERE id = 'osv'"))[0]
const stored = () =>
  rows<{ cveid: string; source: string; state: string }>(
    world.env,
    'SELECT v.cveid, r.source, v.state FROM vuln_records r JOIN vulns v ON v.id = r.vuln_id ORDER BY 1, 2',
  )
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
  const packages = await rows(world.env, 'SELECT type, name, vulns_count FROM packages ORDER BY type')
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
  const runs = await rows(
    world.env,
    "SELECT changed, records, skipped FROM feed_runs WHERE feed_id = 'osv' ORDER BY id",
  )
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
  expect(await rows(world.env, 'SELECT name, vulns_count FROM packages')).toEqual([
    { name: 'acme-widget', vulns_count: 1 },
  ])
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

test('malicious packages are no vulnerabilities, and GHSA ids are left to GitHub where that feed is on', async () => {
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
  expect(await rows(world.env, 'SELECT record_id, reason FROM feed_skips')).toEqual([
    { record_id: 'PYSEC-2026-7', reason: expect.stringMatching(/^affected: /) },
  ])
  expect(await stored()).toHaveLength(2)
})

test('an ecosystem that OSV does not have is named', async () => {
  bucket.delete('Go')
  origins.instead = (url) => (url.pathname.startsWith('/Go/') ? new Response('', { status: 404 }) : answer(url))
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
  expect(await stored()).toHaveLength(chunkRecords)
  await world.env.DB.exec('DROP TRIGGER stop')
  await sync(minutes(5))
  expect(await feed()).toMatchObject({ state: 'idle', last_error: null })
  expect(await stored()).toHaveLength(many.length + 1)
  const [, resumed] = await rows<{ records: number }>(
    world.env,
    "SELECT records FROM feed_runs WHERE feed_id = 'osv' ORDER BY id",
  )
  expect(resumed?.records).toBe(301)
})

test('an advisory without a CVE shows its own id, which leads to where it is told of', async () => {
  put('PyPI', anAdvisory('PYSEC-2026-7', { aliases: [] }))
  await sync()
  const [row] = await rows<{ id: number }>(world.env, "SELECT id FROM vulns WHERE cveid = 'PYSEC-2026-7'")
  const { call } = await anOrg({ world })
  const vuln = await call(getVuln, { params: { id: row?.id ?? 0 } })
  expect(vuln).toMatchObject({ cveid: null, aliases: ['PYSEC-2026-7'] })
  const page = await (await world.request(`/public/vulns/${row?.id}`)).text()
  expect(page).toContain('PYSEC-2026-7 at <a href="https://osv.dev/vulnerability/PYSEC-2026-7"')
})

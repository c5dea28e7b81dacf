import { afterEach, beforeEach, expect, test } from 'vitest'
import { fromGhsa, GhsaAdvisory, parseGhsaRange } from '../../worker/feeds/osv/ghsa-record'
import { fakeOrigins, type Origins } from './support/origins'
import { versioned } from './support/versioned'
import { aWorld, type World } from './support/world'

const v3 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
const v4 = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N'
const letters = '23456789cfghjmpqrvwx'
const ghsaId = (at: number) => `GHSA-2222-${letters[Math.floor(at / 20) % 20]}${letters[at % 20]}22-2222`

const anAdvisory = (ghsa_id: string, more: Record<string, unknown> = {}) => ({
  ghsa_id,
  cve_id: 'CVE-2026-10001',
  html_url: `https://github.com/advisories/${ghsa_id}`,
  summary: 'Widget opens the door',
  description: '### Impact\nAnybody who knocks comes in.',
  type: 'reviewed',
  severity: 'critical',
  identifiers: [
    { type: 'GHSA', value: ghsa_id },
    { type: 'CVE', value: 'CVE-2026-10001' },
  ],
  references: ['https://acme.example/widget', `https://github.com/advisories/${ghsa_id}`],
  published_at: '2026-11-01T10:00:00Z',
  updated_at: '2026-11-18T10:00:00Z',
  withdrawn_at: null,
  vulnerabilities: [
    {
      package: { ecosystem: 'maven', name: 'org.acme:widget' },
      vulnerable_version_range: '>= 2.0, < 2.15.0',
      first_patched_version: '2.15.0',
    },
  ],
  cvss: { vector_string: v3, score: 9.8 },
  cvss_severities: { cvss_v3: { vector_string: v3, score: 9.8 }, cvss_v4: { vector_string: null, score: 0 } },
  cwes: [{ cwe_id: 'CWE-79', name: 'XSS' }],
  ...more,
})
const read = (more: Record<string, unknown> = {}, id = ghsaId(0)) =>
  fromGhsa(GhsaAdvisory.parse(anAdvisory(id, more)))[0]

test('an advisory is a record of its CVE', () => {
  expect(read()).toEqual({
    cveid: 'CVE-2026-10001',
    ref: ghsaId(0),
    state: 'published',
    title: 'Widget opens the door',
    summary: 'Widget opens the door\n\n### Impact\nAnybody who knocks comes in.',
    published: '2026-11-01T10:00:00Z',
    modified: '2026-11-18T10:00:00Z',
    aliases: [ghsaId(0)],
    cvss3: { score: 9.8, vector: v3, by: 'GitHub' },
    cwe_ids: ['CWE-79'],
    references: [
      { url: `https://github.com/advisories/${ghsaId(0)}`, tags: ['Third Party Advisory'] },
      { url: 'https://acme.example/widget', tags: [] },
    ],
    packages: [{ type: 'maven', name: 'org.acme:widget', ranges: [{ order: 'maven', ge: '2.0', lt: '2.15.0' }] }],
  })
})

test('one without a CVE goes by its own id; a withdrawn one claims nothing', () => {
  expect(read({ cve_id: null, identifiers: [{ value: ghsaId(0) }] })).toMatchObject({ cveid: ghsaId(0), aliases: [] })
  const withdrawn = read({ withdrawn_at: '2026-11-19T00:00:00Z' })
  expect([withdrawn?.state, withdrawn?.packages, withdrawn?.cvss3]).toEqual(['rejected', undefined, undefined])
})

test('CVSS 4 is kept beside CVSS 3, and a score without a vector is none', () => {
  const cvss_severities = { cvss_v3: { vector_string: null, score: 0 }, cvss_v4: { vector_string: v4, score: 9.3 } }
  const record = read({ cvss: null, cvss_severities })
  expect([record?.cvss3, record?.cvss4]).toEqual([undefined, { score: 9.3, vector: v4, by: 'GitHub' }])
})

test.each([
  ['= 2.0.0', '2.0.1', { ge: '2.0.0', lt: '2.0.1' }],
  ['= 2.0.0', null, { is: '2.0.0' }],
  ['< 1.3.2', '1.3.2', { lt: '1.3.2' }],
  ['> 11.6, < 11.10.13', '11.10.13', { gt: '11.6', lt: '11.10.13' }],
  ['<= 1.4', '1.5', { lt: '1.5' }],
  ['>= 1.0, <= 1.4', null, { ge: '1.0', le: '1.4' }],
  ['<= 2.0', '1.5', { le: '2.0' }],
  ['>=1.0,<1.4', '1.4', { ge: '1.0', lt: '1.4' }],
  ['>= 2.427, < 2.441', '2.442', { ge: '2.427', lt: '2.442' }],
  ['< 4.0', '3.4.5', { lt: '4.0', is_fix_unstated: true }],
  ['< 2.0', '2.0.0', { lt: '2.0' }],
  ['>= 1.0', '2.0', { ge: '1.0', lt: '2.0' }],
  ['>= 1.0', '0.9', { ge: '1.0' }],
  ['>= 0', null, {}],
  ['>= 0, < 1.2.0', '1.2.0', { lt: '1.2.0' }],
])('the range "%s" that %s patches', (text, patched, bounds) => {
  expect(parseGhsaRange(text, patched, 'maven')).toEqual({ order: 'maven', ...bounds })
})

test('a range in another language is refused', () => {
  expect(() => parseGhsaRange('^1.0', null, 'semver')).toThrow('Not a version range: ^1.0')
})

test('entries of a package are joined under the name that its ecosystem gives it', () => {
  const entry = (name: string, vulnerable_version_range: string) => ({
    package: { ecosystem: 'pip', name },
    vulnerable_version_range,
    first_patched_version: null,
  })
  const other = { package: { ecosystem: 'other', name: 'x' }, vulnerable_version_range: '< 1' }
  const vulnerabilities = [entry('Products.Acme_Widget', '< 1.4'), entry('products-acme-widget', '= 2.0'), other]
  expect(read({ vulnerabilities })?.packages).toEqual([
    {
      type: 'pypi',
      name: 'products-acme-widget',
      ranges: [
        { order: 'pypi', lt: '1.4', is_fix_unstated: true },
        { order: 'pypi', is: '2.0' },
      ],
    },
  ])
})

const settings = { NVD_URL: '', KEV_URL: '', EPSS_URL: '', OSV_URL: '', GHSA_URL: 'https://ghsa.test/advisories' }
let origins: Origins
let world: World
let advisories: ReturnType<typeof anAdvisory>[]
let limit: { remaining: number; reset: number } | null

beforeEach(() => {
  advisories = []
  limit = null
  origins = fakeOrigins()
  world = aWorld({ ...settings })
  origins.instead = (url) => (url.host === 'ghsa.test' ? answer(url) : null)
})
afterEach(() => origins.restore())

function answer(url: URL) {
  const headers = new Headers()
  if (limit) headers.set('x-ratelimit-remaining', String(Math.max(--limit.remaining, 0)))
  if (limit) headers.set('x-ratelimit-reset', String(limit.reset))
  if (limit && limit.remaining < 0) return new Response('{}', { status: 403, headers })
  const since = (url.searchParams.get('updated') ?? '').replace('>=', '')
  const from = Number(url.searchParams.get('after') ?? 0)
  const per_page = Number(url.searchParams.get('per_page'))
  const found = advisories
    .filter(({ updated_at }) => updated_at >= since)
    .toSorted((a, b) => (a.updated_at < b.updated_at ? -1 : 1))
  const next = new URL(url)
  next.searchParams.set('after', String(from + per_page))
  if (from + per_page < found.length) headers.set('link', `<${next.href}>; rel="next", <${url.href}>; rel="first"`)
  return Response.json(found.slice(from, from + per_page), { headers })
}
const minutes = (count: number) => new Date(Date.now() + count * 60_000)
async function sync(now = new Date()) {
  origins.requests.length = 0
  await world.tick(now)
  await world.drain()
}
const asked = () => origins.requests.filter(({ host }) => host === 'ghsa.test')
const feed = async () => (await world.sql<Record<string, unknown>>`SELECT * FROM feeds WHERE id = 'ghsa'`)[0]
const many = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    anAdvisory(ghsaId(at), {
      cve_id: `CVE-2026-${20_000 + at}`,
      identifiers: [],
      updated_at: `2026-11-18T10:${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}Z`,
    }),
  )

test('the pages are followed by their links, and later only what was updated since is asked for', async () => {
  advisories = many(250)
  await sync()
  expect(await feed()).toMatchObject({ state: 'idle', last_error: null })
  expect(await world.sql`SELECT count(*) AS n FROM vulns`).toEqual([{ n: 250 }])
  expect(asked()).toHaveLength(3)
  expect(asked()[0]?.searchParams.get('type')).toBe('reviewed')

  advisories.push(
    anAdvisory(ghsaId(300), { cve_id: 'CVE-2026-30000', identifiers: [], updated_at: '2026-11-19T00:00:00Z' }),
  )
  await sync(minutes(70))
  expect(asked().map(({ searchParams }) => searchParams.get('updated'))).toEqual(['>=2026-11-18T10:04:09Z'])
  const [run] = await world.sql`SELECT records, changed FROM feed_runs WHERE feed_id = 'ghsa' ORDER BY id DESC`
  expect(run).toEqual({ records: 2, changed: 1 })
})

test('a spent allowance is waited for, and one that was spent before is not asked again too soon', async () => {
  advisories = many(250)
  limit = { remaining: 1, reset: Math.floor(Date.now() / 1000) + 1_800 }
  await world.tick()
  const ghsa = () => world.waiting.filter(({ body }) => 'feed_id' in body && body.feed_id === 'ghsa')
  const [first] = ghsa()
  if (first) await world.deliver(first.queue, first.body)
  const [, second] = ghsa()
  expect(second?.delay_s).toBeGreaterThan(1_700)
  expect(asked()).toHaveLength(1)

  if (second) await world.deliver(second.queue, second.body)
  const { state, next_run_at } = (await feed()) as { state: string; next_run_at: string }
  expect(state).toBe('failed')
  expect(Date.parse(next_run_at)).toBeGreaterThan(Date.now() + 1_700_000)
})

test('the token goes to the origin it is for, and nowhere else', async () => {
  const tokens: (string | null)[] = []
  const real = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit)
    if (new URL(request.url).host === 'ghsa.test') tokens.push(request.headers.get('authorization'))
    return real(request)
  }
  world = aWorld({ ...settings, GITHUB_TOKEN: 'secret' })
  origins.instead = (url) =>
    url.host === 'ghsa.test'
      ? Response.json([anAdvisory(ghsaId(0))], { headers: { link: '<https://evil.test/advisories>; rel="next"' } })
      : null
  await sync()
  expect(tokens).toEqual(['Bearer secret'])
  expect(origins.requests.some(({ host }) => host === 'evil.test')).toBe(false)
  expect(await feed()).toMatchObject({ state: 'failed', last_error: expect.stringContaining('elsewhere') })
})

test('an advisory that cannot be read is skipped by its id', async () => {
  advisories = [anAdvisory(ghsaId(1), { vulnerabilities: 'all' }), anAdvisory(ghsaId(2))]
  await sync()
  expect(await world.sql`SELECT record_id FROM feed_skips WHERE feed_id = 'ghsa'`).toEqual([{ record_id: ghsaId(1) }])
  expect(await world.sql`SELECT cveid FROM vulns`).toEqual([{ cveid: 'CVE-2026-10001' }])
})

test('something other than a list fails the run', async () => {
  origins.instead = (url) => (url.host === 'ghsa.test' ? Response.json({ message: 'moved' }) : null)
  await sync()
  expect(await feed()).toMatchObject({ last_error: 'GitHub sent something other than a list of advisories' })
})

test('while no advisory is updated, a look is one question and no run', async () => {
  origins.instead = async (url, request) => (url.host === 'ghsa.test' ? versioned(request, answer(url)) : null)
  const countRuns = async () => (await world.sql`SELECT id FROM feed_runs WHERE feed_id = 'ghsa'`).length
  advisories = many(3)
  await sync()
  // The newest advisory is asked for once more, because the question changed.
  await sync(minutes(5))
  expect(await countRuns()).toBe(2)
  await sync(minutes(10))
  expect([asked().length, await countRuns()]).toEqual([1, 2])

  const newer = { cve_id: 'CVE-2026-30000', identifiers: [], updated_at: '2026-11-19T00:00:00Z' }
  advisories.push(anAdvisory(ghsaId(300), newer))
  await sync(minutes(15))
  expect(await world.sql`SELECT count(*) AS n FROM vulns`).toEqual([{ n: 4 }])
})

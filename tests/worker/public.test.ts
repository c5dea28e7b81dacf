import { expect, onTestFinished, test, vi } from 'vitest'
import {
  exportPublicVuln,
  getPublicVuln,
  getPublicVulnByCve,
  listAllPublicExploits,
  listAllPublicThreats,
  listPublicExploits,
  listPublicThreats,
  listPublicVulns,
  publicLatest,
  publicStats,
  publicStatus,
} from '../../worker/public/contract'
import { registeredFeeds } from '../../worker/feeds/run/registry'
import conformance from '../../worker/public/conformance.json'
import listedSources from '../../worker/public/sources.json'
import { getVuln } from '../../worker/vulns/detail/contract'
import { anOrg, caller } from './support/org'
import { aWorld } from './support/world'
import { at, insertVuln, insertExploit, insertThreat, ask, pageAt } from './support/public-rows'

test('anybody reads a vulnerability by its id or its CVE id, without what is an organization’s', async () => {
  const { world, call, access } = await anOrg()
  const { id, cveid } = await insertVuln(world)
  const anybody = caller(world, null)

  const vuln = await anybody.call(getPublicVuln, { params: { id } })
  expect(vuln).toMatchObject({ id, cveid, score: 75, cvss3: 9.8, cwe_name: '', access: { vector: 'NETWORK' } })
  expect(vuln.rating_vector).toMatch(/^AV:N\/AC:L\/Au:N\/C:C/)
  expect(await anybody.call(getPublicVulnByCve, { params: { cveid: cveid.toLowerCase() } })).toEqual(vuln)
  expect((await call(getVuln, { params: { id } })).rating_vector).toBe(vuln.rating_vector)

  const text = await (await ask(world, `/api/public/vulns/${id}`)).text()
  expect(text).not.toMatch(/"(monitored|monitored_by|status|org_id|comment|is_editable)"/)
  const signedIn = await world.request(`/api/public/vulns/${id}`, { headers: { authorization: `JWT ${access}` } })
  expect(await signedIn.text()).toBe(text)
})

test('private rows of an organization are nowhere to be seen, not even for its members', async () => {
  const { world, org_id, access } = await anOrg()
  const secret = await insertVuln(world, { org_id, summary: 'Hidden canary', exploit_count: 1 })
  const open = await insertVuln(world)
  await insertExploit(world, secret.id, { notes: 'hidden-exploit' })
  await insertExploit(world, open.id, { org_id, notes: 'hidden-exploit' })
  await insertThreat(world, open.id, { org_id, notes: 'hidden-threat' })

  for (const authorization of [undefined, `JWT ${access}`]) {
    const get = async (path: string) => {
      const response = await world.request(path, authorization ? { headers: { authorization } } : {})
      return { status: response.status, text: await response.text() }
    }
    for (const path of [
      `/api/public/vulns/${secret.id}/`,
      `/api/public/vulns/cve/${secret.cveid}`,
      `/api/public/vulns/${secret.id}/exploits`,
      `/api/public/vulns/${secret.id}/threats`,
      `/api/public/vulns/${secret.id}/export/json`,
      `/public/vulns/${secret.id}`,
      `/public/vulns/${secret.cveid}`,
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404])
    for (const path of [
      '/api/public/vulns/?limit=100',
      '/api/public/vulns/?search=canary',
      `/api/public/vulns/?search=${secret.cveid}`,
      `/api/public/vulns/?search=PH-${secret.id}`,
      '/api/public/vulns/latest',
      `/api/public/vulns/${open.id}/exploits`,
      `/api/public/vulns/${open.id}/threats`,
      `/api/public/vulns/${open.id}/export/json`,
      `/public/search?q=PH-${secret.id}`,
      '/public/search',
      '/sitemap.xml',
    ]) {
      const { status, text } = await get(path)
      expect([path, status]).toEqual([path, 200])
      // A rule of style has the word, too.
      expect(text).not.toMatch(/[Hh]idden[ -]/)
      expect(text).not.toContain(`vulns/${secret.id}<`)
      expect(text).not.toContain(`"id":${secret.id},`)
    }
  }
})

const listRows = <Row>(answer: Row[] | { results: Row[] }) => (Array.isArray(answer) ? answer : answer.results)

test('exploits and threats are public when TLP is white, newest first, with their relevancy', async () => {
  const world = aWorld()
  const { id, cveid } = await insertVuln(world)
  const older = await insertExploit(world, id, { modified: '2026-11-01T00:00:00Z' })
  const newer = await insertExploit(world, id)
  await insertExploit(world, id, { tlp_level: 'amber', notes: 'for few' })
  const threat = await insertThreat(world, id, { is_in_the_wild: 1 })
  await insertThreat(world, id, { tlp_level: 'green' })

  const { call } = caller(world, null)
  const exploits = listRows(await call(listPublicExploits, { params: { id }, query: { sorted_by: '-modified' } }))
  expect(exploits.map((one) => one.id)).toEqual([newer, older])
  expect(exploits[0]).toMatchObject({ vuln_id: id, cveid, relevancy_level: 5, scope: 'public', tlp_level: 'white' })
  const second = await call(listPublicExploits, { params: { id }, query: { page: 2, limit: 1 } })
  expect(second).toMatchObject({ count: 2, next: null, results: [expect.anything()] })
  const threats = listRows(await call(listPublicThreats, { params: { id } }))
  expect(threats).toMatchObject([{ id: threat, is_in_the_wild: true, is_in_the_news: false, scope: 'public' }])
  expect(await call(listAllPublicExploits, { query: { limit: 1 } })).toMatchObject({
    count: 2,
    results: [{ id: newer }],
  })
  expect(await call(listAllPublicExploits, { query: { notes__icontains: 'few' } })).toMatchObject({ count: 0 })
  expect(await call(listAllPublicThreats)).toMatchObject({ count: 1, next: null, results: [{ id: threat }] })
  expect((await call(publicLatest)).exploits.map((one) => one.id)).toContain(newer)

  const response = await ask(world, `/api/public/vulns/${id}/export/json`)
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="hears_vuln_${id}.json"`)
  const file = exportPublicVuln.reply.parse(await response.json())
  expect(file).toMatchObject({ vulnerability: { id }, exploits, org_exploits: [], threats, org_threats: [] })
})

test('the list is searched, filtered and turned by anybody, up to its last page', async () => {
  const world = aWorld()
  const { call } = caller(world, null)
  const { id, word, cveid } = await insertVuln(world)
  for (const search of [word, cveid, `PH-${id}`])
    expect((await call(listPublicVulns, { query: { search } })).results.map((row) => row.id)).toEqual([id])
  expect((await call(listPublicVulns, { query: { search: word, score__gte: 76 } })).results).toEqual([])
  expect((await call(listPublicVulns, { query: { search: 'C++ "AND' } })).results).toEqual([])

  const last = await (await ask(world, '/api/public/vulns/?page=100&limit=1')).json<{ next: string | null }>()
  expect(last.next).toBeNull()
  expect((await ask(world, '/api/public/vulns/?page=101')).status).toBe(400)
  expect((await ask(world, '/api/public/vulns/?monitored=true&search=nothing-of-the-kind')).status).toBe(200)
  expect(await call(publicStats)).toMatchObject({ vulns: expect.any(Number), exploits: expect.any(Number) })
})

test('answers may be kept for a minute, pages for five, failures not at all', async () => {
  const world = aWorld()
  const { id } = await insertVuln(world)
  const cacheHeader = async (path: string) => (await ask(world, path)).headers.get('cache-control')
  expect(await cacheHeader(`/api/public/vulns/${id}`)).toBe('public, max-age=60')
  expect(await cacheHeader('/api/public/vulns/')).toBe('public, max-age=60')
  expect(await cacheHeader(`/public/vulns/${id}`)).toBe('public, max-age=300')
  expect(await cacheHeader('/api/public/vulns/999999')).toBe('no-store')
  expect(await cacheHeader('/public/vulns/999999')).toBe('no-store')
  expect(await cacheHeader('/public/newsletter')).toBe('no-store')
  expect(await cacheHeader('/api/vulns/')).toBe('no-store')
})

test('a reader who reads too much is told to wait, as a page where they asked for one', async () => {
  const keys: string[] = []
  const RATE_LIMIT = {
    limit: async ({ key }: { key: string }) => {
      keys.push(key)
      return { success: false }
    },
  }
  const world = aWorld({ RATE_LIMIT })
  const headers = { 'cf-connecting-ip': '203.0.113.9' }
  const api = await world.request('/api/public/vulns/', { headers })
  expect([api.status, api.headers.get('retry-after')]).toEqual([429, '60'])
  const page = await world.request('/public/search', { headers })
  expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('Too many requests')
  expect(new Set(keys)).toEqual(new Set(['read 203.0.113.9']))
})

test('a search of ten thousand letters is answered', async () => {
  expect((await pageAt(aWorld(), `/public/search?q=${'x'.repeat(10_000)}`)).status).toBe(200)
})

test('other spellings of an address lead to the one that is kept', async () => {
  const world = aWorld()
  const { id, cveid } = await insertVuln(world)
  const leads = async (path: string) => (await world.request(path)).headers.get('location')
  expect(await leads(`/public/vulns/${cveid.toLowerCase()}`)).toBe(`/public/vulns/${id}`)
  expect(await leads(`/public/vulns/ph-${id}`)).toBe(`/public/vulns/${id}`)
  expect(await leads('/public')).toBe('/public/search')
  expect(await leads('/public/vulns')).toBe('/public/search')
})

test('public questions read few rows, however many there are', async () => {
  const world = aWorld({ METER: '1' })
  const many = 6_000
  await world.sql`INSERT INTO vulns(cveid, state, summary, published, score, created_at, updated_at)
     SELECT 'CVE-2025-' || (10000 + value), 'published', 'A common flaw of many', unixepoch(${at}), value % 100, unixepoch(${at}), unixepoch(${at}) + value
     FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${many}) SELECT value FROM n)`
  const { id } = await insertVuln(world)
  const readBy = async (path: string) => {
    const response = await ask(world, path)
    expect([path, response.status]).toEqual([path, 200])
    return Number(/read=(\d+)/.exec(response.headers.get('server-timing') ?? '')?.[1])
  }
  expect(await readBy(`/public/vulns/${id}`)).toBeLessThan(300)
  expect(await readBy(`/api/public/vulns/${id}/export/json`)).toBeLessThan(300)
  expect(await readBy('/api/public/vulns/')).toBeLessThan(200)
  expect(await readBy('/api/public/vulns/latest')).toBeLessThan(200)
  expect(await readBy('/api/public/vulns/stats')).toBeLessThan(50)
  // A page and its count read within one budget, however many there are.
  expect(await readBy('/public/search?q=common')).toBeLessThan(5_000)
  expect(await readBy('/sitemap.xml')).toBeLessThan(2_100)
})

test('the page about how exact Earshot is shows each set with its counts, and each difference with its reason', async () => {
  const world = aWorld()
  const { status, headers, text } = await pageAt(world, '/conformance')
  expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=3600'])
  expect(text).not.toContain('noindex')
  const plain = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
  for (const { name, source, cases, right, differences, ...counts } of conformance) {
    const others = [counts.otherwise, counts.unknown, counts.refused, counts.wrong]
    const row = [name, source, ...[cases, right, ...others].map((one) => one.toLocaleString('en-US'))]
    expect(withoutEntities(plain)).toContain(row.join(' '))
    expect(others.reduce((sum, one) => sum + one, right)).toBe(cases)
    for (const { why, what, count } of differences) {
      expect(count).toBeGreaterThan(0)
      expect(withoutEntities(plain)).toContain(`${why} For example ${what}`)
    }
  }
  expect((await pageAt(world, '/sitemap.xml')).text).toContain('<loc>https://earshot.test/conformance</loc>')
})

test('the page of the sources names author and licence of each feed, and the notices that they ask for', async () => {
  const world = aWorld()
  const { status, text } = await pageAt(world, '/sources')
  expect(status).toBe(200)
  const plain = withoutEntities(text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' '))
  for (const { name, by, gives, licence, notice } of listedSources as ((typeof listedSources)[number] & {
    notice?: string
  })[])
    expect(plain).toContain([name, by, gives, licence, ...(notice ? [notice] : [])].join(' '))
  const named = listedSources.flatMap(({ feeds }) => feeds)
  expect(named.toSorted()).toEqual(
    registeredFeeds
      .map(({ id }) => id)
      .filter((id) => id !== 'remerge')
      .toSorted(),
  )
})

const withoutEntities = (text: string) =>
  text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

test('whether it answered when probes looked is told by them alone who know the word of the operator, and stands on the status page', async () => {
  const token = 'a word of the operator'
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T12:00:00Z') })
  onTestFinished(() => void vi.useRealTimers())
  const world = aWorld({ PROBE_TOKEN: token })
  const post = async (body: object, asked = world) => {
    const headers = { 'content-type': 'application/json' }
    const response = await asked.request('/api/service/looks', { method: 'POST', headers, body: JSON.stringify(body) })
    return [response.status, response.status === 200 ? ((await response.json()) as { taken: number }).taken : null]
  }
  const look = (time: string, is_ok = true) => ({ at: `2026-11-${time}Z`, is_ok })
  const seen = async () => {
    const status = publicStatus.reply.parse(await (await world.request('/api/public/status')).json())
    return status.objectives.find(({ id }) => id === 'outside')
  }
  const looks = [look('20T11:50:00'), look('20T11:55:00'), look('20T11:59:30')]
  const refused = [await post({ token: 'x', looks }), await post({ looks }), await post({ token: '', looks }, aWorld())]
  expect(refused.map(([status]) => status)).toEqual([401, 400, 401])
  for (const wrong of [[], [look('nonsense')], Array.from({ length: 501 }, () => look('20T11:50:00'))])
    expect((await post({ token, looks: wrong }))[0]).toBe(400)
  expect(await seen()).toBeUndefined()

  // Looks of another week, or of tomorrow, are not taken.
  expect(await post({ token, looks: [...looks, look('12T11:50:00'), look('21T11:50:00')] })).toEqual([200, 3])
  expect(await seen()).toMatchObject({ now: 'good', value: 100, is_met: true })
  // One that got no answer counts, whatever others saw within its five minutes; a report that is repeated changes nothing.
  const away = [look('19T23:59:59', false), look('20T11:56:00', false), look('20T11:57:00')]
  for (let turn = 0; turn < 2; turn++) expect(await post({ token, looks: away })).toEqual([200, 3])
  const history = [
    { day: '2026-11-19', value: 0, is_met: false },
    { day: '2026-11-20', value: 50, is_met: false },
  ]
  expect(await seen()).toMatchObject({ now: 'bad', value: 33.33, history })
  expect(await (await world.request('/status')).text()).toContain('Seen from outside')
  vi.setSystemTime(new Date('2026-11-20T13:00:00Z'))
  expect(await seen()).toMatchObject({ now: 'unknown', value: 33.33 })
})

import { expect, test } from 'vitest'
import {
  exportPublicVuln,
  getPublicVuln,
  getPublicVulnByCve,
  listPublicExploits,
  listPublicThreats,
  listPublicVulns,
  publicLatest,
  publicStats,
} from '../../worker/public/contract'
import { toSeconds } from '../../worker/db/time'
import { getVuln } from '../../worker/vulns/detail/contract'
import { anOrg, caller, rows } from './support/org'
import { aWorld } from './support/world'
import type { World } from './support/world'

const at = '2026-11-10T10:00:00Z'
let made = 0

type Columns = Record<string, string | number | null>

async function insert({ env }: World, table: string, columns: Columns) {
  const names = Object.keys(columns)
  const sql = `INSERT INTO ${table}(${names.join()}) VALUES (${names.map((_, i) => `?${i + 1}`).join()}) RETURNING id`
  const [row] = await rows<{ id: number }>(env, sql, ...Object.values(columns))
  return row?.id ?? 0
}

/** A vulnerability that is found by its own word. */
async function aVuln(world: World, columns: Columns = {}) {
  const word = `quux${++made}`
  const cveid = `CVE-2026-${80_000 + made}`
  const given = {
    cveid,
    state: 'published',
    summary: `A flaw in ${word}.`,
    published: toSeconds(at),
    cvss3: 9.8,
    cvss3_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    score: 75,
    created_at: toSeconds(at),
    updated_at: toSeconds(at),
  }
  const id = await insert(world, 'vulns', { ...given, ...columns })
  return { id, cveid, word }
}

const anActivity = { source: 'manual', trust_level: 'high', tlp_level: 'white', modified: at }
const anExploit = { ...anActivity, availability: 'public', maturity: 'poc' }
const addExploit = (world: World, vuln_id: number, columns: Columns = {}) =>
  insert(world, 'exploits', {
    ...anExploit,
    vuln_id,
    key: `k${++made}`,
    link: `https://exploit.example/${made}`,
    ...columns,
  })
const addThreat = (world: World, vuln_id: number, columns: Columns = {}) =>
  insert(world, 'threats', {
    ...anActivity,
    vuln_id,
    key: `k${++made}`,
    link: `https://threat.example/${made}`,
    ...columns,
  })

const ask = (world: World, path: string) => world.request(path)
const pageAt = async (world: World, path: string) => {
  const response = await ask(world, path)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('anybody reads a vulnerability by its id or its CVE id, without what is an organization’s', async () => {
  const { world, call, access } = await anOrg()
  const { id, cveid } = await aVuln(world)
  const anybody = caller(world, null)

  const vuln = await anybody.call(getPublicVuln, { params: { id } })
  expect(vuln).toMatchObject({ id, cveid, score: 75, cvss3: 9.8, cwe_name: null, access: { vector: 'NETWORK' } })
  expect(vuln.rating_vector).toMatch(/^AV:N\/AC:L\/Au:N\/C:C/)
  expect(await anybody.call(getPublicVulnByCve, { params: { cveid: cveid.toLowerCase() } })).toEqual(vuln)
  expect((await call(getVuln, { params: { id } })).rating_vector).toBe(vuln.rating_vector)

  const text = await (await ask(world, `/api/public/vulns/${id}`)).text()
  expect(text).not.toMatch(/"(monitored|monitored_by|status|org_id|comment|is_editable)"/)
  const signedIn = await world.request(`/api/public/vulns/${id}`, { headers: { authorization: `JWT ${access}` } })
  expect(await signedIn.text()).toBe(text)
})

test('what is private to an organization is nowhere to be seen, not even for its members', async () => {
  const { world, org_id, access } = await anOrg()
  const secret = await aVuln(world, { org_id, summary: `Hidden canary${++made}`, exploit_count: 1 })
  const open = await aVuln(world)
  await addExploit(world, secret.id, { notes: 'hidden-exploit' })
  await addExploit(world, open.id, { org_id, notes: 'hidden-exploit' })
  await addThreat(world, open.id, { org_id, notes: 'hidden-threat' })

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
      `/api/public/vulns/?search=canary${made}`,
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
      expect(text).not.toMatch(/[Hh]idden/)
      expect(text).not.toContain(`vulns/${secret.id}<`)
      expect(text).not.toContain(`"id":${secret.id},`)
    }
  }
})

test('exploits and threats are public when TLP is white, newest first, with their relevancy', async () => {
  const world = aWorld()
  const { id, cveid } = await aVuln(world)
  const older = await addExploit(world, id, { modified: '2026-11-01T00:00:00Z' })
  const newer = await addExploit(world, id)
  await addExploit(world, id, { tlp_level: 'amber', notes: 'for few' })
  const threat = await addThreat(world, id, { is_in_the_wild: 1 })
  await addThreat(world, id, { tlp_level: 'green' })

  const { call } = caller(world, null)
  const { results: exploits, count } = await call(listPublicExploits, {
    params: { id },
    query: { sorted_by: '-modified' },
  })
  expect([count, exploits.map((one) => one.id)]).toEqual([2, [newer, older]])
  expect(exploits[0]).toMatchObject({ vuln_id: id, cveid, relevancy_level: 5, scope: 'public', tlp_level: 'white' })
  const second = await call(listPublicExploits, { params: { id }, query: { page: 2, limit: 1 } })
  expect(second).toMatchObject({ count: 2, next: null, results: [expect.anything()] })
  const { results: threats } = await call(listPublicThreats, { params: { id } })
  expect(threats).toMatchObject([{ id: threat, is_in_the_wild: true, is_in_the_news: false, scope: 'public' }])
  expect((await call(publicLatest)).exploits.map((one) => one.id)).toContain(newer)

  const response = await ask(world, `/api/public/vulns/${id}/export/json`)
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="hears_vuln_${id}.json"`)
  const file = exportPublicVuln.reply.parse(await response.json())
  expect(file).toMatchObject({ vulnerability: { id }, exploits, org_exploits: [], threats, org_threats: [] })
})

test('the list is searched, filtered and turned by anybody, up to its last page', async () => {
  const world = aWorld()
  const { call } = caller(world, null)
  const { id, word, cveid } = await aVuln(world)
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
  const { id } = await aVuln(world)
  const cacheHeader = async (path: string) => (await ask(world, path)).headers.get('cache-control')
  expect(await cacheHeader(`/api/public/vulns/${id}`)).toBe('public, max-age=60')
  expect(await cacheHeader('/api/public/vulns/')).toBe('public, max-age=60')
  expect(await cacheHeader(`/public/vulns/${id}`)).toBe('public, max-age=300')
  expect(await cacheHeader('/api/public/vulns/999999')).toBe('no-store')
  expect(await cacheHeader('/public/vulns/999999')).toBe('no-store')
  expect(await cacheHeader('/public/newsletter')).toBe('no-store')
  expect(await cacheHeader('/api/vulns/')).toBe('no-store')
})

test('who reads too much is told to wait, as a page where they asked for one', async () => {
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

test('the page shows what the specification lists', async () => {
  const world = aWorld()
  await rows(
    world.env,
    "INSERT OR IGNORE INTO weaknesses(id, name, description) VALUES (79, 'Cross-site Scripting', '')",
  )
  await rows(world.env, "INSERT OR IGNORE INTO attack_patterns(id, name, description) VALUES (63, 'XSS', '')")
  await rows(world.env, 'INSERT OR IGNORE INTO weakness_patterns(weakness_id, pattern_id) VALUES (79, 63)')
  await rows(world.env, "INSERT OR IGNORE INTO pattern_techniques(pattern_id, external_id) VALUES (63, 'T1059')")
  await rows(
    world.env,
    "INSERT OR IGNORE INTO techniques(external_id, name, url, description) VALUES ('T1059', 'Scripting', 'https://attack.mitre.org/techniques/T1059', '')",
  )
  const { id, cveid } = await aVuln(world, {
    cvss: 7.5,
    cvss_vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P',
    cwe_id: 'CWE-79',
    is_exploitable: 1,
    exploit_count: 3,
    threat_activity_count: 2,
    cpe_count: 17,
    product_count: 12,
    epss: 0.5,
    kev_added_at: '2026-11-01',
  })
  const vendor_id = await insert(world, 'vendors', { name: `acme${made}`, updated_at: at })
  for (let number = 1; number <= 12; number++) {
    const product = { vendor_id, vendor: `acme${made}`, name: `widget_${number}`, updated_at: at }
    const product_id = await insert(world, 'products', product)
    await rows(
      world.env,
      `INSERT INTO affected(vuln_id, product_id, source, ranges) VALUES (?1, ?2, 'nvd', '["a:1.0"]')`,
      id,
      product_id,
    )
  }

  const { status, headers, text } = await pageAt(world, `/public/vulns/${id}`)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  for (const part of [
    `PH-${id}`,
    `href="https://nvd.nist.gov/vuln/detail/${cveid}"`,
    `href="https://www.cve.org/CVERecord?id=${cveid}"`,
    'AV:N/AC:L/Au:N/C:P/I:P/A:P',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'A flaw in',
    'href="https://cwe.mitre.org/data/definitions/79.html"',
    'Exploitable',
    'Confirmed',
    'Relayed in the News',
    'Exploited in the Wild',
    'Earshot Pro',
    'Security service',
    'href="/trial"',
    'id="newsletter"',
    '>+2<',
  ])
    expect(text).toContain(part)
  expect(text.match(/<li>acme\d+ · widget_\d+<\/li>/g)).toHaveLength(10)
  const plain = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
  for (const fact of [
    'Exploits 3',
    'Threat activities 2',
    'CPEs 17',
    'Vulnerable products 12',
    '75 /100 High',
    '9.8 Critical',
    'EPSS 50.0% in 30 days',
    'listed 2026-11-01',
    'Authentication NONE Complexity LOW Vector NETWORK',
    'Confidentiality PARTIAL Integrity PARTIAL Availability PARTIAL',
  ])
    expect(plain).toContain(fact)
})

test('of many references the first ten are shown, the others behind a word, and none that leads elsewhere than to the web', async () => {
  const world = aWorld()
  const { id } = await aVuln(world)
  const urls = [...Array.from({ length: 12 }, (_, n) => `https://ref.example/${n}`), 'javascript:alert(1)']
  const references = urls.map((url) => ({ url, tags: [] }))
  const body = JSON.stringify({ cveid: 'CVE-2026-1', state: 'published', references })
  await rows(world.env, "INSERT INTO vuln_records(vuln_id, source, hash, body) VALUES (?1, 'nvd', '', ?2)", id, body)
  const { text } = await pageAt(world, `/public/vulns/${id}`)
  const [before = '', behind = ''] = text.split('<summary>3 more</summary>')
  expect(before.match(/href="https:\/\/ref\.example/g)).toHaveLength(10)
  expect(behind.match(/href="https:\/\/ref\.example/g)).toHaveLength(2)
  expect(behind).toContain('javascript:alert(1)')
  expect(text).not.toContain('href="javascript:')
})

test('search engines and those who share the page are told what it is', async () => {
  const world = aWorld()
  const { id, cveid } = await aVuln(world)
  const { text } = await pageAt(world, `/public/vulns/${id}`)
  expect(text).toContain(`<title>PH-${id} ${cveid} · Earshot</title>`)
  expect(text).toContain(`<link rel="canonical" href="https://earshot.test/public/vulns/${id}" />`)
  for (const name of ['og:title', 'og:description', 'og:url', 'og:type', 'og:site_name'])
    expect(text).toContain(`<meta property="${name}"`)
  expect(text).toContain('<meta name="twitter:card" content="summary" />')
  expect(text).not.toContain('noindex')
  const [, data = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? []
  expect(JSON.parse(data)).toMatchObject({ '@type': 'TechArticle', headline: `PH-${id} ${cveid}`, datePublished: at })
  expect((await pageAt(world, '/public/search')).text).toContain('noindex')
  expect((await pageAt(world, '/sitemap.xml')).text).toContain(`<loc>https://earshot.test/public/vulns/${id}</loc>`)
  expect((await pageAt(world, '/robots.txt')).text).toContain('Sitemap: https://earshot.test/sitemap.xml')
})

test('scripts come to less than 25 kB, and none but ours may run', async () => {
  const world = aWorld()
  const { id } = await aVuln(world)
  const { text, headers } = await pageAt(world, `/public/vulns/${id}`)
  const scripts = [...text.matchAll(/<script(?![^>]*ld\+json)[^>]*>(.*?)<\/script>/gs)]
  expect(scripts).toHaveLength(1)
  const [code = ''] = scripts.map(([, body]) => body)
  expect(code.length).toBeGreaterThan(500)
  expect(code.length).toBeLessThan(25_000)
  expect(text).not.toMatch(/<script[^>]+src=|\son\w+=|style=/)

  const policy = headers.get('content-security-policy') ?? ''
  const hashText = async (body: string) => {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body))
    return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`
  }
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? []
  expect(policy).toContain(`script-src ${await hashText(code)};`)
  expect(policy).toContain(`style-src ${await hashText(style)};`)
  expect(policy).toContain("default-src 'none'")
})

const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'&`

test('nothing that a source or a reader wrote becomes markup', async () => {
  const world = aWorld()
  const { id } = await aVuln(world, {
    summary: evil,
    cwe_id: evil,
    top_products: JSON.stringify([[1, evil, evil]]),
    cveid: `CVE-2026-${90_000 + ++made}`,
  })
  const pages = [
    `/public/vulns/${id}`,
    `/public/search?q=PH-${id}`,
    `/public/search?q=${encodeURIComponent(evil)}`,
    `/public/search/${encodeURIComponent(evil)}`,
    `/public/vulns/${encodeURIComponent(evil)}`,
  ]
  for (const path of pages) {
    const { text } = await pageAt(world, path)
    expect(text).not.toMatch(/<script>alert|<img src=x/)
    const [, data = 'null'] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? []
    expect(() => JSON.parse(data)).not.toThrow()
  }
  const { text } = await pageAt(world, `/public/vulns/${id}`)
  expect(text).toContain('&lt;script&gt;alert(1)')
})

test.each(['javascript:alert(1)', 'data:text/html,x', 'ftp://files.example/x', 'JAVASCRIPT://x'])(
  'a reference to %s is shown, and leads nowhere',
  async (url) => {
    const { outLink } = await import('../../worker/public/card')
    expect(String(await outLink(url))).not.toContain('<a')
  },
)

test.each([
  ['/public/vulns/cve-2026-1', 404],
  ['/public/vulns/0', 404],
  ['/public/vulns/-1', 404],
  ['/public/vulns/99999999999999999999', 404],
  ['/public/vulns/x', 404],
  ['/public/vulns/%00', 404],
  ['/public/nothing/here', 404],
  ['/public/search?page=0', 404],
  ['/public/search?page=101', 404],
  ['/public/search?q=%00', 200],
  ['/public/search?q=%F0%9F%92%A5', 200],
  ['/public/search?q="AND"+C%2B%2B+OR+(', 200],
])('%s is answered with a page of status %d', async (path, status) => {
  const page = await pageAt(aWorld(), path)
  expect(page.status).toBe(status)
  expect(page.text).toMatch(/^<!doctype html>/)
  if (status === 404) expect(page.text).toContain('Unable to get vuln details')
})

test('a search of ten thousand letters is answered', async () => {
  expect((await pageAt(aWorld(), `/public/search?q=${'x'.repeat(10_000)}`)).status).toBe(200)
})

test('other spellings of an address lead to the one that is kept', async () => {
  const world = aWorld()
  const { id, cveid } = await aVuln(world)
  const leads = async (path: string) => (await world.request(path)).headers.get('location')
  expect(await leads(`/public/vulns/${cveid.toLowerCase()}`)).toBe(`/public/vulns/${id}`)
  expect(await leads(`/public/vulns/ph-${id}`)).toBe(`/public/vulns/${id}`)
  expect(await leads('/public')).toBe('/public/search')
  expect(await leads('/public/vulns')).toBe('/public/search')
})

test('a vulnerability without a record, a score or a summary, and a withdrawn one, say so', async () => {
  const world = aWorld()
  const bare = { summary: '', score: null, cvss3: null, cvss3_vector: null, published: null }
  const awaited = await aVuln(world, { ...bare, state: 'awaiting' })
  const rejected = await aVuln(world, { ...bare, state: 'rejected' })
  const [first, second] = [
    await pageAt(world, `/public/vulns/${awaited.id}`),
    await pageAt(world, `/public/vulns/${rejected.id}`),
  ]
  expect(first.text).toContain('Named by a catalogue before its record is here.')
  expect(first.text).toContain('Nobody has scored it yet.')
  expect(second.text).toContain('Its CVE was withdrawn')
})

test('what anybody asks reads few rows, however many there are', async () => {
  const world = aWorld({ METER: '1' })
  const many = 3_000
  await rows(
    world.env,
    `INSERT INTO vulns(cveid, state, summary, published, score, created_at, updated_at)
     SELECT 'CVE-2025-' || (10000 + value), 'published', 'A common flaw of many', unixepoch(?2), value % 100, unixepoch(?2), unixepoch(?2) + value
     FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?1) SELECT value FROM n)`,
    many,
    at,
  )
  const { id } = await aVuln(world)
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
  // A thousand hits tell whether they can be ranked, and all of them are counted.
  expect(await readBy('/public/search?q=common')).toBeLessThan(1_100 + many)
  expect(await readBy('/sitemap.xml')).toBeLessThan(2_100)
})

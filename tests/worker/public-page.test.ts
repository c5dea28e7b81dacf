import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import type { VulnRecord } from '../../worker/domain/words/record'
import { saveRecords } from '../../worker/merge/save-records'
import { exportVulns } from '../../worker/vulns/contract'
import { anOrg } from './support/org'
import { aWorld } from './support/world'
import { at, insert, insertVuln, pageAt } from './support/public-rows'

test('the page shows what the specification lists', async () => {
  const world = aWorld()
  await world.sql`INSERT OR IGNORE INTO weaknesses(id, name, description)
    VALUES (79, 'Cross-site Scripting', '')`
  await world.sql`INSERT OR IGNORE INTO attack_patterns(id, name, description) VALUES (63, 'XSS', '')`
  await world.sql`INSERT OR IGNORE INTO weakness_patterns(weakness_id, pattern_id) VALUES (79, 63)`
  await world.sql`INSERT OR IGNORE INTO pattern_techniques(pattern_id, external_id) VALUES (63, 'T1059')`
  await world.sql`INSERT OR IGNORE INTO techniques(external_id, name, url, description)
    VALUES ('T1059', 'Scripting', 'https://attack.mitre.org/techniques/T1059', '')`
  const { id, cveid } = await insertVuln(world, {
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
  const vendor_id = await insert(world, 'vendors', { name: 'acme', updated_at: at })
  for (let number = 1; number <= 12; number++) {
    const product = { vendor_id, vendor: 'acme', name: `widget_${number}`, updated_at: at }
    const product_id = await insert(world, 'products', product)
    await world.sql`INSERT INTO affected(vuln_id, product_id, source, ranges)
      VALUES (${id}, ${product_id}, 'nvd', '["a:1.0"]')`
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
    'aria-label="Decision"',
    'Exploited',
    'Earshot Pro',
    'Security service',
    'href="/trial"',
    'id="newsletter"',
    '>+2<',
  ])
    expect(text).toContain(part)
  expect(text.match(/<li>Acme · Widget \d+<\/li>/g)).toHaveLength(10)
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
  const { id } = await insertVuln(world)
  const urls = [...Array.from({ length: 12 }, (_, n) => `https://ref.example/${n}`), 'javascript:alert(1)']
  const references = urls.map((url) => ({ url, tags: [] }))
  const body = JSON.stringify({ cveid: 'CVE-2026-1', state: 'published', references })
  await world.sql`INSERT INTO vuln_records(vuln_id, source, hash, body) VALUES (${id}, 'nvd', '', ${body})`
  const { text } = await pageAt(world, `/public/vulns/${id}`)
  const [before = '', behind = ''] = text.split('<summary>3 more</summary>')
  expect(before.match(/href="https:\/\/ref\.example/g)).toHaveLength(10)
  expect(behind.match(/href="https:\/\/ref\.example/g)).toHaveLength(2)
  expect(behind).toContain('javascript:alert(1)')
  expect(text).not.toContain('href="javascript:')
})

test('search engines and those who share the page are told what it is', async () => {
  const world = aWorld()
  const { id, cveid } = await insertVuln(world)
  const { text } = await pageAt(world, `/public/vulns/${id}`)
  expect(text).toContain(`<title>PH-${id} ${cveid} · Earshot</title>`)
  expect(text).toContain(`<link rel="canonical" href="https://earshot.test/public/vulns/${id}" />`)
  for (const name of ['og:title', 'og:description', 'og:url', 'og:type', 'og:site_name'])
    expect(text).toContain(`<meta property="${name}"`)
  expect(text).toContain('<meta name="twitter:card" content="summary" />')
  expect(text).not.toContain('noindex')
  const [, data = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? []
  expect(JSON.parse(data)).toMatchObject({ '@type': 'TechArticle', headline: `PH-${id} ${cveid}`, datePublished: at })
  expect((await pageAt(world, '/public/search')).text).toMatch(/noindex.*tells your team within minutes/s)
  expect((await pageAt(world, '/sitemap.xml')).text).toContain(`<loc>https://earshot.test/public/vulns/${id}</loc>`)
  expect((await pageAt(world, '/robots.txt')).text).toContain('Sitemap: https://earshot.test/sitemap.xml')
})

test('CVE-2014-0160, Heartbleed: a day is told without a time, and no day of loading for what has none', async () => {
  const world = aWorld()
  const day = '2014-04-07T00:00:00Z'
  const save = (record: VulnRecord) =>
    saveRecords(openDb(world.env), { source: 'cve', records: [record], is_backfill: true, now: new Date(at) })
  await save({ cveid: 'CVE-2014-0160', state: 'published', published: day, modified: day })
  await save({ cveid: 'CVE-2014-0161', state: 'published' })
  const read = async (cveid: string) => {
    const [vuln] = await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = ${cveid}`
    const { text } = await pageAt(world, `/public/vulns/${vuln?.id}`)
    const [, data = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? []
    return JSON.parse(data) as { datePublished?: string; dateModified: string }
  }
  expect(await read('CVE-2014-0160')).toMatchObject({ datePublished: '2014-04-07', dateModified: '2014-04-07' })
  expect(await read('CVE-2014-0161')).not.toHaveProperty('datePublished')
  const { answer } = await anOrg({ world })
  const csv = await answer(exportVulns, { params: { format: 'csv' } })
  expect(await csv.text()).toContain(',2014-04-07,2014-04-07')
})

test('scripts come to less than 25 kB, and none but ours may run', async () => {
  const world = aWorld()
  const { id } = await insertVuln(world)
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

test('while its styles cannot be read, a page is shown plainly, and no cache keeps it', async () => {
  const ASSETS = { fetch: async () => new Response('Not found', { status: 404 }) } as unknown as Fetcher
  const world = aWorld({ ASSETS })
  const { id } = await insertVuln(world)
  const { status, text, headers } = await pageAt(world, `/public/vulns/${id}`)
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(text).toContain(`<h1>PH-${id}`)
  expect(headers.get('content-security-policy')).toContain("style-src 'none'; script-src 'none';")
  expect((await pageAt(world, '/sources')).status).toBe(503)
})

const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'&`

test('nothing that a source or a reader wrote becomes markup', async () => {
  const world = aWorld()
  const { id } = await insertVuln(world, {
    summary: evil,
    cwe_id: evil,
    top_products: JSON.stringify([[1, evil, evil]]),
    cveid: 'CVE-2026-90001',
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
  if (status === 404)
    expect(page.text).toMatch(/role="alert">\s*<strong>Error<\/strong><br \/>Unable to get vuln details\s*<\/div>/)
})

test('a vulnerability without a record, a score or a summary, and a withdrawn one, say so', async () => {
  const world = aWorld()
  const bare = { summary: '', score: null, cvss3: null, cvss3_vector: null, published: null }
  const awaited = await insertVuln(world, { ...bare, state: 'awaiting' })
  const rejected = await insertVuln(world, { ...bare, state: 'rejected' })
  const [first, second] = [
    await pageAt(world, `/public/vulns/${awaited.id}`),
    await pageAt(world, `/public/vulns/${rejected.id}`),
  ]
  expect(first.text).toContain('Another source mentions it, but its CVE record is not published or not loaded yet.')
  expect(first.text).toContain('This vulnerability has no score yet.')
  expect(second.text).toContain('Its CVE was withdrawn')
})

test('techniques that follow from a weakness are folded and say so; T1190 stands by its access', async () => {
  const world = aWorld()
  const { id } = await insertVuln(world, { cvss_vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P', cwe_id: 'CWE-79' })
  const body = JSON.stringify({ cveid: 'CVE-2026-1', state: 'published', cwe_ids: ['CWE-79'] })
  await world.sql`INSERT INTO vuln_records(vuln_id, source, hash, body) VALUES (${id}, 'nvd', '', ${body})`
  await world.sql`INSERT INTO attack_patterns(id, name, description) VALUES (990, 'Script', '')`
  await world.sql`INSERT INTO weakness_patterns(weakness_id, pattern_id) VALUES (79, 990)`
  await world.sql`INSERT INTO pattern_techniques(pattern_id, external_id) VALUES (990, 'T1574')`
  await world.sql`INSERT INTO techniques(external_id, name, url, description)
    VALUES ('T1574', 'Hijack', 'https://attack.mitre.org/techniques/T1574', '')`
  const { text } = await pageAt(world, `/public/vulns/${id}`)
  const [before = '', behind = ''] = text.split('<summary>1 that follows from its CWE alone</summary>')
  expect(before).toContain('Reached over a network without authentication')
  expect(before).toContain('T1190 Exploit Public-Facing Application')
  expect(before).not.toContain('T1574')
  expect(behind).toContain('T1574 Hijack')
})

test('an address with the id that people use leads to the vulnerability, a private one or two of them to none', async () => {
  const world = aWorld()
  const made = { state: 'published', summary: 'A flaw', created_at: at, updated_at: at }
  const id = await insert(world, 'vulns', { ...made, cveid: 'CVE-2026-80001' })
  const other = await insert(world, 'vulns', { ...made, cveid: 'GHSA-aaaa-bbbb-cccc' })
  const own = await insert(world, 'vulns', { ...made, cveid: 'OWN-2026-1', org_id: 7 })
  for (const [alias, vuln_id] of [
    ['GHSA-xxxx-yyyy-zzzz', id],
    ['RHSA-2026:1', id],
    ['RHSA-2026:1', other],
    ['GHSA-pppp-qqqq-rrrr', own],
  ] as const)
    await world.sql`INSERT INTO vuln_aliases(alias, vuln_id) VALUES (${alias}, ${vuln_id})`
  const leadsTo = async (address: string) => {
    const { status, headers } = await pageAt(world, `/public/vulns/${address}`)
    return [status, headers.get('location')?.replace(/^https?:..[^/]+/, '') ?? null]
  }
  for (const [address, target] of [
    ['CVE-2026-80001', id],
    ['cve-2026-80001', id],
    [`PH-${id}`, id],
    ['GHSA-xxxx-yyyy-zzzz', id],
    ['GHSA-aaaa-bbbb-cccc', other],
    ['ghsa-xxxx-yyyy-zzzz', id],
    ['GHSA-AAAA-BBBB-CCCC', other],
  ] as const)
    expect(await leadsTo(address)).toEqual([302, `/public/vulns/${target}`])
  for (const address of ['RHSA-2026:1', 'GHSA-pppp-qqqq-rrrr', 'OWN-2026-1', 'GHSA-none-none-none'])
    expect(await leadsTo(address)).toEqual([404, null])
})

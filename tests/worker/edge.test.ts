import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { edgeKey } from '../../worker/http/edge'
import { saveRecords } from '../../worker/merge/save-records'
import { createAlertFeed } from '../../worker/atom/contract'
import { aKnownWorld, known } from './support/known-world'
import { anOrg } from './support/org'

const queries = ({ headers }: Response) => Number(/queries=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1])

/** Each has an address, and so a cache, of its own. */
async function anEdge() {
  const APP_URL = `https://${crypto.randomUUID()}.test`
  const world = await aKnownWorld({ METER: '1', EDGE_CACHE: '1', APP_URL })
  const versionKey = edgeKey({ APP_URL }, 'version', '')
  return { world, versionKey, nextMinute: () => caches.default.delete(versionKey) }
}

const shared = [
  '/public/vulns/1',
  '/public/search?q=widget',
  '/sitemap.xml',
  '/status',
  '/api/public/status',
  '/census',
  '/api/public/census',
  '/api/public/vulns/?search=widget',
  '/api/public/vulns/1',
  `/api/public/vulns/cve/${known.cveid}`,
  '/api/public/vulns/1/exploits',
  '/api/public/vulns/stats',
  '/api/public/vulns/latest',
  '/api/public/exploits/',
]

test('a public page costs no query where it was read before', async () => {
  const { world, versionKey } = await anEdge()
  for (const path of [...shared, '/api/docs/openapi.json']) {
    const [first, second] = [await world.request(path), await world.request(path)]
    const isRead = path.startsWith('/api/docs') || queries(first) > 0
    expect([path, first.status, isRead, queries(second)]).toEqual([path, 200, true, 0])
    expect(await second.text()).toBe(await first.text())
    for (const name of ['content-type', 'cache-control', 'content-security-policy', 'x-content-type-options'])
      expect([path, name, second.headers.get(name)]).toEqual([path, name, first.headers.get(name)])
  }
  expect((await caches.default.match(versionKey))?.headers.get('cache-control')).toBe('public, max-age=60')
})

test('a merge shows with the next minute, and rows that it took away are gone', async () => {
  const { world, nextMinute } = await anEdge()
  const read = async (path: string) => (await world.request(path)).text()
  const merge = (state: 'published' | 'rejected', summary: string, modified: string) =>
    saveRecords(openDb(world.env), {
      source: 'nvd',
      records: [{ cveid: 'CVE-2026-10002', state, summary, modified }],
      is_backfill: false,
      now: new Date(modified),
    })
  const found = () => Promise.all(['/public/vulns/2', '/api/public/vulns/2', '/sitemap.xml'].map(read))
  const before = await found()
  await merge('published', 'Rated at last.', '2026-11-19T10:00:00Z')
  expect(await found()).toEqual(before)
  await nextMinute()
  const [page, detail] = await found()
  for (const text of [page, detail]) expect(text).toContain('Rated at last.')
  await merge('rejected', 'It was none.', '2026-11-20T10:00:00Z')
  await nextMinute()
  const [rejected, , map = ''] = await found()
  expect(rejected).not.toContain('Rated at last.')
  expect([map.includes('/public/vulns/1<'), map.includes('/public/vulns/2<')]).toEqual([true, false])
})

test('of a hundred who come at once one reads, and each is answered', async () => {
  const { world } = await anEdge()
  const answers = await Promise.all(Array.from({ length: 100 }, () => world.request('/api/public/vulns/1')))
  expect(answers.filter((answer) => queries(answer) > 0)).toHaveLength(1)
  expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1)
})

test('a stranger who asks too often keeps nobody from an answer who asks for the same at once', async () => {
  const { world } = await anEdge()
  const limit = async ({ key }: { key: string }) => ({ success: !key.includes('203.0.113.9') })
  Object.assign(world.env, { RATE_LIMIT: { limit } })
  const ask = (path: string, ip: string) => world.request(path, { headers: { 'cf-connecting-ip': ip } })
  for (const path of ['/public/vulns/1', '/api/public/vulns/1']) {
    const answers = await Promise.all(['203.0.113.9', '198.51.100.7', '198.51.100.8'].map((ip) => ask(path, ip)))
    expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 429, 200, 200])
  }
})

test('nothing of an organization is kept, nor what failed, and a signed-in user reads the truth', async () => {
  const { world } = await anEdge()
  const org = await anOrg({ world, is_org_admin: true })
  const { atom_url } = await org.call(createAlertFeed, { body: {} })
  const headers = { authorization: `JWT ${org.access}` }
  const asks: [string, HeadersInit?][] = [
    [atom_url],
    ['/api/public/vulns/999'],
    ['/public/vulns/999'],
    ['/api/vulns/', headers],
    ['/api/public/vulns/1', headers],
  ]
  for (const [path, sent = {}] of asks) {
    await world.request(path, { headers: sent })
    expect([path, queries(await world.request(path, { headers: sent })) > 0]).toEqual([path, true])
  }
  expect((await world.request('/api/vulns/')).status).toBe(401)
})

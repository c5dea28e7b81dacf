import { expect, test, vi } from 'vitest'
import { exportVulns, listVulns } from '../../worker/vulns/contract'
import { catchUp } from './support/catch-up'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'
import type { World } from './support/world'

const total = 70_000
/** The most rows that a statement tests. */
const most = 40_000

/** More vulnerabilities than one statement may test; the oldest is the only one of 2001. */
async function fill({ env }: World) {
  await rows(
    env,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${total})
     INSERT INTO vulns(id, cveid, state, summary, published, score, is_in_the_news, created_at, updated_at)
     SELECT i, 'CVE-2024-' || (100000 + i), 'published', 'A flaw', unixepoch(iif(i = 1, '2001-01-01', '2024-01-01')), 50, i % 10 = 0, 0, i FROM n`,
  )
  await rows(env, `UPDATE counters SET value = ${total} WHERE name = 'vulns'`)
}

// No index knows any of these, so that rows are tested one by one.
const rare = 'NOT kev published<2002 cvss3<1 OR NOT kev published<2002 cvss<1 OR NOT kev published<2002 NOT news'
const words = Array.from({ length: 19 }, (_, at) => `NOT "flaws of kind ${at}"`).join(' ')

test('one statement tests some rows of a list, fewer where a test is dear, and the answer says where it stopped', async () => {
  const world = aWorld({ METER: '1' })
  await fill(world)
  const { call, answer } = await anOrg({ world })
  const ask = (query: Record<string, unknown>) => call(listVulns, { query: { count: 'quick', limit: 1, ...query } })

  const deep = await ask({ q: 'NOT kev NOT news severity:critical', page: 1_000_000 })
  expect([deep.results, deep.looked_at, new URL(deep.next ?? '').searchParams.get('after')]).toEqual([
    [],
    most,
    String(most),
  ])
  // Also without a filter; `next` goes on from there.
  const [last, beyond] = [await ask({ page: most }), await ask({ page: most + 1 })]
  expect([last.results.map(({ id }) => id), last.looked_at]).toEqual([[total - most + 1], most])
  expect([beyond.results, beyond.looked_at]).toEqual([[], most])
  expect((await ask({ after: most })).results.map(({ id }) => id)).toEqual([total - most])

  const dear = await ask({ q: `severity:critical ${words}` })
  expect(dear.looked_at).toBeLessThan(300)
  expect(dear.looked_at).toBeGreaterThan(200)

  // Where the first of two lists ends would take all rows to know.
  const flagged = await answer(listVulns, { query: { q: 'NOT kev severity:critical', sorted_by: 'is_in_the_news' } })
  expect([flagged.status, await flagged.text()]).toEqual([400, expect.stringContaining('sort it by one field')])
})

test('an export reads its list to the end in steps, between which others get to the database', async () => {
  const world = aWorld({ METER: '1' })
  await fill(world)
  const { answer } = await anOrg({ world })
  const response = await answer(exportVulns, { params: { format: 'json' }, query: { q: rare } })
  const found = (await response.json()) as { id: number }[]
  expect(found.map(({ id }) => id)).toEqual([1])
  expect(Number(/queries=(\d+)/.exec(response.headers.get('server-timing') ?? '')?.[1])).toBeGreaterThan(5)

  const endless = await answer(exportVulns, {
    params: { format: 'csv' },
    query: { q: `composite<0 ${Array.from({ length: 15 }, () => 'NOT composite>0').join(' ')}` },
  })
  expect([endless.status, await endless.text()]).toEqual([400, expect.stringContaining('filter the list further')])
})

test('a search whose words have too many names for one statement is refused, and is no failure of ours', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { answer } = await anOrg()
  const query = { search: 'rce xss sqli dos csrf k8s js win', sorted_by: 'relevance', q: words } as const
  expect((await answer(listVulns, { query })).status).toBe(400)
})

test('exploits with a common word are looked up once, however the list is sorted', async () => {
  const world = aWorld({ METER: '1' })
  await rows(
    world.env,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
     INSERT INTO exploits(vuln_id, source, key, link, trust_level, availability, maturity, modified)
     SELECT i, 'poc', 'k' || i, 'https://github' || (i % 50) || '.test/' || i, 'low', 'public', 'poc', '2026-11-20T10:00:00Z' FROM n`,
  )
  await catchUp(world)
  const ask = async (query: string) => {
    const response = await world.request(`/api/public/exploits/?limit=5&${query}`)
    expect(((await response.json()) as { results: unknown[] }).results).toHaveLength(5)
    return Number(/dur=([\d.]+)/.exec(response.headers.get('server-timing') ?? '')?.[1])
  }
  const plain = await ask('sorted_by=best')
  const [newest, best] = [await ask('search=github'), await ask('search=github&sorted_by=best')]
  // A look into the index for each row took seconds.
  expect(Math.max(newest, best)).toBeLessThan(20 * plain + 300)
})

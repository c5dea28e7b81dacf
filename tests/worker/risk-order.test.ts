import { expect, test } from 'vitest'
import { verdictRank, type RunVerdict } from '../../worker/domain/versions/verdict'
import { listVulns } from '../../worker/vulns/contract'
import { eachTest } from './support/each-test'
import { fillLargeBase } from './support/large-base'
import { anOrg, rows } from './support/org'
import { insertVuln } from './support/public-rows'
import { aWorld } from './support/world'

const world = eachTest(() => aWorld({ METER: '1' }))

const rowsRead = ({ headers }: Response) => Number(/ read=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1])
const watch = (org_id: number, vuln_id: number, verdict: RunVerdict | null) =>
  world.sql`INSERT INTO org_vulns(org_id, vuln_id, touched, verdict)
    VALUES (${org_id}, ${vuln_id}, 0, ${verdict && verdictRank(verdict)})`

const kev = { is_in_the_wild: 1, kev_added_at: '2026-01-01' }

test('by risk come exploited ones that affect us first, then those that may, and unmonitored ones last', async () => {
  const { call, org_id } = await anOrg({ world })
  const expected: number[] = []
  const add = async (verdict: RunVerdict | null | undefined, columns: Record<string, string | number | null>) => {
    const { id } = await insertVuln(world, { score: 50, ...columns })
    if (verdict !== undefined) await watch(org_id, id, verdict)
    expected.push(id)
  }
  await add('confirmed', { ...kev, kev_ransomware: 1, kev_due_at: '2026-06-01', score: 10 })
  await add('likely', { ...kev, kev_due_at: '2026-02-01' })
  await add('confirmed', { ...kev, kev_due_at: '2026-03-01' })
  await add('confirmed', { ...kev, epss: 0.2 })
  await add('confirmed', { is_in_the_wild: 1, epss: 0.1 })
  await add('unknown', { ...kev, kev_ransomware: 1, kev_due_at: '2026-01-02', score: 99 })
  await add(null, { ...kev, kev_due_at: '2026-01-03' })
  await add('confirmed', { epss: 0.9, score: 20 })
  await add('likely', { epss: 0.1, score: 80 })
  await add('likely', { epss: 0.1, score: 70 })
  await add(null, { epss: 0.95, score: 100 })
  await add(null, { epss: null, score: null })
  await add('not_affected', kev)
  await add(undefined, { ...kev, kev_ransomware: 1, epss: 0.99, score: 100 })
  await add(undefined, { score: 90 })

  for (const sorted_by of ['risk', '-risk'] as const) {
    const { results } = await call(listVulns, { query: { sorted_by, search: 'flaw' } })
    expect(results.map(({ id }) => id)).toEqual(expected)
  }
  const second = await call(listVulns, { query: { sorted_by: 'risk', monitored: true, page: 2, limit: 5 } })
  expect(second.results.map(({ id }) => id)).toEqual(expected.slice(5, 10))

  const other = await anOrg({ world })
  const theirs = await other.call(listVulns, { query: { sorted_by: 'risk', limit: 1 } })
  expect(theirs.results.map(({ id }) => id)).toEqual([expected[5]])
})

test('risk stands alone or first among several keys', async () => {
  const { answer } = await anOrg({ world })
  const statuses = [{ sorted_by: 'risk' }, { sorted_by: 'score', then_by: 'risk' }].map(
    async (query) => (await answer(listVulns, { query: query as never })).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 400])
})

test('of a long list the exploited come first, then the others by score, page by page and from few rows', async () => {
  await fillLargeBase(world)
  const { answer, org_id } = await anOrg({ world })
  await world.sql`INSERT INTO org_vulns(org_id, vuln_id, touched, verdict)
    SELECT ${org_id}, id, updated_at, id % 4 FROM vulns WHERE id % 3 = 0`
  for (const query of [{ monitored: true }, { monitored: true, q: 'NOT status:fixed NOT snoozed' }, {}]) {
    const seen: { id: number; score: number | null; is_in_the_wild: boolean }[] = []
    for (const page of [1, 2, 3]) {
      const response = await answer(listVulns, {
        query: { ...query, sorted_by: 'risk', page, limit: 25, count: 'quick' },
      })
      expect(rowsRead(response)).toBeLessThan(10_000)
      seen.push(...((await response.json()) as { results: typeof seen }).results)
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(75)
    const wild = seen.filter(({ is_in_the_wild }) => is_in_the_wild)
    const [{ count } = { count: 0 }] = await rows<{ count: number }>(
      world.env,
      `SELECT count(*) AS count FROM vulns WHERE is_in_the_wild = 1 ${'monitored' in query ? 'AND id % 3 = 0' : ''}`,
    )
    expect(wild.length).toBe(Math.min(count, 75))
    expect(seen.slice(0, wild.length)).toEqual(wild)
    const scores = seen.slice(wild.length).map(({ score }) => score ?? 0)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  }
}, 60_000)

test('an order by a flag that all have reads what fits, and not the whole list', async () => {
  await fillLargeBase(world)
  const { answer } = await anOrg({ world })
  await world.sql`UPDATE vulns SET is_in_the_wild = 1, kev_added_at = '2026-01-01' WHERE id % 6 = 0`
  const response = await answer(listVulns, { query: { q: 'kev', sorted_by: 'is_in_the_wild', limit: 25 } })
  expect(rowsRead(response)).toBeLessThan(10_000)
  const oldest = await world.sql<{ id: number }>`SELECT id FROM vulns WHERE kev_added_at IS NOT NULL
    ORDER BY updated_at, id LIMIT 25`
  const { results } = (await response.json()) as { results: { id: number }[] }
  expect(results.map(({ id }) => id)).toEqual(oldest.map(({ id }) => id))
}, 60_000)

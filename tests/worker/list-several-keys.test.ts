import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listVulns, vulnSorts } from '../../worker/vulns/contract'
import { fillDifferential, readScanned } from './support/differential-base'
import { anOrg } from './support/org'
import type { Scanned } from './support/plain-scan'
import { aWorld } from './support/world'

const sort = fc.record({ name: fc.constantFrom(...vulnSorts), isDescending: fc.boolean() })
type Sort = { name: (typeof vulnSorts)[number]; isDescending: boolean }

// Without a filter, and with filters that are read in other ways: from links, from words, from an index.
const queries: [q: string, holds: (vuln: Scanned) => boolean][] = [
  ['', () => true],
  ['vendor:vendor_5', ({ vendors }) => vendors.some(({ name }) => name === 'vendor_5')],
  ['rare', ({ summary }) => String(summary).includes('rare')],
  ['kev:true', ({ kev_added_at }) => kev_added_at !== null],
  ['score>60', ({ score }) => Number(score) > 60],
]

const compareValues = (a: unknown, b: unknown) => {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return typeof a === 'string' ? (a < String(b) ? -1 : 1) : Number(a) - Number(b)
}
const compareBy = (sorts: Sort[]) => (a: Scanned, b: Scanned) => {
  for (const { name, isDescending } of sorts) {
    const order = compareValues(a[name], b[name])
    if (order) return isDescending ? -order : order
  }
  return 0
}

test('a list honours each of several keys, or says which one it cannot', { timeout: 120_000 }, async () => {
  const world = aWorld()
  const { call, answer, org_id } = await anOrg({ world })
  await fillDifferential(world, org_id)
  const scanned = (await readScanned(world, org_id)).filter(
    (vuln) => (vuln.org_id === null || vuln.org_id === org_id) && vuln.state !== 'rejected',
  )
  const sample = fc.record({
    query: fc.constantFrom(...queries),
    sorts: fc.array(sort, { minLength: 2, maxLength: 3 }),
    page: fc.constantFrom(1, 2, 9),
  })
  const refused: string[] = []
  for (const { query, sorts, page } of fc.sample(sample, { numRuns: 150, seed: 20_261_122 })) {
    const [q, holds] = query
    const sorted_by = sorts.map(({ name, isDescending }) => (isDescending ? '-' : '') + name).join()
    const response = await answer(listVulns, { query: { q, sorted_by, page, limit: 20 } })
    if (response.status === 400) {
      refused.push(`${q} ${sorted_by}`)
      continue
    }
    const { results } = (await response.json()) as { results: { id: number }[] }
    const [{ isDescending }] = sorts as [Sort]
    const expected = scanned
      .filter((vuln) => holds(vuln))
      .toSorted(compareBy([...sorts, { name: 'id', isDescending }]))
      .slice((page - 1) * 20, page * 20)
    const shown = (id: number) => sorts.map(({ name }) => scanned.find((vuln) => vuln.id === id)?.[name])
    expect([q, sorted_by, page, results.map(({ id }) => shown(id))]).toEqual([
      q,
      sorted_by,
      page,
      expected.map(({ id }) => shown(id)),
    ])
  }
  // Only orders with thousands of equal first keys, or of those behind a flag, and without a narrow filter are refused.
  expect(refused.filter((one) => !/^(score>60)? (-?is_\w+,)?-?exploit_count/.test(one))).toEqual([])
  const message = 'More than 5000 vulnerabilities are alike in exploit_count: filter the list, or sort it by one field'
  const response = await answer(listVulns, { query: { sorted_by: 'exploit_count,-score' } })
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ issues: [{ path: ['sorted_by'], message }] }),
  ])
  expect(
    (await call(listVulns, { query: { sorted_by: '-exploit_count,-score' as '-exploit_count' } })).results.length,
  ).toBe(20)
})

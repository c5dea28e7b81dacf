import { expect, test } from 'vitest'
import { listPackages } from '../../worker/packages/contract'
import { listProducts, listVendors } from '../../worker/kb/contract'
import { fillOnce } from './support/fill-once'
import { fillLargeBase } from './support/large-base'
import { anOrg, rows } from './support/org'
import { aWorld, type World } from './support/world'

let world: World
let ours: Awaited<ReturnType<typeof anOrg>>
fillOnce(async () => {
  world = aWorld()
  await fillLargeBase(world)
  await world.sql`UPDATE vulns SET score = NULL, cvss = NULL WHERE id % 3 = 0`
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)'
  for (const sql of [
    "vendors(id, name, updated_at) SELECT i, 'many_' || i, '' FROM n",
    "packages(id, type, name, updated_at) SELECT i, 'npm', 'many_' || i, '' FROM n",
    "products(id, vendor_id, vendor, name, updated_at) SELECT i, 1, 'vendor_1', 'many_' || i, '' FROM n",
  ])
    await rows(world.env, `${numbers} INSERT INTO ${sql}`)
  ours = await anOrg({ world })
})

type Row = { id: number; score?: number | null }
type Page = { count: number; count_is_exact: boolean; next: string | null; results: Row[] }

type Counted = { count: number; count_is_exact: boolean; next: number | null }

const ask = async <Answer = Page>(path: string) =>
  (await (await world.request(path, { headers: { authorization: `JWT ${ours.access}` } })).json()) as Answer

/** As the command line does: it counts the pages up until there is no next one. */
async function readByNumber(path: string) {
  const ids: number[] = []
  for (let number = 1; ; number++) {
    const { results, next } = await ask(`${path}&page=${number}`)
    ids.push(...results.map(({ id }) => id))
    if (next === null) return ids
    if (number > 200) throw new Error(`${path} has no end`)
  }
}

/** As scripts do: they follow the links. */
async function readByLink(path: string) {
  const ids: number[] = []
  for (let url: string | null = path; url;) {
    const { results, next }: Page = await ask(url)
    ids.push(...results.map(({ id }) => id))
    url = next
  }
  return ids
}

/** A count of all, or at least so many as the page shows where its rows do not tell. */
function expectTrue({ count, count_is_exact, results }: Page, fitting: number) {
  if (count_is_exact) expect(count).toBe(fitting)
  else expect([count >= results.length, count <= fitting]).toEqual([true, true])
}

const vulnLists: [query: string, where: string][] = [
  ['search=flaw&score__gte=0&score__lte=100&exploit_count__gte=1', "summary LIKE '%flaw%' AND exploit_count >= 1"],
  [
    'search=flaw&score__gte=40&score__lte=60&sorted_by=-score,cveid',
    "summary LIKE '%flaw%' AND score BETWEEN 40 AND 60",
  ],
  ['search=flaw&sorted_by=relevance&access_vector=LOCAL', "summary LIKE '%flaw%' AND access LIKE 'L%'"],
  ['access_vector=NETWORK&impact_confidentiality=COMPLETE', "access LIKE 'N%' AND impact LIKE 'C%'"],
  [
    'vendor_name=vendor_3&score__lte=50',
    'score <= 50 AND id IN (SELECT vuln_id FROM vuln_products WHERE vendor_id = 3)',
  ],
  ['sorted_by=-is_exploitable,-score&cvss3__gte=5', 'cvss3 >= 5'],
]

test.each(vulnLists)(
  'every vulnerability of ?%s can be paged to, by number and by link',
  async (query, where) => {
    const fitting = await rows<{ id: number }>(world.env, `SELECT id FROM vulns WHERE ${where} ORDER BY id`)
    expect(fitting.length).toBeGreaterThan(100)
    const expected = fitting.map(({ id }) => id)
    const path = `/api/vulns/?limit=100&${query}`
    const byNumber = await readByNumber(path)
    expect(byNumber.toSorted((a, b) => a - b)).toEqual(expected)
    expect(await readByLink(path)).toEqual(byNumber)
    expectTrue(await ask(path), expected.length)
  },
  60_000,
)

test('a list sorted by several keys is sorted by each of them', async () => {
  const sorted = await ask('/api/vulns/?limit=100&sorted_by=-score,cvss3,-id&search=flaw')
  const plain = await world.sql<{ id: number }>`SELECT id FROM vulns WHERE summary LIKE '%flaw%'
    ORDER BY score DESC, cvss3, id DESC LIMIT 100`
  expect(sorted.results.map(({ id }) => id)).toEqual(plain.map(({ id }) => id))
}, 60_000)

test('a count alone is true to 10,000, and says so beyond', async () => {
  expect(await ask('/api/vulns/count?search=flaw')).toMatchObject({ count: 10_000, count_is_exact: false })
  const both = 'is_exploitable=false&access_vector=NETWORK'
  const [{ found }] = (await world.sql`SELECT count(*) AS found FROM vulns WHERE NOT is_exploitable
    AND access LIKE 'N%'`) as [{ found: number }]
  expectTrue(await ask(`/api/vulns/?${both}&limit=5`), found)
}, 60_000)

test.each([
  ['is_exploitable=false&access_vector=NETWORK', "NOT is_exploitable AND access LIKE 'N%'"],
  ['search=flaw&cvss3__gte=6', "summary LIKE '%flaw%' AND cvss3 >= 6"],
  ['q=NOT score>=50 NOT kev', 'coalesce(score, 0) < 50 AND kev_added_at IS NULL'],
  ['q=severity:critical published>=1990', 'coalesce(cvss4, cvss3) >= 9 AND published IS NOT NULL'],
])(
  'a count that goes on in steps is exact: %s',
  async (query, where) => {
    const [{ found }] = (await rows(world.env, `SELECT count(*) AS found FROM vulns WHERE ${where}`)) as [
      { found: number },
    ]
    let [count, steps, after]: [number, number, number | null] = [0, 0, 0]
    for (; after !== null; steps++) {
      const step: Counted = await ask(`/api/vulns/count?${query}&after=${after}`)
      expect(step.next === null ? step.count_is_exact : !step.count_is_exact).toBe(true)
      ;[count, after] = [count + step.count, step.next]
    }
    expect([count, steps > 1]).toEqual([found, true])
  },
  60_000,
)

test.each([listVendors, listProducts, listPackages].map(({ path }) => path))(
  'every name that %s finds can be paged to',
  async (path) => {
    for (const filter of ['search=many', 'name__icontains=MANY', 'search=ma']) {
      const found = await readByNumber(`${path}?limit=100&${filter}`)
      expect([filter, new Set(found).size]).toEqual([filter, 2_000])
      expectTrue(await ask(`${path}?limit=5&${filter}`), 2_000)
    }
  },
  60_000,
)

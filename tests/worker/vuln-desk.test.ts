import { expect, test } from 'vitest'
import { listVulns, vulnCount } from '../../worker/vulns/contract'
import { eachTest } from './support/each-test'
import { catchUp } from './support/catch-up'
import { fillLargeBase, total } from './support/large-base'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'

const world = eachTest(() => aWorld({ METER: '1' }))

const singleFilter = 6_100
const most = 20_000

const rowsRead = ({ headers }: Response) => Number(/ read=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1])

test('default lists read 200 rows, searches 3,100, other single filters 6,100, and none more than 20,000', async () => {
  await fillLargeBase(world)
  const { answer, org_id } = await anOrg({ world })
  await world.sql`INSERT INTO monitored_products(org_id, product_id, is_monitored, created_at)
    SELECT ${org_id}, id, 1, '' FROM products WHERE id <= 12`
  await world.sql`INSERT INTO monitored_vendors(org_id, vendor_id, created_at) VALUES (${org_id}, 50, '')`
  await catchUp(world)
  await world.sql`INSERT INTO decisions(org_id, vuln_id, scope, verdict, decided_at)
    SELECT ${org_id}, id, 'vulnerability', 'fixed', '' FROM vulns WHERE id % 400 = 1`
  const screens: Record<string, unknown>[] = [
    {},
    { monitored: true },
    { vendor: 3 },
    { product: 5 },
    { vendor_name: 'vendor_3' },
    { product_name: 'product_5' },
    { cpe: 'cpe:2.3:a:vendor_3' },
    { kev: true },
    { is_exploitable: true },
    { cveid: 'CVE-2024-100007' },
    { score__gte: 50 },
    { score__gte: 60, score__lte: 70 },
    { score__gte: 99 },
    { updated_at__gte: '2023-11-20' },
  ]
  const filters: Record<string, unknown>[] = [
    { sorted_by: '-score' },
    { sorted_by: '-cvss3' },
    { sorted_by: 'cveid' },
    { sorted_by: '-published' },
    { sorted_by: '-epss' },
    { sorted_by: '-is_in_the_wild' },
    { sorted_by: '-exploit_count' },
    { monitored: false },
    { kev: false },
    { is_exploitable: false },
    { is_in_the_news: true },
    { is_in_the_wild: true },
    { is_confirmed: true },
    { exploit_count__gte: 1 },
    { exploit_count: 2 },
    { exploit_count__lte: 3 },
    { cwe_id: 'CWE-7' },
    { score__gt: 0 },
    { score: 7 },
    { cvss__lte: 0.1 },
    { cvss3__gte: 9 },
    { cvss3__gt: 9.3 },
    { cvss3: 9.3 },
    { cvss4__lt: 4 },
    { epss__gte: 0.5 },
    { epss__gt: 0.001, epss__lte: 0.35 },
    { epss_percentile__gte: 0.99 },
    { epss_percentile__gte: 0.5 },
    { composite_probability__gte: 0.9 },
    { published__date__gte: '2023-01-01' },
    { published__date: '2021-02-03' },
    { published__gte: '2021-01-01', published__lt: '2021-07-01' },
    { published__lte: '2021-12-31' },
    { access_vector: 'NETWORK' },
    { access_vector: 'ADJACENT_NETWORK' },
    { access_complexity: 'HIGH' },
    { access_authentication: 'NONE' },
    { impact_confidentiality: 'PARTIAL' },
    { cvss_vector__icontains: 'AV:N' },
    { cvss_vector__icontains: 'au:m' },
    { cvss_vector: 'AV:A/AC:H/Au:M/C:P/I:C/A:P' },
    { cvss3_vector__contains: 'PR:N' },
    { cvss3_vector__contains: 'AV:P' },
    { cvss3_vector__icontains: 'pr:h/ui:n' },
    { cvss3_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
    { cvss3_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:U/RL:O/RC:C' },
    { cvss3_vector__contains: 'foo' },
    { status: 'fixed' },
    { status: 'undefined' },
    { vendor_name__icontains: 'endor_' },
    { product_name__icontains: 'duct_1' },
    { summary__icontains: 'flaw' },
    { cveid__icontains: '2024' },
    { search: 'flaw' },
  ]
  const searches = ['rare', 'rare hole', 'a', 'CVE-2024-100007', 'nothing', 'flaw', 'flaw kind']
  const queries: [Record<string, unknown>, number][] = [
    ...screens.map((query): [Record<string, unknown>, number] => [query, 200]),
    ...searches.map((search): [Record<string, unknown>, number] => [{ search, sorted_by: 'relevance' }, 3_100]),
    ...filters.map((query): [Record<string, unknown>, number] => [query, singleFilter]),
  ]
  const over: string[] = []
  for (const [query, limit] of queries) {
    const page = rowsRead(await answer(listVulns, { query: { limit: 10, count: 'quick', ...query } }))
    if (!(page <= limit)) over.push(`${JSON.stringify(query)}: ${page} rows, at most ${limit}`)
    const whole = rowsRead(await answer(listVulns, { query: { limit: 10, ...query } }))
    if (!(whole <= singleFilter)) over.push(`with its count, ${JSON.stringify(query)}: ${whole} rows`)
    const counted = rowsRead(await answer(vulnCount, { query: { ...query, sorted_by: undefined } }))
    if (!(counted <= most)) over.push(`count of ${JSON.stringify(query)}: ${counted} rows, at most ${most}`)
  }
  expect(over).toEqual([])
}, 60_000)

test('a range lists all that fit and nothing else, newest first, page by page, and counts them', async () => {
  await fillLargeBase(world)
  const { call, org_id } = await anOrg({ world })
  const own =
    'INSERT INTO vulns(id, org_id, cveid, state, summary, published, cvss, cvss3, score, epss, access, impact, created_at, updated_at)'
  for (const [id, owner] of [
    [90_001, org_id],
    [90_002, org_id + 1],
  ])
    await rows(
      world.env,
      `${own} VALUES (?1, ?2, ?3, 'published', 'own', 1620000000, 9.3, 9.3, 65, 0.0012, 'ALN', 'CCC', 1700000000, 1700003000)`,
      id,
      owner,
      `ORG-${owner}-x`,
    )
  await world.sql`UPDATE vulns SET state = 'rejected' WHERE id % 501 = 0`
  await world.sql`UPDATE vulns SET exploit_count = 150 + id % 3 WHERE id % 997 = 0`
  await world.sql`INSERT INTO monitored_vendors(org_id, vendor_id, created_at) SELECT ${org_id}, id, ''
    FROM vendors WHERE name = 'vendor_7'`
  await catchUp(world)
  const linked = (vendor: string) =>
    `id IN (SELECT l.vuln_id FROM vuln_products l JOIN vendors v ON v.id = l.vendor_id WHERE v.name = '${vendor}')`
  const first = Date.parse('2021-02-01') / 1000
  const asked: [Record<string, string | number>, string][] = [
    [{ score__gte: 60, score__lte: 70 }, 'score BETWEEN 60 AND 70'],
    [{ score__gt: 64.5, score__lt: 66 }, 'score = 65'],
    [{ score: 65 }, 'score = 65'],
    [{ score__lt: 0 }, '0'],
    [{ cvss__gte: 9.3 }, 'cvss >= 9.3'],
    [{ cvss__gt: 9.3 }, 'cvss > 9.3'],
    [{ cvss3__lte: 0.7 }, 'cvss3 <= 0.7'],
    [{ cvss3__lt: 0.7 }, 'cvss3 < 0.7'],
    [{ cvss3: 9.3 }, 'cvss3 = 9.3'],
    [{ cvss4__gte: 4.15 }, 'cvss4 >= 4.2'],
    [{ epss__gte: 0.985 }, 'epss >= 0.985'],
    [{ epss__gt: 0.001, epss__lte: 0.0035 }, 'epss > 0.001 AND epss <= 0.0035'],
    [{ epss__lt: 0.0095 }, 'epss < 0.0095'],
    [{ epss_percentile__gte: 0.985 }, 'epss_percentile >= 0.985'],
    [{ q: 'percentile:98%..98.7%' }, 'epss_percentile BETWEEN 0.98 AND 0.987'],
    [{ exploit_count__gte: 4 }, 'exploit_count >= 4'],
    [{ exploit_count__gt: 150, exploit_count__lte: 152 }, 'exploit_count IN (151, 152)'],
    [{ exploit_count__lte: 1 }, 'exploit_count <= 1'],
    [
      { published__gte: '2021-02-01', published__lt: '2021-06-01' },
      `published >= ${first} AND published < ${first + 120 * 86_400}`,
    ],
    [{ published__lt: '2021-02-01' }, `published < ${first}`],
    [{ published__date: '2021-02-01' }, `published >= ${first} AND published < ${first + 86_400}`],
    [{ access_vector: 'ADJACENT_NETWORK' }, "access LIKE 'A%'"],
    [{ impact_confidentiality: 'COMPLETE' }, "impact LIKE 'C%'"],
    [{ q: 'vendor:vendor_3 OR kev' }, `${linked('vendor_3')} OR kev_added_at IS NOT NULL`],
    [{ q: 'vendor:vendor_3 OR vendor:vendor_4' }, `${linked('vendor_3')} OR ${linked('vendor_4')}`],
    [
      { q: 'score>=50 AND (wild OR news OR exploitable OR confirmed OR vendor:vendor_9 OR kev) AND NOT exploitable' },
      `score >= 50 AND NOT is_exploitable AND (is_in_the_wild OR is_in_the_news OR is_confirmed OR kev_added_at IS NOT NULL OR ${linked('vendor_9')})`,
    ],
    [
      { q: 'vendor:vendor_3 AND product:product_2 AND NOT kev' },
      `${linked('vendor_3')} AND kev_added_at IS NULL AND id IN (SELECT vuln_id FROM vuln_products WHERE product_id = 2)`,
    ],
    [{ q: 'kev OR score>=99' }, 'kev_added_at IS NOT NULL OR score >= 99'],
    [{ q: '(kev OR monitored) AND score<50' }, `score < 50 AND (kev_added_at IS NOT NULL OR ${linked('vendor_7')})`],
    [{ search: 'rare', vendor_name: 'vendor_50' }, `summary LIKE '%rare%' AND ${linked('vendor_50')}`],
    [{ cvss3_vector__contains: 'PR:N' }, "cvss3_vector LIKE '%PR:N%'"],
    [{ cvss3_vector__contains: 'av:p' }, '0'],
    [{ cvss3_vector__icontains: 'c:h/i:h/a:l' }, "cvss3_vector LIKE '%A:L'"],
    [{ cvss3_vector: 'CVSS:3.1/AV:P/AC:H/PR:H/UI:N/S:C/C:H/I:H/A:L' }, "cvss3_vector LIKE '%AV:P%'"],
    [{ cvss_vector__icontains: 'au:m' }, "cvss_vector LIKE '%Au:M%'"],
    [{ cvss_vector__contains: 'AV:N' }, "cvss_vector LIKE 'AV:N%'"],
  ]
  for (const [query, where] of asked) {
    const fitting = await rows<{ id: number }>(
      world.env,
      `SELECT id FROM vulns WHERE (${where}) AND state <> 'rejected' AND (org_id IS NULL OR org_id = ?1) ORDER BY updated_at DESC, id DESC`,
      org_id,
    )
    for (const page of [1, 3]) {
      const { results } = await call(listVulns, { query: { ...query, limit: 20, page } })
      const expected = fitting.slice((page - 1) * 20, page * 20).map(({ id }) => id)
      expect([query, page, results.map(({ id }) => id)]).toEqual([query, page, expected])
    }
    const { count } = await call(vulnCount, { query })
    expect([query, count]).toEqual([query, Math.min(fitting.length, 10_000)])
  }
}, 60_000)

test('a list by a vector or a text in it, in whatever order and whatever follows, is what a plain look finds', async () => {
  await fillLargeBase(world)
  const { answer, call } = await anOrg({ world })
  const one = (letters: string, by: number) => `substr('${letters}', 1 + id / ${by} % ${letters.length}, 1)`
  const base = `'/AV:' || ${one('NNAL', 5)} || '/AC:' || ${one('LH', 3)} || '/PR:' || ${one('NLH', 7)} || '/UI:' || ${one('NR', 2)} || '/S:' || ${one('UC', 4)} || '/C:' || ${one('HHN', 11)}`
  await rows(world.env, `UPDATE vulns SET cvss3_vector = 'CVSS:3.' || ${one('01', 1)} || ${base} || '/I:H/A:H'`)
  const odd: [number, string][] = [
    [11, "cvss3_vector || '/E:U/RL:O/RC:C'"],
    [13, "cvss3_vector || '/E:H'"],
    [17, "cvss3_vector || '/MAV:L/MC:H/MI:H'"],
    [19, "'CVSS:3.1/AC:L/AV:N/A:H/C:N/I:H/PR:N/S:U/UI:N'"],
    [23, "'AV:N/AC:L'"],
    [29, "''"],
    [31, 'NULL'],
  ]
  for (const [each, vector] of odd)
    await rows(world.env, `UPDATE vulns SET cvss3_vector = ${vector} WHERE id % ${each} = 0`)
  const whole = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:H'
  const [{ found }] = (await world.sql`SELECT count(*) AS found FROM vulns WHERE cvss3_vector = ${whole}`) as [
    { found: number },
  ]
  expect(found).toBeGreaterThan(20)
  const equal = [
    whole,
    `${whole}/E:H`,
    'CVSS:3.1/AC:L/AV:N/A:H/C:N/I:H/PR:N/S:U/UI:N',
    'AV:N/AC:L',
    whole.toLowerCase(),
  ]
  const parts = [
    'AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:H',
    '/AC:H/PR:L',
    'AV:A/AC:L/',
    'CVSS:3.0/AV:A',
    'C:H/I:H',
    '/S:C/C:N/I:H',
    'AC:L/AV:N',
    'A:H/E:U',
    'MC:H/MI:H',
    'RL:O',
    'E:H',
    'R:N/U',
    'L',
    'foo',
  ]
  const asked: [Record<string, string>, string, string][] = [
    ...equal.map((text): [Record<string, string>, string, string] => [
      { cvss3_vector: text },
      'cvss3_vector = ?1',
      text,
    ]),
    ...parts.flatMap((text): [Record<string, string>, string, string][] => [
      [{ cvss3_vector__contains: text }, 'instr(cvss3_vector, ?1) > 0', text],
      [{ cvss3_vector__icontains: text.toLowerCase() }, 'instr(lower(cvss3_vector), ?1) > 0', text.toLowerCase()],
    ]),
  ]
  for (const [query, where, text] of asked) {
    const fitting = await rows<{ id: number }>(
      world.env,
      `SELECT id FROM vulns WHERE ${where} ORDER BY updated_at DESC, id DESC LIMIT 20`,
      text,
    )
    const { results } = await call(listVulns, { query: { ...query, limit: 20 } })
    expect([query, results.map(({ id }) => id)]).toEqual([query, fitting.map(({ id }) => id)])
    const page = { ...query, limit: 20 }
    const read = rowsRead(await answer(listVulns, { query: { ...page, count: 'quick' } }))
    expect([query, read <= most || read]).toEqual([query, true])
    const readWhole = rowsRead(await answer(listVulns, { query: page }))
    expect([query, readWhole <= most || readWhole]).toEqual([query, true])
  }
  const both = { q: 'cvss3_vector:"AV:N/AC:L" AND cvss3_vector:"E:H"' }
  const { results } = await call(listVulns, { query: both })
  expect(results.length).toBeGreaterThan(5)
  for (const { cvss3_vector } of results) expect(cvss3_vector).toMatch(/AV:N\/AC:L.*E:H/)
}, 60_000)

test('a search for a common word gives the newest, and says that there are more', async () => {
  await fillLargeBase(world)
  const { call } = await anOrg({ world })
  const found = await call(listVulns, { query: { search: 'flaw', sorted_by: '-id' } })
  expect(found.results[0]?.id).toBe(total - 1)
  expect(found.count_is_exact).toBe(false)
  const rare = await call(listVulns, { query: { search: 'rare', kev: true } })
  expect(rare).toMatchObject({ count: 10, count_is_exact: true })
  const common = await call(listVulns, { query: { search: 'flaw', q: 'score>100' } })
  expect(common).toMatchObject({ count: 0, results: [] })
}, 60_000)

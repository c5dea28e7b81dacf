import { csvParse } from 'd3-dsv'
import { expect, test } from 'vitest'
import { askVersion, searchAll, searchTarget } from '../../worker/search/contract'
import { exportVulns, listVulns, toggleVulns } from '../../worker/vulns/contract'
import { eachTest } from './support/each-test'
import { catchUp } from './support/catch-up'
import { sayIn } from './support/say'
import { fillLargeBase } from './support/large-base'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'

const world = eachTest(() => aWorld({ METER: '1' }))

test('the list is exported as it is filtered and sorted, at most 10,000 rows, and no cell is a formula', async () => {
  await fillLargeBase(world)
  const { answer } = await anOrg({ world })
  // Marks that turn the direction of text are left out, and hide no sign.
  await world.sql`UPDATE vulns SET summary = char(8238) || summary WHERE id = 400`
  await world.sql`UPDATE vulns SET summary = 'a;=cmd();b rare ; -hole' WHERE id = 800`
  const rare = { q: 'rare', sorted_by: 'id' }
  const csv = await answer(exportVulns, { params: { format: 'csv' }, query: rare })
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(csv.headers.get('content-disposition')).toMatch(/^attachment; filename="earshot_vulns_\d{4}-\d\d-\d\d\.csv"$/)
  const lines = csvParse(await csv.text())
  expect(lines).toHaveLength(30)
  expect(lines[0]).toMatchObject({ id: 'PH-400', cveid: 'CVE-2024-100400', summary: "'=cmd() a rare hole 400" })
  // Where a comma is for decimals, a semicolon begins a cell.
  expect(lines.map(({ summary }) => summary)).toContain("a;'=cmd();b rare ; -hole")

  const json = await answer(exportVulns, { params: { format: 'json' }, query: rare })
  const read = (await json.json()) as { id: number; summary: string }[]
  expect(read.map(({ id }) => id)).toEqual(lines.map(({ id }) => Number(id?.slice(3))))
  expect(read[0]?.summary).toBe('=cmd() a rare hole 400')

  const all = (await (await answer(exportVulns, { params: { format: 'json' } })).json()) as { id: number }[]
  expect(new Set(all.map(({ id }) => id)).size).toBe(10_000)
  const search = async (query: Record<string, unknown>) =>
    (await answer(exportVulns, { params: { format: 'json' }, query: { search: 'flaw of kind 7', ...query } })).json()
  const [{ seven, high }] = (await world.sql`SELECT count(*) AS seven, sum(score >= 50) AS high FROM vulns
    WHERE summary = 'A flaw of kind 7'`) as [{ seven: number; high: number }]
  expect(await search({})).toHaveLength(seven)
  expect(await search({ search: 'flaw' })).toHaveLength(10_000)
  expect(await search({ score__gte: 50 })).toHaveLength(high)
  const none = await answer(exportVulns, { params: { format: 'json' }, query: { q: 'score>100' } })
  expect(await none.json()).toEqual([])
  expect((await answer(exportVulns, { params: { format: 'xml' } })).status).toBe(400)
  expect((await answer(exportVulns, { params: { format: 'csv' }, query: { q: 'x:1' } })).status).toBe(400)
}, 60_000)

test('several vulnerabilities are monitored at once; unknown ones and those private elsewhere are passed over', async () => {
  await fillLargeBase(world)
  const [ours, theirs] = [await anOrg({ world }), await anOrg({ world })]
  await world.sql`INSERT INTO vulns(id, org_id, state, summary, created_at, updated_at)
    VALUES (99999, ${theirs.org_id}, 'published', 'theirs', unixepoch('2026-01-01'), unixepoch('2026-01-01'))`
  const ids = [3, 5, 5, 99_999, 1_234_567]
  expect(await ours.call(toggleVulns, { body: { ids, monitored: true } })).toEqual({ monitored: true, set: [3, 5] })
  const monitored = async ({ call }: typeof ours) =>
    (await call(listVulns, { query: { monitored: true } })).results.map(({ id }) => id).toSorted((a, b) => a - b)
  expect([await monitored(ours), await monitored(theirs)]).toEqual([[3, 5], []])
  expect(await ours.call(toggleVulns, { body: { ids: [3], monitored: false } })).toEqual({ monitored: false, set: [3] })
  expect(await monitored(ours)).toEqual([5])
  const tooMany = Array.from({ length: 101 }, (_, at) => at + 1)
  for (const body of [
    { ids: [], monitored: true },
    { ids: tooMany, monitored: true },
    { ids: [1] },
    { ids: [1], monitored: true, organization_id: theirs.org_id },
  ])
    expect((await ours.answer(toggleVulns, { body })).status).toBeGreaterThanOrEqual(400)
}, 60_000)

test('the search over everything tells of which type each hit is, and shows nothing private', async () => {
  const [ours, theirs] = [await anOrg({ world }), await anOrg({ world })]
  const at = '2026-01-01T00:00:00Z'
  await rows(
    world.env,
    `INSERT INTO vulns(id, cveid, state, summary, created_at, updated_at) VALUES (1, 'CVE-2026-11111', 'published', 'zanzibar flaw', unixepoch('${at}'), unixepoch('${at}'))`,
  )
  await rows(
    world.env,
    `INSERT INTO exploits(vuln_id, org_id, source, key, link, notes, trust_level, availability, maturity, modified) VALUES (1, NULL, 'metasploit', 'msf:a', 'https://x.example/a', 'zanzibar module', 'high', 'public', 'functional', '${at}')`,
  )
  await rows(
    world.env,
    `INSERT INTO exploits(vuln_id, org_id, source, key, link, notes, trust_level, availability, maturity, modified) VALUES (1, ?1, 'manual', 'b', 'https://x.example/b', 'zanzibar secret', 'high', 'public', 'functional', '${at}')`,
    theirs.org_id,
  )
  await catchUp(world)
  const found = async ({ call }: typeof ours, query: string) =>
    (await call(searchAll, { params: { query } })).map(({ type }) => type)
  expect(await found(ours, 'zanzibar')).toEqual(['vuln', 'exploit'])
  expect(await found(theirs, 'zanzibar')).toEqual(['vuln', 'exploit', 'exploit'])
  expect(await ours.call(searchAll, { params: { query: 'zanzibar' }, query: { limit: 1 } })).toHaveLength(1)
  for (const query of ['"%', "'; --", 'AND', 'C%2B%2B', '%F0%9F%99%88', 'x'.repeat(9_000), '%00', 'NEAR('])
    expect([query, (await ours.answer(searchAll, { params: { query } })).status]).toEqual([query, 200])
})

test('an id, another id, a CPE name and a purl lead to what they name', async () => {
  const { call, answer } = await anOrg({ world })
  const at = '2026-01-01T00:00:00Z'
  await rows(
    world.env,
    `INSERT INTO vulns(id, cveid, state, summary, created_at, updated_at) VALUES (7, 'CVE-2026-11111', 'published', '', unixepoch('${at}'), unixepoch('${at}'))`,
  )
  await world.sql`INSERT INTO vulns(id, cveid, state, summary, created_at, updated_at)
    VALUES (9, 'GHSA-aaaa-bbbb-cccc', 'published', '', 1, 1)`
  await world.sql`INSERT INTO vuln_aliases(alias, vuln_id)
    VALUES ('GHSA-jfh8-c2jp-5v3q', 7), ('RHSA-2026:0001', 7), ('PYSEC-2026-1', 9)`
  await world.sql`INSERT INTO vendors(id, name, updated_at) VALUES (1, 'apache', '')`
  await world.sql`INSERT INTO products(id, vendor_id, vendor, name, updated_at)
    VALUES (4, 1, 'apache', 'log4j', '')`
  await world.sql`INSERT INTO packages(id, type, name, updated_at)
    VALUES (9, 'maven', 'org.apache.logging.log4j:log4j-core', '')`
  const vuln = { type: 'vuln', id: 7, version: null }
  const cases: [string, unknown][] = [
    ['cve-2026-11111', vuln],
    [' PH-7 ', vuln],
    ['GHSA-jfh8-c2jp-5v3q', vuln],
    ['ghsa-jfh8-c2jp-5v3q', vuln],
    ['GHSA-JFH8-C2JP-5V3Q', vuln],
    ['rhsa-2026:0001', vuln],
    ['pysec-2026-1', { ...vuln, id: 9 }],
    ['GHSA-aaaa-bbbb-cccc', { ...vuln, id: 9 }],
    ['ghsa-AAAA-bbbb-cccc', { ...vuln, id: 9 }],
    ['GHSA-aaaa-bbbb-dddd', null],
    ['PH-8', null],
    ['CVE-2026-99999', null],
    ['cpe:2.3:a:apache:log4j:2.14.1:*:*:*:*:*:*:*', { type: 'product', id: 4, version: '2.14.1' }],
    ['cpe:/a:apache:log4j', { type: 'product', id: 4, version: null }],
    ['cpe:/a:apache:none', null],
    ['pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1', { type: 'package', id: 9, version: '2.14.1' }],
    ['pkg:npm/left-pad', null],
    ['log4j', null],
    ['C++', null],
    ['\u0000', null],
  ]
  const came: [string, unknown][] = []
  for (const [term] of cases) came.push([term, await call(searchTarget, { query: { term } })])
  expect(came).toEqual(cases)
  expect((await answer(searchTarget)).status).toBe(400)
  // A colon within such an id asks for no field.
  const { results } = await call(listVulns, { query: { q: 'rhsa-2026:0001 -kev' } })
  expect(results.map(({ id }) => id)).toEqual([7])
  // An advisory of a kernel names more than a page shows.
  const many = 'WITH RECURSIVE n(i) AS (SELECT 101 UNION ALL SELECT i + 1 FROM n WHERE i < 300)'
  await rows(
    world.env,
    `${many} INSERT INTO vulns(id, cveid, state, summary, created_at, updated_at) SELECT i, 'CVE-2026-2' || i, 'published', '', i, i FROM n`,
  )
  await rows(world.env, `${many} INSERT INTO vuln_aliases(alias, vuln_id) SELECT 'RHSA-2026:0002', i FROM n`)
  for (const query of [{ q: 'RHSA-2026:0002' }, { search: 'rhsa-2026:0002' }])
    expect(await call(listVulns, { query })).toMatchObject({ count: 200, count_is_exact: true })
  expect((await call(listVulns, { query: { q: 'NOT RHSA-2026:0002' } })).count).toBe(2)
})

test('a product or package with its version is answered with what affects it, of what its caller may see', async () => {
  const { call } = await anOrg({ world })
  const other = await anOrg({ world })
  const log4j = (version: string) => ({
    affected: [{ vendor: 'apache', product: 'log4j', ranges: [{ cpe: 'a' as const, ge: '2.0', lt: version }] }],
  })
  await sayIn(world, 'nvd', { cveid: 'CVE-2021-44228', ...log4j('2.15.0') })
  await sayIn(world, 'nvd', { cveid: 'CVE-2021-45046', ...log4j('2.16.0') })
  await sayIn(world, 'nvd', { cveid: 'CVE-2017-5645', affected: [{ vendor: 'apache', product: 'log4j', ranges: [] }] })
  await world.sql`UPDATE vulns SET is_in_the_wild = 1 WHERE cveid = 'CVE-2021-44228'`
  const ask = (term: string) => call(askVersion, { query: { term } })
  const [first, ...more] = await ask('log4j 2.14.1')
  expect(first).toMatchObject({ type: 'product', group: 'apache', name: 'log4j', version: '2.14.1', vulns_count: 3 })
  expect(first?.counts).toEqual({ affected: 2, exploited: 1, unknown: 1 })
  expect(first?.free).toEqual({ version: '2.16.0', is_stated: false, still: 0 })
  expect((await ask('log4j 2.16.0'))[0]?.free).toBeNull()
  expect(more).toEqual([])
  for (const spelling of ['Apache Log4j v2.14.1', 'log4j@2.14.1', 'LOG4J   2.14.1'])
    expect([spelling, await ask(spelling)]).toEqual([spelling, [first]])
  expect((await ask('log4j 2.15.0'))[0]?.counts).toEqual({ affected: 1, exploited: 0, unknown: 1 })
  await world.sql`UPDATE vulns SET org_id = ${other.org_id} WHERE cveid = 'CVE-2021-45046'`
  expect((await ask('log4j 2.14.1'))[0]?.counts).toEqual({ affected: 1, exploited: 1, unknown: 1 })
  const panOs = [{ vendor: 'paloaltonetworks', product: 'pan-os', ranges: ['o:10.2.9'] }]
  await sayIn(world, 'nvd', { cveid: 'CVE-2024-3400', affected: panOs })
  for (const spelling of ['pan-os 10.2.9', 'panos 10.2.9', 'pan os 10.2.9'])
    expect([spelling, (await ask(spelling)).map(({ name }) => name)]).toEqual([spelling, ['pan-os']])
  for (const none of ['log4j', '2.14.1', 'log4j 2019', 'nothing 1.0', 'log4j 1%', '@ 1', '"* 1.0', ' 1'])
    expect([none, await ask(none)]).toEqual([none, []])
})

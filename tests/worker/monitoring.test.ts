import { expect, test } from 'vitest'
import { forgetAwaited, listAwaited, exportKinds, exportMonitored } from '../../worker/monitoring/import-contract'
import {
  listGroups,
  listMonitored,
  setItems,
  toggleProduct,
  toggleVendor,
  setExposed,
} from '../../worker/monitoring/contract'
import { latestVulns } from '../../worker/home/contract'
import { openDb } from '../../worker/db/open'
import { listProducts, listVendors } from '../../worker/kb/contract'
import { listPackages } from '../../worker/packages/contract'
import { listAudit } from '../../worker/orgs/contract'
import { rewatchItems } from '../../worker/watchlist/match-due'
import { eachTest } from './support/each-test'
import { aListedWorld, csv, everything, addCsv, read } from './support/lists'
import { anOrg, rows, sqlIn } from './support/org'
import { aWorld } from './support/world'

const world = eachTest(aListedWorld)

test('every kind is exported under its name, as CSV and as JSON', async () => {
  const org = await anOrg({ world })
  await addCsv(org, csv(...everything))
  const expected: Record<string, string[]> = {
    vendors: ['vendor,nginx,edge'],
    products: ['product,apache:http_server,dmz;web'],
    packages: ['package,maven:org.apache.logging.log4j:log4j-core,'],
    vulns: ['vuln,CVE-2026-1002,'],
    all: everything,
  }
  for (const kind of exportKinds) {
    const response = await org.answer(exportMonitored, { params: { kind } })
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="ph_export_monitored_${kind}.csv"`)
    expect(await response.text()).toBe(`${csv(...(expected[kind] ?? []))}\r\n`)
  }
  const json = await org.answer(exportMonitored, { params: { kind: 'products' }, query: { format: 'json' } })
  expect(await json.json()).toEqual([
    {
      type: 'product',
      value: 'apache:http_server',
      groups: ['dmz', 'web'],
      versions: [],
      monitored: true,
      publicly_exposed: null,
    },
  ])
  expect((await org.answer(exportMonitored, { params: { kind: 'secrets' } })).status).toBe(400)
})

test('one can stop waiting for a name', async () => {
  const [org, other] = [await anOrg({ world, is_org_admin: true }), await anOrg({ world })]
  for (const one of [org, other]) await addCsv(one, csv('vendor,soon,'))
  for (const value of ['soon', 'soon', 'never']) await org.call(forgetAwaited, { body: { kind: 'vendor', value } })
  expect(await org.call(listAwaited, {})).toMatchObject({ count: 0 })
  expect(await other.call(listAwaited, {})).toMatchObject({ count: 1 })
  expect((await org.call(listAudit, {})).results).toMatchObject([
    { action: 'monitoring.remove', target: 'vendor soon' },
  ])
})

test('changes that decide on alerts stand in the log: versions, groups, exposure, and products that a vendor is watched without', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  await addCsv(org, csv('product,apache:tomcat,dmz'))
  const [{ id } = { id: 0 }] = await world.sql<{ id: number }>`SELECT id FROM products WHERE name = 'tomcat'`
  for (const versions of [['9.0.1'], ['9.0.1'], ['9.0.2']])
    await org.call(setItems, { body: { kind: 'product', items: [{ id, versions }] } })
  await org.call(setExposed, { body: { kind: 'product', ids: [id], publicly_exposed: false } })
  await addCsv(org, 'type,value,versions\nproduct,apache:tomcat,9.0.3\n')
  await addCsv(org, csv('vendor,apache,'))
  await addCsv(org, 'type,value,monitored\nproduct,apache:tomcat,no\n')
  const { results } = await org.call(listAudit, {})
  expect(results.map(({ action, detail }) => [action, JSON.parse(detail) as object]).toReversed()).toEqual([
    ['monitoring.update', { before: 'groups dmz', now: 'groups dmz, versions 9.0.1' }],
    ['monitoring.update', { before: 'groups dmz, versions 9.0.1', now: 'groups dmz, versions 9.0.2' }],
    ['monitoring.expose', { publicly_exposed: false }],
    ['monitoring.update', {}],
    ['monitoring.remove', {}],
  ])
  expect(results.map(({ target }) => target)).toEqual(Array(5).fill('product apache:tomcat'))
})

test('the list of one kind tells groups, versions, the newest finding and the worst open score', async () => {
  const org = await anOrg({ world })
  await addCsv(org, csv(...everything))
  await world.sql`UPDATE vulns SET score = CASE cveid WHEN 'CVE-2026-1001' THEN 91 ELSE 40 END`
  await world.sql`UPDATE vulns SET is_in_the_wild = 1, kev_added_at = '2026-01-01', kev_due_at = '2026-01-22'
    WHERE cveid = 'CVE-2026-1001'`
  const { results, count } = await org.call(listMonitored, { params: { kind: 'packages' } })
  const name = 'org.apache.logging.log4j:log4j-core'
  const [item] = results
  expect([count, item]).toMatchObject([
    1,
    {
      name,
      vendor: 'maven',
      versions: [],
      newest: { cveid: 'CVE-2026-1001' },
      worst: { score: 91, is_exact: true },
      is_pending: false,
      open: { exploited: 1, affecting: 0, overdue: 1, overdue_is_exact: true },
    },
  ])
  const running = async (version: string) => {
    const items = [{ id: item?.id ?? 0, versions: [version] }]
    await org.call(setItems, { body: { kind: 'package', items } })
    return (await org.call(listMonitored, { params: { kind: 'packages' } })).results[0]?.open
  }
  expect(await running('2.14.1')).toMatchObject({ exploited: 1, affecting: 1, overdue: 1 })
  expect(await running('2.17.1')).toMatchObject({ exploited: 0, affecting: 0, overdue: 0 })
  await org.call(setItems, {
    body: { kind: 'package', items: [{ id: item?.id ?? 0, versions: ['2.17.1'], groups: ['App'] }] },
  })
  expect((await org.call(listMonitored, { params: { kind: 'packages' } })).results).toMatchObject([
    { versions: ['2.17.1'], groups: ['app'], newest: { cveid: 'CVE-2026-1001' } },
  ])
  // The product still concerns it by its name alone.
  const [product] = (await org.call(listMonitored, { params: { kind: 'products' }, query: { group: 'web' } })).results
  await org.call(setItems, { body: { kind: 'product', items: [{ id: product?.id ?? 0 }], monitored: false } })
  expect((await org.call(listMonitored, { params: { kind: 'packages' } })).results).toMatchObject([
    { newest: null, worst: null },
  ])
  expect(
    await org.call(listMonitored, { params: { kind: 'vendors' }, query: { search: 'gin', sorted_by: 'name' } }),
  ).toMatchObject({
    count: 1,
    results: [{ name: 'nginx', groups: ['edge'] }],
  })
  expect(await org.call(listMonitored, { params: { kind: 'vulns' } })).toMatchObject({
    results: [
      { name: 'CVE-2026-1002', newest: { summary: expect.any(String), kev_added_at: null }, worst: { score: 40 } },
    ],
  })
})

test('the highest of the other scores is told, or none, where the versions that run are safe from the highest ones', async () => {
  const org = await anOrg({ world })
  await world.sql`INSERT INTO packages(id, type, name, vulns_count, updated_at)
    VALUES (9001, 'npm', 'many', 8, '')`
  await world.sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)
     INSERT INTO vulns(id, cveid, state, summary, score, created_at, updated_at)
     SELECT 9000 + i, 'CVE-2025-' || (9000 + i), 'published', '', 10 * i, 0, 0 FROM n`
  await world.sql`INSERT INTO vuln_packages(vuln_id, package_id, since_seq, touched) SELECT id, 9001, 0, 0
    FROM vulns WHERE id > 9000`
  // Only the two vulnerabilities with the lowest scores affect versions below 3.
  await world.sql`INSERT INTO affected_packages(vuln_id, package_id, source, ranges)
     SELECT id, 9001, 'osv', '[{"order":"semver","lt":"' || CASE WHEN score > 20 THEN 2 ELSE 3 END || '.0.0"}]' FROM vulns WHERE id > 9000`
  const worst = async (version: string) => {
    await org.call(setItems, { body: { kind: 'package', items: [{ id: 9001, versions: [version] }] } })
    return (await org.call(listMonitored, { params: { kind: 'packages' } })).results[0]?.worst
  }
  expect(await worst('1.0.0')).toMatchObject({ score: 80, is_exact: true })
  expect(await worst('2.5.0')).toMatchObject({ id: 9002, score: 20, is_exact: true })
  expect(await worst('3.0.0')).toBeNull()
})

test('an organization sets nothing that it may not know, and no other sees its list', async () => {
  const [ours, theirs] = [await anOrg({ world }), await anOrg({ world })]
  await addCsv(theirs, csv(...everything, 'vendor,secret_thing,'))
  expect(await read(ours)).toBe('type,value,groups\r\n')
  expect(await ours.call(listGroups)).toEqual([])
  expect(await ours.call(listAwaited, {})).toMatchObject({ count: 0 })
  const answer = await ours.answer(setItems, { body: { kind: 'vuln', items: [{ id: 999_999, groups: ['a'] }] } })
  expect(answer.status).toBe(404)
})

test('a vendor that is set again keeps what its products say, and lets those go that say nothing', async () => {
  const org = await anOrg({ world })
  await addCsv(org, csv('product,apache:http_server,dmz', 'product,apache:tomcat,'))
  await org.call(toggleVendor, { body: { vendor_name: 'apache', monitored: true } })
  await org.call(toggleProduct, { body: { vendor_name: 'apache', product_name: 'tomcat', monitored: false } })
  expect(await read(org)).toBe(
    'type,value,groups,monitored\r\nvendor,apache,,yes\r\nproduct,apache:http_server,dmz,yes\r\nproduct,apache:tomcat,,no\r\n',
  )
  await org.call(toggleVendor, { body: { vendor_name: 'apache', monitored: false } })
  expect(await read(org)).toBe('type,value,groups\r\n')
  expect(await org.call(listGroups)).toEqual([])
})

test('a change by one organization reads nothing of what all the others watch', async () => {
  const org = await anOrg({ world })
  const others = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)`
  await rows(
    world.env,
    `${others} INSERT INTO orgs(id, name, slug, created_at) SELECT 70000 + i, 'o' || i, 'o' || i, '' FROM n`,
  )
  await rows(
    world.env,
    `${others} INSERT INTO monitored_products(org_id, product_id, is_monitored, created_at)
     SELECT 70000 + n.i, p.id, 1, '' FROM n CROSS JOIN products p`,
  )
  await org.call(toggleVendor, { body: { vendor_name: 'apache', monitored: true } })
  const db = openDb(world.env)
  const found = await world.sql<{ id: number }>`SELECT id FROM products`
  await db.$client.batch(rewatchItems(db, { org_id: org.org_id, kind: 'product', ids: found.map(({ id }) => id) }))
  expect(db.meter.rows_read).toBeLessThan(200)
})

test('the screen reads at most 230 rows of ten thousand monitored items', async () => {
  const metered = aWorld({ METER: '1' })
  const org = await anOrg({ world: metered })
  const run = (sql: string) => rows(metered.env, sql, org.org_id)
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)'
  await rows(
    metered.env,
    `${numbers} INSERT INTO vendors(id, name, updated_at) SELECT 1000 + i, 'many' || i, '' FROM n`,
  )
  await rows(
    metered.env,
    `${numbers} INSERT INTO products(id, vendor_id, vendor, name, vulns_count, updated_at) SELECT 1000 + i, 1000 + i, 'many' || i, 'p' || i, 3, '' FROM n`,
  )
  await sqlIn(metered.env)`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
     INSERT INTO vulns(id, cveid, state, summary, score, created_at, updated_at) SELECT 1000 + i, 'CVE-2025-' || (10000 + i), 'published', '', i % 101, 0, i FROM n`
  await sqlIn(metered.env)`INSERT INTO vuln_products(vuln_id, product_id, vendor_id, since_seq, touched)
    SELECT id, 1001 + id % 10000, 1001 + id % 10000, 0, updated_at FROM vulns WHERE id > 1000`
  await run(
    `${numbers} INSERT INTO monitored_products(org_id, product_id, is_monitored, created_at, groups) SELECT ?1, 1000 + i, 1, '', '["dmz"]' FROM n`,
  )
  await run(
    "INSERT INTO watch_groups SELECT ?1, 'dmz', 'product', product_id FROM monitored_products WHERE org_id = ?1",
  )
  await run('INSERT INTO org_vulns(org_id, vuln_id, touched) SELECT ?1, id, updated_at FROM vulns WHERE id > 1000')
  await rows(metered.env, 'ANALYZE')
  const ask = (path: string) => metered.request(path, { headers: { authorization: `JWT ${org.access}` } })
  const rowsRead = ({ headers }: Response) => Number(/ read=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1])
  const screen = ['/api/vulns/stats/monitored', '/api/monitor/groups', '/api/monitor/items/products?limit=10']
  // The first reader counts for all that follow.
  for (const path of screen) await ask(path)
  const read_by_screen = (await Promise.all(screen.map(ask))).map(rowsRead)
  expect(read_by_screen.reduce((sum, read_rows) => sum + read_rows, 0)).toBeLessThanOrEqual(230)
  const page = (await (await ask('/api/monitor/items/products?limit=10')).json()) as {
    count: number
    results: object[]
  }
  expect(page.count).toBe(10_000)
  expect(page.results[0]).toMatchObject({ name: 'p10000', groups: ['dmz'], worst: { is_exact: true } })
  for (const question of ['sorted_by=name', 'search=p99', 'group=dmz'])
    expect([question, Math.ceil(rowsRead(await ask(`/api/monitor/items/products?${question}`)) / 1_000)]).toEqual([
      question,
      question === 'group=dmz' ? 11 : 21,
    ])
}, 60_000)

test('home shows what changed and concerns a group; where nothing did it tells what did last', async () => {
  const org = await anOrg({ world })
  await addCsv(org, csv(...everything))
  const latest = (query = {}) => org.call(latestVulns, { query })
  await world.sql`UPDATE vulns SET updated_at = unixepoch('2026-10-01')`
  const older = await latest()
  expect([older.last_monitored?.monitored, older.monitored_vulns]).toEqual([true, []])
  expect(await latest({ group: 'nowhere' })).toMatchObject({ last_monitored: null, monitored_vulns: [] })
  await world.sql`UPDATE vulns SET updated_at = unixepoch() WHERE cveid = 'CVE-2026-1001'`
  await world.sql`UPDATE org_vulns SET touched = unixepoch() WHERE vuln_id = (SELECT id FROM vulns
    WHERE cveid = 'CVE-2026-1001')`
  const recent = await latest()
  expect(recent.monitored_vulns.map(({ cveid }) => cveid)).toEqual(['CVE-2026-1001'])
  expect(recent.last_monitored).toBeNull()
})

test('the lists of the knowledge base show what has a label of the organization', async () => {
  const [org, other] = [await anOrg({ world }), await anOrg({ world })]
  await addCsv(org, csv('vendor,nginx,dmz', 'product,apache:tomcat,DMZ;build', 'package,npm:@acme/widget,build'))
  const names = async (each: typeof org, group: string) =>
    [
      await each.call(listVendors, { query: { group } }),
      await each.call(listProducts, { query: { group, vendor: 'apache' } }),
      await each.call(listPackages, { query: { group } }),
    ].map(({ count, results }) => [count, ...results.map(({ name }) => name)])
  expect(await names(org, 'dmz')).toEqual([[1, 'nginx'], [1, 'tomcat'], [0]])
  expect(await names(org, 'build')).toEqual([[0], [1, 'tomcat'], [1, '@acme/widget']])
  expect(await names(other, 'dmz')).toEqual([[0], [0], [0]])
})

import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { addVuln } from '../../worker/editing/contract'
import { listMonitored, setItems, toggleProduct, toggleVendor } from '../../worker/monitoring/contract'
import { listVulns } from '../../worker/vulns/contract'
import type { Source, VulnRecord } from '../../worker/domain/words/record'
import { remergeVulns, saveRecords } from '../../worker/merge/save-records'
import { countedTables } from '../support/stored-counts'
import { addCsv, aListedWorld, csv } from './support/lists'
import { anOrg, rows } from './support/org'
import { aWorld, type World } from './support/world'

const save = (world: World, source: Source, minute: number, ...records: VulnRecord[]) =>
  saveRecords(openDb(world.env), {
    source,
    records,
    is_backfill: false,
    now: new Date(`2026-11-20T10:${minute}:00Z`),
  })

const aRecord = (number: number, state: VulnRecord['state'], minute: number): VulnRecord => ({
  cveid: `CVE-2026-${20_000 + number}`,
  state,
  modified: `2026-11-20T09:${minute}:00Z`,
  summary: `A flaw, told at ${minute}.`,
  affected: [{ vendor: 'acme', product: `widget_${number % 2}`, ranges: [{ cpe: 'a:*', lt: '2.0' }] }],
})
const anAdvisory = (number: number, minute: number, names = ['widget']): VulnRecord => ({
  cveid: `CVE-2026-${20_000 + number}`,
  ref: `GHSA-aaaa-bbbb-000${number}`,
  state: 'published',
  modified: `2026-11-20T09:${minute}:00Z`,
  packages: names.map((name) => ({ type: 'npm', name, ranges: [{ order: 'semver', lt: '2.0.0' }] })),
})

/** The kept counts, and those of a scan of all links. */
const readCounts = (world: World) =>
  Promise.all(
    countedTables.map(({ table, scanned }) =>
      rows<{ name: string; kept: number; scanned: number }>(
        world.env,
        `SELECT name, vulns_count AS kept, ${scanned} AS scanned FROM ${table} ORDER BY name`,
      ),
    ),
  )
const keptOnly = async (world: World) => {
  const counts = (await readCounts(world)).flat()
  expect(counts.map(({ name, kept }) => [name, kept])).toEqual(counts.map(({ name, scanned }) => [name, scanned]))
  return Object.fromEntries(counts.map(({ name, kept }) => [name, kept]))
}

test('the kept counts are those of a scan when a record is rejected, names more, and is taken back', async () => {
  const world = aWorld()
  const all = [1, 2, 3, 4]
  await save(world, 'nvd', 10, ...all.map((number) => aRecord(number, 'published', 10)))
  await save(world, 'ghsa', 11, ...all.map((number) => anAdvisory(number, 11)))
  expect(await keptOnly(world)).toEqual({ acme: 4, widget_0: 2, widget_1: 2, widget: 4 })

  // Rejected records that still name what they were about, and an advisory that knows nothing of it.
  await save(world, 'nvd', 12, aRecord(1, 'rejected', 12), aRecord(2, 'rejected', 12))
  expect(await keptOnly(world)).toEqual({ acme: 2, widget_0: 1, widget_1: 1, widget: 2 })
  await save(world, 'ghsa', 13, anAdvisory(1, 13, ['widget', 'gadget']))
  expect(await keptOnly(world)).toEqual({ acme: 2, widget_0: 1, widget_1: 1, widget: 2, gadget: 0 })

  await save(world, 'nvd', 14, aRecord(1, 'published', 14))
  expect(await keptOnly(world)).toEqual({ acme: 3, widget_0: 1, widget_1: 2, widget: 3, gadget: 1 })
  const unheard = { vendor: 'umbrella', product: 'thing', ranges: ['a:1.0'] }
  await save(world, 'nvd', 15, aRecord(5, 'rejected', 15), { ...aRecord(6, 'rejected', 15), affected: [unheard] })
  expect(await keptOnly(world)).toEqual({
    acme: 3,
    widget_0: 1,
    widget_1: 2,
    widget: 3,
    gadget: 1,
    umbrella: 0,
    thing: 0,
  })
  await save(world, 'nvd', 16, aRecord(5, 'published', 16))
  expect(await keptOnly(world)).toEqual({
    acme: 4,
    widget_0: 1,
    widget_1: 3,
    widget: 3,
    gadget: 1,
    umbrella: 0,
    thing: 0,
  })
})

/** All that a merge derives; times of writing and the seal of the knowledge base are no part of it. */
const derived = [
  'SELECT * FROM vulns ORDER BY id',
  'SELECT * FROM affected ORDER BY 1, 2, 3',
  'SELECT * FROM affected_packages ORDER BY 1, 2, 3',
  'SELECT * FROM vuln_products ORDER BY 1, 2',
  'SELECT * FROM vuln_packages ORDER BY 1, 2',
  'SELECT * FROM vuln_aliases ORDER BY 1, 2',
  'SELECT * FROM vuln_records ORDER BY 1, 2',
  'SELECT * FROM vuln_changes ORDER BY seq',
  'SELECT * FROM exploits ORDER BY id',
  'SELECT * FROM threats ORDER BY id',
  'SELECT * FROM products ORDER BY id',
  'SELECT * FROM packages ORDER BY id',
  'SELECT * FROM vendors ORDER BY id',
  "SELECT * FROM counters WHERE name NOT IN ('kb_version') ORDER BY name",
]
const readDerived = async (world: World) =>
  Object.fromEntries(await Promise.all(derived.map(async (query) => [query, await rows(world.env, query)])))

test('repeating every source and merging all that is stored changes nothing', async () => {
  const world = aWorld()
  const log4shell = { cveid: 'CVE-2021-44228', state: 'published' } as const
  const kev = { added: '2021-12-10', due: '2021-12-24', ransomware: true, name: 'Apache Log4j2 RCE', vendor: 'Apache' }
  const said: [Source, VulnRecord][] = [
    [
      'cve',
      {
        ...log4shell,
        summary: 'Apache Log4j2 2.0-beta9 through 2.15.0.',
        affected: [
          {
            vendor: 'apache_software_foundation',
            product: 'apache_log4j2',
            ranges: [{ order: 'loose', lt: '2.15.0' }],
          },
        ],
        ssvc: { exploitation: 'active', automatable: true, technical_impact: 'total' },
      },
    ],
    ['nvd', { ...log4shell, affected: [{ vendor: 'apache', product: 'log4j', ranges: ['a:2.0:beta9'] }] }],
    ['ghsa', { ...anAdvisory(1, 10), cveid: log4shell.cveid }],
    ['kev', { cveid: log4shell.cveid, state: 'awaiting', kev }],
    // Named by KEV alone, with products by their names, until its record comes.
    [
      'kev',
      { cveid: 'CVE-2023-4966', state: 'awaiting', kev, affected: [{ vendor: 'citrix', product: 'adc', ranges: [] }] },
    ],
    ['nvd', aRecord(2, 'rejected', 10)],
    ['nvd', aRecord(3, 'published', 10)],
    [
      'poc',
      {
        cveid: 'CVE-2026-20003',
        state: 'awaiting',
        exploits: [
          {
            key: 'github:a/scanner',
            link: 'https://github.com/a/scanner',
            notes: '',
            trust_level: 'low',
            availability: 'public',
            maturity: 'unknown',
            type: 'unknown',
            purpose: 'scanner',
          },
        ],
      },
    ],
    ['osv', { ...anAdvisory(4, 10, ['widget', 'gadget']), ref: 'OSV-4', aliases: ['GHSA-aaaa-bbbb-0004'] }],
  ]
  for (const [source, record] of said) await save(world, source, 10, record)
  const before = await readDerived(world)
  expect(await world.sql`SELECT name FROM products ORDER BY name`).toContainEqual({ name: 'log4j' })

  for (const [source, record] of said.toReversed()) await save(world, source, 11, record)
  expect(await readDerived(world)).toEqual(before)
  const cveids = (await world.sql<{ cveid: string }>`SELECT cveid FROM vulns`).map(({ cveid }) => cveid)
  const changed: number[] = []
  await remergeVulns(
    openDb(world.env),
    cveids,
    { now: new Date('2026-11-20T10:12:00Z'), is_backfill: false },
    (count) => {
      changed.push(count)
      return []
    },
  )
  expect([changed, cveids.length]).toEqual([[0], 5])
  expect(await readDerived(world)).toEqual(before)
})

test('as many vulnerabilities concern an item as the list finds of it, own ones too, and no tenant adds to those of another', async () => {
  const world = await aListedWorld()
  const [org, other] = [await anOrg({ world, is_org_admin: true }), await anOrg({ world, is_org_admin: true })]
  await addCsv(
    org,
    csv(
      'vendor,apache,',
      'product,apache:http_server,',
      'package,maven:org.apache.logging.log4j:log4j-core,',
      'vendor,nginx,',
    ),
  )
  const ours = { summary: 'Ours alone', products: [{ vendor_name: 'apache', product_name: 'http_server' }] }
  for (const each of [org, other]) await each.call(addVuln, { body: ours })
  const compare = async () => {
    const counts: Record<string, number> = {}
    for (const kind of ['vendors', 'products', 'packages'] as const)
      for (const item of (await org.call(listMonitored, { params: { kind } })).results) {
        const { count } = await org.call(listVulns, { query: { [kind.slice(0, -1)]: item.id, monitored: true } })
        expect([item.name, item.concerning]).toEqual([item.name, { count, is_exact: true }])
        counts[item.name.replace(/.*:/, '')] = count
      }
    return counts
  }
  expect(await compare()).toEqual({ nginx: 1, apache: 2, 'log4j-core': 1 })
  const [log4j] = await world.sql<{ id: number }>`SELECT id FROM packages WHERE type = 'maven'`
  const [server] = await world.sql<{ id: number }>`SELECT id FROM products WHERE name = 'http_server'`
  const run = (kind: 'package' | 'product', id = 0) =>
    org.call(setItems, { body: { kind, items: [{ id, versions: ['2.17.1'] }] } })
  await run('package', log4j?.id)
  expect(await compare()).toMatchObject({ 'log4j-core': 1 })
  for (const vendor_name of ['apache', 'nginx'])
    await org.call(toggleVendor, { body: { vendor_name, monitored: false } })
  expect(await compare()).toEqual({ 'log4j-core': 0 })
  await org.call(toggleVendor, { body: { vendor_name: 'apache', monitored: true } })
  await org.call(toggleProduct, { body: { vendor_name: 'apache', product_name: 'tomcat', monitored: false } })
  expect(await compare()).toEqual({ apache: 2, 'log4j-core': 1 })
  await run('product', server?.id)
  await compare()

  await rows(
    world.env,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 130)
     INSERT INTO vuln_packages(vuln_id, package_id, since_seq, touched) SELECT 9000 + i, ${log4j?.id}, 0, 0 FROM n`,
  )
  const [cut] = (await org.call(listMonitored, { params: { kind: 'packages' }, query: { limit: 100 } })).results
  expect(cut?.concerning).toMatchObject({ is_exact: false })
})

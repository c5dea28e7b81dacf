import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import type { Source, VulnRecord } from '../../worker/domain/record'
import { saveRecords } from '../../worker/merge/save-records'
import { rows } from './support/org'
import { aWorld } from './support/world'
import type { World } from './support/world'

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

const tables = [
  ['vendors', 'vuln_products', 'vendor_id'],
  ['products', 'vuln_products', 'product_id'],
  ['packages', 'vuln_packages', 'package_id'],
] as const

/** What is kept, and what a scan of all links counts. */
const readCounts = (world: World) =>
  Promise.all(
    tables.map(([table, links, item]) =>
      rows<{ name: string; kept: number; scanned: number }>(
        world.env,
        `SELECT name, vulns_count AS kept, (SELECT count(DISTINCT l.vuln_id) FROM ${links} l JOIN vulns v ON v.id = l.vuln_id
           WHERE l.${item} = n.id AND v.state <> 'rejected' AND v.org_id IS NULL) AS scanned FROM ${table} n ORDER BY name`,
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

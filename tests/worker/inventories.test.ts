import { gzipSync, strToU8 } from 'fflate'
import { expect, test } from 'vitest'
import type { VersionRange } from '../../worker/domain/record'
import { listComponents, listFindings, listInventories, removeInventory } from '../../worker/inventories/contract'
import { listVulns } from '../../worker/vulns/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { aVulnerablePackage, merge, nextNumber, put, send, toBom } from './support/inventory-scene'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'

test('a version that is affected is a finding with its fix, and one that is not is none', async () => {
  const org = await anOrg()
  const log4j = await aVulnerablePackage(org.world)
  const answer = await send(org, 'shop', [log4j.purl('2.14.1'), log4j.purl('2.17.1'), 'pkg:npm/nobody-knows@1'])
  expect(answer).toMatchObject({
    is_new: true,
    components: { added: { count: 3 }, removed: { count: 0 }, unmatched: { count: 1, first: [{ name: 'part2' }] } },
    findings: {
      new: { count: 1, first: [{ cveid: log4j.cveid, component: 'part0', status: 'affected', fixed_in: '2.15.0' }] },
      gone: { count: 0 },
    },
  })
  const { results } = await org.call(listFindings, { params: { name: 'shop' } })
  expect(results).toMatchObject([
    { cveid: log4j.cveid, status: 'affected', confidence: 'confirmed', range: '< 2.15.0', fixed_in: '2.15.0' },
  ])
  const components = await org.call(listComponents, { params: { name: 'shop' } })
  expect(
    components.results.map(({ name, judged_count, open, is_matched }) => [name, judged_count, open, is_matched]),
  ).toEqual([
    ['part0', 1, 1, true],
    ['part1', 1, 0, true],
    ['part2', 0, 0, false],
  ])
})

test('sent again, an inventory is replaced, and the answer tells what changed', async () => {
  const org = await anOrg()
  const [a, b] = [await aVulnerablePackage(org.world), await aVulnerablePackage(org.world)]
  await send(org, 'shop', [a.purl('2.14.1'), b.purl('2.14.1')])
  const again = await send(org, 'shop', [a.purl('2.14.1'), b.purl('2.14.1')])
  expect([again.is_new, again.components.added.count, again.findings.new.count]).toEqual([false, 0, 0])
  const mended = await send(org, 'shop', [a.purl('2.17.1'), b.purl('2.14.1')])
  expect(mended).toMatchObject({
    components: { added: { count: 1 }, removed: { count: 1 } },
    findings: { new: { count: 0 }, gone: { count: 1, first: [{ cveid: a.cveid }] } },
  })
  expect((await org.call(listInventories)).results).toMatchObject([{ name: 'shop', components_count: 2 }])
})

test('what is sent again as it was writes next to nothing', async () => {
  const org = await anOrg({ world: aWorld({ METER: '1' }) })
  const purls: string[] = []
  for (let at = 0; at < 20; at++) purls.push((await aVulnerablePackage(org.world)).purl('1.0'))
  const sent = JSON.stringify(toBom(purls))
  const written = async () =>
    Number(/ written=(\d+)/.exec((await put(org, 'same', sent)).headers.get('server-timing') ?? '')?.[1])
  expect(await written()).toBeGreaterThan(100)
  expect(await written()).toBeLessThan(5)
})

test('gzip is taken, and a broken document changes nothing', async () => {
  const org = await anOrg()
  const one = await aVulnerablePackage(org.world)
  const body = gzipSync(strToU8(JSON.stringify(toBom([one.purl('1.0')]))))
  expect((await put(org, 'packed', new Uint8Array(body))).status).toBe(200)
  const broken = await put(
    org,
    'packed',
    '{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{"type":"library"}]}',
  )
  expect([broken.status, await broken.json()]).toMatchObject([
    400,
    { code: 'invalid_document', issues: [{ path: ['components[0].name'] }] },
  ])
  expect((await put(org, 'packed', '')).status).toBe(400)
  expect((await org.call(listFindings, { params: { name: 'packed' } })).count).toBe(1)
})

test('a finding makes its vulnerability monitored, and it says through what', async () => {
  const org = await anOrg()
  const one = await aVulnerablePackage(org.world)
  await send(org, 'shop', [one.purl('1.0'), one.purl('3.0')])
  const { results } = await org.call(listVulns, { query: { monitored: true } })
  expect(results.map(({ cveid }) => cveid)).toEqual([one.cveid])
  const detail = await org.call(getVuln, { params: { id: results[0]?.id ?? 0 } })
  expect(detail.monitored_by).toMatchObject([{ via: 'inventory', name: 'shop' }])
  expect([results[0]?.run_verdict, detail.runs]).toMatchObject([
    'confirmed',
    [{ via: 'inventory', vendor: 'shop', versions: [{ version: '1.0', verdict: 'confirmed', fixed_in: '2.15.0' }] }],
  ])
  await org.call(removeInventory, { params: { name: 'shop' } })
  expect((await org.call(listVulns, { query: { monitored: true } })).count).toBe(0)
  for (const table of [
    'inventory_components',
    'inventory_matches',
    'inventory_findings',
    'inventory_vulns',
    'inventory_days',
    'inventory_lists',
  ])
    expect(await rows(org.world.env, `SELECT * FROM ${table} WHERE org_id = ?1`, org.org_id)).toEqual([])
})

test('a release of a distribution chooses what is said of it', async () => {
  const org = await anOrg()
  const ranges: VersionRange[] = [
    { order: 'deb', lt: '1.1-1+deb11u1', on: 'Debian:11' },
    { order: 'deb', lt: '1.1-1+deb12u9', on: 'Debian:12' },
  ]
  const one = await aVulnerablePackage(org.world, { type: 'deb', ranges })
  await send(org, 'eleven', [`${one.purl('1.1-1+deb11u1')}?distro=debian-11`])
  await send(org, 'twelve', [`${one.purl('1.1-1+deb11u1')}?distro=debian-12`])
  await send(org, 'source', [`pkg:deb/debian/libown@1.1-1?distro=debian-12&upstream=${one.name.slice(7)}`])
  const counts = await Promise.all(
    ['eleven', 'twelve', 'source'].map(async (name) => (await org.call(listFindings, { params: { name } })).count),
  )
  expect(counts).toEqual([0, 1, 1])
})

test('a purl with an epoch, in other letters or without a version is what it names', async () => {
  const org = await anOrg()
  const one = await aVulnerablePackage(org.world, {
    type: 'deb',
    ranges: [{ order: 'deb', lt: '1:2.0-1', on: 'Debian:12' }],
  })
  const name = one.name.slice(7)
  const open = async (purl: string) => {
    await send(org, 'letters', [purl])
    return (await org.call(listFindings, { params: { name: 'letters' } })).count
  }
  expect(await open(`pkg:deb/debian/${name}@2.5-1?distro=debian-12`)).toBe(1)
  expect(await open(`PKG:DEB/Debian/${name.toUpperCase()}@2.5-1?distro=debian-12`)).toBe(1)
  expect(await open(`pkg:deb/debian/${name}@1:2.5-1?distro=debian-12`)).toBe(0)
  expect(await open(`pkg:deb/debian/${name}@2.5-1?distro=debian-12&epoch=1`)).toBe(0)
  expect(await open(`pkg:deb/debian/${name}?distro=debian-12`)).toBe(0)
  expect((await org.call(listComponents, { params: { name: 'letters' } })).results).toMatchObject([
    { is_matched: true, unjudged_count: 1 },
  ])
})

test('what a distribution mended is not affected, whatever is said of the upstream product', async () => {
  const org = await anOrg()
  const one = await aVulnerablePackage(org.world, {
    type: 'deb',
    ranges: [{ order: 'deb', lt: '1.0-1+deb12u2', on: 'Debian:12' }],
  })
  await merge(
    org.world,
    { cveid: one.cveid, affected: [{ vendor: 'own', product: `own${one.number}`, ranges: [{ cpe: 'a', lt: '2.0' }] }] },
    'nvd',
  )
  const component = (version: string) => ({
    type: 'library',
    name: 'x',
    version,
    purl: `${one.purl(version)}?distro=debian-12`,
    cpe: `cpe:2.3:a:own:own${one.number}:1.0:*:*:*:*:*:*:*`,
  })
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    components: [component('1.0-1+deb12u2'), component('1.0-1+deb12u1')],
  }
  expect((await put(org, 'os', JSON.stringify(bom))).status).toBe(200)
  const { results } = await org.call(listFindings, { params: { name: 'os' } })
  expect(results.map(({ version }) => version)).toEqual(['1.0-1+deb12u1'])
})

test('a CPE name is matched by its product, and one without a version says how many may apply', async () => {
  const org = await anOrg()
  const number = nextNumber()
  const product = `thing${number}`
  const cveid = `CVE-2031-${10_000 + number}`
  await merge(org.world, { cveid, affected: [{ vendor: 'own', product, ranges: [{ cpe: 'a', lt: '2.0' }] }] }, 'nvd')
  const answer = await send(org, 'os', [
    `cpe:2.3:a:OWN:${product}:1.5:*:*:*:*:*:*:*`,
    `cpe:2.3:a:own:${product}:*:*:*:*:*:*:*:*`,
  ])
  expect(answer.findings.new).toMatchObject({ count: 1, first: [{ cveid, component: 'part0', version: '1.5' }] })
  const { results } = await org.call(listComponents, { params: { name: 'os' }, query: { sorted_by: 'name' } })
  expect(results.map(({ open, unjudged_count }) => [open, unjudged_count])).toEqual([
    [1, 0],
    [0, 1],
  ])
})

import { gzipSync, strToU8 } from 'fflate'
import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import type { VersionRange } from '../../worker/domain/words/record'
import { exportVex } from '../../worker/inventories/proposal-contract'
import { listComponents, listFindings } from '../../worker/inventories/finding-contract'
import { listInventories, removeInventory } from '../../worker/inventories/contract'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { syncInventory } from '../../worker/inventories/sync'
import { editStatus, statusHistory } from '../../worker/triage/contract'
import { listVulns } from '../../worker/vulns/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { aVulnerablePackage, merge, nextNumber, now, put, send, toBom } from './support/inventory-scene'
import { anOrg, rows } from './support/org'
import { aWorld, type World } from './support/world'

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

test('a document sent again unchanged writes next to nothing', async () => {
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
  const org = await anOrg({ is_org_admin: true })
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
  for (const table of ['inventory_matches', 'inventory_vulns', 'inventory_due', 'inventory_lists'])
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

test('a component that a distribution mended is not affected, whatever is said of the upstream product', async () => {
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

/** The database, where something happens once, right before the batch that such a statement stands in. */
function interrupted({ env }: World, when: RegExp, happen: () => Promise<unknown>) {
  let step: 'before' | 'due' | 'over' = 'before'
  const DB = {
    prepare(query: string) {
      if (step === 'before' && when.test(query)) step = 'due'
      return env.DB.prepare(query)
    },
    async batch(statements: D1PreparedStatement[]) {
      if (step === 'due') {
        step = 'over'
        await happen()
      }
      return env.DB.batch(statements)
    },
  }
  return openDb({ ...env, DB: DB as unknown as D1Database })
}

test('an inventory that somebody removes while it is written is judged and watched no more', async () => {
  const org = await anOrg({ is_org_admin: true })
  const one = await aVulnerablePackage(org.world)
  const remove = () => org.call(removeInventory, { params: { name: 'shop' } })
  const count = async () =>
    (
      await org.world
        .sql`SELECT 1 FROM inventory_components c JOIN inventories i ON i.org_id = c.org_id AND i.id = c.inventory_id
         WHERE c.org_id = ${org.org_id} AND i.removed_at IS NULL`
    ).length
  await send(org, 'shop', [one.purl('1.0'), 'pkg:npm/gone@1'])
  const file = new Blob([JSON.stringify(toBom([one.purl('1.1')]))]).stream()
  const sending = interrupted(org.world, /update "inventories" set "name"/, remove)
  const answer = await syncInventory(sending, org.org_id, { name: 'shop', file, now })
  expect(answer).toMatchObject({ is_new: true, components: { added: { count: 1 } }, findings: { new: { count: 1 } } })
  expect(await count()).toBe(1)

  await merge(org.world, {
    cveid: one.cveid,
    packages: [{ type: one.type, name: one.name, ranges: [{ order: 'maven', lt: '3' }] }],
  })
  const judging = interrupted(org.world, /INSERT INTO inventory_findings/, remove)
  await rejudgeDue(judging, now)
  expect(await rejudgeDue(openDb(org.world.env), now)).toBe(true)
  const left = await org.world.sql`SELECT 1 FROM inventory_vulns WHERE org_id = ${org.org_id}`
  expect([await count(), left]).toEqual([0, []])
})

test('a document that is sent ten times at once is one inventory, and each hears its own answer', async () => {
  const org = await anOrg()
  const one = await aVulnerablePackage(org.world)
  const bodies = Array.from({ length: 10 }, (_, at) => JSON.stringify(toBom([one.purl('1.0'), `pkg:npm/own${at}@1`])))
  const answers = await Promise.all(bodies.map((body) => put(org, 'shop', body)))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  expect(statuses).toContain(200)
  const { results } = await org.call(listInventories)
  expect(results).toMatchObject([{ name: 'shop', components_count: 2, open: { unscored: 1 } }])
  const components = await org.world.sql`SELECT 1 FROM inventory_components WHERE org_id = ${org.org_id}`
  expect(components).toHaveLength(2)
})

test('a status has its reason, owner and last day; not interesting is not affected only with a justification', async () => {
  const org = await anOrg()
  const { purl } = await aVulnerablePackage(org.world)
  await send(org, 'reasons', [purl('1.0')])
  const [vuln] = (await org.call(listVulns, { query: { monitored: true } })).results
  const id = vuln?.id ?? 0
  const change = (body: object) => org.answer(editStatus, { params: { id }, body } as never)
  const vex = async () => {
    const file = await org.answer(exportVex, { params: { name: 'reasons', format: 'openvex' } })
    return ((await file.json()) as { statements: { status: string }[] }).statements.map(({ status }) => status)
  }
  const after = (days: number) => new Date(Date.now() + days * 86_400_000)
  const night = (days: number) => org.world.tick(after(days), '17 3 * * *')
  expect((await change({ status: 'fixed', justification: 'component_not_present' })).status).toBe(400)
  expect((await change({ status: 'not_interesting', expires_at: '2020-01-01' })).status).toBe(400)
  await change({ status: 'not_interesting', note: 'Nobody calls it' })
  expect(await vex()).toEqual(['affected'])
  const finding = async () => (await org.call(listFindings, { params: { name: 'reasons' } })).results[0]
  expect(await finding()).toMatchObject({ decision: null, stated: { status: 'not_interesting', justification: null } })
  const reason = {
    justification: 'component_not_present',
    owner: 'Ada',
    expires_at: after(9).toISOString().slice(0, 10),
  }
  await change({ status: 'not_interesting', ...reason })
  expect(await vex()).toEqual(['not_affected'])
  expect(await finding()).toMatchObject({ stated: { justification: 'component_not_present', note: null } })
  const stated = () => org.call(statusHistory, { params: { id } })
  expect(await stated()).toMatchObject({ status: 'not_interesting', note: null, ...reason })
  await night(10)
  expect(await stated()).toMatchObject({
    status: 'undefined',
    owner: null,
    history: [{ status: 'undefined', by: null }, {}],
  })
  const history = async () => (await stated()).history.map(({ status }) => status)
  await night(729)
  expect(await history()).toContain('not_interesting')
  await night(732)
  expect(await history()).toEqual(['undefined'])
  await night(743)
  expect(await history()).toEqual([])
})

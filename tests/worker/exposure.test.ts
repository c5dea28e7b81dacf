import { expect, test, vi } from 'vitest'
import { planAlerts, planAndDrive } from '../../worker/alerts/plan/plan'
import { openDb } from '../../worker/db/open'
import { plusSeconds } from '../../worker/db/time'
import { maxFindings } from '../../worker/exposure/budget'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { recheckAll } from '../../worker/exposure/recheck'
import { getInventory, listInventories } from '../../worker/inventories/contract'
import { listComponents } from '../../worker/inventories/finding-contract'
import { listMonitored, setItems } from '../../worker/monitoring/contract'
import { listVulns } from '../../worker/vulns/contract'
import {
  aRangeBelow,
  aVulnerablePackage,
  listFound,
  makeLarge,
  merge,
  nextNumber,
  send,
  tellNights,
} from './support/inventory-scene'
import { anOrg, rows } from './support/org'
import { type World, aWorld } from './support/world'

const now = new Date()
type Org = Awaited<ReturnType<typeof anOrg>>
const step = (world: World, turns = 8) => rejudgeDue(openDb(world.env), now, { turns, ms: 60_000 })
const listAlerted = async ({ world, org_id }: Org) =>
  world.sql<{ cveid: string }>`SELECT v.cveid FROM alerts a JOIN vulns v ON v.id = a.vuln_id
    WHERE a.org_id = ${org_id} AND a.suppressed IS NOT ${'summarized'} ORDER BY 1`
test('a document too large for a request waits for a step, is told as waiting, and is judged as it would have been at once', async () => {
  const org = await anOrg()
  const [large, small] = [await aVulnerablePackage(org.world), await aVulnerablePackage(org.world)]
  const purls = [large.purl('2.14.1'), small.purl('2.14.1'), 'pkg:maven/nobody/knows@1.0', large.purl('2.16.0')]
  await send(org, 'at-once', purls)
  await makeLarge(org.world, large)
  const answer = await send(org, 'shop', purls)
  expect(answer).toMatchObject({
    inventory: { components_count: 4, pending_count: 2, unmatched_count: 1, open: { unscored: 1 } },
    components: { unmatched: { count: 1 } },
    findings: { new: { count: 1, first: [{ cveid: small.cveid }] } },
  })
  const waiting = (await org.call(listComponents, { params: { name: 'shop' }, query: { compared: false } })).results
  expect(waiting.map(({ name, verdict, is_pending }) => [name, verdict, is_pending]).toSorted()).toEqual([
    ['part0', 'pending', true],
    ['part2', 'not_compared', false],
    ['part3', 'pending', true],
  ])
  // Sent again in a loop it waits all the same, and costs no second time.
  await send(org, 'shop', purls)
  expect(await step(org.world, 1)).toBe(false)
  expect(await org.call(getInventory, { params: { name: 'shop' } })).toMatchObject({ pending_count: 1 })
  expect(await step(org.world)).toBe(true)
  expect(await org.call(getInventory, { params: { name: 'shop' } })).toMatchObject({
    pending_count: 0,
    unmatched_count: 1,
    open: { unscored: 2 },
  })
  expect(await listFound(org)).toEqual(await listFound(org, 'at-once'))
})

test('an organization with much to be judged delays nobody, and is alerted of what may concern it after a minute at the latest', async () => {
  const world = aWorld()
  const [heavy, light, calm] = [await anOrg({ world }), await anOrg({ world }), await anOrg({ world })]
  const [shared, large] = [await aVulnerablePackage(world), await aVulnerablePackage(world)]
  for (const org of [heavy, light]) await send(org, 'shop', [shared.purl('2.16.0')])
  await makeLarge(world, large)
  await send(heavy, 'heap', ['1.0', '1.1', '1.2', '1.3'].map(large.purl))
  const cveid = `CVE-2031-${10_000 + nextNumber()}`
  await merge(world, { cveid, packages: aRangeBelow(shared, '3.0') })

  // Nobody's verdicts stand: all who run it wait, and the others do not.
  await planAlerts(openDb(world.env), now)
  expect([await listAlerted(light), await listAlerted(heavy)]).toEqual([[], []])
  expect(await world.sql`SELECT org_id FROM alert_waits ORDER BY 1`).toEqual(
    [heavy, light].map(({ org_id }) => ({ org_id })),
  )
  expect(await listAlerted(calm)).toEqual([])

  // Small first: one turn finds the verdict of the light one.
  expect(await step(world, 1)).toBe(false)
  await planAlerts(openDb(world.env), plusSeconds(now, 10))
  expect([await listAlerted(light), await listAlerted(heavy)]).toEqual([[{ cveid }], []])

  await planAlerts(openDb(world.env), plusSeconds(now, 61))
  expect(await listAlerted(heavy)).toEqual([{ cveid }])
  for (let turn = 0; !(await step(world)); turn++) expect(turn).toBeLessThan(5)
  await planAlerts(openDb(world.env), plusSeconds(now, 120))
  expect([await listAlerted(light), await listAlerted(heavy)]).toEqual([[{ cveid }], [{ cveid }]])
  expect(await world.sql`SELECT * FROM alert_waits`).toEqual([])
})

test('several steps at once judge an organization each, and the work of a dead one is judged by another', async () => {
  const world = aWorld()
  const [one, other] = [await anOrg({ world }), await anOrg({ world })]
  const large = await aVulnerablePackage(world)
  await makeLarge(world, large)
  for (const org of [one, other]) await send(org, 'heap', ['1.0', '1.1', '1.2'].map(large.purl))
  await Promise.all([step(world, 1), step(world, 1)])
  const turns = await world.sql`SELECT org_id, used > 0 AS is_judged, leased_until FROM judge_turns ORDER BY 1`
  expect(turns).toEqual([one, other].map(({ org_id }) => ({ org_id, is_judged: 1, leased_until: null })))

  await world.sql`UPDATE judge_turns
    SET leased_until = ${plusSeconds(now, 30).toISOString().slice(0, 19) + 'Z'}`
  expect(await step(world)).toBe(true)
  expect(await world.sql`SELECT DISTINCT pending_count FROM inventories`).toEqual([{ pending_count: 2 }])
  expect(await rejudgeDue(openDb(world.env), plusSeconds(now, 30))).toBe(true)
  expect(await world.sql`SELECT DISTINCT pending_count FROM inventories`).toEqual([{ pending_count: 0 }])
})

test('an alert does not wait for a step that judges', async () => {
  const org = await anOrg()
  const [shared, large] = [await aVulnerablePackage(org.world), await aVulnerablePackage(org.world)]
  await makeLarge(org.world, large)
  await send(org, 'heap', [large.purl('1.0'), large.purl('1.1')])
  expect(org.world.waiting.map(({ queue }) => queue)).toEqual(['earshot-verdicts'])
  await merge(org.world, { cveid: `CVE-2031-${10_000 + nextNumber()}`, packages: aRangeBelow(shared, '3.0') })
  await org.world.deliver('earshot-alerts', { reason: 'changes' })
  expect(await org.world.sql`SELECT pending_count FROM inventories`).toEqual([{ pending_count: 2 }])
  await org.world.drain()
  expect(await org.world.sql`SELECT pending_count FROM inventories`).toEqual([{ pending_count: 0 }])
  expect(org.world.waiting).toEqual([])
})

test.each(['organization', 'inventory'] as const)('beyond the findings of an %s none is sought', async (of) => {
  const org = await anOrg()
  const [large, one] = [await aVulnerablePackage(org.world), await aVulnerablePackage(org.world)]
  await makeLarge(org.world, large)
  await send(org, 'full', [one.purl('2.0')])
  await send(org, 'shop', [large.purl('2.14.1')])
  await org.world.sql`UPDATE inventories SET findings_count = ${maxFindings[of]} WHERE org_id = ${org.org_id}`
  expect(await step(org.world)).toBe(true)
  expect(await org.call(getInventory, { params: { name: 'shop' } })).toMatchObject({
    pending_count: 0,
    uncompared_count: 1,
    unmatched_count: 0,
  })
  expect((await org.call(listComponents, { params: { name: 'shop' } })).results).toMatchObject([
    { version: '2.14.1', judged_count: 0, unjudged_count: 50_000, is_matched: true },
  ])
})

test('a version that cannot be judged counts as may be affected, is passed by, and is told to the operator at night', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const org = await anOrg()
  const { world } = org
  const [poisoned, fine] = [await aVulnerablePackage(world), await aVulnerablePackage(world)]
  const ids = await world.sql<{ id: number }>`SELECT id FROM packages
    WHERE name IN (${poisoned.name}, ${fine.name}) ORDER BY id`
  const items = ids.map(({ id }) => ({ id, versions: ['2.0'] }))
  await org.call(setItems, { body: { kind: 'package', items } })
  const [bad, good] = items.map(({ id }) => id)
  await world.sql`UPDATE affected_packages SET ranges = 'poison' WHERE package_id = ${bad}`
  await world.sql`DELETE FROM version_verdicts WHERE item_id = ${good}`
  await makeLarge(world, poisoned)
  await world.sql`UPDATE vulns SET kev_added_at = '2026-01-01'`
  await send(org, 'shop', [poisoned.purl('2.16.0'), fine.purl('2.0')])
  expect(await step(world)).toBe(true)
  expect((await org.call(listInventories)).results).toMatchObject([{ kev: 1, unknown: 1, kev_unknown: 1 }])
  expect((await listFound(org)).map((found) => found.split(' ')[3]).toSorted()).toEqual(['affected', 'unknown'])

  const told = await tellNights(world, now)
  expect(told).toContain('verdicts were not what the ranges say')
  expect(told).toContain(`1 could not be judged: package ${bad}: `)
  expect(told).toContain(`1 could not be judged: package ${poisoned.type} ${poisoned.name}: `)
  expect(await world.sql`SELECT 1 FROM version_verdicts WHERE item_id = ${good}`).toHaveLength(1)
})

test('versions of a watched item that do not fit into a request wait for a step, and are told as waiting', async () => {
  const world = aWorld()
  const [one, other, early] = [await anOrg({ world }), await anOrg({ world }), await anOrg({ world })]
  const [large, small] = [await aVulnerablePackage(world), await aVulnerablePackage(world)]
  const items = await world.sql<{ id: number }>`SELECT id FROM packages
    WHERE name IN (${large.name}, ${small.name}) ORDER BY id`
  const run = async (org: Org, versions: string[]) =>
    (await org.call(setItems, { body: { kind: 'package', items: items.map(({ id }) => ({ id, versions })) } }))
      .pending_count
  const list = async (org: Org) => {
    const { results } = await org.call(listMonitored, { params: { kind: 'packages' }, query: { sorted_by: 'id' } })
    const watched = await org.call(listVulns, { query: { monitored: true } })
    return [results.map(({ is_comparing }) => is_comparing), watched.results.map(({ cveid }) => cveid).toSorted()]
  }
  expect(await run(early, ['3.0'])).toBe(0)
  expect(await list(early)).toEqual([[false, false], []])
  await makeLarge(world, large)
  // That another organization runs it is not to be seen.
  for (const org of [one, other]) {
    expect(await run(org, [org === one ? '3.0' : '3.1'])).toBe(1)
    expect(await list(org)).toEqual([[true, false], []])
  }
  // Judged, and still to be matched.
  expect(await step(world, 1)).toBe(false)
  for (const org of [one, other]) expect(await list(org)).toEqual([[true, false], []])
  await run(other, ['1.0'])
  expect(await step(world)).toBe(true)
  expect(await list(other)).toEqual([[false, false], [large.cveid, small.cveid].toSorted()])
  expect(await world.sql`SELECT * FROM inventory_due`).toEqual([])
  await recheckAll(openDb(world.env), now)
})

test('versions that nobody runs any more leave the shared verdicts within a day', async () => {
  const world = aWorld()
  const [one, other] = [await anOrg({ world }), await anOrg({ world })]
  const { name } = await aVulnerablePackage(world)
  const [item] = await world.sql<{ id: number }>`SELECT id FROM packages WHERE name = ${name}`
  const run = (org: Org, versions: string[]) =>
    org.call(setItems, { body: { kind: 'package', items: [{ id: item?.id ?? 0, versions }] } })
  const judged = async () => {
    await recheckAll(openDb(world.env), now)
    const tables = ['judged_versions', 'version_verdicts']
    const select = (table: string) => `SELECT DISTINCT version FROM ${table} WHERE item_id = ?1 ORDER BY 1`
    const found = await Promise.all(
      tables.map((table) => rows<{ version: string }>(world.env, select(table), item?.id)),
    )
    return found.map((versions) => versions.map(({ version }) => version).join())
  }
  await run(one, ['1.0', '3.0'])
  await run(other, ['3.0'])
  expect(await judged()).toEqual(['1.0,3.0', '1.0,3.0'])
  await run(one, ['2.0'])
  expect(await judged()).toEqual(['2.0,3.0', '2.0,3.0'])
  await run(other, [])
  expect(await judged()).toEqual(['2.0', '2.0'])
})

test('it is not ready while anybody waits longer than promised', async () => {
  const world = aWorld()
  const { org_id } = await anOrg({ world })
  const ready = async () => (await world.request('/readyz')).json()
  const wait = (since: Date) =>
    world.sql`INSERT OR REPLACE INTO alert_waits VALUES (${org_id}, 0, ${since.toISOString()}, NULL)`
  await wait(new Date())
  expect(await ready()).not.toMatchObject({ late: expect.arrayContaining(['alerts']) })
  await wait(new Date(Date.now() - 600_000))
  expect(await ready()).toMatchObject({ status: 'late', late: expect.arrayContaining(['alerts']) })
})

test('a further document alerts like a change does, the first one as one summary', async () => {
  const org = await anOrg({ is_org_admin: true })
  const { world, org_id } = org
  const [first, second, third] = [
    await aVulnerablePackage(world),
    await aVulnerablePackage(world),
    await aVulnerablePackage(world),
  ]
  await planAndDrive(world.env, openDb(world.env), now)
  await world.sql`INSERT OR REPLACE INTO alert_settings(org_id, alerts_emails)
    SELECT ${org_id}, json_array(u.email) FROM members m JOIN users u ON u.id = m.user_id
    WHERE m.org_id = ${org_id}`
  const summaries = () =>
    world.sql<{ subject: string; text: string }>`SELECT subject, text FROM mails
      WHERE kind = 'inventory_summary'`
  await makeLarge(world, second)
  await send(org, 'shop', [first.purl('1.0'), second.purl('1.0')])
  await planAndDrive(world.env, openDb(world.env), now)
  expect([await listAlerted(org), await summaries()]).toEqual([[], []])
  await step(world)
  for (const _ of [1, 2]) await planAndDrive(world.env, openDb(world.env), now)
  expect(await listAlerted(org)).toEqual([])
  const [summary, ...others] = await summaries()
  expect(others).toEqual([])
  expect(summary?.subject).toContain('2 vulnerabilities found in shop')
  for (const { cveid } of [first, second]) expect(summary?.text).toContain(cveid)

  // A vulnerability watched already is no news, in whichever inventory.
  const later = plusSeconds(now, 60)
  await send(org, 'shop', [first.purl('1.1'), second.purl('1.0'), third.purl('1.0')])
  for (const _ of [1, 2]) await planAndDrive(world.env, openDb(world.env), later)
  expect(await listAlerted(org)).toEqual([{ cveid: third.cveid }])
  const told = 'SELECT a.rule, d.status FROM alerts a JOIN deliveries d ON d.alert_id = a.id WHERE a.org_id = ?1'
  expect(await rows(world.env, told, org_id)).toEqual([{ rule: 'new', status: 'pending' }])
  expect(await summaries()).toHaveLength(1)

  // Nor where another version of it waits for a step.
  await send(org, 'shop', [first.purl('1.1'), second.purl('1.1'), third.purl('1.0')])
  await step(world)
  for (const _ of [1, 2]) await planAndDrive(world.env, openDb(world.env), plusSeconds(now, 120))
  expect(await listAlerted(org)).toEqual([{ cveid: third.cveid }])
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planAlerts } from '../../worker/alerts/plan/plan'
import { openDb } from '../../worker/db/open'
import { plusSeconds } from '../../worker/db/time'
import { maxFindings } from '../../worker/exposure/budget'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { recheckAll } from '../../worker/exposure/recheck'
import { getInventory, listComponents, listFindings } from '../../worker/inventories/contract'
import { setItems } from '../../worker/monitoring/contract'
import { decideFindings } from '../../worker/inventories/decision-contract'
import { aVulnerablePackage, merge, nextNumber, send } from './support/inventory-scene'
import { anOrg, rows } from './support/org'
import type { World } from './support/world'
import { aWorld } from './support/world'

const now = new Date()
type Org = Awaited<ReturnType<typeof anOrg>>
type Package = Awaited<ReturnType<typeof aVulnerablePackage>>

/** As if thousands of vulnerabilities named it: more than a request compares. */
const makeLarge = (world: World, { type, name }: Package, count = 50_000) =>
  rows(world.env, 'UPDATE packages SET vulns_count = ?3 WHERE type = ?1 AND name = ?2', type, name, count)

const step = (world: World, turns = 8) => rejudgeDue(openDb(world.env), now, { turns, ms: 60_000 })
const listFound = async (org: Org, name = 'shop') =>
  (await org.call(listFindings, { params: { name }, query: { status: 'all' } })).results
    .map(({ cveid, component, version, status, fixed_in }) => [cveid, component, version, status, fixed_in].join(' '))
    .toSorted()
const listAlerted = async ({ world, org_id }: Org) =>
  rows<{ cveid: string }>(
    world.env,
    'SELECT v.cveid FROM alerts a JOIN vulns v ON v.id = a.vuln_id WHERE a.org_id = ?1 ORDER BY 1',
    org_id,
  )
const aRangeBelow = ({ type, name }: Package, lt: string) => [{ type, name, ranges: [{ order: 'maven' as const, lt }] }]

test('what does not fit into a request waits for a step, is told as waiting, and is judged as it would have been at once', async () => {
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
  expect(waiting.map(({ name, is_pending }) => [name, is_pending]).toSorted()).toEqual([
    ['part0', true],
    ['part2', false],
    ['part3', true],
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

test('who has much to be judged delays nobody, and is alerted of what may concern it after a minute at the latest', async () => {
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
  expect(await rows(world.env, 'SELECT org_id FROM alert_waits ORDER BY 1')).toEqual(
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
  expect(await rows(world.env, 'SELECT * FROM alert_waits')).toEqual([])
})

test('several steps at once judge an organization each, and what a dead one held is judged by another', async () => {
  const world = aWorld()
  const [one, other] = [await anOrg({ world }), await anOrg({ world })]
  const large = await aVulnerablePackage(world)
  await makeLarge(world, large)
  for (const org of [one, other]) await send(org, 'heap', ['1.0', '1.1', '1.2'].map(large.purl))
  await Promise.all([step(world, 1), step(world, 1)])
  const turns = await rows(world.env, 'SELECT org_id, used > 0 AS is_judged, leased_until FROM judge_turns ORDER BY 1')
  expect(turns).toEqual([one, other].map(({ org_id }) => ({ org_id, is_judged: 1, leased_until: null })))

  await rows(
    world.env,
    'UPDATE judge_turns SET leased_until = ?1',
    plusSeconds(now, 30).toISOString().slice(0, 19) + 'Z',
  )
  expect(await step(world)).toBe(true)
  expect(await rows(world.env, 'SELECT DISTINCT pending_count FROM inventories')).toEqual([{ pending_count: 2 }])
  expect(await rejudgeDue(openDb(world.env), plusSeconds(now, 30))).toBe(true)
  expect(await rows(world.env, 'SELECT DISTINCT pending_count FROM inventories')).toEqual([{ pending_count: 0 }])
})

test('an alert does not wait for a step that judges', async () => {
  const org = await anOrg()
  const [shared, large] = [await aVulnerablePackage(org.world), await aVulnerablePackage(org.world)]
  await makeLarge(org.world, large)
  await send(org, 'heap', [large.purl('1.0'), large.purl('1.1')])
  expect(org.world.waiting.map(({ queue }) => queue)).toEqual(['earshot-verdicts'])
  await merge(org.world, { cveid: `CVE-2031-${10_000 + nextNumber()}`, packages: aRangeBelow(shared, '3.0') })
  await org.world.deliver('earshot-alerts', { reason: 'changes' })
  expect(await rows(org.world.env, 'SELECT pending_count FROM inventories')).toEqual([{ pending_count: 2 }])
  await org.world.drain()
  expect(await rows(org.world.env, 'SELECT pending_count FROM inventories')).toEqual([{ pending_count: 0 }])
  expect(org.world.waiting).toEqual([])
})

test('beyond the findings that an organization may have, what is new is told as not compared', async () => {
  const org = await anOrg()
  const [large, one] = [await aVulnerablePackage(org.world), await aVulnerablePackage(org.world)]
  await makeLarge(org.world, large)
  await send(org, 'full', [one.purl('2.0')])
  await rows(org.world.env, 'UPDATE inventories SET findings_count = ?2 WHERE org_id = ?1', org.org_id, maxFindings)
  await send(org, 'shop', [large.purl('2.14.1')])
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

test('what cannot be judged is passed by at night, and told to the operator', async () => {
  const org = await anOrg()
  const { world } = org
  const [poisoned, fine] = [await aVulnerablePackage(world), await aVulnerablePackage(world)]
  const ids = await rows<{ id: number }>(
    world.env,
    'SELECT id FROM packages WHERE name IN (?1, ?2) ORDER BY id',
    poisoned.name,
    fine.name,
  )
  const items = ids.map(({ id }) => ({ id, versions: ['2.0'] }))
  await org.call(setItems, { body: { kind: 'package', items } })
  const [bad, good] = items.map(({ id }) => id)
  await rows(world.env, "UPDATE affected_packages SET ranges = 'poison' WHERE package_id = ?1", bad)
  await rows(world.env, 'DELETE FROM version_verdicts WHERE item_id = ?1', good)
  const nights = Array.from({ length: 30 }, (_, night) => plusSeconds(now, night * 86_400))
  const told: string[] = []
  for (const night of nights)
    await recheckAll(openDb(world.env), night).catch((error: Error) => told.push(error.message))
  expect(told.join('\n')).toContain('1 verdicts were not what the ranges say')
  expect(told.join('\n')).toContain(`1 could not be judged: package ${bad}: `)
  expect(await rows(world.env, 'SELECT 1 FROM version_verdicts WHERE item_id = ?1', good)).toHaveLength(1)
})

test('it is not ready while anybody waits longer than promised', async () => {
  const world = aWorld()
  const { org_id } = await anOrg({ world })
  const ready = async () => (await world.request('/readyz')).json()
  const wait = (since: Date) =>
    rows(world.env, 'INSERT OR REPLACE INTO alert_waits VALUES (?1, 0, ?2)', org_id, since.toISOString())
  await wait(new Date())
  expect(await ready()).not.toMatchObject({ late: expect.arrayContaining(['alerts']) })
  await wait(new Date(Date.now() - 600_000))
  expect(await ready()).toMatchObject({ status: 'late', late: expect.arrayContaining(['alerts']) })
})

const listCounted = ({ world, org_id }: Org) =>
  rows(
    world.env,
    `SELECT inventory_id, critical + high + medium + low + unscored AS affected, kev, unknown, closed FROM inventory_days
     WHERE org_id = ?1 ORDER BY 1`,
    org_id,
  )
/** As `countDay` would, looking at each finding. */
const countPlainly = ({ world, org_id }: Org) =>
  rows(
    world.env,
    `SELECT i.id AS inventory_id, count(DISTINCT iif(is_open AND status = 'affected', vuln_id, NULL)) AS affected, 0 AS kev,
       count(DISTINCT iif(is_open AND status = 'unknown', vuln_id, NULL)) AS unknown, count(DISTINCT iif(is_open, NULL, vuln_id)) AS closed
     FROM inventories i LEFT JOIN (SELECT f.*, NOT EXISTS (SELECT 1 FROM decisions d WHERE d.org_id = f.org_id AND d.inventory_id = f.inventory_id
       AND d.vuln_id = f.vuln_id AND d.component_id = f.component_id AND d.author = '' AND d.verdict = 'fixed') AS is_open
       FROM inventory_findings f WHERE f.org_id = ?1) x ON x.inventory_id = i.id WHERE i.org_id = ?1 GROUP BY 1 ORDER BY 1`,
    org_id,
  )

const versions = ['1.0', '2.0', '3.0', '4.0']
const act = fc.oneof(
  fc.record({
    what: fc.constant('send' as const),
    versions: fc.uniqueArray(fc.constantFrom(...versions), { maxLength: 3 }),
    isLarge: fc.boolean(),
  }),
  fc.record({ what: fc.constant('merge' as const), lt: fc.constantFrom('1.5', '2.5', '3.5'), which: fc.nat(2) }),
  fc.record({ what: fc.constant('step' as const), turns: fc.constantFrom(1, 2) }),
  fc.record({ what: fc.constant('decide' as const) }),
)

test('whatever is sent, merged, decided and left half done: the verdicts are those of judging all anew', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 8 }), async (acts) => {
      const org = await anOrg({ is_org_admin: true })
      const { world } = org
      const one = await aVulnerablePackage(world, { lt: '2.5' })
      const more = [one.cveid, `CVE-2031-${10_000 + nextNumber()}`, `CVE-2031-${10_000 + nextNumber()}`]
      let last: string[] = []
      for (const given of acts) {
        if (given.what === 'send') {
          await makeLarge(world, one, given.isLarge ? 50_000 : 1)
          last = given.versions.map(one.purl)
          await send(org, 'shop', last)
        }
        if (given.what === 'merge')
          await merge(world, { cveid: more[given.which] ?? one.cveid, packages: aRangeBelow(one, given.lt) })
        if (given.what === 'step') await step(world, given.turns)
        if (given.what === 'decide' && last.length) {
          const [first] = (await org.call(listFindings, { params: { name: 'shop' } })).results
          if (first)
            await org.call(decideFindings, {
              params: { name: 'shop' },
              body: { findings: [first], decision: { status: 'fixed' } },
            })
        }
      }
      for (let turn = 0; !(await step(world)); turn++) expect(turn).toBeLessThan(20)
      await makeLarge(world, one, 1)
      await send(org, 'anew', last)
      await send(org, 'shop', last)
      for (let turn = 0; !(await step(world)); turn++) expect(turn).toBeLessThan(20)
      expect(await listFound(org)).toEqual(await listFound(org, 'anew'))
      const compared = async (name: string) => {
        const { results } = await org.call(listComponents, { params: { name } })
        return results.map((row) => [row.version, row.is_matched, row.is_pending]).toSorted()
      }
      expect(await compared('shop')).toEqual(await compared('anew'))
      expect(await listCounted(org)).toEqual(await countPlainly(org))
    }),
    { numRuns: 12, seed: 27 },
  )
}, 60_000)

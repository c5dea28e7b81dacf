import { expect, onTestFinished, test } from 'vitest'
import { planAlerts } from '../../worker/alerts/plan/plan'
import { openDb } from '../../worker/db/open'
import { plusSeconds } from '../../worker/db/time'
import { decideRunning } from '../../worker/domain/decisions/running'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { setItems, togglePackage } from '../../worker/monitoring/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { aScene } from './support/alerting'
import { aRangeBelow, aVulnerablePackage, makeLarge, merge, send, type Package } from './support/inventory-scene'
import { anOrg, rows } from './support/org'
import type { World } from './support/world'

const now = new Date()
type Org = Awaited<ReturnType<typeof anOrg>>
const judge = (world: World) => rejudgeDue(openDb(world.env), now, { turns: 8, ms: 60_000 })
const findId = async ({ env }: World, cveid: string) =>
  (await rows<{ id: number }>(env, 'SELECT id FROM vulns WHERE cveid = ?1', cveid))[0]?.id ?? 0
const answer = async (org: Org, cveid: string) =>
  decideRunning(await org.call(getVuln, { params: { id: await findId(org.world, cveid) } }))

async function watchAt(org: Org, { name }: Package, versions: string[]) {
  const [item] = await org.world.sql<{ id: number }>`SELECT id FROM packages WHERE name = ${name}`
  await org.call(togglePackage, { body: { package_id: item?.id, monitored: true } })
  return org.call(setItems, { body: { kind: 'package', items: [{ id: item?.id ?? 0, versions }] } })
}

test('a safe version that is watched is no answer while an inventory with another one waits to be compared', async () => {
  const org = await anOrg()
  const large = await aVulnerablePackage(org.world)
  const { cveid } = large
  await watchAt(org, large, ['99.0'])
  expect(await answer(org, cveid)).toMatchObject({ answer: 'no' })
  await makeLarge(org.world, large)
  await send(org, 'shop', ['pkg:maven/nobody/knows@1.0', large.purl('2.14.1')])
  await send(org, 'till', ['pkg:maven/nobody/knows@1.0'])
  expect(await answer(org, cveid)).toEqual({ answer: 'unknown', items: ['inventory shop: not compared yet'] })
  expect(await answer(await anOrg({ world: org.world }), cveid)).toEqual({ answer: 'unlisted', items: [] })
  expect(await judge(org.world)).toBe(true)
  expect(await answer(org, cveid)).toEqual({ answer: 'yes', items: ['shop · part1 2.14.1'] })
})

test('an alert of what a merge said of a version tells that it is not compared yet', async () => {
  const scene = await aScene()
  onTestFinished(() => void scene.origins.restore())
  const org = await scene.watching({ emails: ['all@acme.example'] })
  const { world } = org
  const large = await aVulnerablePackage(world)
  await watchAt(org, large, ['99.0'])
  await send(org, 'heap', ['pkg:maven/nobody/knows@1.0', large.purl('2.16.0')])
  await judge(world)
  await planAlerts(openDb(world.env), plusSeconds(now, -90))
  await makeLarge(world, large)
  const cveid = `CVE-2031-${20_000 + large.number}`
  await merge(world, { cveid, packages: aRangeBelow(large, '3.0') })
  for (const seconds of [-61, 0]) await planAlerts(openDb(world.env), plusSeconds(now, seconds))
  await world.deliver('earshot-deliveries', { reason: 'due' })
  const told = world.mails.find(({ subject }) => subject.includes(cveid))
  expect(told?.text).toContain('You run it: Cannot tell: inventory heap: not compared yet\n')
  expect(told?.text).toContain('- inventory heap: not compared yet')
  await judge(world)
  expect(await answer(org, cveid)).toEqual({ answer: 'yes', items: ['heap · part1 2.16.0'] })
})

test('a component without a version, and one of many of a name, are no answer either', async () => {
  const org = await anOrg()
  const large = await aVulnerablePackage(org.world)
  await send(org, 'shop', [large.purl('99.0'), large.purl('').slice(0, -1)])
  expect(await answer(org, large.cveid)).toEqual({ answer: 'unknown', items: ['inventory shop: not compared'] })
  await send(org, 'shop', [large.purl('99.0')])
  expect(await answer(org, large.cveid)).toEqual({ answer: 'unlisted', items: [] })
  await makeLarge(org.world, large)
  expect(await watchAt(org, large, ['98.0'])).toMatchObject({ pending_count: 1 })
  const item = `maven · ${large.name}: not compared yet`
  expect(await answer(org, large.cveid)).toEqual({ answer: 'unknown', items: [item] })
  await judge(org.world)
  expect(await answer(org, large.cveid)).toMatchObject({ answer: 'no' })
  await send(
    org,
    'till',
    Array.from({ length: 101 }, (_, at) => large.purl(`99.${at}`)),
  )
  const waits = 'inventory till: not compared yet'
  expect(await answer(org, large.cveid)).toEqual({ answer: 'unknown', items: [waits] })
  await org.world.sql`DELETE FROM inventory_due WHERE component_id < 101`
  expect(await answer(org, large.cveid)).toEqual({ answer: 'unknown', items: [waits] })
})

import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { plusSeconds } from '../../worker/db/time'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { listInventories } from '../../worker/inventories/contract'
import { aRangeBelow, aVulnerablePackage, merge, now, put, send, tellNights, toBom } from './support/inventory-scene'
import { anOrg, rows, sqlIn } from './support/org'
import { aWorld } from './support/world'

test('a merge writes no more for who runs a package in thousands of versions than for others, steps judge each, and nights all in parts', async () => {
  const world = aWorld()
  const { env } = world
  const [crowd, plain] = [await anOrg({ world }), await anOrg({ world })]
  const part = await aVulnerablePackage(world, { lt: '2.0' })
  const versions = (count: number) => Array.from({ length: count }, (_, at) => part.purl(`1.${at}`))
  await send(crowd, 'shop', versions(2_100))
  await send(plain, 'shop', versions(3))
  const count = (table: string) => rows(env, `SELECT org_id, count(*) AS count FROM ${table} GROUP BY 1 ORDER BY 1`)
  const counts = (...both: number[]) => [crowd, plain].map(({ org_id }, at) => ({ org_id, count: both[at] }))
  const judge = async () => {
    while (!(await rejudgeDue(openDb(env), now)));
  }
  await judge()
  expect(await count('inventory_findings')).toEqual(counts(2_100, 3))

  await merge(world, { cveid: part.cveid, packages: aRangeBelow(part, '1.2050') })
  expect(await count('inventory_due')).toEqual(counts(1, 3))
  await judge()
  expect(await count('inventory_findings')).toEqual(counts(2_050, 3))

  const month = plusSeconds(now, 30 * 86_400)
  await sqlIn(env)`UPDATE inventory_findings SET fixed_in = '9' WHERE org_id = ${crowd.org_id}
    AND component_id IN (1000, 1001)`
  for (const at of [now, month])
    expect(await tellNights(world, at, [crowd.org_id * 7 + 1])).toMatch(/^1 verdicts were not what the ranges say/)

  await merge(world, { cveid: part.cveid, packages: [] })
  expect(await count('inventory_due')).toEqual(counts(1, 3))
  await judge()
  expect(await count('inventory_findings')).toEqual([])
})

test('inventories that have a package once wait for no extra turns, and one turn writes out many vulnerabilities', async () => {
  const world = aWorld()
  const { env } = world
  const org = await anOrg({ world })
  const part = await aVulnerablePackage(world)
  await send(
    org,
    'kernel',
    Array.from({ length: 100 }, (_, at) => part.purl(`1.${at}`)),
  )
  await send(org, 'desk', [part.purl('1.0')])
  while (!(await rejudgeDue(openDb(env), now)));
  for (let at = 0; at < 30; at++)
    await merge(world, { cveid: `CVE-2030-${10_000 + at}`, packages: aRangeBelow(part, '1.50') })
  const due = await sqlIn(env)`SELECT inventory_id, component_id < 0 AS stands, count(*) AS count FROM inventory_due
    GROUP BY 1, 2 ORDER BY 1`
  expect(due).toEqual([
    { inventory_id: 1, stands: 1, count: 30 },
    { inventory_id: 2, stands: 0, count: 30 },
  ])
  expect(await rejudgeDue(openDb(env), now, { turns: 4, ms: 60_000 })).toBe(true)
  const found = await rows(env, 'SELECT inventory_id, count(*) AS count FROM inventory_findings GROUP BY 1 ORDER BY 1')
  expect(found).toEqual([
    { inventory_id: 1, count: 100 + 30 * 50 },
    { inventory_id: 2, count: 1 + 30 },
  ])
})

test('documents of different names that are sent at once are an inventory each', async () => {
  const org = await anOrg()
  const names = Array.from({ length: 12 }, (_, at) => `shop-${at}`)
  const answers = await Promise.all(names.map((name) => put(org, name, JSON.stringify(toBom([`pkg:npm/${name}@1`])))))
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
  expect((await org.call(listInventories)).count).toBe(12)
})

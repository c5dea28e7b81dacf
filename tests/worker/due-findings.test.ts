import { expect, test } from 'vitest'
import { editDuePolicy } from '../../worker/decisions/due-contract'
import { firstDueTable } from '../../worker/domain/decisions/due'
import { listFindings, listInventories } from '../../worker/inventories/contract'
import { exposeInventory } from '../../worker/inventories/exposure-contract'
import { listFoundVulns } from '../../worker/inventories/vuln-contract'
import { listVulns } from '../../worker/vulns/contract'
import { aVulnerablePackage, send } from './support/inventory-scene'
import { anOrg } from './support/org'

const dayAfter = (at: string, days: number) => new Date(Date.parse(at) + days * 86_400_000).toISOString().slice(0, 10)

test('a finding is due by its own inventory, and the vulnerability by the worst of all', async () => {
  const org = await anOrg({ is_org_admin: true })
  const log4j = await aVulnerablePackage(org.world)
  for (const name of ['edge', 'cellar']) await send(org, name, [log4j.purl('2.14.1')])
  const read = async (name: string) => {
    const [finding] = (await org.call(listFindings, { params: { name }, query: { sorted_by: 'due' } })).results
    const [found] = (await org.call(listFoundVulns, { params: { name }, query: { sorted_by: '-due' } })).results
    expect(found?.due).toBe(finding?.due)
    return { due: finding?.due, found_at: finding?.found_at ?? '' }
  }
  expect((await read('edge')).due).toBe(null)

  const days = { exposed: 3, not_exposed: 40 }
  const table = Object.fromEntries(
    Object.keys(firstDueTable).map((severity) => [severity, days]),
  ) as typeof firstDueTable
  await org.call(editDuePolicy, { body: { due_policy: 'own', table } })
  const { due, found_at } = await read('edge')
  expect(due).toBe(dayAfter(found_at, 3))
  for (const [name, publicly_exposed] of [
    ['edge', true],
    ['cellar', false],
  ] as const)
    await org.call(exposeInventory, { params: { name }, body: { publicly_exposed } })
  expect((await read('edge')).due).toBe(dayAfter(found_at, 3))
  expect((await read('cellar')).due).toBe(dayAfter((await read('cellar')).found_at, 40))
  const ofVuln = async () => (await org.call(listVulns, { query: { cveid: log4j.cveid } })).results[0]?.due
  expect(await ofVuln()).toBe(dayAfter(found_at, 3))

  await org.call(exposeInventory, { params: { name: 'edge' }, body: { publicly_exposed: false } })
  expect(await ofVuln()).toBe(dayAfter(found_at, 40))
  expect(
    (await org.call(listInventories)).results.map(({ name, publicly_exposed }) => [name, publicly_exposed]),
  ).toEqual([
    ['cellar', false],
    ['edge', false],
  ])
  const overdue = async (name: string, wanted: boolean) =>
    (await org.call(listFindings, { params: { name }, query: { overdue: wanted } })).count
  expect([await overdue('edge', true), await overdue('edge', false)]).toEqual([0, 1])
  await org.world.env.DB.prepare("UPDATE inventory_findings SET found_at = '2020-01-01T00:00:00Z'").run()
  expect([await overdue('edge', true), await overdue('edge', false)]).toEqual([1, 0])

  const stranger = await anOrg({ world: org.world })
  const foreign = await stranger.answer(exposeInventory, { params: { name: 'edge' }, body: { publicly_exposed: true } })
  expect(foreign.status).toBe(404)
})

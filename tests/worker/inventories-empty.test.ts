import { expect, test } from 'vitest'
import { getInventory, listInventories } from '../../worker/inventories/contract'
import { listComponents, listFindings } from '../../worker/inventories/finding-contract'
import { aVulnerablePackage, put, send } from './support/inventory-scene'
import { anOrg } from './support/org'

test('a project that was emptied is taken, and closes what was open', async () => {
  const org = await anOrg()
  const log4j = await aVulnerablePackage(org.world)
  await send(org, 'shop', [log4j.purl('2.14.1')])
  const emptied = await send(org, 'shop', [])
  expect(emptied).toMatchObject({
    inventory: { components_count: 0, unmatched_count: 0, open: { critical: 0, high: 0, medium: 0, low: 0 } },
    components: { added: { count: 0 }, removed: { count: 1 } },
    findings: { new: { count: 0 }, gone: { count: 1, first: [{ cveid: log4j.cveid }] } },
  })
  expect((await org.call(listFindings, { params: { name: 'shop' } })).results).toEqual([])
  expect((await org.call(listComponents, { params: { name: 'shop' } })).results).toEqual([])
  expect((await send(org, 'shop', [log4j.purl('2.14.1')])).findings.new.count).toBe(1)
})

test('a document of services alone is an inventory without components', async () => {
  const org = await anOrg()
  const services = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, services: [{ name: 'mail' }] }
  expect((await put(org, 'mail', JSON.stringify(services))).status).toBe(200)
  expect((await org.call(listInventories)).results).toMatchObject([{ name: 'mail', components_count: 0 }])
})

test('incomparable versions are counted in list, header and answer, and are never none', async () => {
  const org = await anOrg()
  const log4j = await aVulnerablePackage(org.world)
  const purl = log4j.purl('').slice(0, -1)
  const components = [
    { name: 'old', purl: log4j.purl('2.14.1') },
    { name: 'new', purl: log4j.purl('2.17.1') },
    { name: 'dashed', purl, version: '-' },
    { name: 'unmatched', purl: 'pkg:maven/nobody/knows@1.0' },
  ].map((component) => ({ type: 'library', ...component }))
  const sent = await put(org, 'shop', JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components }))
  const counts = {
    components_count: 4,
    unmatched_count: 1,
    uncompared_count: 1,
    pending_count: 0,
    open: { unscored: 1 },
  }
  expect(await sent.json()).toMatchObject({ inventory: counts })
  expect(await org.call(getInventory, { params: { name: 'shop' } })).toMatchObject(counts)
  expect((await org.call(listInventories)).results).toMatchObject([counts])
  const { results } = await org.call(listComponents, { params: { name: 'shop' } })
  expect(Object.fromEntries(results.map(({ name, verdict }) => [name, verdict]))).toEqual({
    old: 'affected',
    new: 'none',
    dashed: 'not_compared',
    unmatched: 'not_compared',
  })
})

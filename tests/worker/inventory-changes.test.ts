import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { getInventory, listFindings, listUpgrades } from '../../worker/inventories/contract'
import { rejudgeDue } from '../../worker/inventories/rejudge'
import { syncInventory } from '../../worker/inventories/sync'
import { listVulns } from '../../worker/vulns/contract'
import { aVulnerablePackage, countTrips, merge, nextNumber, now, put, send, toBom } from './support/inventory-scene'
import { anOrg, rows } from './support/org'

test('a delta makes one inventory affected and leaves another alone, and only the first is alerted', async () => {
  const [first, second] = [await anOrg({ emails: ['one@example.org'] }), await anOrg({ emails: ['two@example.org'] })]
  const one = await aVulnerablePackage(first.world, { lt: '1.0' })
  await send(first, 'shop', [one.purl('2.5')])
  await send(second, 'shop', [one.purl('3.5')])
  const cveid = `CVE-2031-${10_000 + nextNumber()}`
  await merge(first.world, {
    cveid,
    packages: [{ type: one.type, name: one.name, ranges: [{ order: 'maven', lt: '3.0' }] }],
  })
  const due = await rows<{ org_id: number }>(first.world.env, 'SELECT org_id FROM inventory_due ORDER BY 1')
  expect(due.map(({ org_id }) => org_id)).toEqual([first.org_id, second.org_id].sort())
  expect(await rejudgeDue(openDb(first.world.env), now)).toBe(true)
  expect((await first.call(listFindings, { params: { name: 'shop' } })).results).toMatchObject([
    { cveid, fixed_in: '3.0' },
  ])
  expect((await second.call(listFindings, { params: { name: 'shop' } })).count).toBe(0)
  expect((await first.call(listVulns, { query: { monitored: true } })).count).toBe(1)
  expect((await second.call(listVulns, { query: { monitored: true } })).count).toBe(0)
  expect(await rows(first.world.env, 'SELECT * FROM inventory_due')).toEqual([])
})

test('a range that is taken back closes what it opened', async () => {
  const org = await anOrg()
  const one = await aVulnerablePackage(org.world, { lt: '9.0' })
  await send(org, 'shop', [one.purl('5.0')])
  await merge(org.world, {
    cveid: one.cveid,
    packages: [{ type: one.type, name: one.name, ranges: [{ order: 'maven', lt: '4.0' }] }],
  })
  await rejudgeDue(openDb(org.world.env), now)
  expect((await org.call(listFindings, { params: { name: 'shop' } })).count).toBe(0)
  expect((await org.call(getInventory, { params: { name: 'shop' } })).days).not.toEqual([])
})

test('upgrades: one version closes several, and what is exploited comes first', async () => {
  const org = await anOrg()
  const [a, b] = [
    await aVulnerablePackage(org.world, { lt: '2.15.0' }),
    await aVulnerablePackage(org.world, { lt: '4.0' }),
  ]
  const more = `CVE-2031-${10_000 + nextNumber()}`
  await merge(org.world, {
    cveid: more,
    packages: [{ type: a.type, name: a.name, ranges: [{ order: 'maven', lt: '2.17.1' }] }],
  })
  await merge(
    org.world,
    { cveid: b.cveid, kev: { added: '2026-01-01', due: null, ransomware: false, name: 'x' } },
    'kev',
  )
  await send(org, 'shop', [a.purl('2.14.1'), b.purl('1.0')])
  const { results } = await org.call(listUpgrades, { params: { name: 'shop' } })
  expect(results.map(({ component, to, closes, kev }) => [component, to, closes, kev])).toEqual([
    ['part1', '4.0', 1, 1],
    ['part0', '2.17.1', 2, 0],
  ])
})

test('another organization sees nothing of an inventory, and the quota holds', async () => {
  const [org, stranger] = [await anOrg(), await anOrg()]
  await send(org, 'ours', ['pkg:npm/nobody@1'])
  for (const path of ['', '/components', '/findings', '/upgrades', '/export/csv'])
    expect(
      (
        await stranger.world.request(`/api/inventories/ours${path}`, {
          headers: { authorization: `JWT ${stranger.access}` },
        })
      ).status,
    ).toBe(404)
  await rows(
    org.world.env,
    `INSERT INTO inventories SELECT ?1, value + 10, 'n' || value, 'x', NULL, 0, 0, '', '', 1 FROM json_each(?2)`,
    org.org_id,
    JSON.stringify(Array.from({ length: 99 }, (_, at) => at)),
  )
  expect((await put(org, 'one-more', JSON.stringify(toBom(['pkg:npm/x@1'])))).status).toBe(409)
  expect((await put(org, 'ours', JSON.stringify(toBom(['pkg:npm/x@1'])))).status).toBe(200)
})

test('a thousand components cost at most twenty round trips', async () => {
  const org = await anOrg()
  const purls = Array.from({ length: 980 }, (_, at) => `pkg:npm/unknown${at}@1.0.0`)
  for (let at = 0; at < 20; at++) purls.push((await aVulnerablePackage(org.world, { type: 'npm' })).purl('1.0.0'))
  const { DB, trips } = countTrips(org.world.env.DB)
  const db = openDb({ ...org.world.env, DB })
  const file = new Blob([JSON.stringify(toBom(purls))]).stream()
  const answer = await syncInventory(db, org.org_id, { name: 'large', file, now })
  expect([answer.components.added.count, answer.findings.new.count]).toEqual([1000, 20])
  expect(trips()).toBeGreaterThan(3)
  expect(trips()).toBeLessThanOrEqual(20)
})

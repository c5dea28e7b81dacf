import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { planAlerts } from '../../worker/alerts/plan/plan'
import { openDb } from '../../worker/db/open'
import { plusSeconds } from '../../worker/db/time'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { undoDecisions } from '../../worker/decisions/decide-contract'
import { homeDesk, monitoredStats } from '../../worker/home/contract'
import { removeInventory, exposeInventory } from '../../worker/inventories/contract'
import { toggleProduct } from '../../worker/monitoring/contract'
import { editStatus } from '../../worker/triage/contract'
import { matchedPlace } from '../../worker/schema/inventories'
import { watchedAmong } from '../../worker/watchlist/monitored'
import { beforeWriting } from './support/before-writing'
import { aVulnerablePackage, merge, nextNumber, send } from './support/inventory-scene'
import { addCsv, csv } from './support/lists'
import { anOrg, rows } from './support/org'
import { aWorld, type World } from './support/world'

const [vendors, ofLargest, ofOthers] = [40, 4_500, 100]
const all = ofLargest + (vendors - 1) * ofOthers
const vendorAt = `iif(i <= ${ofLargest}, 1, 2 + (i - ${ofLargest} - 1) / ${ofOthers})`
const listed = csv(...Array.from({ length: vendors }, (_, at) => `vendor,vendor${at + 1},`))

/** One vendor with many vulnerabilities, most of one product, and others with some. */
async function aWideWorld() {
  const world = aWorld()
  const numbers = (to: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`
  for (const statement of [
    `${numbers(vendors)} INSERT INTO vendors(id, name, vulns_count, updated_at) SELECT i, 'vendor' || i, iif(i = 1, ${ofLargest}, ${ofOthers}), '' FROM n`,
    `INSERT INTO products(id, vendor_id, vendor, name, vulns_count, updated_at) SELECT id, id, name, 'main', vulns_count, '' FROM vendors`,
    `${numbers(all)} INSERT INTO vulns(id, state, summary, created_at, updated_at) SELECT i, 'published', '', i, 2 * i FROM n`,
    `${numbers(all)} INSERT INTO vuln_products(vuln_id, product_id, vendor_id, since_seq, touched) SELECT i, ${vendorAt}, ${vendorAt}, 0, 2 * i FROM n`,
  ])
    await rows(world.env, statement)
  return world
}

const step = (world: World, DB = world.env.DB) =>
  rejudgeDue(openDb({ ...world.env, DB }), new Date(), { turns: 1, ms: 60_000 })
const columns = sql.raw('vuln_id, touched, verdict, since, exposure')
const findWatched = ({ env }: World, org_id: number) =>
  openDb(env).all(sql`SELECT ${columns} FROM org_vulns WHERE org_id = ${org_id} ORDER BY vuln_id`)
/** By the plain statement over all. */
const findPlain = ({ env }: World, org_id: number) =>
  openDb(env).all(sql`SELECT ${columns} FROM (${watchedAmong(sql`vulns`, org_id)}) ORDER BY vuln_id`)

test('a long list is matched in steps, which tell how far they are, lose nothing when one dies, and know what was changed meanwhile', async () => {
  const world = await aWideWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const matching = async () => {
    const { matching_count, vulns } = await org.call(monitoredStats)
    return [matching_count, vulns.count]
  }
  // The smallest go with the list: 20 vendors.
  expect(await addCsv(org, listed)).toMatchObject({ added: vendors, pending_count: 20 })
  expect(world.waiting.map(({ queue }) => queue)).toEqual(['earshot-verdicts'])
  expect(await matching()).toEqual([20, 2_000])
  expect(await org.call(homeDesk)).toMatchObject({ matching_count: 20, comparing_count: 0 })
  // Decisions are taken already.
  const { undo } = await org.call(editStatus, { params: { id: ofLargest }, body: { status: 'fixed' } })
  expect(await org.call(undoDecisions, { body: { changes: [undo ?? ''] } })).toMatchObject({ undone: 1 })
  expect(await step(world)).toBe(false)
  expect(await matching()).toEqual([1, 3_900])

  // A step dies before it writes; the next one does the same.
  const die = () => Promise.reject(new Error('Gone'))
  await expect(step(world, beforeWriting(world.env.DB, 'UPDATE inventory_due SET noted', die))).rejects.toThrow('Gone')
  expect(await matching()).toEqual([1, 3_900])
  await step(world)
  expect(await matching()).toEqual([1, 5_900])

  // Taken out while it is half done: it waits, as it goes from 2,000 rows.
  await org.call(toggleProduct, { body: { vendor_name: 'vendor1', product_name: 'main', monitored: false } })
  expect(await matching()).toEqual([2, 5_900])
  const stored = await world.sql<{ made_of: string; stats: string }>`SELECT made_of, stats FROM org_stats`
  await world.drain()
  // A poll that counted before the last step writes after it.
  await rows(
    world.env,
    'INSERT INTO org_stats(org_id, made_of, stats) VALUES (?1, ?2, ?3)',
    org.org_id,
    ...stored.flatMap(({ made_of, stats }) => [made_of, stats]),
  )
  expect(await matching()).toEqual([0, 3_900])
  expect(await findWatched(world, org.org_id)).toEqual(await findPlain(world, org.org_id))

  await org.call(toggleProduct, { body: { vendor_name: 'vendor1', product_name: 'main', monitored: true } })
  await step(world)
  // Changed anew while a part is done: all of it is looked at again.
  expect(await addCsv(org, 'type,value\nvendor,vendor1', { mode: 'remove' })).toMatchObject({ pending_count: 2 })
  await world.drain()
  expect(await matching()).toEqual([0, 3_900])
  expect(await findWatched(world, org.org_id)).toEqual(await findPlain(world, org.org_id))
})

test('alerts do not wait for it, and none is lost or told twice', async () => {
  const world = await aWideWorld()
  const [org, calm] = [await anOrg({ world, is_org_admin: true }), await anOrg({ world, is_org_admin: true })]
  await addCsv(calm, 'type,value\nproduct,vendor2:main')
  await addCsv(org, listed)
  const now = new Date()
  const cveid = `CVE-2031-${10_000 + nextNumber()}`
  const affected = ['vendor1', 'vendor2'].map((vendor) => ({ vendor, product: 'main', ranges: ['a:1'] }))
  await merge(world, { cveid, affected })
  const told = { vuln_id: expect.any(Number) }
  const alerted = (org_id: number) => world.sql`SELECT vuln_id FROM alerts WHERE org_id = ${org_id}`
  await planAlerts(openDb(world.env), now)
  expect([await alerted(org.org_id), await alerted(calm.org_id)]).toEqual([[told], [told]])
  await merge(world, { cveid: `CVE-2031-${10_000 + nextNumber()}`, affected })
  await planAlerts(openDb(world.env), plusSeconds(now, 1))
  expect(await alerted(org.org_id)).toEqual([told, told])
  await planAlerts(openDb(world.env), plusSeconds(now, 61))
  await world.drain()
  await planAlerts(openDb(world.env), plusSeconds(now, 120))
  expect(await alerted(org.org_id)).toEqual([told, told])
  expect(await findWatched(world, org.org_id)).toEqual(await findPlain(world, org.org_id))
})

test('an inventory tells of what only a removed one had, of which a step takes the rows away', async () => {
  const world = aWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const one = await aVulnerablePackage(world)
  const queues = () => world.waiting.splice(0).map(({ queue }) => queue)
  await send(org, 'old', [one.purl('1.0')])
  await send(org, 'new', [one.purl('3.0')])
  await world.sql`UPDATE inventories SET tells = 'each'`
  const standing = await world.sql<{ vuln_id: number }>`SELECT * FROM org_vulns WHERE org_id = ${org.org_id}`
  const [vuln_id] = standing.map((row) => row.vuln_id)
  // As if it had thousands.
  const wait = 'INSERT INTO inventory_due(org_id, inventory_id, component_id, vuln_id) VALUES (?1, ?2, ?3, 0)'
  await rows(world.env, wait, org.org_id, matchedPlace.vuln, vuln_id)
  queues()
  await org.call(exposeInventory, { params: { name: 'new' }, body: { publicly_exposed: true } })
  await org.call(removeInventory, { params: { name: 'old' } })
  expect(queues()).toEqual(['earshot-verdicts', 'earshot-verdicts'])
  // A small change does not wait for its row.
  expect(await findWatched(world, org.org_id)).toEqual([])
  await world.sql`INSERT INTO org_vulns(org_id, vuln_id, touched) VALUES (${org.org_id}, ${vuln_id}, 1)`
  await send(org, 'new', [one.purl('1.0')])
  const untold = 'SELECT vuln_id FROM inventory_vulns WHERE org_id = ?1 AND is_untold = 1'
  expect(await rows(world.env, untold, org.org_id)).toEqual([{ vuln_id }])
})

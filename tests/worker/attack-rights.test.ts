import { expect, test } from 'vitest'
import { endSnooze, setSnooze } from '../../worker/decisions/decide-contract'
import { openDb } from '../../worker/db/open'
import { planAlerts } from '../../worker/alerts/plan/plan'
import { listFindings } from '../../worker/inventories/finding-contract'
import {
  listInventories,
  listRemovedInventories,
  removeInventory,
  restoreInventory,
} from '../../worker/inventories/contract'
import { decideFindings } from '../../worker/inventories/proposal-contract'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { monitoredStats, vulnStats } from '../../worker/home/contract'
import { removeOldInventories } from '../../worker/inventories/remove'
import { importMonitored, listRemovedLists, restoreRemovedList } from '../../worker/monitoring/import-contract'
import { setItems, toggleProduct, toggleVendor } from '../../worker/monitoring/contract'
import { removeOldLists } from '../../worker/monitoring/removed/lists'
import { listAudit } from '../../worker/orgs/contract'
import { addExploit, addThreat, deleteExploit, deleteThreat } from '../../worker/exploits/contract'
import { addComment, editComment, editStatus, editStatuses, removeComment } from '../../worker/triage/contract'
import { createView, removeView } from '../../worker/views/contract'
import { listVulns, toggleVuln, toggleVulns } from '../../worker/vulns/contract'
import { aVulnerablePackage, merge, now, put, send, toBom } from './support/inventory-scene'
import { aListedWorld, addCsv, csv, everything, read } from './support/lists'
import { aMember, anAdminedOrg } from './support/member'
import { anOrg, rows } from './support/org'
import type { World } from './support/world'

type Admined = Awaited<ReturnType<typeof anAdminedOrg>>
const quiet = new Set(['sessions', 'known_places', 'd1_migrations', '_cf_METADATA'])

/** Every row of the database but what a call itself leaves. */
async function allRows(world: World) {
  const tables = await rows<{ name: string }>(
    world.env,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' AND name NOT LIKE '%\\_fts%' ESCAPE '\\' ORDER BY name",
  )
  const found: Record<string, unknown> = {}
  for (const { name } of tables) if (!quiet.has(name)) found[name] = await rows(world.env, `SELECT * FROM "${name}"`)
  return found
}

const actions = async (org: Pick<Admined, 'call'>) =>
  (await org.call(listAudit, { query: { limit: 50 } })).results.map(({ action, target }) => `${action} ${target}`)

/** An inventory with a finding that is decided, of an organization with an admin and a plain member. */
async function aDecidedShop() {
  const org = await anAdminedOrg()
  const one = await aVulnerablePackage(org.world)
  await send(org, 'shop', [one.purl('1.0'), one.purl('1.1')])
  const { results } = await org.call(listFindings, { params: { name: 'shop' } })
  const [first] = results
  const pair = { vuln_id: first?.vuln_id ?? 0, component_id: first?.component_id ?? 0 }
  const decision = {
    status: 'not_affected',
    justification: 'vulnerable_code_not_in_execute_path',
    note: 'Never called',
  } as const
  await org.call(decideFindings, { params: { name: 'shop' }, body: { findings: [pair], decision } })
  return { ...org, one, pair, decision }
}

const needs = 'this needs the right to manage metadata, ask an admin of your organization'

test('a member without any right removes, syncs and decides nothing for all, and hears what it needs', async () => {
  const { world, member, pair, decision, call } = await aDecidedShop()
  await call(removeInventory, { params: { name: 'shop' } })
  const [aside] = await call(listRemovedInventories)
  await call(restoreInventory, { params: { id: aside?.id ?? 0 }, body: {} })
  const vuln = { params: { id: pair.vuln_id } }
  const accepted = { kind: 'accepted', until: '2099-01-01', reason: 'Not reachable' }
  await call(setSnooze, { ...vuln, body: { kind: 'accepted', until: '2099-01-01', reason: 'By the admin' } })
  const shop = { params: { name: 'shop' } }
  const file = 'type,value\nvendor,nobody\n'
  const before = await allRows(world)
  const tries: [string, Promise<Response>][] = [
    ['Remove an inventory', member.answer(removeInventory, shop)],
    ['Restore a removed inventory', member.answer(restoreInventory, { params: { id: 1 }, body: {} })],
    ['Decide what findings are', member.answer(decideFindings, { ...shop, body: { findings: [pair], decision } })],
    [
      'Decide what findings are',
      member.answer(decideFindings, { ...shop, body: { findings: [pair], decision: null } }),
    ],
    ['Accept the risk', member.answer(setSnooze, { ...vuln, body: accepted })],
    ['Change or end an accepted risk', member.answer(setSnooze, { ...vuln, body: { on_fix: true } })],
    ['Change or end an accepted risk', member.answer(endSnooze, vuln)],
    ["mode: 'sync' removes", member.answer(importMonitored, { body: { file, mode: 'sync' } })],
    ["mode: 'remove' removes", member.answer(importMonitored, { body: { file, mode: 'remove' } })],
    ['Monitor again', member.answer(restoreRemovedList, { params: { key: crypto.randomUUID() }, body: {} })],
  ]
  for (const [what, trying] of tries) {
    const response = await trying
    const { message } = (await response.json()) as { message: string }
    expect([what, response.status, message]).toEqual([what, 403, expect.stringContaining(what)])
    expect(message).toContain(needs)
  }
  expect(await allRows(world)).toEqual(before)
  expect((await member.answer(importMonitored, { body: { file, mode: 'sync', dry_run: true } })).status).toBe(200)
  expect((await member.answer(importMonitored, { body: { file } })).status).toBe(200)
})

test('a member who may manage metadata does what an admin does', async () => {
  const { world, org_id, pair } = await aDecidedShop()
  const manager = await aMember(world, org_id)
  await world.sql`UPDATE members SET manage_metadata = 1 WHERE user_id = ${manager.user_id}`
  await manager.call(decideFindings, { params: { name: 'shop' }, body: { findings: [pair], decision: null } })
  await manager.call(removeInventory, { params: { name: 'shop' } })
  expect((await manager.call(listInventories)).count).toBe(0)
})

test('a removed inventory stands in the log, is gone for all, and comes back with what was decided', async () => {
  const org = await aDecidedShop()
  const { world, one } = org
  const all = { params: { name: 'shop' }, query: { status: 'all' as const } }
  const countItems = async () => [
    (await org.call(vulnStats)).monitored,
    (await org.call(monitoredStats)).monitored.count,
  ]
  const before = await org.call(listFindings, all)
  expect(await countItems()).toEqual([1, 1])
  const decisions = await world.sql`SELECT * FROM decisions`
  // Of those who remove it at once all but the first are told that it is gone.
  const removals = await Promise.all(
    Array.from({ length: 4 }, () => org.answer(removeInventory, { params: { name: 'shop' } })),
  )
  expect(removals.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404])

  expect((await org.call(listInventories)).count).toBe(0)
  expect(await countItems()).toEqual([0, 0])
  expect((await org.answer(listFindings, { params: { name: 'shop' } })).status).toBe(404)
  expect((await org.call(listVulns, { query: { monitored: true } })).count).toBe(0)
  const cveid = one.cveid.replace('CVE-2031', 'CVE-2032')
  await merge(world, {
    cveid,
    packages: [{ type: one.type, name: one.name, ranges: [{ order: 'maven', lt: '9' }] }],
  })
  await rejudgeDue(openDb(world.env), now)
  await planAlerts(openDb(world.env), now)
  expect(await world.sql`SELECT 1 FROM inventory_vulns UNION ALL SELECT 1 FROM org_vulns`).toEqual([])

  const [aside, ...others] = await org.call(listRemovedInventories)
  expect([aside, others]).toMatchObject([{ name: 'shop', components_count: 2, removed_by: org.username }, []])
  const back = await org.call(restoreInventory, { params: { id: aside?.id ?? 0 }, body: {} })
  expect(back).toMatchObject({ name: 'shop', components_count: 2 })
  expect(await countItems()).toEqual([1, 1])
  expect(await world.sql`SELECT * FROM decisions`).toEqual(decisions)
  const after = await org.call(listFindings, all)
  expect(after.results).toEqual(expect.arrayContaining(before.results))
  expect(after.count).toBe(before.count + 2)
  const watched = (await org.call(listVulns, { query: { monitored: true } })).results.map((row) => row.cveid)
  expect(watched.toSorted()).toEqual([one.cveid, cveid].toSorted())
  expect(await org.call(listRemovedInventories)).toEqual([])
  expect(await actions(org)).toEqual(['inventory.restore shop', 'inventory.remove shop', 'inventory.decide shop'])
})

test('a removed inventory leaves its name and its room, and comes back under another name', async () => {
  const org = await aDecidedShop()
  await org.call(removeInventory, { params: { name: 'shop' } })
  await send(org, 'shop', [org.one.purl('3.0')])
  const [aside] = await org.call(listRemovedInventories)
  const params = { id: aside?.id ?? 0 }
  const refused = await org.answer(restoreInventory, { params, body: {} })
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('under another name')])
  const stranger = await anOrg({ world: org.world, is_org_admin: true })
  expect((await stranger.answer(restoreInventory, { params, body: {} })).status).toBe(404)
  expect(await stranger.call(listRemovedInventories)).toEqual([])
  expect(await org.call(restoreInventory, { params, body: { name: 'old shop' } })).toMatchObject({ name: 'old shop' })
  expect((await org.answer(restoreInventory, { params, body: {} })).status).toBe(404)
  expect((await org.call(listInventories)).results.map(({ name }) => name)).toEqual(['old shop', 'shop'])
})

test('inventories set aside are bounded, and go for good after 30 days', async () => {
  const org = await aDecidedShop()
  const { world } = org
  await org.call(removeInventory, { params: { name: 'shop' } })
  await world.sql`UPDATE inventories SET components_count = 100000, removed_at = '2026-11-01T00:00:00Z'`
  expect((await put(org, 'next', JSON.stringify(toBom([org.one.purl('1.0')])))).status).toBe(200)
  const db = openDb(world.env)
  await removeOldInventories(db, new Date('2026-11-30T00:00:00Z'))
  expect(await world.sql`SELECT 1 FROM decisions`).toHaveLength(1)
  await removeOldInventories(db, new Date('2026-12-02T00:00:00Z'))
  for (const table of ['inventories', 'inventory_components', 'inventory_days'])
    expect(
      await rows(world.env, `SELECT DISTINCT ${table === 'inventories' ? 'id' : 'inventory_id'} AS id FROM ${table}`),
    ).toEqual([{ id: 2 }])
  expect(await world.sql`SELECT 1 FROM decisions`).toEqual([])
})

test('items that a sync took off the list stand in the log and are monitored again as they were', async () => {
  const world = await aListedWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const list = [
    'type,value,groups,versions,monitored',
    'vendor,apache,dmz,,',
    'product,apache:tomcat,,,no',
    'product,apache:http_server,web,2.4.1,',
    'vendor,nobody_yet,dmz,,',
    'vuln,CVE-2026-1002,,,',
  ]
  await addCsv(org, list.join('\n'))
  await addCsv(org, csv(...everything))
  const before = await read(org)
  const watched = await world.sql`SELECT vuln_id, verdict FROM org_vulns ORDER BY 1`
  await addCsv(org, 'type,value\nvendor,nginx\nvuln,CVE-2027-99999\n', { mode: 'sync' })
  expect(await read(org)).not.toContain('apache:tomcat')
  const [removed] = await org.call(listRemovedLists)
  expect(removed).toMatchObject({ removed_by: org.username })
  const other = await anOrg({ world, is_org_admin: true })
  const params = { key: removed?.key ?? '' }
  expect((await other.answer(restoreRemovedList, { params, body: {} })).status).toBe(404)
  await org.call(restoreRemovedList, { params, body: {} })
  const after = await read(org)
  for (const line of before.split('\r\n')) expect(after).toContain(line)
  expect(await world.sql`SELECT vuln_id, verdict FROM org_vulns ORDER BY 1`).toEqual(watched)
  expect(await org.call(listRemovedLists)).toEqual([])
  expect((await actions(org)).map((one) => one.split(' ')[0])).toEqual([
    'monitoring.restore',
    'monitoring.remove',
    'monitoring.update',
  ])
})

test('several items that are no longer monitored at once are kept for 30 days, by any way, and one is not', async () => {
  const world = await aListedWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const lines = ['product,apache:tomcat,', 'product,apache:http_server,', 'vuln,CVE-2026-1001,', 'vuln,CVE-2026-1002,']
  await addCsv(org, csv(...lines))
  const items = await world.sql<{ id: number }>`SELECT product_id AS id FROM monitored_products`
  const vulns = await world.sql<{ id: number }>`SELECT vuln_id AS id FROM monitored_vulns`
  const { removed_list } = await org.call(setItems, { body: { kind: 'product', items, monitored: false } })
  await org.call(toggleVulns, { body: { ids: vulns.map(({ id }) => id), monitored: false } })
  await addCsv(org, csv('vendor,apache,', 'product,apache:tomcat,dmz', 'product,apache:http_server,web'))
  await org.call(toggleVendor, { body: { vendor_name: 'apache', monitored: false } })
  await addCsv(org, csv('vendor,nginx,'))
  await org.call(toggleVendor, { body: { vendor_name: 'nginx', monitored: false } })
  // The vendor's first: items watched by then stay as they are.
  const kept = (await org.call(listRemovedLists)).toSorted((one, other) => other.count - one.count)
  expect(kept.map(({ count }) => count)).toEqual([3, 2, 2])
  expect(kept.map((one) => one.key)).toContain(removed_list)
  for (const { key } of kept) await org.call(restoreRemovedList, { params: { key }, body: {} })
  const list = await read(org)
  for (const line of ['vendor,apache,', 'product,apache:tomcat,dmz', ...lines.slice(1)]) expect(list).toContain(line)
  expect(list).not.toContain('nginx,')
})

test('each status, and each single thing that is removed, stands in the log by its name', async () => {
  const world = await aListedWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const other = await aMember(world, org.org_id)
  await addCsv(org, csv('product,apache:tomcat,', 'vuln,CVE-2026-1001,', 'vuln,CVE-2026-1002,'))
  const ids = (await world.sql<{ id: number }>`SELECT vuln_id AS id FROM monitored_vulns`).map(({ id }) => id)
  const params = { id: ids[0] ?? 0 }
  await other.call(editStatus, { params, body: { status: 'fixed' } })
  await other.call(editStatuses, { body: { ids, status: 'in_progress' } })
  const { id: comment_id } = await org.call(addComment, { params, body: { body: 'Seen' } })
  await org.call(removeComment, { params: { ...params, comment_id } })
  await org.call(editComment, { params, body: { comment: 'One text' } })
  await org.call(editComment, { params, body: { comment: '' } })
  const link = 'https://example.org/poc'
  const exploit = await org.call(addExploit, { params, body: { link, source: 'us' } })
  await org.call(deleteExploit, { params: { ...params, eid: exploit.id } })
  const threat = await org.call(addThreat, { params, body: { link, source: 'us' } })
  await org.call(deleteThreat, { params: { ...params, tid: threat.id } })
  const view = await org.call(createView, { body: { name: 'Worst', query: '', is_shared: true } })
  await org.call(removeView, { params: { id: view.id } })
  await org.call(toggleProduct, { body: { vendor_name: 'apache', product_name: 'tomcat', monitored: false } })
  await org.call(toggleVuln, { params, body: { monitored: false } })
  expect((await actions(org)).toReversed()).toEqual([
    'vuln.status CVE-2026-1001',
    'vuln.status 2 vulnerabilities',
    'comment.remove CVE-2026-1001',
    'comment.remove CVE-2026-1001',
    'exploit.remove CVE-2026-1001',
    'threat.remove CVE-2026-1001',
    'view.remove Worst',
    'monitoring.remove product apache:tomcat',
    `monitoring.remove vuln PH-${params.id}`,
  ])
  const { results } = await org.call(listAudit, { query: { action: 'vuln.status' } })
  expect(results.map(({ actor }) => actor)).toEqual([other.username, other.username])
  expect(await org.call(listRemovedLists)).toEqual([])
})

test('items that left the watchlist are kept for 30 days', async () => {
  const world = await aListedWorld()
  const org = await anOrg({ world, is_org_admin: true })
  await addCsv(org, csv(...everything))
  await addCsv(org, csv(...everything), { mode: 'remove' })
  await removeOldLists(openDb(world.env), new Date(Date.now() + 29 * 86_400_000))
  expect(await world.sql`SELECT 1 FROM removed_lists`).toHaveLength(1)
  await removeOldLists(openDb(world.env), new Date(Date.now() + 31 * 86_400_000))
  expect(await world.sql`SELECT 1 FROM removed_lists`).toEqual([])
})

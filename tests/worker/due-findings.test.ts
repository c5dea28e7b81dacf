import { expect, test } from 'vitest'
import { planAndDrive } from '../../worker/alerts/plan/plan'
import { openDb } from '../../worker/db/open'
import { plusSeconds } from '../../worker/db/time'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { saveRecords } from '../../worker/merge/save-records'
import { setItems } from '../../worker/monitoring/contract'
import { aWorld } from './support/world'
import { editDuePolicy, getDuePolicy } from '../../worker/decisions/due-contract'
import { firstDueTable } from '../../worker/domain/decisions/due'
import { listFindings, listFoundVulns } from '../../worker/inventories/finding-contract'
import { listInventories, exposeInventory } from '../../worker/inventories/contract'
import { listVulns } from '../../worker/vulns/contract'
import { aVulnerablePackage, makeLarge, send } from './support/inventory-scene'
import { anOrg, rows, sqlIn } from './support/org'

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
  // Another version that is affected, too, has no more time than the vulnerability.
  await org.world.sql`UPDATE org_vulns SET since = unixepoch('2020-01-01')`
  await send(org, 'edge', [log4j.purl('2.14.2')])
  expect([await overdue('edge', true), await overdue('edge', false)]).toEqual([1, 0])
  // Nor where it waits for a step; a vulnerability that no version has any more is watched until that is known.
  await makeLarge(org.world, log4j)
  const judge = () => rejudgeDue(openDb(org.world.env), new Date(), { turns: 8, ms: 60_000 })
  await send(org, 'cellar', [])
  await send(org, 'edge', [log4j.purl('2.14.3')])
  expect([await ofVuln(), await overdue('edge', true)]).toEqual([dayAfter('2020-01-01', 40), 0])
  expect(await judge()).toBe(true)
  expect([await ofVuln(), await overdue('edge', true)]).toEqual([dayAfter('2020-01-01', 40), 1])
  await send(org, 'edge', [log4j.purl('2.15.0')])
  expect(await ofVuln()).not.toBe(null)
  expect([await judge(), await ofVuln()]).toEqual([true, null])
  expect((await org.call(listVulns, { query: { monitored: true } })).count).toBe(0)
  expect(await org.world.sql`SELECT 1 FROM inventory_due`).toEqual([])

  const stranger = await anOrg({ world: org.world })
  const foreign = await stranger.answer(exposeInventory, { params: { name: 'edge' }, body: { publicly_exposed: true } })
  expect(foreign.status).toBe(404)
})

test('the days of whoever watches very much follow a new policy in steps, which say how far they are', async () => {
  const org = await anOrg({ is_org_admin: true })
  const { env } = org.world
  const numbers = 'WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 10001)'
  await rows(
    env,
    `${numbers} INSERT INTO vulns(id, cveid, state, summary, created_at, updated_at)
     SELECT id, 'CVE-2026-' || (100000 + id), 'published', 'A flaw.', 1767225600, 1767225600 FROM n`,
  )
  await rows(
    env,
    `${numbers} INSERT INTO org_vulns(org_id, vuln_id, since) SELECT ?1, id, 1767225600 FROM n`,
    org.org_id,
  )
  const days = { exposed: 1, not_exposed: 1 }
  const ofDays = (count: number) => {
    const one = { ...days, exposed: count }
    return { due_policy: 'own' as const, table: { critical: one, high: one, medium: one, low: one, unscored: one } }
  }
  const dated = async () =>
    (
      await sqlIn(env)<{ due: string; count: number }>`SELECT due, count(*) AS count FROM org_vulns GROUP BY due
        ORDER BY due`
    ).map(({ due, count }) => [due, count])
  const chosen = await org.call(editDuePolicy, { body: ofDays(1) })
  expect(chosen.remaking).toEqual({ done: 5_000, total: 10_001 })
  expect(await dated()).toEqual([
    [null, 5_001],
    ['2026-01-02', 5_000],
  ])
  // Another policy begins anew, and nothing stays of the first.
  const table = { ...ofDays(1).table, unscored: { exposed: 3, not_exposed: 3 } }
  await org.call(editDuePolicy, { body: { due_policy: 'own', table } })
  // An organization whose steps fail is in nobody's way.
  const { org_id } = await anOrg({ world: org.world })
  await rows(env, 'INSERT INTO due_remakes(org_id, after_id, done, total) VALUES (?1, 0, 90000, 95000)', org_id)
  await rows(
    env,
    `CREATE TRIGGER stuck BEFORE DELETE ON due_remakes WHEN OLD.org_id = ${org_id} BEGIN SELECT RAISE(ABORT, 'stuck'); END`,
  )
  for (const _ of [1, 2]) await org.world.tick(new Date())
  expect((await org.call(getDuePolicy)).remaking).toBe(null)
  expect(await dated()).toEqual([['2026-01-04', 10_001]])
})

test('a deadline goes on when an advisory becomes part of a CVE, for what is watched and for what is found', async () => {
  const world = aWorld()
  const [ours, theirs] = [await anOrg({ world, is_org_admin: true }), await anOrg({ world, is_org_admin: true })]
  const [advisory, cveid, name] = ['GHSA-2222-3333-4444', 'CVE-2031-55555', 'org.due:core']
  const db = openDb(world.env)
  const found = new Date('2026-10-01T12:00:00Z')
  const packages = [{ type: 'maven', name, ranges: [{ order: 'maven' as const, lt: '2.0' }] }]
  const say = (
    records: { cveid: string; ref?: string; aliases?: string[] }[],
    source: string,
    at: Date,
    withdrawn = {},
  ) =>
    saveRecords(db, {
      source,
      records: records.map((one) => ({ state: 'published', summary: one.cveid, packages, ...one })),
      is_backfill: false,
      now: at,
      ...withdrawn,
    })
  await say([{ cveid: advisory, ref: advisory }], 'ghsa', found)
  await planAndDrive(world.env, db, found)
  const [item] = await world.sql<{ id: number }>`SELECT id FROM packages WHERE name = ${name}`
  await ours.call(setItems, { body: { kind: 'package', items: [{ id: item?.id ?? 0 }] } })
  await send(theirs, 'shop', [`pkg:maven/${name.replace(':', '/')}@1.0`])
  for (const _ of [1, 2]) await planAndDrive(world.env, db, found)
  const days = { exposed: 30, not_exposed: 30 }
  const table = { critical: days, high: days, medium: days, low: days, unscored: days }
  const past = Date.parse('2026-10-01T12:00:00Z') / 1000
  await world.sql`UPDATE org_vulns SET since = ${past}`
  await world.sql`UPDATE inventory_findings SET found_at = '2026-10-01T12:00:00Z'`
  for (const org of [ours, theirs]) await org.call(editDuePolicy, { body: { due_policy: 'own', table } })
  const due = async (org: typeof ours) =>
    (await org.call(listVulns, { query: { monitored: true } })).results.map((one) => [one.cveid, one.due])
  expect(await due(ours)).toEqual([[null, '2026-10-31']])
  expect(await due(theirs)).toEqual([[null, '2026-10-31']])
  const now = new Date('2026-11-20T12:00:00Z')
  await saveRecords(db, {
    source: 'nvd',
    records: [{ cveid, state: 'published', summary: 'A flaw' }],
    is_backfill: false,
    now,
  })
  await planAndDrive(world.env, db, now)
  await say([{ cveid, ref: advisory, aliases: [advisory] }], 'ghsa', now, {
    withdrawn: [{ cveid: advisory, ref: advisory }],
  })
  await rejudgeDue(db, now, { turns: 8, ms: 60_000 })
  expect(await due(ours)).toEqual([[cveid, '2026-10-31']])
  expect(await due(theirs)).toEqual([[cveid, '2026-10-31']])
  // A finding that a summary told of under the one name is not new under the other.
  for (const _ of [1, 2]) await planAndDrive(world.env, db, plusSeconds(now, 60))
  const told =
    'SELECT v.cveid, a.suppressed FROM alerts a JOIN vulns v ON v.id = a.vuln_id WHERE a.org_id = ?1 AND a.rule = ?2'
  expect(await rows(world.env, told, theirs.org_id, 'new')).toEqual([{ cveid: advisory, suppressed: 'summarized' }])
  const findings = (await theirs.call(listFindings, { params: { name: 'shop' } })).results
  expect(findings.map((one) => [one.cveid, one.found_at, one.due])).toEqual([
    [cveid, '2026-10-01T12:00:00Z', '2026-10-31'],
  ])
})

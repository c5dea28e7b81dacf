import { expect, test, vi } from 'vitest'
import { planAlerts } from '../../worker/alerts/plan/plan'
import { openDb } from '../../worker/db/open'
import { exportFindings, FindingQuery, listFindings, listFoundVulns } from '../../worker/inventories/finding-contract'
import { getInventory, removeInventory, renameInventory } from '../../worker/inventories/contract'
import { decideFindings } from '../../worker/inventories/proposal-contract'
import { findFindings } from '../../worker/inventories/find-findings'
import { countNights, nightNumber, pruneDays, recheckAll } from '../../worker/exposure/recheck'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { syncInventory } from '../../worker/inventories/sync'
import { setItems } from '../../worker/monitoring/contract'
import { editStatus } from '../../worker/triage/contract'
import { listVulns } from '../../worker/vulns/contract'
import { aVulnerablePackage, countTrips, merge, nextNumber, now, put, send, toBom } from './support/inventory-scene'
import { aMember } from './support/member'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'

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
  const due = await first.world.sql<{ org_id: number }>`SELECT org_id FROM inventory_due ORDER BY 1`
  expect(due.map(({ org_id }) => org_id)).toEqual([first.org_id, second.org_id].sort())
  expect(await rejudgeDue(openDb(first.world.env), now)).toBe(true)
  expect((await first.call(listFindings, { params: { name: 'shop' } })).results).toMatchObject([
    { cveid, fixed_in: '3.0' },
  ])
  expect((await second.call(listFindings, { params: { name: 'shop' } })).count).toBe(0)
  expect((await first.call(listVulns, { query: { monitored: true } })).count).toBe(1)
  expect((await second.call(listVulns, { query: { monitored: true } })).count).toBe(0)
  expect(await first.world.sql`SELECT * FROM inventory_due`).toEqual([])
  await planAlerts(openDb(first.world.env), now)
  const alerted = await first.world.sql<{ org_id: number }>`SELECT a.org_id FROM alerts a
    JOIN vulns v ON v.id = a.vuln_id WHERE v.cveid = ${cveid}`
  expect(alerted).toEqual([{ org_id: first.org_id }])
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

test('without EPSS what is scored comes before what is not', async () => {
  const org = await anOrg()
  const made = [await aVulnerablePackage(org.world), await aVulnerablePackage(org.world)]
  await org.world.sql`UPDATE vulns SET score = 90 WHERE cveid = ${made[1]?.cveid}`
  await send(org, 'shop', [made[0]?.purl('1.0') ?? '', made[1]?.purl('1.0') ?? ''])
  const params = { name: 'shop' }
  const lists = [await org.call(listFindings, { params }), await org.call(listFoundVulns, { params })]
  for (const { results } of lists) expect(results.map(({ cveid }) => cveid)).toEqual([made[1]?.cveid, made[0]?.cveid])
})

test('by vulnerability: each once, with its components and the worst of their verdicts', async () => {
  const org = await anOrg()
  const [a, b] = [await aVulnerablePackage(org.world), await aVulnerablePackage(org.world)]
  await merge(org.world, {
    cveid: a.cveid,
    packages: [a, b].map(({ type, name }) => ({ type, name, ranges: [{ order: 'maven', lt: '2.15.0' }] })),
  })
  await merge(
    org.world,
    { cveid: b.cveid, kev: { added: '2026-01-01', due: null, ransomware: false, name: 'x' } },
    'kev',
  )
  await send(org, 'shop', [a.purl('1.0'), b.purl('1.0'), a.purl('2.0')])
  const found = async (query: object) => {
    const { count, results } = await org.call(listFoundVulns, { params: { name: 'shop' }, query })
    const told = results.map(({ cveid, verdict, components_count, components }) => [
      cveid,
      verdict,
      components_count,
      components.map(({ component, version }) => `${component} ${version}`),
    ])
    return [count, told]
  }
  const ofA = [a.cveid, 'confirmed', 3, ['part0 1.0', 'part1 1.0', 'part2 2.0']]
  const ofB = [b.cveid, 'confirmed', 1, ['part1 1.0']]
  expect(await found({})).toEqual([2, [ofB, ofA]])
  expect(await found({ sorted_by: '-components' })).toEqual([2, [ofA, ofB]])
  expect(await found({ kev: false })).toEqual([1, [ofA]])
  expect(await found({ limit: 1, page: 2 })).toEqual([2, [ofA]])
  expect(await found({ search: 'part2' })).toEqual([1, [[a.cveid, 'confirmed', 1, ['part2 2.0']]]])
  expect(await found({ status: 'unknown' })).toEqual([0, []])

  const { results } = await org.call(listFoundVulns, { params: { name: 'shop' } })
  const { vuln_id: id } = results.find(({ cveid }) => cveid === a.cveid) ?? { vuln_id: 0 }
  await org.call(editStatus, { params: { id }, body: { status: 'in_progress' } })
  const file = async (format: 'csv' | 'json', by: 'finding' | 'vulnerability' = 'vulnerability') =>
    (await org.answer(exportFindings, { params: { name: 'shop', format }, query: { by } })).text()
  const statuses = async (by: 'finding' | 'vulnerability') => {
    const exported = JSON.parse(await file('json', by)) as { cveid: string; vuln_status: string }[]
    return [...new Set(exported.map(({ cveid, vuln_status }) => `${cveid} ${vuln_status}`))]
  }
  for (const by of ['finding', 'vulnerability'] as const)
    expect(await statuses(by)).toEqual([`${b.cveid} undefined`, `${a.cveid} in_progress`])
  const [columns, ...findings] = (await file('csv', 'finding'))
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  const at = columns?.indexOf('vuln_status') ?? -1
  expect(findings.map((line) => line[at])).toEqual(['undefined', ...Array.from({ length: 3 }, () => 'in_progress')])
  const [head, ...lines] = (await file('csv')).trim().split('\r\n')
  expect(head).toMatch(/^cveid,vuln_id,verdict,components_count,.*,vuln_status,components$/)
  expect(lines.map((line) => line.split(',')).map((cells) => [cells[0], cells[3], cells.at(-1)])).toEqual([
    [b.cveid, '1', 'part1 1.0'],
    [a.cveid, '3', 'part0 1.0; part1 1.0; part2 2.0'],
  ])
  expect(JSON.parse(await file('json'))).toMatchObject([{ cveid: b.cveid }, { cveid: a.cveid, components_count: 3 }])
})

test('of a long list all is read once; then a page reads itself, until something changes or an hour is over', async () => {
  const org = await anOrg({ world: aWorld({ METER: '1' }), is_org_admin: true })
  const { env } = org.world
  const one = await aVulnerablePackage(org.world)
  await send(org, 'long', [one.purl('1.0')])
  const many = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)'
  await rows(
    env,
    `${many} INSERT INTO vulns(id, cveid, state, summary, score, epss, created_at, updated_at)
     SELECT 900000 + i, 'CVE-2032-' || (10000 + i), 'published', '', 50, i / 2000.0, 0, 0 FROM n`,
  )
  await rows(
    env,
    `${many} INSERT INTO inventory_findings
     SELECT ?1, 1, 1, 900000 + i, 'affected', 'confirmed', 'ghsa', NULL, '2.0', NULL, 0, '' FROM n`,
    org.org_id,
  )
  await rows(env, 'UPDATE inventories SET changes = changes + 1 WHERE org_id = ?1', org.org_id)
  const ask = async (list: string) => {
    const path = `/api/inventories/long/${list}`
    const answer = await org.world.request(path, { headers: { authorization: `JWT ${org.access}` } })
    const { count, results } = (await answer.json()) as { count: number; results: { cveid?: string }[] }
    const read = Number(/ read=(\d+)/.exec(answer.headers.get('server-timing') ?? '')?.[1])
    return { count, first: results[0]?.cveid, read }
  }
  const stored = ['findings', 'vulns', 'findings?kev=false&sorted_by=-score']
  for (const list of stored) expect([list, (await ask(list)).read > 1_500]).toEqual([list, true])
  for (const list of [...stored, 'findings?page=50']) expect([list, (await ask(list)).read < 250]).toEqual([list, true])
  expect(await ask('findings')).toMatchObject({ count: 1501, first: 'CVE-2032-11500' })
  // Pages beyond the stored list read all findings.
  expect((await ask('findings?page=51')).read).toBeGreaterThan(1_500)

  const decision = { status: 'fixed' } as const
  const findings = [{ vuln_id: 901_500, component_id: 1 }]
  await org.call(decideFindings, { params: { name: 'long' }, body: { findings, decision } })
  expect(await ask('findings')).toMatchObject({ count: 1500, first: 'CVE-2032-11499' })
  expect(await ask('vulns')).toMatchObject({ count: 1500, first: 'CVE-2032-11499' })
  await rows(env, 'UPDATE vulns SET epss = 1 WHERE id = 900001')
  const later = (hours: number) =>
    findFindings(openDb(env), org.org_id, {
      name: 'long',
      query: FindingQuery.parse({}),
      now: new Date(Date.now() + hours * 3_600_000),
    })
  expect((await later(1)).results[0]?.cveid).toBe('CVE-2032-10001')

  const [watched] = (await org.call(listVulns, { query: { monitored: true } })).results
  const today = new Date().toISOString().slice(0, 10)
  const body = { status: 'fixed', expires_at: today } as const
  await org.call(editStatus, { params: { id: watched?.id ?? 0 }, body })
  for (const isAnew of [true, false]) expect((await ask('vulns')).read > 1_500).toBe(isAnew)
  await org.world.tick(new Date(Date.now() + 2 * 86_400_000), '17 3 * * *')
  expect((await ask('vulns')).read).toBeGreaterThan(1_500)
})

test('a manager renames an inventory with all that is of it, to a name that no other has', async () => {
  const org = await anOrg({ is_org_admin: true })
  const stranger = await anOrg({ world: org.world, is_org_admin: true })
  const member = await aMember(org.world, org.org_id)
  const one = await aVulnerablePackage(org.world)
  await send(org, 'shop 1.0', [one.purl('1.0')])
  await send(org, 'other', [])
  const rename = (by: Pick<typeof org, 'answer'>, name: string, to: string) =>
    by.answer(renameInventory, { params: { name }, body: { name: to } })
  const refused = await rename(org, 'shop 1.0', 'other')
  expect([refused.status, await refused.json()]).toMatchObject([409, { issues: [{ path: ['name'] }] }])
  for (const [by, status] of [[member, 403] as const, [stranger, 404] as const])
    expect((await rename(by, 'shop 1.0', 'shop')).status).toBe(status)
  expect((await rename(org, 'shop 1.0', 'a/b')).status).toBe(400)
  const findings = await org.call(listFindings, { params: { name: 'shop 1.0' } })
  const tries = await Promise.all(['shop', 'shop', 'other'].map((to) => rename(org, 'shop 1.0', to)))
  expect(tries.map(({ status }) => status).toSorted()).toEqual([200, 404, 409])
  expect(await org.call(listFindings, { params: { name: 'shop' } })).toMatchObject({ results: findings.results })
  expect((await rename(org, 'shop', 'shop')).status).toBe(200)
  expect((await org.answer(getInventory, { params: { name: 'shop 1.0' } })).status).toBe(404)
  expect(await send(org, 'shop', [one.purl('1.0')])).toMatchObject({ is_new: false })
  await org.call(removeInventory, { params: { name: 'other' } })
  expect((await rename(org, 'shop', 'other')).status).toBe(200)
  expect(
    await org.world.sql`SELECT target, detail FROM audit_log WHERE action = 'inventory.rename' ORDER BY id`,
  ).toMatchObject([{ target: 'shop' }, { target: 'other' }])
})

test('another organization sees nothing of an inventory, and the quota holds', async () => {
  const [org, stranger] = [await anOrg(), await anOrg()]
  await send(org, 'ours', ['pkg:npm/nobody@1'])
  for (const path of [
    '',
    '/components',
    '/findings',
    '/vulns',
    '/upgrades',
    '/export/csv',
    '/export/csv?by=vulnerability',
  ])
    expect(
      (
        await stranger.world.request(`/api/inventories/ours${path}`, {
          headers: { authorization: `JWT ${stranger.access}` },
        })
      ).status,
    ).toBe(404)
  await org.world
    .sql`INSERT INTO inventories(org_id, id, name, format, subject, components_count, unmatched_count, created_at, updated_at, revision, changes)
     SELECT ${org.org_id}, value + 10, 'n' || value, 'x', NULL, 0, 0, '', '', 1, 0 FROM json_each(${JSON.stringify(Array.from({ length: 99 }, (_, at) => at))})`
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

test('every night a thirtieth is judged anew: nothing differs, and a difference is mended and reported', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const org = await anOrg()
  const one = await aVulnerablePackage(org.world)
  await send(org, 'shop', [one.purl('1.0'), one.purl('3.0')])
  const { env } = org.world
  const [item] = await rows<{ id: number }>(env, 'SELECT id FROM packages WHERE name = ?1', one.name)
  await org.call(setItems, { body: { kind: 'package', items: [{ id: item?.id ?? 0, versions: ['1.0', '3.0'] }] } })
  const [shop] = await rows<{ id: number }>(env, 'SELECT id FROM inventories WHERE org_id = ?1', org.org_id)
  const turns = [(org.org_id * 7 + (shop?.id ?? 0)) % 30, (item?.id ?? 0) % 30]
  const wholeMonth = async () => {
    let differ = 0
    for (let night = 0; night < 30; night++) {
      const at = new Date(now.getTime() + night * 86_400_000)
      if (!turns.includes(nightNumber(at))) continue
      await recheckAll(openDb(env), at).catch(
        ({ message }: Error) => (differ += Number(/^(\d+) verdicts were not/.exec(message)?.[1])),
      )
    }
    return differ
  }
  const findings = async () =>
    (await org.call(listFindings, { params: { name: 'shop' } })).results.map(({ version }) => version)
  expect([await wholeMonth(), await findings()]).toEqual([0, ['1.0']])
  // Inventories that thirty nights cannot judge take more nights.
  expect([0, 4_500, 4_501].map(countNights)).toEqual([30, 30, 60])
  await rows(env, 'DELETE FROM inventory_findings WHERE org_id = ?1', org.org_id)
  await rows(env, "UPDATE version_verdicts SET verdict = 0 WHERE item_id = ?1 AND version = '1.0'", item?.id)
  expect(await wholeMonth()).toBe(2)
  expect([await wholeMonth(), await findings()]).toEqual([0, ['1.0']])
  await rows(env, "INSERT INTO inventory_days VALUES (?1, 1, '2020-01-01', 1, 0, 0, 0, 0, 0, 0, 0, 0)", org.org_id)
  await pruneDays(openDb(env), now)
  expect((await org.call(getInventory, { params: { name: 'shop' } })).days.map(({ day }) => day)).not.toContain(
    '2020-01-01',
  )
}, 60_000)

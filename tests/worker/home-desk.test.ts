import { expect, test } from 'vitest'
import { setSnooze } from '../../worker/decisions/decide-contract'
import { openDb } from '../../worker/db/open'
import { stamp } from '../../worker/db/time'
import { openQuery } from '../../worker/domain/decisions/status'
import { verdictRank, type RunVerdict } from '../../worker/domain/versions/verdict'
import { previewRoute } from '../../worker/alerts/receivers/contract'
import { getSample } from '../../worker/alerts/reports/contract'
import {
  closeFirstSteps,
  dueOrOverdueQuery,
  homeDesk,
  listFirstSteps,
  monitoredStats,
} from '../../worker/home/contract'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { sumDays } from '../../worker/home/desk'
import { editStatuses } from '../../worker/triage/contract'
import { listVulns } from '../../worker/vulns/contract'
import { eachTest } from './support/each-test'
import { aVulnerablePackage, merge, now, send } from './support/inventory-scene'
import { fillLargeBase } from './support/large-base'
import { anOrg, rows } from './support/org'
import { insertVuln } from './support/public-rows'
import { aWorld } from './support/world'

const world = eachTest(() => aWorld({ METER: '1' }))

const rowsRead = ({ headers }: Response) => Number(/ read=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1])
const daysAhead = (days: number) => stamp(new Date(Date.now() + days * 86_400_000)).slice(0, 10)
const now_s = () => Math.floor(Date.now() / 1000)

async function watch(org_id: number, vuln_id: number, verdict: RunVerdict | null = null) {
  await world.sql`INSERT INTO org_vulns(org_id, vuln_id, touched, verdict)
    SELECT ${org_id}, id, updated_at, ${verdict && verdictRank(verdict)} FROM vulns WHERE id = ${vuln_id}`
  await world.sql`INSERT INTO monitored_vulns(org_id, vuln_id, created_at) VALUES (${org_id}, ${vuln_id}, '')`
}

test('home answers with what is exploited, overdue and changed, as the lists behind it count', async () => {
  const org = await anOrg({ world })
  const add = async (verdict: RunVerdict | null, columns: Record<string, string | number | null>) => {
    const { id } = await insertVuln(world, { updated_at: now_s() - 10 * 86_400, ...columns })
    await watch(org.org_id, id, verdict)
    return id
  }
  const kev = (added: number, due: number) => ({
    is_in_the_wild: 1,
    kev_added_at: daysAhead(added),
    kev_due_at: daysAhead(due),
  })
  const affected = await add('confirmed', kev(-40, -19))
  const soon = await add(null, kev(-3, 4))
  const later = await add(null, kev(-2, 19))
  const wild = await add('unknown', { is_in_the_wild: 1 })
  const safe = await add('not_affected', kev(-30, -9))
  const fixed = await add('confirmed', kev(-1, -1))
  const asleep = await add('confirmed', kev(-1, -1))
  const changed = await add(null, { updated_at: now_s() - 3600 })
  const hidden = await add(null, { org_id: org.org_id, cveid: `ORG-${org.org_id}-1`, ...kev(-50, -29) })
  await insertVuln(world, kev(-1, -1))
  await org.call(editStatuses, { body: { ids: [fixed], status: 'fixed' } })
  await org.call(setSnooze, { params: { id: asleep }, body: { on_fix: true } })
  await world.sql`INSERT INTO vuln_changes(vuln_id, at, kind, source, detail) VALUES
      (${changed}, ${stamp(new Date(Date.now() - 3_600_000))}, 'updated', 'nvd', '[{"field":"is_exploitable","to":true}]'), (${changed}, ${stamp(new Date(Date.now() - 3_599_000))}, 'minor', 'nvd', '[{"field":"summary"}]')`

  const desk = await org.call(homeDesk)
  const ids = (listed: { id: number }[]) => listed.map(({ id }) => id)
  expect(desk).toMatchObject({
    since: null,
    exploited: 5,
    affecting: 1,
    overdue: 2,
    changed: 1,
    changed_is_exact: true,
  })
  expect(ids(desk.kev)).toEqual([later, soon, affected, hidden])
  expect(ids(desk.due)).toEqual([hidden, affected, soon])
  expect(desk.changes).toMatchObject([{ id: changed, texts: [expect.stringMatching(/exploit/i)] }])

  const listed = async (q: string, more = {}) =>
    ids((await org.call(listVulns, { query: { q, monitored: true, sorted_by: 'risk', ...more } })).results)
  expect(ids(desk.worst)).toEqual((await listed(openQuery)).slice(0, 5))
  // Vulnerabilities known to be safe stand at the end of the list, and are not counted.
  expect(await listed(`${openQuery} wild`)).toEqual([affected, hidden, soon, later, wild, safe])
  expect(await listed(`${openQuery} due<today`)).toHaveLength(desk.overdue + 1)
  expect(await listed(`${openQuery} updated>${stamp(new Date(Date.now() - 86_400_000))}`)).toHaveLength(desk.changed)
  expect((await listed(dueOrOverdueQuery)).length).toBe(desk.due.length + 2)

  const week = await org.call(homeDesk, { query: { since: stamp(new Date(Date.now() - 12 * 86_400_000)) } })
  expect(week.changed).toBe(7)
  expect(await (await anOrg({ world })).call(homeDesk)).toMatchObject({
    exploited: 0,
    overdue: 0,
    changed: 0,
    worst: [],
  })
})

test('home says that a component waits to be compared with what a merge said', async () => {
  const org = await anOrg()
  const one = await aVulnerablePackage(org.world, { lt: '1.0' })
  await send(org, 'shop', [one.purl('2.0')])
  const claimed = { key: 'eu', by: 'eu', name: 'EU KEV', exploited: true, reason: 'confirmed' } as const
  await merge(org.world, {
    cveid: `CVE-2031-9${one.number}000`,
    packages: [{ type: one.type, name: one.name, ranges: [{ order: 'maven', lt: '3.0' }] }],
    claims: [{ ...claimed, added: '2026-11-20', notes: '', link: '' }],
  })
  expect(await org.call(homeDesk)).toMatchObject({ exploited: 0, comparing_count: 1 })
  while (!(await rejudgeDue(openDb(org.world.env), now, { turns: 8, ms: 60_000 })));
  expect(await org.call(homeDesk)).toMatchObject({ exploited: 1, comparing_count: 0 })
})

test('home answers an organization with much from few rows', async () => {
  await fillLargeBase(world)
  const { answer, org_id } = await anOrg({ world })
  await world.sql`INSERT INTO org_vulns(org_id, vuln_id, touched, verdict)
    SELECT ${org_id}, id, updated_at, id % 4 FROM vulns`
  const response = await answer(homeDesk, { query: { since: daysAhead(-30) } })
  expect(rowsRead(response)).toBeLessThan(12_000)
  expect(await response.json()).toMatchObject({ exploited: expect.any(Number), worst: { length: 5 } })
})

test('the days of several inventories are added, and one that was not counted counts as before', () => {
  const day = (inventory_id: number, on: string, critical: number) => ({
    inventory_id,
    day: on,
    critical,
    high: 1,
    medium: 0,
    low: 0,
    unscored: 0,
  })
  const summed = sumDays([
    day(2, '2026-01-03', 1),
    day(1, '2026-01-01', 2),
    day(1, '2026-01-03', 5),
    day(2, '2026-01-04', 0),
  ])
  expect(summed.map((one) => [one.day, one.critical, one.high])).toEqual([
    ['2026-01-01', 2, 1],
    ['2026-01-03', 6, 2],
    ['2026-01-04', 5, 2],
  ])
})

test('the open vulnerabilities of 90 days are those that could concern the organization and were not settled, by severity', async () => {
  const [org, other] = [await anOrg({ world }), await anOrg({ world })]
  const add = async (days: number, columns: Record<string, number | null>, verdict: RunVerdict | null = null) => {
    const { id } = await insertVuln(world, columns)
    await watch(org.org_id, id, verdict)
    await world.sql`UPDATE org_vulns SET since = ${now_s() - days * 86_400} WHERE vuln_id = ${id}`
    return id
  }
  await add(200, { cvss3: 9.8 })
  await add(40, { cvss: 9, cvss4: 6.9 }, 'unknown')
  await add(30, { cvss: 9 }, 'not_affected')
  await add(10, { cvss: null, cvss3: null, score: 85 })
  const fixed = await add(20, { cvss3: 7.5 }, 'confirmed')
  await org.call(editStatuses, { body: { ids: [fixed], status: 'fixed' } })
  await world.sql`UPDATE decisions SET decided_at = ${`${daysAhead(-5)}T10:00:00Z`}`
  await other.call(editStatuses, { body: { ids: [fixed], status: 'undefined' } })
  const { days } = await org.call(monitoredStats)
  const on = (ago: number) => {
    const { day: _day, ...counts } = days?.find(({ day }) => day === daysAhead(-ago)) ?? { day: '' }
    return Object.values(counts).join(' ')
  }
  // Critical, high, medium, low, unscored.
  expect([90, 45, 40, 25, 20, 10, 6, 5, 0].map(on)).toEqual([
    '1 0 0 0 0',
    '1 0 0 0 0',
    '1 0 1 0 0',
    '1 0 1 0 0',
    '1 1 1 0 0',
    '2 1 1 0 0',
    '2 1 1 0 0',
    '2 0 1 0 0',
    '2 0 1 0 0',
  ])
  const open = await org.call(listVulns, { query: { q: openQuery, monitored: true } })
  const safe = await org.call(listVulns, { query: { affects: 'no' } })
  expect(open.count - safe.count).toBe(3)
  expect((await other.call(monitoredStats)).days).toEqual([])
})

test('a new organization has its first steps until they are done or closed, and sees a sample before it has alerts', async () => {
  const [org, old] = [await anOrg({ world, is_org_admin: true }), await anOrg({ world })]
  const steps = async () => (await org.call(listFirstSteps)).steps.map(({ name, is_done }) => [name, is_done])
  expect([await steps(), await old.call(listFirstSteps)]).toEqual([[], { steps: [] }])
  await world.sql`UPDATE orgs SET created_at = ${stamp(new Date())}`
  const open = [
    ['monitor', false],
    ['addresses', true],
    ['test', false],
    ['colleague', false],
    ['inventory', false],
  ]
  expect(await steps()).toEqual(open)
  expect((await org.answer(getSample)).status).toBe(404)
  const { id } = await insertVuln(world, { is_in_the_wild: 1, kev_added_at: daysAhead(-1), cveid: 'CVE-2024-40001' })
  const sample = await old.call(getSample)
  expect(sample.alert.subject).toContain('CVE-2024-40001')
  expect(sample.report).toMatchObject({ kind: 'weekly', updated: 1, kev: 1, rows: [{ id, name: 'CVE-2024-40001' }] })
  expect(await org.call(previewRoute, { body: { kind: 'email' } })).toMatchObject({ alert_id: null, vuln: { id } })
  const { org_id } = org
  for (const [at, [sql, ...values]] of (
    [
      ["INSERT INTO monitored_vulns(org_id, vuln_id, created_at) VALUES (?1, ?2, '')", id],
      ["INSERT INTO alert_channels(org_id, channel, last_success_at) VALUES (?1, 'email', '2026-01-01')"],
      ['INSERT INTO members(org_id, user_id) VALUES (?1, ?2)', old.user_id],
    ] as const
  ).entries()) {
    await rows(world.env, sql, org_id, ...values)
    expect((await steps()).filter(([, is_done]) => is_done)).toHaveLength(at + 2)
  }
  await old.call(closeFirstSteps)
  expect((await old.call(listFirstSteps)).steps).toEqual([])
  expect(await steps()).toHaveLength(5)
  await world.sql`INSERT INTO inventories(org_id, id, name, format, components_count, unmatched_count, created_at, updated_at, revision, changes)
      VALUES (${org_id}, 1, 'shop', '', 0, 0, '', '', 1, 1)`
  expect(await steps()).toEqual([])
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { tellSnoozeEnds } from '../../worker/alerts/plan/snooze-ends'
import { recountDay } from '../../worker/alerts/proof/proof'
import { urgentNews } from '../../worker/alerts/urgent/contract'
import { openDb } from '../../worker/db/open'
import { plusSeconds, stamp } from '../../worker/db/time'
import { snoozeEndWords } from '../../worker/domain/alerts/news-numbers'
import { endDecisions } from '../../worker/decisions/end'
import type { Source, VulnRecord } from '../../worker/domain/words/record'
import { setSnooze, undoDecisions } from '../../worker/decisions/decide-contract'
import { listFindings } from '../../worker/inventories/finding-contract'
import { decideFindings } from '../../worker/inventories/proposal-contract'
import { saveRecords } from '../../worker/merge/save-records'
import { togglePackage, toggleProduct } from '../../worker/monitoring/contract'
import { disableOrg, enableOrg, setTrial } from '../../worker/orgs/contract'
import { leaveOrg, restoreOrg } from '../../worker/orgs/leaving/contract'
import { editStatus } from '../../worker/triage/contract'
import { ageAlerts, aScene, beginAtNoon, findDeliveries, logChange, logExploited, point } from './support/alerting'
import type { AlertingScene, WatchingOrg } from './support/alerting'
import { aVulnerablePackage, send } from './support/inventory-scene'
import { anOrg, rows } from './support/org'

let scene: AlertingScene
beforeEach(async () => {
  beginAtNoon()
  scene = await aScene()
})
afterEach(() => scene.origins.restore())

const day = (ahead: number) => stamp(plusSeconds(scene.now(), ahead * 86_400)).slice(0, 10)
const plan = async () => {
  await scene.world.sql`UPDATE vuln_changes SET at = ${stamp(scene.now())} WHERE at = '2026-11-20T00:00:00Z'`
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
}
const burns = async (id: number) => {
  await logExploited(scene.world, id)
  await plan()
}
/** The messages after a night of so many days ahead. */
async function night(ahead: number) {
  const { env } = scene.world
  const at = plusSeconds(scene.now(), ahead * 86_400)
  await endDecisions(openDb(env), at)
  await tellSnoozeEnds(env, openDb(env), at)
  return (await findDeliveries(scene.world)).map(({ rule }) => rule)
}
const ledger = async ({ call }: WatchingOrg) =>
  (await call(listAlerts)).results.map(({ rule, status, reason }) => [rule, status, reason])
const prove = async ({ org_id }: WatchingOrg) =>
  (await recountDay(openDb(scene.world.env), { day: day(0), org_id })).get(org_id)

test('urgent news of a vulnerability that was snoozed after its alert had left joins no alert that was told: the ledger and the proof say so, and it is told in the end', async () => {
  const org = await scene.watching()
  await scene.world.sql`UPDATE monitored_products SET created_at = '2026-01-01T00:00:00Z'`
  await point(scene, org, 'slack')
  await logChange(scene.world, 1, { cvss3: 6 }, { changes: [{ field: 'cvss3', from: 5, to: 6 }] })
  await plan()
  await org.call(setSnooze, { params: { id: 1 }, body: { until: day(2) } })
  await burns(1)
  expect(await ledger(org)).toEqual([
    ['kev', 'suppressed', 'You snoozed the vulnerability'],
    ['updated', 'sent', null],
  ])
  expect(await prove(org)).toMatchObject({ matched: 2, delivered: 1, suppressed: 1, lost: 0, doubled: 0 })
  // A further change of it joins what is quiet.
  await logChange(scene.world, 1, { is_exploitable: 1 }, { changes: [{ field: 'is_exploitable', to: true }] })
  await plan()
  expect(await ledger(org)).toHaveLength(2)
  expect(await night(1)).toEqual(['updated'])
  expect(await night(2)).toHaveLength(2)
  expect(await night(3)).toHaveLength(2)
})

test('a vulnerability that turned urgent while it was not interesting is told once its status has ended, and one whose snooze was taken back as well', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await ageAlerts(scene.world)
  const status = { status: 'not_interesting' as const, expires_at: day(2) }
  await org.call(editStatus, { params: { id: 1 }, body: status })
  await org.call(editStatus, { params: { id: 3 }, body: { ...status, expires_at: day(9) } })
  const { undo } = await org.call(setSnooze, { params: { id: 2 }, body: { until: day(9) } })
  for (const id of [1, 2, 3]) await burns(id)
  const before = (await night(1)).length
  await org.call(undoDecisions, { body: { changes: [undo ?? ''] } })
  expect(await night(2)).toHaveLength(before + 1)
  expect(await night(3)).toHaveLength(before + 2)
  expect(await night(4)).toHaveLength(before + 2)
  const told = (await org.call(listAlerts)).results.filter(({ changes }) => changes[0]?.includes('kept it quiet'))
  expect(told.map(({ vuln }) => vuln.id)).toEqual([1, 2])
})

test('a component decided not to be affected until a day hides no exploitation that became known meanwhile, though the first document told of it', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  const one = await aVulnerablePackage(scene.world)
  await scene.later(1)
  await send(org, 'shop', [one.purl('1.0')])
  await scene.later(1)
  const [finding] = (await org.call(listFindings, { params: { name: 'shop' } })).results
  const { vuln_id = 0, component_id = 0 } = finding ?? {}
  const decision = { status: 'not_affected', justification: 'vulnerable_code_not_present', expires_at: day(2) } as const
  const body = { findings: [{ vuln_id, component_id }], decision }
  await org.call(decideFindings, { params: { name: 'shop' }, body })
  await ageAlerts(scene.world)
  await burns(vuln_id)
  expect(await night(1)).toEqual([])
  expect(await night(3)).toEqual(['updated'])
  expect(await night(4)).toEqual(['updated'])
  expect((await org.call(urgentNews)).results.map(({ rule, vuln }) => [rule, vuln.id])).toEqual([['kev', vuln_id]])
  expect(await prove(org)).toMatchObject({ matched: 1, lost: 0, unsure: 1 })
})

test('a vulnerability that turned urgent during a snooze rings the bell at its end, though no channel takes it', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { on_new: false, on_update: false })
  await scene.world.sql`UPDATE alert_settings SET on_new = 0, on_update = 0`
  await org.call(setSnooze, { params: { id: 1 }, body: { until: day(1) } })
  await burns(1)
  expect((await org.call(urgentNews)).unread).toBe(0)
  for (const ahead of [2, 3]) expect(await night(ahead)).toEqual([])
  expect((await org.call(urgentNews)).results).toMatchObject([{ rule: 'kev', vuln: { id: 1 } }])
})

test('exploitation that became known of an advisory during its snooze is told at the end, though the snooze has followed it into its CVE', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  const { env } = scene.world
  const packages = [{ type: 'npm', name: '@acme/widget', ranges: [{ order: 'semver', lt: '2.0.0' } as const] }]
  const [advisory, cveid] = ['GHSA-2222-3333-4444', 'CVE-2026-70001']
  const say = async (source: Source, record: Partial<VulnRecord>, withdrawn: { cveid: string; ref: string }[] = []) => {
    const records = [
      { cveid, state: 'published' as const, summary: 'A flaw.', modified: stamp(scene.now()), ...record },
    ]
    await saveRecords(openDb(env), { source, records, withdrawn, is_backfill: false, now: scene.now() })
    await scene.later(15)
    const [vuln] = await rows<{ id: number }>(env, 'SELECT id FROM vulns WHERE cveid = ?1', record.cveid ?? cveid)
    return vuln?.id ?? 0
  }
  await say('ghsa', { cveid: 'CVE-2026-70000', ref: 'GHSA-some-some-some', packages })
  await org.call(togglePackage, { body: { package_type: 'npm', package_name: '@acme/widget', monitored: true } })
  const id = await say('ghsa', { cveid: advisory, ref: advisory, packages })
  const ofCve = await say('nvd', {})
  await org.call(setSnooze, { params: { id }, body: { until: day(2) } })
  await burns(id)
  await say('ghsa', { ref: advisory, aliases: [advisory], packages }, [{ cveid: advisory, ref: advisory }])
  await rows(env, "UPDATE vulns SET kev_added_at = '2026-11-20' WHERE id = ?1", ofCve)
  const quiet = (await ledger(org)).filter(([, status]) => status === 'suppressed')
  expect(quiet.map(([rule]) => rule)).toEqual(['updated', 'kev'])
  expect(await night(1)).toHaveLength(1)
  expect(await night(2)).toHaveLength(2)
  expect(await night(3)).toHaveLength(2)
  expect((await org.call(urgentNews)).results.map(({ rule, vuln }) => [rule, vuln.id])).toEqual([['kev', ofCve]])
})

test('a vulnerability that was called malicious while it was settled is told once its status has ended, as one that turned exploited is', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await org.call(editStatus, { params: { id: 1 }, body: { status: 'fixed', expires_at: day(2) } })
  await logChange(scene.world, 1, { is_malicious: 1 }, { changes: [{ field: 'is_malicious', to: true }] })
  await plan()
  expect(await ledger(org)).toEqual([
    ['malicious', 'suppressed', 'The vulnerability is fixed or not interesting to you'],
  ])
  expect(await night(1)).toEqual([])
  expect(await night(3)).toEqual(['malicious'])
  expect(await night(4)).toEqual(['malicious'])
})

test('organizations for which the queries of an invocation did not suffice are told in the same night by the next one, which asks nothing of the others again', async () => {
  const orgs = [await scene.watching(), await scene.watching(), await scene.watching()]
  const { env } = scene.world
  for (const org of orgs) {
    await point(scene, org, 'slack', { on_new: false, on_update: false, on_kev: true })
    await org.call(setSnooze, { params: { id: 1 }, body: { until: day(1) } })
  }
  await burns(1)
  const at = plusSeconds(scene.now(), 2 * 86_400)
  await endDecisions(openDb(env), at)
  const turns = async (count: number) => {
    const db = openDb(env)
    // As if so many had been asked that one organization alone has a turn.
    db.meter.queries = 499
    expect(await tellSnoozeEnds(env, db, at)).toBe(count ? 'more' : 'done')
  }
  for (const left of [2, 1, 0, 0]) await turns(left)
  expect((await findDeliveries(scene.world)).map(({ rule, org_id }) => [rule, org_id]).toSorted()).toEqual(
    orgs.map(({ org_id }) => ['kev', org_id]).toSorted(),
  )
})

test('more ended snoozes than a step looks at, with nothing left to tell, keep those behind them from nothing', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { on_kev: true })
  await scene.modify(...Array.from({ length: 505 }, (_, at): [string] => [`CVE-2026-${30_000 + at}`]))
  const { env } = scene.world
  // Listed while they were snoozed, and all but the last two no longer so.
  await rows(env, 'DELETE FROM deliveries')
  await rows(env, "UPDATE alerts SET change_seq = last_seq, fired = 8, suppressed = 'snoozed', planned = '{}'")
  await rows(env, "UPDATE vulns SET kev_added_at = '2026-11-20' WHERE id > (SELECT max(id) - 2 FROM vulns)")
  await rows(
    env,
    `INSERT INTO decisions(vuln_id, org_id, scope, verdict, decided_at, ended_at, ended_by)
     SELECT vuln_id, org_id, 'alerts', 'snoozed', ?1, ?1, 'person' FROM alerts WHERE org_id = ?2`,
    stamp(scene.now()),
    org.org_id,
  )
  expect(await night(1)).toEqual(['kev', 'kev'])
  expect(await night(2)).toHaveLength(2)
})

const pass = () => vi.setSystemTime(Date.now() + 60_000)
/** As `burns`, now. */
async function logNow(id: number, columns: Parameters<typeof logChange>[2], field: string, to: unknown) {
  pass()
  await logChange(scene.world, id, columns, { changes: [{ field, from: null, to }] })
  await scene.world.sql`UPDATE vuln_changes SET at = ${stamp(new Date())} WHERE at = '2026-11-20T00:00:00Z'`
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
}
const turnExploited = (id: number) => logNow(id, { kev_added_at: '2026-11-20' }, 'kev_added_at', '2026-11-20')
type Root = Awaited<ReturnType<typeof anOrg>>
type Pause = (root: Root, org: WatchingOrg, isOn: boolean) => Promise<unknown>
const byTrial =
  (goOn: (root: Root, params: { id: number }) => Promise<unknown>): Pause =>
  (root, { org_id }, isOn) =>
    isOn
      ? goOn(root, { id: org_id })
      : scene.world.sql`UPDATE orgs SET trial_ends_at = '2026-01-01T00:00:00Z' WHERE id = ${org_id}`
const byOperator: Pause = (root, { org_id }, isOn) =>
  root.call(isOn ? enableOrg : disableOrg, { params: { id: org_id } })
const byRemoval: Pause = async (_, { world, org_id, call }, isOn) => {
  const [found] = await world.sql<{ name: string }>`SELECT name FROM orgs WHERE id = ${org_id}`
  await (isOn ? call(restoreOrg) : call(leaveOrg, { body: { name: found?.name ?? '' } }))
}
const pauses: [string, Pause][] = [
  ['a trial that was over is extended', byTrial((root, params) => root.call(setTrial, { params, body: { days: 7 } }))],
  [
    'a trial that was over is converted',
    byTrial((root, params) => root.call(setTrial, { params, body: { convert: true } })),
  ],
  ['a disabled organization is enabled again', byOperator],
  ['a removal is taken back', byRemoval],
]
test.each(pauses)(
  'as %s, what turned urgent meanwhile, and still is, is told once to each channel at once, and in no night again',
  async (_, set) => {
    const root = await anOrg({ world: scene.world, is_admin: true })
    const [org, other] = [await scene.watching(), await scene.watching()]
    for (const one of [org, other])
      for (const channel of ['slack', 'teams'])
        await point(scene, one, channel, { on_new: false, on_update: false, on_kev: true })
    await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'], ['CVE-2026-20003'], ['CVE-2026-20004'])
    await org.call(editStatus, { params: { id: 4 }, body: { status: 'fixed' } })
    await ageAlerts(scene.world)
    await set(root, org, false)
    await set(root, other, false)
    for (const id of [1, 2, 3, 4]) await turnExploited(id)
    await logNow(5, { cvss3: 6 }, 'cvss3', 6)
    // One is exploited no more, and one was withdrawn.
    await scene.world.sql`UPDATE vulns SET kev_added_at = NULL WHERE id = 2`
    await scene.world.sql`UPDATE vulns SET state = 'rejected' WHERE id = 3`
    expect(await findDeliveries(scene.world)).toEqual([])
    pass()
    await set(root, org, true)
    await scene.world.drain()
    const told = (channel: string) => ({ org_id: org.org_id, channel, rule: 'kev', status: 'sent' })
    expect(await findDeliveries(scene.world)).toMatchObject([told('slack'), told('teams')])
    for (const ahead of [1, 2, 3]) expect(await night(ahead)).toHaveLength(2)
    const kept = (await org.call(listAlerts)).results.filter(({ changes }) => changes[0] === snoozeEndWords)
    expect(kept.map(({ vuln }) => vuln.id)).toEqual([1])
    expect(await prove(org)).toMatchObject({ lost: 0, doubled: 0 })
  },
)

test('a vulnerability that was new to a disabled organization and exploited already is told as it is enabled; one that it watches only since then is not', async () => {
  const root = await anOrg({ world: scene.world, is_admin: true })
  const org = await scene.watching()
  await point(scene, org, 'slack')
  const later = await anOrg({ world: scene.world, is_org_admin: true })
  for (const one of [org, later]) await byOperator(root, one, false)
  pass()
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await scene.world.sql`UPDATE vulns SET kev_added_at = '2026-11-20' WHERE id = 2`
  pass()
  for (const one of [org, later]) await byOperator(root, one, true)
  pass()
  await later.call(toggleProduct, { body: { vendor_name: 'acme', product_name: 'widget', monitored: true } })
  await byOperator(root, org, true)
  // The messages that said so were lost.
  scene.world.waiting.length = 0
  for (const ahead of [1, 2]) expect(await night(ahead)).toHaveLength(1)
  expect((await org.call(urgentNews)).results.map(({ rule, vuln }) => [rule, vuln.id])).toEqual([['kev', 2]])
  expect((await later.call(urgentNews)).results).toEqual([])
})

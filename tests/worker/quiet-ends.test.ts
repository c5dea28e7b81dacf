import { afterEach, beforeEach, expect, test } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { tellSnoozeEnds } from '../../worker/alerts/plan/snooze-ends'
import { recountDay } from '../../worker/alerts/proof/proof'
import { urgentNews } from '../../worker/alerts/urgent/contract'
import { openDb } from '../../worker/db/open'
import { plusSeconds, stamp } from '../../worker/db/time'
import { endDecisions } from '../../worker/decisions/end'
import type { Source, VulnRecord } from '../../worker/domain/words/record'
import { setSnooze } from '../../worker/decisions/quiet-contract'
import { undoDecisions } from '../../worker/decisions/undo-contract'
import { listFindings } from '../../worker/inventories/contract'
import { decideFindings } from '../../worker/inventories/decision-contract'
import { saveRecords } from '../../worker/merge/save-records'
import { togglePackage } from '../../worker/monitoring/contract'
import { editStatus } from '../../worker/triage/contract'
import { ageAlerts, aScene, beginAtNoon, findDeliveries, logChange, logExploited, point } from './support/alerting'
import type { AlertingScene, WatchingOrg } from './support/alerting'
import { aVulnerablePackage, send } from './support/inventory-scene'
import { rows } from './support/org'

let scene: AlertingScene
beforeEach(async () => {
  beginAtNoon()
  scene = await aScene()
})
afterEach(() => scene.origins.restore())

const day = (ahead: number) => stamp(plusSeconds(scene.now(), ahead * 86_400)).slice(0, 10)
const plan = async () => {
  await rows(scene.world.env, "UPDATE vuln_changes SET at = ?1 WHERE at = '2026-11-20T00:00:00Z'", stamp(scene.now()))
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
  await rows(scene.world.env, "UPDATE monitored_products SET created_at = '2026-01-01T00:00:00Z'")
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
  await rows(scene.world.env, 'UPDATE alert_settings SET on_new = 0, on_update = 0')
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

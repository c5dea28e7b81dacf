import { beforeEach, expect, test } from 'vitest'
import { findHeld, reportHeld } from '../../worker/alerts/reports/held-deliveries'
import { planAlerts } from '../../worker/alerts/plan/plan'
import { listAlerts } from '../../worker/alerts/contract'
import { openDb } from '../../worker/db/open'
import { alertRules, describeRule } from '../../worker/domain/alerts/alert-rules'
import { editStatus } from '../../worker/triage/contract'
import { aMetric } from '../support/records'
import { eachTest } from './support/each-test'
import { ageAlerts, aScene, configure, findDeliveries, logChange, point } from './support/alerting'
import { rows } from './support/org'

const scene = eachTest(aScene)
beforeEach(async () => {
  await scene.world.sql`UPDATE vulns SET score = 70, cvss = 5, cvss3 = 5 WHERE id = 1`
})

const plan = async () => {
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
}
const none = { on_new: false, on_update: false }
const rose = (field: string, from: number | null, to: number | null) => [{ field, from, to }]

test.each([
  ['on_exploitable', { is_exploitable: 1 }, [{ field: 'is_exploitable', to: true }], 'exploitable'],
  ['on_exploitable', { is_exploitable: 0 }, [{ field: 'is_exploitable', to: false }], null],
  ['on_kev', { kev_added_at: '2026-11-20' }, [{ field: 'kev_added_at', from: null, to: '2026-11-20' }], 'kev'],
  ['on_kev', { kev_added_at: null }, [{ field: 'kev_added_at', from: '2026-11-20', to: null }], null],
  ['on_fix', {}, [{ field: 'fixes', added: ['acme:widget 2.0'], count: 1 }], 'fix'],
  ['on_fix', {}, [{ field: 'versions', products: ['acme:widget'], count: 1 }], null],
  ['on_update', { cvss3: 6 }, rose('cvss3', 5, 6), 'updated'],
  ['on_score', { score: 80 }, rose('score', 79, 80), 'score'],
  ['on_score', { score: 90 }, rose('score', null, 90), 'score'],
  ['on_score', { score: 90 }, rose('score', 80, 90), null],
  ['on_score', { score: 79 }, rose('score', 10, 79), null],
  ['on_score', { score: 60 }, rose('score', 90, 60), null],
  ['on_score', { score: null }, rose('score', 90, null), null],
  ['on_cvss', { cvss: 8 }, rose('cvss', 7.9, 8), 'cvss'],
  ['on_cvss', { cvss: 9 }, rose('cvss', 8, 9), null],
  ['on_cvss', { cvss: 7.9 }, rose('cvss', null, 7.9), null],
  ['on_cvss3', { cvss3: 8.1 }, rose('cvss3', null, 8.1), 'cvss3'],
  ['on_cvss3', { cvss3: 10 }, rose('cvss3', 8, 10), null],
  ['on_epss', { epss: 0.1, epss_percentile: 0.95 }, rose('epss', 0.01, 0.1), 'epss'],
  ['on_epss', { epss: 0.7, epss_percentile: 0.94 }, rose('epss', null, 0.7), null],
  ['on_epss', { epss: 0.5, epss_percentile: 0.97 }, rose('epss', 0.9, 0.5), null],
])('%s with %j and %j is told by the rule %s', async (column, columns, changes, rule) => {
  const org = await scene.watching()
  await configure(org, 'email', none)
  await point(scene, org, 'slack', { ...none, [column]: true })
  const isMinor = column === 'on_score'
  await logChange(scene.world, 1, columns, { kind: isMinor ? 'minor' : 'updated', changes })
  await plan()
  expect((await findDeliveries(scene.world)).map((one) => [one.rule, one.status])).toEqual(rule ? [[rule, 'sent']] : [])
  const { results } = await org.call(listAlerts)
  // A score that crosses nothing is no news at all.
  expect(results.map(({ status, reason }) => [status, reason])).toEqual(
    rule ? [['sent', null]] : isMinor ? [] : [['suppressed', 'Its kind is switched off, or rules leave it out']],
  )
})

test('a threshold is the organization’s own, and a new vulnerability begins below every one', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook', { ...none, on_cvss3: true, cvss3_value: 9.5 })
  await point(scene, org, 'slack', { ...none, on_cvss3: true, cvss3_value: 9.9 })
  await scene.modify(['CVE-2026-20001'])
  expect((await findDeliveries(scene.world)).map(({ channel, rule }) => [channel, rule])).toEqual([
    ['webhook', 'cvss3'],
  ])
  await point(scene, org, 'webhook', { ...none, on_epss: true, epss_value: '50%' })
  await point(scene, org, 'slack', { ...none, on_epss: true })
  await ageAlerts(scene.world)
  const epss = { epss: 0.2, epss_percentile: 0.96 }
  await logChange(scene.world, 1, epss, { kind: 'minor', changes: rose('epss', 0.19, 0.2) })
  await plan()
  expect((await findDeliveries(scene.world)).map(({ channel, rule }) => [channel, rule])).toEqual([
    ['webhook', 'cvss3'],
    ['slack', 'epss'],
  ])
  expect((await scene.box.taken('slack'))[0]?.body).toContain('rose to an EPSS of 20.0%')
})

test('a channel takes only what scores enough; an unscored vulnerability only when it is exploited', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { min_score: 75 })
  for (const [score, cvss3] of [
    [74, 5.1],
    [75, 5.2],
    [null, 5.3],
  ] as const) {
    await ageAlerts(scene.world)
    await logChange(scene.world, 1, { score, cvss3 }, { changes: rose('cvss3', 5, cvss3) })
    await plan()
  }
  expect(await findDeliveries(scene.world)).toHaveLength(1)
  await ageAlerts(scene.world)
  await logChange(scene.world, 1, { score: null, kev_added_at: '2026-11-20' }, { changes: rose('cvss3', 5, 5.4) })
  await plan()
  expect(await findDeliveries(scene.world)).toHaveLength(2)
})

test('a new vulnerability that a least score leaves out, as it has none, is told once it has one', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { on_new: true, on_update: false, on_cvss3: false, min_score: 75 })
  for (const before of [74, null]) {
    await ageAlerts(scene.world)
    await logChange(scene.world, 1, { score: 80 }, { changes: rose('score', before, 80) })
    await plan()
    expect((await findDeliveries(scene.world)).map(({ rule }) => rule)).toEqual(before ? [] : ['new'])
  }
})

test('ten changes of one vulnerability within ten minutes are one alert that tells of all; only a first exploit is told again', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { on_exploitable: true })
  for (let at = 0; at < 10; at++) {
    await logChange(scene.world, 1, { cvss3: 5 + at / 10 }, { changes: rose('cvss3', 5 + (at - 1) / 10, 5 + at / 10) })
    await plan()
  }
  const [alert, ...more] = (await org.call(listAlerts)).results
  expect([more, alert?.changes.length]).toEqual([[], 10])
  expect(await scene.box.taken('slack')).toHaveLength(1)
  await logChange(scene.world, 1, { is_exploitable: 1 }, { changes: [{ field: 'is_exploitable', to: true }] })
  await plan()
  expect((await org.call(listAlerts)).results.map(({ rule }) => rule)).toEqual(['exploitable'])
  expect((await findDeliveries(scene.world)).map(({ rule }) => rule)).toEqual(['updated', 'exploitable'])
  await logChange(scene.world, 1, { is_exploitable: 1 }, { changes: [{ field: 'is_exploitable', to: true }] })
  await plan()
  expect(await scene.box.taken('slack')).toHaveLength(2)
})

test('a change that joins before the message left is told by that one message, under the name of the most urgent', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { on_kev: true })
  await logChange(scene.world, 1, { cvss3: 9 }, { changes: rose('cvss3', 5, 9) })
  await planAlerts(openDb(scene.world.env), scene.now())
  await logChange(
    scene.world,
    1,
    { kev_added_at: '2026-11-20' },
    { changes: [{ field: 'kev_added_at', from: null, to: '2026-11-20' }] },
  )
  await plan()
  expect((await findDeliveries(scene.world)).map(({ rule, status }) => [rule, status])).toEqual([['kev', 'sent']])
  const [message, ...more] = await scene.box.taken('slack')
  expect(more).toEqual([])
  expect(message?.body).toContain('Added to CISA KEV on 2026-11-20')
  expect(message?.body).toContain('CVSS 3: 5 → 9')
})

test('a change that nobody wanted alone is told when a wanted one joins it', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { ...none, on_kev: true })
  await logChange(scene.world, 1, { cvss3: 6 }, { changes: rose('cvss3', 5, 6) })
  await plan()
  expect((await org.call(listAlerts)).results.map(({ status }) => status)).toEqual(['suppressed'])
  await logChange(
    scene.world,
    1,
    { kev_added_at: '2026-11-20' },
    { changes: [{ field: 'kev_added_at', from: null, to: '2026-11-20' }] },
  )
  await plan()
  expect((await org.call(listAlerts)).results.map(({ status, rule }) => [status, rule])).toEqual([['sent', 'kev']])
})

test('a channel tells only of what is monitored by an item of its groups', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { groups: ['dmz'] })
  await point(scene, org, 'webhook', { groups: ['dmz', 'office'] })
  await scene.world.sql`INSERT INTO watch_groups SELECT ${org.org_id}, 'office', 'product', id FROM products`
  await scene.modify(['CVE-2026-20001'])
  expect((await findDeliveries(scene.world)).map(({ channel }) => channel)).toEqual(['webhook'])
})

test.each([
  [null, ['confirmed', 'likely'], false],
  [null, ['unknown'], true],
  [1, ['confirmed', 'likely'], false],
  [2, ['confirmed', 'likely'], true],
  [2, ['confirmed'], false],
  [3, ['confirmed'], true],
  [3, ['unknown'], false],
])('of a verdict at place %s a channel for %j is told: %s', async (verdict, verdicts, isTold) => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { verdicts: verdicts as ['confirmed'] })
  await scene.world.sql`UPDATE org_vulns SET verdict = ${verdict}`
  await logChange(scene.world, 1, { cvss3: 9 }, { changes: rose('cvss3', 5, 9) })
  await plan()
  expect(await findDeliveries(scene.world)).toHaveLength(isTold ? 1 : 0)
})

test('an inventory that is affected tells what runs, too', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { verdicts: ['confirmed'] })
  await scene.world.sql`INSERT INTO inventory_vulns VALUES (1, ${org.org_id}, 1, 0, 3, 0)`
  await logChange(scene.world, 1, { cvss3: 9 }, { changes: rose('cvss3', 5, 9) })
  await plan()
  expect(await findDeliveries(scene.world)).toHaveLength(1)
})

test('alerts above the daily number stand in the next report once, and count as told there', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { daily_max: 1 })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'], ['CVE-2026-20003'])
  const db = openDb(scene.world.env)
  const held = await findHeld(db, org.org_id)
  expect(held.map(({ channel, rule }) => [channel, rule])).toEqual([
    ['slack', 'new'],
    ['slack', 'new'],
  ])
  await reportHeld(db, [[held[0]?.id ?? 0, '["daily","2026-11-24",2]']], true, scene.now()).run()
  expect((await findHeld(db, org.org_id)).map(({ id }) => id)).toEqual([held[1]?.id])
  const { results } = await org.call(listAlerts)
  expect(results.map(({ status }) => status).sort()).toEqual(['held', 'held', 'sent'])
  const places = results.flatMap((one) => one.deliveries.map(({ reported_in }) => reported_in))
  expect(places.toSorted()).toEqual(['daily/2026-11-24?page=2', null, null])
})

test('a channel tells so many a day at once, the highest risk first; the others wait for the report, and none is dropped', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook', { daily_max: 3 })
  await point(scene, org, 'slack')
  const vector = (score: number) => ({
    metrics: {
      cvssMetricV31: [
        aMetric(
          '3.1',
          score,
          score > 9 ? 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' : 'CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N',
        ),
      ],
    },
  })
  await scene.modify(
    ...[1, 2, 3, 4, 5].map((at): [string, Record<string, unknown>] => [
      `CVE-2026-3000${at}`,
      vector(at === 3 ? 9.8 : 1.8),
    ]),
  )
  await scene.modify(['CVE-2026-30009', vector(9.8)])
  const webhook = (await findDeliveries(scene.world)).filter(({ channel }) => channel === 'webhook')
  expect(webhook).toHaveLength(6)
  expect(webhook.filter(({ status }) => status === 'sent')).toHaveLength(3)
  expect(webhook.filter(({ status }) => status === 'held')).toHaveLength(3)
  expect((await scene.box.taken('hook')).map(({ body }) => body).join()).toContain('CVE-2026-30003')
  expect(
    (await findDeliveries(scene.world)).filter(({ channel, status }) => channel === 'slack' && status === 'sent'),
  ).toHaveLength(6)
})

test('a vulnerability that is fixed or not interesting to an organization is not told, and says why', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await org.call(editStatus, { params: { id: 1 }, body: { status: 'not_interesting' } })
  await logChange(scene.world, 1, { cvss3: 9 }, { changes: rose('cvss3', 5, 9) })
  await plan()
  expect((await org.call(listAlerts)).results.map(({ status, reason }) => [status, reason])).toEqual([
    ['suppressed', 'The vulnerability is fixed or not interesting to you'],
  ])
})

test('planning all over again writes nothing', async () => {
  const org = await scene.watching()
  for (const channel of ['slack', 'webhook']) await point(scene, org, channel)
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await ageAlerts(scene.world)
  await logChange(scene.world, 1, { cvss3: 9 }, { changes: rose('cvss3', 5, 9) })
  await plan()
  const all = () =>
    Promise.all(['alerts', 'deliveries', 'quotas'].map((table) => rows(scene.world.env, `SELECT * FROM ${table}`)))
  const before = await all()
  const { length: received } = (await scene.box.state()).requests
  for (const mark of [0, 2]) {
    await scene.world.sql`UPDATE counters SET value = ${mark} WHERE name = 'alerts_planned_to'`
    await plan()
  }
  expect(await all()).toEqual(before)
  expect((await scene.box.state()).requests).toHaveLength(received)
})

test('each channel of each organization follows its own rules', async () => {
  const [ours, theirs] = [await scene.watching({}), await scene.watching()]
  await configure(ours, 'email', { on_new: false })
  await point(scene, ours, 'slack', { on_update: false })
  await point(scene, theirs, 'teams')
  await scene.modify(['CVE-2026-20001'])
  expect((await findDeliveries(scene.world)).map(({ org_id, channel }) => [org_id, channel])).toEqual([
    [ours.org_id, 'slack'],
    [theirs.org_id, 'teams'],
  ])
  expect(scene.world.mails).toEqual([])
})

test('every rule says in a sentence what it sends', () => {
  for (const rule of alertRules) expect(describeRule(rule)).toMatch(/^When .*\.$/)
  expect(describeRule('score', { score: 91, cvss: 8, cvss3: 8, epss: '95th' })).toContain('91')
})

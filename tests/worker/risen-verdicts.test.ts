import { expect, test } from 'vitest'
import { listAlerts, whyAlerted } from '../../worker/alerts/contract'
import { planAlerts } from '../../worker/alerts/plan/plan'
import { tellSnoozeEnds } from '../../worker/alerts/plan/snooze-ends'
import { createRoute, updateRoute } from '../../worker/alerts/receivers/contract'
import { openDb } from '../../worker/db/open'
import { plusSeconds, stamp } from '../../worker/db/time'
import { endDecisions } from '../../worker/decisions/end'
import { endSnooze, setSnooze } from '../../worker/decisions/decide-contract'
import { risenWords } from '../../worker/domain/alerts/news-numbers'
import { setDetails } from '../../worker/exposure/watch-due'
import type { VersionRange, VulnRecord } from '../../worker/domain/words/record'
import { saveRecords } from '../../worker/merge/save-records'
import type { Withdrawn } from '../../worker/merge/moved-records'
import { setItems, togglePackage } from '../../worker/monitoring/contract'
import { eachTest } from './support/each-test'
import { ageAlerts, aScene, findDeliveries, logChange, logExploited, point, type WatchingOrg } from './support/alerting'
import { aVulnerablePackage, merge, send } from './support/inventory-scene'
import { rows, sqlIn } from './support/org'

const scene = eachTest(aScene)

const turn = async () => {
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
}
const kev = { added: '2026-11-20', due: null, ransomware: false, name: 'A flaw' }

async function watchVersion(org: WatchingOrg, name: string) {
  const [item] = await scene.world.sql<{ id: number }>`SELECT id FROM packages WHERE name = ${name}`
  await org.call(togglePackage, { body: { package_id: item?.id, monitored: true } })
  const items = [{ id: item?.id ?? 0, versions: ['1.0.0'] }]
  await setDetails(openDb(scene.world.env), org.org_id, { kind: 'package', items, now: scene.now() })
}

/** A vulnerability of a package of which nobody knows the affected versions, and which version of it an organization runs. */
async function anUnknownVerdict(org: WatchingOrg, how: 'package' | 'inventory') {
  const { world } = scene
  const { cveid, name, purl } = await aVulnerablePackage(world, { type: 'npm', ranges: [] })
  const [vuln] = await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = ${cveid}`
  if (how === 'package') await watchVersion(org, name)
  else await send(org, 'app', [purl('1.0.0')])
  await turn()
  const say = async (source: string, more: Parameters<typeof merge>[1]) => {
    await ageAlerts(world)
    await merge(world, more, source)
    await turn()
  }
  const judge = (ranges: { order: 'semver'; lt: string }[]) =>
    say('ghsa', { cveid, packages: [{ type: 'npm', name, ranges }] })
  return {
    id: vuln?.id ?? 0,
    burn: () => say('kev', { cveid, state: 'awaiting', kev }),
    affect: () => judge([{ order: 'semver', lt: '2.0.0' }]),
    forget: () => judge([]),
  }
}

test.each(['package', 'inventory'] as const)(
  'a route that takes confirmed verdicts alone hears of what is exploited once the verdict on the version of a %s turns to affected, and nobody hears twice',
  async (how) => {
    const org = await scene.watching()
    const vuln = await anUnknownVerdict(org, how)
    await point(scene, org, 'slack', { on_new: false, on_update: false, on_kev: true, verdicts: ['confirmed'] })
    await point(scene, org, 'teams', { on_new: true, on_update: false, on_kev: true })
    const told = async () =>
      (await findDeliveries(scene.world)).flatMap(({ channel, rule, status }) =>
        channel === 'email' ? [] : `${channel} ${rule} ${status}`,
      )
    await vuln.burn()
    expect(await told()).toEqual(['teams kev sent'])
    await vuln.affect()
    expect(await told()).toEqual(['teams kev sent', 'slack kev sent'])
    const { results } = await org.call(listAlerts, { query: { status: 'sent' } })
    expect(results[0]).toMatchObject({ rule: 'kev', changes: [risenWords], deliveries: [{ channel: 'slack' }] })
    const why = await org.call(whyAlerted, { params: { id: vuln.id } })
    const [slack] = why.channels.filter(({ channel }) => channel === 'slack')
    expect([why.is_told, slack?.rule]).toEqual([true, 'kev'])
    expect(slack?.reasons.at(-1)?.text).toContain('Sent at')
    expect((await scene.box.taken('slack')).map(({ body }) => body).join()).toContain(risenWords)

    await vuln.forget()
    await vuln.affect()
    await turn()
    expect(await told()).toHaveLength(2)
    expect(await scene.world.sql`SELECT 1 FROM risen_verdicts`).toEqual([])
  },
)

test('a route that takes confirmed verdicts alone hears of what was compared only after its alert was planned, and of what was snoozed once it wakes', async () => {
  const org = await scene.watching()
  const { env, deliver, drain } = scene.world
  const { name, purl } = await aVulnerablePackage(scene.world, { type: 'npm' })
  await send(org, 'app', [purl('3.0.0')])
  await point(scene, org, 'slack', { on_update: false, on_kev: true, verdicts: ['confirmed'] })
  const told = async () => (await findDeliveries(scene.world)).map(({ rule, status }) => `${rule} ${status}`)
  const cveid = 'CVE-2031-99001'
  await merge(scene.world, { cveid, packages: [{ type: 'npm', name, ranges: [{ order: 'semver', lt: '4.0.0' }] }] })
  for (const waited_s of [0, 61]) await planAlerts(openDb(env), plusSeconds(new Date(), waited_s))
  expect(await told()).toEqual([])
  await deliver('earshot-verdicts', { reason: 'due' })
  await drain()
  expect(await told()).toEqual(['new sent'])

  const vuln = await anUnknownVerdict(org, 'package')
  await vuln.burn()
  await org.call(setSnooze, { params: { id: vuln.id }, body: { until: '2030-01-01' } })
  await vuln.affect()
  expect(await told()).toHaveLength(1)
  // Planning looks at no row again and again that a decision keeps.
  const listed = () => rows(env, 'SELECT vuln_id FROM risen_verdicts')
  expect(await listed()).toEqual([])
  await org.call(endSnooze, { params: { id: vuln.id } })
  await turn()
  expect(await told()).toEqual(['new sent', 'kev sent'])
  await tellSnoozeEnds(env, openDb(env), scene.now())
  expect(await told()).toHaveLength(2)

  const other = await anUnknownVerdict(org, 'package')
  await other.burn()
  await org.call(setSnooze, { params: { id: other.id }, body: { until: '2030-01-01' } })
  await other.affect()
  expect([await told(), await listed()]).toEqual([['new sent', 'kev sent'], []])
  await endDecisions(openDb(env), new Date('2030-01-02T03:17:00Z'))
  await tellSnoozeEnds(env, openDb(env), scene.now())
  await turn()
  expect(await told()).toEqual(['new sent', 'kev sent', 'kev sent'])
})

test('a verdict that rises again without a change tells nobody, and one that rises with a change tells nothing into messages of days that are sealed', async () => {
  const org = await scene.watching()
  const { env } = scene.world
  const { cveid, purl } = await aVulnerablePackage(scene.world, { type: 'npm', lt: '2.0.0' })
  const [vuln] = await rows<{ id: number }>(env, 'SELECT id FROM vulns WHERE cveid = ?1', cveid)
  await org.call(setItems, { body: { kind: 'vuln', items: [{ id: vuln?.id ?? 0 }] } })
  const verdicts = ['confirmed' as const]
  await point(scene, org, 'slack', { on_new: true, on_update: false, on_kev: true, verdicts })
  const build = async (version: string) => {
    await send(org, 'app', [purl(version)])
    await turn()
  }
  const told = async () => (await findDeliveries(scene.world)).map(({ rule, status }) => `${rule} ${status}`)
  await build('3.0.0')
  expect(await told()).toEqual([])
  await build('1.0.0')
  expect(await told()).toEqual(['new sent'])

  // As if four days had passed since, with a channel that is off.
  const age = () => rows(env, 'UPDATE alerts SET created_at = ?1', stamp(plusSeconds(scene.now(), -4 * 86_400)))
  const old = () =>
    Promise.all(['alerts', 'deliveries'].map((table) => rows(env, `SELECT * FROM ${table} ORDER BY id`)))
  await age()
  await rows(env, "UPDATE deliveries SET status = 'parked', attempts = 0, sent_at = NULL")
  const [alerts = [], deliveries = []] = await old()
  await point(scene, org, 'teams', { on_new: true, verdicts })
  await build('3.0.0')
  await build('1.0.0')
  expect(await old()).toEqual([alerts, deliveries])

  await build('3.0.0')
  await merge(scene.world, { cveid, state: 'awaiting', kev }, 'kev')
  await turn()
  await build('1.0.0')
  expect((await told()).toSorted()).toEqual(['kev sent', 'new parked', 'new sent'])
  const [later = [], sent = []] = await old()
  expect([later.slice(0, alerts.length), sent.slice(0, deliveries.length)]).toEqual([alerts, deliveries])
})

test('an urgent verdict that rises goes past a route that reaches nobody to one that asks for no verdicts', async () => {
  const org = await scene.watching()
  const vuln = await anUnknownVerdict(org, 'package')
  const silent = { on_new: false, on_update: false, on_kev: false, on_exploitable: false, on_malicious: false }
  await org.call(createRoute, {
    body: { kind: 'email', addresses: ['stranger@example.net'], ...silent, on_kev: true, verdicts: ['confirmed'] },
  })
  await point(scene, org, 'slack', silent)
  await org.call(updateRoute, { params: { route: 'email-2' }, body: { escalate_to: 'slack', escalate_minutes: 30 } })
  await vuln.burn()
  const told = async () => (await findDeliveries(scene.world)).map(({ channel, rule }) => [channel, rule])
  expect(await told()).toEqual([])
  await vuln.affect()
  expect(await told()).toEqual([['slack', 'kev']])
})

test('a verdict that rises as an advisory becomes part of a CVE is told, too', async () => {
  const org = await scene.watching()
  const db = openDb(scene.world.env)
  const [advisory, cveid, name] = ['GHSA-2222-3333-4444', 'CVE-2031-70001', 'own-moved']
  const say = async (source: string, record: Partial<VulnRecord> & { cveid: string }, withdrawn: Withdrawn[] = []) => {
    await ageAlerts(scene.world)
    const records = [{ state: 'published' as const, summary: 'A flaw', ...record }]
    await saveRecords(db, { source, records, withdrawn, is_backfill: false, now: scene.now() })
    await turn()
  }
  const packages = (...ranges: VersionRange[]) => [{ type: 'npm', name, ranges }]
  await say('ghsa', { cveid: 'CVE-2031-70000', ref: 'GHSA-some-some-some', packages: packages() })
  await watchVersion(org, name)
  await point(scene, org, 'slack', { on_new: false, on_update: false, on_kev: true, verdicts: ['confirmed'] })
  await point(scene, org, 'teams', { on_new: true, on_update: false })
  await say('ghsa', { cveid: advisory, ref: advisory, packages: packages() })
  await say('nvd', { cveid })
  await say('kev', { cveid, state: 'awaiting', kev })
  const told = async () => (await findDeliveries(scene.world)).map(({ channel, rule }) => [channel, rule])
  expect(await told()).toEqual([['teams', 'new']])
  const moved = { cveid, ref: advisory, aliases: [advisory], packages: packages({ order: 'semver', lt: '2.0.0' }) }
  await say('ghsa', moved, [{ cveid: advisory, ref: advisory }])
  expect(await told()).toContainEqual(['slack', 'kev'])
})

test('a verdict that rises after a component was decided is told at once, as no night tells of it', async () => {
  const org = await scene.watching()
  const { env } = scene.world
  const vuln = await anUnknownVerdict(org, 'package')
  await point(scene, org, 'slack', { on_new: false, on_update: false, on_kev: true, verdicts: ['confirmed'] })
  await org.call(setSnooze, { params: { id: vuln.id }, body: { until: '2030-01-01' } })
  await vuln.burn()
  await org.call(endSnooze, { params: { id: vuln.id } })
  await rows(env, "UPDATE decision_changes SET at = '2026-01-01T00:00:00Z'")
  await rows(env, "UPDATE decisions SET ended_at = '2026-01-01T00:00:00Z' WHERE ended_at IS NOT NULL")
  await sqlIn(env)`INSERT INTO decision_changes(org_id, vuln_id, scope, inventory_id, component_id, verdict, at)
    VALUES (${org.org_id}, ${vuln.id}, 'component', 1, 1, 'affected', ${stamp(scene.now())})`
  await vuln.affect()
  expect((await findDeliveries(scene.world)).map(({ rule, status }) => `${rule} ${status}`)).toEqual(['kev sent'])
})

test('a verdict that rises after the night behind a snooze is told at once, though that night had nothing to tell', async () => {
  const org = await scene.watching()
  const { env } = scene.world
  const vuln = await anUnknownVerdict(org, 'package')
  await point(scene, org, 'slack', { on_new: false, on_update: false, on_kev: true, verdicts: ['confirmed'] })
  await org.call(setSnooze, { params: { id: vuln.id }, body: { until: '2030-01-01' } })
  await logChange(scene.world, vuln.id, { is_exploitable: 1 }, { changes: [{ field: 'is_exploitable', to: true }] })
  await turn()
  await org.call(endSnooze, { params: { id: vuln.id } })
  await rows(env, 'UPDATE vulns SET is_exploitable = 0')
  await tellSnoozeEnds(env, openDb(env), plusSeconds(scene.now(), 3_600))
  await vuln.burn()
  expect(await findDeliveries(scene.world)).toEqual([])
  await vuln.affect()
  expect((await findDeliveries(scene.world)).map(({ rule, status }) => `${rule} ${status}`)).toEqual(['kev sent'])
})

test('of an advisory that turned exploited during a snooze the night tells, and once, though the verdict on its CVE rises before', async () => {
  const org = await scene.watching()
  const { env } = scene.world
  const db = openDb(env)
  const [advisory, cveid, name] = ['GHSA-2222-3333-4444', 'CVE-2031-70001', 'own-moved']
  const say = async (source: string, record: Partial<VulnRecord> & { cveid: string }, withdrawn: Withdrawn[] = []) => {
    await ageAlerts(scene.world)
    const records = [{ state: 'published' as const, summary: 'A flaw', ...record }]
    await saveRecords(db, { source, records, withdrawn, is_backfill: false, now: scene.now() })
    await turn()
    const [vuln] = await rows<{ id: number }>(env, 'SELECT id FROM vulns WHERE cveid = ?1', record.cveid)
    return vuln?.id ?? 0
  }
  const packages = (...ranges: VersionRange[]) => [{ type: 'npm', name, ranges }]
  await say('ghsa', { cveid: 'CVE-2031-70000', ref: 'GHSA-some-some-some', packages: packages() })
  await watchVersion(org, name)
  await point(scene, org, 'slack', { on_new: false, on_update: false, on_kev: true, verdicts: ['confirmed'] })
  const id = await say('ghsa', { cveid: advisory, ref: advisory, packages: packages() })
  await org.call(setSnooze, { params: { id }, body: { until: '2030-01-01' } })
  await logExploited(scene.world, id)
  await turn()
  const ofCve = await say('kev', { cveid, state: 'awaiting', kev })
  const moved = { cveid, ref: advisory, aliases: [advisory], packages: packages() }
  await say('ghsa', moved, [{ cveid: advisory, ref: advisory }])
  // All that was urgent is known of the advisory alone.
  await rows(env, 'UPDATE alerts SET fired = 1 WHERE vuln_id = ?1', ofCve)
  await org.call(endSnooze, { params: { id: ofCve } })
  await say('ghsa', { ...moved, packages: packages({ order: 'semver', lt: '2.0.0' }) })
  const told = async () => (await findDeliveries(scene.world)).map(({ rule, status }) => `${rule} ${status}`)
  expect(await told()).toEqual([])
  await tellSnoozeEnds(env, db, scene.now())
  await turn()
  expect(await told()).toEqual(['kev sent'])
})

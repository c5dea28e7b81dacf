import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listAlerts, whyAlerted } from '../../worker/alerts/contract'
import { backTest } from '../../worker/alerts/ledger/backtest-contract'
import { tellSnoozeEnds } from '../../worker/alerts/plan/snooze-ends'
import { listProofs } from '../../worker/alerts/proof/contract'
import { urgentNews } from '../../worker/alerts/urgent/contract'
import { openDb } from '../../worker/db/open'
import { plusSeconds, stamp } from '../../worker/db/time'
import { endDecisions } from '../../worker/decisions/end'
import { getSnooze, setSnooze } from '../../worker/decisions/decide-contract'
import { movedWords } from '../../worker/domain/alerts/moved-news'
import type { Source, VulnRecord } from '../../worker/domain/words/record'
import { saveRecords } from '../../worker/merge/save-records'
import { setItems, togglePackage } from '../../worker/monitoring/contract'
import { aKevEntry } from '../support/records'
import { ageAlerts, aScene, beginAtNoon, findDeliveries, logExploited, point } from './support/alerting'
import type { AlertingScene, WatchingOrg } from './support/alerting'
import { send } from './support/inventory-scene'

let scene: AlertingScene
beforeEach(async () => {
  beginAtNoon()
  scene = await aScene()
})
afterEach(() => scene.origins.restore())

const [advisory, other, cveid] = ['GHSA-2222-3333-4444', 'GHSA-5555-6666-7777', 'CVE-2026-70001']
const ranges = [{ order: 'semver', lt: '2.0.0' } as const]
const packages = [{ type: 'npm', name: '@acme/widget', ranges }]
const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
const rated = (score: number) => ({ cvss3: { score, vector, by: 'NVD' } })
const exploited = { references: [{ url: 'https://example.org/poc', tags: ['Exploit'] }] }
const claimed = { exploited: true, reason: 'confirmed', added: '2026-11-20', notes: '', link: '' } as const
const claims = [{ key: 'eu', by: 'eu', name: 'EU KEV', ...claimed }]
const onlyKev = { on_new: false, on_update: false, on_kev: true }

/** For consumers as well. Tokens would be over: calls stay at a minute past noon. */
async function pass(minutes: number) {
  vi.setSystemTime(plusSeconds(scene.now(), minutes * 60))
  await scene.later(minutes)
  vi.setSystemTime(new Date().setUTCHours(12, 1, 0, 0))
}

type Said = Partial<VulnRecord>
/** A source tells something, and a quarter of an hour passes. */
async function say(source: Source, record: Said | Said[], withdrawn: { cveid: string; ref: string }[] = []) {
  const known = { cveid, state: 'published' as const, summary: 'A flaw.', modified: stamp(scene.now()) }
  const records = [record].flat().map((one) => ({ ...known, ...one }))
  await saveRecords(openDb(scene.world.env), { source, records, withdrawn, is_backfill: false, now: scene.now() })
  await pass(15)
}
const find = async (id: string) =>
  (await scene.world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = ${id}`)[0]?.id ?? 0
const others = [{ type: 'npm', name: '@acme/other', ranges }]
const name = () =>
  say('ghsa', { cveid: 'CVE-2026-70000', ref: 'GHSA-some-some-some', packages: [...packages, ...others] })
const advise = async (more: Said = rated(5)) => {
  await say('ghsa', { cveid: advisory, ref: advisory, packages, ...more })
  return find(advisory)
}
const publish = async (isExploited = true) => {
  await say('nvd', rated(9.8))
  if (isExploited) scene.origins.kev = [aKevEntry(cveid, { vendorProject: 'Zenith', product: 'Beacon' })]
  await pass(60)
  return find(cveid)
}
const moved = { ref: advisory, aliases: [advisory], packages, ...rated(5) }
const move = async (more: Said = {}) => {
  await say('ghsa', { ...moved, ...more }, [{ cveid: advisory, ref: advisory }])
  await pass(2)
}

async function watching(...given: Parameters<AlertingScene['watching']>) {
  const org = await scene.watching(...given)
  await org.call(togglePackage, { body: { package_type: 'npm', package_name: '@acme/widget', monitored: true } })
  return org
}
const told = async ({ org_id }: WatchingOrg) =>
  (await findDeliveries(scene.world)).flatMap((one) => (one.org_id === org_id ? `${one.channel} ${one.rule}` : []))
const prove = async ({ call }: WatchingOrg) => (await call(listProofs)).today
const right = { lost: 0, doubled: 0, unasked: 0, differences: [] }

test('an organization that was told of an advisory is told once that it is exploited, as it becomes part of a CVE that is in KEV', async () => {
  await name()
  const [org, only] = [await watching({}), await watching()]
  await point(scene, org, 'webhook')
  await point(scene, only, 'teams', { on_new: true, on_update: false })
  await point(scene, only, 'slack', onlyKev)
  await advise()
  const id = await publish()
  expect([await told(org), await told(only)]).toEqual([['email new', 'webhook new'], ['teams new']])
  await move()
  expect((await told(org)).slice(2).toSorted()).toEqual(['email updated', 'webhook updated'])
  expect(await told(only)).toEqual(['teams new', 'slack kev'])
  const [alert] = (await org.call(listAlerts)).results
  expect(alert).toMatchObject({
    rule: 'kev',
    status: 'sent',
    vuln: { id },
    changes: expect.arrayContaining([movedWords]),
  })
  const mail = scene.world.mails.at(-1)
  const said = (await scene.box.taken('slack')).map(({ body }) => body).join()
  for (const text of ['is known to be exploited', movedWords])
    for (const message of [`${mail?.subject} ${mail?.text}`, said]) expect(message).toContain(text)
  const why = await only.call(whyAlerted, { params: { id } })
  expect([why.is_told, why.channels.find(({ channel }) => channel === 'slack')?.rule]).toEqual([true, 'kev'])
  expect((await org.call(urgentNews)).results.map(({ rule, vuln }) => [rule, vuln.id])).toEqual([['kev', id]])
  for (const one of [org, only]) expect(await prove(one)).toMatchObject({ matched: 1, ...right })

  await move()
  await say('ghsa', { ...moved, ...rated(6) })
  expect(await told(only)).toHaveLength(2)
  expect(await told(org)).toHaveLength(4)
  expect(await prove(org)).toMatchObject(right)
})

test('nothing is told twice: not what the advisory was told to be, nor of a CVE that is not exploited, nor to those who knew both', async () => {
  await name()
  const [org, both] = [await watching(), await watching()]
  await both.call(togglePackage, { body: { package_type: 'npm', package_name: '@acme/other', monitored: true } })
  for (const one of [org, both]) await point(scene, one, 'slack', onlyKev)
  const id = await advise()
  await say('osv', { ref: 'OSV-1', packages: others })
  await publish()
  expect([await told(org), await told(both)]).toEqual([[], ['slack kev']])
  await ageAlerts(scene.world)
  await logExploited(scene.world, id)
  await pass(15)
  expect([await told(org), await told(both)]).toEqual([['slack kev'], ['slack kev', 'slack kev']])
  await move()
  expect([await told(org), await told(both)]).toEqual([['slack kev'], ['slack kev', 'slack kev']])
  for (const one of [org, both]) expect(await prove(one)).toMatchObject(right)
})

test('of a CVE that is not exploited only its change is told, and the score that the advisory did not reach', async () => {
  await name()
  const [org, rating] = [await watching(), await watching()]
  await point(scene, org, 'slack', { on_cvss3: true, cvss3_value: 4 })
  await point(scene, rating, 'slack', { on_new: false, on_update: false, on_cvss3: true, cvss3_value: 9 })
  await advise()
  await publish(false)
  expect([await told(org), await told(rating)]).toEqual([['slack cvss3'], []])
  await move()
  expect([await told(org), await told(rating)]).toEqual([['slack cvss3', 'slack updated'], ['slack cvss3']])
  const tried = await rating.call(backTest, { body: { on_cvss3: true, cvss3_value: 9 } })
  expect(tried.alerts.map(({ rule }) => rule)).toEqual(['cvss3', 'cvss3'])
  for (const one of [org, rating]) expect(await prove(one)).toMatchObject(right)
})

test('a snooze of an advisory until it is exploited ends as its CVE is, and one until a day is told of then', async () => {
  await name()
  const [waits, sleeps] = [await watching(), await watching()]
  for (const one of [waits, sleeps]) await point(scene, one, 'slack', { on_update: false, on_kev: true })
  const params = { id: await advise() }
  const until = stamp(plusSeconds(scene.now(), 86_400)).slice(0, 10)
  await waits.call(setSnooze, { params, body: { on_kev: true } })
  await sleeps.call(setSnooze, { params, body: { until, on_fix: true } })
  const id = await publish()
  await move()
  expect((await waits.call(getSnooze, { params: { id } })).snooze).toMatchObject({ woken_by: 'kev' })
  expect((await sleeps.call(getSnooze, { params: { id } })).snooze).toMatchObject({ woken_by: null })
  expect([await told(waits), await told(sleeps)]).toEqual([['slack new', 'slack kev'], ['slack new']])
  for (const one of [waits, sleeps]) expect(await prove(one)).toMatchObject(right)
  for (const ahead of [2, 3]) {
    const at = plusSeconds(scene.now(), ahead * 86_400)
    await endDecisions(openDb(scene.world.env), at)
    await tellSnoozeEnds(scene.world.env, openDb(scene.world.env), at)
    for (const one of [waits, sleeps]) expect(await told(one)).toEqual(['slack new', 'slack kev'])
  }
})

test('an organization that watched the advisory itself, or had it in a first document, is told as well, whatever joined its CVE before', async () => {
  await name()
  await say('ghsa', { cveid: other, ref: other, packages: others, claims })
  const [itself, inside] = [await scene.watching(), await scene.watching()]
  for (const one of [itself, inside]) await point(scene, one, 'slack', onlyKev)
  const id = await advise()
  await itself.call(setItems, { body: { kind: 'vuln', items: [{ id }] } })
  await send(inside, 'shop', ['pkg:npm/%40acme/widget@1.0.0'])
  await publish()
  await say('ghsa', { ref: other, aliases: [other], packages: others, claims }, [{ cveid: other, ref: other }])
  expect([await told(itself), await told(inside)]).toEqual([[], []])
  await move()
  expect([await told(itself), await told(inside)]).toEqual([['slack kev'], ['slack kev']])
  await say('ghsa', { ...moved, ...rated(6) })
  expect([await told(itself), await told(inside)]).toEqual([['slack kev'], ['slack kev']])
  for (const one of [itself, inside]) expect(await prove(one)).toMatchObject(right)
})

test('an advisory that was told by its score or its exploit is not told again as its CVE, which had neither, takes both over', async () => {
  await name()
  const org = await watching()
  const quiet = { on_new: false, on_update: false }
  await point(scene, org, 'slack', { ...quiet, on_cvss3: true, cvss3_value: 9 })
  await point(scene, org, 'teams', { ...quiet, on_exploitable: true })
  await point(scene, org, 'webhook', { on_new: true, on_update: false, min_score: 50 })
  await advise({ ...rated(9.8), ...exploited })
  const before = ['slack cvss3', 'teams exploitable', 'webhook new']
  expect((await told(org)).toSorted()).toEqual(before)
  await say('nvd', {})
  await move({ ...rated(9.8), ...exploited })
  expect((await told(org)).toSorted()).toEqual(before)
  expect(await prove(org)).toMatchObject({ ...right, unjudged: { values: 1 } })
})

test('an organization that knew one of two advisories, or had no receiver when the other one came, is told of the exploit that this one had', async () => {
  await name()
  const [org, both] = [await watching(), await watching()]
  await both.call(togglePackage, { body: { package_type: 'npm', package_name: '@acme/other', monitored: true } })
  await say('ghsa', { cveid: other, ref: other, packages: others, ...exploited })
  for (const one of [org, both]) await point(scene, one, 'slack', { on_update: false, on_exploitable: true })
  await advise()
  await say('nvd', exploited)
  const gone = [advisory, other].map((ref) => ({ cveid: ref, ref }))
  await say('ghsa', [moved, { ...moved, ref: other, aliases: [other], packages: others, ...exploited }], gone)
  for (const one of [org, both]) expect(await told(one)).toEqual(['slack new', 'slack exploitable'])
  for (const one of [org, both]) expect(await prove(one)).toMatchObject(right)
})

test('an advisory of a first document that a catalogue called exploited is not told again as its CVE is called so', async () => {
  await name()
  const org = await scene.watching()
  await point(scene, org, 'slack', onlyKev)
  await advise({ claims })
  await send(org, 'shop', ['pkg:npm/%40acme/widget@1.0.0'])
  await publish()
  await pass(15)
  await move({ claims })
  expect(await told(org)).toEqual([])
  expect(await prove(org)).toMatchObject(right)
})

test('a snooze that came from an advisory which was exploited already does not end as its CVE becomes so, and one of the CVE itself does', async () => {
  await name()
  const [sleeps, own] = [await watching(), await scene.watching()]
  await own.call(togglePackage, { body: { package_type: 'npm', package_name: '@acme/other', monitored: true } })
  const until = stamp(plusSeconds(scene.now(), 86_400)).slice(0, 10)
  const snooze = { until, on_kev: true, on_exploit: true }
  await sleeps.call(setSnooze, { params: { id: await advise({ claims }) }, body: snooze })
  await say('nvd', {})
  await say('osv', { ref: 'OSV-1', packages: others })
  const params = { id: await find(cveid) }
  await own.call(setSnooze, { params, body: snooze })
  await move({ claims })
  expect((await sleeps.call(getSnooze, { params })).snooze).toMatchObject({ woken_by: null })
  expect((await own.call(getSnooze, { params })).snooze).toMatchObject({ woken_by: 'kev' })
})

test('a snooze of an advisory that a catalogue called exploited does not end by a CVE of which no more is known', async () => {
  await name()
  const org = await watching()
  const until = stamp(plusSeconds(scene.now(), 86_400)).slice(0, 10)
  await org.call(setSnooze, { params: { id: await advise({ claims }) }, body: { until, on_kev: true } })
  await say('nvd', { claims })
  await move({ claims })
  expect((await org.call(getSnooze, { params: { id: await find(cveid) } })).snooze).toMatchObject({ woken_by: null })
})

test('an organization that watched an advisory which changes nothing about its CVE is told once that this is exploited', async () => {
  await name()
  const [org, deaf] = [await scene.watching(), await scene.watching()]
  await point(scene, org, 'slack', onlyKev)
  await point(scene, deaf, 'slack', { on_new: false, on_update: true })
  const items = [{ id: await advise() }]
  for (const one of [org, deaf]) await one.call(setItems, { body: { kind: 'vuln', items } })
  const id = await publish()
  await pass(1)
  await move({ packages: [] })
  expect([await told(org), await told(deaf)]).toEqual([['slack kev'], []])
  for (const one of [org, deaf]) {
    expect((await one.call(urgentNews)).results.map(({ rule, vuln }) => [rule, vuln.id])).toEqual([['kev', id]])
    expect(await prove(one)).toMatchObject({ matched: 1, ...right })
  }
  await move({ packages: [] })
  await say('nvd', rated(10))
  expect([await told(org), await told(deaf)]).toEqual([['slack kev'], ['slack updated']])
  for (const one of [org, deaf]) expect(await prove(one)).toMatchObject({ matched: 2, ...right })
})

test('merges of one second are told apart: a snooze until an exploit ends where the advisory had just lost its own, and its CVE has one', async () => {
  await name()
  const org = await watching()
  const params = { id: await advise(exploited) }
  const until = stamp(plusSeconds(scene.now(), 86_400)).slice(0, 10)
  await org.call(setSnooze, { params, body: { until, on_exploit: true } })
  await say('nvd', exploited)
  const [db, now] = [openDb(scene.world.env), scene.now()]
  const known = { state: 'published' as const, summary: 'A flaw.', modified: stamp(now) }
  const of = { source: 'ghsa', is_backfill: false, now }
  await saveRecords(db, { ...of, records: [{ ...known, cveid: advisory, ref: advisory, packages, ...rated(5) }] })
  const withdrawn = [{ cveid: advisory, ref: advisory }]
  await saveRecords(db, { ...of, records: [{ ...known, cveid, ...moved }], withdrawn })
  await pass(15)
  const { snooze } = await org.call(getSnooze, { params: { id: await find(cveid) } })
  expect(snooze).toMatchObject({ woken_by: 'exploit' })
})

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { createRoute, updateRoute } from '../../worker/alerts/receivers/contract'
import { recountDay } from '../../worker/alerts/proof/proof'
import { removeRota, setRota } from '../../worker/alerts/rota/contract'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { editStatus } from '../../worker/triage/contract'
import { openDb } from '../../worker/db/open'
import { aScene, configure, findDeliveries, logExploited, point } from './support/alerting'
import type { AlertingScene, WatchingOrg } from './support/alerting'
import { send } from './support/inventory-scene'
import { aMember } from './support/member'

/** A Sunday evening in Berlin, by which the week of a rota ends in the next morning. */
const evening = '2026-11-29T19:00:00Z'
const params = { route: 'email-2' as const }
let scene: AlertingScene
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(evening), shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  scene = await aScene()
})
afterEach(() => scene.origins.restore())

/** The clock shows a time, and all that is due by then happens. */
async function at(time: string) {
  vi.setSystemTime(new Date(time))
  for (const _ of [1, 2]) {
    await scene.world.tick()
    await scene.world.drain()
  }
}
const isExploited = (id: number) => logExploited(scene.world, id)
const told = (cve: string) =>
  scene.world.mails.filter(({ text }) => text.includes(cve)).map(({ to, subject }) => [to, subject.split(':')[0]])
const proof = async ({ org_id }: WatchingOrg) =>
  (await recountDay(openDb(scene.world.env), { day: evening.slice(0, 10), org_id })).get(org_id)

test('a mail that waited for its hour while the week of the rota changed goes to whoever is on duty then', async () => {
  const org = await scene.watching()
  const [ann, bob] = [await aMember(scene.world, org.org_id), await aMember(scene.world, org.org_id)]
  const waits = { pace: 'daily', pace_hour: 8, zone: 'Europe/Berlin' } as const
  await org.call(createRoute, { body: { kind: 'email', addresses: [org.email], ...waits } })
  const week = { zone: 'Europe/Berlin', starts_on: '2026-11-23', hour: 8 }
  await org.call(setRota, { params, body: { ...week, people: [ann.user_id, bob.user_id] } })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await at('2026-11-30T06:59:00Z')
  expect(told('CVE-2026-20001')).toEqual([])
  await at('2026-11-30T07:00:30Z')
  expect(told('CVE-2026-20001')).toEqual([[bob.email, '[Earshot] 2 alerts']])
  expect(await proof(org)).toMatchObject({ matched: 2, delivered: 2, lost: 0, doubled: 0 })
})

test('a mail that waits for its hour goes to the addresses of its route when the rota ends, and to the one that another replaced', async () => {
  const org = await scene.watching()
  const [ann, bob] = [await aMember(scene.world, org.org_id), await aMember(scene.world, org.org_id)]
  const quiet = { quiet_from: 20, quiet_to: 7, zone: 'Europe/Berlin' }
  await org.call(createRoute, { body: { kind: 'email', addresses: [org.email], ...quiet } })
  await org.call(createRoute, { body: { kind: 'email', addresses: [ann.email], ...quiet } })
  await org.call(setRota, { params, body: { zone: 'UTC', starts_on: '2026-11-02', people: [ann.user_id] } })
  await scene.modify(['CVE-2026-20001'])
  await org.call(removeRota, { params })
  await org.call(updateRoute, { params: { route: 'email-3' }, body: { addresses: [bob.email] } })
  await at('2026-11-30T06:00:30Z')
  expect(
    told('CVE-2026-20001')
      .map(([to]) => to)
      .toSorted(),
  ).toEqual([org.email, bob.email].toSorted())
  expect((await findDeliveries(scene.world)).map(({ status }) => status)).toEqual(['sent', 'sent'])
  expect(await scene.world.sql`SELECT 1 FROM deliveries WHERE status <> 'sent'`).toEqual([])
  expect(await proof(org)).toMatchObject({ matched: 1, delivered: 1, lost: 0, doubled: 0 })
})

test('a message that a receiver refused by day is tried again after its quiet hours, and an urgent one within them', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { quiet_from: 21, quiet_to: 7, zone: 'Europe/Berlin' })
  await scene.box.behave({ status: 503 })
  vi.setSystemTime(new Date('2026-11-29T19:59:50Z'))
  await scene.modify(['CVE-2026-20001'])
  await isExploited(1)
  await at('2026-11-29T19:59:58Z')
  const [usual, urgent] = await findDeliveries(scene.world)
  expect(usual).toMatchObject({ status: 'pending', attempts: 2, next_attempt_at: '2026-11-30T06:00:00Z' })
  expect(urgent?.next_attempt_at).toMatch(/^2026-11-29T20:0/)
})

test('of what a receiver refused, its first success in the night sends what is urgent, and the rest in the morning', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { quiet_from: 21, quiet_to: 7, zone: 'Europe/Berlin' })
  await scene.box.behave({ status: 503 })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await scene.world.sql`UPDATE deliveries SET next_attempt_at = '2026-11-30T09:00:00Z'`
  await scene.box.behave({})
  await isExploited(1)
  await at('2026-11-29T20:30:00Z')
  await at('2026-11-29T20:31:00Z')
  const usual = async () =>
    scene.world.sql<{ status: string; next_attempt_at: string }>`SELECT status, next_attempt_at
      FROM deliveries WHERE rule = 'new'`
  const waiting = { status: 'pending', next_attempt_at: '2026-11-30T06:00:00Z' }
  expect(await usual()).toEqual([waiting, waiting])
  expect(await scene.box.taken('slack')).toHaveLength(1)
  await at('2026-11-30T06:00:30Z')
  expect((await usual()).map(({ status }) => status)).toEqual(['sent', 'sent'])
})

test('a vulnerability settled while its message waited for its hour is not told, and the ledger says why', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { pace: 'daily', pace_hour: 8, zone: 'Europe/Berlin' })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await org.call(editStatus, { params: { id: 2 }, body: { status: 'not_interesting' } })
  await at('2026-11-30T07:00:30Z')
  const bodies = (await scene.box.taken('slack')).map(({ body }) => body).join('')
  expect([bodies.includes('CVE-2026-20001'), bodies.includes('CVE-2026-20002')]).toEqual([false, true])
  expect((await findDeliveries(scene.world)).map(({ status, last_error }) => [status, last_error])).toEqual([
    ['suppressed', 'The vulnerability is fixed or not interesting to you'],
    ['sent', null],
  ])
  expect(await proof(org)).toMatchObject({ matched: 2, lost: 0, doubled: 0 })
  // By hand it goes all the same.
  await scene.world.sql`UPDATE deliveries SET status = 'pending' WHERE status = 'suppressed'`
  await at('2026-11-30T07:02:00Z')
  expect((await findDeliveries(scene.world)).map(({ status }) => status)).toEqual(['sent', 'sent'])
})

test('a summary of a document that comes in quiet hours waits for their end, unless something of it is exploited', async () => {
  const org = await scene.watching()
  const quiet = { quiet_from: 20, quiet_to: 7, zone: 'Europe/Berlin' }
  await point(scene, org, 'slack', quiet)
  await configure(org, 'email', quiet)
  await scene.world.sql`UPDATE alert_settings SET alerts_emails = json_array(${org.email})`
  const taken = async () => (await scene.box.taken('slack')).map(({ body }) => /findings in (\w+)/.exec(body)?.[1])
  const mailed = () => scene.world.mails.map(({ subject }) => subject.split(': ')[1])
  await send(org, 'shop', ['cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*'])
  await at('2026-11-29T19:02:00Z')
  expect([await taken(), mailed()]).toEqual([[], []])
  await isExploited(1)
  await send(org, 'till', ['cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*'])
  await at('2026-11-29T19:04:00Z')
  expect([(await taken()).filter(Boolean), mailed().filter((one) => one?.includes('found'))]).toEqual([
    ['till'],
    ['1 vulnerability found in till'],
  ])
  await at('2026-11-30T06:00:30Z')
  expect(await taken()).toContain('shop')
  expect(mailed()).toContain('1 vulnerability found in shop')
})

test('an alert above the daily number is told the next day, and says when, where only a monthly report is switched on', async () => {
  const org = await scene.watching({})
  await org.call(updateOrgSettings, {
    body: {
      org_id: org.org_id,
      enable_monthly_email_report: true,
      reports_time_zone: 'Asia/Kathmandu',
      reports_hour: 9,
    },
  })
  await configure(org, 'email', { daily_max: 1 })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  const held = (await org.call(listAlerts)).results
    .flatMap(({ deliveries }) => deliveries)
    .filter(({ status }) => status === 'held')
  expect(held).toMatchObject([{ next_attempt_at: '2026-11-30T03:15:00Z' }])
  await at('2026-11-29T19:01:00Z')
  await at('2026-11-30T03:15:30Z')
  expect(await scene.world.sql`SELECT count(*) AS n FROM deliveries WHERE status = 'reported'`).toEqual([{ n: 1 }])
  expect(await scene.world.sql`SELECT kind FROM report_dues`).toEqual([{ kind: 'monthly' }])
})

test('an alert that nobody acknowledged goes past a route that reaches nobody to the one after it', async () => {
  const org = await scene.watching()
  const { url } = scene.box
  await scene.modify(['CVE-2026-20001'])
  await point(scene, org, 'slack')
  const silent = { on_new: false, on_update: false, on_malicious: false }
  await org.call(createRoute, { body: { kind: 'email', addresses: ['stranger@example.net'], ...silent } })
  await org.call(createRoute, { body: { kind: 'mattermost', url: `${url}/mattermost/x`, ...silent } })
  for (const [route, escalate_to] of [
    ['slack', 'email-2'],
    ['email-2', 'mattermost'],
  ] as const)
    await org.call(updateRoute, { params: { route }, body: { escalate_to, escalate_minutes: 1 } })
  await isExploited(1)
  for (const minute of ['01', '03', '04', '05']) await at(`2026-11-29T19:${minute}:00Z`)
  const [alert] = (await org.call(listAlerts, { query: { vuln_id: 1 } })).results
  expect(alert?.deliveries.map(({ channel, status, last_error }) => [channel, status, last_error])).toEqual([
    ['slack', 'sent', null],
    ['email-2', 'suppressed', 'It reaches nobody'],
    ['mattermost', 'sent', null],
  ])
  expect(await proof(org)).toMatchObject({ lost: 0, doubled: 0 })
})

test('an urgent alert goes at once past a first route that reaches nobody, and another does not', async () => {
  const org = await scene.watching()
  const { url } = scene.box
  const silent = { on_new: false, on_update: false, on_malicious: false }
  await org.call(updateOrgSettings, { body: { org_id: org.org_id, alerts_emails: 'stranger@example.net' } })
  await org.call(createRoute, { body: { kind: 'email', addresses: ['other@example.net'], ...silent } })
  await org.call(createRoute, { body: { kind: 'mattermost', url: `${url}/mattermost/x`, ...silent } })
  for (const [route, escalate_to] of [
    ['email', 'email-2'],
    ['email-2', 'mattermost'],
  ] as const)
    await org.call(updateRoute, { params: { route }, body: { escalate_to, escalate_minutes: 30 } })
  await scene.modify(['CVE-2026-20001'])
  await at('2026-11-29T19:01:00Z')
  const listed = async () =>
    (await org.call(listAlerts, { query: { sorted_by: 'id' } })).results.map((alert) => [
      alert.reason,
      alert.deliveries.map(({ channel, status, escalated_from }) => [channel, status, escalated_from]),
    ])
  expect(await listed()).toEqual([['No alert address is confirmed yet', []]])
  await isExploited(1)
  for (const minute of ['02', '03']) await at(`2026-11-29T19:${minute}:00Z`)
  expect((await listed()).at(-1)).toEqual([null, [['mattermost', 'sent', 'email']]])
  expect(await proof(org)).toMatchObject({ lost: 0, doubled: 0, unasked: 0 })
})

test('a message that waits for its hour leaves by the quiet hours and the pace that its route has by then', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { quiet_from: 20, quiet_to: 7, zone: 'Europe/Berlin' })
  await scene.modify(['CVE-2026-20001'])
  const change = (body: object) => org.call(updateRoute, { params: { route: 'slack' }, body })
  const leaves = async () => (await findDeliveries(scene.world)).map(({ next_attempt_at }) => next_attempt_at)
  await change({ quiet_to: 9 })
  expect(await leaves()).toEqual(['2026-11-30T08:00:00Z'])
  await change({ zone: 'America/New_York', pace: 'daily', pace_hour: 3, quiet_from: 0, quiet_to: 5 })
  await at('2026-11-30T08:00:30Z')
  expect(await scene.box.taken('slack')).toEqual([])
  await at('2026-11-30T10:00:30Z')
  expect(await scene.box.taken('slack')).toHaveLength(1)
})

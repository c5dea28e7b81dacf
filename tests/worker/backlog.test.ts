import { expect, test } from 'vitest'
import {
  removeChannel,
  resendAllFailed,
  resendDelivery,
  testChannel,
  updateChannel,
} from '../../worker/alerts/channels/contract'
import { listAlerts, whyAlerted } from '../../worker/alerts/contract'
import { createDueReports } from '../../worker/alerts/reports/make'
import { openDb } from '../../worker/db/open'
import { stamp } from '../../worker/db/time'
import { settingsChannels } from '../../worker/domain/alerts/alert-rules'
import { editStatus } from '../../worker/triage/contract'
import { eachTest } from './support/each-test'
import { aMember } from './support/member'
import { ageAlerts, aScene, findDeliveries, logChange, makeDue, point } from './support/alerting'
import { rows, sqlIn } from './support/org'

const scene = eachTest(aScene)

const plan = async () => {
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
}
const isExploited = async (id: number) => {
  await logChange(
    scene.world,
    id,
    { kev_added_at: '2026-11-20' },
    { changes: [{ field: 'kev_added_at', from: null, to: '2026-11-20' }] },
  )
  await plan()
}
const statuses = async () => (await findDeliveries(scene.world)).map(({ status }) => status)

test('a channel that is off keeps the alerts that come meanwhile, and sends them in one message when it works again, urgent ones first', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { daily_max: 1 })
  await scene.box.behave({ status: 410 })
  await scene.modify(['CVE-2026-20001'])
  await ageAlerts(scene.world)
  await scene.modify(['CVE-2026-20002'], ['CVE-2026-20003'])
  await ageAlerts(scene.world)
  await isExploited(1)
  expect(await statuses()).toEqual(['parked', 'parked', 'parked', 'parked'])
  expect((await scene.box.state()).requests).toHaveLength(1)
  const { results } = await org.call(listAlerts)
  expect(results.map(({ status }) => status)).toEqual(['pending', 'pending', 'pending', 'pending'])
  const { channels } = await org.call(whyAlerted, { params: { id: 1 } })
  expect(channels.find(({ channel }) => channel === 'slack')?.reasons[0]).toEqual({
    is_ok: true,
    text: 'Slack is switched off, as its receiver failed: its alerts are kept until it works again',
  })
  const [{ id = 0 } = {}] = await findDeliveries(scene.world)
  expect((await org.answer(resendDelivery, { params: { id } })).status).toBe(409)

  await scene.box.behave({})
  await org.call(testChannel, { params: { channel: 'slack' } })
  await scene.world.drain()
  expect(await statuses()).toEqual(['sent', 'sent', 'sent', 'sent'])
  const [, message, ...more] = await scene.box.taken('slack')
  expect(more).toEqual([])
  expect(message?.body.match(/delivery-\d+/g)).toHaveLength(4)
})

test('messages that a broken channel gave up go to its new address, too; a channel that a person takes away is told nothing, and the ledger says so', async () => {
  const org = await scene.watching()
  for (const channel of ['webhook', 'teams']) await point(scene, org, channel)
  await scene.box.behave({ status: 500 })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  const longAgo = stamp(new Date(Date.now() - 75.1 * 3_600_000))
  await scene.world.sql`UPDATE alert_channels SET failing_since = ${longAgo}`
  await scene.world.sql`UPDATE deliveries SET attempts = 9 WHERE id % 2`
  // A message under way when it was switched off is kept when it would be tried again.
  for (let time = 0; time < 2; time++) {
    await makeDue(scene.world)
    await scene.later(1)
  }
  expect([...new Set(await statuses())]).toEqual(['parked'])
  await scene.box.behave({})
  await org.call(removeChannel, { params: { channel: 'teams' } })
  await org.call(updateChannel, { params: { channel: 'webhook' }, body: { url: `${scene.box.url}/hook?new` } })
  await scene.world.drain()
  const byChannel = async () =>
    (await findDeliveries(scene.world)).map(({ channel, status, last_error }) => [channel, status, last_error])
  expect((await byChannel()).toSorted()).toEqual([
    ['teams', 'suppressed', 'The channel was removed'],
    ['teams', 'suppressed', 'The channel was removed'],
    ['webhook', 'sent', null],
    ['webhook', 'sent', null],
  ])
  await ageAlerts(scene.world)
  await isExploited(1)
  expect((await byChannel()).slice(4)).toEqual([['webhook', 'sent', null]])
})

test('alerts that a switched-off channel keeps stand in one report meanwhile, which says why', async () => {
  const org = await scene.watching({})
  await scene.world.sql`UPDATE alert_settings SET on_new = 0, on_update = 0`
  await point(scene, org, 'slack')
  await scene.box.behave({ status: 410 })
  await scene.modify(['CVE-2026-20001'])
  const { env } = scene.world
  for (let day = 0; day < 2; day++) {
    await scene.later(1)
    const [due] = await rows<{ due_at: string }>(env, 'SELECT due_at FROM report_dues')
    await createDueReports(env, openDb(env), () => new Date(due?.due_at ?? 0))
  }
  await rows(env, "UPDATE mails SET next_attempt_at = '2026-01-01T00:00:00Z' WHERE status = 'pending'")
  await scene.world.deliver('earshot-deliveries', { reason: 'due' })
  const reports = scene.world.mails.filter(({ subject }) => / report,/.test(subject))
  expect(reports.map(({ text }) => text)).toEqual([
    expect.stringContaining(
      '1 of these waits for a channel that is switched off, as its receiver failed, until it works again.',
    ),
  ])
  expect(await statuses()).toEqual(['parked'])
})

test('urgent messages of a vulnerability settled since leave when their switched-off channel works again, and ask for no further report', async () => {
  const org = await scene.watching({})
  await scene.world.sql`UPDATE alert_settings SET on_new = 0, on_update = 0`
  await point(scene, org, 'slack')
  await scene.box.behave({ status: 410 })
  await scene.modify(['CVE-2026-20001'])
  await isExploited(1)
  for (const id of [1, 2]) await org.call(editStatus, { params: { id }, body: { status: 'fixed' } })
  const { env } = scene.world
  await scene.later(1)
  const [due] = await rows<{ due_at: string }>(env, 'SELECT due_at FROM report_dues')
  await createDueReports(env, openDb(env), () => new Date(due?.due_at ?? 0))
  expect(await statuses()).toEqual(['suppressed', 'parked'])
  await scene.later(1)
  expect(await rows(env, 'SELECT due_at FROM report_dues')).toEqual([])
  await scene.box.behave({})
  await org.call(testChannel, { params: { channel: 'slack' } })
  await scene.world.drain()
  expect(await statuses()).toEqual(['suppressed', 'sent'])
})

test('the first success after a long failure sends at once what waits for the same receiver', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook')
  await scene.box.behave({ status: 503 })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  const hourAgo = stamp(new Date(Date.now() - 3_600_000))
  await scene.world.sql`UPDATE alert_channels SET failing_since = ${hourAgo}`
  await scene.world.sql`UPDATE deliveries
    SET attempts = 10, status = 'dead', next_attempt_at = ${stamp(new Date())} WHERE id = 1`
  await scene.world.sql`UPDATE deliveries SET next_attempt_at = '2099-01-01T00:00:00Z' WHERE id = 2`
  await scene.box.behave({})
  await scene.modify(['CVE-2026-20003'])
  await scene.world.drain()
  expect(await statuses()).toEqual(['sent', 'sent', 'sent'])
})

test('all that was given up is sent again at once, by every channel, under the same ids', async () => {
  const org = await scene.watching({})
  for (const channel of settingsChannels.filter((one) => one !== 'email')) await point(scene, org, channel)
  await scene.box.behave({ status: 500 })
  scene.world.mailServer.refuse = '451 later'
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await scene.world.sql`UPDATE deliveries SET status = 'dead', attempts = 10`
  const ids = (await findDeliveries(scene.world)).map(({ id }) => id)
  expect(ids).toHaveLength(2 * settingsChannels.length)
  expect([...new Set((await org.call(listAlerts)).results.map(({ status }) => status))]).toEqual(['failed'])

  await scene.box.behave({})
  scene.world.mailServer.refuse = null
  const member = await aMember(scene.world, org.org_id)
  expect((await member.answer(resendAllFailed)).status).toBe(403)
  expect(await org.call(resendAllFailed)).toEqual({ count: ids.length })
  await scene.world.drain()
  expect((await findDeliveries(scene.world)).map(({ id, status }) => [id, status])).toEqual(
    ids.map((id) => [id, 'sent']),
  )
  expect(await org.call(resendAllFailed)).toEqual({ count: 0 })
})

test('alerts that are held while their receiver is removed, or their address changes, stand by name in the next report to the new one', async () => {
  const { env } = scene.world
  const org = await scene.watching()
  const setTo = (email: string) =>
    sqlIn(env)`UPDATE alert_settings SET alerts_emails = json_array(${email}), daily_max = 1, daily_report = 1
      WHERE org_id = ${org.org_id}`
  await setTo(org.email)
  await point(scene, org, 'slack', { daily_max: 1 })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'], ['CVE-2026-20003'])
  expect((await statuses()).toSorted()).toEqual(['held', 'held', 'held', 'held', 'sent', 'sent'])
  await org.call(removeChannel, { params: { channel: 'slack' } })
  await rows(env, "INSERT INTO alert_addresses VALUES (?1, 'new@example.org', '2026-01-01T00:00:00Z')", org.org_id)
  await setTo('new@example.org')
  await sqlIn(env)`INSERT INTO report_dues(due_at, org_id, kind)
    VALUES (${stamp(new Date())}, ${org.org_id}, 'daily')`
  await createDueReports(env, openDb(env), () => scene.now())
  await rows(env, "UPDATE mails SET next_attempt_at = '2026-01-01T00:00:00Z'")
  await scene.world.deliver('earshot-deliveries', { reason: 'due' })
  const report = scene.world.mails.findLast(({ subject }) => subject.includes('daily report'))
  expect(report?.to).toBe('new@example.org')
  const held = await sqlIn(env)<{ vuln_id: number }>`SELECT DISTINCT a.vuln_id FROM alerts a
    JOIN deliveries d ON d.alert_id = a.id WHERE d.status = 'reported'`
  expect(held).toHaveLength(2)
  for (const { vuln_id } of held) expect(report?.text).toContain(`/vulns/${vuln_id}\n`)
  expect((await statuses()).toSorted()).toEqual(['reported', 'reported', 'reported', 'reported', 'sent', 'sent'])
})

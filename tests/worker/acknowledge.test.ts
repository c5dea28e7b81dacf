import { expect, test, vi } from 'vitest'
import { acknowledge, listAlerts } from '../../worker/alerts/contract'
import { recountDay } from '../../worker/alerts/proof/proof'
import { createRoute, listRoutes, removeRoute, testRoute, updateRoute } from '../../worker/alerts/receivers/contract'
import { openDb } from '../../worker/db/open'
import { urgentBits } from '../../worker/domain/alerts/alert-rules'
import { plusSeconds, stamp } from '../../worker/db/time'
import { getSnooze, setSnooze } from '../../worker/decisions/decide-contract'
import { toggleProduct } from '../../worker/monitoring/contract'
import { editStatus } from '../../worker/triage/contract'
import { eachTest } from './support/each-test'
import { ageAlerts, aScene, findDeliveries, logChange, makeDue, point, type WatchingOrg } from './support/alerting'
import { rows } from './support/org'

const scene = eachTest(aScene)

const outcomes = async () => (await findDeliveries(scene.world)).map(({ channel, status }) => `${channel} ${status}`)
const burns = async (id: number) => {
  const changes = [{ field: 'kev_added_at', from: null, to: '2026-11-20' }]
  await logChange(scene.world, id, { kev_added_at: '2026-11-20' }, { changes })
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
}
const newest = async (org: WatchingOrg) => (await org.call(listAlerts)).results[0]
/** The path of a link in what a receiver took last. */
async function findLink(kind: string, action: 'acknowledge' | 'snooze') {
  const text = (await scene.box.taken(kind)).at(-1)?.body ?? ''
  return new RegExp(`/public/alerts/${action}/[\\w.-]+`).exec(text)?.[0] ?? ''
}
const open = async (path: string, method: 'GET' | 'HEAD' | 'POST') =>
  (await scene.world.request(path, { method })).status

test('a link asks before it acts, acknowledges its alert alone, and ends', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  const path = await findLink('slack', 'acknowledge')
  const page = await scene.world.request(path)
  const text = await page.text()
  expect([page.status, text.match(/<form method="post"/g)]).toEqual([200, ['<form method="post"']])
  expect(text).toMatch(/Acknowledge the alert of CVE-2026-2000[12]</)
  const acknowledged = async () => (await org.call(listAlerts)).results.filter((alert) => alert.acknowledged)
  expect(await acknowledged()).toEqual([])
  expect([await open(path, 'POST'), await open(path, 'POST')]).toEqual([200, 200])
  expect(await acknowledged()).toMatchObject([{ acknowledged: { by: 'a link sent by Slack' } }])

  const [, org_id, alert_id, ...rest] = /(\d+)\.(\d+)\.(.*)$/.exec(path) ?? []
  const forge = (of: string, action = 'acknowledge') => `/public/alerts/${action}/${of}`
  const forged = [
    forge(`${org_id}.${Number(alert_id) + 1}.${rest[0]}`),
    forge(`${Number(org_id) + 1}.${alert_id}.${rest[0]}`),
    forge(`${org_id}.${alert_id}.${rest[0]?.replace('slack', 'teams')}`),
    forge(`${org_id}.${alert_id}.${rest[0]?.replace(/\d{4}-/, '2999-')}`),
    forge(`${org_id}.${alert_id}.${rest[0]}`, 'snooze'),
    forge('nonsense'),
  ]
  for (const method of ['GET', 'POST'] as const)
    expect(await Promise.all(forged.map((one) => open(one, method)))).toEqual(forged.map(() => 400))
  expect(await acknowledged()).toHaveLength(1)
  // Days later it leads nowhere, and a look at it never did anything.
  await scene.world.sql`UPDATE alerts SET acknowledged_at = NULL`
  expect([await open(path, 'HEAD'), await acknowledged()]).toEqual([200, []])
  vi.useFakeTimers({ toFake: ['Date'], now: plusSeconds(new Date(), 15 * 86_400) })
  const after = [await open(path, 'GET'), await open(path, 'POST')]
  vi.useRealTimers()
  expect([after, await acknowledged()]).toEqual([[400, 400], []])
})

test('a link snoozes for a week, and news of exploitation wakes it', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await scene.modify(['CVE-2026-20001'])
  const snooze = async () => (await org.call(getSnooze, { params: { id: 2 } })).snooze
  const path = await findLink('slack', 'snooze')
  expect([await open(path, 'GET'), await snooze()]).toEqual([200, null])
  const done = await scene.world.request(path, { method: 'POST' })
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('href="/vulns/2"')])
  const until = stamp(plusSeconds(new Date(), 7 * 86_400)).slice(0, 10)
  expect(await snooze()).toMatchObject({ kind: 'snoozed', until, on_kev: true, woken_by: null })
  expect(await newest(org)).toMatchObject({ acknowledged: { by: 'a link sent by Slack' } })
  await ageAlerts(scene.world)
  await burns(2)
  expect(await snooze()).toMatchObject({ woken_by: 'kev' })
  expect(await outcomes()).toEqual(['slack sent', 'slack sent'])
})

test('a member acknowledges, the first stays, and nobody of another organization can', async () => {
  const [ours, theirs] = [await scene.watching(), await scene.watching()]
  await point(scene, ours, 'slack')
  await scene.modify(['CVE-2026-20001'])
  const id = (await newest(ours))?.id ?? 0
  expect((await theirs.answer(acknowledge, { body: { id } })).status).toBe(404)
  expect(await newest(ours)).toMatchObject({ acknowledged: null })
  await ours.call(acknowledge, { body: { id } })
  const first = (await newest(ours))?.acknowledged
  expect(first).toMatchObject({ by: expect.any(String) })
  await open(await findLink('slack', 'acknowledge'), 'POST')
  expect((await newest(ours))?.acknowledged).toEqual(first)
  // An urgent change that joins the alert was seen by nobody yet.
  await burns(2)
  expect(await outcomes()).toEqual(['slack sent', 'slack sent'])
  expect((await ours.call(listAlerts)).results).toMatchObject([{ acknowledged: null }])
})

test('an urgent alert that nobody acknowledged in time, or whose route is dead, goes on to the next route once', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  const body = { kind: 'mattermost' as const, url: `${scene.box.url}/mattermost/x`, on_new: false, on_update: false }
  await org.call(createRoute, { body })
  const change = { escalate_to: 'mattermost' as const, escalate_minutes: 20 }
  expect(await org.call(updateRoute, { params: { route: 'slack' }, body: change })).toMatchObject(change)
  for (const next of ['slack', 'teams'] as const)
    expect((await org.answer(updateRoute, { params: { route: 'slack' }, body: { escalate_to: next } })).status).toBe(
      400,
    )

  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'], ['CVE-2026-20003'])
  await ageAlertsALittle()
  await burns(2)
  await burns(3)
  await pass(10)
  expect(await scene.box.taken('mattermost')).toEqual([])
  await org.call(acknowledge, { body: { id: await findAlert(org, 3) } })
  for (const minutes of [11, 1, 30]) await pass(minutes)
  const told = (await scene.box.taken('mattermost')).map(({ body: text }) => text)
  expect(told).toHaveLength(1)
  expect(told[0]).toContain('Nobody acknowledged it at Slack')
  expect(told[0]).toContain('CVE-2026-20001')
  const proofs = await recountDay(openDb(scene.world.env), { day: stamp(new Date()).slice(0, 10), org_id: org.org_id })
  expect(proofs.get(org.org_id)).toMatchObject({ lost: 0, doubled: 0 })

  // A route that does not work waits for nobody.
  await scene.world.sql`UPDATE deliveries SET status = 'dead' WHERE channel = 'slack'
    AND alert_id = ${await findAlert(org, 3)} AND rule = 'kev'`
  await scene.world.sql`UPDATE alerts SET acknowledged_at = NULL`
  await pass(0)
  expect(await scene.box.taken('mattermost')).toHaveLength(2)

  await org.call(removeRoute, { params: { route: 'mattermost' } })
  expect(await org.call(listRoutes)).toContainEqual(expect.objectContaining({ channel: 'slack', escalate_to: '' }))
})

test('alerts on a route without an address keep those of others from nothing', async () => {
  const [theirs, ours] = [await scene.watching(), await scene.watching()]
  for (const org of [theirs, ours]) await point(scene, org, 'slack')
  await ours.call(createRoute, { body: { kind: 'mattermost', url: `${scene.box.url}/mattermost/x` } })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await ageAlertsALittle()
  // As when its addresses went after the choice.
  const escalate = (org: WatchingOrg, next: 'email' | 'mattermost') =>
    scene.world.sql`INSERT INTO alert_escalations VALUES (${org.org_id}, 'slack', ${next}, 5)`
  await escalate(theirs, 'email')
  const flood = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)`
  const at = stamp(new Date())
  await rows(
    scene.world.env,
    `${flood} INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, created_at, updated_at)
     SELECT ?1, 2, -i, -i, 'kev', 0, ?2, ?2 FROM n`,
    theirs.org_id,
    at,
  )
  await scene.world.sql`INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, next_attempt_at)
     SELECT org_id, id, 'slack', '', 'kev', ${urgentBits}, 'dead', ${at} FROM alerts WHERE org_id = ${theirs.org_id}`
  await burns(3)
  await escalate(ours, 'mattermost')
  await scene.world.sql`DELETE FROM deliveries WHERE channel = 'mattermost'`
  await pass(10)
  expect((await scene.box.taken('mattermost')).at(-1)?.body).toContain('Nobody acknowledged it at Slack')
})

test('an incident is acknowledged with its alert and resolved when the vulnerability is closed, each once', async () => {
  const [org, theirs] = [await scene.watching(), await scene.watching()]
  const body = { kind: 'pagerduty' as const, url: `${scene.box.url}/pagerduty`, apikey: 'k'.repeat(32) }
  for (const one of [org, theirs]) await one.call(createRoute, { body })
  const ids = [2, 3, 4, 5, 6]
  await scene.modify(...ids.map((id): [string] => [`CVE-2026-2000${id}`]))
  const told = async (action: string) => {
    const events = (await scene.box.taken('pagerduty')).map(({ body: text }) => text)
    const keys = events.filter((text) => text.includes(action)).map((text) => /org\d+-PH-\d+/.exec(text)?.[0])
    return keys.toSorted()
  }
  const keys = (of: number[]) => of.map((id) => `org${org.org_id}-PH-${id}`)
  expect(await told('"trigger"')).toHaveLength(10)
  await pass(0)
  expect([await told('"acknowledge"'), await told('"resolve"')]).toEqual([[], []])

  await org.call(acknowledge, { body: { id: await findAlert(org, 2) } })
  await org.call(editStatus, { params: { id: 3 }, body: { status: 'fixed' } })
  const until = stamp(plusSeconds(new Date(), 30 * 86_400)).slice(0, 10)
  await org.call(setSnooze, { params: { id: 4 }, body: { kind: 'accepted', reason: 'Behind a VPN', until } })
  await scene.world.sql`UPDATE org_vulns SET verdict = 0 WHERE vuln_id = 5 AND org_id = ${org.org_id}`
  // A row may be missing while another inventory waits to be compared, or a vendor to be matched.
  const waits = 'INSERT INTO inventory_due(org_id, inventory_id, component_id, vuln_id, noted) VALUES (?1, 1, 1, 0, 0)'
  const judged = "INSERT INTO judge_turns(org_id, hour, used, leased_until) VALUES (?1, '', 0, '9')"
  for (const statement of [waits, judged, 'DELETE FROM org_vulns WHERE vuln_id = 6 AND org_id = ?1'])
    await rows(scene.world.env, statement, org.org_id)
  await scene.box.behave({ status: 500 })
  await pass(0)
  await scene.box.behave({})
  await scene.world.sql`UPDATE summaries SET next_attempt_at = '2026-01-01T00:00:00Z' WHERE status = 'pending'`
  for (let turn = 0; turn < 2; turn++) await pass(0)
  expect([await told('"acknowledge"'), await told('"resolve"')]).toEqual([keys([2]), keys([3, 4, 5])])
  await scene.world.sql`DELETE FROM inventory_due`
  // Alerts that wait for a route that is off are told when it works again.
  await scene.world.sql`UPDATE alert_channels SET disabled_at = '2026-11-20' WHERE org_id = ${org.org_id}`
  const watch = { vendor_name: 'acme', product_name: 'widget', monitored: false }
  await org.call(toggleProduct, { body: watch })
  await pass(0)
  expect(await told('"resolve"')).toEqual(keys([3, 4, 5]))
  await scene.world.sql`UPDATE alert_channels SET disabled_at = NULL`
  for (let turn = 0; turn < 2; turn++) await pass(0)
  expect(await told('"resolve"')).toEqual(keys([2, 3, 4, 5, 6]))
  expect(await scene.world.sql`SELECT DISTINCT org_id FROM incidents`).toEqual([{ org_id: theirs.org_id }])
})

test('Jira, in the cloud or not, gets one issue for a vulnerability, commented when something changes, and closed with it', async () => {
  const orgs = [await scene.watching(), await scene.watching()]
  const keys = ['bot@acme.example:123456789012', 'token-0123456789']
  const { url } = scene.box
  for (const [at, path] of ['jira', 'jira-center'].entries())
    await orgs[at]?.call(createRoute, { body: { kind: 'jira', url: `${url}/${path}/browse/SEC`, apikey: keys[at] } })
  // Made, and the answer is lost: looked for before another one is made.
  await scene.box.behave({ lose_after: 1, only: ['/issue'] })
  await scene.modify(['CVE-2026-20001'])
  await scene.box.behave({})
  await makeDue(scene.world)
  await pass(0)
  const labels = orgs.map(({ org_id }) => [
    'earshot',
    `earshot-org${org_id}-PH-2`,
    'earshot-critical',
    'CVE-2026-20001',
  ])
  const readIssues = async () =>
    (await scene.box.state()).issues.toSorted((a, b) => (a.labels.join() < b.labels.join() ? -1 : 1))
  expect(await readIssues()).toMatchObject(labels.map((own) => ({ labels: own, status: 'new', comments: [] })))
  expect(await outcomes()).toEqual(['jira sent', 'jira sent'])

  // Commented, and the answer is lost: once, too.
  await scene.box.behave({ lose_after: 1, only: ['/comment'] })
  await ageAlerts(scene.world)
  await burns(2)
  await scene.box.behave({})
  await makeDue(scene.world)
  await pass(0)
  for (const org of orgs) await org.call(acknowledge, { body: { id: await findAlert(org, 2) } })
  await pass(0)
  for (const org of orgs) await org.call(editStatus, { params: { id: 2 }, body: { status: 'fixed' } })
  for (let turn = 0; turn < 2; turn++) await pass(0)
  const said = ['exploited', 'Acknowledged in Earshot', 'Closed in Earshot'].map((one) => expect.stringContaining(one))
  expect(await readIssues()).toMatchObject(labels.map(() => ({ status: 'done', comments: said })))
  expect((await scene.box.state()).requests.filter(({ problem }) => problem)).toEqual([])

  // A test stays as a closed issue; an address that does not fit says why.
  const [org] = orgs
  const sendTest = async () => {
    await scene.world.sql`DELETE FROM mail_allowances WHERE key LIKE 'alert test of%'`
    return org?.call(testRoute, { params: { route: 'jira' } })
  }
  const move = (to: string) =>
    org?.answer(updateRoute, { params: { route: 'jira' }, body: { url: `${url}/jira${to}` } })
  await move('/browse/SEC?type=Bug')
  expect((await sendTest())?.reason).toBe('Jira takes no Bug in SEC with a summary, a description and labels alone')
  await move('/browse/SEC')
  for (let turn = 0; turn < 2; turn++) expect(await sendTest()).toEqual({ status: 'success', reason: '' })
  expect((await readIssues()).at(-1)).toMatchObject({ summary: 'Earshot test', status: 'done' })
  await move('/browse/OTHER')
  expect((await sendTest())?.reason).toBe('Jira knows no project OTHER that this key may see')
  expect((await move(''))?.status).toBe(400)
})

/** Sent messages are so much older, and the clock ticks. */
async function pass(minutes: number) {
  const moved = "strftime('%Y-%m-%dT%H:%M:%SZ', sent_at, '-' || ?1 || ' minutes')"
  await rows(scene.world.env, `UPDATE deliveries SET sent_at = ${moved} WHERE status = 'sent'`, minutes)
  await scene.world.tick()
  await scene.world.drain()
}

/** Later changes start alerts of their own, which are young enough to go on. */
const ageAlertsALittle = () =>
  scene.world.sql`UPDATE alerts SET created_at = strftime('%Y-%m-%dT%H:%M:%SZ', created_at, '-1 hours')`
const findAlert = async (org: WatchingOrg, vuln_id: number) =>
  (await org.call(listAlerts, { query: { vuln_id } })).results[0]?.id ?? 0

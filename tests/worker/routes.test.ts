import { afterEach, beforeEach, expect, test } from 'vitest'
import { listChannels } from '../../worker/alerts/channels/contract'
import {
  createRoute,
  listRoutes,
  previewRoute,
  removeRoute,
  sendSample,
  testRoute,
  updateRoute,
} from '../../worker/alerts/receivers/contract'
import { confirmEmail } from '../../worker/auth/contract'
import { recountDay } from '../../worker/alerts/proof/proof'
import { whyAlerted } from '../../worker/alerts/contract'
import { createView, removeView } from '../../worker/views/contract'
import { openDb } from '../../worker/db/open'
import { alertRules } from '../../worker/domain/alerts/alert-rules'
import { stamp } from '../../worker/db/time'
import { aScene, beginAtNoon, findDeliveries, logExploited, makeDue, point } from './support/alerting'
import type { AlertingScene } from './support/alerting'
import { caller, rows, sqlIn } from './support/org'

let scene: AlertingScene
beforeEach(async () => {
  beginAtNoon()
  scene = await aScene()
})
afterEach(() => scene.origins.restore())

const plan = async () => {
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
}
const isExploited = (id: number) => logExploited(scene.world, id)
const outcomes = async () => (await findDeliveries(scene.world)).map(({ channel, status }) => `${channel} ${status}`)
const key32 = 'k'.repeat(32)

test('two receivers of a kind have names and rules of their own; the first stays what the settings say', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  const made = await org.call(createRoute, {
    body: { kind: 'slack', name: 'On call', url: `${scene.box.url}/slack`, only_exploited: true, on_kev: true },
  })
  expect(made).toMatchObject({ channel: 'slack-2', name: 'On call', is_configured: true, only_exploited: true })
  await scene.modify(['CVE-2026-20001'])
  expect(await outcomes()).toEqual(['slack sent'])
  await isExploited(2)
  await plan()
  expect((await outcomes()).sort()).toEqual(['slack sent', 'slack sent', 'slack-2 sent'])
  expect(await scene.box.taken('slack')).toHaveLength(3)
  const why = await org.call(whyAlerted, { params: { id: 2 } })
  expect(why.channels.map(({ channel }) => channel)).toContain('slack-2')
  const proofs = await recountDay(openDb(scene.world.env), { day: stamp(scene.now()).slice(0, 10), org_id: org.org_id })
  expect(proofs.get(org.org_id)).toMatchObject({ lost: 0, doubled: 0 })

  expect((await org.call(listChannels)).map(({ channel }) => channel)).not.toContain('slack-2')
  expect((await org.call(listRoutes)).map(({ channel }) => channel)).toContain('slack-2')
  await org.call(removeRoute, { params: { route: 'slack-2' } })
  expect((await org.call(listRoutes)).map(({ channel }) => channel)).not.toContain('slack-2')
  expect((await org.answer(updateRoute, { params: { route: 'slack-2' }, body: { name: 'x' } })).status).toBe(404)
  expect((await org.answer(testRoute, { params: { route: 'slack-7' } })).status).toBe(404)
})

test('routes that are added at the same instant take numbers of their own', async () => {
  const org = await scene.watching()
  const add = (name: string) =>
    org.call(createRoute, { body: { kind: 'slack', name, url: `${scene.box.url}/slack/${name}` } })
  const made = await Promise.all(['a', 'b', 'c', 'd'].map(add))
  expect(made.map(({ channel }) => channel).sort()).toEqual(['slack', 'slack-2', 'slack-3', 'slack-4'])
  const listed = (await org.call(listRoutes)).filter(({ is_configured }) => is_configured)
  expect(listed.map(({ name }) => name).sort()).toEqual(['a', 'b', 'c', 'd'])
})

test('a receiver tells only of what an inventory brings, or a shared view shows, as long as there is one', async () => {
  const org = await scene.watching()
  const view = await org.call(createView, { body: { name: 'Exploited', query: 'kev=true', is_shared: true } })
  const own = await org.call(createView, { body: { name: 'Mine', query: '', is_shared: false } })
  const { env } = scene.world
  await sqlIn(env)`INSERT INTO inventories
      (org_id, id, name, format, components_count, unmatched_count, created_at, updated_at, revision, changes)
      VALUES (${org.org_id}, 7, 'Shop', 'cyclonedx', 0, 0, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 1, 1)`
  const url = `${scene.box.url}/slack`
  for (const body of [{ views: [own.id] }, { inventories: [8] }])
    expect((await org.answer(createRoute, { body: { kind: 'slack', url, ...body } })).status).toBe(400)
  await org.call(createRoute, { body: { kind: 'slack', url, views: [view.id] } })
  await org.call(createRoute, { body: { kind: 'slack', url, inventories: [7] } })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  expect(await outcomes()).toEqual([])
  const why = await org.call(whyAlerted, { params: { id: 2 } })
  expect(why.channels.flatMap(({ reasons }) => reasons.map(({ text }) => text))).toEqual(
    expect.arrayContaining([
      'None of the saved views of its rules shows it',
      'None of the inventories of its rules brings it',
    ]),
  )
  await rows(env, 'INSERT INTO inventory_vulns VALUES (2, ?1, 7, 0, 3, 0)', org.org_id)
  await isExploited(2)
  await isExploited(3)
  await plan()
  expect((await outcomes()).sort()).toEqual(['slack sent', 'slack sent', 'slack-2 sent'])
  // Without its view and its inventory a rule leaves nothing out.
  await org.call(removeView, { params: { id: view.id } })
  await rows(env, 'UPDATE inventories SET removed_at = updated_at')
  await scene.modify(['CVE-2026-20003'])
  expect((await outcomes()).filter((one) => one === 'slack-2 sent')).toHaveLength(2)
})

test('PagerDuty, Mattermost and a JSON webhook are told in the shape that each publishes', async () => {
  const org = await scene.watching()
  const { url } = scene.box
  const template =
    '{"text":"{{title}} ({{severity}})","score":"{{score}}","changed":"{{changes}}","fixed":{"by":["{{cve}}"]}}'
  await org.call(createRoute, { body: { kind: 'pagerduty', url: `${url}/pagerduty`, apikey: key32 } })
  await org.call(createRoute, { body: { kind: 'mattermost', url: `${url}/mattermost/hooks/x` } })
  await org.call(createRoute, { body: { kind: 'json', url: `${url}/json`, apikey: '123456789012', template } })
  await scene.modify(['CVE-2026-20001'])
  expect((await outcomes()).sort()).toEqual(['json sent', 'mattermost sent', 'pagerduty sent'])
  const { requests } = await scene.box.state()
  expect(requests.map(({ problem }) => problem)).toEqual([null, null, null])
  const readBody = (kind: string) =>
    JSON.parse(requests.find(({ path }) => path.startsWith(`/${kind}`))?.body ?? '') as object
  expect(readBody('pagerduty')).toMatchObject({ event_action: 'trigger', dedup_key: `earshot-org${org.org_id}-PH-2` })
  expect(readBody('json')).toEqual({
    text: expect.stringMatching(/^CVE-2026-20001 new vulnerability \(/),
    score: expect.anything(),
    changed: expect.any(Array),
    fixed: { by: ['CVE-2026-20001'] },
  })
  expect(requests.find(({ path }) => path === '/json')?.headers['authorization']).toBe('Bearer 123456789012')
  for (const route of ['pagerduty', 'mattermost', 'json'] as const)
    expect(await org.call(testRoute, { params: { route } })).toEqual({ status: 'success', reason: '' })
})

test('a template is tried on a real alert, and its wrong names are told', async () => {
  const org = await scene.watching()
  const show = (template: string) => org.answer(previewRoute, { body: { kind: 'json', template } })
  expect((await show('{}')).status).toBe(404)
  await scene.modify(['CVE-2026-20001'])
  expect(await org.call(previewRoute, { body: { kind: 'json', template: '{"a":"{{cve}}"}' } })).toMatchObject({
    vuln: { id: 2, name: 'CVE-2026-20001' },
    subject: null,
    text: '{\n  "a": "CVE-2026-20001"\n}',
  })
  const tryDepth = async (levels: number) => (await show('['.repeat(levels) + ']'.repeat(levels))).status
  expect([await tryDepth(20), await tryDepth(21), await tryDepth(5_000)]).toEqual([200, 400, 400])
  await org.world.sql`UPDATE vulns SET summary = ${'long '.repeat(1_000)} WHERE id = 2`
  const many = JSON.stringify({ a: '{{summary}}{{changes}}'.repeat(450) })
  const filled = await org.call(previewRoute, { body: { kind: 'json', template: many } })
  expect(filled.text.length).toBeLessThan(250_000)
  const mail = await org.call(previewRoute, { body: { kind: 'email' } })
  expect(mail.subject).toContain('CVE-2026-20001')
  for (const rule of alertRules) {
    const { is_invented, alert_id, text } = await org.call(previewRoute, { body: { kind: 'webhook', rule } })
    expect([rule, alert_id === null]).toEqual([rule, is_invented])
    if (rule === 'new' || rule === 'kev') expect(is_invented).toBe(rule === 'kev')
    expect(JSON.parse(text)).toMatchObject({ data: { rule, organization: { id: org.org_id } } })
  }
  await point(scene, org, 'slack')
  await point(scene, org, 'misp')
  expect(await org.call(sendSample, { params: { route: 'slack' }, body: { rule: 'kev' } })).toMatchObject({
    status: 'success',
  })
  const [sample] = await scene.box.taken('slack')
  expect(JSON.stringify(sample)).toMatch(/\(sample\) is known to be exploited.*This is a sample/)
  expect((await org.answer(sendSample, { params: { route: 'misp' }, body: { rule: 'kev' } })).status).toBe(409)
  const refused = await org.answer(createRoute, {
    body: { kind: 'json', url: `${scene.box.url}/json`, template: '{"a":"{{nonsense}}"}' },
  })
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('There is no field')])
  for (const body of [{ kind: 'slack' as const }, { kind: 'pagerduty' as const, url: `${scene.box.url}/pagerduty` }])
    expect((await org.answer(createRoute, { body })).status).toBe(400)
})

test('in quiet hours only what is urgent leaves; a daily mail tells of all at once', async () => {
  const org = await scene.watching()
  const hour = scene.now().getUTCHours()
  await point(scene, org, 'slack', { quiet_from: hour, quiet_to: (hour + 5) % 24 })
  await org.call(createRoute, {
    body: { kind: 'email', name: 'Team', addresses: [org.email], pace: 'daily', pace_hour: (hour + 2) % 24 },
  })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  const waiting = ['email-2 pending', 'email-2 pending', 'slack pending', 'slack pending']
  expect((await outcomes()).sort()).toEqual(waiting)
  // A test moves nothing of it forward.
  for (const route of ['slack', 'email-2'] as const)
    expect(await org.call(testRoute, { params: { route } })).toMatchObject({ status: 'success' })
  await scene.later(0)
  expect((await outcomes()).sort()).toEqual(waiting)
  scene.world.mails.length = 0
  await isExploited(2)
  await plan()
  expect((await outcomes()).sort()).toEqual(['email-2 pending', 'email-2 sent', 'slack pending', 'slack sent'])
  await scene.modify(['CVE-2026-20003'])
  await scene.world.sql`UPDATE deliveries SET next_attempt_at = '2026-01-01T00:00:00Z' WHERE status = 'pending'`
  await scene.later(0)
  expect((await outcomes()).every((one) => one.endsWith('sent'))).toBe(true)
  const mails = scene.world.mails.map(({ to, subject }) => [to, subject])
  expect(mails).toHaveLength(2)
  expect(mails[1]).toEqual([org.email, expect.stringMatching(/^\[Earshot\] 2 alerts: /)])
})

test('a mail of several alerts has one id at each try, and takes nothing more in', async () => {
  const org = await scene.watching()
  const hour = scene.now().getUTCHours()
  await org.call(createRoute, {
    body: { kind: 'email', addresses: [org.email], pace: 'daily', pace_hour: (hour + 2) % 24 },
  })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  const leave = async () => {
    await makeDue(scene.world)
    await scene.later(0)
  }
  scene.world.mailServer.refuse = '451 try later'
  await leave()
  scene.world.mailServer.refuse = null
  await scene.modify(['CVE-2026-20003'])
  // The first of the mail is gone before its second try.
  const [first] = await findDeliveries(scene.world)
  await scene.world.sql`UPDATE deliveries SET status = 'suppressed' WHERE id = ${first?.id}`
  await leave()
  const told = scene.world.mails.map(({ subject, headers }) => [subject, headers['X-Earshot-Id']])
  expect(told).toEqual([
    [expect.stringContaining('CVE-2026-20002'), expect.stringContaining(`delivery-${first?.id}@`)],
    [expect.stringContaining('CVE-2026-20003'), expect.any(String)],
  ])
})

test('a mail of many alerts is tried again whole, also beside others', async () => {
  const hour = scene.now().getUTCHours()
  for (const org of [await scene.watching(), await scene.watching()])
    await org.call(createRoute, {
      body: { kind: 'email', addresses: [org.email], pace: 'daily', pace_hour: (hour + 2) % 24, daily_max: 0 },
    })
  await scene.modify(...Array.from({ length: 40 }, (_, at): [string] => [`CVE-2026-${20_001 + at}`]))
  for (const refuse of ['451 try later', null]) {
    Object.assign(scene.world.mailServer, { refuse })
    for (const _ of [1, 2]) await makeDue(scene.world).then(() => scene.later(0))
  }
  expect(new Set((await findDeliveries(scene.world)).map(({ status }) => status))).toEqual(new Set(['sent']))
  const names = scene.world.mails.map(({ headers }) => headers['X-Earshot-Id'])
  expect(new Set(names).size).toBe(names.length)
})

test("another organization's routes stay unseen, and an address of nobody waits for its owner", async () => {
  const [ours, theirs] = [await scene.watching(), await scene.watching()]
  await ours.call(createRoute, { body: { kind: 'email', addresses: ['stranger@example.org'] } })
  expect(await ours.call(listRoutes)).toContainEqual(
    expect.objectContaining({ channel: 'email-2', unconfirmed: ['stranger@example.org'] }),
  )
  await scene.modify(['CVE-2026-20001'])
  expect(await outcomes()).toEqual([])
  for (const mail of scene.world.mails) expect(mail.subject).not.toContain('CVE-2026-20001')
  expect((await theirs.call(listRoutes)).map(({ channel }) => channel)).not.toContain('email-2')
  expect((await theirs.answer(removeRoute, { params: { route: 'email-2' } })).status).toBe(404)
})

test('more new addresses than a day has are refused with a sentence, and nothing of it is saved', async () => {
  const org = await scene.watching()
  const add = async (name: string) => {
    const addresses = Array.from({ length: 10 }, (_, at) => `${name}${at}@example.net`)
    return (await org.answer(createRoute, { body: { kind: 'email', addresses } })).status
  }
  expect([await add('a'), await add('b'), await add('c')]).toEqual([201, 201, 429])
  expect((await org.call(listRoutes)).filter(({ addresses }) => addresses.length)).toHaveLength(2)
})

test('a person who confirms the address of a further route is written to, until they leave by its link', async () => {
  const org = await scene.watching()
  const to = 'stranger@example.net'
  await org.call(createRoute, { body: { kind: 'email', addresses: [to] } })
  await scene.later(0)
  const token = /\/email\/([\w-]+)/.exec(scene.world.mails[0]?.text ?? '')?.[1] ?? ''
  await caller(scene.world, null).call(confirmEmail, { params: { token } })
  await scene.modify(['CVE-2026-20001'])
  const mail = scene.world.mails.find(({ subject }) => subject.includes('CVE-2026-20001'))
  expect(mail?.to).toBe(to)
  const path = /Unsubscribe: https:\/\/[^/]+(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
  expect((await scene.world.request(path, { method: 'POST' })).status).toBe(200)
  await scene.modify(['CVE-2026-20002'])
  expect(scene.world.mails.filter(({ subject }) => subject.includes('CVE-2026-20002'))).toEqual([])
  expect(await org.call(listRoutes)).toContainEqual(expect.objectContaining({ channel: 'email-2', unconfirmed: [to] }))
})

test('a message too large for a receiver is halved until it fits, and nothing of it is told twice', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await scene.box.behave({ max_length: 1_400 })
  const ids = [1, 2, 3, 4, 5].map((place): [string] => [`CVE-2026-2000${place}`])
  await scene.modify(...ids)
  expect(await outcomes()).toEqual(ids.map(() => 'slack sent'))
  const taken = await scene.box.taken('slack')
  expect(taken.length).toBeGreaterThan(1)
  const told = taken.flatMap(({ body }) => [...new Set(body.match(/CVE-2026-2000\d/g))])
  expect(told.sort()).toEqual(ids.flat())
})

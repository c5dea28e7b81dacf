import { afterEach, beforeEach, expect, test } from 'vitest'
import { deleteAccount } from '../../worker/account/contract'
import { listAlerts, whyAlerted } from '../../worker/alerts/contract'
import { recountDay } from '../../worker/alerts/proof/proof'
import { previewReport } from '../../worker/alerts/reports/contract'
import { createRoute } from '../../worker/alerts/receivers/contract'
import { urgentNews } from '../../worker/alerts/urgent/contract'
import { openDb } from '../../worker/db/open'
import type { VulnRecord } from '../../worker/domain/words/record'
import { saveRecords } from '../../worker/merge/save-records'
import { stamp } from '../../worker/db/time'
import { aScene, beginAtNoon, findDeliveries, point, worse, type AlertingScene } from './support/alerting'
import { send } from './support/inventory-scene'
import { aMember } from './support/member'
import { anOrg, rows, sqlIn } from './support/org'

let scene: AlertingScene
beforeEach(async () => {
  beginAtNoon()
  scene = await aScene()
})
afterEach(() => scene.origins.restore())

test('findings of a first document are told by mail and to chats as one summary that is tried again, stands in the ledger, and is proved', async () => {
  const org = await scene.watching()
  const { url } = scene.box
  await point(scene, org, 'slack')
  await scene.world.sql`UPDATE alert_settings SET alerts_emails = json_array(${org.email})
    WHERE org_id = ${org.org_id}`
  await point(scene, org, 'teams', { on_new: false })
  await point(scene, org, 'webhook')
  await org.call(createRoute, { body: { kind: 'mattermost', url: `${url}/mattermost/hooks/x` } })
  await org.call(createRoute, { body: { kind: 'slack', url: `${url}/slack`, min_score: 100 } })
  await org.call(createRoute, { body: { kind: 'teams', url: `${url}/teams` } })
  await scene.box.behave({ status: 503, only: ['/slack'] })
  await send(org, 'shop', ['cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*'])
  await scene.later(0)
  const taken = async () =>
    (await scene.box.state()).requests.filter((one) => one.taken).map(({ path }) => path.split('/')[1])
  expect((await taken()).toSorted()).toEqual(['mattermost', 'teams'])
  const day = stamp(scene.now()).slice(0, 10)
  const proof = async () => (await recountDay(openDb(scene.world.env), { day, org_id: org.org_id })).get(org.org_id)
  expect((await org.call(listAlerts)).results).toMatchObject([{ status: 'pending', deliveries: [] }])
  expect(await proof()).toMatchObject({ matched: 1, documents: 1, waiting: 1 })
  await scene.box.behave({})
  const again = async () => {
    await scene.world.sql`UPDATE summaries SET next_attempt_at = '2026-01-01T00:00:00Z'
      WHERE status = 'pending'`
    for (const _ of [1, 2]) await scene.later(0)
  }
  // Nothing leaves for an organization that is disabled, nor to a chat that is off.
  for (const [table, column, off, on] of [
    ['orgs', 'is_active', 0, 1],
    ['alert_channels', 'disabled_at', '2026-01-01T00:00:00Z', null],
  ] as const) {
    await rows(scene.world.env, `UPDATE ${table} SET ${column} = ?1`, off)
    await again()
    expect((await taken()).toSorted()).toEqual(['mattermost', 'teams'])
    await rows(scene.world.env, `UPDATE ${table} SET ${column} = ?1`, on)
  }
  await again()
  expect((await taken()).toSorted()).toEqual(['mattermost', 'slack', 'teams'])
  const { requests } = await scene.box.state()
  expect(requests.map(({ problem }) => problem).filter(Boolean)).toEqual([])
  for (const { body } of requests) {
    expect(body).toContain('findings in shop')
    expect(body).toContain('CVE-2024-10001: score')
    expect(body).toContain('/monitoring/inventories/shop')
  }
  expect(await findDeliveries(scene.world)).toEqual([])
  // The ledger has one row for it, which is no news by itself; each vulnerability that it brought knows it.
  expect((await org.call(listAlerts)).results).toMatchObject([
    {
      rule: 'new',
      status: 'sent',
      reason: null,
      changes: [
        '1 vulnerability that the first document of shop brought, told together in 4 messages: e-mail sent, Mattermost sent, Slack sent, Microsoft Teams #2 sent',
      ],
    },
  ])
  const why = await org.call(whyAlerted, { params: { id: 1 } })
  expect(why.first_no).toBe('It has not changed since it stood in the summary of a first document')
  expect(why.reasons.at(-1)?.text).toMatch(/^It stood in the summary of the first document of shop, .*: sent$/)
  const messages = { email: 1, mattermost: 1, slack: 1, 'teams-2': 1 }
  expect(await proof()).toMatchObject({ matched: 1, documents: 1, delivered: 1, lost: 0, messages })
  expect(await org.call(urgentNews)).toMatchObject({ unread: 0, results: [] })
  // It is as old as the feed, and new to who sent the document.
  expect(await org.call(previewReport, { params: { schedule: 'weekly' } })).toMatchObject({
    new: 1,
    updated: 0,
    rows: [{ name: 'CVE-2024-10001', is_new: true, changed: [] }],
  })
  await scene.world.sql`DELETE FROM summaries WHERE channel = 'slack'`
  expect(await proof()).toMatchObject({ delivered: 0, lost: 1, differences: [{ vuln_id: 1, problem: 'lost' }] })
})

test('a summary for somebody whose account was removed since is suppressed unless it had left, and never lost', async () => {
  const org = await scene.watching()
  const { world } = scene
  const [early, late] = [await aMember(world, org.org_id), await aMember(world, org.org_id)]
  await world.sql`UPDATE alert_settings SET alerts_emails = json_array(${early.email})
    WHERE org_id = ${org.org_id}`
  const document = ['cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*']
  await send(org, 'shop', document)
  await scene.later(0)
  await world.sql`UPDATE alert_settings SET alerts_emails = json_array(${late.email})`
  world.mailServer.refuse = 'not now'
  await send(org, 'store', document)
  await scene.later(0)
  const proof = async () =>
    (await recountDay(openDb(world.env), { day: stamp(scene.now()).slice(0, 10), org_id: org.org_id })).get(org.org_id)
  expect(await proof()).toMatchObject({ documents: 2, delivered: 1, waiting: 1 })
  for (const member of [early, late]) await member.call(deleteAccount, { body: {} })
  world.mailServer.refuse = null
  await world.sql`UPDATE mails SET next_attempt_at = '2026-01-01T00:00:00Z'`
  await scene.later(0)
  expect(world.mails.map(({ to }) => to)).toEqual([early.email, org.email])
  expect(await proof()).toMatchObject({ documents: 2, delivered: 1, suppressed: 1, lost: 0, messages: { email: 1 } })
  expect((await org.call(listAlerts)).results).toMatchObject([
    { status: 'suppressed', reason: 'Those whom it was for have left' },
    { status: 'sent', reason: null },
  ])
  expect(JSON.stringify(await world.sql`SELECT * FROM mails`)).not.toMatch(new RegExp(`${early.email}|${late.email}`))
})

test('a change that came while a first document was read stands in its summary, and is not lost', async () => {
  const { world } = scene
  const org = await anOrg({ world, is_org_admin: true })
  await scene.modify(['CVE-2024-10001', worse])
  await send(org, 'shop', ['cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*'])
  await world.sql`UPDATE inventories SET updated_at = (SELECT max(at) FROM vuln_changes)`
  const recount = async () =>
    (await recountDay(openDb(world.env), { day: stamp(new Date()).slice(0, 10), org_id: org.org_id })).get(org.org_id)
  expect(await recount()).toMatchObject({ lost: 1 })
  await scene.later(1)
  expect(await recount()).toMatchObject({ documents: 1, unsure: 1, lost: 0 })
})

test('urgent alerts of a first document are told by routes that want no other news, and however many were told that day', async () => {
  const org = await scene.watching()
  const { world } = scene
  const { env } = world
  await point(scene, org, 'slack', { on_new: false, on_kev: true, only_exploited: true })
  await point(scene, org, 'teams', { on_new: false })
  const settings = 'alerts_emails = json_array(?1), on_new = 0, on_malicious = 1'
  await rows(env, `UPDATE alert_settings SET ${settings}`, org.email)
  const used = `INSERT INTO mail_allowances(key, day, used, last_at) VALUES (?1, ?2, 20, '2026-01-01T00:00:00Z')`
  for (const receiver of [org.email, 'slack'])
    await rows(env, used, `inventories ${org.org_id} ${receiver}`, stamp(scene.now()).slice(0, 10))
  const document = ['cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*']
  const taken = async () => [
    world.mails.map(({ subject }) => subject),
    (await scene.box.state()).requests.map(({ path }) => path),
  ]
  await send(org, 'calm', document)
  await scene.later(0)
  expect(await taken()).toEqual([[], []])
  await rows(env, 'UPDATE vulns SET is_malicious = 1 WHERE id = 1')
  await send(org, 'shop', document)
  await scene.later(0)
  const [mails, chats] = await taken()
  expect([mails, chats?.toSorted()]).toEqual([[expect.stringContaining('found in shop')], ['/slack', '/teams']])
  await rows(env, 'UPDATE vulns SET is_malicious = 0 WHERE id = 1')
  await sqlIn(
    env,
  )`INSERT INTO exploitation_claims(vuln_id, key, catalogue, name, exploited, reason, is_exploited, added, notes, link, evidence)
    VALUES (1, 'eu', 'eu', 'EU KEV', 1, 'confirmed', 1, '', '', '', '[]')`
  await send(org, 'store', document)
  await scene.later(0)
  expect((await taken())[1]?.slice(2)).toEqual(['/slack'])
})

test('of two advisories that become one CVE, what a first document told of either is not told again, and what the other one had is', async () => {
  const [both, one] = [await scene.watching(), await scene.watching()]
  for (const org of [both, one]) await point(scene, org, 'slack', { on_new: false, on_update: false, on_kev: true })
  const ranges = [{ order: 'semver', lt: '2.0.0' } as const]
  const claim = {
    key: 'eu',
    by: 'eu',
    name: 'EU KEV',
    exploited: true,
    reason: 'confirmed',
    added: '2026-11-20',
  } as const
  const claims = [{ ...claim, notes: '', link: '' }]
  const say = async (records: (Partial<VulnRecord> & { cveid: string })[], ids: string[] = []) => {
    await saveRecords(openDb(scene.world.env), {
      source: 'ghsa',
      records: records.map((record) => ({ ref: record.cveid, state: 'published', summary: 'A flaw.', ...record })),
      withdrawn: ids.map((id) => ({ cveid: id, ref: id })),
      is_backfill: false,
      now: scene.now(),
    })
    // Verdicts may be found before or after their changes are planned.
    await scene.world.deliver('earshot-verdicts', { reason: 'due' })
    await scene.later(15)
  }
  const of = (cveid: string, name: string, more: Partial<VulnRecord> = {}) => {
    return { cveid, packages: [{ type: 'npm', name, ranges }], ...more }
  }
  const cvss3 = { score: 9.8, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', by: 'NVD' }
  const worst = of('CVE-2026-70009', 'own-worst', { claims, cvss3 })
  const [plain, burning] = [
    of('GHSA-2222-3333-4444', 'own-plain'),
    of('GHSA-5555-6666-7777', 'own-burning', { claims }),
  ]
  await say([worst, plain, burning])
  await send(both, 'shop', ['pkg:npm/own-worst@1.0.0', 'pkg:npm/own-plain@1.0.0', 'pkg:npm/own-burning@1.0.0'])
  await send(one, 'shop', ['pkg:npm/own-worst@1.0.0', 'pkg:npm/own-plain@1.0.0'])
  await scene.later(15)
  const into = 'CVE-2026-70001'
  const joined = [plain, burning].map((record) => ({
    ...record,
    cveid: into,
    ref: record.cveid,
    aliases: [record.cveid],
  }))
  await say([of(into, 'own-elsewhere')])
  await say(joined, [plain.cveid, burning.cveid])
  const told = await findDeliveries(scene.world)
  expect(told.map(({ org_id, rule }) => [org_id, rule])).toEqual([[one.org_id, 'kev']])
})

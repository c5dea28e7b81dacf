import { expect, test } from 'vitest'
import { listAlerts, whyAlerted } from '../../worker/alerts/contract'
import { listChannels } from '../../worker/alerts/channels/contract'
import { claimLanes } from '../../worker/alerts/deliver/lanes'
import { planAlerts } from '../../worker/alerts/plan/plan'
import { createRoute, testRoute, updateRoute } from '../../worker/alerts/receivers/contract'
import { recountDay } from '../../worker/alerts/proof/proof'
import { getRota, removeRota, setRota } from '../../worker/alerts/rota/contract'
import { openDb } from '../../worker/db/open'
import { plusSeconds, stamp } from '../../worker/db/time'
import { isUrgent } from '../../worker/domain/alerts/alert-judge'
import { eachTest } from './support/each-test'
import { aScene, ageAlerts, configure, findDeliveries, logChange, logExploited, point } from './support/alerting'
import { aMember } from './support/member'
import { rows } from './support/org'

const scene = eachTest(aScene)

const plan = async () => {
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
}
const worsens = (id: number, to: number) =>
  logChange(scene.world, id, { cvss3: to }, { changes: [{ field: 'cvss3', from: 5, to }] })
const isExploited = (id: number) => logExploited(scene.world, id)
const hasExploit = (id: number) =>
  logChange(scene.world, id, { is_exploitable: 1 }, { changes: [{ field: 'is_exploitable', to: true }] })
const outcomes = async (channel = 'slack') =>
  (await findDeliveries(scene.world))
    .filter((one) => one.channel === channel)
    .map(({ rule, status }) => `${rule} ${status}`)
const cves = (count: number) => Array.from({ length: count }, (_, at): [string] => [`CVE-2026-${20_000 + at}`])

test('a vulnerability newly exploited, with a first exploit or over a threshold goes at once however small the daily number is, and takes no place of it', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { daily_max: 2, on_score: true })
  await scene.modify(...cves(3))
  await ageAlerts(scene.world)
  expect((await outcomes()).sort()).toEqual(['new held', 'new sent', 'new sent'])
  for (const id of [2, 3]) await isExploited(id)
  await hasExploit(1)
  await plan()
  // The channel has neither rule switched on: it takes them as changes.
  expect((await outcomes()).slice(3)).toEqual(['updated sent', 'updated sent', 'updated sent'])
  await ageAlerts(scene.world)
  await logChange(scene.world, 4, { score: 90 }, { kind: 'minor', changes: [{ field: 'score', from: 50, to: 90 }] })
  await worsens(2, 6)
  await plan()
  expect((await outcomes()).slice(6).sort()).toEqual(['score sent', 'updated held'])
  await scene.world.sql`DELETE FROM quotas`
  await ageAlerts(scene.world)
  for (const id of [1, 2, 3, 4]) await hasExploit(id)
  for (const id of [1, 2, 3, 4]) await worsens(id, 7)
  await plan()
  expect(await scene.world.sql`SELECT * FROM quotas`).toEqual([])
})

test('urgent messages leave before the backlog of another organization, however long it waited', async () => {
  const { env } = scene.world
  const [loud, ours] = [await scene.watching(), await scene.watching()]
  await point(scene, loud, 'webhook', { on_new: false, on_update: false })
  await point(scene, ours, 'webhook')
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)'
  const [old, columns] = ["'2026-01-01T00:00:00Z'", 'org_id, vuln_id, change_seq, last_seq, rule, fired']
  await rows(
    env,
    `${numbers} INSERT INTO alerts(${columns}, created_at, updated_at) SELECT ?1, 1, 9000 + i, 9000 + i, 'updated', 2, ${old}, ${old} FROM n`,
    loud.org_id,
  )
  await rows(
    env,
    `INSERT INTO deliveries(org_id, alert_id, channel, target, rule, status, next_attempt_at) SELECT org_id, id, 'webhook', '', rule, 'pending', ${old} FROM alerts`,
  )
  await isExploited(1)
  await planAlerts(openDb(env), scene.now())
  const look = (isWide: boolean) => claimLanes(openDb(env), [], { healthy: 1, failing: 0, isWide }, scene.now())
  expect((await look(true)).map(({ org_id }) => org_id)).toEqual([ours.org_id])
  expect(new Set((await look(false)).map(({ org_id }) => org_id))).toEqual(new Set([loud.org_id]))
})

test('a held alert goes at once when it becomes urgent, and one that had left is told again', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { daily_max: 1 })
  await scene.modify(...cves(2))
  expect((await outcomes()).sort()).toEqual(['new held', 'new sent'])
  for (const id of [2, 3]) await isExploited(id)
  await plan()
  expect((await outcomes()).sort()).toEqual(['kev sent', 'kev sent', 'new sent'])
  expect((await scene.box.taken('slack')).at(-1)?.body).toContain('Added to CISA KEV')
  expect((await org.call(listAlerts)).results.map(({ status }) => status)).toEqual(['sent', 'sent'])
  // Nothing is told a third time.
  for (const id of [2, 3]) await isExploited(id)
  await plan()
  expect(await findDeliveries(scene.world)).toHaveLength(3)
})

test('a held alert goes at once when its package is called malicious, and the all-clear goes to a channel that wants nothing else', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { daily_max: 1 })
  await scene.modify(...cves(2))
  await configure(org, 'slack', { on_new: false, on_update: false })
  const calls = (to: boolean) => ({ changes: [{ field: 'is_malicious', to }] })
  for (const id of [2, 3]) await logChange(scene.world, id, { is_malicious: 1 }, calls(true))
  await plan()
  expect((await outcomes()).sort()).toEqual(['malicious sent', 'malicious sent', 'new sent'])
  await logChange(scene.world, 2, { is_malicious: 0 }, calls(false))
  await plan()
  expect((await outcomes()).slice(3)).toEqual(['cleared sent'])
  expect((await scene.box.taken('slack')).at(-1)?.body).toContain('is no longer called malicious')
  await configure(org, 'slack', { on_malicious: false })
  await logChange(scene.world, 3, { is_malicious: 0 }, calls(false))
  await plan()
  expect(await outcomes()).toHaveLength(4)
})

test('a channel that is told neither of news nor of changes is not told what it switched off', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { on_new: false, on_update: false, on_fix: true })
  await isExploited(1)
  await plan()
  expect(await findDeliveries(scene.world)).toEqual([])
})

test('an exploited vulnerability without a CVSS vector passes a least score above its provisional one, and one with a vector does not', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { min_score: 80 })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await scene.world.sql`UPDATE vulns SET score = 62`
  const vectors = 'cvss_vector = NULL, cvss3_vector = NULL, cvss4_vector = NULL'
  await rows(scene.world.env, `UPDATE vulns SET ${vectors} WHERE id IN (2, 3)`)
  await ageAlerts(scene.world)
  const before = (await outcomes()).length
  for (const id of [1, 2]) await isExploited(id)
  await hasExploit(3)
  await plan()
  expect((await outcomes()).slice(before)).toEqual(['updated sent'])
  expect((await scene.box.taken('slack')).at(-1)?.body).toContain('CVE-2026-20001')
  const { channels } = await org.call(whyAlerted, { params: { id: 2 } })
  const text = 'Its provisional score is 62, the minimum score is 80, but it is exploited'
  expect(channels.find(({ channel }) => channel === 'slack')?.reasons).toContainEqual({ is_ok: true, text })
})

test('machines are told everything at once until somebody sets a number; people by twenty a day', async () => {
  const org = await scene.watching()
  for (const channel of ['webhook', 'slack']) await point(scene, org, channel)
  const daily = async () =>
    (await org.call(listChannels)).map(({ channel, daily_max }) => [channel, daily_max] as const)
  expect(await daily()).toEqual([
    ['email', 20],
    ['slack', 20],
    ['teams', 20],
    ['thehive', 0],
    ['misp', 0],
    ['webhook', 0],
  ])
  await scene.modify(...cves(24))
  expect((await outcomes('webhook')).every((one) => one === 'new sent')).toBe(true)
  expect((await outcomes('slack')).filter((one) => one === 'new held')).toHaveLength(4)
  await configure(org, 'webhook', { daily_max: 1 })
  await ageAlerts(scene.world)
  for (const id of [2, 3]) await worsens(id, 6)
  await plan()
  expect((await outcomes('webhook')).slice(24)).toEqual(['updated held', 'updated held'])
})

test.each([
  ['updated', ['updated'], false],
  ['updated', ['updated', 'kev'], true],
  ['new', ['new', 'exploitable'], true],
  ['fix', ['fix', 'updated'], false],
  ['malicious', ['updated'], true],
  ['updated', ['updated', 'cleared'], true],
  ['score', ['updated'], true],
] as const)('an alert by the rule %s of which %j fired counts as urgent: %s', (rule, rules, expected) => {
  expect(isUrgent(rule, { rules: [...rules], from: { score: null, cvss: null, cvss3: null } })).toBe(expected)
})

test('an alert is passed on to nobody whose limits leave it out: it goes past them, and the ledger says why', async () => {
  const org = await scene.watching()
  const { env } = scene.world
  await point(scene, org, 'slack')
  const quiet = { kind: 'mattermost' as const, on_new: false, on_update: false }
  await org.call(createRoute, { body: { ...quiet, url: `${scene.box.url}/mattermost/x`, groups: ['dmz'] } })
  await org.call(createRoute, { body: { ...quiet, url: `${scene.box.url}/mattermost/y`, min_score: 1 } })
  const passOn = (route: 'slack' | 'mattermost', escalate_to: 'mattermost' | 'mattermost-2') =>
    org.call(updateRoute, { params: { route }, body: { escalate_to, escalate_minutes: 20 } })
  await passOn('slack', 'mattermost')
  await passOn('mattermost', 'mattermost-2')
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await rows(env, "UPDATE alerts SET created_at = strftime('%Y-%m-%dT%H:%M:%SZ', created_at, '-1 hours')")
  await rows(env, "INSERT INTO watch_groups(org_id, label, kind, item_id) VALUES (?1, 'dmz', 'vuln', 3)", org.org_id)
  await rows(env, "INSERT INTO monitored_vulns(org_id, vuln_id, created_at) VALUES (?1, 3, '')", org.org_id)
  for (const id of [2, 3]) await isExploited(id)
  await plan()
  await rows(env, "UPDATE deliveries SET sent_at = '2026-01-01T00:00:00Z' WHERE status = 'sent' AND rule = 'updated'")
  for (let turn = 0; turn < 2; turn++) {
    await scene.world.tick()
    await scene.world.drain()
  }
  const passed = async (vuln_id: number) =>
    (await org.call(listAlerts, { query: { vuln_id } })).results[0]?.deliveries.flatMap((one) =>
      one.escalated_from ? [[one.channel, one.escalated_from, one.status, one.last_error]] : [],
    )
  expect(await passed(2)).toEqual([
    ['mattermost', 'slack', 'suppressed', 'It concerns no item of the group dmz'],
    ['mattermost-2', 'slack', 'sent', null],
  ])
  expect(await passed(3)).toEqual([['mattermost', 'slack', 'sent', null]])
  const told = (await scene.box.taken('mattermost')).map(({ body }) => /CVE-2026-\d+/.exec(body)?.[0])
  expect(told.toSorted()).toEqual(['CVE-2026-20001', 'CVE-2026-20002'])
  const proofs = await recountDay(openDb(env), { day: stamp(new Date()).slice(0, 10), org_id: org.org_id })
  expect(proofs.get(org.org_id)).toMatchObject({ lost: 0, doubled: 0 })
})

test('an alert that nobody acknowledged goes to the member on duty, past members who are away, and to the usual address when nobody is', async () => {
  const [org, theirs] = [await scene.watching(), await scene.watching()]
  const { world } = scene
  const [ann, bob] = [await aMember(world, org.org_id), await aMember(world, org.org_id)]
  const params = { route: 'email-2' as const }
  const quiet = { on_new: false, on_update: false, on_malicious: false }
  await org.call(createRoute, { body: { kind: 'email', addresses: [org.email], ...quiet } })
  await point(scene, org, 'slack')
  await org.call(updateRoute, { params: { route: 'slack' }, body: { escalate_to: 'email-2', escalate_minutes: 5 } })

  const day = (add: number) => stamp(plusSeconds(new Date(), add * 86_400))
  const people = [ann.user_id, bob.user_id]
  const body = { zone: 'Europe/Berlin', starts_on: day(-2).slice(0, 10), people }
  for (const wrong of [
    { ...body, people: [theirs.user_id] },
    { ...body, zone: 'Berlin' },
    { zone: 'UTC' },
    { ...body, swaps: [{ user_id: theirs.user_id, from: day(0), to: day(1) }] },
  ])
    expect((await org.answer(setRota, { params, body: wrong })).status).toBe(400)
  expect((await org.call(getRota, { params })).rota).toBeNull()
  const made = await org.call(setRota, { params, body })
  expect(made).toMatchObject({ rota: { ...body, hour: 8, swaps: [] }, on_duty: { name: ann.username } })
  expect(made.turns.map(({ person }) => person?.name)).toEqual([ann, bob, ann, bob, ann].map((one) => one.username))
  for (const route of ['email', 'slack', 'email-3'] as const)
    expect((await org.answer(getRota, { params: { route } })).status).toBe(404)
  expect((await theirs.answer(setRota, { params, body })).status).toBe(404)
  expect((await ann.answer(getRota, { params })).status).toBe(403)

  await scene.modify(...cves(5))
  let burning = 0
  /** To whom the mails of one that burns go, and whether they say that nobody is on duty. */
  async function burn(meanwhile = async (): Promise<unknown> => undefined) {
    await world.sql`UPDATE alerts SET created_at = strftime('%Y-%m-%dT%H:%M:%SZ', created_at, '-1 hours')`
    await isExploited(++burning)
    await plan()
    world.mails.length = 0
    await world.sql`UPDATE deliveries SET sent_at = '2026-01-01T00:00:00Z' WHERE status = 'sent'`
    await world.tick()
    await meanwhile()
    await world.drain()
    // The change stands before its way to the reader.
    for (const { text } of world.mails)
      expect(text).toMatch(/What changed\n- (?!Nobody)[^]*How it came to you\n- Nobody acknowledged it at Slack/)
    return world.mails.map(({ to, text }) => [to, /Nobody is on duty/.test(text ?? '')])
  }
  expect(await burn()).toEqual([[ann.email, false]])
  await org.call(setRota, { params, body: { swaps: [{ user_id: bob.user_id, from: day(-1), to: day(1) }] } })
  expect(await burn()).toEqual([[bob.email, false]])
  // Planned for one who then leaves.
  const leave = () => world.sql`UPDATE members SET is_active = 0 WHERE user_id = ${bob.user_id}`
  expect(await burn(leave)).toEqual([[ann.email, false]])
  expect(await burn()).toEqual([[ann.email, false]])
  await world.sql`UPDATE users SET email_verified_at = NULL WHERE id = ${ann.user_id}`
  expect(await burn()).toEqual([[org.email, true]])
  expect(await org.call(getRota, { params })).toMatchObject({
    on_duty: null,
    addresses: [org.email],
    members: expect.arrayContaining([{ id: ann.user_id, name: ann.username, is_reachable: false }]),
  })

  await world.sql`UPDATE users SET email_verified_at = ${day(0)}`
  world.mails.length = 0
  await org.call(testRoute, { params })
  expect(world.mails.map(({ to }) => to)).toEqual([ann.email])
  await org.call(removeRota, { params })
  expect(await burn()).toEqual([[org.email, false]])
  // The message that went to another one instead is none too many.
  await world.sql`UPDATE vuln_changes SET at = ${day(0)}`
  const proofs = await recountDay(openDb(world.env), { day: day(0).slice(0, 10), org_id: org.org_id })
  expect(proofs.get(org.org_id)).toMatchObject({ matched: 11, lost: 0, doubled: 0 })
})

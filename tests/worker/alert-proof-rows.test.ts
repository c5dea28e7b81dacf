import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeChannel } from '../../worker/alerts/channels/contract'
import { emptyProof, recountDay } from '../../worker/alerts/proof/proof'
import { setSnooze } from '../../worker/decisions/decide-contract'
import { openDb } from '../../worker/db/open'
import { plusSeconds, stamp } from '../../worker/db/time'
import { editStatus } from '../../worker/triage/contract'
import { aBox, type Box } from './support/box'
import { aScene, beginAtNoon, configure, type WatchingOrg, type AlertingScene } from './support/alerting'
import { SeededChance } from '../support/seeded-chance'
import { rows, sqlIn } from './support/org'
import { countReceived, labels, randomChange, randomRules, type ChangingVuln } from './support/random-alerts'

let scene: AlertingScene
beforeEach(async () => {
  beginAtNoon()
  scene = await aScene()
})
afterEach(() => scene.origins.restore())

const paths: Record<string, string> = { slack: 'slack', teams: 'teams', webhook: 'hook', thehive: 'hive', misp: 'misp' }

/** A channel that leads to receivers of the organization alone. */
const lead = (org: WatchingOrg, box: Box, channel: string, rules: object = {}) =>
  configure(org, channel, {
    ...(channel !== 'email' && { url: `${box.url}/${paths[channel]}` }),
    ...(['thehive', 'misp'].includes(channel) && { apikey: 'key-0123456789' }),
    ...rules,
  })

async function recount({ org_id }: WatchingOrg) {
  const day = stamp(scene.now()).slice(0, 10)
  return (await recountDay(openDb(scene.world.env), { day, org_id })).get(org_id) ?? emptyProof(day)
}

type Row = { id: number; org_id: number; alert_id: number; channel: string; rule: string; vuln_id: number }
const findRows = (org: WatchingOrg) =>
  scene.world.sql<Row>`SELECT d.*, a.vuln_id FROM deliveries d JOIN alerts a ON a.id = d.alert_id
    WHERE d.org_id = ${org.org_id} ORDER BY d.id`
const columns = 'org_id, alert_id, channel, target, told, status, attempts, next_attempt_at, sent_at'

/** Takes one message away, and writes it twice; the proof names its vulnerability and channel each time, and nothing else. */
async function expectNamed(org: WatchingOrg, row: Row | undefined) {
  if (!row) throw new Error('Nothing was planned')
  const { id, vuln_id, channel } = row
  const { env } = scene.world
  await rows(env, 'CREATE TABLE aside AS SELECT * FROM deliveries WHERE id = ?1', id)
  await rows(env, 'DELETE FROM deliveries WHERE id = ?1', id)
  const gone = await recount(org)
  await rows(env, 'INSERT INTO deliveries SELECT * FROM aside')
  await rows(env, 'DROP TABLE aside')
  expect([gone.lost > 0, gone.doubled]).toEqual([true, 0])
  for (const difference of gone.differences)
    expect(difference).toMatchObject({ vuln_id, problem: 'lost', channels: [channel] })

  await rows(
    env,
    `INSERT INTO deliveries(${columns}, rule) SELECT ${columns}, (SELECT value FROM json_each('["updated","new","cvss","score"]') r
       WHERE NOT EXISTS (SELECT 1 FROM deliveries o WHERE o.alert_id = d.alert_id AND o.rule = r.value)) FROM deliveries d WHERE id = ?1`,
    id,
  )
  const twice = await recount(org)
  await rows(env, 'DELETE FROM deliveries WHERE id = (SELECT max(id) FROM deliveries)')
  expect([twice.lost, twice.doubled > 0]).toEqual([0, true])
  for (const difference of twice.differences)
    expect(difference).toMatchObject({ vuln_id, problem: 'doubled', channels: [channel] })
}

const calm = { lost: 0, doubled: 0, unsure: 0, differences: [] }

test('of three channels one that is gone is lost, one that stands twice is doubled, and each is named', async () => {
  const [org, box] = [await scene.watching(), aBox()]
  for (const channel of ['slack', 'teams', 'webhook']) await lead(org, box, channel)
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  expect(await recount(org)).toMatchObject({
    ...calm,
    matched: 2,
    delivered: 2,
    messages: { slack: 2, teams: 2, webhook: 2 },
  })
  await scene.world.sql`DELETE FROM deliveries WHERE channel = 'teams' AND id = (SELECT min(id)
    FROM deliveries WHERE channel = 'teams')`
  expect(await recount(org)).toMatchObject({
    lost: 1,
    doubled: 0,
    delivered: 1,
    differences: [{ problem: 'lost', channels: ['teams'] }],
  })
  const [last] = (await findRows(org)).toReversed()
  await rows(
    scene.world.env,
    `INSERT INTO deliveries(${columns}, rule) SELECT ${columns}, 'updated' FROM deliveries WHERE id = ?1`,
    last?.id,
  )
  expect(await recount(org)).toMatchObject({ lost: 1, doubled: 1, delivered: 1 })
})

const situations: [name: string, arrange: (org: WatchingOrg, box: Box) => Promise<unknown>][] = [
  ['a channel above its daily number', (org) => configure(org, 'slack', { daily_max: 1 })],
  ['a least score', (org) => configure(org, 'teams', { min_score: 100 })],
  ['a group without items', (org) => configure(org, 'teams', { groups: ['dmz'] })],
  ['verdicts that nothing has', (org) => configure(org, 'teams', { verdicts: ['confirmed'] })],
  ['a channel that tells of nothing', (org) => configure(org, 'webhook', { on_new: false, on_update: false })],
  ['a receiver that refuses', (_, box) => box.behave({ status: 500, only: ['/hook'] })],
  ['a receiver that is gone', (_, box) => box.behave({ status: 410, only: ['/hook'] })],
  [
    'two addresses',
    (org) =>
      scene.world.sql`UPDATE alert_settings
        SET alerts_emails = json_array(${org.email}, upper(${org.email}), 'x@example.org')
        WHERE org_id = ${org.org_id}`,
  ],
  [
    'a vulnerability that sleeps',
    (org) =>
      org.call(setSnooze, {
        params: { id: 1 },
        body: { kind: 'snoozed', on_kev: true, on_fix: false, on_exploit: false, reason: '' },
      }),
  ],
]
test('filters, budgets, refusals and sleep make nothing lost or doubled, before and after what is urgent joins', async () => {
  const all: { name: string; org: WatchingOrg }[] = []
  for (const [name, arrange] of situations) {
    const [org, box] = [await scene.watching(), aBox()]
    for (const channel of ['slack', 'teams', 'webhook']) await lead(org, box, channel, { on_kev: true })
    await configure(org, 'email', { on_kev: true })
    await arrange(org, box)
    all.push({ name, org })
  }
  await change(1, [{ field: 'cvss3', from: 5, to: 6 }])
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  for (const { name, org } of all) expect(await recount(org), name).toMatchObject(calm)
  for (const vuln_id of [1, 2]) await change(vuln_id, [{ field: 'kev_added_at', from: null, to: '2026-11-01' }])
  for (const { name, org } of all) {
    expect(await recount(org), name).toMatchObject(calm)
    await expectNamed(org, (await findRows(org)).at(-1))
  }
}, 60_000)

test('a channel that was removed, added or switched off since, and an address that left, make nothing lost or doubled', async () => {
  const [org, box] = [await scene.watching(), aBox()]
  await scene.world.sql`UPDATE alert_settings SET alerts_emails = json_array(${org.email})
    WHERE org_id = ${org.org_id}`
  for (const channel of ['slack', 'teams', 'webhook']) await lead(org, box, channel)
  await box.behave({ status: 503 })
  scene.world.mailServer.refuse = '451 later'
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  expect(await recount(org)).toMatchObject({ ...calm, waiting: 2 })
  await org.call(removeChannel, { params: { channel: 'slack' } })
  await scene.world.sql`UPDATE alert_channels SET disabled_at = '2026-01-01T00:00:00Z' WHERE channel = 'teams'`
  await scene.world.sql`UPDATE alert_settings SET alerts_emails = '[]'`
  await lead(org, box, 'misp')
  await box.behave({})
  await scene.world.sql`UPDATE deliveries SET next_attempt_at = '2026-01-01T00:00:00Z'`
  await scene.later(1)
  // Its alerts wait for the one that is off.
  expect(await recount(org)).toMatchObject({ ...calm, waiting: 2, messages: { webhook: 2 } })
  for (const vuln_id of [2, 3]) await change(vuln_id, [{ field: 'cvss3', from: 5, to: 6 }])
  expect(await recount(org)).toMatchObject({ ...calm, waiting: 4, messages: { webhook: 2, misp: 2 } })
  for (const row of (await findRows(org)).slice(-3)) await expectNamed(org, row)
})

/** An entry of the log as a merge writes it now, planned and sent. */
async function change(vuln_id: number, changes: object[], vuln: Record<string, unknown> = {}, kind = 'updated') {
  const { env } = scene.world
  for (const [name, value] of Object.entries(vuln))
    await rows(env, `UPDATE vulns SET ${name} = ?2 WHERE id = ?1`, vuln_id, value)
  await sqlIn(env)`INSERT INTO vuln_changes(vuln_id, at, kind, source, detail)
    VALUES (${vuln_id}, ${stamp(scene.now())}, ${kind}, 'nvd', ${JSON.stringify(changes)})`
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
}

async function randomOrg(chance: SeededChance) {
  const [org, box] = [await scene.watching(), aBox()]
  const { env } = scene.world
  for (const channel of Object.keys(paths)) if (chance.is(0.6)) await lead(org, box, channel, randomRules(chance))
  if (chance.is(0.6))
    await rows(env, 'UPDATE alert_settings SET alerts_emails = json_array(?2) WHERE org_id = ?1', org.org_id, org.email)
  await configure(org, 'email', randomRules(chance))
  for (const label of labels)
    if (chance.is(0.5))
      await rows(env, "INSERT INTO watch_groups SELECT ?1, ?2, 'product', id FROM products", org.org_id, label)
  return { org, box }
}

/** Acts of a member between two changes. */
async function act({ org }: { org: WatchingOrg }, chance: SeededChance) {
  const params = { id: chance.pick([1, 2, 3, 4]) }
  const until = stamp(plusSeconds(scene.now(), 86_400 * 2)).slice(0, 10)
  const none = { kind: 'snoozed' as const, on_fix: false, on_kev: false, on_exploit: false, reason: '' }
  const wakings = [
    { until },
    { on_fix: true },
    { on_kev: true },
    { on_exploit: true },
    { epss_above: 0.5 },
    { on_kev: true, epss_above: 0.5 },
  ]
  if (chance.is(0.4)) await org.answer(setSnooze, { params, body: { ...none, ...chance.pick(wakings) } })
  if (chance.is(0.1))
    await org.call(editStatus, { params, body: { status: chance.pick(['fixed', 'in_progress'] as const) } })
  if (chance.is(0.3))
    await scene.world.sql`UPDATE org_vulns SET verdict = ${chance.pick([null, 1, 2, 3])}
      WHERE org_id = ${org.org_id}`
  if (chance.is(0.2)) await configure(org, 'email', randomRules(chance))
}

/** All that happened is twenty minutes older: later changes join no alert, and planning met none of them. */
async function passTime() {
  const moments = {
    alerts: ['created_at', 'updated_at'],
    vuln_changes: ['at'],
    audit_log: ['at'],
    decisions: ['decided_at', 'ended_at'],
    decision_changes: ['at'],
    monitored_products: ['created_at'],
  }
  for (const [table, names] of Object.entries(moments)) {
    await rows(scene.world.env, `UPDATE ${table} SET ${names.map((name) => `${name} = ${older(name)}`).join()}`)
  }
  const ended = "before ->> 'ended_at'"
  await rows(
    scene.world.env,
    `UPDATE decision_changes SET before = json_set(before, '$.ended_at', ${older(ended)}) WHERE ${ended} IS NOT NULL`,
  )
}
const older = (name: string) => `strftime('%Y-%m-%dT%H:%M:%SZ', ${name}, '-20 minutes')`

async function changeAny(chance: SeededChance) {
  const id = chance.pick([1, 2, 3, 4])
  const [vuln] = await scene.world.sql<ChangingVuln>`SELECT * FROM vulns WHERE id = ${id}`
  if (!vuln) throw new Error('It is there')
  const [detail, columnsNow, kind] = randomChange(chance, vuln)
  if (chance.is(0.4)) await passTime()
  await change(id, [detail], columnsNow, kind)
}

test.each([1, 2])(
  'the proof counts what receivers got, whatever is filtered, asleep or held: %i',
  async (seed) => {
    const chance = new SeededChance(seed)
    const ours = []
    for (let made = 0; made < 4; made++) ours.push(await randomOrg(chance))
    await scene.world.sql`UPDATE audit_log SET at = '2026-01-01T00:00:00Z'`
    await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'], ['CVE-2026-20003'])
    for (let round = 0; round < 10; round++) {
      for (const each of ours) await act(each, chance)
      await changeAny(chance)
    }
    await scene.later(1)
    let [told, byRules, minor] = [0, 0, 0]
    for (const each of ours) {
      const proof = await recount(each.org)
      expect(proof).toMatchObject({ ...calm, unasked: 0, failed: 0, waiting: 0 })
      expect(proof.delivered + proof.held + proof.suppressed).toBe(proof.matched)
      expect(proof.matched + proof.minor).toBe(13)
      expect(proof.messages).toEqual(await countReceived(scene.world, each))
      const planned = await findRows(each.org)
      told += planned.length
      byRules += proof.by_rules
      minor += proof.minor_by_rules
      for (const row of planned.filter((_, at) => at % 15 === 0)) await expectNamed(each.org, row)
    }
    expect(told).toBeGreaterThan(20)
    expect(byRules).toBeGreaterThan(5)
    expect(minor).toBeGreaterThan(0)
  },
  120_000,
)

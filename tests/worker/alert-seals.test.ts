import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkProofs } from '../../worker/alerts/proof/contract'
import { proveDays, recountDay } from '../../worker/alerts/proof/proof'
import { sealDays } from '../../worker/alerts/proof/seals'
import { openDb } from '../../worker/db/open'
import { plusSeconds, stamp } from '../../worker/db/time'
import { createView } from '../../worker/views/contract'
import { aScene, beginAtNoon, configure, findDeliveries, logChange, point } from './support/alerting'
import type { AlertingScene } from './support/alerting'
import { rows, sqlIn } from './support/org'

let scene: AlertingScene
beforeEach(async () => {
  beginAtNoon()
  scene = await aScene()
})
afterEach(() => scene.origins.restore())

const first = (table: string) => `(SELECT min(id) FROM ${table})`
const swap = (table: string, key: string, pair: string) => [
  `UPDATE ${table} SET ${key} = -(SELECT sum(p.value) - ${table}.${key} FROM json_each(${pair}) p) WHERE ${key} IN (SELECT value FROM json_each(${pair}))`,
  `UPDATE ${table} SET ${key} = -${key} WHERE ${key} < 0`,
]
const news = `(SELECT json_group_array(seq) FROM (SELECT seq FROM vuln_changes WHERE is_backfill = 0 ORDER BY seq LIMIT 2))`
const messages = `(SELECT json_group_array(id) FROM (SELECT id FROM deliveries ORDER BY id LIMIT 2))`
const copied = 'org_id, vuln_id, last_seq, rule, fired, planned, created_at, updated_at'
/** Tampering with the database, and parts of a day that are no longer as they were sealed. */
const tamperings: [what: string, name: string, ...statements: string[]][] = [
  ['changes', 'deleted', `DELETE FROM vuln_changes WHERE seq = ${news} ->> 0`],
  ['changes', 'altered', `UPDATE vuln_changes SET detail = '[]' WHERE seq = ${news} ->> 0`],
  [
    'changes',
    'inserted',
    `INSERT INTO vuln_changes(seq, vuln_id, at, kind, source, detail) SELECT max(seq) - 1, vuln_id, (SELECT o.at FROM vuln_changes o WHERE o.seq = ${news} ->> 1), kind, source, detail FROM vuln_changes`,
  ],
  ['changes', 're-ordered', ...swap('vuln_changes', 'seq', '(SELECT value FROM aside_news)')],
  ['alerts', 'deleted', `DELETE FROM alerts WHERE id = ${first('alerts')}`],
  ['alerts', 'altered', `UPDATE alerts SET rule = 'fix' WHERE id = ${first('alerts')}`],
  [
    'alerts',
    'inserted',
    `INSERT INTO alerts(${copied}, change_seq) SELECT ${copied}, 999999 FROM alerts WHERE id = ${first('alerts')}`,
  ],
  [
    'alerts',
    're-ordered',
    'UPDATE alerts SET created_at = (SELECT max(created_at) FROM alerts o WHERE o.id <> alerts.id)',
  ],
  ['alerts', 'with another tally', `UPDATE alerts SET planned = '{}' WHERE id = ${first('alerts')}`],
  ['alerts', 'with other groups of then', `UPDATE alerts SET saw = '' WHERE id = ${first('alerts')}`],
  ['messages', 'deleted', `DELETE FROM deliveries WHERE id = ${first('deliveries')}`],
  ['messages', 'altered', `UPDATE deliveries SET sent_at = '2026-01-01T00:00:00Z' WHERE id = ${first('deliveries')}`],
  ['messages', 'called failed', `UPDATE deliveries SET status = 'dead' WHERE id = ${first('deliveries')}`],
  [
    'messages',
    'inserted',
    `INSERT INTO deliveries(org_id, alert_id, channel, target, rule, status, next_attempt_at) SELECT org_id, alert_id, 'teams', '', rule, 'sent', next_attempt_at FROM deliveries WHERE id = ${first('deliveries')}`,
  ],
  ['messages', 're-ordered', ...swap('deliveries', 'id', '(SELECT value FROM aside_messages)')],
  ['proof', 'counted otherwise', `UPDATE alert_proofs SET body = json_set(body, '$.delivered', 77)`],
  [
    'chain',
    'without a day',
    `DELETE FROM alert_proofs WHERE day = (SELECT day FROM alert_proofs ORDER BY day LIMIT 1 OFFSET 1)`,
  ],
]

test('rows deleted, altered, inserted or re-ordered in a sealed day are found, and permitted changes are not', async () => {
  const { env } = scene.world
  const org = await scene.watching()
  await point(scene, org, 'webhook')
  await point(scene, org, 'slack', { groups: ['dmz'] })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'], ['CVE-2026-20003'])
  const dayAgo = (days: number) => stamp(plusSeconds(scene.now(), -days * 86_400)).slice(0, 10)
  for (const [at, days] of [2, 1, 0].entries()) {
    const [moment, number] = [`${dayAgo(days)}T00:00:0${at}Z`, at + 2]
    await rows(env, 'UPDATE vuln_changes SET at = ?1 WHERE vuln_id = ?2', moment, number)
    await rows(env, 'UPDATE alerts SET created_at = ?1 WHERE vuln_id = ?2', moment, number)
  }
  await rows(env, 'UPDATE vuln_changes SET seq = seq + 10 WHERE seq = (SELECT max(seq) FROM vuln_changes)')
  const db = openDb(env)
  for (let days = 1; days <= 5; days++) {
    await proveDays(db, plusSeconds(scene.now(), days * 86_400))
    await sealDays(env, db, plusSeconds(scene.now(), days * 86_400))
  }
  const check = () => org.call(checkProofs, { query: {} })
  const sealed = await check()
  expect(sealed).toMatchObject({ checked: 3, broken: [], last: { day: dayAgo(0) } })
  // In steps, each of which knows the link to the day before it.
  const stepBefore = (before?: string) => org.call(checkProofs, { query: { days: 1, ...(before && { before }) } })
  expect(await stepBefore()).toEqual({ ...sealed, checked: 1, next: dayAgo(0) })
  expect(await stepBefore(dayAgo(0))).toMatchObject({ checked: 1, broken: [], next: dayAgo(1) })
  expect(await stepBefore(dayAgo(1))).toMatchObject({ checked: 1, broken: [], next: null })
  const stored = () => rows(env, 'SELECT * FROM alert_proofs ORDER BY day')
  const before = await stored()
  await sealDays(env, db, plusSeconds(scene.now(), 6 * 86_400))
  expect(await stored()).toEqual(before)

  const tables = ['vuln_changes', 'alerts', 'deliveries', 'alert_proofs']
  for (const table of tables) await rows(env, `CREATE TABLE aside_${table} AS SELECT * FROM ${table}`)
  await rows(env, `CREATE TABLE aside_news AS SELECT ${news} AS value`)
  await rows(env, `CREATE TABLE aside_messages AS SELECT ${messages} AS value`)
  const restore = async () => {
    for (const table of tables.toReversed()) await rows(env, `DELETE FROM ${table}`)
    for (const table of tables) await rows(env, `INSERT INTO ${table} SELECT * FROM aside_${table}`)
  }
  for (const [what, name, ...statements] of tamperings) {
    for (const statement of statements) await rows(env, statement)
    const { broken } = await check()
    if (what === 'chain') expect((await stepBefore()).broken).toMatchObject([{ what }])
    expect([name, broken.map((one) => one.what)]).toEqual([name, expect.arrayContaining([what])])
    await restore()
  }
  expect(await check()).toEqual(sealed)

  // Somebody acknowledges, and sends one again; the oldest day is pruned.
  await rows(env, "UPDATE alerts SET acknowledged_at = '2026-12-24T00:00:00Z'")
  const [message] = await findDeliveries(scene.world)
  await sqlIn(env)`UPDATE deliveries SET status = 'pending', next_attempt_at = '2099-01-01T00:00:00Z'
    WHERE id = ${message?.id}`
  expect(await check()).toEqual(sealed)
  for (const sql of ['DELETE FROM alerts WHERE created_at < ?1', 'DELETE FROM alert_proofs WHERE day < ?1'])
    await rows(env, sql, dayAgo(1))
  expect(await check()).toEqual({ ...sealed, checked: 2 })
})

async function countToday({ org_id }: { org_id: number }) {
  const day = stamp(scene.now()).slice(0, 10)
  return (await recountDay(openDb(scene.world.env), { day, org_id })).get(org_id)
}

/** Tampering with the plan of an alert and its tally alike, and the verdict of the rules of then. */
const plants: [name: string, found: object, ...statements: string[]][] = [
  [
    'told nobody, as if all were switched off',
    { lost: 1, unasked: 0, differences: [{ problem: 'lost', vuln_id: 2, channels: ['slack', 'webhook'] }] },
    "UPDATE alerts SET suppressed = 'disabled', planned = '{}' WHERE vuln_id = 2",
    'DELETE FROM deliveries WHERE alert_id = (SELECT id FROM alerts WHERE vuln_id = 2)',
  ],
  [
    'told one channel fewer',
    { lost: 1, unasked: 0, differences: [{ problem: 'lost', vuln_id: 3, channels: ['slack'] }] },
    "UPDATE alerts SET planned = json_remove(planned, '$.slack') WHERE vuln_id = 3",
    "DELETE FROM deliveries WHERE channel = 'slack' AND alert_id = (SELECT id FROM alerts WHERE vuln_id = 3)",
  ],
  [
    'told a channel whose least score leaves it out',
    { lost: 0, unasked: 1, differences: [{ problem: 'unasked', vuln_id: 2, channels: ['teams'] }] },
    "UPDATE alerts SET planned = json_set(planned, '$.teams', 1) WHERE vuln_id = 2",
    `INSERT INTO deliveries(org_id, alert_id, channel, target, rule, status, next_attempt_at)
      SELECT org_id, id, 'teams', '', rule, 'sent', created_at FROM alerts WHERE vuln_id = 2`,
  ],
  [
    'told nobody, as if it were snoozed',
    { lost: 1, unasked: 0, differences: [{ problem: 'lost', vuln_id: 3, channels: ['slack', 'webhook'] }] },
    "UPDATE alerts SET suppressed = 'snoozed' WHERE vuln_id = 3",
    "UPDATE alerts SET planned = '{}' WHERE vuln_id = 3",
    'DELETE FROM deliveries WHERE alert_id = (SELECT id FROM alerts WHERE vuln_id = 3)',
  ],
  [
    'told nobody that a score passed what a channel asks for, as if nothing had happened',
    { lost: 1, unasked: 0, differences: [{ problem: 'lost', vuln_id: 1, channels: ['webhook'] }] },
    'DELETE FROM alerts WHERE vuln_id = 1',
  ],
  [
    'took the message of a score that passed what a channel asks for',
    { by_rules: 2, lost: 1, unasked: 0, differences: [{ problem: 'lost', vuln_id: 1, channels: ['webhook'] }] },
    'DELETE FROM deliveries WHERE alert_id = (SELECT id FROM alerts WHERE vuln_id = 1)',
  ],
  [
    'told all, though it was snoozed',
    { lost: 0, unasked: 1, differences: [{ problem: 'unasked', vuln_id: 2, channels: ['slack', 'webhook'] }] },
    `INSERT INTO decisions(vuln_id, org_id, scope, verdict, decided_at) SELECT 2, org_id, 'alerts', 'snoozed', '2026-01-01T00:00:00Z' FROM alerts LIMIT 1`,
  ],
]

test('expected recipients are counted again from the rules, decisions and scores as they stood, not from our own tally', async () => {
  const { env } = scene.world
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await point(scene, org, 'webhook', { on_kev: true, on_score: true })
  await point(scene, org, 'teams', { min_score: 99 })
  await point(scene, org, 'misp', { groups: ['dmz'], on_new: false, on_update: false })
  await rows(env, "UPDATE audit_log SET at = '2026-01-01T00:00:00Z'")
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  // Minor both: the first passes what the webhook asks for, the second tells nobody.
  for (const [from, to] of [
    [70, 90],
    [90, 91],
  ] as const) {
    await logChange(scene.world, 1, { score: to }, { kind: 'minor', changes: [{ field: 'score', from, to }] })
    await rows(env, "UPDATE vuln_changes SET at = ?1 WHERE at = '2026-11-20T00:00:00Z'", stamp(scene.now()))
    await scene.world.deliver('earshot-alerts', { reason: 'changes' })
    await scene.world.drain()
    const before = stamp(plusSeconds(scene.now(), -3_600))
    await rows(env, 'UPDATE alerts SET created_at = ?1 WHERE vuln_id = 1', before)
  }
  const count = () => countToday(org)
  const asPlanned = { matched: 3, delivered: 3, lost: 0, unasked: 0, by_rules: 3, minor_by_rules: 1, differences: [] }
  expect(await count()).toMatchObject({ ...asPlanned, minor: 1, unjudged: {} })

  // Since then everything else holds.
  await configure(org, 'slack', { on_new: false, on_update: false })
  await configure(org, 'teams', { min_score: 0 })
  const later = stamp(plusSeconds(scene.now(), 3_600))
  await rows(env, "UPDATE audit_log SET at = ?1 WHERE at > '2026-01-01T00:00:00Z'", later)
  await rows(env, 'UPDATE vulns SET score = 100 WHERE id IN (2, 3)')
  await sqlIn(env)`INSERT INTO vuln_changes(vuln_id, at, kind, source, detail)
    SELECT id, ${later}, 'minor', 'nvd', '[{"field":"score","from":60,"to":100}]' FROM vulns WHERE id IN (2, 3)`
  expect(await count()).toMatchObject({ ...asPlanned, minor: 3, unjudged: {} })

  const tables = ['alerts', 'deliveries', 'decisions']
  for (const table of tables) await rows(env, `CREATE TABLE past_${table} AS SELECT * FROM ${table}`)
  for (const [name, found, ...statements] of plants) {
    for (const statement of statements) await rows(env, statement)
    expect([name, await count()]).toMatchObject([name, { matched: 3, by_rules: 3, minor_by_rules: 1, ...found }])
    for (const table of tables.toReversed()) await rows(env, `DELETE FROM ${table}`)
    for (const table of tables) await rows(env, `INSERT INTO ${table} SELECT * FROM past_${table}`)
  }
  // Facts that nobody noted or knows any more are not claimed: groups, rules that changed about then, a log that reaches back no further.
  await configure(org, 'misp', { on_new: true })
  expect(await count()).toMatchObject({ matched: 3, by_rules: 3, unjudged: {}, lost: 0 })
  await rows(env, "UPDATE alerts SET saw = ''")
  expect(await count()).toMatchObject({ matched: 3, by_rules: 1, unjudged: { filters: 2 }, lost: 0 })
  await rows(env, "UPDATE audit_log SET at = ?1 WHERE at > '2026-01-01T00:00:00Z'", later)
  expect(await count()).toMatchObject({ matched: 3, by_rules: 3, lost: 0 })
  await rows(env, 'UPDATE audit_heads SET pruned_seq = 1')
  await rows(env, "DELETE FROM audit_log WHERE at = '2026-01-01T00:00:00Z'")
  expect(await count()).toMatchObject({ matched: 3, by_rules: 0, unjudged: { rules: 4 }, lost: 0, unasked: 0 })
})

test('groups, inventories, views, verdicts and EPSS of then are judged as planning met them, whatever became of them since', async () => {
  const { env } = scene.world
  const org = await scene.watching()
  const view = await org.call(createView, { body: { name: 'All', query: '', is_shared: true } })
  await sqlIn(
    env,
  )`INSERT INTO inventories(org_id, id, name, format, components_count, unmatched_count, created_at, updated_at, revision, changes)
      VALUES (${org.org_id}, 7, 'Shop', 'cyclonedx', 0, 0, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 1, 1)`
  await rows(env, "UPDATE monitored_products SET created_at = '2026-01-01T00:00:00Z'")
  await rows(env, "INSERT INTO watch_groups SELECT ?1, 'dmz', 'product', id FROM products", org.org_id)
  await rows(env, 'UPDATE org_vulns SET verdict = 3 WHERE org_id = ?1', org.org_id)
  await point(scene, org, 'slack', { groups: ['dmz'] })
  await point(scene, org, 'teams', { verdicts: ['confirmed'] })
  await point(scene, org, 'webhook', { inventories: [7], on_score: true })
  await point(scene, org, 'thehive', { views: [view.id] })
  await point(scene, org, 'misp', { on_new: false, on_update: false, on_epss: true, epss_value: '95th' })
  await rows(env, "UPDATE audit_log SET at = '2026-01-01T00:00:00Z'")
  const changes = [{ field: 'cvss3', from: 5, to: 6 }]
  await logChange(scene.world, 1, { cvss3: 6, epss: 0.5, epss_percentile: 0.97 }, { changes })
  await rows(env, "UPDATE vuln_changes SET at = ?1 WHERE at = '2026-11-20T00:00:00Z'", stamp(scene.now()))
  await scene.modify(['CVE-2026-20001'])
  // A score that passes the mark of a channel is left out by its inventory alone: it told nobody, and the ledger says why.
  await rows(env, 'UPDATE alerts SET created_at = ?1', stamp(plusSeconds(scene.now(), -3_600)))
  await logChange(scene.world, 1, { score: 90 }, { kind: 'minor', changes: [{ field: 'score', from: 70, to: 90 }] })
  await rows(env, "UPDATE vuln_changes SET at = ?1 WHERE at = '2026-11-20T00:00:00Z'", stamp(scene.now()))
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  const told = 'SELECT d.channel FROM deliveries d JOIN alerts a ON a.id = d.alert_id AND a.vuln_id = ?1 ORDER BY 1'
  const channels = async (id: number) => (await rows<{ channel: string }>(env, told, id)).map(({ channel }) => channel)
  expect([await channels(1), await channels(2)]).toEqual([
    ['slack', 'teams', 'thehive'],
    ['slack', 'thehive'],
  ])
  await rows(env, 'DELETE FROM watch_groups')
  await rows(env, 'UPDATE org_vulns SET verdict = 1')
  await rows(env, "UPDATE saved_views SET query = 'kev=true'")
  await rows(env, 'UPDATE vulns SET epss = 0.9, epss_percentile = 0.99')
  const count = () => countToday(org)
  const asPlanned = { matched: 3, minor: 0, by_rules: 3, unjudged: {}, lost: 0, unasked: 0 }
  expect(await count()).toMatchObject({ ...asPlanned, differences: [] })
  for (const channel of ['slack', 'teams', 'thehive']) {
    await rows(env, `CREATE TABLE gone AS SELECT * FROM deliveries WHERE channel = '${channel}'`)
    await rows(env, 'CREATE TABLE then_alerts AS SELECT id, planned FROM alerts')
    await rows(env, 'DELETE FROM deliveries WHERE channel = ?1', channel)
    await rows(env, 'UPDATE alerts SET planned = json_remove(planned, ?1)', `$.${channel}`)
    const found = await count()
    expect([channel, found?.lost]).toEqual([channel, channel === 'teams' ? 1 : 2])
    for (const one of found?.differences ?? []) expect(one).toMatchObject({ problem: 'lost', channels: [channel] })
    await rows(env, 'INSERT INTO deliveries SELECT * FROM gone')
    await rows(env, 'UPDATE alerts SET planned = t.planned FROM then_alerts t WHERE t.id = alerts.id')
    for (const table of ['gone', 'then_alerts']) await rows(env, `DROP TABLE ${table}`)
  }
  // One that the filters of then left out was told all the same.
  await sqlIn(env)`INSERT INTO deliveries(org_id, alert_id, channel, target, rule, status, next_attempt_at)
      SELECT org_id, id, 'teams', '', rule, 'sent', created_at FROM alerts WHERE vuln_id = 2`
  await rows(env, "UPDATE alerts SET planned = json_set(planned, '$.teams', 1) WHERE vuln_id = 2")
  const differences = [{ problem: 'unasked', vuln_id: 2, channels: ['teams'] }]
  expect(await count()).toMatchObject({ ...asPlanned, unasked: 1, differences })
})

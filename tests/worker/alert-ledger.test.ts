import { afterEach, beforeEach, expect, test } from 'vitest'
import { listAlerts, whyAlerted } from '../../worker/alerts/contract'
import { endSnooze, getSnooze, setSnooze } from '../../worker/decisions/decide-contract'
import { endDecisions } from '../../worker/decisions/end'
import { openDb } from '../../worker/db/open'
import { stamp } from '../../worker/db/time'
import { editStatus } from '../../worker/triage/contract'
import { aScene, ageAlerts, beginAtNoon, configure, findDeliveries, logChange, point } from './support/alerting'
import type { WatchingOrg, AlertingScene } from './support/alerting'
import { anOrg, rows } from './support/org'

let scene: AlertingScene
beforeEach(async () => {
  beginAtNoon()
  scene = await aScene()
  await scene.world.sql`UPDATE vulns SET score = 70, cvss = 5, cvss3 = 5, epss = 0.01 WHERE id = 1`
})
afterEach(() => scene.origins.restore())

const plan = async () => {
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
}
const rose = (from: number, to: number) => [{ field: 'cvss3', from, to }]
const kev = [{ field: 'kev_added_at', from: null, to: '2026-11-20' }]
const none = { on_new: false, on_update: false }

async function change(columns: Parameters<typeof logChange>[2], changes: object[]) {
  await ageAlerts(scene.world)
  await logChange(scene.world, 1, columns, { changes })
  await plan()
}
const why = (org: WatchingOrg, id = 1) => org.call(whyAlerted, { params: { id } })

test('the ledger says what changed, whom it concerns, by which rule, and what each receiver answered', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await point(scene, org, 'webhook', none)
  await scene.modify(['CVE-2026-20001'])
  const { results } = await org.call(listAlerts)
  expect(results).toMatchObject([
    {
      rule: 'new',
      status: 'sent',
      vuln: { cveid: 'CVE-2026-20001' },
      changes: ['First seen'],
      concerns: [{ via: 'product', name: 'widget', vendor: 'acme' }],
      deliveries: [{ channel: 'slack', status: 'sent', attempts: 1, rule: 'new', answer: '200: accepted' }],
    },
  ])
})

test('the ledger is searched and filtered by what it shows, and other organizations stand in none of it', async () => {
  const [ours, theirs] = [await scene.watching(), await scene.watching()]
  await point(scene, theirs, 'teams')
  await point(scene, ours, 'slack')
  await scene.modify(['CVE-2026-20001', { descriptions: [{ lang: 'en', value: 'A flaw in the Parser of widgets.' }] }])
  await configure(ours, 'slack', none)
  await scene.modify(['CVE-2026-20002'])
  const find = async (query: object) =>
    (await ours.call(listAlerts, { query })).results.map(({ vuln }) => vuln.cveid?.slice(-1)).join('')
  expect(await find({})).toBe('21')
  expect(await find({ status: 'suppressed' })).toBe('2')
  expect(await find({ status: 'sent' })).toBe('1')
  expect(await find({ channel: 'slack' })).toBe('1')
  expect(await find({ channel: 'teams' })).toBe('')
  expect(await find({ rule: 'new' })).toBe('21')
  expect(await find({ rule: 'kev' })).toBe('')
  expect(await find({ search: 'cve-2026-20002' })).toBe('2')
  expect(await find({ search: 'the parser' })).toBe('1')
  expect(await find({ sorted_by: 'id', search: 'PH-2' })).toBe('1')
  const today = scene.now().toISOString().slice(0, 10)
  expect(await find({ from: today, to: today })).toBe('21')
  expect(await find({ to: '2026-01-01' })).toBe('')
  const counted = await ours.call(listAlerts, { query: { status: 'sent', limit: 1 } })
  expect([counted.count, counted.count_is_exact]).toEqual([1, true])
})

test('why names the first that said no, for a vulnerability that is not monitored, not changed, settled, or wanted by no channel', async () => {
  const stranger = await anOrg({ world: scene.world, is_org_admin: true, emails: [] })
  expect(await why(stranger)).toMatchObject({
    is_told: false,
    first_no: 'You monitor nothing that it is known to affect',
  })
  const org = await scene.watching()
  expect((await why(org)).first_no).toBe(
    'It has not changed since it was first loaded, and a first load is not alerted',
  )

  await change({ cvss3: 6 }, rose(5, 6))
  expect((await why(org)).first_no).toBe('E-mail is not set up')
  await point(scene, org, 'slack', none)
  expect((await why(org)).first_no).toBe('Slack: Switched off: "A changed vulnerability"')
  await configure(org, 'slack', { on_update: true, min_score: 90 })
  expect((await why(org)).first_no).toBe('Slack: Its score is 70, the minimum score is 90')
  await configure(org, 'slack', { min_score: 0, groups: ['dmz'] })
  expect((await why(org)).first_no).toBe('Slack: It concerns no item of the group dmz')
  await configure(org, 'slack', { groups: [], verdicts: ['confirmed'] })
  expect((await why(org)).first_no).toBe(
    'Slack: Whether your version is affected: unknown. The channel takes: confirmed',
  )
  await configure(org, 'slack', { verdicts: [] })
  expect(await why(org)).toMatchObject({ is_told: true, first_no: null, change: { lines: ['CVSS 3: 5 → 6'] } })

  await org.call(editStatus, { params: { id: 1 }, body: { status: 'not_interesting' } })
  expect((await why(org)).first_no).toBe('Its status is not interesting')
})

test('why says when a route tells, and what became of each message: sent, held, waiting, kept, given up, in a report', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { daily_max: 1 })
  await point(scene, org, 'webhook', { pace: 'daily', pace_hour: 3 })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  const said = async (channel: string, id: number) => {
    const { channels } = await org.call(whyAlerted, { params: { id } })
    return channels.find((one) => one.channel === channel)?.reasons.map(({ text }) => text) ?? []
  }
  // The clock of the scene goes ahead, perhaps over midnight.
  await scene.world.sql`UPDATE quotas SET day = ${stamp(new Date()).slice(0, 10)}`
  const spent = '1 of 1 a day are taken: alerts that are not urgent are held for the next report'
  const both = [await said('slack', 2), await said('slack', 3)].map((texts) => texts.slice(-2)).toSorted()
  expect(both).toEqual([
    [spent, 'Held for the next report, above the daily number'],
    [spent, expect.stringMatching(/^Sent at \S+ \d\d:\d\d UTC/)],
  ])
  expect((await said('webhook', 2)).slice(-2)).toEqual([
    expect.stringMatching(/^It is not urgent: by its pace and quiet hours it leaves at \S+ 03:00 UTC$/),
    expect.stringMatching(/^Waits until \S+ 03:00 UTC$/),
  ])
  const set = (columns: string) => rows(scene.world.env, `UPDATE deliveries SET ${columns} WHERE channel = 'webhook'`)
  for (const [columns, text] of [
    ["status = 'parked'", 'Kept until the channel works again'],
    ["status = 'dead', attempts = 10", 'Given up after 10 tries'],
    [
      `status = 'reported', reported_in = '["daily","2026-11-24",2]'`,
      'Stands in the daily report of 2026-11-24, page 2',
    ],
  ] as const) {
    await set(columns)
    expect((await said('webhook', 2)).at(-1)).toBe(text)
  }
  await logChange(
    scene.world,
    2,
    { kev_added_at: '2026-11-20' },
    { changes: [{ field: 'kev_added_at', from: null, to: '2026-11-20' }] },
  )
  expect(await said('slack', 2)).toContain('It is urgent: outside the daily number, the pace and the quiet hours')
})

test('the answer to why agrees for each channel with what planning does with the next change', async () => {
  const org = await scene.watching()
  await scene.world.sql`INSERT INTO watch_groups SELECT ${org.org_id}, 'dmz', 'product', id FROM products`
  const cases = [
    {},
    none,
    { ...none, on_kev: true },
    { ...none, on_cvss3: true, cvss3_value: 7 },
    { ...none, on_cvss3: true, cvss3_value: 9.5 },
    { min_score: 71 },
    { groups: ['dmz'] },
    { groups: ['other'] },
    { verdicts: ['unknown' as const] },
    { verdicts: ['likely' as const] },
  ]
  const usual = {
    on_new: true,
    on_update: true,
    on_kev: false,
    on_cvss3: false,
    min_score: 0,
    groups: [],
    verdicts: [],
  }
  for (const [at, given] of cases.entries()) {
    await point(scene, org, 'slack', { ...usual, ...given })
    const before = (await findDeliveries(scene.world)).length
    const isKev = at % 2 === 0
    await change({ cvss3: 9, kev_added_at: isKev ? '2026-11-20' : null }, [...rose(6, 9), ...(isKev ? kev : [])])
    const planned = (await findDeliveries(scene.world)).slice(before)
    const slack = (await why(org)).channels.find(({ channel }) => channel === 'slack')
    expect([given, slack?.rule ?? null]).toEqual([given, planned[0]?.rule ?? null])
  }
})

test('a status that counted until yesterday keeps nothing back', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await org.call(editStatus, { params: { id: 1 }, body: { status: 'fixed' } })
  await scene.world.sql`UPDATE decisions SET last_day = '2026-01-01' WHERE scope = 'vulnerability'`
  await change({ cvss3: 6 }, rose(5, 6))
  expect(await outcomes(org)).toEqual([['sent', null]])
  expect((await why(org)).is_told).toBe(true)
})

const snooze = (org: WatchingOrg, body: object) => org.call(setSnooze, { params: { id: 1 }, body })
const outcomes = async (org: WatchingOrg) =>
  (await org.call(listAlerts)).results.map(({ status, reason }) => [status, reason]).toReversed()

test('a snoozed vulnerability tells nothing until its event happens, and says what woke it', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await snooze(org, { until: '2030-01-01', on_kev: true, on_fix: true })
  expect((await why(org)).reasons.at(-1)).toEqual({ is_ok: false, text: 'It is snoozed until 2030-01-01' })
  await change({ cvss3: 6 }, rose(5, 6))
  await change({ kev_added_at: '2026-11-20' }, kev)
  await change({ cvss3: 7 }, rose(6, 7))
  expect(await outcomes(org)).toEqual([
    ['suppressed', 'You snoozed the vulnerability'],
    ['sent', null],
    ['sent', null],
  ])
  expect((await org.call(getSnooze, { params: { id: 1 } })).snooze).toMatchObject({
    kind: 'snoozed',
    woken_by: 'kev',
    by: { name: expect.any(String) },
  })
})

test.each([
  ['fix', { on_fix: true }, {}, [{ field: 'fixes', added: ['acme:widget 2.0'], count: 1 }]],
  ['exploit', { on_exploit: true }, { is_exploitable: 1 }, [{ field: 'is_exploitable', to: true }]],
  ['malicious', { until: '2030-01-01' }, { is_malicious: 1 }, [{ field: 'is_malicious', to: true }]],
  ['epss', { epss_above: 0.5 }, { epss: 0.6 }, [{ field: 'epss', from: 0.01, to: 0.6 }]],
  ['epss', { epss_percentile_above: 0.95 }, { epss_percentile: 0.96 }, [{ field: 'epss', from: 0.01, to: 0.6 }]],
] as const)('a snooze ends by %s alone when it waits for that alone', async (woken_by, body, columns, changes) => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await snooze(org, body)
  await change({ kev_added_at: '2026-11-20' }, kev)
  await change(columns as object, [...changes])
  expect((await outcomes(org)).map(([status]) => status)).toEqual(['suppressed', 'sent'])
  expect((await org.call(getSnooze, { params: { id: 1 } })).snooze?.woken_by).toBe(woken_by)
})

test('a day, and an EPSS that rose without news, end it in the night', async () => {
  const org = await scene.watching()
  await snooze(org, { epss_above: 0.5 })
  const seen = ['2020-01-01', '2100-01-01'].map((since, at) => ({ version: `model ${at}`, since }))
  await rows(
    scene.world.env,
    `INSERT INTO feeds(id, state, next_run_at, cursor) VALUES('epss', 'idle', '2100-01-01T00:00:00Z', '${JSON.stringify({ models: seen })}')
     ON CONFLICT(id) DO UPDATE SET cursor = excluded.cursor`,
  )
  expect((await org.call(getSnooze, { params: { id: 1 } })).snooze?.new_epss_model).toEqual({
    name: 'model 1',
    since: '2100-01-01',
  })
  await scene.world.sql`UPDATE vulns SET epss = 0.6 WHERE id = 1`
  await endDecisions(openDb(scene.world.env), scene.now())
  expect((await org.call(getSnooze, { params: { id: 1 } })).snooze?.woken_by).toBe('epss')
  await scene.world.sql`UPDATE vulns SET epss_percentile = 0.94 WHERE id = 1`
  await snooze(org, { epss_percentile_above: 0.95 })
  expect((await org.call(getSnooze, { params: { id: 1 } })).snooze?.new_epss_model).toBe(null)
  await endDecisions(openDb(scene.world.env), scene.now())
  expect((await org.call(getSnooze, { params: { id: 1 } })).snooze?.woken_by).toBe(null)
  await scene.world.sql`UPDATE vulns SET epss_percentile = 0.96 WHERE id = 1`
  await endDecisions(openDb(scene.world.env), scene.now())
  expect((await org.call(getSnooze, { params: { id: 1 } })).snooze?.woken_by).toBe('epss')
  await snooze(org, { until: '2030-01-01' })
  await scene.world.sql`UPDATE decisions SET last_day = '2026-01-01' WHERE scope = 'alerts'`
  expect((await org.call(getSnooze, { params: { id: 1 } })).snooze).toMatchObject({
    woken_by: 'date',
    woken_at: '2026-01-02T00:00:00Z',
  })
  await point(scene, org, 'slack')
  await change({ cvss3: 6 }, rose(5, 6))
  expect((await outcomes(org)).map(([status]) => status)).toEqual(['sent'])
})

test('an accepted risk has a reason, an owner and an end; nobody else’s member owns it, and another organization hears on', async () => {
  const [org, theirs] = [await scene.watching(), await scene.watching()]
  for (const one of [org, theirs]) await point(scene, one, 'slack')
  const accepted = { kind: 'accepted', until: '2030-01-01', reason: 'Not reachable' }
  for (const [body, problem] of [
    [{ ...accepted, reason: '' }, 'An accepted risk has a reason'],
    [{ ...accepted, until: undefined }, 'An accepted risk has a day on which it ends'],
    [{ ...accepted, until: '2026-01-01' }, 'The day is in the past'],
    [{ ...accepted, owner_id: 999_999 }, 'The owner is a member of the organization'],
    [{}, 'Say what ends it: a day, or something that happens'],
    [{ epss_above: 0.001 }, 'EPSS is 0.01 already'],
    [{ epss_percentile_above: 2 }, 'epss_percentile_above'],
  ] as const) {
    const refused = await org.answer(setSnooze, { params: { id: 1 }, body: body as Record<string, unknown> })
    expect([refused.status, JSON.stringify(await refused.json())]).toEqual([400, expect.stringContaining(problem)])
  }
  const { snooze: stored } = await snooze(org, accepted)
  expect(stored).toMatchObject({ kind: 'accepted', reason: 'Not reachable', owner: { name: expect.any(String) } })
  await change({ cvss3: 6 }, rose(5, 6))
  expect(await outcomes(org)).toEqual([['suppressed', 'You accepted the risk']])
  expect((await outcomes(theirs)).map(([status]) => status)).toEqual(['sent'])

  await org.call(endSnooze, { params: { id: 1 } })
  await change({ cvss3: 7 }, rose(6, 7))
  expect((await outcomes(org)).at(-1)).toEqual(['sent', null])
})

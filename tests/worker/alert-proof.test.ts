import { afterEach, beforeEach, expect, test } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { backTest } from '../../worker/alerts/ledger/backtest-contract'
import { exportProofsCsv, exportProofsJson, listProofs } from '../../worker/alerts/proof/contract'
import { proveDays } from '../../worker/alerts/proof/proof'
import { openDb } from '../../worker/db/open'
import { plusSeconds, stamp } from '../../worker/db/time'
import type { Source, VulnRecord } from '../../worker/domain/words/record'
import { saveRecords } from '../../worker/merge/save-records'
import { togglePackage, toggleProduct } from '../../worker/monitoring/contract'
import { editStatus } from '../../worker/triage/contract'
import { aMember } from './support/member'
import {
  aScene,
  ageAlerts,
  beginAtNoon,
  configure,
  findDeliveries,
  logChange,
  makeDue,
  point,
} from './support/alerting'
import type { WatchingOrg, AlertingScene } from './support/alerting'
import { rows } from './support/org'

let scene: AlertingScene
beforeEach(async () => {
  beginAtNoon()
  scene = await aScene()
  await scene.world.sql`UPDATE vulns SET score = 70, cvss = 5, cvss3 = 5 WHERE id = 1`
})
afterEach(() => scene.origins.restore())

const none = { on_new: false, on_update: false }
const proofs = (org: WatchingOrg) => org.call(listProofs)

test('expected alerts are recounted from the log and the watchlist, and agree with what receivers got', async () => {
  const [org, theirs] = [await scene.watching(), await scene.watching()]
  await point(scene, org, 'slack')
  await point(scene, org, 'webhook', { daily_max: 2 })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'], ['CVE-2026-20003'])
  await org.call(editStatus, { params: { id: 1 }, body: { status: 'fixed' } })
  await logToday(1, [{ field: 'cvss3', from: 5, to: 6 }])
  const { today, days } = await proofs(org)
  expect(today).toMatchObject({ matched: 4, delivered: 3, suppressed: 1, failed: 0, lost: 0, doubled: 0, unsure: 0 })
  expect(today.messages).toEqual({ slack: 3, webhook: 2 })
  expect(days).toEqual([])
  expect([(await scene.box.taken('slack')).length > 0, await scene.box.taken('hook')]).toEqual([
    true,
    [expect.anything(), expect.anything()],
  ])
  expect((await proofs(theirs)).today).toMatchObject({ matched: 4, delivered: 0, suppressed: 4, lost: 0 })
})

/** An entry of the log as a merge writes it now. */
async function logToday(vuln_id: number, changes: object[], { isPlanned = true } = {}) {
  await logChange(scene.world, vuln_id, {}, { changes })
  await scene.world.sql`UPDATE vuln_changes SET at = ${stamp(scene.now())} WHERE at = '2026-11-20T00:00:00Z'`
  if (!isPlanned) return
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
}

test('an alert that is missing is lost, one too many is doubled, and each is named', async () => {
  const org = await scene.watching()
  await scene.world.sql`UPDATE monitored_products SET created_at = '2026-01-01T00:00:00Z'`
  await point(scene, org, 'slack')
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await scene.world.sql`INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, created_at, updated_at)
    SELECT org_id, vuln_id, change_seq - 1, last_seq, rule, fired, created_at, updated_at FROM alerts
    WHERE vuln_id = 2`
  await scene.world.sql`DELETE FROM alerts WHERE vuln_id = 3`
  const { today } = await proofs(org)
  expect(today).toMatchObject({ matched: 2, lost: 1, doubled: 1 })
  expect(today.differences.map(({ vuln_id, problem }) => [vuln_id, problem])).toEqual([
    [2, 'doubled'],
    [3, 'lost'],
  ])
  // Of one minute nobody knows which came first: a call may write later than it says.
  const justBefore = "(SELECT strftime('%Y-%m-%dT%H:%M:%SZ', max(at), '-59 seconds') FROM vuln_changes)"
  await rows(scene.world.env, `UPDATE monitored_products SET created_at = ${justBefore}`)
  expect((await proofs(org)).today).toMatchObject({ matched: 2, lost: 0, unsure: 1, doubled: 1 })
})

test('a delivery that was removed is lost, and one that stands twice is doubled, however the others went', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'], ['CVE-2026-20003'])
  const alertIdBy = (vuln_id: number) => `(SELECT id FROM alerts WHERE vuln_id = ${vuln_id})`
  await rows(scene.world.env, `DELETE FROM deliveries WHERE alert_id = ${alertIdBy(2)}`)
  await rows(
    scene.world.env,
    `INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, next_attempt_at)
     SELECT org_id, alert_id, channel, target, 'updated', told, status, next_attempt_at FROM deliveries WHERE alert_id = ${alertIdBy(3)}`,
  )
  const { today } = await proofs(org)
  expect(today).toMatchObject({ matched: 3, delivered: 2, suppressed: 0, lost: 1, doubled: 1 })
  expect(today.differences.map(({ vuln_id, problem }) => [vuln_id, problem])).toEqual([
    [2, 'lost'],
    [3, 'doubled'],
  ])
})

test('a first exploit that is told after the first message left is no double', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { on_exploitable: true })
  await scene.modify(['CVE-2026-20001'])
  await scene.world.sql`UPDATE vulns SET is_exploitable = 1 WHERE id = 2`
  await logToday(2, [{ field: 'is_exploitable', to: true }])
  expect(await findDeliveries(scene.world)).toHaveLength(2)
  expect((await proofs(org)).today).toMatchObject({ matched: 2, delivered: 2, lost: 0, doubled: 0 })
})

test('items watched only since are not expected, and changes not planned yet wait', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await scene.later(1)
  await logToday(1, [{ field: 'cvss3', from: 5, to: 6 }], { isPlanned: false })
  expect((await proofs(org)).today).toMatchObject({ matched: 1, waiting: 1, lost: 0 })
  await scene.world.sql`UPDATE monitored_products SET created_at = ${stamp(plusSeconds(scene.now(), 3_600))}`
  expect((await proofs(org)).today).toMatchObject({ matched: 0, lost: 0 })
})

test('versions that are told leave open whether it was expected', async () => {
  const org = await scene.watching()
  await scene.later(1)
  await logToday(1, [{ field: 'cvss3', from: 5, to: 6 }])
  await scene.world.sql`DELETE FROM alerts`
  expect((await proofs(org)).today).toMatchObject({ matched: 1, lost: 1, unsure: 0 })
  await scene.world.sql`UPDATE monitored_products SET versions = '["1.0"]'`
  expect((await proofs(org)).today).toMatchObject({ matched: 1, lost: 0, unsure: 1 })
})

test('an advisory that gets a CVE which is here is new to those alone who were not told of it', async () => {
  const told = await scene.watching()
  await point(scene, told, 'webhook')
  const packages = [{ type: 'npm', name: '@acme/widget', ranges: [{ order: 'semver', lt: '2.0.0' } as const] }]
  const [advisory, cveid] = ['GHSA-told-told-told', 'CVE-2026-70001']
  const say = async (source: Source, record: Partial<VulnRecord>, withdrawn: { cveid: string; ref: string }[] = []) => {
    const records = [
      { cveid, state: 'published' as const, summary: 'A flaw.', modified: stamp(scene.now()), ...record },
    ]
    await saveRecords(openDb(scene.world.env), { source, records, withdrawn, is_backfill: false, now: scene.now() })
    await scene.later(15)
  }
  const watch = (org: WatchingOrg) =>
    org.call(togglePackage, { body: { package_type: 'npm', package_name: '@acme/widget', monitored: true } })
  await say('ghsa', { cveid: 'CVE-2026-70000', ref: 'GHSA-some-some-some', packages })
  await watch(told)
  await say('ghsa', { cveid: advisory, ref: advisory, packages })
  await say('nvd', {})
  const late = await scene.watching()
  await watch(late)
  await say('ghsa', { ref: advisory, aliases: [advisory], packages }, [{ cveid: advisory, ref: advisory }])

  const list = async ({ call }: WatchingOrg) =>
    (await call(listAlerts)).results.map(({ vuln, rule }) => `${vuln.cveid} ${rule}`)
  expect(await list(late)).toEqual([`${cveid} new`])
  expect(await list(told)).toEqual([`${cveid} updated`, `${advisory} new`])
  expect((await proofs(told)).today).toMatchObject({ lost: 0, doubled: 0 })
})

test('the nightly job writes each day once, follows what arrived since, and writes nothing when run again', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook')
  await scene.box.behave({ refuse: 1 })
  await scene.modify(['CVE-2026-20001'])
  const db = openDb(scene.world.env)
  const tomorrow = plusSeconds(scene.now(), 86_400)
  const stored = () => scene.world.sql<{ day: string; body: string; made_at: string }>`SELECT * FROM alert_proofs`
  await proveDays(db, tomorrow)
  const first = await stored()
  expect(first.map(({ body }) => JSON.parse(body))).toMatchObject([{ matched: 1, waiting: 1, delivered: 0, lost: 0 }])
  await proveDays(db, plusSeconds(tomorrow, 60))
  expect(await stored()).toEqual(first)

  await scene.box.behave({ refuse: 0 })
  await makeDue(scene.world)
  await scene.later(1)
  await proveDays(db, plusSeconds(tomorrow, 120))
  expect((await stored()).map(({ body }) => JSON.parse(body))).toMatchObject([
    { matched: 1, waiting: 0, delivered: 1, messages: { webhook: 1 } },
  ])
  expect((await proofs(org)).days).toMatchObject([{ delivered: 1 }])
})

test('org admins download the proofs, members only read them', async () => {
  const org = await scene.watching()
  await scene.world.sql`INSERT INTO alert_proofs
    SELECT ${org.org_id}, '2026-11-20', json_object('day', '2026-11-20', 'matched', 2, 'delivered', 2, 'held', 0, 'suppressed', 0, 'failed', 0, 'waiting', 0, 'lost', 0, 'unsure', 0, 'doubled', 0, 'messages', json_object('slack', 2), 'differences', json_array()), '', ''`
  const csv = await org.answer(exportProofsCsv)
  expect(await csv.text()).toBe(
    'day,matched,delivered,held,suppressed,failed,waiting,lost,unsure,doubled,unasked,by_rules,minor,minor_by_rules\r\n2026-11-20,2,2,0,0,0,0,0,0,0,0,0,0,0\r\n',
  )
  expect(csv.headers.get('content-disposition')).toContain('earshot_alert_proofs.csv')
  expect(await (await org.answer(exportProofsJson)).json()).toMatchObject([{ day: '2026-11-20', matched: 2 }])
  const member = await aMember(scene.world, org.org_id)
  expect((await member.answer(exportProofsCsv)).status).toBe(403)
  expect((await member.call(listProofs)).days).toHaveLength(1)
})

const daysAgo = (days: number) => stamp(plusSeconds(scene.now(), -days * 86_400))
async function logThen(days: number, kind: string, changes: object[]) {
  await scene.world.sql`INSERT INTO vuln_changes(vuln_id, at, kind, source, detail)
    VALUES (1, ${daysAgo(days)}, ${kind}, 'nvd', ${JSON.stringify(changes)})`
  await scene.world.sql`UPDATE org_vulns SET touched = ${Math.floor(scene.now().getTime() / 1000)}`
}

test('rules are tried on the last 30 and 90 days with the values of then, and nothing is sent', async () => {
  const org = await scene.watching()
  await logThen(100, 'updated', [{ field: 'cvss3', from: null, to: 3 }])
  await logThen(80, 'updated', [{ field: 'cvss3', from: 3, to: 9 }])
  await logThen(50, 'updated', [{ field: 'cvss3', from: 9, to: 4 }])
  await logThen(20, 'updated', [{ field: 'kev_added_at', from: null, to: '2026-11-01' }])
  await logThen(10, 'minor', [{ field: 'summary' }])
  await logThen(5, 'updated', [{ field: 'cvss3', from: 4, to: 5 }])
  const sent = async (rules: object) => {
    const { days_30, days_90, alerts } = await org.call(backTest, { body: rules })
    return [days_30, days_90, alerts.map(({ rule }) => rule)]
  }
  expect(await sent({ on_update: true })).toEqual([2, 4, ['updated', 'updated', 'updated', 'updated']])
  expect(await sent({ on_cvss3: true, cvss3_value: 8 })).toEqual([0, 1, ['cvss3']])
  expect(await sent({ on_cvss3: true, cvss3_value: 9.5 })).toEqual([0, 0, []])
  expect(await sent({ on_kev: true, on_update: true })).toEqual([2, 4, ['updated', 'kev', 'updated', 'updated']])
  expect(await sent({ on_update: true, min_score: 71 })).toEqual([0, 0, []])
  expect(await sent({ on_update: true, groups: ['dmz'] })).toEqual([0, 0, []])
  await logThen(15, 'updated', [{ field: 'epss', from: 0.1, to: 0.6, percentiles: [0.9, 0.97] }])
  await logThen(4, 'updated', [{ field: 'epss', from: 0.6, to: 0.95, percentiles: [0.96, 0.995] }])
  expect(await sent({ on_epss: true })).toEqual([2, 2, ['epss', 'epss']])
  expect(await sent({ on_epss: true, epss_value: '99th' })).toEqual([1, 1, ['epss']])
  expect(await sent({ on_epss: true, epss_value: '50%' })).toEqual([2, 2, ['epss', 'epss']])
  const models = [95, 40].map((days) => ({ version: `model of ${days}`, since: daysAgo(days).slice(0, 10) }))
  await scene.world.sql`UPDATE feeds SET cursor = json_object('models', json(${JSON.stringify(models)}))
    WHERE id = 'epss'`
  const { new_epss_models } = await org.call(backTest, { body: {} })
  expect(new_epss_models).toEqual([{ name: 'model of 40', since: models[1]?.since }])
  expect(await findDeliveries(scene.world)).toEqual([])
  await org.call(toggleProduct, { body: { vendor_name: 'acme', product_name: 'widget', monitored: false } })
  expect(await sent({ on_update: true })).toEqual([0, 0, []])
})

test('the rules would have sent what they did send', async () => {
  const org = await scene.watching()
  for (const rules of [none, { on_new: true, on_update: false }, { on_new: true, on_update: true }]) {
    await configure(org, 'slack', rules)
    await point(scene, org, 'slack', rules)
  }
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await ageAlerts(scene.world)
  await logToday(2, [{ field: 'cvss3', from: 5, to: 6 }])
  await scene.world.sql`UPDATE vuln_changes SET at = ${stamp(plusSeconds(scene.now(), 3_600))}
    WHERE seq = (SELECT max(seq) FROM vuln_changes)`
  const { days_30, alerts } = await org.call(backTest, { body: { on_new: true, on_update: true } })
  expect(days_30).toBe((await findDeliveries(scene.world)).length)
  expect(alerts.map(({ rule }) => rule).sort()).toEqual(
    (await findDeliveries(scene.world)).map(({ rule }) => rule).sort(),
  )
})

import { expect, test } from 'vitest'
import { acknowledge, listAlerts } from '../../worker/alerts/contract'
import { readUrgent, urgentNews } from '../../worker/alerts/urgent/contract'
import { tellSnoozeEnds } from '../../worker/alerts/plan/snooze-ends'
import { openDb } from '../../worker/db/open'
import { plusSeconds } from '../../worker/db/time'
import { endDecisions } from '../../worker/decisions/end'
import { endSnooze, setSnooze } from '../../worker/decisions/decide-contract'
import { eachTest } from './support/each-test'
import { ageAlerts, aScene, findDeliveries, logChange, point } from './support/alerting'
import { anOrg, rows } from './support/org'

const scene = eachTest(aScene)

const burns = async (id: number) => {
  const changes = [{ field: 'kev_added_at', from: null, to: '2026-11-20' }]
  await logChange(scene.world, id, { kev_added_at: '2026-11-20' }, { changes })
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
}

/** The question of a person's bell, with the ETag that it holds. */
async function ask(access: string, etag = '') {
  const response = await scene.world.request('/api/alerts/urgent', {
    headers: { authorization: `JWT ${access}`, ...(etag && { 'if-none-match': etag }) },
  })
  return { status: response.status, etag: response.headers.get('etag') ?? '', text: await response.text() }
}

test('urgent news is unread until it is read, by each person alone, and never told to another organization', async () => {
  const [org, other] = [await scene.watching(), await anOrg({ world: scene.world })]
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  expect(await org.call(urgentNews)).toEqual({ unread: 0, results: [] })
  await burns(2)
  const news = await org.call(urgentNews)
  expect(news).toMatchObject({ unread: 1, results: [{ is_unread: true, vuln: { id: 2 } }] })
  expect(await other.call(urgentNews)).toEqual({ unread: 0, results: [] })

  const id = news.results[0]?.id ?? 0
  await other.call(readUrgent, { body: { id } })
  expect((await org.call(urgentNews)).unread).toBe(1)
  await org.call(readUrgent, { body: { id } })
  expect(await org.call(urgentNews)).toMatchObject({ unread: 0, results: [{ id, is_unread: false }] })

  await burns(3)
  const single = (await org.call(urgentNews)).results[0]?.id ?? 0
  await other.call(readUrgent, { body: { id: single, only: true } })
  expect((await org.call(urgentNews)).unread).toBe(1)
  await org.call(readUrgent, { body: { id: single, only: true } })
  expect(await org.call(urgentNews)).toMatchObject({ unread: 0, results: [{ id: single, is_unread: false }, { id }] })

  // A number from the future hides nothing that comes later.
  await org.call(readUrgent, { body: { id: 999_999 } })
  await burns(1)
  expect((await org.call(urgentNews)).unread).toBe(1)
})

test('an alert that something urgent joins is unread again, whether it was read alone or read past', async () => {
  const [org, other] = [await scene.watching(), await scene.watching()]
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  const exploit = async (id: number) => {
    const changes = [{ field: 'is_exploitable', from: false, to: true }]
    await logChange(scene.world, id, { is_exploitable: 1 }, { changes })
    await scene.world.deliver('earshot-alerts', { reason: 'changes' })
    await scene.world.drain()
  }
  for (const id of [1, 2, 3]) await exploit(id)
  const unread = async ({ call }: typeof org) =>
    (await call(urgentNews)).results.filter((one) => one.is_unread).map(({ id }) => id)
  const [newest, , oldest] = (await org.call(urgentNews)).results
  await org.call(readUrgent, { body: { id: newest?.id ?? 0 } })
  const single = (await other.call(urgentNews)).results.find(({ vuln }) => vuln.id === oldest?.vuln.id)
  await other.call(readUrgent, { body: { id: single?.id ?? 0, only: true } })
  expect((await other.call(urgentNews)).unread).toBe(2)
  expect((await org.call(urgentNews)).unread).toBe(0)
  await burns(oldest?.vuln.id ?? 0)
  expect(await unread(org)).toEqual([oldest?.id])
  expect((await other.call(urgentNews)).unread).toBe(3)
  await org.call(readUrgent, { body: { id: newest?.id ?? 0 } })
  expect((await org.call(urgentNews)).unread).toBe(0)
})

test('an unchanged answer is one of 304, for whoever got it', async () => {
  const [org, other] = [await scene.watching(), await anOrg({ world: scene.world })]
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  const first = await ask(org.access)
  expect(await ask(org.access, first.etag)).toEqual({ status: 304, etag: first.etag, text: '' })
  expect((await ask(other.access, first.etag)).status).toBe(200)

  await burns(2)
  const burning = await ask(org.access, first.etag)
  expect(burning).toMatchObject({ status: 200, text: expect.stringContaining('"unread":1') })
  await org.call(readUrgent, { body: { id: (await org.call(urgentNews)).results[0]?.id ?? 0 } })
  expect((await ask(org.access, burning.etag)).status).toBe(200)
})

test('a snoozed or settled vulnerability rings nobody', async () => {
  const org = await scene.watching()
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await burns(2)
  await scene.world.sql`UPDATE alerts SET suppressed = 'snoozed'`
  expect(await org.call(urgentNews)).toEqual({ unread: 0, results: [] })
  await scene.world.sql`UPDATE alerts SET suppressed = 'no_recipient'`
  expect((await org.call(urgentNews)).unread).toBe(1)
})

test('a vulnerability that turned urgent during a snooze is told at its end, once, with its reason', async () => {
  const org = await scene.watching()
  const { env, deliver, drain } = scene.world
  await point(scene, org, 'slack', { on_new: false, on_update: false, on_kev: true, on_exploitable: true })
  const snooze = () => org.call(setSnooze, { params: { id: 1 }, body: { until: '2030-01-01' } })
  const change = async (columns: Parameters<typeof logChange>[2], ...changes: object[]) => {
    await ageAlerts(scene.world)
    await logChange(scene.world, 1, columns, { changes })
    await deliver('earshot-alerts', { reason: 'changes' })
    await drain()
  }
  const list = () => change({ kev_added_at: '2026-11-20' }, { field: 'kev_added_at', from: null, to: '2026-11-20' })
  const delist = () => change({ kev_added_at: null }, { field: 'kev_added_at', from: '2026-11-20', to: null })
  let nights = 0
  const night = async () => {
    const at = plusSeconds(scene.now(), ++nights - 10)
    await endDecisions(openDb(env), at)
    await tellSnoozeEnds(env, openDb(env), at)
    await drain()
    return (await findDeliveries(scene.world)).map(({ status, rule }) => `${rule} ${status}`)
  }
  await snooze()
  await change({ cvss3: 6 }, { field: 'cvss3', from: 5, to: 6 })
  await list()
  await change({ is_exploitable: 1 }, { field: 'is_exploitable', to: true })
  expect(await night()).toEqual([])
  await rows(env, "UPDATE decisions SET last_day = '2026-01-01' WHERE scope = 'alerts'")
  await night()
  expect(await night()).toEqual(['kev sent'])
  const ended = 'It turned urgent while a decision of yours, or a pause of your alerts, kept it quiet, which has ended'
  const { results } = await org.call(listAlerts, { query: { status: 'sent' } })
  expect(results).toMatchObject([{ rule: 'kev', changes: [ended] }])
  const said = (await scene.box.taken('slack')).map(({ body }) => body).join()
  for (const text of ['is known to be exploited', ended, 'CVSS 3: 5 → 6']) expect(said).toContain(text)

  await delist()
  await snooze()
  await change({ is_malicious: 1 }, { field: 'is_malicious', to: true })
  expect(await night()).toEqual(['kev sent', 'malicious sent'])
  await snooze()
  await list()
  await delist()
  await org.call(endSnooze, { params: { id: 1 } })
  expect(await night()).toHaveLength(2)
})

test('an alert that somebody acknowledged is unread to nobody, and something urgent that joins it is', async () => {
  const org = await scene.watching()
  await scene.modify(['CVE-2026-20001'])
  await burns(2)
  const held = await ask(org.access)
  const id = (await org.call(urgentNews)).results[0]?.id ?? 0
  await org.call(acknowledge, { body: { id } })
  expect((await ask(org.access, held.etag)).status).toBe(200)
  expect(await org.call(urgentNews)).toMatchObject({ unread: 0, results: [{ id, is_unread: false }] })
  await logChange(scene.world, 2, { is_exploitable: 1 }, { changes: [{ field: 'is_exploitable', to: true }] })
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
  expect(await org.call(urgentNews)).toMatchObject({ unread: 1, results: [{ id, is_unread: true }] })
})

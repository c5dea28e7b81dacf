import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createRoute, updateRoute } from '../../worker/alerts/receivers/contract'
import { recountDay } from '../../worker/alerts/proof/proof'
import { removeRota, setRota } from '../../worker/alerts/rota/contract'
import { openDb } from '../../worker/db/open'
import { aScene, findDeliveries } from './support/alerting'
import type { AlertingScene, WatchingOrg } from './support/alerting'
import { aMember } from './support/member'
import { rows } from './support/org'

/** A Sunday evening in Berlin, by which the week of a rota ends in the next morning. */
const evening = '2026-11-29T19:00:00Z'
const params = { route: 'email-2' as const }
let scene: AlertingScene
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(evening), shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  scene = await aScene()
})
afterEach(() => scene.origins.restore())

/** The clock shows a time, and all that is due by then happens. */
async function at(time: string) {
  vi.setSystemTime(new Date(time))
  for (const _ of [1, 2]) {
    await scene.world.tick()
    await scene.world.drain()
  }
}
const told = (cve: string) =>
  scene.world.mails.filter(({ text }) => text.includes(cve)).map(({ to, subject }) => [to, subject.split(':')[0]])
const proof = async ({ org_id }: WatchingOrg) =>
  (await recountDay(openDb(scene.world.env), { day: evening.slice(0, 10), org_id })).get(org_id)

test('what waited for its hour while the week of the rota changed goes to whoever is on duty then', async () => {
  const org = await scene.watching()
  const [ann, bob] = [await aMember(scene.world, org.org_id), await aMember(scene.world, org.org_id)]
  const waits = { pace: 'daily', pace_hour: 8, zone: 'Europe/Berlin' } as const
  await org.call(createRoute, { body: { kind: 'email', addresses: [org.email], ...waits } })
  const week = { zone: 'Europe/Berlin', starts_on: '2026-11-23', hour: 8 }
  await org.call(setRota, { params, body: { ...week, people: [ann.user_id, bob.user_id] } })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await at('2026-11-30T06:59:00Z')
  expect(told('CVE-2026-20001')).toEqual([])
  await at('2026-11-30T07:00:30Z')
  expect(told('CVE-2026-20001')).toEqual([[bob.email, '[Earshot] 2 alerts']])
  expect(await proof(org)).toMatchObject({ matched: 2, delivered: 2, lost: 0, doubled: 0 })
})

test('what waits for its hour goes to the addresses of its route when the rota ends, and to the one that another replaced', async () => {
  const org = await scene.watching()
  const [ann, bob] = [await aMember(scene.world, org.org_id), await aMember(scene.world, org.org_id)]
  const quiet = { quiet_from: 20, quiet_to: 7, zone: 'Europe/Berlin' }
  await org.call(createRoute, { body: { kind: 'email', addresses: [org.email], ...quiet } })
  await org.call(createRoute, { body: { kind: 'email', addresses: [ann.email], ...quiet } })
  await org.call(setRota, { params, body: { zone: 'UTC', starts_on: '2026-11-02', people: [ann.user_id] } })
  await scene.modify(['CVE-2026-20001'])
  await org.call(removeRota, { params })
  await org.call(updateRoute, { params: { route: 'email-3' }, body: { addresses: [bob.email] } })
  await at('2026-11-30T06:00:30Z')
  expect(
    told('CVE-2026-20001')
      .map(([to]) => to)
      .toSorted(),
  ).toEqual([org.email, bob.email].toSorted())
  expect((await findDeliveries(scene.world)).map(({ status }) => status)).toEqual(['sent', 'sent'])
  expect(await rows(scene.world.env, "SELECT 1 FROM deliveries WHERE status <> 'sent'")).toEqual([])
  expect(await proof(org)).toMatchObject({ matched: 1, delivered: 1, lost: 0, doubled: 0 })
})

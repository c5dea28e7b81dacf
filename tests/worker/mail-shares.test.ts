import { expect, test } from 'vitest'
import { claimLanes } from '../../worker/alerts/deliver/lanes'
import { planAlerts } from '../../worker/alerts/plan/plan'
import { createRoute, updateRoute } from '../../worker/alerts/receivers/contract'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { openDb } from '../../worker/db/open'
import { plusSeconds, stamp } from '../../worker/db/time'
import { eachTest } from './support/each-test'
import { ageAlerts, aScene, findDeliveries, logChange, makeDue } from './support/alerting'
import { aMember } from './support/member'
import { rows, sqlIn } from './support/org'

const scene = eachTest(aScene)

const burns = (id: number) => {
  const changes = [{ field: 'kev_added_at', from: null, to: '2026-11-20' }]
  return logChange(scene.world, id, { kev_added_at: '2026-11-20' }, { changes })
}

/** An organization with an address for its mails. */
async function mailed() {
  const org = await scene.watching()
  await org.call(updateOrgSettings, { body: { org_id: org.org_id, alerts_emails: [org.email] } })
  return org
}

test('organizations share the lane of mails by rounds, however urgent the mails of one of them are', async () => {
  const { env } = scene.world
  const [loud, ours] = [await mailed(), await mailed()]
  await burns(1)
  await planAlerts(openDb(env), scene.now())
  await sqlIn(env)`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
    INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, next_attempt_at)
    SELECT org_id, alert_id, channel, i || target, rule, told, status, '2026-01-01T00:00:00Z' FROM deliveries, n WHERE org_id = ${loud.org_id}`
  for (const isWide of [true, false]) {
    await rows(env, "UPDATE deliveries SET status = 'pending', attempts = 0, lease_until = NULL")
    const claimed = await claimLanes(openDb(env), [], { healthy: 1, failing: 0, isWide }, scene.now())
    expect(new Set(claimed.map(({ org_id }) => org_id))).toEqual(new Set([loud.org_id, ours.org_id]))
  }
})

test.each([
  [0, 199],
  [1, 99],
])(
  '%i further mail routes: on trial they tell of so many vulnerabilities a day together, urgent or not; more is held for the report',
  async (further, used) => {
    const { env } = scene.world
    const org = await mailed()
    await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
    await ageAlerts(scene.world)
    await rows(env, 'DELETE FROM deliveries')
    await rows(env, 'UPDATE orgs SET trial_ends_at = ?1', stamp(plusSeconds(scene.now(), 864_000)))
    await rows(env, 'UPDATE quotas SET used = ?3 WHERE org_id = ?1 AND name = ?2', org.org_id, 'email told', used)
    const route = `INSERT INTO alert_channels(org_id, channel, addresses) SELECT ?1, 'email-2', '["one@example.net"]' WHERE ?2`
    await rows(env, route, org.org_id, further)
    const statuses = async () => {
      await planAlerts(openDb(env), scene.now())
      return (await findDeliveries(scene.world)).map(({ status }) => status).sort()
    }
    for (const id of [1, 2, 3]) await burns(id)
    expect(await statuses()).toEqual(['held', 'held', 'pending'])
    for (const id of [1, 2, 3])
      await logChange(scene.world, id, { is_exploitable: 1 }, { changes: [{ field: 'is_exploitable', to: true }] })
    expect((await statuses()).filter((status) => status === 'held')).toHaveLength(2)
    expect(await rows(env, "SELECT used FROM quotas WHERE name = 'email told'")).toEqual([{ used: used + 1 }])
  },
)

test.each([
  ['550 5.1.1 No such user here', 1],
  ['451 4.3.0 Later', 10],
])(
  'an address that answers "%s" keeps no mail from others, and its organization is told once when the first is given up',
  async (says, tries) => {
    const { world } = scene
    const org = await mailed()
    const soc = await aMember(world, org.org_id)
    await org.call(updateOrgSettings, { body: { org_id: org.org_id, alerts_emails: [soc.email, org.email] } })
    Object.assign(world.mailServer, { unknown: soc.email, says })
    await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
    const alertMails = world.mails.filter(({ subject }) => !subject.includes('alerts do not reach'))
    expect(alertMails.map(({ to }) => to)).toEqual([org.email, org.email])
    const refusedAgain = async () => {
      await world.sql`UPDATE deliveries SET attempts = 9, next_attempt_at = '2026-01-01' WHERE status = 'pending'`
      await scene.later(1)
      await scene.later(1)
    }
    await refusedAgain()
    const told = () => world.mails.filter(({ subject }) => subject.includes(`alerts do not reach ${soc.email}`))
    expect(told().map(({ to }) => to)).toEqual([org.email])
    expect(told()[0]?.text).toContain(says)
    await scene.modify(['CVE-2026-20003'])
    await refusedAgain()
    const dead = (await findDeliveries(world)).filter(({ status }) => status === 'dead')
    expect(dead.map(({ attempts }) => attempts)).toEqual([tries, tries, tries])
    expect(told()).toHaveLength(1)
  },
)

test('an alert to a mailbox that is not there goes on to the next route at once, and one refused by a rule is tried again', async () => {
  const { world } = scene
  const org = await mailed()
  const body = { kind: 'mattermost' as const, url: `${scene.box.url}/mattermost/x`, on_new: false, on_update: false }
  await org.call(createRoute, { body })
  await org.call(updateRoute, {
    params: { route: 'email' },
    body: { escalate_to: 'mattermost', escalate_minutes: 600 },
  })
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  await ageAlerts(world)
  const last = async () => (await findDeliveries(world)).findLast(({ channel }) => channel === 'email')

  const sendNow = async () => {
    await scene.later(1)
    await makeDue(world)
    await scene.later(1)
  }
  world.mailServer.refuse = '550 5.7.1 Not by our rules'
  await burns(1)
  await sendNow()
  expect(await last()).toMatchObject({ status: 'pending', attempts: 1, last_error: '550 5.7.1 Not by our rules' })
  expect(Date.parse((await last())?.next_attempt_at ?? '') - Date.now()).toBeGreaterThan(3_500_000)
  await scene.later(1)
  expect(await scene.box.taken('mattermost')).toEqual([])

  world.mailServer.refuse = '550 5.1.1 No such user here'
  await burns(2)
  await sendNow()
  expect(await last()).toMatchObject({ status: 'dead', attempts: 1, last_error: '550 5.1.1 No such user here' })
  await sendNow()
  expect((await scene.box.taken('mattermost'))[0]?.body).toContain('Nobody acknowledged it at')
})

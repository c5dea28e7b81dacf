import { expect, onTestFinished, test } from 'vitest'
import { removeChannel } from '../../worker/alerts/channels/contract'
import { listAlerts } from '../../worker/alerts/contract'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { getSnooze } from '../../worker/decisions/decide-contract'
import { aScene, logExploited, point, type AlertingScene } from './support/alerting'
import { rows } from './support/org'

const findLink = (text: string | undefined) => /\/public\/alerts\/acknowledge\/[\w.-]+/.exec(text ?? '')?.[0] ?? ''
const mailTo = ({ world }: AlertingScene, address: string) =>
  findLink(world.mails.find(({ to }) => to === address)?.text)

test('a link changes nothing once the trial is over, while the organization is disabled, or for an address that may get no alerts any more', async () => {
  const scene = await aScene()
  onTestFinished(() => scene.origins.restore())
  const org = await scene.watching({ emails: ['desk@example.org'] })
  await point(scene, org, 'slack')
  await scene.modify(['CVE-2026-20001'])
  const paths = [findLink((await scene.box.taken('slack')).at(-1)?.body), mailTo(scene, 'desk@example.org')]
  const open = async (path: string, method: 'GET' | 'POST') => (await scene.world.request(path, { method })).status
  const newest = async () => (await org.call(listAlerts)).results[0]
  const statuses = async () => [
    await Promise.all(paths.map((path) => open(path, 'GET'))),
    await Promise.all(paths.map((path) => open(path, 'POST'))),
  ]
  const set = (text: string) => rows(scene.world.env, text, org.org_id)
  const nowhere = [400, 400]
  await set("UPDATE orgs SET trial_ends_at = '2026-01-01T00:00:00Z' WHERE id = ?1")
  expect(await statuses()).toEqual([nowhere, nowhere])
  await set('UPDATE orgs SET trial_ends_at = NULL, is_active = 0 WHERE id = ?1')
  expect(await statuses()).toEqual([nowhere, nowhere])
  await set('UPDATE orgs SET is_active = 1 WHERE id = ?1')
  expect(await newest()).toMatchObject({ acknowledged: null })
  await set("DELETE FROM alert_addresses WHERE org_id = ?1 AND email = 'desk@example.org'")
  expect(await Promise.all(paths.map((path) => open(path, 'GET')))).toEqual([200, 400])
  await set(
    "INSERT INTO alert_addresses(org_id, email, confirmed_at) VALUES (?1, 'desk@example.org', '2026-01-01T00:00:00Z')",
  )
  expect(await statuses()).toEqual([
    [200, 200],
    [200, 200],
  ])
  expect(await newest()).toMatchObject({ acknowledged: { by: expect.stringMatching(/^a link sent by/) as string } })
})

test('a link in a message works no more once its address or its channel was removed, or the channel was switched off', async () => {
  const scene = await aScene()
  onTestFinished(() => scene.origins.restore())
  const { box, world } = scene
  const org = await scene.watching({ emails: ['desk@example.org', 'other@example.org'] })
  await point(scene, org, 'slack')
  await scene.modify(['CVE-2026-20001'])
  const slack = findLink((await box.taken('slack')).at(-1)?.body)
  const paths = [mailTo(scene, 'desk@example.org'), mailTo(scene, 'other@example.org'), slack]
  const statuses = () => Promise.all(paths.map(async (path) => (await world.request(path)).status))
  expect(await statuses()).toEqual([200, 200, 200])

  await org.call(updateOrgSettings, { body: { org_id: org.org_id, alerts_emails: ['other@example.org'] } })
  expect(await statuses()).toEqual([400, 200, 200])
  await org.call(removeChannel, { params: { channel: 'slack' } })
  expect(await statuses()).toEqual([400, 200, 400])
  await point(scene, org, 'slack')
  expect(await statuses()).toEqual([400, 200, 200])

  // A receiver that is gone is switched off.
  await box.behave({ status: 410 })
  await scene.modify(['CVE-2026-20002'])
  expect(await statuses()).toEqual([400, 200, 400])
})

test('a link acknowledges and snoozes what its message told, and nothing urgent that joined the alert since', async () => {
  const scene = await aScene()
  onTestFinished(() => scene.origins.restore())
  const { box, world } = scene
  const org = await scene.watching()
  await point(scene, org, 'slack')
  const newest = async () => (await org.call(listAlerts)).results[0]
  const links = async () => {
    const text = (await box.taken('slack')).at(-1)?.body ?? ''
    return ['acknowledge', 'snooze'].map(
      (action) => new RegExp(`/public/alerts/${action}/[\\w.-]+`).exec(text)?.[0] ?? '',
    )
  }
  const burns = async () => {
    await logExploited(world, 2)
    await world.deliver('earshot-alerts', { reason: 'changes' })
    await world.drain()
  }
  const post = async (path: string) => (await world.request(path, { method: 'POST' })).status
  await scene.modify(['CVE-2026-20001'])
  const before = await links()
  await burns()
  for (const path of before) {
    const page = await world.request(path)
    expect([page.status, await page.text()]).toEqual([
      400,
      expect.stringContaining('something urgent joined its alert since'),
    ])
    expect(await post(path)).toBe(400)
  }
  expect(await newest()).toMatchObject({ acknowledged: null })
  expect((await org.call(getSnooze, { params: { id: 2 } })).snooze).toBe(null)
  const after = await links()
  expect([await post(after[0] ?? ''), await newest()]).toMatchObject([
    200,
    { acknowledged: { by: 'a link sent by Slack' } },
  ])
})

import { expect, onTestFinished, test } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { aScene, point } from './support/alerting'
import { rows } from './support/org'

test('a link changes nothing once the trial is over, while the organization is disabled, or for an address that may get no alerts any more', async () => {
  const scene = await aScene()
  onTestFinished(() => scene.origins.restore())
  const org = await scene.watching({ emails: ['desk@example.org'] })
  await point(scene, org, 'slack')
  await scene.modify(['CVE-2026-20001'])
  const sent = [
    (await scene.box.taken('slack')).at(-1)?.body,
    scene.world.mails.find(({ to }) => to === 'desk@example.org')?.text,
  ]
  const paths = sent.map((text) => /\/public\/alerts\/acknowledge\/[\w.-]+/.exec(text ?? '')?.[0] ?? '')
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

import { afterEach, beforeEach, expect, test } from 'vitest'
import { planAndDrive } from '../../worker/alerts/plan/plan'
import { openDb } from '../../worker/db/open'
import { aScene, findDeliveries, logExploited } from './support/alerting'
import type { AlertingScene } from './support/alerting'
import { rows } from './support/org'

let scene: AlertingScene
beforeEach(async () => {
  scene = await aScene()
})
afterEach(() => scene.origins.restore())

/** Texts in the form of an id, each of which is looked up. */
const costly = Array.from({ length: 20 }, (_, at) => `GHSA-${at}`).join(' OR ')

/** An organization whose rules go by so many views: its routes may by 150. */
async function viewing(count: number, query: string) {
  const org = await scene.watching({ emails: [`soc${++made}@example.net`] })
  await rows(
    scene.world.env,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
    INSERT INTO saved_views(org_id, user_id, name, query, is_shared, created_at, updated_at)
    SELECT ?1, ?2, i, ?4, 1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM n`,
    org.org_id,
    org.user_id,
    count,
    new URLSearchParams({ q: query }).toString(),
  )
  await rows(
    scene.world.env,
    'UPDATE alert_settings SET on_kev = 1, views = (SELECT json_group_array(id) FROM saved_views v WHERE v.org_id = ?1) WHERE org_id = ?1',
    org.org_id,
  )
  return org
}
let made = 0

test('however much the views of one organization ask for, all others are told of a change, and so is it', async () => {
  const { env } = scene.world
  const orgs = [await scene.watching({ emails: ['plain@example.net'] }), await viewing(60, costly)]
  for (let at = 0; at < 6; at++) orgs.push(await viewing(15, 'kev OR epss>0.9'))
  const silent = await viewing(2, 'NOT kev')
  await rows(env, 'DELETE FROM deliveries')
  await logExploited(scene.world, 1)
  for (let time = 0; time < 4; time++) await planAndDrive(env, openDb(env), scene.now())
  const told = new Set((await findDeliveries(scene.world)).map(({ org_id }) => org_id))
  expect(told).toEqual(new Set(orgs.map(({ org_id }) => org_id)))
  expect(told).not.toContain(silent.org_id)
})

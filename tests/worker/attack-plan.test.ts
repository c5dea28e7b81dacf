import { expect, test } from 'vitest'
import { updateChannel } from '../../worker/alerts/channels/contract'
import { whyAlerted } from '../../worker/alerts/contract'
import { planAndDrive } from '../../worker/alerts/plan/plan'
import { openDb } from '../../worker/db/open'
import { createView, updateView } from '../../worker/views/contract'
import { eachTest } from './support/each-test'
import { aScene, findDeliveries, logExploited, point } from './support/alerting'
import { rows } from './support/org'

const scene = eachTest(aScene)

/** Texts in the form of an id, each of which is looked up. */
const costly = Array.from({ length: 20 }, (_, at) => `GHSA-${at}`).join(' OR ')

/** An organization whose rules go by so many views: its routes may by 150. */
async function viewing(count: number, query: string) {
  const org = await scene.watching({ emails: [`soc${++made}@example.net`] })
  await scene.world.sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO saved_views(org_id, user_id, name, query, is_shared, created_at, updated_at)
    SELECT ${org.org_id}, ${org.user_id}, i, ${new URLSearchParams({ q: query }).toString()}, 1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM n`
  await scene.world.sql`UPDATE alert_settings SET on_kev = 1, views = (SELECT json_group_array(id)
    FROM saved_views v WHERE v.org_id = ${org.org_id}) WHERE org_id = ${org.org_id}`
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

test('rules whose views together have too many conditions are refused, and where a view has more of them later, it is said that it leaves nothing out', async () => {
  const org = await scene.watching()
  const toQuery = (q: string) => new URLSearchParams({ q }).toString()
  const addView = async (name: string, q: string) =>
    (await org.call(createView, { body: { name, query: toQuery(q), is_shared: true } })).id
  const [one, other, third] = [await addView('A', costly), await addView('B', costly), await addView('C', costly)]
  const plain = await addView('D', 'NOT kev')
  await point(scene, org, 'slack', { on_kev: true, views: [one, other] })
  await point(scene, org, 'webhook')
  const save = (views: number[]) => org.answer(updateChannel, { params: { channel: 'webhook' }, body: { views } })
  const refused = await save([third])
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('have too many conditions')])
  expect((await save([plain])).status).toBe(200)
  await logExploited(scene.world, 1)
  const why = async () =>
    (await org.call(whyAlerted, { params: { id: 1 } })).channels.map(({ channel, rule, reasons }) => [
      channel,
      rule,
      reasons.some(({ text }) => text.includes('have too many conditions')),
    ])
  expect(await why()).toEqual(
    expect.arrayContaining([
      ['slack', null, false],
      ['webhook', null, false],
    ]),
  )
  await org.call(updateView, { params: { id: plain }, body: { query: toQuery(costly) } })
  expect(await why()).toEqual(
    expect.arrayContaining([
      ['slack', null, false],
      ['webhook', 'updated', true],
    ]),
  )
  // Views that stand may stay.
  expect((await save([plain])).status).toBe(200)
})

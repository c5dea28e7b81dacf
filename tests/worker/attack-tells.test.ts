import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { planAndDrive } from '../../worker/alerts/plan/plan'
import { queueRemark } from '../../worker/alerts/deliver/summaries'
import { createRoute, updateRoute } from '../../worker/alerts/receivers/contract'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { claimDue } from '../../worker/db/leases'
import { openDb } from '../../worker/db/open'
import { aScene, configure, findDeliveries, logExploited, point, type AlertingScene } from './support/alerting'
import { aBox, until } from './support/box'
import { send } from './support/inventory-scene'
import { rows, sqlIn } from './support/org'

let scene: AlertingScene
beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  scene = await aScene()
})
afterEach(() => {
  scene.origins.restore()
  vi.restoreAllMocks()
})

test('however many first documents and chats one organization has, all others are told of a change at once', async () => {
  const { env } = scene.world
  const [plain, crowd] = [await scene.watching({ emails: ['plain@example.net'] }), await scene.watching()]
  await point(scene, crowd, 'slack')
  await sqlIn(env)`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
     INSERT INTO alert_channels(org_id, channel, secrets) SELECT c.org_id, 'slack-' || i, c.secrets FROM n, alert_channels c WHERE c.org_id = ${crowd.org_id} AND c.channel = 'slack'`
  for (let at = 0; at < 20; at++) await send(crowd, `shop${at}`, ['cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*'])
  while (!(await rejudgeDue(openDb(env), scene.now())));
  await rows(env, 'DELETE FROM deliveries')
  await logExploited(scene.world, 1)
  await planAndDrive(env, openDb(env), scene.now()).catch(() => undefined)
  expect((await findDeliveries(scene.world)).map(({ org_id }) => org_id)).toContain(plain.org_id)
  for (let time = 0; time < 10; time++) await planAndDrive(env, openDb(env), scene.now())
  expect(await rows(env, "SELECT 1 FROM inventories WHERE tells <> 'each'")).toEqual([])
})

test('a rota that cannot be read keeps no messages back, and its mails go to the addresses of its route', async () => {
  const { env, mails } = scene.world
  const [broken, plain] = [await scene.watching(), await scene.watching({ emails: ['plain@example.net'] })]
  await broken.call(createRoute, { body: { kind: 'email', addresses: [broken.email] } })
  await logExploited(scene.world, 1)
  await planAndDrive(env, openDb(env), scene.now())
  await rows(env, `UPDATE alert_channels SET rota = '{"zone":"US/Pacific-New"}' WHERE org_id = ?1`, broken.org_id)
  mails.length = 0
  await scene.world.drain()
  expect(mails.map(({ to }) => to)).toEqual(expect.arrayContaining([broken.email, 'plain@example.net']))
  expect(plain.org_id).not.toBe(broken.org_id)
})

test('a route whose rules cannot be read keeps no alerts of others from going on to the next route', async () => {
  const { env } = scene.world
  const [broken, plain] = [await scene.watching(), await scene.watching()]
  const off = { on_new: false, on_update: false, on_kev: false, on_exploitable: false, on_malicious: false }
  for (const org of [broken, plain]) {
    await point(scene, org, 'slack')
    await point(scene, org, 'webhook', off)
    await org.call(updateRoute, { params: { route: 'slack' }, body: { escalate_to: 'webhook', escalate_minutes: 5 } })
  }
  await logExploited(scene.world, 1)
  await planAndDrive(env, openDb(env), scene.now())
  await scene.world.drain()
  await rows(env, "UPDATE deliveries SET sent_at = '2026-01-01T00:00:00Z' WHERE status = 'sent'")
  await rows(env, "UPDATE alert_channels SET groups = '{' WHERE org_id = ?1", broken.org_id)
  await scene.world.tick()
  const gone = (await findDeliveries(scene.world)).filter(({ channel }) => channel === 'webhook')
  expect(gone.map(({ org_id }) => org_id)).toEqual([plain.org_id])
})

test('a chat that hangs holds up the summaries of its own organization alone, however many wait', async () => {
  const { env, deliver } = scene.world
  const [slow, plain, box] = [await scene.watching(), await scene.watching(), aBox()]
  await point(scene, slow, 'slack')
  await configure(plain, 'slack', { url: `${box.url}/slack` })
  await scene.box.behave({ hangs: true })
  const db = openDb(env)
  const tell = ({ org_id }: typeof slow, seconds: number) =>
    queueRemark(
      db,
      { org_id, channel: 'slack', due: new Date(Date.now() - seconds * 1_000) },
      { title: 'Found', lines: [], link: { label: 'Open', url: 'https://earshot.test' } },
      new Date(),
    ).run()
  for (let at = 0; at < 31; at++) await tell(at === 15 ? plain : slow, 60 - at)
  const before = (await box.taken('slack')).length
  const running = deliver('earshot-deliveries', { reason: 'due' })
  await until(async () => (await box.taken('slack')).length > before)
  expect(await rows(env, 'SELECT last_error FROM summaries WHERE last_error IS NOT NULL')).toEqual([])
  await scene.box.behave({})
  await running
}, 20_000)

test('organizations take turns in a claim of summaries, which sorts no long backlog', async () => {
  const { env } = scene.world
  const db = openDb(env)
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)'
  const count = 2_000
  await rows(env, `${numbers} INSERT INTO orgs(name, slug, created_at) SELECT i, i, '' FROM n`, 12)
  const claimAmong = async (orgs: number) => {
    await rows(env, 'DELETE FROM summaries')
    await rows(
      env,
      `${numbers} INSERT INTO summaries(org_id, channel, said, status, next_attempt_at, created_at)
       SELECT (SELECT id FROM orgs WHERE name = '0') + i % ?2, 'slack', '', 'pending', '2026-01-01T00:00:00Z', '' FROM n`,
      count,
      orgs,
    )
    const before = db.meter.rows_read
    const claimed = await claimDue<{ org_id: number }>(db, 'summaries', sql`org_id`, new Date())
    return {
      rows: claimed.length,
      orgs: new Set(claimed.map(({ org_id }) => org_id)).size,
      passes: Math.floor((db.meter.rows_read - before) / count),
    }
  }
  expect(await claimAmong(12)).toEqual({ rows: 10, orgs: 10, passes: 1 })
  expect(await claimAmong(3)).toEqual({ rows: 10, orgs: 3, passes: 2 })
  expect(await claimAmong(1)).toEqual({ rows: 10, orgs: 1, passes: 2 })
})

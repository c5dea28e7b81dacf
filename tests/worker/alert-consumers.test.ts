import { expect, test } from 'vitest'
import { planAndDrive } from '../../worker/alerts/plan/plan'
import { claimRun } from '../../worker/alerts/plan/waits'
import { openDb } from '../../worker/db/open'
import { plusSeconds } from '../../worker/db/time'
import { eachTest } from './support/each-test'
import { aScene, findDeliveries, logChange, point } from './support/alerting'
import { beforeWriting } from './support/before-writing'
import { rows } from './support/org'

const scene = eachTest(aScene)

const all = (sql: string, ...values: unknown[]) => rows(scene.world.env, sql, ...values)
/** News of the vulnerability that everybody watches, of which nobody planned yet. */
const news = (score: number) =>
  logChange(scene.world, 1, { score }, { changes: [{ field: 'cvss3', from: 5, to: score / 10 }] })
/** Organizations whose verdicts stand have runs of their own. */
const letAllWait = () =>
  all(
    "INSERT OR REPLACE INTO alert_waits SELECT id, 0, '2026-01-01T00:00:00Z', NULL FROM orgs WHERE name <> ?1",
    'Private',
  )
const plan = (DB = scene.world.env.DB) => planAndDrive(scene.world.env, openDb({ ...scene.world.env, DB }), scene.now())

test('more organizations than one invocation may ask for are planned by further ones', async () => {
  await scene.watching()
  const each = `WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1199)`
  await all(
    `${each} INSERT INTO orgs(id, name, slug, created_at) SELECT i, 'o' || i, 'o' || i, '2026-01-01T00:00:00Z' FROM n`,
  )
  await all('INSERT INTO alert_settings(org_id) SELECT id FROM orgs WHERE id >= 1000')
  await all(`INSERT INTO monitored_products(org_id, product_id, is_monitored, created_at)
    SELECT o.id, m.product_id, 1, '2026-01-01T00:00:00Z' FROM orgs o CROSS JOIN monitored_products m WHERE o.id >= 1000`)
  await news(90)
  await letAllWait()
  await scene.world.deliver('earshot-alerts', { reason: 'judged' })
  const [{ planned } = { planned: 0 }] = (await all('SELECT count(*) AS planned FROM alerts')) as { planned: number }[]
  expect(planned).toBeGreaterThan(30)
  expect(planned).toBeLessThan(200)
  await scene.world.drain()
  expect(await all('SELECT count(DISTINCT org_id) AS orgs, count(*) AS alerts FROM alerts')).toEqual([
    { orgs: 201, alerts: 201 },
  ])
  expect(await all('SELECT * FROM alert_waits')).toEqual([])
})

test('several consumers at once alert each organization once, and a run that a dead one took is taken over', async () => {
  const orgs = [await scene.watching(), await scene.watching(), await scene.watching()]
  for (const org of orgs) await point(scene, org, 'slack', { daily_max: 1 })
  await news(90)
  await letAllWait()
  const [first] = orgs
  const db = openDb(scene.world.env)
  expect(await claimRun(db, first?.org_id ?? 0, scene.now())).toBe(true)
  await Promise.all([plan(), plan(), plan()])
  const count = () => all('SELECT count(DISTINCT org_id) AS orgs, count(*) AS alerts FROM alerts')
  expect(await count()).toEqual([{ orgs: 2, alerts: 2 }])
  await planAndDrive(scene.world.env, openDb(scene.world.env), plusSeconds(scene.now(), 31))
  expect(await count()).toEqual([{ orgs: 3, alerts: 3 }])
  expect(await findDeliveries(scene.world)).toHaveLength(3)
})

test('the work of another consumer meanwhile counts: a daily number is not passed, and no message is counted twice', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { daily_max: 1 })
  await news(90)
  const day = scene.now().toISOString().slice(0, 10)
  const spend = () =>
    all("INSERT OR REPLACE INTO quotas(org_id, name, day, used) VALUES (?1, 'slack', ?2, 1)", org.org_id, day)
  await plan(beforeWriting(scene.world.env.DB, 'INSERT INTO alerts', spend))
  expect((await findDeliveries(scene.world)).map(({ status }) => status)).toEqual(['held'])

  await news(95)
  const join = () => all(`UPDATE alerts SET planned = '{"slack":2}'`)
  await plan(beforeWriting(scene.world.env.DB, 'INSERT INTO alerts', join))
  expect(await all('SELECT planned FROM alerts')).toEqual([{ planned: '{"slack":2}' }])
})

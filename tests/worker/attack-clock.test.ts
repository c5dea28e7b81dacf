import { env as bindings } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { proveDays } from '../../worker/alerts/proof/proof'
import { resealAll } from '../../worker/auth/reseal'
import { openSecrets, sealSecrets } from '../../worker/alerts/channels/secrets'
import { createDueReports } from '../../worker/alerts/reports/make'
import { pruneReports, reportDays } from '../../worker/alerts/reports/queries'
import { backUpOrgs } from '../../worker/backups/save'
import { endDecisions, pruneDecisionHistory } from '../../worker/decisions/end'
import { openDb } from '../../worker/db/open'
import { plusSeconds, stamp } from '../../worker/db/time'
import { onSchedule } from '../../worker/jobs'
import { driveNewsletter } from '../../worker/newsletter/issue'
import { removeLeft } from '../../worker/orgs/leaving/clock'
import type { Env } from '../../worker/env'
import { anOrg, rows, sqlIn } from './support/org'
import { aReportScene } from './support/report-scene'
import { aWorld } from './support/world'

const { BACKUPS: bucket } = bindings as unknown as { BACKUPS: R2Bucket }

test('a time zone that the tables no longer know stops the reports of nobody, nor its own', async () => {
  const scene = await aReportScene()
  const orgs = [await scene.watching(), await scene.watching()]
  for (const one of orgs) await scene.save(one, { enable_daily_email_report: true, reports_hour: 8 })
  const gone = "UPDATE alert_settings SET time_zone = 'US/Pacific-New' WHERE org_id = ?1"
  await rows(scene.env, gone, orgs[0]?.org_id)
  await scene.change(1, { score: 60 })
  await rows(scene.env, "UPDATE deliveries SET status = 'held'")
  const due = await scene.firstDue()
  await scene.world.tick(due)
  expect(await rows(scene.env, "SELECT last_error FROM clock_jobs WHERE name = 'reports' AND failed_at > ''")).toEqual(
    [],
  )
  await scene.makeAt(due)
  expect(new Set(scene.sent().map(({ to }) => to))).toEqual(new Set(orgs.map(({ email }) => email)))
})

test('however much one organization holds, those after it are saved in the same night', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const world = aWorld({ BACKUPS: bucket })
  const [large, other] = [await anOrg({ world }), await anOrg({ world })]
  const night = new Date(`${stamp(plusSeconds(new Date(), 86_400)).slice(0, 10)}T02:00:00Z`)
  const run = async () => {
    const db = openDb(world.env)
    const spend = (key: string) => {
      if (key.startsWith(`orgs/${large.org_id}/`)) db.meter.queries += 1_000
    }
    const watched = new Proxy(bucket, {
      get: (target, name) =>
        name === 'put'
          ? (key: string, value: string) => (spend(key), target.put(key, value))
          : Reflect.get(target, name).bind(target),
    })
    await backUpOrgs({ ...world.env, BACKUPS: watched }, db, night).catch(() => undefined)
  }
  for (const _ of [1, 2, 3]) await run()
  expect((await bucket.list({ prefix: `orgs/${other.org_id}/` })).objects).not.toEqual([])
})

test('an organization whose rows cannot be removed keeps those of no other here', async () => {
  const world = aWorld()
  const [stuck, other] = [await anOrg({ world }), await anOrg({ world })]
  for (const [at, { org_id }] of [stuck, other].entries())
    await world.sql`UPDATE orgs SET removal_at = ${`2026-01-0${at + 1}T00:00:00Z`} WHERE id = ${org_id}`
  await rows(
    world.env,
    `CREATE TRIGGER stuck BEFORE DELETE ON orgs WHEN old.id = ${stuck.org_id} BEGIN SELECT RAISE(ABORT, 'too much'); END`,
  )
  const find = () => world.sql`SELECT id FROM orgs WHERE id = ${other.org_id}`
  for (let minute = 0; minute < 40 && (await find()).length; minute++)
    await removeLeft(world.env, openDb(world.env), new Date()).catch(() => undefined)
  expect(await find()).toEqual([])
})

test('an issue of the newsletter is written for any number of readers without a failure', async () => {
  const world = aWorld()
  await world.sql`INSERT INTO newsletters(day, facts, last_reader)
    VALUES ('2026-11-23', ${JSON.stringify({ day: '2026-11-23', items: [{ id: 1, name: 'PH-1', summary: '', score: null, reasons: [] }] })}, 0)`
  await world.sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 520)
     INSERT INTO subscribers(email, token_hash, state, created_at) SELECT i || '@example.net', i, 'confirmed', '2026-11-10T00:00:00Z' FROM n`
  for (const _ of [1, 2]) await driveNewsletter(world.env, openDb(world.env), new Date('2026-11-23T08:15:00Z'))
  expect(await world.sql`SELECT count(*) AS count FROM mails WHERE kind = 'newsletter'`).toEqual([{ count: 520 }])
})

test('a day of very many changes asks for no more statements of the night than one of some thousand', async () => {
  const { env } = aWorld()
  await sqlIn(env)`INSERT INTO vulns(id, cveid, state, summary, created_at, updated_at)
    VALUES (1, 'CVE-2026-20001', 'published', '', 1, 1)`
  const now = new Date()
  await sqlIn(env)`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
     INSERT INTO vuln_changes(vuln_id, at, kind, source, detail) SELECT 1, ${stamp(plusSeconds(now, -86_400))}, 'updated', 'nvd', '[]' FROM n`
  const db = openDb(env)
  await proveDays(db, now)
  expect(db.meter.queries).toBeLessThan(60)
})

test('a secret that nobody can read keeps no other from the secret in force', async () => {
  const [old, next] = ['only-for-tests-the-old-secret-0123456789', 'only-for-tests-the-next-secret-123456789']
  const before = aWorld({ APP_SECRET: old })
  for (const secrets of ['other.bm90aGluZw', await sealSecrets(before.env, { url: 'https://hooks.example/x' })]) {
    const { org_id } = await anOrg({ world: before })
    await sqlIn(before.env)`INSERT INTO alert_channels(org_id, channel, secrets)
      VALUES (${org_id}, 'slack', ${secrets})`
  }
  const during = aWorld({ APP_SECRET: next, APP_SECRET_PREVIOUS: old })
  await expect(resealAll(during.env, openDb(during.env))).rejects.toThrow(/1 secrets cannot be read/)
  const { env } = aWorld({ APP_SECRET: next })
  const stored = await sqlIn(env)<{ secrets: string }>`SELECT secrets FROM alert_channels
    WHERE secrets NOT LIKE 'other%'`
  expect(await Promise.all(stored.map(({ secrets }) => openSecrets(env, secrets)))).toEqual([
    { url: 'https://hooks.example/x' },
  ])
})

const trials = (env: Env, count: number, ends_at: string) =>
  sqlIn(env)`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO orgs(id, name, slug, created_at, trial_ends_at) SELECT 1000 + i, 'trial' || i, 'trial' || i, '2026-01-01T00:00:00Z', ${ends_at} FROM n`

test('the jobs of a night ask together for more than one invocation may, and each does its work', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const world = aWorld()
  const { env } = world
  for (const _ of [1, 2, 3]) await anOrg({ world })
  await trials(env, 200, stamp(plusSeconds(new Date(), 5 * 86_400)))
  await sqlIn(env)`INSERT INTO members(org_id, user_id, is_admin) SELECT o.id, u.id, 1 FROM orgs o, users u
    WHERE o.id > 1000`
  await sqlIn(env)`INSERT INTO inventories
      (org_id, id, name, format, components_count, unmatched_count, created_at, updated_at, revision, changes, removed_at)
     SELECT id, 1, 'gone', 'cyclonedx', 0, 0, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 1, 1, '2026-01-01T00:00:00Z' FROM orgs WHERE id > 1000`
  await world.tick(new Date(), '17 3 * * *')
  expect(await rows(env, "SELECT name, last_error FROM clock_jobs WHERE failed_at > ''")).toEqual([])
  expect(await rows(env, 'SELECT count(*) AS left FROM orgs WHERE id > 1000 AND trial_told IS NULL')).toEqual([
    { left: 0 },
  ])
  expect(await rows(env, 'SELECT count(*) AS left FROM inventories')).toEqual([{ left: 0 }])
})

test('jobs behind one that asks the database for much go on in an invocation of their own', async () => {
  const world = aWorld({ BACKUPS: bucket })
  for (let at = 0; at < 6; at++) await anOrg({ world })
  const night = new Date(`${stamp(plusSeconds(new Date(), 86_400)).slice(0, 10)}T02:00:00Z`)
  await onSchedule(world.env, '* * * * *', night)
  const jobs = world.waiting.flatMap(({ body }) => ('jobs' in body ? [body.jobs] : []))
  expect(jobs).toEqual([['night', 'objectives', 'census']])
  await world.tick(night)
  const counted = () => world.sql`SELECT last_success FROM clock_jobs WHERE name = 'census'`
  expect(await counted()).toEqual([{ last_success: stamp(night) }])
})

test('reports of organizations with very many readers are made in several turns, none of which fails', async () => {
  const { env, watching, save, change, firstDue, world } = await aReportScene()
  const failed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  for (let at = 0; at < 14; at++) {
    const org = await watching()
    await save(org, { enable_daily_email_report: true, reports_hour: 8 })
    const readers = Array.from({ length: 80 }, (_, reader) => `r${reader}@org${at}.example`)
    await sqlIn(env)`UPDATE alert_settings SET alerts_emails = ${JSON.stringify(readers)}
      WHERE org_id = ${org.org_id}`
    await sqlIn(env)`INSERT INTO alert_addresses(org_id, email, confirmed_at)
      SELECT ${org.org_id}, value, '2026-01-01T00:00:00Z' FROM json_each(${JSON.stringify(readers)})`
  }
  await change(1, { score: 60 })
  const due = await firstDue()
  for (let turn = 0; turn < 5; turn++) await createDueReports(env, openDb(env), () => due)
  expect(await rows(env, 'SELECT count(*) AS made FROM reports')).toEqual([{ made: 14 }])
  expect(failed).not.toHaveBeenCalled()
  expect(world.waiting.map(({ queue }) => queue)).toContain('earshot-deliveries')
})

test('a report that cannot be planned holds up no other', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { env, watching, save, change, firstDue } = await aReportScene()
  for (const _ of [1, 2, 3]) await save(await watching(), { enable_daily_email_report: true, reports_hour: 8 })
  await change(1, { score: 60 })
  await rows(env, "UPDATE deliveries SET status = 'held'")
  const due = await firstDue()
  let failures = 1
  const DB = new Proxy(env.DB, {
    get: (target, name) =>
      name === 'prepare'
        ? (sql: string) => {
            if (/^select .* from "deliveries" inner join "alerts"/.test(sql) && failures-- > 0)
              throw new Error('D1_ERROR: D1 DB is overloaded')
            return target.prepare(sql)
          }
        : Reflect.get(target, name).bind(target),
  })
  await createDueReports(env, openDb({ ...env, DB }), () => due).catch(() => undefined)
  expect(await rows(env, 'SELECT count(*) AS made FROM reports')).toEqual([{ made: 2 }])
})

test('very many decisions that end at once do so in steps, and old reports and history go in steps', async () => {
  const world = aWorld()
  const { env } = world
  const org = await anOrg({ world })
  const now = new Date()
  const decide = (scope: string, inventory_id: number) =>
    sqlIn(env)`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
       INSERT INTO decisions(vuln_id, org_id, scope, inventory_id, component_id, verdict, last_day, decided_at)
       SELECT i, ${org.org_id}, ${scope}, ${inventory_id}, ${inventory_id}, 'not_interesting', '2026-01-01', '2025-12-01T00:00:00Z' FROM n`
  await sqlIn(env)`INSERT INTO inventories
      (org_id, id, name, format, components_count, unmatched_count, created_at, updated_at, revision, changes)
     VALUES (${org.org_id}, 1, 'shop', 'cyclonedx', 0, 0, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 1, 1)`
  for (const [scope, inventory_id] of [
    ['vulnerability', 0],
    ['alerts', 0],
    ['component', 1],
  ] as const)
    await decide(scope, inventory_id)
  expect(await endDecisions(openDb(env), now)).toBe('more')
  const left = () => rows(env, 'SELECT scope, count(*) AS count FROM decisions WHERE ended_at IS NULL GROUP BY scope')
  expect(await left()).toEqual(['alerts', 'component', 'vulnerability'].map((scope) => ({ scope, count: 500 })))
  await world.tick(now, '17 3 * * *')
  expect(await left()).toEqual([])
  expect(await rows(env, 'SELECT count(*) AS count FROM decision_changes')).toEqual([{ count: 7_500 }])

  await sqlIn(env)`INSERT INTO decision_changes(org_id, vuln_id, scope, at) SELECT org_id, 1, 'alerts', at
    FROM decision_changes LIMIT 5000`
  await rows(env, "UPDATE decision_changes SET at = '2020-01-01T00:00:00Z' WHERE id <= 12400")
  expect(await pruneDecisionHistory(openDb(env), now)).toBe('done')
  const old = stamp(plusSeconds(now, -(reportDays + 2) * 86_400))
  await sqlIn(env)`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
     INSERT INTO reports(org_id, kind, period, ends_at, last_seq, facts) SELECT ${org.org_id}, 'daily', i, ${old}, 0, '{}' FROM n`
  expect(await pruneReports(openDb(env), now)).toBe('done')
  await world.tick(now, '17 3 * * *')
  expect(await rows(env, 'SELECT count(*) AS count FROM reports')).toEqual([{ count: 0 }])
  expect(await rows(env, 'SELECT count(*) AS count FROM decision_changes')).toEqual([{ count: 100 }])
})

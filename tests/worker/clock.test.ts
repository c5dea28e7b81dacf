import { sql } from 'drizzle-orm'
import { afterEach, expect, test, vi } from 'vitest'
import { eachApart, Unfinished } from '../../worker/db/apart'
import { openDb } from '../../worker/db/open'
import { claimDue, recordFailed, recordSent, recordUntried } from '../../worker/db/leases'
import { plusSeconds } from '../../worker/db/time'
import { alertDays } from '../../worker/alerts/proof/proofs'
import { onSchedule } from '../../worker/jobs'
import { mailAges } from '../../worker/mail/forget'
import { auditDays } from '../../worker/orgs/prune-audit'
import { getService } from '../../worker/objectives/contract'
import { listAudit } from '../../worker/orgs/contract'
import { inviteUsers } from '../../worker/orgs/members/contract'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'

afterEach(() => void vi.restoreAllMocks())
const daily = '17 3 * * *'
const daysAgo = (days: number) => `${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 19)}Z`
const ready = async (world: ReturnType<typeof aWorld>) => (await world.request('/readyz')).json()

test('a job of the clock that throws stops no other, and readiness says which is late', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const world = aWorld()
  await world.tick()
  expect(await ready(world)).toEqual({ status: 'ready', late: [] })
  await world.sql`ALTER TABLE feeds RENAME TO feeds_gone`
  await anOrg({ world })
  await world.sql`INSERT INTO mails("to", kind, subject, html, text, status, next_attempt_at, created_at)
     VALUES ('a@example.org', 'reset', 'Hello', 'x', 'x', 'pending', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')`
  await world.tick()
  await world.drain()
  expect(world.mails.map(({ subject }) => subject)).toEqual(['Hello'])
  const [job] = await world.sql<{ last_error: string }>`SELECT * FROM clock_jobs WHERE name = 'feeds'`
  expect(job?.last_error).toMatch(/no such table/)
  expect(job?.last_error).not.toMatch(/Failed query|params/)
  await world.sql`UPDATE clock_jobs SET last_success = '2026-01-01T00:00:00Z' WHERE name = 'feeds'`
  expect(await ready(world)).toEqual({ status: 'late', late: ['feeds'] })
  const { call } = await anOrg({ world, is_admin: true })
  await aMail(world, '2026-01-01T00:00:00Z')
  const service = await call(getService, {})
  expect(service).toMatchObject({ late: ['feeds'], orgs: { active: 2, off: 0 }, database_bytes: expect.any(Number) })
  expect(service.jobs.filter(({ is_late }) => is_late)).toMatchObject([
    { name: 'feeds', last_error: expect.stringContaining('no such table'), failed_at: expect.any(String) },
  ])
  expect(service.waiting.filter(({ count }) => count > 0)).toEqual([
    { name: 'mails', count: 1, count_is_exact: true, since: '2026-01-01T00:00:00Z' },
  ])
  await world.sql`ALTER TABLE feeds_gone RENAME TO feeds`
  await world.tick()
  expect(await ready(world)).toEqual({ status: 'ready', late: [] })
})

const jobsAsked = ({ waiting }: ReturnType<typeof aWorld>) =>
  waiting.splice(0).flatMap(({ body }) => ('jobs' in body ? body.jobs : []))

test('the end of snoozes is told once all decisions of the night have ended, also where these fail', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const world = aWorld()
  await onSchedule(world.env, daily, new Date())
  const asked = jobsAsked(world)
  expect(asked).toContain('decisions')
  expect(asked).not.toContain('snooze_ends')
  const end = () => world.deliver('earshot-jobs', { jobs: ['decisions'], at: new Date().toISOString() })
  await end()
  expect(jobsAsked(world)).toEqual(['snooze_ends'])
  await world.sql`ALTER TABLE decisions RENAME TO decisions_gone`
  await end()
  expect(jobsAsked(world)).toEqual(['snooze_ends'])
  await world.sql`ALTER TABLE decisions_gone RENAME TO decisions`
})

test('a job of the night whose message was lost is asked for again within an hour, and one that was given up says so', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const world = aWorld()
  await world.tick(new Date(), daily)
  const at = (minute: number) => new Date(`2030-01-02T05:${minute}:00Z`)
  const tell = async (minute: number) => {
    await onSchedule(world.env, '* * * * *', at(minute))
    return jobsAsked(world)
  }
  await world.sql`UPDATE clock_jobs SET last_success = '2030-01-02T03:18:00Z'`
  await world.sql`UPDATE clock_jobs SET last_success = '2030-01-01T03:18:00Z' WHERE name IN ('mails', 'seen')`
  await world.deliver('earshot-jobs-dead', { jobs: ['seen'], at: at(10).toISOString() })
  expect(await world.sql`SELECT name, last_error FROM clock_jobs WHERE failed_at > ''`).toEqual([
    { name: 'seen', last_error: 'Given up after all tries' },
  ])
  expect(await tell(46)).toEqual([])
  expect(await tell(47)).toEqual(['mails'])
})

test('an organization that fails takes their turn from no others, which a job goes on with', async () => {
  const db = openDb(aWorld().env)
  const orgs = [1, 2, 3, 4].map((org_id) => ({ org_id }))
  const work = (failing: number[]) =>
    eachApart(
      db,
      orgs,
      async ({ org_id }) => {
        await db.all(sql`SELECT 1`)
        if (failing.includes(org_id)) throw new Error('No')
      },
      db.meter.queries + 1,
    )
  await expect(work([1])).rejects.toBeInstanceOf(Unfinished)
  expect(await work([])).toBe('more')
  // Where nobody gets on, nobody would the next time.
  await expect(work([1, 2])).rejects.not.toBeInstanceOf(Unfinished)
})

test('messages that a queue gives up are written down', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const world = aWorld()
  await world.deliver('earshot-feeds-dead', { feed_id: 'kev', run_id: 1, step: 2 })
  expect(await world.sql`SELECT queue, body FROM dead_messages`).toEqual([
    { queue: 'earshot-feeds-dead', body: '{"feed_id":"kev","run_id":1,"step":2}' },
  ])
  expect(told).toHaveBeenCalledOnce()
  const { call } = await anOrg({ world, is_admin: true })
  expect((await call(getService, {})).dead).toMatchObject([{ queue: 'earshot-feeds-dead', at: expect.any(String) }])
})

const aMail = (world: ReturnType<typeof aWorld>, created_at: string, status = 'pending') =>
  world.sql`INSERT INTO mails("to", kind, subject, html, text, status, next_attempt_at, created_at)
     VALUES ('a@example.org', 'reset', 'Hello', 'x', 'x', ${status}, '2026-01-01T00:00:00Z', ${created_at})`

test('a mail is sent once when only the record of it fails', async () => {
  const world = aWorld()
  await aMail(world, daysAgo(0))
  let failures = 2
  const { DB } = world.env
  const env = {
    ...world.env,
    DB: new Proxy(DB, {
      get(target, name) {
        if (name !== 'prepare') return Reflect.get(target, name).bind(target)
        return (statement: string) => {
          if (/SET status = 'sent'/.test(statement) && failures-- > 0) throw new Error('D1_ERROR: overloaded')
          return target.prepare(statement)
        }
      },
    }),
  }
  const { onMessages } = await import('../../worker/jobs')
  await onMessages(env, 'earshot-deliveries', [])
  await onMessages(env, 'earshot-deliveries', [])
  expect(world.mails).toHaveLength(1)
  expect(await world.sql`SELECT status, attempts, text FROM mails`).toEqual([{ status: 'sent', attempts: 1, text: '' }])
})

test('a worker that dies again and again while it sends does not send for ever', async () => {
  const world = aWorld()
  await aMail(world, daysAgo(0))
  const db = openDb(world.env)
  let taken = 0
  for (let time = 0; time < 12; time++) {
    taken += (await claimDue(db, 'mails', sql`id`, new Date())).length
    await world.sql`UPDATE mails SET lease_until = '2026-01-01T00:00:00Z'`
  }
  expect(taken).toBe(10)
  expect(await world.sql`SELECT status, last_error FROM mails`).toEqual([
    { status: 'dead', last_error: 'The worker ended while it was sent' },
  ])
})

test('a mail that a worker had taken and did not send is taken by another after two minutes', async () => {
  const world = aWorld()
  await aMail(world, daysAgo(0))
  const [db, began] = [openDb(world.env), new Date()]
  const takenAfter = async (seconds: number) =>
    (await claimDue(db, 'mails', sql`id`, plusSeconds(began, seconds))).length
  expect([await takenAfter(0), await takenAfter(119), await takenAfter(121)]).toEqual([1, 0, 1])
  // The first one comes back: it leaves to the second what that took, and sent.
  const [mail] = await world.sql<{ id: number }>`SELECT id FROM mails`
  const ours = { id: mail?.id ?? 0, attempts: 1 }
  const isLeft = async (status: string) => {
    await recordUntried(db, 'mails', [ours])
    await recordFailed(db, 'mails', { ...ours, error: 'late' }, began)
    expect(await world.sql`SELECT status, attempts FROM mails`).toEqual([{ status, attempts: 2 }])
  }
  await isLeft('sending')
  await recordSent(db, 'mails', ours.id, began)
  await isLeft('sent')
})

test('behind a mail that takes long no other is begun under an old lease, and none loses a try', async () => {
  const world = aWorld()
  for (let made = 0; made < 3; made++) await aMail(world, daysAgo(0))
  const real = Date.now
  let late_ms = 0
  vi.spyOn(Date, 'now').mockImplementation(() => real() + late_ms)
  vi.spyOn(world.mails, 'push').mockImplementation(() => (late_ms += 21_000))
  await world.deliver('earshot-deliveries', { reason: 'due' })
  // It looks for mails twice, and sends one each time.
  expect(await world.sql`SELECT status, attempts FROM mails ORDER BY attempts DESC`).toEqual([
    { status: 'sent', attempts: 1 },
    { status: 'sent', attempts: 1 },
    { status: 'pending', attempts: 0 },
  ])
})

test('outdated rows go at their written age, and no day before', async () => {
  const world = aWorld()
  const { user_id, org_id } = await anOrg({ world })
  const insert = (statement: string, ...values: unknown[]) => rows(world.env, statement, ...values)
  for (const days of [mailAges.text_days - 1, mailAges.text_days + 1, mailAges.row_days + 1])
    await aMail(world, daysAgo(days), 'dead')
  await insert("INSERT INTO vulns(id, state, summary, created_at, updated_at) VALUES (1, 'published', '', 0, 0)")
  for (const [at, days] of [alertDays - 1, alertDays + 1].entries()) {
    await insert(
      "INSERT INTO vuln_changes(seq, vuln_id, at, kind, source, detail) VALUES (?1, 1, ?2, 'new', 'nvd', '[]')",
      at + 1,
      daysAgo(0),
    )
    await insert(
      "INSERT INTO alerts(id, org_id, vuln_id, change_seq, last_seq, rule, fired, created_at, updated_at) VALUES (?1, ?2, 1, ?1, ?1, 'new', 1, ?3, ?3)",
      at + 1,
      org_id,
      daysAgo(days),
    )
    await insert(
      "INSERT INTO deliveries(org_id, alert_id, channel, target, rule, status, next_attempt_at) VALUES (?1, ?2, 'email', '', 'new', 'sent', '')",
      org_id,
      at + 1,
    )
  }
  const [session] = await world.sql<{ id: number }>`SELECT id FROM sessions WHERE user_id = ${user_id}`
  for (const days of [6, 8])
    await insert("INSERT INTO refresh_tokens VALUES (?1, ?2, '', ?3)", `used ${days}`, session?.id, daysAgo(days))

  await insert("INSERT INTO feeds(id, state, next_run_at, run_id) VALUES ('kev', 'idle', '2099-01-01T00:00:00Z', 1)")
  for (const [changed, days] of [
    [0, 9],
    [0, 4],
    [0, 2],
    [1, 89],
    [1, 91],
  ])
    await insert(
      "INSERT INTO feed_runs(feed_id, started_at, finished_at, changed) VALUES ('kev', ?1, ?1, ?2)",
      daysAgo(days ?? 0),
      changed,
    )

  await world.tick(new Date(), daily)
  // The newest run of a feed stays, however empty and old it is.
  expect(await world.sql`SELECT id FROM feed_runs`).toEqual([{ id: 1 }, { id: 3 }, { id: 4 }])
  expect(await world.sql`SELECT text FROM mails ORDER BY id`).toEqual([{ text: 'x' }, { text: '' }])
  expect(await world.sql`SELECT id FROM alerts`).toEqual([{ id: 1 }])
  expect(await world.sql`SELECT alert_id FROM deliveries`).toEqual([{ alert_id: 1 }])
  expect(await world.sql`SELECT token_hash FROM refresh_tokens WHERE used_at IS NOT NULL`).toEqual([
    { token_hash: 'used 6' },
  ])
  expect(await ready(world)).toEqual({ status: 'ready', late: [] })
})

test('an audit log is pruned from its beginning, and the chain of what is left holds', async () => {
  const { world, org_id, call } = await anOrg({ is_org_admin: true })
  const invite = (name: string) => call(inviteUsers, { params: { org_id }, body: { emails: `${name}@example.org` } })
  await invite('a')
  await invite('b')
  await invite('c')
  await world.tick(new Date(Date.now() + (auditDays - 1) * 86_400_000), daily)
  expect((await call(listAudit)).count).toBe(3)
  await world.tick(new Date(Date.now() + (auditDays + 1) * 86_400_000), daily)
  expect(await call(listAudit)).toMatchObject({ count: 0, is_intact: true })
  await invite('d')
  expect(await call(listAudit)).toMatchObject({ count: 1, is_intact: true })
  await world.sql`DELETE FROM audit_log`
  expect((await call(listAudit)).is_intact).toBe(false)
})

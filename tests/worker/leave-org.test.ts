import { expect, test } from 'vitest'
import { deleteAccount } from '../../worker/account/contract'
import { openDb } from '../../worker/db/open'
import { plusSeconds } from '../../worker/db/time'
import { listFindings } from '../../worker/inventories/finding-contract'
import { listInventories, removeInventory } from '../../worker/inventories/contract'
import { getOrgInfo, setTrial } from '../../worker/orgs/contract'
import { removeLeft, tellTrials } from '../../worker/orgs/leaving/clock'
import { leaveOrg, restoreOrg } from '../../worker/orgs/leaving/contract'
import { removeMember } from '../../worker/orgs/members/contract'
import { sendVuln } from '../../worker/triage/contract'
import { createView } from '../../worker/views/contract'
import { beforeWriting } from './support/before-writing'
import { aKnownWorld } from './support/known-world'
import { aVulnerablePackage, send } from './support/inventory-scene'
import { aMember } from './support/member'
import { anOrg, rows } from './support/org'
import { aVictim, listTables, signedInAs } from './support/victim'
import { aWorld, type World } from './support/world'

const day = 86_400
const daily = '17 3 * * *'
const now = new Date()
const inDays = (days: number) => plusSeconds(now, days * day)

type Org = Awaited<ReturnType<typeof anOrg>>
const setProof = ({ world, user_id }: Org, at: Date) =>
  world.sql`UPDATE sessions SET proved_at = ${`${at.toISOString().slice(0, 19)}Z`} WHERE user_id = ${user_id}`
const putOnTrial = ({ world, org_id }: Org, ends: Date) =>
  world.sql`UPDATE orgs SET trial_ends_at = ${`${ends.toISOString().slice(0, 19)}Z`} WHERE id = ${org_id}`
const findName = async ({ world, org_id }: Org) =>
  (await world.sql<{ name: string }>`SELECT name FROM orgs WHERE id = ${org_id}`)[0]?.name ?? ''
const refusal = async (answer: Promise<Response>) => {
  const response = await answer
  const { code, message } = (await response.json()) as { code: string; message: string }
  return [response.status, code, message]
}

test('after the trial whatever is there can be read, exported and removed', async () => {
  const org = await anOrg({ is_org_admin: true })
  const one = await aVulnerablePackage(org.world)
  await send(org, 'shop', [one.purl('2.0')])
  await putOnTrial(org, inDays(-1))
  expect((await org.call(listFindings, { params: { name: 'shop' } })).count).toBe(1)
  expect((await org.answer(createView, { body: { name: 'x', query: '' } })).status).toBe(403)
  await org.call(removeInventory, { params: { name: 'shop' } })
  expect((await org.call(listInventories)).count).toBe(0)
})

test('a sole admin leaves with the organization: asked twice, 14 days to come back, and then nothing is left', async () => {
  const world = aWorld()
  const org = await anOrg({ world, is_org_admin: true })
  await putOnTrial(org, inDays(-2))
  const name = await findName(org)
  await setProof(org, inDays(-1))
  expect((await refusal(org.answer(deleteAccount, { body: {} })))[1]).toBe('password_needed')
  expect((await refusal(org.answer(leaveOrg, { body: { name } })))[1]).toBe('password_needed')
  await setProof(org, new Date())
  expect((await refusal(org.answer(deleteAccount, { body: {} })))[1]).toBe('sole_admin')
  expect(await refusal(org.answer(leaveOrg, { body: { name: 'another' } }))).toEqual([
    400,
    'invalid',
    expect.stringContaining(name),
  ])
  const { removal_at } = await org.call(leaveOrg, { body: { name, with_account: true } })
  expect(removal_at.slice(0, 10)).toBe(inDays(14).toISOString().slice(0, 10))
  await world.drain()
  expect(world.mails.filter(({ subject }) => subject.includes('is removed on'))).toHaveLength(1)
  expect(await org.call(getOrgInfo)).toMatchObject({ removal_at, is_read_only: true })
  expect((await refusal(org.answer(leaveOrg, { body: { name } })))[1]).toBe('leaving')

  await world.tick(inDays(13))
  await org.call(restoreOrg)
  await world.tick(inDays(15))
  expect(await org.call(getOrgInfo)).toMatchObject({ removal_at: null })

  await setProof(org, new Date())
  await org.call(leaveOrg, { body: { name, with_account: true } })
  await world.tick(inDays(15))
  expect(await world.sql`SELECT 1 FROM orgs WHERE id = ${org.org_id}`).toEqual([])
  expect(await world.sql`SELECT 1 FROM users WHERE id = ${org.user_id}`).toEqual([])
})

test('an organization that is not on trial comes back as it was, and a plain member removes nothing', async () => {
  const org = await anOrg({ is_org_admin: true })
  const member = await aMember(org.world, org.org_id)
  const name = await findName(org)
  expect((await member.answer(leaveOrg, { body: { name } })).status).toBe(403)
  await setProof(org, new Date())
  await org.call(leaveOrg, { body: { name } })
  expect((await member.answer(createView, { body: { name: 'x', query: '' } })).status).toBe(403)
  expect((await member.answer(restoreOrg)).status).toBe(403)
  await org.call(restoreOrg)
  expect(await org.call(getOrgInfo)).toMatchObject({ trial_ends_at: null, is_read_only: false })
  expect((await member.answer(createView, { body: { name: 'x', query: '' } })).status).toBe(201)
  expect((await refusal(org.answer(restoreOrg)))[1]).toBe('kept')
})

/** The people stay, and are called by the word. */
const ofPeople = ['users', 'passkeys', 'recovery_codes']

/** All rows of all tables. */
async function dump(world: World) {
  const tables = await world.sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
  const parts = []
  for (const { name } of tables.filter((table) => !/^(_cf|sqlite_)/.test(table.name)))
    parts.push([name, JSON.stringify(await rows(world.env, `SELECT * FROM "${name}"`)).toLowerCase()] as const)
  return parts
}

test('of an organization that had something everywhere no row is left, and no word', async () => {
  const world = await aKnownWorld()
  const [victim, other] = [await aVictim(world), await aVictim(world)]
  const before = await other.fingerprint()
  await world.sql`INSERT INTO mails(org_id, "to", kind, subject, html, text, status, next_attempt_at, created_at)
     SELECT ${victim.org_id}, lower(email), 'x', ${victim.name}, ${victim.name}, ${victim.name}, 'pending', '2099', '2026' FROM users WHERE id = ${victim.boss.user_id}
     UNION ALL SELECT ${victim.org_id}, ${victim.name} || '@example.org', 'x', '', '', '', 'sent', '2099', '2026'`
  for (const key of [`paid 2026-01-01T00 of ${victim.org_id}`, `alert test of ${victim.org_id} email`])
    await world.sql`INSERT INTO mail_allowances VALUES (${key}, '', 1, '')`
  const { orgTables } = await listTables(world)
  expect(orgTables.length).toBeGreaterThan(40)
  await world.sql`UPDATE orgs SET removal_at = '2026-01-01T00:00:00Z' WHERE id = ${victim.org_id}`
  await removeLeft(world.env, openDb(world.env), now)
  const left = []
  for (const table of orgTables)
    if ((await rows(world.env, `SELECT 1 FROM ${table} WHERE org_id = ?1`, victim.org_id)).length) left.push(table)
  expect(left).toEqual([])
  const word = victim.name.toLowerCase()
  const holds = (text: string) => text.replaceAll(other.name.toLowerCase(), '').includes(word)
  expect(
    (await dump(world)).flatMap(([table, text]) => (holds(text) && !ofPeople.includes(table) ? table : [])),
  ).toEqual([])
  expect(await world.sql`SELECT key FROM mail_allowances WHERE key LIKE ${`% of ${victim.org_id}%`}`).toEqual([])
  expect(await other.fingerprint()).toBe(before)
  expect(await signedInAs(world, other.boss)).toContain('JWT')
})

test('with an organization go its mails alone: others to the same people stay, and so do those of accounts', async () => {
  const world = aWorld()
  const [org, other] = [await anOrg({ world, is_org_admin: true }), await anOrg({ world })]
  // They list whom they want.
  await world.sql`INSERT INTO alert_addresses VALUES (${org.org_id}, ${other.email}, '')`
  const insert = (org_id: number | null, to: string, status: string) =>
    world.sql`INSERT INTO mails(org_id, "to", kind, subject, html, text, status, next_attempt_at, created_at)
       VALUES (${org_id}, ${to}, 'report_daily', 'x', 'x', 'x', ${status}, '2099', ${now.toISOString()})`
  for (const status of ['pending', 'sent', 'dead'])
    for (const to of [other.email, 'stranger@elsewhere.test'])
      for (const org_id of [org.org_id, other.org_id, null]) await insert(org_id, to, status)
  await world.sql`UPDATE orgs SET removal_at = '2026-01-01T00:00:00Z' WHERE id = ${org.org_id}`
  await removeLeft(world.env, openDb(world.env), now)
  await world.tick(now, daily)
  const counted = await world.sql`SELECT org_id, "to", text, count(*) AS n FROM mails GROUP BY 1, 2, 3`
  const kept = (org_id: number | null) =>
    [other.email, 'stranger@elsewhere.test'].map((to) => ({ org_id, to, text: 'x', n: 3 }))
  expect(new Set(counted)).toEqual(
    new Set([{ org_id: null, to: '', text: '', n: 2 }, ...kept(null), ...kept(other.org_id)]),
  )
  const forgotten = await world.sql`SELECT status, subject FROM mails WHERE "to" = '' ORDER BY id`
  expect(forgotten).toEqual(['sent', 'dead'].map((status) => ({ status, subject: '' })))
})

test('no mail of an organization leaves once it is gone, whoever it is to', async () => {
  const world = await aKnownWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const member = await aMember(world, org.org_id)
  await org.call(sendVuln, { params: { id: 1 }, body: { emails: ['stranger@elsewhere.test', member.email] } })
  await org.call(removeMember, { params: { org_id: org.org_id, user_id: member.user_id } })
  await world.sql`UPDATE orgs SET removal_at = '2026-01-01T00:00:00Z' WHERE id = ${org.org_id}`
  await removeLeft(world.env, openDb(world.env), now)
  expect(await world.sql`SELECT "to" FROM mails WHERE org_id = ${org.org_id}`).toEqual([])
})

test('a wish to keep an organization while its rows go comes too late', async () => {
  const world = aWorld()
  const [org, root] = [await anOrg({ world, is_org_admin: true }), await anOrg({ world, is_admin: true })]
  await world.sql`UPDATE orgs SET removal_at = '2026-01-01T00:00:00Z' WHERE id = ${org.org_id}`
  const db = openDb(world.env)
  const run = db.run.bind(db)
  const statuses = new Set<number>()
  const keep = async () => {
    statuses.add((await org.answer(restoreOrg)).status)
    statuses.add((await root.answer(setTrial, { params: { id: org.org_id }, body: { days: 10 } })).status)
  }
  db.run = ((query) => keep().then(() => run(query))) as typeof db.run
  await putOnTrial(org, inDays(1))
  await removeLeft(world.env, db, now)
  expect(statuses).toEqual(new Set([401, 409]))
  expect(await world.sql`SELECT 1 FROM orgs WHERE id = ${org.org_id}`).toEqual([])
})

test('a trial is announced a week, a day and at its end before it is removed, each once, and an extension ends that', async () => {
  const world = aWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const root = await anOrg({ world, is_admin: true })
  await putOnTrial(org, inDays(14))
  const told = async (days: number) => {
    const [last] = await world.sql<{ id: number | null }>`SELECT max(id) AS id FROM mails`
    await world.tick(inDays(days), daily)
    await world.tick(inDays(days), daily)
    await world.tick(inDays(days))
    const mails = await world.sql<{
      subject: string
    }>`SELECT subject FROM mails WHERE id > ${last?.id ?? 0} AND "to" = ${org.email.toLowerCase()}`
    return mails.map(({ subject }) => subject)
  }
  expect(await told(6)).toEqual([])
  expect(await told(8)).toEqual([expect.stringContaining('ends on')])
  expect(await told(9)).toEqual([])
  expect(await told(13.5)).toEqual([expect.stringContaining('within a day')])
  expect(await told(15)).toEqual([expect.stringContaining('is over')])
  expect(await told(59)).toEqual([])
  expect(await told(60.5)).toEqual([expect.stringContaining('is removed on')])
  await root.call(setTrial, { params: { id: org.org_id }, body: { days: 100 } })
  expect(await told(75)).toEqual([])
  expect(await world.sql`SELECT 1 FROM orgs WHERE id = ${org.org_id}`).toHaveLength(1)
  await putOnTrial(org, inDays(20))
  expect(await told(70)).toHaveLength(1)
  expect(await told(83)).toEqual([])
  await world.tick(inDays(85))
  expect(await world.sql`SELECT 1 FROM orgs WHERE id = ${org.org_id}`).toEqual([])
})

test('a trial that is converted while its removal is announced is not removed, and nobody is told so', async () => {
  const world = aWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const root = await anOrg({ world, is_admin: true })
  await putOnTrial(org, inDays(-61))
  const convert = () => root.call(setTrial, { params: { id: org.org_id }, body: { convert: true } })
  const DB = beforeWriting(world.env.DB, 'trial_told', convert)
  await tellTrials(world.env, openDb({ ...world.env, DB }), now)
  const [found] = await world.sql`SELECT trial_ends_at, removal_at FROM orgs WHERE id = ${org.org_id}`
  expect(found).toEqual({ trial_ends_at: null, removal_at: null })
  expect(await world.sql`SELECT 1 FROM mails WHERE "to" = ${org.email.toLowerCase()}`).toEqual([])
})

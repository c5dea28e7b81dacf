import { env as bindings } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { deleteAccount } from '../../worker/account/contract'
import { listBackups, restoreBackup } from '../../worker/backups/contract'
import { backUpOrgs } from '../../worker/backups/save'
import { doors, listKeptTables } from '../../worker/backups/tables'
import { openDb } from '../../worker/db/open'
import { plusSeconds, stamp } from '../../worker/db/time'
import type { Env } from '../../worker/env'
import { removeOrg } from '../../worker/orgs/contract'
import { addComment } from '../../worker/triage/contract'
import { createView, listViews, removeView } from '../../worker/views/contract'
import { toggleVuln } from '../../worker/vulns/contract'
import { aScene, findDeliveries, makeDue, point } from './support/alerting'
import { aKnownWorld } from './support/known-world'
import { aMember } from './support/member'
import { anOrg, rows, sqlIn } from './support/org'
import { aVictim, listTables } from './support/victim'
import { aWorld, type World } from './support/world'

const { BACKUPS: bucket } = bindings as unknown as { BACKUPS: R2Bucket }

const now = new Date()
const withBackups = { BACKUPS: bucket } as Partial<Env>

/** Two in the morning, some nights ahead. */
const night = (days: number) => new Date(`${stamp(plusSeconds(now, days * 86_400)).slice(0, 10)}T02:00:00Z`)
const soon = stamp(plusSeconds(now, 40 * 86_400))
const anAdmin = (world: World) => anOrg({ world, is_admin: true })
const listKeys = async () => (await bucket.list({ limit: 1000 })).objects.map(({ key }) => key)

/** Everything of an organization that a backup holds, table by table. */
/** A table without numbers of its own comes back in the order of its key. */
const inOrder = (found: unknown[]) => found.map((row) => JSON.stringify(row)).toSorted()

async function readAll(world: World, org_id: number) {
  const { env } = world
  const { orgTables } = await listTables(world)
  const found = new Map<string, unknown[]>()
  for (const table of orgTables.filter((name) => !doors.includes(name) && name !== 'alert_waits'))
    found.set(table, inOrder(await rows(env, `SELECT * FROM ${table} WHERE org_id = ?1`, org_id)))
  found.set('orgs', await rows(env, 'SELECT * FROM orgs WHERE id = ?1', org_id))
  const ofPeople = 'IN (SELECT user_id FROM members WHERE org_id = ?1)'
  found.set('users', await rows(env, `SELECT * FROM users WHERE id ${ofPeople}`, org_id))
  found.set('passkeys', await rows(env, `SELECT * FROM passkeys WHERE user_id ${ofPeople}`, org_id))
  found.set('search', await rows(env, "SELECT rowid FROM own_vulns_fts WHERE owner = 'org' || ?1", org_id))
  return found
}

/** As an accident does it, which nobody wrote down. */
async function lose(world: World, ...org_ids: number[]) {
  const { env } = world
  const people = await sqlIn(env)<{ user_id: number }>`SELECT user_id FROM members WHERE org_id IN (SELECT value
    FROM json_each(${JSON.stringify(org_ids)}))`
  await rows(env, 'DELETE FROM orgs WHERE id IN (SELECT value FROM json_each(?1))', JSON.stringify(org_ids))
  const { orgTables } = await listTables(world)
  await rows(env, 'DELETE FROM own_vulns_fts')
  for (const table of orgTables)
    await rows(env, `DELETE FROM ${table} WHERE org_id IN (SELECT value FROM json_each(?1))`, JSON.stringify(org_ids))
  for (const { user_id } of people) await rows(env, 'DELETE FROM users WHERE id = ?1', user_id)
}

test('an organization that was lost comes back to the byte, whatever it had', async () => {
  const world = await aKnownWorld(withBackups)
  const [victim, other] = [await aVictim(world), await aVictim(world)]
  await world.tick(night(1))
  const before = await readAll(world, victim.org_id)
  expect([...before].filter(([, found]) => found.length).length).toBeGreaterThan(45)
  const neighbour = await other.fingerprint()

  await lose(world, victim.org_id)
  const root = await anAdmin(world)
  expect((await root.call(listBackups)).org_ids).toEqual(expect.arrayContaining([victim.org_id, other.org_id]))
  await root.call(restoreBackup, { params: { org_id: victim.org_id }, body: { at: soon } })
  // The log goes on by one entry, which tells of it.
  await world.sql`DELETE FROM audit_log WHERE action = 'org.recover'`
  for (const [table, found] of await readAll(world, victim.org_id))
    if (table !== 'audit_heads') expect([table, found]).toEqual([table, before.get(table)])
  expect(await other.fingerprint()).toBe(neighbour)
})

test('an organization that came back by half comes back whole', async () => {
  const world = await aKnownWorld(withBackups)
  const victim = await aVictim(world)
  const root = await anAdmin(world)
  await world.tick(night(1))
  const before = await readAll(world, victim.org_id)
  await lose(world, victim.org_id)
  const restore = () => root.answer(restoreBackup, { params: { org_id: victim.org_id }, body: { at: soon } })
  await world.sql`CREATE TRIGGER dies BEFORE INSERT ON members BEGIN SELECT json_extract('{}', 'killed'); END`
  expect((await restore()).status).toBe(500)
  await world.sql`DROP TRIGGER dies`
  expect(await world.sql`SELECT is_active FROM orgs WHERE id = ${victim.org_id}`).toEqual([{ is_active: 0 }])
  await world.tick(night(2))
  expect((await restore()).status).toBe(200)
  const after = await readAll(world, victim.org_id)
  for (const table of ['orgs', 'users', 'members', 'alert_feeds'])
    expect([table, after.get(table)]).toEqual([table, before.get(table)])
  expect((await listKeys()).filter((key) => key.startsWith('coming/'))).toEqual([])
})

test('alerts of organizations that come back go on, each once', async () => {
  const scene = await aScene(withBackups)
  const { world } = scene
  try {
    const both = [await scene.watching(), await scene.watching()]
    const root = await anAdmin(world)
    for (const org of both) await point(scene, org, 'slack')
    await scene.modify(['CVE-2026-20001'])
    const sent = async () => (await findDeliveries(world)).map(({ org_id, status }) => `${org_id} ${status}`).toSorted()
    const times = (count: number) =>
      both.flatMap(({ org_id }) => Array(count).fill(`${org_id} sent`) as string[]).toSorted()
    expect(await sent()).toEqual(times(1))
    await scene.later((night(1).getTime() - scene.now().getTime()) / 60_000)
    await lose(world, ...both.map(({ org_id }) => org_id))
    await scene.modify(['CVE-2026-20002'])
    expect(await sent()).toEqual([])

    const restore = async ({ org_id }: { org_id: number }) =>
      (await root.call(restoreBackup, { params: { org_id }, body: { at: soon } })).restored
    for (const org of both) expect(await restore(org)).toBeGreaterThan(5)
    await scene.later(15)
    // Queues have the clock of the machine.
    await makeDue(world)
    await scene.later(15)
    expect(await sent()).toEqual(times(2))
    expect(await scene.box.taken('slack')).toHaveLength(4)
    for (const org of both) expect(await restore(org)).toBe(0)
  } finally {
    scene.origins.restore()
  }
})

test('an item taken off the list while its organization is saved leaves nothing monitored when all comes back', async () => {
  const world = await aKnownWorld(withBackups)
  const org = await anOrg({ world })
  const watch = (id: number, monitored: boolean) => org.call(toggleVuln, { params: { id }, body: { monitored } })
  for (const id of [1, 2]) await watch(id, true)
  let isAwaited = true
  const { DB } = world.env
  const prepare = (text: string) => ({
    bind: (...values: unknown[]) => {
      const statement = DB.prepare(text).bind(...values)
      if (!isAwaited || !text.includes('FROM "monitored_vulns"')) return statement
      isAwaited = false
      return { all: async () => (await watch(1, false), statement.all()) }
    },
  })
  const watched = { prepare, batch: DB.batch.bind(DB) } as unknown as D1Database
  const at = night(1)
  await backUpOrgs({ ...world.env, DB: watched }, openDb({ ...world.env, DB: watched }), at)
  const ids = (table: string) => rows(world.env, `SELECT vuln_id FROM ${table} WHERE org_id = ?1`, org.org_id)
  expect([isAwaited, await ids('org_vulns')]).toEqual([false, [{ vuln_id: 2 }]])

  await lose(world, org.org_id)
  const root = await anAdmin(world)
  await root.call(restoreBackup, { params: { org_id: org.org_id }, body: { at: soon } })
  expect([await ids('monitored_vulns'), await ids('org_vulns')]).toEqual([[{ vuln_id: 2 }], [{ vuln_id: 2 }]])
})

test('rows removed for good are in no backup the next night, and come back from none', async () => {
  const world = aWorld(withBackups)
  const [gone, other] = [await anOrg({ world }), await anOrg({ world })]
  const root = await anAdmin(world)
  await world.tick(night(1))
  const ofGone = async () => (await listKeys()).filter((key) => key.startsWith(`orgs/${gone.org_id}/`))
  expect(await ofGone()).not.toEqual([])
  await root.call(removeOrg, { params: { id: gone.org_id } })
  const restore = (org_id: number, at = soon) => root.answer(restoreBackup, { params: { org_id }, body: { at } })
  expect(await (await restore(gone.org_id)).json()).toMatchObject({ code: 'removed' })
  await world.tick(night(2))
  expect(await ofGone()).toEqual([])
  // Even when the log was lost, too.
  await world.sql`DELETE FROM audit_log`
  expect(await (await restore(gone.org_id)).json()).toMatchObject({ code: 'removed' })
  expect((await restore(other.org_id)).status).toBe(200)
  expect(await world.sql`SELECT 1 FROM orgs WHERE id = ${gone.org_id}`).toEqual([])
  expect((await restore(other.org_id, '2020-01-01')).status).toBe(404)
  expect((await restore(999_999)).status).toBe(404)
})

test('of an organization that is there what is missing comes back, and nobody who left', async () => {
  const world = aWorld(withBackups)
  const org = await anOrg({ world, is_org_admin: true })
  const member = await aMember(world, org.org_id)
  const view = await org.call(createView, { body: { name: 'kept', query: 'q=kev' } })
  const changed = await org.call(createView, { body: { name: 'before', query: 'q=kev' } })
  await world.tick(night(1))
  await org.call(removeView, { params: { id: view.id } })
  await world.sql`UPDATE saved_views SET name = 'after' WHERE id = ${changed.id}`
  await world.sql`DELETE FROM members WHERE user_id = ${member.user_id}`
  const root = await anAdmin(world)
  const { restored } = await root.call(restoreBackup, { params: { org_id: org.org_id }, body: { at: soon } })
  expect(restored).toBe(1)
  expect((await org.call(listViews)).map(({ name }) => name).toSorted()).toEqual(['after', 'kept'])
  expect(await world.sql`SELECT 1 FROM members WHERE user_id = ${member.user_id}`).toEqual([])
})

test('a user who deleted the account since comes back with no organization, even when every trace of it was lost', async () => {
  const world = await aKnownWorld(withBackups)
  const org = await anOrg({ world, is_org_admin: true })
  const [leaving, staying] = [await aMember(world, org.org_id), await aMember(world, org.org_id)]
  const root = await anAdmin(world)
  await leaving.call(addComment, { params: { id: 1 }, body: { body: 'Mind this' } })
  for (const { email } of [leaving, staying])
    await world.sql`INSERT INTO alert_addresses VALUES (${org.org_id}, ${email}, '2026-01-01T00:00:00Z')`
  await world.tick(night(1))
  const restore = () => root.call(restoreBackup, { params: { org_id: org.org_id }, body: { at: stamp(night(1)) } })
  const expectOneLeft = async () => {
    const found =
      await world.sql`SELECT (SELECT count(*) FROM users WHERE id = ${leaving.user_id}) AS gone, (SELECT count(*) FROM users WHERE id = ${staying.user_id}) AS there,
        (SELECT group_concat(email) FROM alert_addresses WHERE org_id = ${org.org_id}) AS addresses,
        (SELECT count(*) FROM members WHERE org_id = ${org.org_id}) AS members, (SELECT json_group_array(user_id) FROM comments) AS authors`
    expect(found).toEqual([{ gone: 0, there: 1, addresses: staying.email, members: 2, authors: '[null]' }])
  }
  await leaving.call(deleteAccount, { body: {} })
  await restore()
  await expectOneLeft()
  await lose(world, org.org_id)
  await restore()
  await expectOneLeft()
  await world.tick(night(2))
  await lose(world, org.org_id)
  await world.sql`DELETE FROM left_users`
  await restore()
  await expectOneLeft()
  // No backup is older than what tells of them.
  await world.tick(night(40))
  expect((await listKeys()).filter((key) => key.startsWith('left/'))).toEqual([`left/${stamp(night(40)).slice(0, 10)}`])
})

test('a backup shows nothing of what it holds, stands in one place, and goes after thirty days', async () => {
  const world = await aKnownWorld(withBackups)
  const victim = await aVictim(world)
  const other = await anOrg({ world })
  await world.tick(night(1))
  const keys = await listKeys()
  for (const key of keys) expect(await (await bucket.get(key))?.text()).not.toContain(victim.name)
  const [theirs, ours] = [victim.org_id, other.org_id].map((id) =>
    keys.find((key) => key.startsWith(`orgs/${id}/`) && key.endsWith('/0')),
  )
  await bucket.put(ours ?? '', (await (await bucket.get(theirs ?? ''))?.text()) ?? '')
  const root = await anAdmin(world)
  const answer = await root.answer(restoreBackup, { params: { org_id: other.org_id }, body: { at: soon } })
  expect(await answer.json()).toMatchObject({ code: 'unreadable' })
  await world.tick(night(40))
  const days = (await listKeys())
    .filter((key) => key.startsWith(`orgs/${other.org_id}/`))
    .map((key) => key.split('/')[2])
  expect([...new Set(days)]).toEqual([stamp(night(40)).slice(0, 10)])
})

test('each table with an organization is in the backup, or opens a door', async () => {
  const { orgTables } = await listTables(aWorld())
  const kept = listKeptTables().map(({ name }) => name)
  expect(orgTables.filter((name) => !kept.includes(name)).toSorted()).toEqual(doors.toSorted())
})

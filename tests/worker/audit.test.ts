import { expect, test } from 'vitest'
import { setOrg } from '../../worker/auth/contract'
import { stamp } from '../../worker/db/time'
import {
  demoteMember,
  disableMember,
  enableMember,
  inviteUsers,
  promoteMember,
  updateUser,
} from '../../worker/orgs/members/contract'
import { addVuln } from '../../worker/editing/contract'
import { runSync } from '../../worker/feeds/contract'
import { createOrg, disableOrg, enableOrg, listAudit, removeOrg } from '../../worker/orgs/contract'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { aMember, tokenMailedTo } from './support/member'
import { anOrg, rows, session } from './support/org'
import { anAuthenticator } from './support/authenticator'
import { obtain, post } from './support/sign-in'
import { aWorld } from './support/world'
import { createToken } from '../../worker/account/access-contract'
import { addPasskey, passkeyOptions, removePasskey } from '../../worker/account/passkeys-contract'

/** An organization whose admin has promoted, demoted, disabled and enabled a member: four entries. */
async function aLog() {
  const org = await anOrg({ is_org_admin: true })
  const member = await aMember(org.world, org.org_id)
  for (const contract of [promoteMember, demoteMember, disableMember, enableMember])
    await org.call(contract, { params: { org_id: org.org_id, user_id: member.user_id } })
  return { ...org, member }
}

test('the log tells who did what to whom, when and from where, newest first', async () => {
  const { world, access, org_id, username, member, call } = await aLog()
  const before = stamp(new Date())
  await world.request(`/users/${org_id}/adduser`, {
    method: 'POST',
    headers: { authorization: `JWT ${access}`, 'cf-connecting-ip': '203.0.113.7' },
    body: new URLSearchParams({ emails: 'x@example.org' }),
  })
  const { results, count, is_intact } = await call(listAudit)
  expect([count, is_intact]).toEqual([5, true])
  expect(results[0]).toMatchObject({
    seq: 5,
    actor: username,
    action: 'member.invite',
    target: 'x@example.org',
    ip: '203.0.113.7',
    detail: '{}',
  })
  expect((results[0]?.at ?? '') >= before).toBe(true)
  expect(results.slice(1).map(({ action, target }) => [action, target])).toEqual(
    ['enable', 'disable', 'demote', 'promote'].map((verb) => [`member.${verb}`, member.username]),
  )
})

test('the log is filtered by action, actor and time, paged and sorted', async () => {
  const { world, call, org_id, member, username } = await aLog()
  const root = await aMember(world, org_id, { is_admin: true })
  await root.call(updateUser, { params: { id: member.user_id }, body: { manage_metadata: true } })
  await world.sql`UPDATE audit_log SET at = '2026-03-04T05:06:07Z' WHERE seq <= 2`
  const seqs = async (query: Record<string, string | number>) =>
    (await call(listAudit, { query: query as { action: string } })).results.map(({ seq }) => seq)
  expect(await seqs({ action: 'member.' })).toEqual([4, 3, 2, 1])
  expect(await seqs({ action: 'member.d', sorted_by: 'seq' })).toEqual([2, 3])
  expect(await seqs({ action: '%' })).toEqual([])
  expect(await seqs({ actor: root.username.toUpperCase() })).toEqual([5])
  expect(await seqs({ actor: username, limit: 2, page: 2 })).toEqual([2, 1])
  expect(await seqs({ at__lte: '2026-03-04' })).toEqual([2, 1])
  expect(await seqs({ at__lte: '2026-03-04T05:06' })).toEqual([2, 1])
  expect(await seqs({ at__lte: '2026-03-04T05:05:59Z' })).toEqual([])
  expect(await seqs({ at__gte: '2026-03-05' })).toEqual([5, 4, 3])
})

const tampering = {
  'an actor was changed': "UPDATE audit_log SET actor = 'somebody' WHERE seq = 2",
  'a detail was changed': `UPDATE audit_log SET detail = '{"a":1}' WHERE seq = 3`,
  'a time was changed': "UPDATE audit_log SET at = '2026-01-01T00:00:00Z' WHERE seq = 1",
  'an entry was taken out': 'DELETE FROM audit_log WHERE seq = 2',
  'the first entry was taken out': 'DELETE FROM audit_log WHERE seq = 1',
  'its end was cut off': 'DELETE FROM audit_log WHERE seq >= 4',
  'its end was cut off, of the entry kept apart, too':
    'DELETE FROM audit_log WHERE seq >= 4; UPDATE audit_heads SET seq = 3, hash = (SELECT hash FROM audit_log WHERE seq = 3)',
  'all of it was taken away': 'DELETE FROM audit_log',
  'its head was taken away': 'DELETE FROM audit_heads',
  'an entry was given another hash': "UPDATE audit_log SET hash = 'x' WHERE seq = 2",
}
test.each(Object.entries(tampering))('the log is not intact when %s', async (_, sql) => {
  const { world, call } = await aLog()
  expect((await call(listAudit)).is_intact).toBe(true)
  for (const one of sql.split('; ')) await rows(world.env, one)
  expect((await call(listAudit)).is_intact).toBe(false)
})

test('a name with half a character, which the database does not keep, breaks no log', async () => {
  const { call, member } = await aLog()
  const { name } = await member.call(createToken, { body: { name: 'half \ud800' } })
  expect(name).toBe('half \ufffd')
  expect(await call(listAudit)).toMatchObject({ is_intact: true, results: [{ target: name }, {}, {}, {}, {}] })
})

test('a log that lost its head goes on, and the break shows for ever', async () => {
  const { world, call, org_id } = await aLog()
  await world.sql`DELETE FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log)`
  await world.sql`DELETE FROM audit_heads`
  await call(inviteUsers, { params: { org_id }, body: { emails: 'later@example.org' } })
  expect((await call(listAudit)).is_intact).toBe(false)
})

test('a page that begins in the middle of the chain, or a filtered one, is intact when its entries are', async () => {
  const { call } = await aLog()
  for (const query of [{ limit: 1, page: 2 }, { limit: 2, sorted_by: 'seq' as const, page: 2 }, { action: 'member.e' }])
    expect((await call(listAudit, { query })).is_intact).toBe(true)
})

test('changes at the same time all stand in the chain, one after the other', async () => {
  const { call, org_id } = await anOrg({ is_org_admin: true })
  const invite = (name: string) => call(inviteUsers, { params: { org_id }, body: { emails: `${name}@example.org` } })
  await Promise.all(['a', 'b', 'c', 'd'].map(invite))
  const { results, is_intact } = await call(listAudit)
  expect([results.map(({ seq }) => seq), is_intact]).toEqual([[4, 3, 2, 1], true])
})

test('a change that is refused leaves no entry', async () => {
  const { call, answer, org_id, user_id } = await anOrg({ is_org_admin: true })
  await answer(demoteMember, { params: { org_id, user_id } })
  await answer(updateOrgSettings, { body: { org_id, alerts_emails: 'nonsense' } })
  expect((await call(listAudit)).count).toBe(0)
})

test('the log is for admins of the organization, each of his own', async () => {
  const ours = await aLog()
  const theirs = await anOrg({ world: ours.world, is_org_admin: true })
  expect((await ours.member.answer(listAudit)).status).toBe(403)
  expect((await theirs.call(listAudit)).count).toBe(0)
  await ours.world.sql`INSERT INTO members(org_id, user_id) VALUES (${ours.org_id}, ${theirs.user_id})`
  await theirs.call(setOrg, { params: { id: ours.org_id } })
  expect((await theirs.answer(listAudit)).status).toBe(403)
})

test('sign-ins, resets, passkeys and token uses from new addresses stand in the log', async () => {
  const org = await anOrg({ is_org_admin: true })
  const { world, call, username, email } = org
  const place = { ip: '203.0.113.7' }
  await obtain(world, { username }, place)
  const device = await anAuthenticator()
  const { challenge_id, options } = await call(passkeyOptions, { body: {} })
  const response = await device.create(options as { challenge: string; user: { id: string } })
  const { id } = await call(addPasskey, { body: { challenge_id, name: 'Laptop', response } })
  await call(removePasskey, { params: { id } })
  const { token } = await call(createToken, { body: { name: 'script' } })
  for (const ip of ['198.51.100.1', '198.51.100.1', '198.51.100.2'])
    await world.request('/users/api/current', { headers: { authorization: `Token ${token}`, 'cf-connecting-ip': ip } })
  await post(world, '/password_reset/', { email })
  const link = await tokenMailedTo(world, email)
  await post(world, '/password_reset/confirm/', { token: link, password: 'Other-Stable-8?' }, place)

  const log = await world.sql<{
    action: string
    target: string
    ip: string
  }>`SELECT action, target, ip FROM audit_log ORDER BY seq`
  expect(log.map(({ action, target, ip }) => `${action} ${target} ${ip}`.trim())).toEqual([
    `user.sign_in ${username} ${place.ip}`,
    'passkey.add Laptop',
    'passkey.remove Laptop',
    'token.create script',
    'token.use script 198.51.100.1',
    'token.use script 198.51.100.2',
    `user.reset ${username} ${place.ip}`,
  ])
  expect(await (await session(world, org)).call(listAudit)).toMatchObject({ is_intact: true })
})

test('the log of the operator keeps what was done to an organization that is gone, runs and publications', async () => {
  const world = aWorld({ KEV_URL: 'https://kev.test' })
  const root = await anOrg({ world, is_admin: true, is_org_admin: true })
  const { id = 0 } = await root.call(createOrg, { body: { name: 'Gone Ltd', email: 'owner@example.org' } })
  const params = { id }
  await root.call(disableOrg, { params })
  await root.call(enableOrg, { params })
  await root.call(runSync, { query: { feed: 'kev' } })
  await root.call(addVuln, { body: { cve_id: 'CVE-2026-4711', summary: 'For everybody', scope: 'public' } })
  await root.call(addVuln, { body: { summary: 'For ourselves', scope: 'private' } })
  const told = async () => {
    const { results, is_intact } = await root.call(listAudit)
    expect(is_intact).toBe(true)
    return results.toReversed().map(({ action, target }) => [action, target])
  }
  const [others, named] = [
    [
      ['feed.run', 'kev'],
      ['vuln.publish', 'CVE-2026-4711'],
    ],
    (target: string) => ['create', 'disable', 'enable'].map((verb) => [`org.${verb}`, target]),
  ]
  expect(await told()).toEqual([...named('Gone Ltd'), ...others])
  await root.call(removeOrg, { params })
  expect(await told()).toEqual([...named(`${id}`), ...others, ['org.remove', 'Gone Ltd']])
  const next = await root.call(createOrg, { body: { name: 'Come Later', email: 'owner@example.org' } })
  await world.sql`UPDATE orgs SET created_at = '2999-01-01T00:00:00Z' WHERE id = ${next.id}`
  expect((await told()).slice(0, 3)).toEqual(named(`${id}`))
})

test('a feed that two start at once runs once, and not at all where the log of it cannot be written', async () => {
  const world = aWorld({ KEV_URL: 'https://kev.test' })
  const root = await anOrg({ world, is_admin: true, is_org_admin: true })
  const start = () => root.answer(runSync, { query: { feed: 'kev' } })
  const countRuns = async () => (await world.sql`SELECT id FROM feed_runs`).length
  await world.sql`CREATE TRIGGER closed BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'closed'); END`
  expect([(await start()).status, await countRuns(), world.waiting]).toEqual([500, 0, []])
  await world.sql`DROP TRIGGER closed`
  const statuses = (await Promise.all([start(), start()])).map(({ status }) => status)
  expect([statuses, await countRuns(), world.waiting.length]).toEqual([[200, 200], 1, 1])
  const { results } = await root.call(listAudit)
  expect(results.map(({ action }) => action)).toEqual(['feed.run', 'feed.run'])
})

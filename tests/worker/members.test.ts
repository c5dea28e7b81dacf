import { expect, test } from 'vitest'
import { createToken } from '../../worker/account/access-contract'
import { checkInvitation, joinByInvitation } from '../../worker/auth/joining-contract'
import { confirmReset, currentUser, refreshToken, setOrg } from '../../worker/auth/contract'
import { listAudit, listOrgs } from '../../worker/orgs/contract'
import { acceptMyInvitation, listMyInvitations } from '../../worker/orgs/joining/invitations-contract'
import {
  deleteUser,
  demoteMember,
  disableMember,
  disableUser,
  enableMember,
  getUser,
  inviteUsers,
  listOrgUsers,
  listUsers,
  promoteMember,
  removeMember,
  resetUserPassword,
  updateUser,
} from '../../worker/orgs/members/contract'
import { aMember, anAdminedOrg, expectRefused, tokenMailedTo } from './support/member'
import { anOrg, caller, signInByPassword } from './support/org'
import { aWorld } from './support/world'

const ref = (org_id: number, { user_id }: { user_id: number }) => ({ params: { org_id, user_id } })

test('an org admin promotes and demotes a member, whose rights change at once', async () => {
  const { call, org_id, member } = await anAdminedOrg()
  const isAdmin = async () => (await member.call(currentUser)).is_org_admin
  expect(await call(promoteMember, ref(org_id, member))).toEqual({ status: 'success' })
  expect(await isAdmin()).toBe(true)
  expect(await call(demoteMember, ref(org_id, member))).toEqual({ status: 'success' })
  expect(await isAdmin()).toBe(false)
})

test('a disabled member is kept out at once and comes back with their session when they are enabled', async () => {
  const { call, org_id, member } = await anAdminedOrg()
  expect(await call(disableMember, ref(org_id, member))).toEqual({ status: 'success' })
  expect((await member.answer(currentUser)).status).toBe(401)
  expect(await call(enableMember, ref(org_id, member))).toEqual({ status: 'success' })
  expect((await member.answer(currentUser)).status).toBe(200)
})

test('a removed member loses sessions and tokens for good, their account and the organization stay', async () => {
  const { world, call, org_id, member } = await anAdminedOrg()
  const { token } = await member.call(createToken, { body: { name: 'script', scope: 'write' } })
  const byToken = () => world.request('/users/api/current', { headers: { authorization: `Token ${token}` } })
  expect((await byToken()).status).toBe(200)

  expect(await call(removeMember, ref(org_id, member))).toEqual({ status: 'success' })
  expect((await call(listOrgs)).results).toMatchObject([{ id: org_id, nb_users: 1, is_active: true }])
  await call(inviteUsers, { params: { org_id }, body: { emails: member.email } })
  expect((await member.answer(currentUser)).status).toBe(401)
  expect((await caller(world, null).answer(refreshToken, { body: { refresh: member.refresh } })).status).toBe(401)
  expect((await byToken()).status).toBe(401)
  const link = await tokenMailedTo(world, member.email)
  await caller(world, null).call(joinByInvitation, { params: { token: link }, body: {} })
  expect((await (await signInByPassword(world, member.username)).call(currentUser)).orgs).toMatchObject([
    { id: org_id },
  ])
  expect((await byToken()).status).toBe(401)
})

test('invitations of a member who is removed or disabled end with it, and those of others stay', async () => {
  const { world, call, org_id } = await anAdminedOrg()
  const invited = async (by: { call: typeof call }, emails: string) => {
    await by.call(inviteUsers, { params: { org_id }, body: { emails } })
    return tokenMailedTo(world, emails)
  }
  const check = async (token: string) => (await caller(world, null).call(checkInvitation, { params: { token } })).status
  const kept = await invited({ call }, 'kept@example.org')
  const endings = [
    (user_id: number) => call(removeMember, { params: { org_id, user_id } }),
    (user_id: number) => call(disableMember, { params: { org_id, user_id } }),
    (id: number) => call(disableUser, { params: { id } }),
    (id: number) => call(deleteUser, { params: { id } }),
  ]
  for (const [at, end] of endings.entries()) {
    const leaver = await aMember(world, org_id, { manage_organization: true })
    const token = await invited(leaver, `again${at}@example.org`)
    await world.sql`UPDATE users SET is_admin = 1 WHERE id <> ${leaver.user_id}`
    expect(await check(token)).toBe('valid')
    await end(leaver.user_id)
    expect(await check(token)).toBe('invalid')
  }
  expect(await check(kept)).toBe('valid')
})

test('nobody removes, demotes, disables or promotes himself, not even a global admin', async () => {
  const { world, org_id, ...admin } = await anAdminedOrg()
  const root = await aMember(world, org_id, { is_admin: true, is_org_admin: true })
  for (const { answer, user_id } of [admin, root])
    for (const [word, contract] of Object.entries({
      remove: removeMember,
      demote: demoteMember,
      disable: disableMember,
      promote: promoteMember,
      enable: enableMember,
    }))
      await expectRefused(answer(contract, ref(org_id, { user_id })), 403, `You cannot ${word} yourself`)
})

test('the last active admin cannot be removed, demoted or disabled', async () => {
  const { world, org_id, member, ...admin } = await anAdminedOrg()
  const root = await anOrg({ world, is_admin: true })
  const reason = expect.stringContaining(`${admin.username} is the last active admin of`)
  for (const contract of [removeMember, demoteMember, disableMember])
    await expectRefused(root.answer(contract, ref(org_id, admin)), 409, reason)

  await root.call(promoteMember, ref(org_id, member))
  await world.sql`UPDATE users SET is_active = 0 WHERE id = ${member.user_id}`
  await expectRefused(root.answer(demoteMember, ref(org_id, admin)), 409, reason)
  await world.sql`UPDATE users SET is_active = 1`
  expect(await root.call(demoteMember, ref(org_id, admin))).toEqual({ status: 'success' })
})

test('two admins who demote each other at the same time do not leave the organization without one', async () => {
  const { world, org_id, ...one } = await anAdminedOrg()
  const other = await aMember(world, org_id, { is_org_admin: true })
  const answers = await Promise.all([
    one.answer(demoteMember, ref(org_id, other)),
    other.answer(demoteMember, ref(org_id, one)),
  ])
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  expect(await world.sql`SELECT 1 FROM members WHERE is_admin = 1`).toHaveLength(1)
})

test('members of other organizations are not found, whatever is done to them', async () => {
  const { org_id, call, answer, user_id } = await anAdminedOrg()
  const theirs = await anAdminedOrg()
  for (const contract of [removeMember, promoteMember, demoteMember, enableMember, disableMember]) {
    expect((await answer(contract, ref(theirs.org_id, theirs.member))).status).toBe(404)
    expect((await answer(contract, ref(org_id, theirs.member))).status).toBe(404)
    expect((await theirs.member.answer(contract, ref(theirs.org_id, theirs))).status).toBe(403)
  }
  const params = { id: theirs.member.user_id }
  for (const { status } of [
    await answer(getUser, { params }),
    await answer(updateUser, { params }),
    await answer(resetUserPassword, { params }),
  ])
    expect(status).toBe(404)
  expect((await call(listUsers)).results.map(({ id }) => id)).toContain(user_id)
  expect((await call(listUsers)).results.map(({ id }) => id)).not.toContain(theirs.user_id)
})

test('an admin of two organizations administers both from either, an API token only its own', async () => {
  const { world, org_id, member, ...one } = await anAdminedOrg()
  const two = await anOrg({ world, is_org_admin: true })
  await world.sql`INSERT INTO members(org_id, user_id, is_admin) VALUES (${two.org_id}, ${one.user_id}, 1)`
  expect((await one.call(listOrgs)).results.map(({ id }) => id)).toEqual([org_id, two.org_id])
  expect(await one.call(disableMember, ref(two.org_id, two))).toEqual({ status: 'success' })
  expect(await one.call(enableMember, ref(two.org_id, two))).toEqual({ status: 'success' })

  const { token } = await one.call(createToken, { body: { name: 'script', scope: 'write' } })
  const byToken = async (path: string) =>
    (await world.request(path, { method: 'POST', headers: { authorization: `Token ${token}` } })).status
  expect(await byToken(`/users/${org_id}/${member.user_id}/disable`)).toBe(200)
  expect(await byToken(`/users/${two.org_id}/${two.user_id}/disable`)).toBe(404)
})

test('lists show what the caller administers; a global admin sees all', async () => {
  const world = aWorld()
  const ours = await anOrg({ world, is_org_admin: true })
  const theirs = await anOrg({ world, is_org_admin: true })
  const inviter = await aMember(world, ours.org_id, { manage_organization: true })
  const root = await anOrg({ world, is_admin: true })
  for (const { call } of [ours, inviter]) {
    expect((await call(listOrgs)).results.map(({ id }) => id)).toEqual([ours.org_id])
    expect((await call(listOrgUsers)).results.map(({ username }) => username).sort()).toEqual(
      [inviter.username, ours.username].sort(),
    )
    expect((await call(listUsers)).count).toBe(2)
  }
  expect((await root.call(listOrgs)).count).toBe(3)
  expect((await root.call(listUsers)).count).toBe(4)
  expect((await root.call(listOrgUsers, { query: { search: theirs.email.toUpperCase() } })).results).toMatchObject([
    { org_id: theirs.org_id, user: theirs.user_id, is_admin: true, is_active: true },
  ])
})

test('lists are paged and sorted, and a field that is not in the list is a 400', async () => {
  const { call, answer, world, org_id } = await anOrg({ is_org_admin: true })
  for (let made = 0; made < 3; made++) await aMember(world, org_id)
  const first = await call(listOrgUsers, { query: { limit: 3, sorted_by: '-username' } })
  expect([first.count, first.results.length, first.previous]).toEqual([4, 3, null])
  const names = first.results.map(({ username }) => username)
  expect(names).toEqual(names.toSorted().toReversed())
  const second = await call(listOrgUsers, { query: { limit: 3, page: 2, sorted_by: '-username' } })
  expect([second.results.length, second.next]).toEqual([1, null])
  const query = { sorted_by: 'password_hash' }
  for (const { status } of [
    await answer(listOrgs, { query }),
    await answer(listOrgUsers, { query }),
    await answer(listUsers, { query }),
  ])
    expect(status).toBe(400)
  for (const sorted_by of ['is_admin', 'is_active', 'email', 'org_name'] as const)
    expect((await call(listOrgUsers, { query: { sorted_by } })).count).toBe(4)
  for (const sorted_by of ['id', '-name', 'slug', 'is_active'] as const)
    expect((await call(listOrgs, { query: { sorted_by } })).count).toBe(1)
})

test('lists of people and organizations honour each of several keys', async () => {
  const { answer, world, org_id } = await anOrg({ is_admin: true, is_org_admin: true })
  for (let made = 0; made < 3; made++) await aMember(world, org_id, { is_org_admin: made === 1 })
  await anOrg({ world })
  const read = async (response: Promise<Response>) =>
    ((await (await response).json()) as { results: Record<string, string | boolean>[] }).results
  const people = await read(answer(listOrgUsers, { query: { sorted_by: 'is_admin,-username' } }))
  expect(people.map(({ is_admin }) => Number(is_admin))).toEqual([0, 0, 0, 1, 1])
  for (const isAdmin of [false, true]) {
    const names = people.filter(({ is_admin }) => is_admin === isAdmin).map(({ username }) => String(username))
    expect(names).toEqual(names.toSorted().toReversed())
  }
  await world.sql`UPDATE orgs SET is_active = 1`
  const orgs = (await read(answer(listOrgs, { query: { sorted_by: 'is_active,-name' } }))).map(({ name }) =>
    String(name),
  )
  expect(orgs).toEqual(orgs.toSorted().toReversed())
  const users = (await read(answer(listUsers, { query: { sorted_by: '-username,id' } }))).map(({ username }) =>
    String(username),
  )
  expect(users).toEqual(users.toSorted().toReversed())
})

test('an admin edits a member: fields that are not named stay, and flags work at once', async () => {
  const { call, member } = await anAdminedOrg()
  const params = { id: member.user_id }
  await call(updateUser, { params, body: { first_name: 'Ada', last_name: 'Byron' } })
  expect(
    await call(updateUser, { params, body: { manage_organization: true, manage_metadata: 'True' } }),
  ).toMatchObject({
    id: member.user_id,
    first_name: 'Ada',
    last_name: 'Byron',
    profile: { manage_organization: true, manage_alert_email: false, manage_metadata: true },
  })
  expect((await member.call(currentUser)).profile).toMatchObject({ manage_organization: true })
  await call(updateUser, { params, body: { manage_organization: false } })
  expect(await call(getUser, { params })).toMatchObject({
    profile: { manage_organization: false, manage_metadata: true },
  })
  expect((await call(listAudit, { query: { action: 'user.update' } })).count).toBe(3)
})

test('nobody changes their own rights, and an organization does not rename whom it shares with another', async () => {
  const { world, answer, call, org_id, user_id, member } = await anAdminedOrg()
  const edit = async (id: number, body: object) =>
    (await answer(updateUser, { params: { id }, body: { ...body } })).status
  expect(await edit(user_id, { manage_organization: false })).toBe(400)
  expect(await edit(user_id, { first_name: 'Me', manage_organization: true })).toBe(200)

  const known = await anOrg({ world })
  await call(inviteUsers, { params: { org_id }, body: { emails: known.email } })
  expect(await edit(known.user_id, { first_name: 'Mallory' })).toBe(404)
  const [invitation] = await known.call(listMyInvitations)
  await known.call(acceptMyInvitation, { params: { id: invitation?.id ?? 0 }, body: {} })
  expect(await edit(known.user_id, { first_name: 'Mallory' })).toBe(400)
  expect(await edit(known.user_id, { manage_metadata: true })).toBe(200)
  await world.sql`UPDATE users SET is_admin = 1 WHERE id = ${member.user_id}`
  expect(await edit(member.user_id, { first_name: 'Mallory' })).toBe(400)
})

test('flags are of the current organization: elsewhere they are not set by mistake', async () => {
  const { world, answer, call, user_id } = await anAdminedOrg()
  const other = await anOrg({ world, is_org_admin: true })
  await world.sql`INSERT INTO members(org_id, user_id, is_admin) VALUES (${other.org_id}, ${user_id}, 1)`
  const input = { params: { id: other.user_id }, body: { manage_metadata: true } }
  expect((await answer(updateUser, input)).status).toBe(400)
  await call(setOrg, { params: { id: other.org_id } })
  expect((await call(updateUser, input)).profile.manage_metadata).toBe(true)
})

test('an admin has a link sent that sets a new password, under the name of the organization; they never see it', async () => {
  const { world, org_id, call, member } = await anAdminedOrg()
  const reply = await call(resetUserPassword, { params: { id: member.user_id } })
  expect(reply).toEqual({ status: 'success', password: null })
  const token = await tokenMailedTo(world, member.email)
  const [org] = await world.sql<{ name: string }>`SELECT name FROM orgs WHERE id = ${org_id}`
  expect(world.mails.at(-1)?.subject).toBe(`[Earshot] ${org?.name}: set a new password`)
  const body = { token, password: 'Another-Horse-9!' }
  expect(await caller(world, null).call(confirmReset, { body })).toEqual({ status: 'success' })
  expect((await member.answer(currentUser)).status).toBe(401)
  expect((await call(listAudit, { query: { action: 'user.reset_password' } })).results).toMatchObject([
    { target: member.username },
  ])
})

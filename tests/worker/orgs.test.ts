import { expect, test } from 'vitest'
import { createToken } from '../../worker/account/access-contract'
import { acceptInvitation, checkInvitation, joinByInvitation } from '../../worker/auth/joining-contract'
import { confirmReset, currentUser, refreshToken, setOrg } from '../../worker/auth/contract'
import {
  createOrg,
  disableOrg,
  enableOrg,
  getOrgInfo,
  getOrgSettings,
  listAudit,
  listOrgs,
  removeOrg,
  updateOrgSettings,
} from '../../worker/orgs/contract'
import { acceptMyInvitation, listMyInvitations } from '../../worker/orgs/invitations-contract'
import {
  demoteMember,
  disableMember,
  enableMember,
  getUser,
  inviteUsers,
  listOrgUsers,
  listUsers,
  promoteMember,
  removeMember,
  resetUserPassword,
  updateUser,
} from '../../worker/orgs/members-contract'
import { addVuln } from '../../worker/editing/contract'
import { addExploit, addThreat } from '../../worker/exploits/contract'
import { toggleVuln } from '../../worker/vulns/contract'
import { aMember, tokenMailedTo } from './support/member'
import { anOrg, caller, password, rows, signIn } from './support/org'
import { aWorld } from './support/world'

const anAdminedOrg = async () => {
  const org = await anOrg({ is_org_admin: true })
  return { ...org, member: await aMember(org.world, org.org_id) }
}
const ref = (org_id: number, { user_id }: { user_id: number }) => ({ params: { org_id, user_id } })
const acceptance = (username: string) => ({ username, password, password_confirm: password })

test('an org admin promotes and demotes a member, whose rights change at once', async () => {
  const { call, org_id, member } = await anAdminedOrg()
  const isAdmin = async () => (await member.call(currentUser)).is_org_admin
  expect(await call(promoteMember, ref(org_id, member))).toEqual({ status: 'success' })
  expect(await isAdmin()).toBe(true)
  expect(await call(demoteMember, ref(org_id, member))).toEqual({ status: 'success' })
  expect(await isAdmin()).toBe(false)
})

test('a disabled member is kept out at once and comes back with his session when he is enabled', async () => {
  const { call, org_id, member } = await anAdminedOrg()
  expect(await call(disableMember, ref(org_id, member))).toEqual({ status: 'success' })
  expect((await member.answer(currentUser)).status).toBe(401)
  expect(await call(enableMember, ref(org_id, member))).toEqual({ status: 'success' })
  expect((await member.answer(currentUser)).status).toBe(200)
})

test('a removed member loses sessions and tokens for good, his account and the organization stay', async () => {
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
  expect((await (await signIn(world, member.username)).call(currentUser)).orgs).toMatchObject([{ id: org_id }])
  expect((await byToken()).status).toBe(401)
})

test('nobody removes, demotes, disables or promotes himself, not even a global admin', async () => {
  const { world, org_id, ...admin } = await anAdminedOrg()
  const root = await aMember(world, org_id, { is_admin: true, is_org_admin: true })
  for (const { call, user_id } of [admin, root])
    for (const [word, contract] of Object.entries({
      remove: removeMember,
      demote: demoteMember,
      disable: disableMember,
      promote: promoteMember,
      enable: enableMember,
    }))
      expect(await call(contract, ref(org_id, { user_id }))).toEqual({
        status: 'error',
        reason: `You cannot ${word} yourself`,
      })
})

test('the last active admin cannot be removed, demoted or disabled', async () => {
  const { world, org_id, member, ...admin } = await anAdminedOrg()
  const root = await anOrg({ world, is_admin: true })
  const error = { status: 'error', reason: expect.stringContaining(`${admin.username} is the last active admin of`) }
  for (const contract of [removeMember, demoteMember, disableMember])
    expect(await root.call(contract, ref(org_id, admin))).toEqual(error)

  await root.call(promoteMember, ref(org_id, member))
  await rows(world.env, 'UPDATE users SET is_active = 0 WHERE id = ?1', member.user_id)
  expect(await root.call(demoteMember, ref(org_id, admin))).toEqual(error)
  await rows(world.env, 'UPDATE users SET is_active = 1')
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
  expect(await rows(world.env, 'SELECT 1 FROM members WHERE is_admin = 1')).toHaveLength(1)
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
  await rows(world.env, 'INSERT INTO members(org_id, user_id, is_admin) VALUES (?1, ?2, 1)', two.org_id, one.user_id)
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

test('an admin edits a member: what is not named stays, and flags work at once', async () => {
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

test('nobody changes his own rights, and an organization does not rename whom it shares with another', async () => {
  const { world, answer, call, org_id, user_id, member } = await anAdminedOrg()
  const edit = async (id: number, body: object) =>
    (await answer(updateUser, { params: { id }, body: { ...body } })).status
  expect(await edit(user_id, { manage_organization: true })).toBe(400)
  expect(await edit(user_id, { first_name: 'Me', manage_organization: false })).toBe(200)

  const known = await anOrg({ world })
  await call(inviteUsers, { params: { org_id }, body: { emails: known.email } })
  expect(await edit(known.user_id, { first_name: 'Mallory' })).toBe(404)
  const [invitation] = await known.call(listMyInvitations)
  await known.call(acceptMyInvitation, { params: { id: invitation?.id ?? 0 }, body: {} })
  expect(await edit(known.user_id, { first_name: 'Mallory' })).toBe(400)
  expect(await edit(known.user_id, { manage_metadata: true })).toBe(200)
  await rows(world.env, 'UPDATE users SET is_admin = 1 WHERE id = ?1', member.user_id)
  expect(await edit(member.user_id, { first_name: 'Mallory' })).toBe(400)
})

test('flags are of the current organization: elsewhere they are not set by mistake', async () => {
  const { world, answer, call, user_id } = await anAdminedOrg()
  const other = await anOrg({ world, is_org_admin: true })
  await rows(world.env, 'INSERT INTO members(org_id, user_id, is_admin) VALUES (?1, ?2, 1)', other.org_id, user_id)
  const input = { params: { id: other.user_id }, body: { manage_metadata: true } }
  expect((await answer(updateUser, input)).status).toBe(400)
  await call(setOrg, { params: { id: other.org_id } })
  expect((await call(updateUser, input)).profile.manage_metadata).toBe(true)
})

test('an admin has a link sent that sets a new password; he never sees it', async () => {
  const { world, call, member } = await anAdminedOrg()
  const reply = await call(resetUserPassword, { params: { id: member.user_id } })
  expect(reply).toEqual({ status: 'success', password: null })
  const token = await tokenMailedTo(world, member.email)
  const body = { token, password: 'Another-Horse-9!' }
  expect(await caller(world, null).call(confirmReset, { body })).toEqual({ status: 'success' })
  expect((await member.answer(currentUser)).status).toBe(401)
  expect((await call(listAudit, { query: { action: 'user.reset_password' } })).results).toMatchObject([
    { target: member.username },
  ])
})

test('a global admin creates an organization; an owner with an account is its admin once they accept', async () => {
  const world = aWorld()
  const root = await anOrg({ world, is_admin: true })
  const owner = await anOrg({ world })
  const made = await root.call(createOrg, { body: { name: 'Café Zürich & Co', email: owner.email } })
  expect(made).toMatchObject({ status: 'success', id: expect.any(Number) })
  const find = async () => (await root.call(listOrgs, { query: { search: 'café' } })).results[0]
  expect(await find()).toMatchObject({ owner: null, nb_users: 0 })
  const settings = () => rows(world.env, 'SELECT alerts_emails FROM alert_settings WHERE org_id = ?1', made.id)
  expect(await settings()).toEqual([{ alerts_emails: '[]' }])
  const [invitation] = await owner.call(listMyInvitations)
  await owner.call(acceptMyInvitation, { params: { id: invitation?.id ?? 0 } })
  expect(await settings()).toEqual([{ alerts_emails: JSON.stringify([owner.email]) }])
  expect(await find()).toMatchObject({
    slug: 'cafe-zurich-co',
    owner: owner.username,
    nb_users: 1,
    is_active: true,
    trial_ends_at: null,
  })
  await owner.call(setOrg, { params: { id: made.id ?? 0 } })
  expect(await owner.call(currentUser)).toMatchObject({
    is_org_admin: true,
    current_org: { org_name: 'Café Zürich & Co' },
  })
  await world.drain()
  expect(world.mails.map(({ to }) => to)).toContain(owner.email)
})

test('an owner without an account is invited, and becomes admin and owner when he registers', async () => {
  const { world, call } = await anOrg({ is_admin: true })
  const { id } = await call(createOrg, { body: { name: 'Newcomers', email: 'Boss@example.org' } })
  const token = await tokenMailedTo(world, 'boss@example.org')
  await caller(world, null).call(acceptInvitation, { params: { token }, body: acceptance('the_boss') })
  expect(await (await signIn(world, 'the_boss')).call(currentUser)).toMatchObject({
    is_org_admin: true,
    orgs: [{ id }],
  })
  expect((await call(listOrgs, { query: { search: 'newcomers' } })).results).toMatchObject([{ owner: 'the_boss' }])
})

test('slugs are unique, also of names made at the same time, and nobody gets that of the admins', async () => {
  const { world, call } = await anOrg({ is_admin: true })
  const names = ['Acme', 'ACME!', 'acme', '東京', 'Private', 'private ']
  const made = await Promise.all(names.map((name) => call(createOrg, { body: { name, email: 'a@example.org' } })))
  expect(made.map(({ status }) => status)).toEqual(names.map(() => 'success'))
  const slugs = (await rows<{ slug: string }>(world.env, 'SELECT slug FROM orgs')).map(({ slug }) => slug)
  expect(new Set(slugs).size).toBe(names.length + 1)
  expect(slugs).not.toContain('private')
  expect(slugs.filter((slug) => /^(acme|org-[0-9a-f]{8}|private-[0-9a-f]{8})/.test(slug))).toHaveLength(names.length)
})

test('a disabled organization loses access at once, and has it back when it is enabled', async () => {
  const world = aWorld()
  const root = await anOrg({ world, is_admin: true })
  const ours = await anOrg({ world, is_org_admin: true })
  const input = { params: { id: ours.org_id } }
  expect(await root.call(disableOrg, input)).toEqual({ status: 'success' })
  expect((await ours.answer(currentUser)).status).toBe(401)
  expect(await root.call(enableOrg, input)).toEqual({ status: 'success' })
  expect((await ours.call(listAudit)).results.map(({ action, actor }) => [action, actor])).toEqual([
    ['org.enable', root.username],
    ['org.disable', root.username],
  ])
})

test('a removed organization is gone with all that was its own, and its people are not', async () => {
  const world = aWorld()
  const root = await anOrg({ world, is_admin: true })
  const ours = await anOrg({ world, is_org_admin: true })
  const { org_id } = ours
  await rows(
    world.env,
    "INSERT INTO vulns(id, state, summary, created_at, updated_at) VALUES (1, 'published', '', 0, 0)",
  )
  await rows(
    world.env,
    "INSERT INTO vuln_changes(seq, vuln_id, at, kind, source, detail) VALUES (1, 1, '', 'new', 'nvd', '[]')",
  )
  await ours.call(toggleVuln, { params: { id: 1 }, body: { monitored: true } })
  await ours.call(createToken, { body: { name: 'script' } })
  await ours.call(inviteUsers, { params: { org_id }, body: { emails: 'x@example.org' } })
  const link = await tokenMailedTo(world, 'x@example.org')
  const insert = (sql: string) => rows(world.env, sql, org_id)
  await insert("INSERT INTO sso_providers VALUES (?1, 'https://idp.example', 'id', 'x', 1)")
  await insert("INSERT INTO alerts(id, org_id, vuln_id, change_seq, rule, created_at) VALUES (1, ?1, 1, 1, 'new', '')")
  await insert(
    "INSERT INTO deliveries(org_id, alert_id, channel, target, status, next_attempt_at) VALUES (?1, 1, 'email', '', 'sent', '')",
  )

  const { id: private_id } = await ours.call(addVuln, {
    body: { summary: 'Our own flaw', references: 'https://intranet.example/1' },
  })
  await ours.call(toggleVuln, { params: { id: private_id }, body: { monitored: true } })
  await ours.call(addExploit, { params: { id: 1 }, body: { link: 'https://intranet.example/2', scope: 'private' } })
  await ours.call(addThreat, { params: { id: private_id }, body: { link: 'https://intranet.example/3' } })

  expect(await root.call(removeOrg, { params: { id: org_id } })).toEqual({ status: 'success' })
  const schema = await rows<{ name: string; sql: string }>(
    world.env,
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name <> 'sessions'",
  )
  const tables = schema.flatMap(({ name, sql }) =>
    ['org_id', 'vuln_id'].filter((column) => sql.includes(`\`${column}\``)).map((column) => ({ name, column })),
  )
  expect(tables.length).toBeGreaterThan(20)
  for (const { name, column } of tables) {
    const id = column === 'org_id' ? org_id : private_id
    expect([name, await rows(world.env, `SELECT 1 FROM ${name} WHERE ${column} = ?1`, id)]).toEqual([name, []])
  }
  expect(await rows(world.env, 'SELECT id FROM vulns')).toEqual([{ id: 1 }])
  expect((await ours.answer(currentUser)).status).toBe(401)
  expect(await insert('SELECT 1 FROM sessions WHERE org_id = ?1 AND revoked_at IS NULL')).toEqual([])
  expect((await caller(world, null).call(checkInvitation, { params: { token: link } })).status).toBe('invalid')
  expect(await rows(world.env, 'SELECT 1 FROM users WHERE id = ?1', ours.user_id)).toHaveLength(1)
  expect((await root.call(listAudit)).results).toMatchObject([
    { action: 'org.remove', target: expect.stringMatching(/^org/) },
  ])
  expect((await root.answer(removeOrg, { params: { id: org_id } })).status).toBe(404)
})

test('the organization of the admins and the current one are neither disabled nor removed', async () => {
  const world = aWorld()
  const root = await anOrg({ world, is_admin: true })
  const kept = await anOrg({ world })
  await rows(world.env, "UPDATE orgs SET slug = 'private', name = 'Private' WHERE id = ?1", kept.org_id)
  for (const contract of [disableOrg, removeOrg]) {
    expect(await root.call(contract, { params: { id: kept.org_id } })).toEqual({
      status: 'error',
      reason: 'Private is the organization of the admins',
    })
    expect(await root.call(contract, { params: { id: root.org_id } })).toMatchObject({
      status: 'error',
      reason: expect.stringContaining('is your current organization'),
    })
  }
})

test('organizations are made, disabled and removed by global admins only', async () => {
  const { answer, org_id } = await anAdminedOrg()
  for (const contract of [enableOrg, disableOrg, removeOrg])
    expect((await answer(contract, { params: { id: org_id } })).status).toBe(403)
  expect((await answer(createOrg, { body: { name: 'Mine', email: 'a@example.org' } })).status).toBe(403)
})

test('the current organization tells its name, and its settings are read and changed', async () => {
  const { call, org_id, email } = await anOrg({ is_org_admin: true })
  expect(await call(getOrgInfo)).toMatchObject({ org_id, is_read_only: false, trial_ends_at: null })
  expect(await call(getOrgSettings, { params: { org_id } })).toEqual({
    org_id,
    alerts_emails: [email],
    alerts_emails_unconfirmed: [],
    alerts_emails_max: 3,
    enable_email_alert_new_vuln: true,
    enable_email_alert_update_vuln: true,
  })
  const body = {
    org_id,
    alerts_emails: 'A@example.org, b@example.org\na@example.org',
    enable_email_alert_new_vuln: 'False',
  }
  expect(await call(updateOrgSettings, { body })).toMatchObject({
    alerts_emails: ['a@example.org', 'b@example.org'],
    alerts_emails_unconfirmed: ['a@example.org', 'b@example.org'],
    enable_email_alert_new_vuln: false,
    enable_email_alert_update_vuln: true,
  })
  await call(updateOrgSettings, { body: { org_id, enable_email_alert_update_vuln: false } })
  expect(await call(getOrgSettings, { params: { org_id } })).toMatchObject({
    alerts_emails: ['a@example.org', 'b@example.org'],
    enable_email_alert_new_vuln: false,
    enable_email_alert_update_vuln: false,
  })
  await call(updateOrgSettings, { body: { org_id, alerts_emails: [] } })
  expect((await call(getOrgSettings, { params: { org_id } })).alerts_emails).toEqual([])
})

test('alert addresses are three at most, each valid; settings of another organization are out of reach', async () => {
  const { answer, org_id } = await anOrg({ is_org_admin: true })
  const theirs = await anAdminedOrg()
  const update = async (body: object) => (await answer(updateOrgSettings, { body: { ...body } })).status
  expect(await update({ org_id, alerts_emails: 'a@e.org b@e.org c@e.org d@e.org' })).toBe(400)
  expect(await update({ org_id, alerts_emails: ['a@e.org', 'nonsense'] })).toBe(400)
  expect(await update({ org_id: theirs.org_id, alerts_emails: [] })).toBe(403)
  expect((await answer(getOrgSettings, { params: { org_id: theirs.org_id } })).status).toBe(404)
  const settings = { body: { org_id: theirs.org_id, alerts_emails: [] } }
  expect((await theirs.member.answer(updateOrgSettings, settings)).status).toBe(403)
  expect((await theirs.member.answer(getOrgSettings, { params: { org_id: theirs.org_id } })).status).toBe(200)
})

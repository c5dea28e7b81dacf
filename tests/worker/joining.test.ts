import { expect, test } from 'vitest'
import { acceptInvitation, checkInvitation, joinByInvitation } from '../../worker/auth/joining-contract'
import { currentUser } from '../../worker/auth/contract'
import {
  acceptMyInvitation,
  declineMyInvitation,
  listMyInvitations,
  listOrgInvitations,
  withdrawOrgInvitation,
} from '../../worker/orgs/joining/invitations-contract'
import { getUser, inviteUsers, listOrgUsers, listUsers } from '../../worker/orgs/members/contract'
import { aMember, tokenMailedTo } from './support/member'
import { anOrg, caller, expectAnswer, rows, signInByPassword } from './support/org'
import { aWorld } from './support/world'
import { password } from '../support/credentials'

const newcomer = (username = 'newcomer') => ({ username, password, password_confirm: password, first_name: 'New' })
const stranger = (world: ReturnType<typeof aWorld>) => caller(world, null)

const ref = (row?: { id?: number; user_id?: number }) => ({ params: { id: row?.id ?? row?.user_id ?? 0 } })

const invalid = { status: 'invalid', email: null, step: null, org_name: null, invited_by: null }

async function anInvitation(email = 'new@example.org') {
  const org = await anOrg({ is_org_admin: true })
  await org.call(inviteUsers, { params: { org_id: org.org_id }, body: { emails: email } })
  return { ...org, token: await tokenMailedTo(org.world, email) }
}

test('an invited stranger registers with the link and becomes a plain member, and nothing else is made', async () => {
  const { world, org_id, token, username } = await anInvitation()
  const { call } = stranger(world)
  expect(await call(checkInvitation, { params: { token } })).toEqual({
    status: 'valid',
    email: 'new@example.org',
    step: 'register',
    ...Object((await world.sql`SELECT name AS org_name FROM orgs`)[0]),
    invited_by: username,
  })
  const body = { ...newcomer(), email: 'somebody.else@example.org' }
  expect(await call(acceptInvitation, { params: { token }, body })).toEqual({ status: 'success' })

  const me = await (await signInByPassword(world, 'newcomer')).call(currentUser)
  expect(me).toMatchObject({
    email: 'new@example.org',
    first_name: 'New',
    is_admin: false,
    is_org_admin: false,
    orgs: [{ id: org_id }],
    profile: { manage_organization: false, manage_alert_email: false, manage_metadata: true },
  })
  expect(await world.sql`SELECT id FROM orgs`).toHaveLength(1)
  expect(await world.sql`SELECT action, actor, target FROM audit_log ORDER BY seq`).toEqual([
    { action: 'member.invite', actor: username, target: 'new@example.org' },
    { action: 'member.join', actor: 'newcomer', target: 'newcomer' },
    { action: 'user.sign_in', actor: 'newcomer', target: 'newcomer' },
  ])
})

test('an invitation works once, even for two who come at the same time', async () => {
  const { world, token, org_id } = await anInvitation()
  const accept = (username: string) =>
    stranger(world).answer(acceptInvitation, { params: { token }, body: newcomer(username) })
  const answers = await Promise.all(['first_one', 'second_one'].map(accept))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect((await accept('third_one')).status).toBe(400)
  expect(await stranger(world).call(checkInvitation, { params: { token } })).toEqual(invalid)
  expect(await world.sql`SELECT 1 FROM members WHERE org_id = ${org_id}`).toHaveLength(2)
})

const endings = {
  'has expired': "UPDATE links SET expires_at = '2026-01-01T00:00:00Z'",
  'is into a disabled organization': 'UPDATE orgs SET is_active = 0',
  'is into a removed organization': 'DELETE FROM orgs',
  'is a link for something else': "UPDATE links SET kind = 'reset'",
}
test.each(Object.entries(endings))('an invitation that %s does not stand', async (_, sql) => {
  const { world, token } = await anInvitation()
  await rows(world.env, sql)
  expect(await stranger(world).call(checkInvitation, { params: { token } })).toEqual(invalid)
  await expectAnswer(stranger(world).answer(acceptInvitation, { params: { token }, body: newcomer() }), 400, {
    code: 'link_invalid',
  })
  expect(await world.sql`SELECT 1 FROM users WHERE username = 'newcomer'`).toEqual([])
})

test('an invitation stands for three days', async () => {
  const { world } = await anInvitation()
  const [link] = await world.sql<{ created_at: string; expires_at: string }>`SELECT * FROM links`
  expect(Date.parse(link?.expires_at ?? '') - Date.parse(link?.created_at ?? '')).toBe(3 * 86_400_000)
})

test('a taken username or address is named, and the link can still be used', async () => {
  const { world, token, username } = await anInvitation()
  const accept = async (name: string) => {
    const response = await stranger(world).answer(acceptInvitation, { params: { token }, body: newcomer(name) })
    const { issues } = (await response.json()) as { issues?: { path: string[] }[] }
    return [response.status, issues?.map(({ path }) => path.join())]
  }
  expect(await accept(username)).toEqual([400, ['username']])
  await world.sql`UPDATE users SET email = 'NEW@example.org'`
  expect(await accept('newcomer')).toEqual([400, ['email']])
  await world.sql`UPDATE users SET email = 'old@example.org'`
  expect(await accept('newcomer')).toEqual([200, undefined])
})

test.each([
  [{ password_confirm: 'Other-Horse-9!' }, 'Password mismatch.'],
  [{ username: 'Upper' }, 'A username can only contain lowercase letters, digits and underscore'],
  [{ username: '' }, 'Username is required'],
  [{ password: 'nouppercase-9', password_confirm: 'nouppercase-9' }, 'Must have one uppercase character'],
  [{ password: 'Nodigit-here', password_confirm: 'Nodigit-here' }, 'Must have one number'],
  [{ password: 'Nospecial99', password_confirm: 'Nospecial99' }, 'Must have one special character [!@#$%-_]'],
])('a registration with %j is a 400 that says what is wrong', async (wrong, message) => {
  const { world, token } = await anInvitation()
  const response = await stranger(world).answer(acceptInvitation, {
    params: { token },
    body: { ...newcomer(), ...wrong },
  })
  expect([response.status, JSON.stringify(await response.json())]).toEqual([400, expect.stringContaining(message)])
})

test('addresses may be separated by anything; wrong ones are named, valid ones still go out, each once', async () => {
  const { world, call, org_id } = await anOrg({ is_org_admin: true })
  const emails = 'A@example.org, b@example.org;c@example.org\nnot-an-address  a@example.org\r\n@example.org'
  expect(await call(inviteUsers, { params: { org_id }, body: { emails } })).toEqual({
    status: 'success',
    reason: 'Not a valid address: not-an-address, @example.org',
  })
  await world.drain()
  expect(world.mails.map(({ to }) => to)).toEqual(['a@example.org', 'b@example.org', 'c@example.org'])
  expect(world.mails[0]?.subject).toMatch(/^\[Earshot\] You are invited to org\d+$/)

  const form = new URLSearchParams([
    ['emails', 'd@example.org'],
    ['emails', 'e@example.org f@example.org'],
  ])
  const { access } = await aMember(world, org_id, { manage_organization: true })
  const headers = { authorization: `JWT ${access}` }
  const response = await world.request(`/users/${org_id}/adduser`, { method: 'POST', body: form, headers })
  expect([response.status, await response.json()]).toEqual([201, { status: 'success' }])
  await world.drain()
  expect(world.mails).toHaveLength(6)
})

test('fifty addresses go out at once, fifty-one do not, and neither does none', async () => {
  const { world, call, org_id } = await anOrg({ is_org_admin: true })
  const invite = (emails: string[]) => call(inviteUsers, { params: { org_id }, body: { emails } })
  const many = Array.from({ length: 51 }, (_, number) => `user-${number}@example.net`)
  expect(await invite(many)).toEqual({ status: 'error', reason: 'At most 50 addresses at once, not 51' })
  expect(await invite([])).toEqual({ status: 'error', reason: 'No address was given' })
  expect(await invite(['nonsense'])).toEqual({ status: 'error', reason: 'Not a valid address: nonsense' })
  await world.drain()
  expect(world.mails).toEqual([])
  expect(await invite(many.slice(1))).toEqual({ status: 'success' })
  await world.drain()
  expect(new Set(world.mails.map(({ to }) => to)).size).toBe(50)
})

test('somebody with an account is invited like a stranger, and a member only once they accept', async () => {
  const world = aWorld()
  const ours = await anOrg({ world, is_org_admin: true })
  const known = await anOrg({ world })
  const invite = () =>
    ours.call(inviteUsers, { params: { org_id: ours.org_id }, body: { emails: known.email.toUpperCase() } })
  expect(await invite()).toEqual({ status: 'success' })
  await world.drain()
  expect(world.mails).toMatchObject([{ to: known.email, subject: expect.stringContaining('You are invited to') }])
  const before = await Promise.all([
    ours.answer(listOrgUsers),
    ours.answer(listUsers),
    ours.answer(getUser, ref(known)),
  ])
  expect((await Promise.all(before.map((one) => one.text()))).join()).not.toContain(known.username)
  const pending = await ours.call(listOrgInvitations, { params: { org_id: ours.org_id } })
  expect(pending.map(({ email, is_owner }) => [email, is_owner])).toEqual([[known.email, false]])

  const [invitation] = await known.call(listMyInvitations)
  expect(invitation).toMatchObject({ invited_by: ours.username, org_name: expect.stringMatching(/^org/) })
  await known.call(acceptMyInvitation, ref(invitation))
  expect((await known.call(currentUser)).orgs.map(({ id }) => id)).toEqual([ours.org_id, known.org_id])
  expect((await ours.call(listOrgUsers)).results).toContainEqual(
    expect.objectContaining({ user: known.user_id, is_admin: false, is_active: true }),
  )
  expect(await known.call(listMyInvitations)).toEqual([])
  expect((await known.answer(acceptMyInvitation, ref(invitation))).status).toBe(404)
  expect(await invite()).toEqual({ status: 'error', reason: `Already a member: ${known.email}` })
})

test('an invitation is declined by whom it is for, and withdrawn by who sent it', async () => {
  const world = aWorld()
  const ours = await anOrg({ world, is_org_admin: true })
  const [known, other] = [await anOrg({ world }), await anOrg({ world, is_org_admin: true })]
  const invite = () => ours.call(inviteUsers, { params: { org_id: ours.org_id }, body: { emails: known.email } })
  await invite()
  const [declined] = await known.call(listMyInvitations)
  for (const contract of [acceptMyInvitation, declineMyInvitation])
    expect((await other.answer(contract, ref(declined))).status).toBe(404)
  await known.call(declineMyInvitation, ref(declined))
  expect((await known.answer(acceptMyInvitation, ref(declined))).status).toBe(404)

  await invite()
  const [pending] = await ours.call(listOrgInvitations, { params: { org_id: ours.org_id } })
  const withdraw = (org_id: number) => ({ params: { org_id, id: pending?.id ?? 0 } })
  expect((await other.answer(withdrawOrgInvitation, withdraw(ours.org_id))).status).toBe(404)
  expect((await other.answer(withdrawOrgInvitation, withdraw(other.org_id))).status).toBe(404)
  await ours.call(withdrawOrgInvitation, withdraw(ours.org_id))
  expect(await known.call(listMyInvitations)).toEqual([])
  expect(await world.sql`SELECT 1 FROM members WHERE user_id = ${known.user_id}`).toHaveLength(1)
  expect(await world.sql`SELECT action FROM audit_log WHERE org_id = ${ours.org_id} ORDER BY seq`).toEqual(
    ['member.invite', 'member.decline', 'member.invite', 'member.uninvite'].map((action) => ({ action })),
  )
})

test('an account that is in no organization joins with the link alone', async () => {
  const world = aWorld()
  const ours = await anOrg({ world, is_org_admin: true })
  const known = await anOrg({ world })
  await world.sql`DELETE FROM members WHERE user_id = ${known.user_id}`
  await ours.call(inviteUsers, { params: { org_id: ours.org_id }, body: { emails: known.email } })
  const token = await tokenMailedTo(world, known.email)
  const { call } = stranger(world)
  expect(await call(checkInvitation, { params: { token } })).toMatchObject({ status: 'valid', step: 'confirm' })
  await call(joinByInvitation, { params: { token }, body: {} })
  const me = await (await signInByPassword(world, known.username)).call(currentUser)
  expect(me.orgs.map(({ id }) => id)).toEqual([ours.org_id])
  expect((await stranger(world).answer(joinByInvitation, { params: { token } })).status).toBe(400)
})

test('inviting again voids the link of before, but not that of another organization', async () => {
  const { world, call, org_id, token: first } = await anInvitation()
  const theirs = await anOrg({ world, is_org_admin: true })
  const body = { emails: 'new@example.org' }
  await theirs.call(inviteUsers, { params: { org_id: theirs.org_id }, body })
  const other = await tokenMailedTo(world, 'new@example.org')
  await call(inviteUsers, { params: { org_id }, body })
  const second = await tokenMailedTo(world, 'new@example.org')
  const stands = async (token: string) => (await stranger(world).call(checkInvitation, { params: { token } })).status
  expect([await stands(first), await stands(second), await stands(other)]).toEqual(['invalid', 'valid', 'valid'])
})

test('only a global admin invites into the organization of the admins', async () => {
  const world = aWorld()
  const ours = await anOrg({ world, is_org_admin: true })
  await world.sql`UPDATE orgs SET slug = 'private'`
  const root = await aMember(world, ours.org_id, { is_admin: true })
  const input = { params: { org_id: ours.org_id }, body: { emails: 'x@example.org' } }
  expect((await ours.answer(inviteUsers, input)).status).toBe(403)
  expect(await world.sql`SELECT 1 FROM links`).toEqual([])
  expect((await root.call(inviteUsers, input)).status).toBe('success')
})

test('a member who may not invite cannot, and nobody invites into an organization that is not his', async () => {
  const world = aWorld()
  const ours = await anOrg({ world, is_org_admin: true })
  const theirs = await anOrg({ world, is_org_admin: true })
  const plain = await aMember(world, ours.org_id)
  const body = { emails: 'x@example.org' }
  const into = (org_id: number) => ({ params: { org_id }, body })
  expect((await plain.answer(inviteUsers, into(ours.org_id))).status).toBe(403)
  expect((await theirs.answer(inviteUsers, into(ours.org_id))).status).toBe(404)
  expect((await theirs.answer(inviteUsers, into(4711))).status).toBe(404)
  const invitesOnly = await aMember(world, ours.org_id, { manage_organization: true })
  expect((await invitesOnly.call(inviteUsers, into(ours.org_id))).status).toBe('success')
  expect((await invitesOnly.answer(inviteUsers, into(theirs.org_id))).status).toBe(404)
})

test('a mailed token is stored as a hash, and the mail is erased once it is sent', async () => {
  const { world, token } = await anInvitation()
  const stored = JSON.stringify([await world.sql`SELECT * FROM links`, await world.sql`SELECT * FROM mails`])
  expect(stored).toContain('new@example.org')
  expect(stored).not.toContain(token)
})

import { expect, test } from 'vitest'
import { createToken } from '../../worker/account/access-contract'
import { acceptInvitation, checkInvitation } from '../../worker/auth/joining-contract'
import { currentUser, setOrg } from '../../worker/auth/contract'
import {
  actInOrg,
  createOrg,
  disableOrg,
  enableOrg,
  getOrgInfo,
  listAudit,
  listOrgs,
  removeOrg,
  stopActing,
} from '../../worker/orgs/contract'
import { getOrgSettings, updateOrgSettings } from '../../worker/alerts/settings/contract'
import { acceptMyInvitation, listMyInvitations } from '../../worker/orgs/joining/invitations-contract'
import { inviteUsers } from '../../worker/orgs/members/contract'
import { addVuln } from '../../worker/editing/contract'
import { addExploit, addThreat } from '../../worker/exploits/contract'
import { toggleVuln } from '../../worker/vulns/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { anAdminedOrg, aRootedOrg, expectRefused, tokenMailedTo } from './support/member'
import { anOrg, caller, rows, signInByPassword } from './support/org'
import { aWorld } from './support/world'
import { password } from '../support/credentials'

const acceptance = (username: string) => ({ username, password, password_confirm: password })

test('a global admin creates an organization; an owner with an account is its admin once they accept', async () => {
  const world = aWorld()
  const root = await anOrg({ world, is_admin: true })
  const owner = await anOrg({ world })
  const made = await root.call(createOrg, { body: { name: 'Café Zürich & Co', email: owner.email } })
  expect(made).toMatchObject({ status: 'success', id: expect.any(Number) })
  const find = async () => (await root.call(listOrgs, { query: { search: 'café' } })).results[0]
  expect(await find()).toMatchObject({ owner: null, nb_users: 0 })
  const settings = () =>
    world.sql`SELECT alerts_emails, on_kev, on_exploitable FROM alert_settings WHERE org_id = ${made.id}`
  expect(await settings()).toEqual([{ alerts_emails: '[]', on_kev: 1, on_exploitable: 1 }])
  const [invitation] = await owner.call(listMyInvitations)
  await owner.call(acceptMyInvitation, { params: { id: invitation?.id ?? 0 } })
  expect(await settings()).toMatchObject([{ alerts_emails: JSON.stringify([owner.email]) }])
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
  expect(await (await signInByPassword(world, 'the_boss')).call(currentUser)).toMatchObject({
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
  const slugs = (await world.sql<{ slug: string }>`SELECT slug FROM orgs`).map(({ slug }) => slug)
  expect(new Set(slugs).size).toBe(names.length + 1)
  expect(slugs).not.toContain('private')
  expect(slugs.filter((slug) => /^(acme|org-[0-9a-f]{8}|private-[0-9a-f]{8})/.test(slug))).toHaveLength(names.length)
})

test('a disabled organization loses access at once, and has it back when it is enabled', async () => {
  const { root, ours } = await aRootedOrg()
  const input = { params: { id: ours.org_id } }
  expect(await root.call(disableOrg, input)).toEqual({ status: 'success' })
  expect((await ours.answer(currentUser)).status).toBe(401)
  expect(await root.call(enableOrg, input)).toEqual({ status: 'success' })
  expect((await ours.call(listAudit)).results.map(({ action, actor }) => [action, actor])).toEqual([
    ['org.enable', root.username],
    ['org.disable', root.username],
  ])
})

test('the admins of an organization that is enabled again are told from when to when nobody was told of changes', async () => {
  const { world, root, ours } = await aRootedOrg()
  const input = { params: { id: ours.org_id } }
  await root.call(disableOrg, input)
  await world.sql`UPDATE audit_log SET at = '2026-11-02T03:04:05Z' WHERE org_id = ${ours.org_id}`
  for (let time = 0; time < 2; time++) await root.call(enableOrg, input)
  const mails = await world.sql<{
    kind: string
    to: string
    text: string
  }>`SELECT * FROM mails WHERE kind = 'org_enabled'`
  expect(mails.map(({ to }) => to)).toEqual([ours.email])
  expect(mails[0]?.text).toContain('was disabled from 2026-11-02 03:04 UTC to ')
  expect(mails[0]?.text).toContain('/vulns?q=monitored+updated%3E%3D2026-11-02')
})

test('a removed organization is gone with all that was its own, and its people are not', async () => {
  const { world, root, ours } = await aRootedOrg()
  const { org_id } = ours
  await world.sql`INSERT INTO vulns(id, state, summary, created_at, updated_at) VALUES (1, 'published', '', 0, 0)`
  await world.sql`INSERT INTO vuln_changes(seq, vuln_id, at, kind, source, detail) VALUES (1, 1, '', 'new', 'nvd', '[]')`
  await ours.call(toggleVuln, { params: { id: 1 }, body: { monitored: true } })
  await ours.call(createToken, { body: { name: 'script' } })
  await ours.call(inviteUsers, { params: { org_id }, body: { emails: 'x@example.org' } })
  const link = await tokenMailedTo(world, 'x@example.org')
  const insert = (sql: string) => rows(world.env, sql, org_id)
  await insert("INSERT INTO sso_providers VALUES (?1, 'https://idp.example', 'id', 'x', 1)")
  await insert(
    "INSERT INTO alerts(id, org_id, vuln_id, change_seq, last_seq, rule, fired, created_at, updated_at) VALUES (1, ?1, 1, 1, 1, 'new', 1, '', '')",
  )
  await insert(
    "INSERT INTO deliveries(org_id, alert_id, channel, target, rule, status, next_attempt_at) VALUES (?1, 1, 'email', '', 'new', 'sent', '')",
  )

  const { id: private_id } = await ours.call(addVuln, {
    body: { summary: 'Our own flaw', references: 'https://intranet.example/1' },
  })
  await ours.call(toggleVuln, { params: { id: private_id }, body: { monitored: true } })
  await ours.call(addExploit, { params: { id: 1 }, body: { link: 'https://intranet.example/2', scope: 'private' } })
  await ours.call(addThreat, { params: { id: private_id }, body: { link: 'https://intranet.example/3' } })

  expect(await root.call(removeOrg, { params: { id: org_id } })).toEqual({ status: 'success' })
  const schema = await world.sql<{
    name: string
    sql: string
  }>`SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name <> 'sessions'`
  const tables = schema.flatMap(({ name, sql }) =>
    ['org_id', 'vuln_id'].filter((column) => sql.includes(`\`${column}\``)).map((column) => ({ name, column })),
  )
  expect(tables.length).toBeGreaterThan(20)
  for (const { name, column } of tables) {
    const id = column === 'org_id' ? org_id : private_id
    expect([name, await rows(world.env, `SELECT 1 FROM ${name} WHERE ${column} = ?1`, id)]).toEqual([name, []])
  }
  expect(await world.sql`SELECT id FROM vulns`).toEqual([{ id: 1 }])
  expect((await ours.answer(currentUser)).status).toBe(401)
  expect(await insert('SELECT 1 FROM sessions WHERE org_id = ?1 AND revoked_at IS NULL')).toEqual([])
  expect((await caller(world, null).call(checkInvitation, { params: { token: link } })).status).toBe('invalid')
  expect(await world.sql`SELECT 1 FROM users WHERE id = ${ours.user_id}`).toHaveLength(1)
  expect((await root.call(listAudit)).results).toMatchObject([
    { action: 'org.remove', target: expect.stringMatching(/^org/) },
  ])
  expect((await root.answer(removeOrg, { params: { id: org_id } })).status).toBe(404)
})

test('the organization of the admins and the current one are neither disabled nor removed', async () => {
  const world = aWorld()
  const root = await anOrg({ world, is_admin: true })
  const kept = await anOrg({ world })
  await world.sql`UPDATE orgs SET slug = 'private', name = 'Private' WHERE id = ${kept.org_id}`
  for (const contract of [disableOrg, removeOrg]) {
    const [theirs, ours] = [kept, root].map(({ org_id: id }) => root.answer(contract, { params: { id } }))
    await expectRefused(theirs, 409, 'Private is the organization of the admins')
    await expectRefused(ours, 409, expect.stringContaining('is your current organization'))
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
  expect(await call(getOrgSettings, { params: { org_id } })).toMatchObject({
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
  expect((await answer(getOrgSettings, { params: { org_id: theirs.org_id } })).status).toBe(403)
  const settings = { body: { org_id: theirs.org_id, alerts_emails: [] } }
  expect((await theirs.member.answer(updateOrgSettings, settings)).status).toBe(403)
  expect((await theirs.member.answer(getOrgSettings, { params: { org_id: theirs.org_id } })).status).toBe(200)
})

test('a global admin acts in an organization with all its rights, which its log tells, and goes back', async () => {
  const { root, ours } = await aRootedOrg()
  const { id } = await ours.call(addVuln, { body: { summary: 'Our own flaw' } })
  const params = { id: ours.org_id }
  expect((await root.answer(getVuln, { params: { id } })).status).toBe(404)

  const org = await root.call(actInOrg, { params })
  expect(org).toEqual({ org_id: ours.org_id, org_name: expect.stringMatching(/^org/) })
  expect(await root.call(currentUser)).toMatchObject({
    is_acting: true,
    is_org_admin: true,
    current_org: org,
    orgs: [{ id: root.org_id }],
  })
  expect(await root.call(getVuln, { params: { id } })).toMatchObject({ id })
  await root.call(updateOrgSettings, { body: { org_id: ours.org_id, enable_email_alert_new_vuln: false } })
  expect((await root.answer(createToken, { body: { name: 'left behind' } })).status).toBe(409)

  expect(await root.call(stopActing)).toMatchObject({ org_id: root.org_id })
  expect(await root.call(currentUser)).toMatchObject({ is_acting: false, current_org: { org_id: root.org_id } })
  expect((await root.answer(getVuln, { params: { id } })).status).toBe(404)
  const told = (await ours.call(listAudit)).results.filter(({ actor }) => actor === root.username)
  expect(told.map(({ action }) => action)).toEqual(['org.act_end', 'settings.update', 'org.act'])
  expect((await root.call(listAudit)).results).toMatchObject([{ action: 'org.act', actor: root.username }])
})

test('acting needs a fresh proof and an enabled organization, and ends with the rights of the admin', async () => {
  const { world, root, ours } = await aRootedOrg()
  const act = async () => (await root.answer(actInOrg, { params: { id: ours.org_id } })).status
  const set = (sql: string, ...values: unknown[]) => rows(world.env, sql, ...values)
  await set("UPDATE sessions SET proved_at = '2026-01-01T00:00:00Z' WHERE user_id = ?1", root.user_id)
  expect(await act()).toBe(403)
  await set('UPDATE sessions SET proved_at = created_at WHERE user_id = ?1', root.user_id)
  await set('UPDATE orgs SET is_active = 0 WHERE id = ?1', ours.org_id)
  expect(await act()).toBe(409)
  await set('UPDATE orgs SET is_active = 1 WHERE id = ?1', ours.org_id)
  expect(await act()).toBe(200)

  await root.call(setOrg, { params: { id: root.org_id } })
  expect(await root.call(currentUser)).toMatchObject({ is_acting: false })
  expect((await ours.call(listAudit)).results.map(({ action }) => action)).toEqual(['org.act_end', 'org.act'])

  expect(await act()).toBe(200)
  await set('UPDATE users SET is_admin = 0 WHERE id = ?1', root.user_id)
  expect((await root.answer(currentUser)).status).toBe(401)
  await set('UPDATE users SET is_admin = 1 WHERE id = ?1', root.user_id)
  const other = await anOrg({ world, is_admin: true })
  await other.call(removeOrg, { params: { id: ours.org_id } })
  expect((await root.answer(currentUser)).status).toBe(401)
})

test('a provider cannot lend its session to act elsewhere', async () => {
  const world = aWorld()
  const ours = await anOrg({ world, is_org_admin: true })
  const theirs = await anOrg({ world })
  const set = (sql: string) => rows(world.env, sql, ours.user_id, theirs.org_id)
  await set('UPDATE sessions SET acting_org_id = ?2 WHERE user_id = ?1')
  expect((await ours.answer(currentUser)).status).toBe(401)
  expect((await ours.answer(actInOrg, { params: { id: theirs.org_id } })).status).toBe(401)
})

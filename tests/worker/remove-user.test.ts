import { expect, test } from 'vitest'
import { createToken } from '../../worker/account/access-contract'
import { deleteAccount, exportAccount } from '../../worker/account/contract'
import { createRoute } from '../../worker/alerts/receivers/contract'
import { currentUser } from '../../worker/auth/contract'
import { listFindings } from '../../worker/inventories/finding-contract'
import { decideFindings } from '../../worker/inventories/proposal-contract'
import {
  deleteUser,
  disableMember,
  disableUser,
  enableUser,
  promoteMember,
  removeMember,
} from '../../worker/orgs/members/contract'
import { addComment } from '../../worker/triage/contract'
import { aVulnerablePackage, send } from './support/inventory-scene'
import { aMember } from './support/member'
import { anOrg, expectAnswer, rows, signInByPassword } from './support/org'
import { obtain } from './support/sign-in'
import type { aWorld } from './support/world'

const aVuln = (world: ReturnType<typeof aWorld>) =>
  world.sql`INSERT INTO vulns(id, state, summary, created_at, updated_at) VALUES (1, 'published', '', 0, 0)`

test('a user deletes the own account, and texts written for the organization stay without a name', async () => {
  const { world, org_id } = await anOrg({ is_org_admin: true })
  await aVuln(world)
  const member = await aMember(world, org_id)
  await member.call(createToken, { body: { name: 'script' } })
  await member.call(addComment, { params: { id: 1 }, body: { body: 'Mind this' } })
  await world.sql`UPDATE sessions SET proved_at = '2026-01-01T00:00:00Z'`
  expect((await member.answer(deleteAccount)).status).toBe(403)
  await world.sql`UPDATE sessions SET proved_at = created_at`
  expect(await member.call(deleteAccount, { body: {} })).toEqual({ status: 'success' })
  expect((await member.answer(currentUser)).status).toBe(401)
  expect((await obtain(world, { username: member.username })).status).toBe(401)
  const schema = await world.sql<{
    name: string
    sql: string
  }>`SELECT name, sql FROM sqlite_master WHERE type = 'table'`
  const tables = schema.filter(({ sql }) => sql.includes('`user_id`'))
  expect(tables.length).toBeGreaterThan(8)
  for (const { name } of tables)
    expect([name, await rows(world.env, `SELECT 1 FROM ${name} WHERE user_id = ?1`, member.user_id)]).toEqual([
      name,
      [],
    ])
  expect(await world.sql`SELECT body, user_id FROM comments`).toEqual([{ body: 'Mind this', user_id: null }])
  expect(await world.sql`SELECT actor FROM audit_log WHERE action = 'user.delete'`).toEqual([
    { actor: member.username },
  ])
})

test('a user who signs in while the account is removed hears that it is not there', async () => {
  const { world, org_id } = await anOrg({ is_org_admin: true })
  const { username, user_id } = await aMember(world, org_id)
  for (const [table, mfa_enabled] of [
    ['sessions', 0],
    ['challenges', 1],
  ] as const) {
    await world.sql`UPDATE users SET mfa_enabled = ${mfa_enabled} WHERE id = ${user_id}`
    await rows(
      world.env,
      `CREATE TRIGGER gone BEFORE INSERT ON ${table} BEGIN DELETE FROM users WHERE id = NEW.user_id; END`,
    )
    expect((await obtain(world, { username })).status).toBe(401)
    await world.sql`DROP TRIGGER gone`
  }
})

test('the only admin of an organization hears what must happen first', async () => {
  const { world, org_id, user_id, answer, call } = await anOrg({ is_org_admin: true })
  const root = await anOrg({ world, is_admin: true })
  const refusals = [
    await answer(deleteAccount),
    await root.answer(deleteUser, { params: { id: user_id } }),
    await root.answer(disableUser, { params: { id: user_id } }),
  ]
  for (const response of refusals)
    expect([response.status, await response.json()]).toEqual([
      409,
      expect.objectContaining({ code: 'sole_admin', message: expect.stringMatching(/Make somebody else.*org/) }),
    ])
  const heir = await aMember(world, org_id)
  await call(promoteMember, { params: { org_id, user_id: heir.user_id } })
  expect((await answer(deleteAccount)).status).toBe(200)
  expect(await world.sql`SELECT user_id FROM members WHERE org_id = ${org_id}`).toEqual([{ user_id: heir.user_id }])
})

test('admins hear when the alerts go to nobody, as their receiver was disabled, removed or deleted', async () => {
  const { world, org_id, call, email } = await anOrg({ is_org_admin: true })
  const root = await anOrg({ world, is_admin: true })
  const [one, two, three, four] = [
    await aMember(world, org_id),
    await aMember(world, org_id),
    await aMember(world, org_id),
    await aMember(world, org_id),
  ]
  const ways = [
    { member: one, leave: () => call(disableMember, { params: { org_id, user_id: one.user_id } }) },
    { member: two, leave: () => call(removeMember, { params: { org_id, user_id: two.user_id } }) },
    { member: three, leave: () => root.call(deleteUser, { params: { id: three.user_id } }) },
    { member: four, leave: () => four.call(deleteAccount) },
  ]
  const told = async () => {
    await world.drain()
    return world.mails.splice(0).map(({ to, subject }) => [to, subject])
  }
  for (const { member, leave } of ways) {
    await world.sql`UPDATE alert_settings SET alerts_emails = json_array(${member.email}) WHERE org_id = ${org_id}`
    await told()
    await leave()
    expect(await told()).toEqual([
      [email, expect.stringMatching(/^\[Earshot\] org\d+: nobody gets alerts by mail any more$/)],
    ])
  }
  // No text keeps the address of an account that is gone.
  for (const { email: gone } of [three, four])
    expect(JSON.stringify(await world.sql`SELECT * FROM mails`)).not.toContain(gone)
  const night = await aMember(world, org_id)
  await world.sql`UPDATE alert_settings SET alerts_emails = json_array(${email})`
  await call(createRoute, { body: { kind: 'email', name: 'Night', addresses: [night.email] } })
  await call(disableMember, { params: { org_id, user_id: night.user_id } })
  expect(await told()).toEqual([[email, expect.stringContaining(`${night.email} gets no alerts any more`)]])
  const quiet = await aMember(world, org_id)
  await call(disableMember, { params: { org_id, user_id: quiet.user_id } })
  expect(await told()).toEqual([])
  // With a membership goes what was confirmed from the mailbox, and with an account also for an organization of others.
  const [five, stranger] = [await aMember(world, org_id), await anOrg({ world })]
  await world.sql`UPDATE alert_settings SET alerts_emails = json_array(${five.email}, ${stranger.email})`
  for (const account of [five, stranger])
    await world.sql`INSERT INTO alert_addresses VALUES (${org_id}, lower(${account.email}), '2026-01-01')`
  await world.sql`INSERT INTO links(token_hash, kind, email, org_id, created_at, expires_at)
    VALUES ('x', 'alert_address', lower(${five.email}), ${org_id}, '', '')`
  await call(disableMember, { params: { org_id, user_id: five.user_id } })
  expect(await world.sql`SELECT 1 FROM links WHERE token_hash = 'x' AND used_at IS NULL`).toEqual([])
  expect(await told()).toEqual([[email, expect.stringContaining(`${five.email} gets no alerts any more`)]])
  expect(await world.sql`SELECT email FROM alert_addresses`).toEqual([{ email: stranger.email }])
  await root.call(deleteUser, { params: { id: stranger.user_id } })
  expect(await told()).toEqual([[email, expect.stringContaining('nobody gets alerts by mail any more')]])
})

test('a global admin disables, enables and deletes a user; nobody else may, and the last one stays', async () => {
  const { world, org_id, ...boss } = await anOrg({ is_org_admin: true })
  const root = await anOrg({ world, is_admin: true })
  const member = await aMember(world, org_id)
  const input = { params: { id: member.user_id } }
  for (const contract of [disableUser, enableUser, deleteUser])
    expect((await boss.answer(contract, input)).status).toBe(403)
  expect(await root.call(disableUser, { ...input, body: {} })).toEqual({ status: 'success' })
  expect((await member.answer(currentUser)).status).toBe(401)
  expect((await obtain(world, { username: member.username })).status).toBe(401)
  await root.call(enableUser, { ...input, body: {} })
  expect((await (await signInByPassword(world, member.username)).call(currentUser)).id).toBe(member.user_id)
  expect(await root.call(deleteUser, input)).toEqual({ status: 'success' })
  expect((await root.answer(deleteUser, input)).status).toBe(404)
  expect((await root.answer(deleteUser, { params: { id: root.user_id } })).status).toBe(403)
  await expectAnswer(root.answer(deleteAccount), 409, { code: 'last_admin' })
})

test('an export holds what is kept about a user, and no secret', async () => {
  const org = await anOrg({ is_org_admin: true })
  const { world, call, username, email } = org
  const { token } = await call(createToken, { body: { name: 'script' } })
  const one = await aVulnerablePackage(world)
  await send(org, 'shop', [one.purl('1.0')])
  const [finding] = (await call(listFindings, { params: { name: 'shop' } })).results
  const findings = [{ vuln_id: finding?.vuln_id ?? 0, component_id: finding?.component_id ?? 0 }]
  const decision = { status: 'affected', note: 'Soon', fix: '2.15.0' } as const
  await call(decideFindings, { params: { name: 'shop' }, body: { findings, decision } })
  const colleague = await aMember(world, org.org_id)
  expect(await colleague.call(exportAccount)).toMatchObject({ decisions: [] })
  const kept = await call(exportAccount)
  expect(kept).toMatchObject({
    user: { username, email },
    memberships: [{ is_admin: 1 }],
    api_tokens: [{ name: 'script' }],
    decisions: [{ inventory: 'shop', component: 'part0', vuln_id: finding?.vuln_id, status: 'affected', note: 'Soon' }],
    dismissed: [],
    log: [expect.objectContaining({ action: 'inventory.decide' }), expect.objectContaining({ action: 'token.create' })],
  })
  const [user] = await world.sql<{ password_hash: string }>`SELECT password_hash FROM users`
  const text = JSON.stringify(kept)
  for (const secret of [token, user?.password_hash ?? '', 'token_hash', 'totp_secret'])
    expect(text).not.toContain(secret)
})

import { expect, test } from 'vitest'
import { exportAccount } from '../../worker/account/contract'
import { addPasskey, passkeyOptions } from '../../worker/account/passkeys-contract'
import { createToken } from '../../worker/account/access-contract'
import { currentUser, setOrg } from '../../worker/auth/contract'
import { joinByInvitation, checkInvitation } from '../../worker/auth/joining-contract'
import { acceptMyInvitation, listMyInvitations } from '../../worker/orgs/joining/invitations-contract'
import { inviteUsers, listOrgUsers } from '../../worker/orgs/members/contract'
import { anAuthenticator } from './support/authenticator'
import { tokenMailedTo } from './support/member'
import { anOrg, caller, rows, signInByPassword } from './support/org'
import { insertVuln } from './support/public-rows'
import { withTotp } from './support/sign-in'
import { anSsoOrg, signInAt } from './support/sso'
import { password } from '../support/credentials'

const address = 'anna@example.org'

/** Somebody's own provider says it is Anna, and its owner prepares every way to come back. */
async function anAttack() {
  const attacker = await anSsoOrg()
  const { world } = attacker
  const asAnna = await signInAt(world, address)
  const { id: user_id } = await asAnna.call(currentUser)
  const device = await anAuthenticator(world.env.APP_URL)
  const { challenge_id, options } = await asAnna.call(passkeyOptions, { body: {} })
  const response = await device.create(options as { challenge: string; user: { id: string } })
  await asAnna.call(addPasskey, { body: { challenge_id, name: 'Mine', response } })
  const { token } = await asAnna.call(createToken, { body: { name: 'Mine', scope: 'write' } })
  const byToken = (path: string) => world.request(path, { headers: { authorization: `Token ${token}` } })
  await withTotp(asAnna)
  return { attacker, world, asAnna, user_id, byToken }
}

test('a person whom a provider made up gains nothing when the real organization invites the address', async () => {
  const { world, asAnna, user_id, byToken, attacker } = await anAttack()
  const real = await anOrg({ world, is_org_admin: true })
  await real.call(inviteUsers, { params: { org_id: real.org_id }, body: { emails: address } })
  const token = await tokenMailedTo(world, address)

  expect(await asAnna.call(listMyInvitations)).toEqual([])
  const [link] = await world.sql<{ id: number }>`SELECT id FROM links WHERE kind = 'invitation'`
  expect((await asAnna.answer(acceptMyInvitation, { params: { id: link?.id ?? 0 } })).status).toBe(404)
  expect(await world.sql`SELECT org_id FROM members WHERE user_id = ${user_id}`).toEqual([{ org_id: attacker.org_id }])

  const mailbox = caller(world, null)
  expect(await mailbox.call(checkInvitation, { params: { token } })).toMatchObject({ step: 'password' })
  expect((await mailbox.answer(joinByInvitation, { params: { token } })).status).toBe(400)
  await mailbox.call(joinByInvitation, { params: { token }, body: { password } })

  expect((await asAnna.answer(currentUser)).status).toBe(401)
  expect((await byToken('/users/api/current')).status).toBe(401)
  for (const table of ['passkeys', 'api_tokens', 'recovery_codes'])
    expect(await rows(world.env, `SELECT 1 FROM ${table} WHERE user_id = ?1`, user_id)).toEqual([])
  const refused = await signInAt(world, address)
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringMatching(/beyond this organization/)])

  const anna = await signInByPassword(world, 'anna')
  expect((await anna.call(currentUser)).mfa_enabled).toBe(false)
  await anna.call(setOrg, { params: { id: real.org_id } })
  expect((await real.call(listOrgUsers)).results.map(({ email }) => email)).toContain(address)
})

test('a session of a provider stays in its organization, whatever else its user belongs to', async () => {
  const { world, org_id, user_id, email, ...boss } = await anSsoOrg()
  const elsewhere = await anOrg({ world, is_org_admin: true })
  const bound = await signInAt(world, email)
  await world.sql`INSERT INTO members(org_id, user_id, is_admin) VALUES (${elsewhere.org_id}, ${user_id}, 1)`
  expect((await bound.call(currentUser)).orgs.map(({ id }) => id)).toEqual([org_id])
  expect((await bound.answer(setOrg, { params: { id: elsewhere.org_id } })).status).toBe(404)
  const invite = { params: { org_id: elsewhere.org_id }, body: { emails: 'x@example.net' } }
  expect((await bound.answer(inviteUsers, invite)).status).toBe(404)
  expect((await bound.call(listOrgUsers)).results.map((row) => row.org_id)).toEqual([org_id])
  expect((await boss.call(currentUser)).orgs).toHaveLength(2)
  const { id } = await insertVuln(world)
  const written =
    "INSERT INTO comments(org_id, user_id, vuln_id, body, created_at) VALUES (?1, ?2, ?3, ?4, '2026-11-20T00:00:00Z')"
  for (const [org, body] of [
    [org_id, 'said here'],
    [elsewhere.org_id, 'said elsewhere'],
  ] as const)
    await rows(world.env, written, org, user_id, id, body)
  const own = await Promise.all([bound, boss].map(async ({ call }) => JSON.stringify(await call(exportAccount))))
  expect(own.map((text) => [text.includes('said here'), text.includes('said elsewhere')])).toEqual([
    [true, false],
    [true, true],
  ])

  await world.sql`UPDATE users SET is_admin = 1 WHERE id = ${user_id}`
  expect((await bound.answer(currentUser)).status).toBe(401)
  await world.sql`UPDATE users SET is_admin = 0 WHERE id = ${user_id}`
  await world.sql`UPDATE sessions SET org_id = ${elsewhere.org_id} WHERE sso_org_id IS NOT NULL`
  expect((await bound.answer(currentUser)).status).toBe(401)
})

test('a token that was made under a provider reaches no other organization', async () => {
  const { world, email } = await anSsoOrg()
  const elsewhere = await anOrg({ world })
  const bound = await signInAt(world, email)
  const { token } = await bound.call(createToken, { body: { name: 'script', scope: 'write' } })
  const toggle = (organization_id: number) =>
    world.request('/api/monitor/vendor/toggle', {
      method: 'POST',
      headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ vendor_id: 1, monitored: true, organization_id }),
    })
  expect((await toggle(elsewhere.org_id)).status).toBe(403)
  await elsewhere.world.sql`UPDATE members SET is_admin = 1 WHERE org_id = ${elsewhere.org_id}`
  await caller(world, elsewhere.access).call(inviteUsers, {
    params: { org_id: elsewhere.org_id },
    body: { emails: email },
  })
  const [invitation] = await (await signInByPassword(world, email)).call(listMyInvitations)
  await (
    await signInByPassword(world, email)
  ).call(acceptMyInvitation, { params: { id: invitation?.id ?? 0 }, body: {} })
  expect((await toggle(elsewhere.org_id)).status).toBe(401)
})

test('with the first membership elsewhere all ends that was made while a provider could speak for somebody', async () => {
  const { world, email, username, call } = await anSsoOrg()
  const bound = await signInAt(world, email)
  const { token } = await bound.call(createToken, { body: { name: 'script' } })
  const real = await anOrg({ world, is_org_admin: true })
  await real.call(inviteUsers, { params: { org_id: real.org_id }, body: { emails: email } })
  expect(await bound.call(listMyInvitations)).toEqual([])
  const [invitation] = await call(listMyInvitations)
  expect((await bound.answer(acceptMyInvitation, { params: { id: invitation?.id ?? 0 } })).status).toBe(404)
  await call(acceptMyInvitation, { params: { id: invitation?.id ?? 0 }, body: {} })

  for (const one of [bound.answer(currentUser), caller(world, token).answer(currentUser)])
    expect((await one).status).toBe(401)
  expect(await world.sql`SELECT 1 FROM api_tokens`).toEqual([])
  expect((await (await signInByPassword(world, username)).call(currentUser)).orgs).toHaveLength(2)
})

test('a reset proves the mailbox of an account that a provider made, and ends what was made before', async () => {
  const { world, asAnna, user_id, byToken } = await anAttack()
  await world.request('/password_reset/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: address }),
  })
  const token = await tokenMailedTo(world, address)
  await world.request('/password_reset/confirm/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password }),
  })
  expect((await asAnna.answer(currentUser)).status).toBe(401)
  expect((await byToken('/users/api/current')).status).toBe(401)
  expect(await world.sql`SELECT 1 FROM passkeys WHERE user_id = ${user_id}`).toEqual([])
  expect((await (await signInByPassword(world, 'anna')).call(currentUser)).id).toBe(user_id)
})

import { expect, test } from 'vitest'
import { createToken } from '../../worker/account/access-contract'
import { deleteAccount } from '../../worker/account/contract'
import { currentUser } from '../../worker/auth/contract'
import { acceptTrial, startTrial } from '../../worker/auth/joining-contract'
import { removeMember } from '../../worker/orgs/members/contract'
import { password } from '../support/credentials'
import { aMember, tokenMailedTo } from './support/member'
import { anOrg, caller, signInByPassword } from './support/org'
import type { World } from './support/world'

/** A stranger starts a trial and signs in as often as somebody else did. */
async function aStranger(world: World) {
  const [email, username] = ['stranger@example.org', 'stranger']
  const nobody = caller(world, null)
  await nobody.call(startTrial, { body: { email, org_name: 'Strangers' } })
  const token = await tokenMailedTo(world, email)
  const names = { username, first_name: 'Ada', last_name: 'Lovelace' }
  await nobody.call(acceptTrial, { params: { token }, body: { ...names, password, password_confirm: password } })
  for (let time = 0; time < 14; time++) await signInByPassword(world, username)
  return world.sql<{ id: number }>`SELECT id FROM users WHERE username = 'stranger'`
}

test('a user who deleted the account is nobody, and no stranger who signs up after', async () => {
  const { world, org_id } = await anOrg({ is_org_admin: true })
  const member = await aMember(world, org_id)
  const held = []
  for (let time = 0; time < 12; time++) held.push((await signInByPassword(world, member.username)).access)
  const last = await signInByPassword(world, member.username)
  await last.call(deleteAccount, { body: {} })

  const [stranger] = await aStranger(world)
  expect(stranger?.id).toBeGreaterThan(member.user_id)
  for (const access of [...held, last.access]) {
    expect((await caller(world, access).answer(currentUser)).status).toBe(401)
    expect((await caller(world, access).answer(createToken, { body: { name: 'Mine', scope: 'write' } })).status).toBe(
      401,
    )
  }
})

test('a removed member is nobody, and not the one who joins next', async () => {
  const { world, org_id, call } = await anOrg({ is_org_admin: true })
  const leaver = await aMember(world, org_id)
  const { access } = await signInByPassword(world, leaver.username)
  await call(removeMember, { params: { org_id, user_id: leaver.user_id } })
  const joiner = await aMember(world, org_id)
  expect(joiner.user_id).toBeGreaterThan(leaver.user_id)
  expect((await caller(world, access).answer(currentUser)).status).toBe(401)
})

test('a session of the same number opens to nobody who knew another of that number', async () => {
  const { world, access, user_id } = await anOrg()
  // As in a database that was restored from before.
  await world.sql`UPDATE sessions SET secret = lower(hex(randomblob(16))) WHERE user_id = ${user_id}`
  expect((await caller(world, access).answer(currentUser)).status).toBe(401)
})

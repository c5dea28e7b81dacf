import { expect, test } from 'vitest'
import { currentUser } from '../../worker/auth/contract'
import { acceptTrial, startTrial } from '../../worker/auth/joining-contract'
import { findSpelling } from '../../worker/auth/spelling'
import { mailDomain } from '../../worker/auth/sso/provider'
import { openDb } from '../../worker/db/open'
import { NamedEmail } from '../../worker/domain/people/password'
import {
  acceptMyInvitation,
  listMyInvitations,
  listOrgInvitations,
} from '../../worker/orgs/joining/invitations-contract'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { inviteUsers, removeMember } from '../../worker/orgs/members/contract'
import { aMember } from './support/member'
import { anOrg, caller } from './support/org'
import { obtain } from './support/sign-in'
import { aWorld } from './support/world'
import { password } from '../support/credentials'

test('a mailbox has one account, however its domain is spelled, and accounts that stand beside each other go on', async () => {
  const world = aWorld()
  const { call, answer } = caller(world, null)
  const [known, other] = ['user@bücher.example', 'user@xn--bcher-kva.example']
  const tokens = async () => {
    await world.drain()
    return world.mails.flatMap(({ text }) => /\/trial\/([\w-]+)/.exec(text)?.[1] ?? [])
  }
  const request = async (address: string) => {
    await world.sql`DELETE FROM mail_allowances`
    await call(startTrial, { body: { email: address, org_name: 'Books' } })
  }
  for (const address of [known, other]) await request(address)
  const [first = '', second = ''] = await tokens()
  const register = (token: string, username: string) =>
    answer(acceptTrial, {
      params: { token },
      body: { username, password, password_confirm: password, last_name: 'Lovelace' },
    })
  expect((await register(first, 'reader')).status).toBe(200)
  expect((await register(second, 'reader_two')).status).toBe(400)
  const spellings = () => world.sql`SELECT email FROM users WHERE email LIKE 'user@%' ORDER BY id`
  expect(await spellings()).toEqual([{ email: known }])
  await request(other)
  expect(await tokens()).toHaveLength(2)
  const signIn = async (username: string, typed = password) =>
    (await obtain(world, { username, password: typed })).status
  expect([await signIn(known), await signIn(other), await signIn('user@ｂücher.example')]).toEqual([200, 200, 200])
  expect(await signIn('else@xn--bcher-kva.example')).toBe(401)
  const before = await world.sql`SELECT key FROM throttles`
  for (const address of [known, other, 'user@ｂücher.example'])
    expect(await signIn(address, 'Wrong-Horse-9!')).toBe(401)
  expect(await world.sql`SELECT key FROM throttles`).toHaveLength(before.length + 1)

  // A twin from before is known by its own spelling.
  await world.sql`INSERT INTO users(username, email, password_hash, created_at, email_verified_at)
    SELECT 'twin', ${other}, password_hash, created_at, email_verified_at FROM users WHERE username = 'reader'`
  const db = openDb(world.env)
  expect([await findSpelling(db, known), await findSpelling(db, other)]).toEqual([known, other])
  expect(await findSpelling(db, 'user@BÜCHER.example'.toLowerCase())).toBe(known)
  expect(await findSpelling(db, 'another@xn--bcher-kva.example')).toBe('another@xn--bcher-kva.example')
})

test('an invitation finds its mailbox by either spelling, and ends with a member who is removed', async () => {
  const world = aWorld()
  const [ours, theirs] = [await anOrg({ world, is_org_admin: true }), await anOrg({ world, is_org_admin: true })]
  const invite = ({ call, org_id }: typeof ours, emails: string) =>
    call(inviteUsers, { params: { org_id }, body: { emails } })
  for (const org of [ours, theirs]) await invite(org, 'user@xn--bcher-kva.example other@xn--bcher-kva.example')
  const { call, user_id } = await aMember(world, ours.org_id)
  await world.sql`UPDATE users SET email = 'user@bücher.example' WHERE id = ${user_id}`

  const listed = await call(listMyInvitations)
  expect(listed).toHaveLength(2)
  await call(acceptMyInvitation, { params: { id: listed[0]?.id ?? 0 }, body: {} })
  expect((await call(currentUser)).orgs).toHaveLength(2)
  await ours.call(removeMember, { params: { org_id: ours.org_id, user_id } })
  const pending = await ours.call(listOrgInvitations, { params: { org_id: ours.org_id } })
  expect(pending.map(({ email }) => email)).toEqual(['other@xn--bcher-kva.example'])
})

test('the domain of an address is that of its organization, however it is spelled', () => {
  const spelled = ['reader@bücher.example', 'reader@BÜCHER.example', 'reader@xn--bcher-kva.example']
  expect(spelled.map(mailDomain)).toEqual(spelled.map(() => 'xn--bcher-kva.example'))
  expect(NamedEmail.parse('Reader@ｅxample.org')).toBe('reader@example.org')
})

test('alerts know a member by any spelling, and a member who leaves is told by none', async () => {
  const world = aWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const member = await aMember(world, org.org_id)
  const [own, other] = ['reader@bücher.example', 'reader@xn--bcher-kva.example']
  await world.sql`UPDATE users SET email = ${own} WHERE id = ${member.user_id}`
  const listed = await org.call(updateOrgSettings, { body: { org_id: org.org_id, alerts_emails: [other] } })
  expect([listed.alerts_emails, listed.alerts_emails_unconfirmed]).toEqual([[own], []])

  // Of somebody elsewhere it learns nothing.
  const stranger = await aMember(world, (await anOrg({ world })).org_id)
  await world.sql`UPDATE users SET email = 'guest@bücher.example' WHERE id = ${stranger.user_id}`
  const asked = ['guest@xn--bcher-kva.example']
  const { alerts_emails } = await org.call(updateOrgSettings, { body: { org_id: org.org_id, alerts_emails: asked } })
  expect(alerts_emails).toEqual(asked)

  // As from before the account was made.
  await world.sql`UPDATE alert_settings SET alerts_emails = json_array(${other})`
  for (const address of [other, 'writer@xn--bcher-kva.example'])
    await world.sql`INSERT INTO alert_addresses VALUES (${org.org_id}, ${address}, '2026-01-01T00:00:00Z')`
  await org.call(removeMember, { params: { org_id: org.org_id, user_id: member.user_id } })
  expect(await world.sql`SELECT email FROM alert_addresses`).toEqual([{ email: 'writer@xn--bcher-kva.example' }])
})

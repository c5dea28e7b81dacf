import { expect, test } from 'vitest'
import { askEmailChange } from '../../worker/account/contract'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { inviteUsers } from '../../worker/orgs/members/contract'
import { sendVuln } from '../../worker/triage/contract'
import { aKnownWorld } from './support/known-world'
import { aMember } from './support/member'
import { anOrg } from './support/org'
import { aWorld } from './support/world'
import { password } from '../support/credentials'

const addresses = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `stranger${from + at}@example.net`)

test('an organization on trial sends ten invitations in all, and none of those that are too many', async () => {
  const { world, org_id, call } = await anOrg({ is_org_admin: true })
  await world.sql`UPDATE orgs SET trial_ends_at = '2099-01-01T00:00:00Z'`
  const invite = (emails: string[]) => call(inviteUsers, { params: { org_id }, body: { emails } })
  expect(await invite(addresses(8))).toEqual({ status: 'success' })
  const refused = {
    status: 'error',
    reason:
      'Nothing was sent: an organization on trial sends 10 invitations in all, and 10 mails of every kind in an hour, 20 in a day',
  }
  expect(await invite(addresses(3, 8))).toEqual(refused)
  expect(await invite(addresses(2, 8))).toEqual({ status: 'success' })
  await world.sql`UPDATE mail_allowances SET day = '2026-01-01' WHERE day <> ''`
  expect(await invite(addresses(1, 10))).toEqual(refused)
  await world.drain()
  expect(world.mails).toHaveLength(10)
  expect(await world.sql`SELECT 1 FROM links WHERE kind = 'invitation'`).toHaveLength(10)
})

test('senders and organizations have a daily limit, and a mailbox gets five invitations a day', async () => {
  const world = aWorld()
  const { org_id, call } = await anOrg({ world, is_org_admin: true })
  const invite = async (emails: string[], as = call) =>
    (await as(inviteUsers, { params: { org_id }, body: { emails } })).status
  expect([await invite(addresses(50)), await invite(addresses(50, 50)), await invite(addresses(1, 100))]).toEqual([
    'success',
    'success',
    'error',
  ])
  const other = await aMember(world, org_id, { manage_organization: true })
  expect(await invite(addresses(1, 100), other.call)).toBe('success')
  for (let time = 0; time < 5; time++) expect(await invite(['one@example.net'], other.call)).toBe('success')
  expect(await invite(['one@example.net'], other.call)).toBe('error')
  await world.sql`UPDATE mail_allowances SET day = '2026-01-01' WHERE day <> ''`
  expect(await invite(['one@example.net'], other.call)).toBe('success')
})

test('details go to so many strangers a day, five times to each, and to ten in all on trial', async () => {
  const world = await aKnownWorld()
  const { org_id, answer, email } = await anOrg({ world })
  const send = async (emails: string[]) => {
    const response = await answer(sendVuln, { params: { id: 1 }, body: { emails } })
    return [response.status, ((await response.json()) as { message?: string }).message]
  }
  const sent = [200, undefined]
  const tooMany = [429, 'Too many details to people outside of your organization today: try again tomorrow']
  for (let time = 0; time < 5; time++) expect(await send(['one@example.net'])).toEqual(sent)
  expect(await send(['one@example.net'])).toEqual(tooMany)
  for (let time = 0; time < 4; time++) expect(await send(addresses(10, time * 10))).toEqual(sent)
  expect(await send(addresses(6, 40))).toEqual(tooMany)
  for (let time = 0; time < 6; time++) expect(await send([email])).toEqual(sent)

  await world.sql`UPDATE mail_allowances SET day = '2026-01-01' WHERE day <> ''`
  await world.sql`UPDATE orgs SET trial_ends_at = '2099-01-01T00:00:00Z' WHERE id = ${org_id}`
  expect(await send(addresses(8, 60))).toEqual(sent)
  const onTrial = [
    429,
    'An organization on trial sends 10 details in all to people outside of it, and 10 mails of every kind in an hour, 20 in a day',
  ]
  expect(await send(addresses(3, 70))).toEqual(onTrial)
  await world.sql`UPDATE mail_allowances SET day = '2026-01-01' WHERE day <> ''`
  expect([await send(addresses(2, 80)), await send(addresses(1, 90))]).toEqual([sent, onTrial])
  expect(await send([email])).toEqual(sent)
})

test('an address asked about alerts again and again gets one mail, and an organization asks twenty a day', async () => {
  const { world, org_id, answer } = await anOrg({ is_org_admin: true })
  const set = async (alerts_emails: string[]) =>
    (await answer(updateOrgSettings, { body: { org_id, alerts_emails } })).status
  for (let time = 0; time < 4; time++) expect(await set(['one@example.net'])).toBe(200)
  await world.drain()
  expect(world.mails).toHaveLength(1)
  for (let time = 0; time < 6; time++) expect(await set(addresses(3, time * 3))).toBe(200)
  expect(await set(addresses(3, 30))).toBe(429)
})

test('a user asks for five new addresses a day', async () => {
  const { answer } = await anOrg()
  const answers: Response[] = []
  for (const email of addresses(6)) answers.push(await answer(askEmailChange, { body: { email, password } }))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
  const wait_s = Number(answers.at(-1)?.headers.get('retry-after'))
  expect([wait_s > 0, wait_s <= 86_400]).toEqual([true, true])
})

test('organizations that write to a mailbox again and again keep no other one from it', async () => {
  const world = await aKnownWorld()
  const [trial, other, ours] = [
    await anOrg({ world, is_org_admin: true }),
    await anOrg({ world, is_org_admin: true }),
    await anOrg({ world, is_org_admin: true }),
  ]
  await world.sql`UPDATE orgs SET trial_ends_at = '2099-01-01T00:00:00Z' WHERE id = ${trial.org_id}`
  const soc = 'soc@example.net'
  const useUp = async ({ call, answer, org_id }: typeof ours) => {
    await call(updateOrgSettings, { body: { org_id, alerts_emails: [soc] } })
    await call(askEmailChange, { body: { email: soc, password } })
    for (let time = 0; time < 5; time++) {
      await call(inviteUsers, { params: { org_id }, body: { emails: [soc] } })
      await answer(sendVuln, { params: { id: 1 }, body: { emails: [soc] } })
    }
  }
  for (const org of [trial, other]) await useUp(org)
  await world.drain()
  const before = world.mails.length
  const { org_id, call } = ours
  await call(updateOrgSettings, { body: { org_id, alerts_emails: [soc] } })
  await call(askEmailChange, { body: { email: soc, password } })
  expect(await call(inviteUsers, { params: { org_id }, body: { emails: [soc] } })).toEqual({ status: 'success' })
  await call(sendVuln, { params: { id: 1 }, body: { emails: [soc] } })
  await world.drain()
  const told = world.mails.slice(before).filter(({ to }) => to === soc)
  expect(told.map(({ subject }) => subject)).toHaveLength(4)
})

import { expect, test } from 'vitest'
import { createToken } from '../../worker/account/access-contract'
import { deleteAccount, getProfile, updateProfile } from '../../worker/account/contract'
import { createAlertFeed } from '../../worker/atom/contract'
import { getReport, listReports } from '../../worker/alerts/reports/contract'
import { reportDays } from '../../worker/alerts/reports/queries'
import { getOrgSettings, updateOrgSettings } from '../../worker/alerts/settings/contract'
import { currentUser } from '../../worker/auth/contract'
import { checkInvitation, joinByInvitation } from '../../worker/auth/joining-contract'
import { setSnooze } from '../../worker/decisions/decide-contract'
import { acceptMyInvitation, listMyInvitations } from '../../worker/orgs/joining/invitations-contract'
import * as members from '../../worker/orgs/members/contract'
import { aKnownWorld } from './support/known-world'
import { aMember, tokenMailedTo } from './support/member'
import { anOrg, caller, expectAnswer, rows, session, signInByPassword, sqlIn } from './support/org'
import { aReportScene, quietReport } from './support/report-scene'
import { aWorld, type World } from './support/world'

type Person = Awaited<ReturnType<typeof aMember>>
const against = (contract: typeof members.demoteMember) => (by: Person, whom: Person, org_id: number) =>
  by.answer(contract, { params: { org_id, user_id: whom.user_id } })
const weakenings = {
  demotes: against(members.demoteMember),
  'keeps out': against(members.disableMember),
  removes: against(members.removeMember),
  leaves: (by: Person) => by.answer(deleteAccount),
}
const both = Object.keys(weakenings).flatMap((one) => Object.keys(weakenings).map((other) => [one, other] as const))

const admins = (world: World, org_id: number) =>
  world.sql`SELECT 1 FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.org_id = ${org_id} AND m.is_admin AND m.is_active AND u.is_active`

test.each(both)('of two admins at once one %s and the other one %s: one admin is left', async (one, other) => {
  const world = aWorld()
  const { org_id, ...anna } = await anOrg({ world, is_org_admin: true })
  const bert = await aMember(world, org_id, { is_org_admin: true })
  const act = (way: string, by: Person, whom: Person) => weakenings[way as 'demotes'](by, whom, org_id)
  const answers = await Promise.all([act(one, anna, bert), act(other, bert, anna)])
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  expect(await admins(world, org_id)).toHaveLength(1)
})

test('of two who run Earshot and remove each other at once, one is left', async () => {
  const world = aWorld()
  const roots = [await anOrg({ world, is_admin: true }), await anOrg({ world, is_admin: true })]
  const [one, other] = roots
  await Promise.all([
    one?.answer(members.deleteUser, { params: { id: other?.user_id } }),
    other?.answer(members.disableUser, { params: { id: one?.user_id } }),
  ])
  expect(await world.sql`SELECT 1 FROM users WHERE is_admin AND is_active`).toHaveLength(1)
})

test('simultaneous changes by two sessions to one person, or to one organization, are all there afterwards', async () => {
  const world = aWorld()
  const { org_id, user_id, ...admin } = await anOrg({ world, is_org_admin: true })
  const member = await aMember(world, org_id)
  const again = await session(world, { user_id, org_id })
  const [params, flags] = [{ id: member.user_id }, ['manage_organization', 'manage_alert_email'] as const]
  for (let time = 0; time < 3; time++) {
    const [first_name, last_name, is_on] = [`Ada${time}`, `Lovelace${time}`, time % 2 === 0]
    const changes = [
      admin.answer(members.updateUser, { params, body: { first_name } }),
      again.answer(members.updateUser, { params, body: { last_name } }),
      ...flags.map((flag) => again.answer(members.updateUser, { params, body: { [flag]: is_on } })),
      admin.answer(updateProfile, { body: { first_name } }),
      again.answer(updateProfile, { body: { last_name } }),
      admin.answer(updateOrgSettings, { body: { org_id, reports_hour: time + 9 } }),
      again.answer(updateOrgSettings, { body: { org_id, enable_daily_email_report: is_on } }),
    ]
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(changes.map(() => 200))
    const profile = { manage_organization: is_on, manage_alert_email: is_on }
    expect(await member.call(getProfile)).toMatchObject({ first_name, last_name, profile })
    expect(await admin.call(getProfile)).toMatchObject({ first_name, last_name })
    const settings = { reports_hour: time + 9, enable_daily_email_report: is_on }
    expect(await admin.call(getOrgSettings, { params: { org_id } })).toMatchObject(settings)
    const dues = await world.sql`SELECT kind FROM report_dues WHERE org_id = ${org_id}`
    expect(dues).toHaveLength(is_on ? 1 : 0)
  }
})

test('a writer for an organization while it is removed hears that it is gone', async () => {
  const world = await aKnownWorld()
  const { org_id, answer } = await anOrg({ world, is_org_admin: true })
  await world.sql`CREATE TRIGGER gone BEFORE INSERT ON decisions BEGIN DELETE FROM orgs; END`
  await expectAnswer(answer(setSnooze, { params: { id: 1 }, body: { kind: 'snoozed', until: '2099-01-01' } }), 409, {
    code: 'gone',
  })
  expect(await world.sql`SELECT 1 FROM orgs WHERE id = ${org_id}`).toHaveLength(1)
})

test('an invitation of before brings nobody back who was removed, and a new one brings back no old right', async () => {
  const world = aWorld()
  const { org_id, call } = await anOrg({ world, is_org_admin: true })
  const bert = await anOrg({ world })
  const invite = () => call(members.inviteUsers, { params: { org_id }, body: { emails: [bert.email] } })
  await invite()
  const old = await tokenMailedTo(world, bert.email)
  // They came another way, as by a provider, and were made an admin.
  await world.sql`INSERT INTO members(org_id, user_id) VALUES (${org_id}, ${bert.user_id})`
  await call(members.promoteMember, { params: { org_id, user_id: bert.user_id } })
  const inside = await session(world, { user_id: bert.user_id, org_id })
  const { token } = await inside.call(createToken, { body: { name: 'CI', scope: 'write' } })
  const { json_url } = await inside.call(createAlertFeed, { body: { view_id: 0 } })
  const [listed] = await bert.call(listMyInvitations)
  await call(members.removeMember, { params: { org_id, user_id: bert.user_id } })

  const stranger = caller(world, null)
  expect((await stranger.call(checkInvitation, { params: { token: old } })).status).toBe('invalid')
  expect((await stranger.answer(joinByInvitation, { params: { token: old } })).status).toBe(400)
  expect(await bert.call(listMyInvitations)).toEqual([])
  expect((await bert.answer(acceptMyInvitation, { params: { id: listed?.id } })).status).toBe(404)
  const membership = () =>
    world.sql`SELECT is_admin FROM members WHERE org_id = ${org_id} AND user_id = ${bert.user_id}`
  expect(await membership()).toEqual([])

  await invite()
  await stranger.call(joinByInvitation, { params: { token: await tokenMailedTo(world, bert.email) }, body: {} })
  expect(await membership()).toEqual([{ is_admin: 0 }])
  expect((await inside.answer(currentUser)).status).toBe(401)
  const byToken = await world.request(currentUser.path, { headers: { authorization: `Token ${token}` } })
  expect([byToken.status, (await world.request(new URL(json_url).pathname)).status]).toEqual([401, 404])
})

test('a user invited and removed at once is no member, or a plain one: never half of each', async () => {
  const world = aWorld()
  const { org_id, call, answer } = await anOrg({ world, is_org_admin: true })
  for (let time = 0; time < 5; time++) {
    const bert = await anOrg({ world })
    await call(members.inviteUsers, { params: { org_id }, body: { emails: [bert.email] } })
    const [invitation] = await bert.call(listMyInvitations)
    const answers = await Promise.all([
      bert.answer(acceptMyInvitation, { params: { id: invitation?.id } }),
      answer(members.removeMember, { params: { org_id, user_id: bert.user_id } }),
      bert.answer(acceptMyInvitation, { params: { id: invitation?.id } }),
    ])
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    expect(answers.filter(({ status }, at) => status === 200 && at !== 1).length).toBeLessThan(2)
    const found = await world.sql`SELECT is_admin FROM members WHERE org_id = ${org_id} AND user_id = ${bert.user_id}`
    expect(found.filter((row) => JSON.stringify(row) !== '{"is_admin":0}')).toEqual([])
  }
})

test('the print view of a report is for members alone, ends with its age, and shows hostile names as text', async () => {
  const scene = await aReportScene()
  const { world, env } = scene
  const [ours, theirs] = [await scene.watching(), await scene.watching()]
  const name = `<img src=x onerror=alert(1)>"'&`
  const params = { schedule: 'daily' as const, day: '2026-01-01' }
  await sqlIn(env)`INSERT INTO reports(org_id, kind, period, ends_at, last_seq, facts)
    VALUES (${theirs.org_id}, 'daily', '2026-01-01', ${new Date().toISOString()}, 0, ${quietReport(name)})`
  const { org_id } = theirs
  expect((await theirs.call(getReport, { params })).org_name).toBe(name)
  const member = await aMember(world, org_id)
  expect((await member.answer(getReport, { params })).status).toBe(200)
  expect((await ours.answer(getReport, { params })).status).toBe(404)
  expect((await ours.answer(getReport, { params, query: { org_id } })).status).toBe(403)
  expect((await caller(world, null).answer(getReport, { params })).status).toBe(401)
  expect(await ours.call(listReports)).toEqual([])
  await theirs.call(members.removeMember, { params: { org_id, user_id: member.user_id } })
  expect((await member.answer(getReport, { params })).status).toBe(401)
  const elsewhere = await signInByPassword(world, ours.username)
  expect((await elsewhere.answer(getReport, { params, query: { org_id } })).status).toBe(403)

  await rows(env, 'UPDATE orgs SET name = ?1', name)
  await rows(env, 'UPDATE products SET name = ?1', '<script>alert(1)</script>')
  await scene.save(theirs, { enable_daily_email_report: true })
  await scene.change(1, { score: 91, isNew: true })
  await scene.makeAt(await scene.firstDue())
  const [mail] = scene.sent()
  expect(mail?.html).toContain('&lt;img src=x')
  expect(mail?.html).not.toMatch(/<(img|script)/)

  const old = new Date(Date.now() - (reportDays + 1) * 86_400_000).toISOString()
  await rows(env, "UPDATE reports SET ends_at = ?1 WHERE period = '2026-01-01'", old)
  await world.tick(new Date(), '17 3 * * *')
  expect((await theirs.answer(getReport, { params })).status).toBe(404)
})

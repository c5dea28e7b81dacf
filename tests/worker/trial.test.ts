import { beforeEach, expect, test } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import {
  acceptInvitation,
  acceptTrial,
  checkInvitation,
  checkTrial,
  startTrial,
} from '../../worker/auth/joining-contract'
import { currentUser, logout } from '../../worker/auth/contract'
import { plusSeconds, stamp } from '../../worker/db/time'
import { getOrgInfo, listAudit, setTrial } from '../../worker/orgs/contract'
import { getOrgSettings, updateOrgSettings } from '../../worker/alerts/settings/contract'
import { listOrgInvitations } from '../../worker/orgs/joining/invitations-contract'
import { inviteUsers, disableMember, removeMember } from '../../worker/orgs/members/contract'
import { toggleProduct } from '../../worker/monitoring/contract'
import { aCve } from '../support/records'
import { eachTest } from './support/each-test'
import { aMember, tokenMailedTo } from './support/member'
import { anOrg, caller, signInByPassword } from './support/org'
import { fakeOrigins, originSettings } from './support/origins'
import { medianRatio } from './support/timing'
import { aWorld, type World } from './support/world'
import { password } from '../support/credentials'

let world: World
const origins = eachTest(fakeOrigins)
beforeEach(() => {
  world = aWorld(originSettings)
})

const email = 'founder@example.org'
const registration = (username = 'founder') => ({
  username,
  password,
  password_confirm: password,
  last_name: 'Lovelace',
})
const stranger = () => caller(world, null)
const daysFromNow = (days: number) => stamp(plusSeconds(new Date(), days * 86_400))
const day = (at: string | null) => at?.slice(0, 10)
async function aTrial(org_name = 'Analytical Engines', username = 'founder', address = email) {
  await stranger().call(startTrial, { body: { email: address, org_name } })
  const token = await tokenMailedTo(world, address)
  await stranger().call(acceptTrial, { params: { token }, body: registration(username) })
  return { token, ...(await signInByPassword(world, username)) }
}
const endTrials = () => world.sql`UPDATE orgs SET trial_ends_at = '2026-01-01T00:00:00Z' WHERE trial_ends_at > ''`

test('a stranger asks for a trial, follows the link and owns an organization for 14 days', async () => {
  await stranger().call(startTrial, { body: { email: 'Founder@example.org', org_name: 'Analytical Engines' } })
  const token = await tokenMailedTo(world, email)
  expect(await world.sql`SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM orgs) AS orgs`).toEqual([
    { users: 0, orgs: 0 },
  ])
  const valid = { status: 'valid', email, org_name: 'Analytical Engines' }
  expect(await stranger().call(checkTrial, { params: { token } })).toEqual(valid)
  const body = { ...registration(), email: 'other@example.org' }
  expect(await stranger().call(acceptTrial, { params: { token }, body })).toEqual({ status: 'success' })

  const { call } = await signInByPassword(world, 'founder')
  const me = await call(currentUser)
  expect(me).toMatchObject({ email, last_name: 'Lovelace', is_org_admin: true, is_admin: false })
  expect(me.orgs).toMatchObject([{ name: 'Analytical Engines' }])
  const info = await call(getOrgInfo)
  expect([info.is_read_only, day(info.trial_ends_at)]).toEqual([false, day(daysFromNow(14))])
  const { org_id } = me.current_org
  expect((await call(getOrgSettings, { params: { org_id } })).alerts_emails).toEqual([email])
  expect(await world.sql`SELECT owner_id FROM orgs`).toEqual([{ owner_id: me.id }])
  expect((await call(listAudit)).results).toMatchObject([
    { action: 'user.sign_in', actor: 'founder' },
    { action: 'trial.start', actor: 'founder' },
  ])
})

test('the link of a trial works once, for 48 hours, and ends with the others of the address', async () => {
  const ask = () => stranger().call(startTrial, { body: { email, org_name: 'Engines' } })
  const status = async (token: string) => (await stranger().call(checkTrial, { params: { token } })).status
  await ask()
  const first = await tokenMailedTo(world, email)
  await ask()
  expect(await tokenMailedTo(world, email)).toBe(first)
  await world.sql`DELETE FROM mail_allowances`
  await ask()
  const second = await tokenMailedTo(world, email)
  expect([await status(first), await status(second)]).toEqual(['valid', 'valid'])

  const accept = (username: string) =>
    stranger().answer(acceptTrial, { params: { token: second }, body: registration(username) })
  const answers = await Promise.all(['founder_1', 'founder_2'].map(accept))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  expect(await world.sql`SELECT 1 FROM orgs`).toHaveLength(1)
  expect(await world.sql`SELECT 1 FROM users`).toHaveLength(1)
  expect([await status(first), await status(second)]).toEqual(['invalid', 'invalid'])
  const links = await world.sql<{ created_at: string; expires_at: string }>`SELECT * FROM links`
  for (const { created_at, expires_at } of links)
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(48 * 3_600_000)
})

test('an expired link, or one of another kind, begins no trial', async () => {
  await stranger().call(startTrial, { body: { email, org_name: 'Engines' } })
  const token = await tokenMailedTo(world, email)
  const params = { params: { token } }
  expect(await stranger().call(checkInvitation, params)).toMatchObject({ status: 'invalid' })
  expect((await stranger().answer(acceptInvitation, { ...params, body: registration() })).status).toBe(400)
  await world.sql`UPDATE links SET expires_at = '2026-01-01T00:00:00Z'`
  expect(await stranger().call(checkTrial, params)).toEqual({ status: 'invalid', email: null, org_name: null })
  expect((await stranger().answer(acceptTrial, { ...params, body: registration() })).status).toBe(400)
})

test('a known address gets the same answer, for the same work, and a mail that it has an account', async () => {
  const known = await anOrg({ world })
  world.env.METER = '1'
  const ask = async (address: string) => {
    const response = await stranger().answer(startTrial, { body: { email: address, org_name: 'Engines' } })
    const cost = /queries=\d+ read=\d+ written=\d+/.exec(response.headers.get('server-timing') ?? '')?.[0]
    return { status: response.status, body: await response.json(), queries: cost?.split(' ')[0] }
  }
  const answers = [await ask('unknown@example.org'), await ask(known.email.toUpperCase())]
  expect(answers[1]).toEqual(answers[0])
  await world.drain()
  const mail = world.mails.findLast(({ to }) => to === known.email)
  expect(mail?.subject).toBe('[Earshot] You already have an account')
  expect(mail?.text).toContain(`Username: ${known.username}`)
  expect(mail?.text).not.toContain('token=')
  expect(await world.sql`SELECT 1 FROM links WHERE used_at IS NULL`).toHaveLength(1)
})

test('nor does the time tell whether an address is known', { timeout: 60_000, retry: 2 }, async () => {
  const known = await anOrg({ world })
  const ask = (address: string) => stranger().answer(startTrial, { body: { email: address, org_name: 'Engines' } })
  // The clock of the runtime counts milliseconds: five at a time are long enough for it.
  const askFive = async (address: (one: number) => string) => {
    for (let one = 0; one < 5; one++) {
      await world.sql`DELETE FROM mail_allowances`
      await ask(address(one))
    }
  }
  const ratio = await medianRatio(
    () => askFive(() => known.email),
    (time) => askFive((one) => `unknown${time}-${one}@example.org`),
    () => world.sql`DELETE FROM throttles`,
  )
  expect(ratio).toBeGreaterThan(0.8)
  expect(ratio).toBeLessThan(1.2)
})

test('a stranger’s name for his organization stands in no mail to the address', async () => {
  await stranger().call(startTrial, { body: { email, org_name: 'Canary Islands' } })
  await world.drain()
  expect(JSON.stringify(world.mails)).not.toContain('Canary')
  for (const org_name of [
    'Two\r\nlines',
    'Visit https://evil now',
    'evil.example',
    'a@b',
    'www.evil',
    'nul\u0000',
    '\u202Emoc',
  ])
    expect([org_name, (await stranger().answer(startTrial, { body: { email, org_name } })).status]).toEqual([
      org_name,
      400,
    ])
  for (const org_name of ['Acme Inc.', 'J. Doe & Söhne e.V.', 'St. Mary 3.0'])
    expect([org_name, (await stranger().answer(startTrial, { body: { email, org_name } })).status]).toEqual([
      org_name,
      200,
    ])
})

test('nobody fills a mailbox with links', async () => {
  const ask = () => stranger().answer(startTrial, { body: { email, org_name: 'Engines' } })
  const statuses = []
  for (let times = 0; times < 10; times++) statuses.push((await ask()).status)
  expect(statuses).toEqual(statuses.map(() => 200))
  await world.drain()
  expect(world.mails.filter(({ to }) => to === email)).toHaveLength(1)
})

test('the slug of a trial tells nobody whether an organization of its name is here; a taken username or address is named', async () => {
  await aTrial('Engines', 'founder_1', 'one@example.org')
  await aTrial('engines', 'founder_2', 'two@example.org')
  const slugs = (await world.sql<{ slug: string }>`SELECT slug FROM orgs ORDER BY id`).map(({ slug }) => slug)
  expect(slugs).toEqual([1, 2].map(() => expect.stringMatching(/^engines-[0-9a-f]{8}$/)))
  expect(new Set(slugs).size).toBe(2)

  await stranger().call(startTrial, { body: { email: 'three@example.org', org_name: 'Engines' } })
  const token = await tokenMailedTo(world, 'three@example.org')
  const accept = async (username: string) => {
    const response = await stranger().answer(acceptTrial, { params: { token }, body: registration(username) })
    return JSON.stringify([response.status, await response.json()])
  }
  expect(await accept('founder_1')).toMatch(/^\[400.*"path":\["username"\]/)
  await world.sql`UPDATE users SET email = 'three@example.org' WHERE username = 'founder_1'`
  expect(await accept('founder_3')).toMatch(/^\[400.*"path":\["email"\]/)
  expect(await world.sql`SELECT 1 FROM orgs`).toHaveLength(2)
})

test('when the trial is over everything can be read and nothing changed, and nothing is lost', async () => {
  const { call, answer } = await aTrial()
  const me = await call(currentUser)
  const { org_id } = me.current_org
  const before = JSON.stringify(await call(getOrgSettings, { params: { org_id } }))
  await endTrials()
  expect((await call(getOrgInfo)).is_read_only).toBe(true)
  for (const response of [
    await answer(updateOrgSettings, { body: { org_id, alerts_emails: [] } }),
    await answer(inviteUsers, { params: { org_id }, body: { emails: 'x@example.org' } }),
    await answer(removeMember, { params: { org_id, user_id: me.id } }),
    await answer(toggleProduct, { body: { vendor_name: 'acme', product_name: 'widget', monitored: true } }),
  ])
    expect([response.status, await response.json()]).toEqual([403, expect.objectContaining({ code: 'trial_ended' })])
  expect(JSON.stringify(await call(getOrgSettings, { params: { org_id } }))).toBe(before)
  expect((await call(listAudit)).count).toBe(2)
  expect(await call(listOrgInvitations, { params: { org_id } })).toEqual([])
  expect(await call(logout, { body: {} })).toEqual({ status: 'success' })
})

test('an organization whose trial is over is not changed from another one either', async () => {
  const { call } = await aTrial()
  const { org_id } = (await call(currentUser)).current_org
  const plain = await aMember(world, org_id)
  const other = await anOrg({ world, is_org_admin: true })
  await world.sql`INSERT INTO members(org_id, user_id, is_admin) VALUES (${org_id}, ${other.user_id}, 1)`
  await endTrials()
  for (const response of [
    await other.answer(inviteUsers, { params: { org_id }, body: { emails: 'x@example.org' } }),
    await other.answer(disableMember, { params: { org_id, user_id: plain.user_id } }),
  ])
    expect([response.status, await response.json()]).toEqual([403, expect.objectContaining({ code: 'trial_ended' })])
  expect(await world.sql`SELECT 1 FROM members WHERE org_id = ${org_id}`).toHaveLength(3)
  // A removed member may go.
  await other.call(removeMember, { params: { org_id, user_id: plain.user_id } })
  expect(await world.sql`SELECT 1 FROM members WHERE org_id = ${org_id}`).toHaveLength(2)
})

const wayBack = [
  ['extended', { days: 7 }, 7],
  ['converted', { convert: true }, null],
] as const
test.each(wayBack)('a trial that is %s can be changed again, and its alerts go out again', async (_, body, days) => {
  let now = new Date()
  const later = async () => {
    now = plusSeconds(now, 900)
    await world.tick(now)
    await world.drain()
  }
  const appears = async (id: string) => {
    origins.modified = [aCve(id, { lastModified: stamp(new Date()).slice(0, 19) })]
    await later()
  }
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  await later()
  const { call } = await aTrial()
  const root = await anOrg({ world, is_admin: true })
  const { org_id } = (await call(currentUser)).current_org
  await call(toggleProduct, { body: { vendor_name: 'acme', product_name: 'widget', monitored: true } })
  const alertMails = () => world.mails.filter(({ subject }) => subject.includes('PH-'))
  await appears('CVE-2026-20001')
  expect(alertMails()).toHaveLength(1)

  await endTrials()
  await appears('CVE-2026-20002')
  expect(alertMails()).toHaveLength(1)
  expect((await call(listAlerts)).results[0]).toMatchObject({
    status: 'suppressed',
    reason: expect.stringMatching(/trial/i),
  })

  expect((await root.answer(setTrial, { params: { id: org_id }, body })).status).toBe(200)
  const { is_read_only, trial_ends_at } = await call(getOrgInfo)
  expect([is_read_only, day(trial_ends_at)]).toEqual([false, days === null ? undefined : day(daysFromNow(days))])
  await call(updateOrgSettings, { body: { org_id, enable_email_alert_update_vuln: false } })
  await appears('CVE-2026-20003')
  expect(alertMails()).toHaveLength(2)
})

test('days are added to the end of a running trial; a converted organization has no trial to extend', async () => {
  const { call, answer } = await aTrial()
  const root = await anOrg({ world, is_admin: true })
  const { org_id } = (await call(currentUser)).current_org
  const params = { id: org_id }
  const { trial_ends_at } = await root.call(setTrial, { params, body: { days: '10' } })
  expect(day(trial_ends_at)).toBe(day(daysFromNow(24)))
  expect((await answer(setTrial, { params, body: { days: 10 } })).status).toBe(403)
  expect((await root.answer(setTrial, { params, body: { days: 0 } })).status).toBe(400)
  await root.call(setTrial, { params, body: { convert: true } })
  expect((await root.answer(setTrial, { params, body: { days: 10 } })).status).toBe(400)
  expect((await call(listAudit)).results.map(({ action }) => action)).toEqual([
    'trial.convert',
    'trial.extend',
    'user.sign_in',
    'trial.start',
  ])
})

import { afterEach, expect, test, vi } from 'vitest'
import { askEmailChange, updateProfile } from '../../worker/account/contract'
import { resendDelivery, testEmail } from '../../worker/alerts/channels/contract'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { addVuln } from '../../worker/editing/contract'
import { formsPerHour, type MailForm } from '../../worker/mail/allowance'
import { leaveOrg, restoreOrg } from '../../worker/orgs/leaving/contract'
import { disableMember, enableMember, inviteUsers } from '../../worker/orgs/members/contract'
import { sendVuln } from '../../worker/triage/contract'
import { aKnownWorld } from './support/known-world'
import { aMember } from './support/member'
import { anOrg, session } from './support/org'
import { obtain, post } from './support/sign-in'
import { aWorld, type World } from './support/world'
import { password } from '../support/credentials'

afterEach(() => void vi.useRealTimers())

const onTrial = async (world: World) => world.sql`UPDATE orgs SET trial_ends_at = '2099-01-01T00:00:00Z'`
const strangers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `stranger${from + at}@example.net`)

test('eight invitations sent at once make eight mails, and two clicks on a test make one', async () => {
  const world = aWorld()
  const { org_id, answer, email } = await anOrg({ world, is_org_admin: true })
  const emails = strangers(8)
  const sent = await Promise.all(
    emails.map(async (to) => (await answer(inviteUsers, { params: { org_id }, body: { emails: [to] } })).status),
  )
  expect(sent).toEqual(emails.map(() => 201))
  await world.drain()
  expect(world.mails.map(({ to }) => to).toSorted()).toEqual(emails)

  const clicks = await Promise.all([answer(testEmail), answer(testEmail)])
  expect(clicks.map(({ status }) => status).toSorted()).toEqual([200, 429])
  expect(world.mails.filter(({ to }) => to === email)).toHaveLength(1)
})

test('a fresh trial that tries everything sends ten mails to strangers in an hour, none with its own text', async () => {
  const world = aWorld()
  const { org_id, answer } = await anOrg({ world, is_org_admin: true })
  await onTrial(world)
  const made = await answer(addVuln, { body: { summary: 'Win at evil example' } })
  const { id } = (await made.json()) as { id: number }
  const details = await answer(sendVuln, { params: { id }, body: { emails: strangers(1) } })
  expect([details.status, await details.text()]).toEqual([400, expect.stringContaining('members alone')])
  for (let at = 0; at < 4; at++)
    await answer(updateOrgSettings, { body: { org_id, alerts_emails: strangers(1, 100 + at) } })
  for (let at = 0; at < 12; at++)
    await answer(inviteUsers, { params: { org_id }, body: { emails: strangers(1, 200 + at) } })
  await world.drain()
  const kinds = Object.groupBy(world.mails, ({ subject }) => (subject.includes('Confirm') ? 'confirm' : 'invite'))
  expect([kinds.confirm?.length, kinds.invite?.length]).toEqual([3, 7])
  expect(JSON.stringify(world.mails)).not.toContain('evil')
})

const toStart = (day: number) => Date.parse(`2026-11-${day}T00:10:00Z`)

test('on its first day a trial causes twenty mails to strangers, whoever of it fills in which form', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: toStart(20) })
  const world = await aKnownWorld()
  const { org_id, ...admin } = await anOrg({ world, is_org_admin: true })
  await onTrial(world)
  const people = [admin, await aMember(world, org_id), await aMember(world, org_id)]
  let made = 0
  for (let hour = 0; hour < 24; hour += 2) {
    vi.setSystemTime(toStart(20) + hour * 3_600_000)
    for (const { user_id } of people) {
      const { answer } = await session(world, { user_id, org_id })
      await answer(inviteUsers, { params: { org_id }, body: { emails: strangers(1, ++made) } })
      await answer(updateOrgSettings, { body: { org_id, alerts_emails: strangers(1, ++made) } })
      await answer(sendVuln, { params: { id: 1 }, body: { emails: strangers(1, ++made) } })
      await answer(askEmailChange, { body: { email: strangers(1, ++made)[0], password } })
    }
  }
  await world.drain()
  const toStrangers = () => world.mails.filter(({ to }) => to.startsWith('stranger')).length
  expect(toStrangers()).toBe(20)

  vi.setSystemTime(toStart(21))
  const { answer } = await session(world, { user_id: admin.user_id, org_id })
  const next = { email: 'stranger@example.net', password }
  expect((await answer(askEmailChange, { body: next })).status).toBe(200)
})

const forms: Record<MailForm, (world: World, email: string, ip?: string) => ReturnType<typeof post>> = {
  reset: (world, email, ip) => post(world, '/password_reset/', { email }, { ip }),
  trial: (world, email, ip) => post(world, '/api/public/trial', { email, org_name: 'Acme' }, { ip }),
  newsletter: (world, email, ip) => post(world, '/api/alerts/newsletter', { email }, { ip }),
}
const used = (world: World, form: MailForm) =>
  world.sql<{ used: number }>`SELECT used FROM mail_allowances WHERE key LIKE 'form ' || ${form} || ' %'`

for (const [name, ask] of Object.entries(forms))
  test(`the ${name} form, which anybody fills in, has one ceiling an hour, also where no address of the client is known`, async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: toStart(20) })
    const form = name as MailForm
    const world = aWorld()
    const { email } = await anOrg({ world })
    expect((await ask(world, email)).status).toBe(200)
    await world.sql`UPDATE mail_allowances SET used = ${formsPerHour[form] - 3} WHERE key LIKE 'form %'`
    const answers = await Promise.all(strangers(8).map((to) => ask(world, to)))
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429])
    expect(answers.find(({ status }) => status === 429)?.body.detail).toContain('in this hour')
    expect(await used(world, form)).toEqual([{ used: formsPerHour[form] }])
    await world.drain()
    // A reset for an address that nobody has is counted, and makes no mail.
    expect(world.mails).toHaveLength(form === 'reset' ? 1 : 4)
    vi.setSystemTime(Date.now() + 3_600_000)
    expect((await ask(world, 'next@example.net')).status).toBe(200)
  })

test.each(Object.keys(forms) as MailForm[])(
  'one network uses up a quarter of what the %s form sends in an hour',
  async (form) => {
    vi.useFakeTimers({ toFake: ['Date'], now: toStart(20) })
    const world = aWorld()
    const ask = async (at: number, ip: string) => (await forms[form](world, `stranger${at}@example.net`, ip)).status
    expect([await ask(1, '2001:db8:1:1::1'), await ask(2, '198.51.100.1')]).toEqual([200, 200])
    const limit = formsPerHour[form] / 4
    await world.sql`UPDATE mail_allowances SET used = ${limit - 1} WHERE key LIKE 'form % from %'`
    expect([await ask(3, '2001:db8:1:2::1'), await ask(4, '198.51.100.2')]).toEqual([200, 200])
    expect([await ask(5, '2001:db8:1:3::1'), await ask(6, '198.51.100.3')]).toEqual([429, 429])
    expect([await ask(7, '2001:db8:2:1::1'), await ask(8, '198.51.101.1')]).toEqual([200, 200])
  },
)

for (const [name, ask] of Object.entries(forms))
  test(`a mailbox gets a few mails a day by the ${name} form, one at a time, and the answers do not tell`, async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: toStart(20) })
    const world = aWorld()
    const { email } = await anOrg({ world })
    for (let time = 0; time < 30; time++) {
      vi.setSystemTime(toStart(20) + time * 700_000)
      const atOnce = await Promise.all([ask(world, email), ask(world, email), ask(world, 'nobody@example.net')])
      expect(atOnce.map(({ status }) => status)).toEqual([200, 200, 200])
    }
    await world.drain()
    expect(world.mails.filter(({ to }) => to === email)).toHaveLength(name === 'reset' ? 6 : 5)
  })

/** A tag after a plus, the dots of Gmail, its other name, wider letters, a sign that shows nothing, a path behind the host. */
const spellings = [
  'victim@gmail.com',
  'victim+1@gmail.com',
  'vic.t.im@gmail.com',
  'victim@googlemail.com',
  'victim@\uff47mail.com',
  'victim@gm\ufe0fail.com',
  'victim@gmail.com/\u00fc.net',
]

for (const name of ['trial', 'newsletter'] as const)
  test(`the ${name} form fills a mailbox by no spelling of its address`, async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: toStart(20) })
    const world = aWorld()
    for (const [at, email] of spellings.entries()) {
      vi.setSystemTime(toStart(20) + at * 700_000)
      await forms[name](world, email)
    }
    await world.drain()
    expect(world.mails).toHaveLength(5)
  })

test('an organization fills a mailbox by no spelling of its address', async () => {
  const world = await aKnownWorld()
  const { org_id, call, answer } = await anOrg({ world, is_org_admin: true })
  for (const email of spellings) {
    await call(inviteUsers, { params: { org_id }, body: { emails: [email] } })
    await answer(sendVuln, { params: { id: 1 }, body: { emails: [email] } })
    await answer(updateOrgSettings, { body: { org_id, alerts_emails: [email] } })
    await answer(askEmailChange, { body: { email, password } })
  }
  await world.drain()
  const subjects = world.mails.filter(({ to }) => to.startsWith('vic')).map(({ subject }) => subject)
  expect(Object.values(Object.groupBy(subjects, (subject) => subject)).map((some) => some?.length)).toEqual([
    5, 5, 1, 1,
  ])
})

test('strangers who use up the resets of a mailbox do not keep its owner from one, at a place known as theirs', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: toStart(20) })
  const { world, email, username } = await anOrg()
  const home = '203.0.113.7'
  await obtain(world, { username }, { ip: home })
  for (let time = 0; time < 8; time++) {
    vi.setSystemTime(toStart(20) + time * 700_000)
    await forms.reset(world, email, `198.51.100.${time}`)
  }
  await world.sql`UPDATE mail_allowances SET used = ${formsPerHour.reset} WHERE key LIKE 'form %'`
  expect((await forms.reset(world, 'other@example.net', '198.51.100.99')).status).toBe(429)
  await world.drain()
  const links = () => world.mails.filter(({ subject }) => subject.includes('Set a new password')).length
  expect(links()).toBe(6)
  expect((await forms.reset(world, email, home)).status).toBe(200)
  await world.drain()
  expect(links()).toBe(7)
})

test('two dozen invitations at once make as many mails, and as many at once to one mailbox make five', async () => {
  const world = aWorld()
  const { org_id, answer } = await anOrg({ world, is_org_admin: true })
  const invite = async (email: string) => {
    const response = await answer(inviteUsers, { params: { org_id }, body: { emails: [email] } })
    return [response.status, ((await response.json()) as { status: string }).status]
  }
  const emails = strangers(24)
  expect(await Promise.all(emails.map(invite))).toEqual(emails.map(() => [201, 'success']))
  const again = await Promise.all(emails.map(() => invite('one@example.net')))
  expect(again.filter(([, status]) => status === 'success')).toHaveLength(5)
  await world.drain()
  expect(world.mails).toHaveLength(29)
  const open = await world.sql`SELECT 1 FROM links WHERE email = 'one@example.net' AND used_at IS NULL`
  expect(open).toHaveLength(1)
})

test('an organization sends fifty mails of alerts again in a day, however many it has; others again and again', async () => {
  const world = await aKnownWorld()
  const { org_id, answer } = await anOrg({ world, is_org_admin: true })
  await world.sql`INSERT INTO alerts(id, org_id, vuln_id, change_seq, last_seq, fired, rule, created_at, updated_at)
      VALUES (1, ${org_id}, 1, 1, 1, 1, 'new', '2026-11-20T00:00:00Z', '2026-11-20T00:00:00Z')`
  const again = async (channel: string, id: number) => {
    await world.sql`INSERT OR REPLACE INTO deliveries(id, org_id, alert_id, channel, target, rule, status, next_attempt_at, digest)
      VALUES (${id}, ${org_id}, 1, ${channel}, 'x', 'new', 'sent', '', '2026-11-24T08:00:00Z/7')`
    return (await answer(resendDelivery, { params: { id } })).status
  }
  const statuses = []
  for (let time = 0; time < 53; time++) statuses.push(await again(time % 2 ? 'email' : 'email-2', 1))
  expect(statuses).toEqual([...Array(50).fill(200), 429, 429, 429])
  for (let time = 0; time < 53; time++) expect(await again('webhook', 2)).toBe(200)
  // One of many in a mail has the name of that mail no more.
  expect(await again('webhook', 3)).toBe(200)
  expect(await world.sql`SELECT digest FROM deliveries WHERE id = 3`).toEqual([{ digest: '' }])
})

test('clicks that are told by mail are told a few times a day, so that no flood of them stands before the mails of others', async () => {
  const world = aWorld()
  const { org_id, username, email, call, answer } = await anOrg({ world, is_org_admin: true })
  const other = await aMember(world, org_id, { is_org_admin: true })
  const [org] = await world.sql<{ name: string }>`SELECT name FROM orgs WHERE id = ${org_id}`
  const left: number[] = []
  for (let time = 0; time < 12; time++) {
    await call(updateProfile, { body: { mfa_enabled: false } })
    await obtain(world, { username }, { device: `device ${time}` })
    left.push((await answer(leaveOrg, { body: { name: org?.name ?? '' } })).status)
    await answer(restoreOrg)
  }
  expect(left).toEqual([...Array(5).fill(200), ...Array(7).fill(429)])

  await call(updateOrgSettings, { body: { org_id, alerts_emails: [other.email] } })
  for (let time = 0; time < 3; time++) {
    const member = { params: { org_id, user_id: other.user_id } }
    await call(disableMember, member)
    if (!time) await world.sql`UPDATE mail_allowances SET used = 49 WHERE key LIKE 'unheard of %'`
    await call(enableMember, member)
  }
  await world.drain()
  const mine = world.mails.filter(({ to }) => to === email).map(({ subject }) => subject)
  const counts = Object.values(Object.groupBy(mine, (subject) => subject)).map((some) => some?.length)
  expect(counts).toEqual([10, 10, 5, 2])
})

import { beforeEach, expect, test } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { retryMinutes } from '../../worker/db/leases'
import { toggleProduct, toggleVendor } from '../../worker/monitoring/contract'
import { listVulns, toggleVuln } from '../../worker/vulns/contract'
import { confirmEmail } from '../../worker/auth/contract'
import { getOrgSettings, updateOrgSettings } from '../../worker/alerts/settings/contract'
import { eachTest } from './support/each-test'
import { firstLoad } from './support/load-once'
import { anOrg, caller } from './support/org'
import { fakeOrigins, originSettings } from './support/origins'
import { aCve, aKevEntry, affecting, aMatch, aMetric } from '../support/records'
import { aWorld } from './support/world'

let now: Date
const origins = eachTest(fakeOrigins)
const world = eachTest(() => aWorld(originSettings))
beforeEach(async () => {
  now = new Date()
  origins.files.set(2024, [
    aCve('CVE-2024-10001'),
    aCve('CVE-2024-10002', { configurations: affecting(aMatch('other', 'thing')) }),
  ])
  await firstLoad(world, origins, { now })
})

/** Some minutes pass, the clock ticks, and all that follows from it happens. */
async function later(minutes: number) {
  now = new Date(now.getTime() + minutes * 60_000)
  await world.tick(now)
  await world.drain()
}

const modified = (id: string, more: Record<string, unknown> = {}) => {
  origins.modified = [aCve(id, { lastModified: new Date().toISOString().slice(0, 19), ...more })]
}
const worse = { metrics: { cvssMetricV31: [aMetric('3.1', 10, 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H')] } }
const watch = { vendor_name: 'acme', product_name: 'widget', monitored: true }

test('a feed’s change to a monitored vulnerability comes as one mail, and only to that organization', async () => {
  const [ours, theirs] = [await anOrg({ world }), await anOrg({ world })]
  await ours.call(toggleProduct, { body: watch })
  await theirs.call(toggleProduct, { body: { vendor_name: 'other', product_name: 'thing', monitored: true } })
  modified('CVE-2026-20001')
  await later(15)
  modified('CVE-2024-10001', worse)
  await later(15)
  await later(15)

  expect(world.mails.map(({ to, subject }) => [to, subject])).toEqual([
    [
      ours.email,
      expect.stringMatching(/^\[Earshot\] Critical 9.8: Widget – CVE-2026-20001 · PH-\d+ \/ new vulnerability · .+/),
    ],
    [ours.email, expect.stringMatching(/^\[Earshot\] Critical 10.0: Widget – CVE-2024-10001 · PH-1 \/ updated · .+/)],
  ])
  const ledger = await ours.call(listAlerts)
  expect(ledger.results.map(({ rule, status, vuln }) => [rule, status, vuln.cveid])).toEqual([
    ['updated', 'sent', 'CVE-2024-10001'],
    ['new', 'sent', 'CVE-2026-20001'],
  ])
  expect((await theirs.call(listAlerts)).count).toBe(0)
})

test('the mail says what it is, what changed, and why it concerns the organization', async () => {
  const { call } = await anOrg({ world })
  await call(toggleProduct, { body: watch })
  modified('CVE-2024-10001', { ...worse, descriptions: [{ lang: 'en', value: 'A <b>worse</b> flaw & more.' }] })
  origins.kev = [aKevEntry('CVE-2024-10001')]
  await later(15)

  const [mail] = world.mails
  for (const part of [mail?.html, mail?.text]) {
    expect(part).toContain('https://earshot.test/vulns/1')
    for (const fact of ['Critical', 'CVSS 3: 9.8 → 10']) expect(part).toContain(fact)
    expect(part).toContain('You monitor the product Acme · Widget')
    expect(part).toContain('https://acme.example/CVE-2024-10001')
  }
  expect(mail?.headers['List-Unsubscribe']).toBe('<https://earshot.test/settings?tab=alerting>')
  expect(mail?.html).toContain('A &lt;b&gt;worse&lt;/b&gt; flaw &amp; more.')
  expect(mail?.text).toContain('A <b>worse</b> flaw & more.')
})

test('a first load alerts nobody, and neither does a change of wording', async () => {
  const { call } = await anOrg({ world })
  await call(toggleVendor, { body: { vendor_name: 'acme', monitored: true } })
  await later(1)
  modified('CVE-2024-10001', { descriptions: [{ lang: 'en', value: 'The same flaw in other words.' }] })
  await later(15)
  expect(world.mails).toEqual([])
  expect((await call(listAlerts)).count).toBe(0)
})

test('a vulnerability that only now names a monitored product is new to the organization, and not again when it names another one instead', async () => {
  const { call } = await anOrg({ world })
  await call(toggleVendor, { body: { vendor_name: 'acme', monitored: true } })
  const told = async () => (await call(listAlerts)).results.map(({ rule }) => rule)
  modified('CVE-2024-10002', { configurations: affecting(aMatch('other', 'thing'), aMatch('acme', 'widget')) })
  await later(15)
  expect(await told()).toEqual(['new'])
  // Changes of ten minutes are one alert.
  await world.sql`UPDATE alerts SET created_at = '2026-01-01T00:00:00Z'`
  modified('CVE-2024-10002', { configurations: affecting(aMatch('other', 'thing'), aMatch('acme', 'gadget')) })
  await later(15)
  expect(await told()).toEqual(['updated', 'new'])
})

test('a monitored vendor covers products that come later, but not one that was taken out', async () => {
  const { call } = await anOrg({ world })
  await call(toggleVendor, { body: { vendor_name: 'acme', monitored: true } })
  await call(toggleProduct, { body: { ...watch, monitored: false } })
  modified('CVE-2026-20001')
  await later(15)
  expect(world.mails).toEqual([])

  modified('CVE-2026-20002', { configurations: affecting(aMatch('acme', 'gadget')) })
  await later(15)
  expect(world.mails).toHaveLength(1)
})

test('a vulnerability monitored by itself, its product and its vendor is alerted once', async () => {
  const { call } = await anOrg({ world })
  await call(toggleVendor, { body: { vendor_name: 'acme', monitored: true } })
  await call(toggleProduct, { body: watch })
  await call(toggleVuln, { params: { id: 1 }, body: { monitored: true } })
  modified('CVE-2024-10001', worse)
  await later(15)
  expect(world.mails).toHaveLength(1)
})

test('planning and delivering twice sends nothing twice', async () => {
  const { call } = await anOrg({ world })
  await call(toggleProduct, { body: watch })
  modified('CVE-2026-20001')
  await later(15)
  await world.env.DB.prepare("UPDATE counters SET value = 0 WHERE name = 'alerts_planned_to'").run()
  for (const queue of ['earshot-alerts', 'earshot-deliveries']) await world.deliver(queue, { reason: 'due' })
  await later(15)
  expect(world.mails).toHaveLength(1)
})

test('a mail that is refused is tried again with growing pauses, and given up after the last, all readable', async () => {
  const { call } = await anOrg({ world, is_org_admin: true })
  await call(toggleProduct, { body: watch })
  modified('CVE-2026-20001')
  world.mailServer.refuse = '451 4.7.1 Greylisted'
  await later(15)
  const ledger = async () => (await call(listAlerts)).results[0]
  expect(await ledger()).toMatchObject({
    status: 'pending',
    deliveries: [{ status: 'pending', attempts: 1, last_error: '451 4.7.1 Greylisted' }],
  })
  for (const minutes of retryMinutes) {
    await world.env.DB.prepare("UPDATE deliveries SET next_attempt_at = '2026-01-01T00:00:00Z'").run()
    await later(minutes)
  }
  expect(await ledger()).toMatchObject({
    status: 'failed',
    deliveries: [{ status: 'dead', attempts: 10, next_attempt_at: null }],
  })
  expect(world.mails).toEqual([])
})

test('a mail is not tried again before its time, and then goes out once', async () => {
  const { call } = await anOrg({ world })
  await call(toggleProduct, { body: watch })
  modified('CVE-2026-20001')
  world.mailServer.refuse = 'connection refused'
  await later(15)
  world.mailServer.refuse = null
  await world.deliver('earshot-deliveries', { reason: 'due' })
  expect(world.mails).toEqual([])
  await world.env.DB.prepare("UPDATE deliveries SET next_attempt_at = '2026-01-01T00:00:00Z'").run()
  await later(1)
  await later(1)
  expect(world.mails).toHaveLength(1)
})

test('a delivery whose worker died is taken over when its lease is out, not before', async () => {
  const { call } = await anOrg({ world })
  await call(toggleProduct, { body: watch })
  modified('CVE-2026-20001')
  world.mailServer.refuse = 'down'
  await later(15)
  world.mailServer.refuse = null
  const lease = (at: string) =>
    world.env.DB.prepare("UPDATE deliveries SET status = 'sending', lease_until = ?1").bind(at).run()
  await lease('2099-01-01T00:00:00Z')
  await later(1)
  expect(world.mails).toEqual([])
  await lease('2026-01-01T00:00:00Z')
  await later(1)
  expect(world.mails).toHaveLength(1)
})

test('without an address, or with alerts switched off, an alert is kept with the reason', async () => {
  const { call, org_id } = await anOrg({ world, emails: [] })
  await call(toggleProduct, { body: watch })
  modified('CVE-2026-20001')
  await later(15)
  await world.env.DB.prepare('UPDATE alert_settings SET on_update = 0 WHERE org_id = ?1').bind(org_id).run()
  modified('CVE-2024-10001', worse)
  await later(15)
  const { results } = await call(listAlerts)
  expect(results.map(({ status, reason }) => [status, reason])).toEqual([
    ['suppressed', 'Its kind is switched off, or rules leave it out'],
    ['suppressed', 'The organization has no alert address'],
  ])
})

test('a subject that grows too long still says which organization', async () => {
  const ours = await anOrg({ world })
  const product_name = 'w'.repeat(180)
  const configurations = affecting(aMatch('acme', product_name))
  modified('CVE-2026-20001', { configurations })
  await later(15)
  await ours.call(toggleProduct, { body: { vendor_name: 'acme', product_name, monitored: true } })
  modified('CVE-2026-20001', { ...worse, configurations })
  await later(15)
  await later(15)
  const [{ subject = '' } = {}] = world.mails
  expect(subject).toMatch(/^\[Earshot\] Critical 10.0: Ww{99}.* · org\d+$/)
  expect(subject.length).toBeLessThanOrEqual(200)
})

test('an address of nobody in the organization is written to once its owner confirms it', async () => {
  const ours = await anOrg({ world, is_org_admin: true })
  await ours.call(updateOrgSettings, { body: { org_id: ours.org_id, alerts_emails: ['stranger@example.net'] } })
  await ours.call(toggleProduct, { body: watch })
  modified('CVE-2026-20001')
  await later(15)
  const [alert] = (await ours.call(listAlerts)).results
  expect([alert?.status, alert?.reason]).toEqual(['suppressed', 'No alert address is confirmed yet'])
  expect(world.mails.map(({ to, subject }) => [to, subject])).toEqual([
    ['stranger@example.net', expect.stringMatching(/^\[Earshot\] Confirm this address for the alerts of /)],
  ])

  const token = /\/email\/([\w-]+)/.exec(world.mails[0]?.text ?? '')?.[1] ?? ''
  const confirm = () => caller(world, null).answer(confirmEmail, { params: { token } })
  expect((await confirm()).status).toBe(200)
  expect((await confirm()).status).toBe(400)
  const settings = await ours.call(getOrgSettings, { params: { org_id: ours.org_id } })
  expect(settings.alerts_emails_unconfirmed).toEqual([])
  modified('CVE-2024-10001', worse)
  await later(15)
  expect(world.mails.slice(1).map(({ to }) => to)).toEqual(['stranger@example.net'])
})

test('messages to a removed address, or of a disabled organization, are not sent, and say why', async () => {
  const ours = await anOrg({ world, is_org_admin: true })
  const theirs = await anOrg({ world })
  for (const { call } of [ours, theirs]) await call(toggleProduct, { body: watch })
  world.mailServer.refuse = 'not now'
  modified('CVE-2026-20001')
  await later(15)
  world.mailServer.refuse = null
  await world.sql`UPDATE deliveries SET next_attempt_at = '2026-01-01T00:00:00Z'`
  await ours.call(updateOrgSettings, { body: { org_id: ours.org_id, alerts_emails: [] } })
  await world.sql`UPDATE orgs SET is_active = 0 WHERE id = ${theirs.org_id}`
  await later(15)
  expect(world.mails).toEqual([])
  expect(await world.sql`SELECT org_id, status, last_error FROM deliveries ORDER BY org_id`).toEqual([
    { org_id: ours.org_id, status: 'suppressed', last_error: 'The address was removed' },
    { org_id: theirs.org_id, status: 'suppressed', last_error: 'The organization is disabled' },
  ])
  expect((await ours.call(listAlerts)).results.map(({ status }) => status)).toEqual(['suppressed'])
})

test('each address of an organization gets its own mail, and one that fails does not repeat the others', async () => {
  const { call } = await anOrg({ world, emails: ['a@example.org', 'B@example.org', 'a@example.org'] })
  await call(toggleProduct, { body: watch })
  modified('CVE-2026-20001')
  await later(15)
  expect(world.mails.map(({ to }) => to)).toEqual(['a@example.org', 'b@example.org'])
})

test('monitored lists, rows and statistics follow the same meaning', async () => {
  const { call } = await anOrg({ world })
  const monitored = async () =>
    (await call(listVulns, { query: { monitored: true } })).results.map(({ cveid }) => cveid)
  expect(await monitored()).toEqual([])
  await call(toggleVendor, { body: { vendor_name: 'acme', monitored: true } })
  expect(await monitored()).toEqual(['CVE-2024-10001'])
  const flags = (await call(listVulns, { query: { sorted_by: 'cveid' } })).results.map((row) => row.monitored)
  expect(flags).toEqual([true, false])
  await call(toggleProduct, { body: { ...watch, monitored: false } })
  expect(await monitored()).toEqual([])
  await call(toggleVendor, { body: { vendor_name: 'acme', monitored: true } })
  expect(await monitored()).toEqual(['CVE-2024-10001'])
  await call(toggleVendor, { body: { vendor_name: 'acme', monitored: false } })
  expect(await monitored()).toEqual([])
  expect(await world.sql`SELECT * FROM monitored_products`).toEqual([])
})

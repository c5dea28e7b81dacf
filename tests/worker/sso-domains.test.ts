import { afterEach, beforeEach, expect, test } from 'vitest'
import { startSso } from '../../worker/auth/sso/contract'
import { checkSsoDomain, getSso } from '../../worker/orgs/sso/contract'
import { listAudit } from '../../worker/orgs/contract'
import { eachTest } from './support/each-test'
import { caller } from './support/org'
import { anSsoOrg, disturb, restoreFetch } from './support/sso'

type Answer = () => Response | Promise<Response>
const answering = (...data: string[]): Answer => {
  return () =>
    Response.json({ Status: 0, Answer: data.map((text) => ({ name: '_earshot.example.org', type: 16, data: text })) })
}
const status =
  (code: number): Answer =>
  () =>
    Response.json({ Status: code })
const failing: [string, Answer][] = [
  ['SERVFAIL', status(2)],
  ['REFUSED', status(5)],
  ['an error', () => new Response('down', { status: 503 })],
  ['no JSON', () => new Response('<html>')],
  ['no connection', () => Promise.reject(new TypeError('lost'))],
]

let dns: Answer
let asked: number
const start = Date.parse('2026-01-01T00:00:00Z')
/** The clock's daily jobs, so many days after the proof. */
async function onDay(day: number) {
  await org.world.tick(new Date(start + day * 86_400_000), '17 3 * * *')
  await org.world.drain()
}
const domain = async () => (await org.call(getSso)).domains[0]
const leads = async () =>
  (await caller(org.world, null).answer(startSso, { body: { email: 'anna@example.org' } })).status === 200
const subjects = () =>
  org.world.mails.map(({ subject }) => subject).filter((subject) => subject.includes('example.org'))
const ended = async () => (await org.call(listAudit, { query: { action: 'sso.end_domain' } })).results

const org = eachTest(anSsoOrg)
beforeEach(() => {
  asked = 0
  dns = answering()
  disturb((url) => {
    if (url.pathname !== '/dns-query') return undefined
    asked++
    return dns()
  })
})
afterEach(restoreFetch)

test('a mail domain is proved again each month, and one whose record stands stays', async () => {
  dns = answering(`"${(await domain())?.txt_value}"`)
  await onDay(29)
  expect(asked).toBe(0)
  for (const day of [30, 31, 59, 60, 61]) await onDay(day)
  expect([asked, subjects(), await leads()]).toEqual([2, [], true])
})

test('a domain whose record is gone ends after 14 days, told before and after', async () => {
  for (const gone of [answering(), answering('"v=spf1 -all"'), status(3)]) {
    dns = gone
    await onDay(30)
  }
  expect(await domain()).toMatchObject({ proved_by: 'dns', missing_since: '2026-01-31T00:00:00Z' })
  expect(subjects()).toEqual([expect.stringMatching(/: the TXT record of example\.org is missing$/)])
  await onDay(43)
  expect([await leads(), await ended()]).toEqual([true, []])

  await onDay(44)
  expect(await domain()).toMatchObject({ proved_at: null, proved_by: null, missing_since: null })
  expect(await leads()).toBe(false)
  expect(subjects()).toHaveLength(2)
  expect(await ended()).toMatchObject([{ actor: 'Earshot', target: 'example.org' }])
  await onDay(90)
  expect(subjects()).toHaveLength(2)
})

test.each(failing)('a name service that answers with %s ends nothing', async (_, broken) => {
  dns = broken
  await onDay(30)
  expect(await domain()).toMatchObject({ proved_by: 'dns', missing_since: null })
  await onDay(60)
  dns = answering()
  await onDay(90)
  dns = broken
  await onDay(120)
  expect([await leads(), await ended()]).toEqual([true, []])
  expect(subjects()).toHaveLength(1)
})

test('a record that is put back, and a check by hand, keep the proof', async () => {
  const value = `"${(await domain())?.txt_value}"`
  await onDay(30)
  dns = answering(value)
  await onDay(31)
  expect(await domain()).toMatchObject({ proved_by: 'dns', missing_since: null })

  dns = answering()
  await onDay(61)
  dns = answering(value)
  await org.call(checkSsoDomain, { params: { domain: 'example.org' }, body: {} })
  expect(await domain()).toMatchObject({ proved_by: 'dns', missing_since: null })
})

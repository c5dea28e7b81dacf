import { afterEach, expect, test, vi } from 'vitest'
import { driveNewsletter } from '../../worker/newsletter/issue'
import { openDb } from '../../worker/db/open'
import { plusSeconds } from '../../worker/db/time'
import { maxWaitSeconds } from '../../worker/auth/throttle'
import { previewNewsletter, sendNewsletterSample } from '../../worker/newsletter/contract'
import { anOrg, postJson, rows } from './support/org'
import { post } from './support/sign-in'
import { aWorld, type World } from './support/world'

afterEach(() => void vi.useRealTimers())

const success = { status: 200, body: { status: 'success' } }
const day = 86_400
let made = 0
const anAddress = () => `reader${++made}@example.org`

const subscribe = (world: World, email: string, ip?: string) =>
  post(world, '/api/alerts/newsletter', { email }, ip ? { ip } : {})
const readState = async ({ env }: World, email: string) =>
  (await rows<{ state: string }>(env, 'SELECT state FROM subscribers WHERE email = ?1', email)).map(
    ({ state }) => state,
  )

async function lastMail(world: World) {
  await world.drain()
  const mail = world.mails.at(-1)
  if (!mail) throw new Error('No mail was sent')
  const findLink = (path: string) =>
    new RegExp(`https://earshot\\.test(/public/newsletter/${path}/[\\w-]+)`).exec(mail.text)?.[1] ?? ''
  return { ...mail, confirm: findLink('confirm'), unsubscribe: findLink('unsubscribe') }
}

const pageAt = async (world: World, path: string, init?: RequestInit) => {
  const response = await world.request(path, init)
  const text = await response.text()
  return { status: response.status, title: /<title>(.*?) · Earshot<\/title>/.exec(text)?.[1], text }
}
const press = (world: World, path: string) => pageAt(world, path, { method: 'POST' })

test('a visitor who asks for the newsletter gets a mail, and is a reader once he confirms it by its button', async () => {
  const world = aWorld()
  const email = anAddress()
  expect(await subscribe(world, `  ${email.toUpperCase()} `)).toMatchObject(success)
  const mail = await lastMail(world)
  expect(mail).toMatchObject({ to: email, subject: '[Earshot] Confirm your subscription' })
  expect(await readState(world, email)).toEqual(['pending'])

  // A mail program that follows the link confirms nothing.
  expect(await pageAt(world, mail.confirm)).toMatchObject({ status: 200, title: 'Confirm your subscription' })
  expect(await readState(world, email)).toEqual(['pending'])

  expect(await press(world, mail.confirm)).toMatchObject({ status: 200, title: 'You are subscribed' })
  expect(await press(world, mail.confirm)).toMatchObject({ status: 200, title: 'You are subscribed' })
  expect(await readState(world, email)).toEqual(['confirmed'])
})

test('every mail can be answered by leaving: by its link, or by one POST of the mail program', async () => {
  const world = aWorld()
  const email = anAddress()
  await subscribe(world, email)
  const { headers, confirm, unsubscribe } = await lastMail(world)
  expect(world.mails.at(-1)?.html).toContain(`<a href="https://earshot.test${unsubscribe}">Unsubscribe</a>`)
  expect(headers).toMatchObject({
    'List-Unsubscribe': `<https://earshot.test${unsubscribe}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'Auto-Submitted': 'auto-generated',
  })
  await press(world, confirm)

  expect(await pageAt(world, unsubscribe)).toMatchObject({ status: 200, title: 'Unsubscribe' })
  expect(await readState(world, email)).toEqual(['confirmed'])
  const oneClick = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }
  expect(await pageAt(world, unsubscribe, oneClick)).toMatchObject({ status: 200, title: 'You are unsubscribed' })
  expect(await readState(world, email)).toEqual(['unsubscribed'])
  expect(await press(world, confirm)).toMatchObject({ status: 400 })
  expect(await readState(world, email)).toEqual(['unsubscribed'])

  await subscribe(world, email)
  const again = await lastMail(world)
  expect(again.unsubscribe).toBe(unsubscribe)
  await press(world, again.confirm)
  expect(await readState(world, email)).toEqual(['confirmed'])
})

test('a mail to a domain of other letters goes to its name in ASCII, as mail servers know no other', async () => {
  const world = aWorld()
  await subscribe(world, 'Reader+news@Exämple.de')
  expect((await lastMail(world)).to).toBe('reader+news@xn--exmple-cua.de')
  expect(await readState(world, 'reader+news@exämple.de')).toEqual(['pending'])
})

test('a reader who asks again is told so by mail, and the answer tells nothing to others', async () => {
  const world = aWorld()
  const email = anAddress()
  const first = await subscribe(world, email)
  await press(world, (await lastMail(world)).confirm)

  await world.sql`DELETE FROM mail_allowances`
  const second = await subscribe(world, email)
  expect(second).toEqual(first)
  expect(await lastMail(world)).toMatchObject({
    to: email,
    subject: '[Earshot] You are subscribed already',
    confirm: '',
  })
  expect(await readState(world, email)).toEqual(['confirmed'])
})

test('no token is kept, neither with the reader nor with the mail once it is sent', async () => {
  const world = aWorld()
  const email = anAddress()
  await subscribe(world, email)
  const { confirm } = await lastMail(world)
  const token = confirm.split('/').at(-1) ?? ''
  expect(token.length).toBeGreaterThan(40)
  const kept = await world.sql`SELECT s.*, m.* FROM subscribers s JOIN mails m ON m."to" = s.email
    WHERE email = ${email}`
  expect(kept).toHaveLength(1)
  expect(JSON.stringify(kept)).not.toContain(token)
})

test('a request that nobody confirms within a week is void, and forgotten by the daily clock', async () => {
  const world = aWorld()
  const [late, soon] = [anAddress(), anAddress()]
  await subscribe(world, late)
  const { confirm } = await lastMail(world)
  await subscribe(world, soon)
  const aWeekAgo = plusSeconds(new Date(), -7 * day - 60)
  await world.sql`UPDATE subscribers SET created_at = ${aWeekAgo.toISOString()} WHERE email = ${late}`
  expect(await press(world, confirm)).toMatchObject({ status: 400, title: 'This link is no longer valid' })

  await world.tick(new Date(), '17 3 * * *')
  expect(await readState(world, late)).toEqual([])
  expect(await readState(world, soon)).toEqual(['pending'])
})

test.each([
  [{}, 'E-mail is required'],
  [{ email: ' ' }, 'E-mail is required'],
  [{ email: 'a@b' }, 'E-mail must be valid'],
  [{ email: 'a b@c.de' }, 'E-mail must be valid'],
  [{ email: 'nul\0@c.de' }, 'E-mail must be valid'],
  [{ email: 'gro.live\u202e@c.de' }, 'E-mail must be valid'],
  [{ email: 'jürgen@c.de' }, 'No mail reaches an address with other letters than a to z before the @'],
  [{ email: ['a@b.c'] }, 'E-mail is required'],
])('%j is refused', async (body, message) => {
  const answer = await post(aWorld(), '/api/alerts/newsletter', body)
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid', issues: expect.any(Array) } })
  expect((answer.body as { issues?: unknown[] }).issues?.[0]).toMatchObject({ path: ['email'], message })
})

test('nobody can have an address flooded, nor one place ask for many', async () => {
  const world = aWorld()
  const email = anAddress()
  const statuses: number[] = []
  for (let tries = 0; tries < 8; tries++) statuses.push((await subscribe(world, email)).status)
  expect(statuses).toEqual(statuses.map(() => 200))
  await world.drain()
  expect(world.mails).toHaveLength(1)

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const many: number[] = []
  for (let tries = 0; tries < 8; tries++) many.push((await subscribe(world, anAddress(), '203.0.113.7')).status)
  expect(many.slice(0, 5)).toEqual([200, 200, 200, 200, 200])
  expect(many.at(-1)).toBe(429)
  const { retry_after } = await subscribe(world, email, '203.0.113.7')
  expect(Number(retry_after)).toBeLessThanOrEqual(maxWaitSeconds)
})

test('the page does without a script', async () => {
  const world = aWorld()
  const email = anAddress()
  const send = (fields: Record<string, string>) =>
    pageAt(world, '/public/newsletter', { method: 'POST', body: new URLSearchParams(fields) })
  expect((await pageAt(world, '/public/newsletter')).text).toContain('action="/public/newsletter"')

  const wrong = await send({ email: '"><script>alert(1)</script>' })
  expect(wrong).toMatchObject({ status: 400 })
  expect(wrong.text).toContain('E-mail must be valid')
  expect(wrong.text).not.toContain('<script>alert')
  expect((await send({})).text).toContain('E-mail is required')

  expect(await send({ email })).toMatchObject({ status: 200, title: 'Subscription proceed. Thank you !' })
  expect(await readState(world, email)).toEqual(['pending'])
})

test('a link that is none of ours says so', async () => {
  const world = aWorld()
  for (const path of ['confirm/x', 'unsubscribe/x', `confirm/${'x'.repeat(5000)}`])
    expect(await press(world, `/public/newsletter/${path}`)).toMatchObject({ status: 400 })
})

/** A Monday, a quarter past the hour of the newsletter. */
const monday = new Date('2026-11-16T08:15:00Z')

async function aWeek(world: World) {
  const sql = (text: string, ...values: unknown[]) => rows(world.env, text, ...values)
  const add = async (id: number, { score, epss, kev, org_id }: Record<string, number | null>, changes: object[]) => {
    await sql(
      `INSERT INTO vulns(id, org_id, cveid, state, summary, score, cvss3_vector, epss, kev_added_at, created_at, updated_at)
       VALUES (?1, ?6, ?2, 'published', 'A flaw.', ?3, iif(?5, NULL, 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'), ?4, ?5, 0, 0)`,
      id,
      `CVE-2026-${30_000 + id}`,
      score,
      epss ?? null,
      kev ? '2026-11-12' : null,
      org_id ?? null,
    )
    await sql(
      "INSERT INTO vuln_changes(vuln_id, at, kind, source, detail) VALUES (?1, '2026-11-12T00:00:00Z', 'updated', 'nvd', ?2)",
      id,
      JSON.stringify(changes),
    )
  }
  const scored = [{ field: 'cvss3', from: null, to: 9 }]
  for (let id = 1; id <= 12; id++) await add(id, { score: id }, scored)
  await add(20, { score: 40, kev: 1 }, [{ field: 'kev_added_at', from: null, to: '2026-11-12' }])
  await add(21, { score: 30, epss: 0.9 }, [{ field: 'epss', from: 0.05, to: 0.9 }])
  await add(22, { score: 100, org_id: 1 }, scored)
}

test('each Monday confirmed readers get the ten vulnerabilities that mattered, each reader once', async () => {
  const world = aWorld()
  await world.sql`INSERT INTO orgs(id, name, slug, created_at) VALUES (1, 'A', 'a', '2026-01-01T00:00:00Z')`
  await aWeek(world)
  const [reader, pending] = [anAddress(), anAddress()]
  for (const [email, state] of [
    [reader, 'confirmed'],
    [pending, 'pending'],
  ])
    await world.sql`INSERT INTO subscribers(email, token_hash, state, created_at)
      VALUES (${email}, ${email}, ${state}, '2026-11-10T00:00:00Z')`
  const db = openDb(world.env)
  await driveNewsletter(world.env, db, new Date('2026-11-18T08:15:00Z'))
  expect(await world.sql`SELECT 1 FROM newsletters`).toEqual([])
  await Promise.allSettled([1, 2].map(() => driveNewsletter(world.env, db, monday)))
  await driveNewsletter(world.env, db, plusSeconds(monday, 3_600))
  await world.sql`UPDATE mails SET next_attempt_at = '2026-01-01T00:00:00Z'`
  await world.deliver('earshot-deliveries', { reason: 'due' })

  expect(world.mails.map(({ to, subject }) => [to, subject])).toEqual([
    [reader, '[Earshot] The 10 vulnerabilities that mattered: CVE-2026-30020 and others'],
  ])
  const admin = await anOrg({ world, is_admin: true })
  expect(await admin.call(previewNewsletter)).toBe(null)
  await world.sql`UPDATE vuln_changes SET at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 hour')`
  expect(await admin.call(previewNewsletter)).toMatchObject({
    subject: expect.stringContaining('CVE-2026-30020'),
    readers: 1,
  })
  expect(await admin.call(sendNewsletterSample)).toEqual({ sent_to: admin.email })
  await world.drain()
  expect(world.mails.slice(1).map(({ to }) => to)).toEqual([admin.email])
  const [mail] = world.mails
  const named = [...(mail?.text.matchAll(/^\d+\. (CVE-\S+)$/gm) ?? [])].map(([, name]) => name)
  expect(named.slice(0, 3)).toEqual(['CVE-2026-30020', 'CVE-2026-30021', 'CVE-2026-30012'])
  expect(named).toHaveLength(10)
  // Private vulnerabilities must not appear.
  expect(mail?.text).not.toContain('CVE-2026-30022')
  expect(mail?.text).toContain('Known to be exploited since 2026-11-12 (CISA KEV)')
  expect(mail?.text).toContain('Score 40/100 (provisional)')
  expect(mail?.text).toMatch(/Score 12\/100$/m)
  expect(mail?.text).toContain('EPSS rose from 5.0% to 90.0%')
  expect(mail?.headers).toMatchObject({
    'List-Unsubscribe': expect.stringMatching(/^<https:\/\/earshot\.test\/public\/newsletter\/unsubscribe\/.+>$/),
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
})

const notTexts: unknown[] = [{ toString: 1 }, { a: 1 }, ['a@example.org'], 5, null]
test('an address that is no text is answered as a wrong one', async () => {
  const world = aWorld()
  for (const email of notTexts) expect((await postJson(world, '/public/newsletter', { email })).status).toBe(400)
})

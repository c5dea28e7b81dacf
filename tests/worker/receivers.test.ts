import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { listChannels, renewWebhookKey, resendDelivery, testChannel } from '../../worker/alerts/channels/contract'
import { sendOut } from '../../worker/alerts/channels/outgoing'
import { receiverRetries_s } from '../../worker/alerts/channels/health'
import { eachTest } from './support/each-test'
import { aScene, configure, findDeliveries, hostile, makeDue, point } from './support/alerting'
import { aBox, until } from './support/box'

const scene = eachTest(aScene)

test('a webhook is signed after Standard Webhooks, with all keys while they change over', async () => {
  const org = await scene.watching()
  const { key = '' } = await point(scene, org, 'webhook')
  expect(key).toMatch(/^whsec_/)
  await scene.modify(['CVE-2026-20001', hostile])
  const lost = await org.call(renewWebhookKey, { body: {} })
  const renewed = await org.call(renewWebhookKey, { body: {} })
  await scene.modify(['CVE-2026-20002'])
  const [first, second] = await scene.box.taken('hook')
  if (!first || !second) throw new Error('Nothing came')
  const payload = new Webhook(key).verify(first.body, first.headers) as {
    type: string
    data: { vulnerability: { cveid: string } }
  }
  expect([payload.type, payload.data.vulnerability.cveid]).toEqual(['vulnerability.new', 'CVE-2026-20001'])
  expect(new TextEncoder().encode(first.body).byteLength).toBeLessThan(20_000)
  expect(first.headers['webhook-id']).toMatch(/^msg_\d+$/)
  for (const any of [key, lost.key, renewed.key])
    expect(new Webhook(any).verify(second.body, second.headers)).toBeTruthy()
  expect(() => new Webhook(renewed.key).verify(first.body, first.headers)).toThrow()
  const shown = JSON.stringify(await org.call(listChannels))
  for (const secret of [key, renewed.key]) expect(shown).not.toContain(secret)
})

test('a webhook may be signed with ed25519, which the public key proves', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook')
  const { key } = await org.call(renewWebhookKey, { body: { signing: 'ed25519' } })
  expect(key).toMatch(/^whpk_/)
  await scene.modify(['CVE-2026-20001'])
  const [message] = await scene.box.taken('hook')
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = message?.headers ?? {}
  const signature =
    signatures
      .split(' ')
      .find((one) => one.startsWith('v1a,'))
      ?.slice(4) ?? ''
  const bytes = (text: string) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))
  const publicKey = await crypto.subtle.importKey('raw', bytes(key.slice(5)), 'Ed25519', false, ['verify'])
  const content = new TextEncoder().encode(`${id}.${at}.${message?.body}`)
  expect(await crypto.subtle.verify('Ed25519', publicKey, bytes(signature), content)).toBe(true)
  expect((await org.call(listChannels)).find(({ channel }) => channel === 'webhook')?.signing).toBe('ed25519')
})

test('a receiver that refuses is asked ten times over 75 hours, later each time, and each time under the same id', async () => {
  expect(receiverRetries_s.reduce((sum, pause) => sum + pause, 0) / 3_600).toBeGreaterThan(75)
  const org = await scene.watching()
  await point(scene, org, 'webhook')
  await scene.box.behave({ status: 500, body: 'Out\nof order' })
  await scene.modify(['CVE-2026-20001'])
  for (const [at, pause_s] of receiverRetries_s.entries()) {
    const [delivery] = await findDeliveries(scene.world)
    const wait_s = (Date.parse(delivery?.next_attempt_at ?? '') - Date.now()) / 1000
    expect([delivery?.attempts, delivery?.answer]).toEqual([at + 1, '500: it is out of order'])
    expect(wait_s).toBeGreaterThan(pause_s - 30)
    expect(wait_s).toBeLessThan(pause_s * 1.1 + 5)
    await makeDue(scene.world)
    await scene.later(0)
  }
  expect(await findDeliveries(scene.world)).toMatchObject([{ status: 'dead', attempts: 10 }])
  const ids = (await scene.box.state()).requests.map(({ headers }) => headers['webhook-id'])
  expect([ids.length, new Set(ids).size]).toEqual([10, 1])

  await scene.box.behave({})
  const [dead] = await findDeliveries(scene.world)
  await org.call(resendDelivery, { params: { id: dead?.id ?? 0 } })
  await scene.world.drain()
  expect((await scene.box.taken('hook')).map(({ headers }) => headers['webhook-id'])).toEqual([ids[0]])
})

test('Retry-After is waited for, in seconds or until a date', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook')
  const waited = async () =>
    (Date.parse((await findDeliveries(scene.world))[0]?.next_attempt_at ?? '') - Date.now()) / 1000
  await scene.box.behave({ status: 429, headers: { 'retry-after': '1200' } })
  await scene.modify(['CVE-2026-20001'])
  expect(await waited()).toBeGreaterThan(1_190)
  await scene.box.behave({ status: 503, headers: { 'retry-after': new Date(Date.now() + 7_200_000).toUTCString() } })
  await makeDue(scene.world)
  await scene.later(1)
  expect(await waited()).toBeGreaterThan(7_100)
})

test('a receiver that says that it is gone is switched off, and its admins are told', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook')
  await scene.box.behave({ status: 410 })
  await scene.modify(['CVE-2026-20001'])
  await scene.later(1)
  expect(scene.world.mails.map(({ to, subject }) => [to, subject])).toEqual([
    [org.email, expect.stringMatching(/^\[Earshot\] .+: alerts by webhook are switched off$/)],
  ])
  const webhook = async () => (await org.call(listChannels)).find(({ channel }) => channel === 'webhook')
  expect(await webhook()).toMatchObject({ disabled_at: expect.any(String), failing_since: expect.any(String) })
  await makeDue(scene.world)
  await scene.modify(['CVE-2026-20002'])
  expect((await scene.box.state()).requests).toHaveLength(1)
  expect((await findDeliveries(scene.world)).map(({ status, last_error }) => [status, last_error])).toEqual([
    ['parked', expect.stringMatching(/answered 410: the address is gone$/)],
    ['parked', null],
  ])

  await scene.box.behave({})
  expect(await org.call(testChannel, { params: { channel: 'webhook' } })).toEqual({ status: 'success', reason: '' })
  expect(await webhook()).toMatchObject({ disabled_at: null, failing_since: null })
  await scene.modify(['CVE-2026-20003'])
  expect(await scene.box.taken('hook')).toHaveLength(4)
})

test('a receiver that took nothing for 75 hours is switched off; one that took something between is not', async () => {
  const org = await scene.watching()
  for (const channel of ['slack', 'webhook']) await point(scene, org, channel)
  await scene.box.behave({ status: 500 })
  await scene.modify(['CVE-2026-20001'])
  const longAgo = new Date(Date.now() - 75.1 * 3_600_000).toISOString().slice(0, 19)
  await scene.world.sql`UPDATE alert_channels SET failing_since = ${longAgo} || 'Z' WHERE channel = 'slack'`
  await makeDue(scene.world)
  await scene.later(1)
  await scene.later(1)
  const off = (await org.call(listChannels)).filter(({ disabled_at }) => disabled_at).map(({ channel }) => channel)
  expect(off).toEqual(['slack'])
  expect(scene.world.mails.map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/: alerts by Slack are switched off$/),
  ])
})

test.each([
  ['redirects', { status: 302, headers: { location: 'http://127.0.0.1/' } }, /sent us elsewhere/],
  [
    'answers much',
    { status: 400, body: 'x'.repeat(300_000) },
    /answered 400: it does not take a message of this form$/,
  ],
  ['hangs up', { lose_before: 1 }, /could not be reached/],
])('a receiver that %s is an error with its words', async (_, behaviour, words) => {
  const org = await scene.watching()
  await point(scene, org, 'slack')
  await scene.box.behave(behaviour)
  expect(await org.call(testChannel, { params: { channel: 'slack' } })).toEqual({
    status: 'error',
    reason: expect.stringMatching(words),
  })
  await scene.modify(['CVE-2026-20001'])
  expect((await findDeliveries(scene.world))[0]?.last_error).toMatch(words)
})

test('a receiver that hangs delays no other organization', async () => {
  const [slow, quick] = [await scene.watching(), await scene.watching()]
  const box = aBox()
  await configure(slow, 'webhook', { url: `${scene.box.url}/hook` })
  await configure(quick, 'webhook', { url: `${box.url}/hook` })
  await scene.box.behave({ hangs: true })
  const running = scene.modify(['CVE-2026-20001'])
  await until(async () => (await scene.box.state()).requests.length > 0 && (await box.state()).requests.length > 0)
  await scene.box.behave({})
  await running
  expect((await findDeliveries(scene.world)).map(({ status }) => status)).toEqual(['sent', 'sent'])
})

test('messages that become due while a receiver hangs go out meanwhile', async () => {
  const [slow, quick] = [await scene.watching(), await scene.watching()]
  const box = aBox()
  await configure(slow, 'webhook', { url: `${scene.box.url}/hook` })
  await configure(quick, 'webhook', { url: `${box.url}/hook` })
  await scene.modify(['CVE-2026-20001'])
  await scene.world.sql`UPDATE deliveries
    SET status = 'pending', attempts = 0, next_attempt_at = '2099-01-01T00:00:00Z'`
  await scene.world.sql`UPDATE deliveries SET next_attempt_at = '2026-01-01T00:00:00Z'
    WHERE org_id = ${slow.org_id}`
  const came = async (at: typeof box) => (await at.state()).requests.length
  const [before, sent] = [await came(scene.box), await came(box)]
  await scene.box.behave({ hangs: true })
  const running = scene.world.deliver('earshot-deliveries', { reason: 'due' })
  await until(async () => (await came(scene.box)) > before)
  await makeDue(scene.world)
  await until(async () => (await came(box)) > sent)
  await scene.box.behave({})
  await running
  expect((await findDeliveries(scene.world)).map(({ status }) => status)).toEqual(['sent', 'sent'])
})

test('an invocation that asked the database enough asks for the next one while a receiver still hangs', async () => {
  const [slow, quick] = [await scene.watching(), await scene.watching()]
  const box = aBox()
  await configure(slow, 'webhook', { url: `${scene.box.url}/hook`, daily_max: 1 })
  await configure(quick, 'webhook', { url: `${box.url}/hook`, daily_max: 1_000 })
  await scene.modify(...Array.from({ length: 60 }, (_, at): [string] => [`CVE-2026-${30_000 + at}`]))
  await scene.world.sql`UPDATE deliveries
    SET status = 'pending', attempts = 0, next_attempt_at = '2026-01-01T00:00:00Z' WHERE status = 'sent'`
  await scene.box.behave({ hangs: true })
  const running = scene.world.deliver('earshot-deliveries', { reason: 'due' })
  await until(() => scene.world.waiting.some(({ queue }) => queue === 'earshot-deliveries'))
  await scene.box.behave({})
  await running
  const left = await scene.world.sql<{ status: string }>`SELECT status FROM deliveries
    WHERE org_id = ${slow.org_id}`
  expect(left).toContainEqual({ status: 'sent' })
}, 60_000)

/** The outside as `answer` has it, with the settings of production. */
async function askOutside(answer: (url: URL, init?: RequestInit) => Response | Promise<Response>) {
  const real = globalThis.fetch
  globalThis.fetch = async (input, init) => answer(new URL(String(input)), init)
  const env = { ...scene.world.env, LOCAL_CHANNELS: undefined } as unknown as typeof scene.world.env
  try {
    return await sendOut(env, { url: 'https://hooks.example/services/x', body: '{}' }).catch((error: Error) => error)
  } finally {
    globalThis.fetch = real
  }
}
const inDns = (...addresses: string[]) =>
  Response.json({ Status: 0, Answer: addresses.map((data) => ({ type: data.includes(':') ? 28 : 1, data })) })
const isDns = ({ host }: URL) => host === 'cloudflare-dns.com'

test('an address that leads inside since it was saved is asked nothing', async () => {
  const asked: string[] = []
  const answer = await askOutside((url) => {
    asked.push(url.host)
    return inDns('10.1.2.3')
  })
  expect(answer).toMatchObject({ message: 'hooks.example is not on the public internet' })
  expect([...new Set(asked)]).toEqual(['cloudflare-dns.com'])
})

test('of an answer without an end 64 kB are read', async () => {
  let pieces = 0
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pieces++
      controller.enqueue(new TextEncoder().encode('x'.repeat(1_000)))
    },
  })
  const answer = await askOutside((url) => (isDns(url) ? inDns('93.184.216.34') : new Response(endless)))
  expect(answer).toMatchObject({ status: 200 })
  expect('text' in answer && answer.text.length).toBe(64_000)
  expect(pieces).toBeLessThan(70)
})

test('a receiver whose answer comes drop by drop, or breaks off, is waited for no longer, and took the message', async () => {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const wait = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(Math.min(ms, 600)))
  await scene.box.behave({ drip_ms: 200 })
  try {
    expect(await sendOut(scene.world.env, { url: `${scene.box.url}/hook`, body: '{}' })).toMatchObject({ status: 200 })
  } finally {
    wait.mockRestore()
  }
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })
  const answer = await askOutside((url) => (isDns(url) ? inDns('93.184.216.34') : new Response(broken)))
  expect(answer).toMatchObject({ status: 200 })
})

test('a receiver that does not answer is waited for 15 seconds', async () => {
  const wait = vi.spyOn(AbortSignal, 'timeout')
  const limits: number[] = []
  wait.mockImplementation((ms) => {
    limits.push(ms)
    return AbortSignal.abort(new Error('time is over'))
  })
  try {
    const answer = await askOutside((url, init) => {
      if (isDns(url)) return inDns('93.184.216.34')
      expect(init?.redirect).toBe('manual')
      throw init?.signal?.reason
    })
    expect(answer).toMatchObject({ message: 'hooks.example did not answer within 15 s' })
    expect(limits.at(-1)).toBe(15_000)
  } finally {
    wait.mockRestore()
  }
})

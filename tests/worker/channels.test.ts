import { expect, test } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import {
  listChannels,
  removeChannel,
  resendDelivery,
  testChannel,
  testEmail,
  updateChannel,
} from '../../worker/alerts/channels/contract'
import { requirePublicUrl } from '../../worker/auth/public-url'
import { aKevEntry, aMetric } from '../support/records'
import { eachTest } from './support/each-test'
import { ageAlerts, aScene, findDeliveries, hostile, makeDue, point, worse } from './support/alerting'
import { anOrg } from './support/org'

const scene = eachTest(aScene)

const paths: Record<string, string> = { slack: 'slack', teams: 'teams', thehive: 'hive', misp: 'misp', webhook: 'hook' }
const others = Object.keys(paths)
const mild = { metrics: { cvssMetricV31: [aMetric('3.1', 3.3, 'CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:L/I:N/A:N')] } }

test.each(others)('a new vulnerability reaches %s once, in the shape that it takes', async (channel) => {
  const org = await scene.watching()
  await point(scene, org, channel)
  await scene.modify(['CVE-2026-20001', hostile])
  await scene.later(15)
  const { requests, alerts, events } = await scene.box.state()
  expect(requests.map(({ problem }) => problem).filter(Boolean)).toEqual([])
  const taken = requests.filter(
    ({ path, taken: isTaken, method }) => isTaken && method === 'POST' && path.startsWith(`/${paths[channel]}`),
  )
  expect(taken).toHaveLength(1)
  expect(taken[0]?.body).toContain('CVE-2026-20001')
  expect([alerts.length, events.length]).toEqual([Number(channel === 'thehive'), Number(channel === 'misp')])
  const [row] = (await org.call(listAlerts)).results
  expect(row).toMatchObject({
    status: 'sent',
    rule: 'new',
    deliveries: [{ channel, attempts: 1, answer: expect.stringMatching(/^20\d/) }],
  })
})

test.each(others)('a record’s text is no markup at %s', async (channel) => {
  const org = await scene.watching()
  await point(scene, org, channel)
  await scene.modify(['CVE-2026-20001', hostile])
  const body = (await scene.box.state()).requests.find(({ method }) => method === 'POST')?.body ?? ''
  if (channel === 'slack') expect(body).not.toContain('<https://evil.example')
  if (['teams', 'thehive'].includes(channel)) expect(body).not.toMatch(/(?<!\\)\[x|(?<!\\)<https/)
  expect(body).toContain('evil.example')
})

test('Slack and Teams get one message for a batch of changes, the worst first, within their limits', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { daily_max: 100 })
  await point(scene, org, 'teams', { daily_max: 100 })
  const ids = Array.from({ length: 30 }, (_, at) => `CVE-2026-${30_000 + at}`)
  await scene.modify(
    ...ids.map((id, at): [string, Record<string, unknown>] => [
      id,
      at === 29 ? { ...hostile, ...worse } : { ...hostile, ...mild },
    ]),
  )
  const slack = await scene.box.taken('slack')
  expect(slack).toHaveLength(1)
  const { blocks } = JSON.parse(slack[0]?.body ?? '') as { blocks: { type: string; text?: { text: string } }[] }
  const sections = blocks.filter(({ type }) => type === 'section').map(({ text }) => text?.text ?? '')
  expect(sections).toHaveLength(30)
  expect(sections[0]).toContain('CVE-2026-30029')
  const teams = await scene.box.taken('teams')
  expect(teams.length).toBeLessThan(3)
  for (const id of ids) expect(teams.map(({ body }) => body).join()).toContain(id)
  expect((await scene.box.state()).requests.every(({ problem }) => problem === null)).toBe(true)
})

test('TheHive gets one alert for a vulnerability, which a later change edits and comments', async () => {
  const org = await scene.watching()
  await point(scene, org, 'thehive')
  await scene.modify(['CVE-2026-20001'])
  await ageAlerts(scene.world)
  await scene.modify(['CVE-2026-20001', worse])
  const { alerts, comments, requests } = await scene.box.state()
  expect(alerts).toHaveLength(1)
  expect(alerts[0]).toMatchObject({
    source: 'Earshot',
    sourceRef: `org${org.org_id}-PH-2`,
    title: expect.stringContaining('updated'),
  })
  expect(comments).toEqual([{ id: '~1', message: expect.stringContaining('CVSS 3: 9.8 → 10') }])
  expect(requests.map(({ method, path }) => `${method} ${path.replace('/hive/api/v1', '')}`)).toEqual([
    'POST /alert',
    'POST /alert',
    'POST /query',
    'POST /query',
    'POST /alert/~1/comment',
    'POST /query',
    'PATCH /alert/~1',
  ])
  expect(requests[0]?.headers['authorization']).toBe('Bearer hive-key-0123456789')
})

test('a message that TheHive took without our knowing is neither commented twice nor told as a change of itself', async () => {
  const org = await scene.watching()
  await point(scene, org, 'thehive')
  await scene.box.behave({ lose_after: 1 })
  await scene.modify(['CVE-2026-20001'])
  await scene.box.behave({})
  await makeDue(scene.world)
  await scene.later(1)
  expect((await findDeliveries(scene.world)).map(({ status, attempts }) => [status, attempts])).toEqual([['sent', 2]])
  expect(await scene.box.state()).toMatchObject({ alerts: [{ _id: '~1' }], comments: [] })

  await scene.box.behave({ lose_after: 1, only: ['/comment'] })
  await ageAlerts(scene.world)
  await scene.modify(['CVE-2026-20001', worse])
  await scene.box.behave({})
  await makeDue(scene.world)
  await scene.later(1)
  const { comments, alerts, requests } = await scene.box.state()
  expect(comments).toHaveLength(1)
  expect(requests.at(-1)).toMatchObject({ method: 'PATCH', taken: true })
  expect(alerts[0]).toMatchObject({ title: expect.stringContaining('updated') })
  expect((await findDeliveries(scene.world)).map(({ status }) => status)).toEqual(['sent', 'sent'])
})

test('MISP gets one event for a vulnerability and organization, which later changes edit', async () => {
  const [ours, theirs] = [await scene.watching(), await scene.watching()]
  await point(scene, ours, 'misp')
  await point(scene, theirs, 'misp')
  await scene.modify(['CVE-2026-20001'])
  await ageAlerts(scene.world)
  await scene.modify(['CVE-2026-20001', worse])
  const { events } = await scene.box.state()
  expect(events).toHaveLength(2)
  const [event] = events
  expect(event?.info).toContain('CVE-2026-20001 updated')
  expect(event?.Tag).toEqual([{ name: 'tlp:amber' }])
  expect((await scene.box.state()).requests.map(({ method }) => method).sort()).toEqual([
    'GET',
    'GET',
    'GET',
    'GET',
    'POST',
    'POST',
    'PUT',
    'PUT',
  ])
  const types = new Set(event?.Attribute?.map(({ type }) => type))
  expect([...types].sort()).toEqual(['cpe', 'link', 'vulnerability'])
  expect(event?.Attribute?.find(({ type }) => type === 'vulnerability')?.value).toBe('CVE-2026-20001')
})

test.each(others)('a test of %s arrives and says that it is one', async (channel) => {
  const org = await scene.watching()
  await point(scene, org, channel)
  expect(await org.call(testChannel, { params: { channel: channel as 'slack' } })).toEqual({
    status: 'success',
    reason: '',
  })
  const { requests } = await scene.box.state()
  expect(
    requests
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => body)
      .join(),
  ).toMatch(/test/i)
  expect((await org.call(listChannels)).find((row) => row.channel === channel)?.last_success_at).not.toBeNull()
})

test('a receiver’s answer is told to nobody: its page may be of an inner network', async () => {
  const org = await scene.watching()
  for (const channel of ['slack', 'thehive']) await point(scene, org, channel)
  const path = new URL(`${scene.box.url}/slack`).pathname
  await scene.box.behave({ status: 403, body: `<h1>Intranet</h1> ${path} of hive-key-0123456789` })
  const reason = `${scene.box.host} answered 403: the key or the address may not do this`
  for (const channel of ['slack', 'thehive'] as const)
    expect(await org.call(testChannel, { params: { channel } })).toEqual({ status: 'error', reason })
  await scene.modify(['CVE-2026-20001'])
  expect(await findDeliveries(scene.world)).toMatchObject([
    { answer: '403: the key or the address may not do this', last_error: reason },
    { answer: '403: the key or the address may not do this', last_error: reason },
  ])
  const shown = [await org.call(listChannels), await org.call(listAlerts), await findDeliveries(scene.world)]
  for (const secret of ['Intranet', path, 'hive-key']) expect(JSON.stringify(shown)).not.toContain(secret)
})

test('a test mail goes to the confirmed contact addresses, by the call of the specification; else it says why not', async () => {
  const org = await scene.watching({})
  const ask = async () => (await org.answer({ ...testEmail, method: 'GET' })).json()
  expect(await ask()).toEqual({ status: 'success', reason: '' })
  expect(scene.world.mails.map(({ to, subject }) => [to, subject])).toEqual([
    [org.email, expect.stringMatching(/^\[Earshot\] .+: test of your alerts$/)],
  ])
  await scene.world.env.DB.exec('DELETE FROM mail_allowances')
  scene.world.mailServer.refuse = '550 No such user'
  expect(await ask()).toEqual({ status: 'error', reason: '550 No such user' })
  const nobody = await scene.watching()
  expect(await nobody.call(testEmail)).toEqual({ status: 'error', reason: 'No contact e-mail is confirmed yet' })
})

test('a channel that is removed gets nothing any more, also of what waited', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook')
  await scene.box.behave({ status: 500 })
  await scene.modify(['CVE-2026-20001'])
  await org.call(removeChannel, { params: { channel: 'webhook' } })
  await scene.box.behave({})
  await makeDue(scene.world)
  await scene.modify(['CVE-2026-20002'])
  expect(await scene.box.taken('hook')).toEqual([])
  expect((await findDeliveries(scene.world)).map(({ last_error }) => last_error)).toEqual(['The channel was removed'])
})

test('channels are for those who manage alerts; a message of another organization is not sent again', async () => {
  const [ours, member] = [await scene.watching(), await anOrg({ world: scene.world })]
  await point(scene, ours, 'webhook')
  await scene.modify(['CVE-2026-20001'])
  expect((await member.answer(listChannels)).status).toBe(403)
  expect((await member.answer(testEmail)).status).toBe(403)
  const [delivery] = await findDeliveries(scene.world)
  const theirs = await scene.watching()
  expect((await theirs.answer(resendDelivery, { params: { id: delivery?.id ?? 0 } })).status).toBe(404)
})

test('a vulnerability that is known to be exploited says so in every channel', async () => {
  const org = await scene.watching()
  for (const channel of others) await point(scene, org, channel, { on_kev: true, on_update: false })
  scene.origins.kev = [aKevEntry('CVE-2024-10001')]
  await scene.later(6 * 60)
  const { requests, alerts, events } = await scene.box.state()
  for (const kind of ['slack', 'teams', 'hook'])
    expect(requests.find(({ path }) => path === `/${kind}`)?.body).toContain('is known to be exploited')
  expect(JSON.stringify([alerts, events])).toMatch(/is known to be exploited.*is known to be exploited/)
})

test('an address is what a browser makes of it, and only one of the public internet is asked', async () => {
  const port = (number: number, host = 'hooks.example') =>
    `Must lead to port 443 or 8443, not ${number}: those who run this Earshot can allow ${host}:${number} (OUTGOING_HOSTS)`
  const env = { ...scene.world.env, OUTGOING_HOSTS: 'Soar.example:9443, misp.example 127.0.0.1' }
  const addresses: [url: string, problem: string | null][] = [
    ['https://hooks.example:8443/x?y=1', null],
    ['https://HOOKS.example/x', null],
    ['https://hooks.example:443/x', null],
    ['https://hooks.example:22/', port(22)],
    ['https://hooks.example:6379/', port(6379)],
    ['https://soar.example:9443/', null],
    ['https://soar.example:9444/', port(9444, 'soar.example')],
    ['https://misp.example:5000/', null],
    ['https://evil-misp.example:5000/', port(5000, 'evil-misp.example')],
    ['https://127.0.0.1:9443/', '127.0.0.1 is not on the public internet'],
    ['https://0x7f.1/', '127.0.0.1 is not on the public internet'],
    ['https://0177.0.0.1./', '127.0.0.1 is not on the public internet'],
    ['https://2130706433/', '127.0.0.1 is not on the public internet'],
    ['https://①②⑦.0.0.1/', '127.0.0.1 is not on the public internet'],
    ['https://localhost/', 'localhost has no address in the DNS'],
    ['https://metadata.internal:8443/', 'metadata.internal has no address in the DNS'],
    ['https://hooks.example@169.254.169.254/', 'Must hold no password'],
    ['https://[::ffff:127.0.0.1]/', '::ffff:7f00:1 is not on the public internet'],
    ['https:/\\169.254.169.254/', '169.254.169.254 is not on the public internet'],
    ['//hooks.example/', 'Must be a web address, with https://'],
    ['http://hooks.example/', 'Must be a web address, with https://'],
  ]
  const real = globalThis.fetch
  globalThis.fetch = async (input) => {
    const asked = new URL(String(input)).searchParams
    const isKnown = asked.get('name')?.endsWith('.example') && asked.get('type') === 'A'
    return Response.json({ Status: isKnown ? 0 : 3, Answer: isKnown ? [{ type: 1, data: '93.184.216.34' }] : [] })
  }
  const judge = ([url]: [string, string | null]) =>
    requirePublicUrl(env, url).then(
      () => [url, null],
      (error: Error) => [url, error.message],
    )
  expect(await Promise.all(addresses.map(judge)).finally(() => (globalThis.fetch = real))).toEqual(addresses)
})

test.each(['two words', 'line\r\nX-Admin: 1', 'schl\u00fcssel', 'nul\u0000'])(
  'a key that is no header is refused: %j',
  async (apikey) => {
    const org = await scene.watching()
    const refused = await org.answer(updateChannel, {
      params: { channel: 'misp' },
      body: { url: `${scene.box.url}/misp`, apikey },
    })
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { message: 'apikey: A key has no spaces and no letters with accents' },
    ])
  },
)

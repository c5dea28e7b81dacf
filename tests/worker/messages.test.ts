import { expect, test } from 'vitest'
import { requireChannelUrl } from '../../worker/alerts/channels/outgoing'
import { createRoute } from '../../worker/alerts/receivers/contract'
import { aMetric } from '../support/records'
import { eachTest } from './support/each-test'
import { ageAlerts, aScene, findDeliveries, logChange, point, worse, type WatchingOrg } from './support/alerting'

const scene = eachTest(aScene)

const daily_max = 1_000
const mild = { cvssMetricV31: [aMetric('3.1', 3.3, 'CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:L/I:N/A:N')] }
const word = /\b(Critical|High|Medium|Low)\b/g
/** Leads an organization to each kind of receiver there is. */
async function pointAll(org: WatchingOrg) {
  for (const channel of ['slack', 'teams', 'thehive', 'misp', 'webhook'])
    await point(scene, org, channel, { daily_max })
  const { url } = scene.box
  const template = '{"severity":"{{severity}}","text":"{{summary}}"}'
  for (const body of [
    { kind: 'mattermost' as const, url: `${url}/mattermost/x` },
    { kind: 'pagerduty' as const, url: `${url}/pagerduty`, apikey: 'k'.repeat(32) },
    { kind: 'json' as const, url: `${url}/any`, template },
  ])
    await org.call(createRoute, { body: { ...body, daily_max } })
}

test('a message knows one severity, whatever our own score is', async () => {
  const org = await scene.watching({ emails: ['desk@example.org'] })
  await pointAll(org)
  await scene.modify(['CVE-2026-20001'])
  const { requests, alerts, events } = await scene.box.state()
  const words = new Map(requests.map(({ path, body }) => [path, body.replaceAll('\\n', ' ').match(word) ?? []]))
  const named = ['/slack', '/teams', '/mattermost/x', '/hive/api/v1/alert', '/misp/events/add', '/any']
  for (const path of named) expect([path, ...new Set(words.get(path))]).toEqual([path, 'Critical'])
  const levels = ['/hook', '/pagerduty/v2/enqueue'].map((path) => requests.find((one) => one.path === path)?.body)
  expect(Number(/"score":(\d+)/.exec(levels[0] ?? '')?.[1])).toBeLessThan(80)
  for (const body of levels) expect(body).toContain('"severity":"critical"')
  expect([alerts, events]).toMatchObject([[{ severity: 4 }], [{ threat_level_id: '1' }]])
  const mail = scene.world.mails.find(({ to }) => to === 'desk@example.org')
  expect(mail?.subject).toMatch(/^\[Earshot\] Critical 9\.8: /)
  // The words of a vector are no severity.
  const told = mail?.text.replaceAll(/\(.*?CVSS:.*\)/g, '').match(word)
  expect(new Set(told)).toEqual(new Set(['Critical']))
})

test('Mattermost names a vulnerability once, and its links stand below the text', async () => {
  const org = await scene.watching()
  await pointAll(org)
  await scene.modify(['CVE-2026-20001'])
  const { attachments } = JSON.parse((await scene.box.taken('mattermost'))[0]?.body ?? '') as {
    attachments: { title: string; text: string }[]
  }
  expect(attachments[0]?.title).toBe('PH-2 · CVE-2026-20001 new vulnerability')
  expect(attachments[0]?.text).toMatch(/^\*\*Critical · .*\n\[Acknowledge\]\(\S+\) · \[Snooze for a week\]\(\S+\)$/s)
})

test('a threshold that is crossed in the first ten minutes is named in a message of its own', async () => {
  const org = await scene.watching()
  await point(scene, org, 'slack', { on_score: true, score_value: 90 })
  await scene.modify(['CVE-2026-20001'])
  const changes = [{ field: 'score', from: 70, to: 93 }]
  await logChange(scene.world, 2, { score: 93 }, { changes })
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  await scene.world.drain()
  const titles = (await scene.box.taken('slack')).map(({ body }) => (JSON.parse(body) as { text: string }).text)
  expect(titles).toEqual([
    'CVE-2026-20001 new vulnerability',
    expect.stringMatching(/^CVE-2026-20001 is new and reached a (provisional )?score of 93$/),
  ])
})

const referring = (...paths: string[]) => ({
  references: paths.map((path) => ({ url: `https://acme.example/${path}`, source: 'acme' })),
})

test('an event of MISP keeps what people made of it, gets what is new, and loses what we added and no source names', async () => {
  const org = await scene.watching()
  await point(scene, org, 'misp')
  await scene.modify(['CVE-2026-20001', referring('a', 'b')])
  const [before] = (await scene.box.state()).events
  const theirs = { uuid: '0b8e7a52-6a0e-5b7e-9a53-0c2c7b1f9d44', type: 'comment', category: 'Other', to_ids: false }
  const own = before?.Attribute?.map((one) => (one.value.endsWith('/a') ? { ...one, to_ids: true } : one)) ?? []
  const kept = {
    published: true,
    analysis: '1',
    distribution: '3',
    threat_level_id: '4',
    info: 'Ours',
    Tag: [{ name: 'x' }],
  }
  await scene.box.analyse({ event: { ...kept, Attribute: [...own, { ...theirs, value: 'seen here' }] } })
  await ageAlerts(scene.world)
  await scene.modify(['CVE-2026-20001', { ...worse, ...referring('a', 'c') }])
  const { events, requests } = await scene.box.state()
  expect(requests.filter(({ problem }) => problem)).toEqual([])
  expect(events).toMatchObject([kept])
  const shown =
    events[0]?.Attribute?.map((one) => ({ ...one, value: one.value.replace('https://acme.example', '') })) ?? []
  for (const [value, to_ids] of [
    ['/a', true],
    ['/c', false],
    ['seen here', false],
  ] as const)
    expect(shown).toContainEqual(expect.objectContaining({ value, to_ids }))
  expect(shown.map(({ value }) => value)).not.toContain('/b')

  // Untouched fields are ours to change.
  await scene.box.analyse({ event: { threat_level_id: '1', info: before?.info } })
  await ageAlerts(scene.world)
  await scene.modify(['CVE-2026-20001', { metrics: mild, ...referring('a', 'c') }])
  expect((await scene.box.state()).events).toMatchObject([
    { published: true, threat_level_id: '3', info: expect.stringContaining('CVE-2026-20001 updated') },
  ])

  // Their text behind our words is theirs.
  const info = `${(await scene.box.state()).events[0]?.info} (INC-7)`
  await scene.box.analyse({ event: { info } })
  for (const path of ['b', 'd']) {
    await ageAlerts(scene.world)
    await scene.modify(['CVE-2026-20001', { ...worse, ...referring('a', path) }])
    expect((await scene.box.state()).events).toMatchObject([{ info }])
  }
})

test('an alert without a CVE is named once, and its event goes on under the CVE that it gets', async () => {
  const org = await scene.watching()
  for (const channel of ['thehive', 'misp']) await point(scene, org, channel)
  const title = async (cveid: string | null) => {
    await scene.world.sql`UPDATE vulns SET cveid = ${cveid} WHERE id = 1`
    await ageAlerts(scene.world)
    await logChange(scene.world, 1, {}, { changes: [{ field: 'kev_added_at', from: null, to: '2026-11-20' }] })
    await scene.world.deliver('earshot-alerts', { reason: 'changes' })
    await scene.world.drain()
    const { alerts, events } = await scene.box.state()
    const named = events[0]?.Attribute?.filter(({ type }) => type === 'vulnerability' || type === 'comment').map(
      ({ value }) => value,
    )
    return [String(alerts[0]?.['title']), String(events[0]?.info), ...(named ?? [])]
  }
  expect(await title(null)).toEqual([
    expect.stringMatching(/^PH-1 [a-z]/),
    expect.stringMatching(/^PH-1 [a-z]/),
    'PH-1',
  ])
  const event = (await scene.box.state()).events[0]?.info?.replace('PH-1 ', 'PH-1 PH-1 ')
  const unsigned = (await scene.box.state()).events[0]?.Attribute?.map((one) => ({
    ...one,
    comment: one.comment?.slice(0, -11),
  }))
  // As one was written before.
  await scene.box.analyse({ event: { info: event, Attribute: unsigned } })
  const cveid = 'CVE-2024-10001'
  expect(await title(cveid)).toEqual([
    expect.stringMatching(`^PH-1 / ${cveid} [a-z]`),
    expect.stringMatching(`^PH-1 ${cveid} [a-z]`),
    cveid,
  ])
})

test('an alert of TheHive gets tags and observables, and keeps what people made of it', async () => {
  const org = await scene.watching()
  await point(scene, org, 'thehive')
  await scene.modify(['CVE-2026-20001', { ...referring('a') }])
  const alert = async () =>
    (await scene.box.state()).alerts[0] as Record<string, string[]> & { observables: { data: string }[] }
  const before = await alert()
  const data = before.observables.map((one) => one.data)
  for (const value of ['CVE-2026-20001', 'https://acme.example/a', 'https://earshot.test/vulns/2'])
    expect(data).toContain(value)
  expect(data.join()).toContain(':widget:')
  const theirs = { severity: 1, description: 'Read by us', tags: ['earshot', 'CVE-2026-20001', 'exploit', 'checked'] }
  await scene.box.analyse({ alert: theirs })
  await ageAlerts(scene.world)
  await scene.modify(['CVE-2026-20001', { ...worse, ...referring('a', 'c') }])
  const after = await alert()
  expect(after).toMatchObject({ severity: 1, description: 'Read by us', title: before['title'] })
  expect(after['tags']).toEqual(['earshot', 'CVE-2026-20001', 'checked'])
  expect(after.observables.map((one) => one.data)).toEqual([...data, 'https://acme.example/c'])

  // A text that people left as it was goes on with the vulnerability, beside a level that they set.
  await scene.box.analyse({ alert: { description: before['description'] } })
  await ageAlerts(scene.world)
  await scene.modify(['CVE-2026-20001', { metrics: mild, ...referring('a', 'c') }])
  expect(await alert()).toMatchObject({ severity: 1, title: expect.stringContaining('updated') })
  expect((await alert())['description']).toContain('CVSS 3: 10 → 3.3')
  expect((await scene.box.state()).requests.filter(({ problem }) => problem)).toEqual([])
})

test('a text too long for one message leaves in several, none of which is refused, and turns no text around', async () => {
  const org = await scene.watching()
  for (const channel of ['slack', 'teams']) await point(scene, org, channel, { daily_max })
  const url = `${scene.box.url}/mattermost/x`
  await org.call(createRoute, { body: { kind: 'mattermost', url, daily_max } })
  const jira = {
    kind: 'jira' as const,
    url: `${scene.box.url}/jira/browse/SEC`,
    apikey: 'bot@acme.example:123456789012',
  }
  await org.call(createRoute, { body: jira })
  const long = `\u202e<&>*x*[y](javascript:1) ${'漏洞&🔥'.repeat(2_000)}`
  const ids = Array.from({ length: 24 }, (_, at) => `CVE-2026-${30_000 + at}`)
  await scene.modify(
    ...ids.map((id, at): [string, Record<string, unknown>] => {
      const value = 'x'.repeat(at % 5) + long
      return [id, { descriptions: [{ lang: 'en', value }] }]
    }),
  )
  const { requests } = await scene.box.state()
  const posts = requests.filter(({ method, path }) => method === 'POST' && !path.endsWith('/query'))
  expect(posts.filter(({ taken }) => !taken)).toEqual([])
  expect(posts.filter(({ body }) => /\p{Bidi_C}/u.test(body))).toEqual([])
  // So half of a sign is written.
  expect(posts.flatMap(({ body }) => /\\ud[89a-f]../i.exec(body) ?? [])).toEqual([])
  for (const kind of ['slack', 'teams', 'mattermost', 'jira']) {
    const told = (await scene.box.taken(kind)).flatMap(({ body }) => [...new Set(body.match(/CVE-2026-3\d{4}/g))])
    expect([kind, told.toSorted()]).toEqual([kind, ids])
  }
  expect(new Set((await findDeliveries(scene.world)).map(({ status }) => status))).toEqual(new Set(['sent']))
})

test('a record calls nobody at a chat, and says of no message that it was told', async () => {
  const org = await scene.watching()
  await pointAll(org)
  const jira = {
    kind: 'jira' as const,
    url: `${scene.box.url}/jira/browse/SEC`,
    apikey: 'bot@acme.example:123456789012',
  }
  await org.call(createRoute, { body: { ...jira, on_score: true, daily_max } })
  const marks = Array.from({ length: 40 }, (_, id) => `(Earshot message ${id})`).join(' ')
  const value = `@channel (@All), @j.doe: a@b.example and @babel/core ${marks}`
  const record = { descriptions: [{ lang: 'en', value }] }
  await scene.modify(['CVE-2026-20001', record])
  const [post] = await scene.box.taken('mattermost')
  expect(post?.body).toContain('@\u200bchannel \\\\(@\u200bAll\\\\), @\u200bj.doe: a@b.example and @babel/core')
  await ageAlerts(scene.world)
  await scene.modify(['CVE-2026-20001', { ...record, ...worse }])
  expect((await scene.box.state()).issues).toMatchObject([{ comments: [expect.stringContaining('10.0')] }])
})

test.each([
  ['soar.lan 10.2.0.0/16, misp.lan:5000', 'http://soar.lan:9000/x', true],
  ['soar.lan 10.2.0.0/16, misp.lan:5000', 'http://10.2.255.1/x', true],
  ['soar.lan 10.2.0.0/16, misp.lan:5000', 'https://misp.lan:5000/x', true],
  ['soar.lan 10.2.0.0/16, misp.lan:5000', 'https://misp.lan:5001/x', false],
  ['soar.lan 10.2.0.0/16, misp.lan:5000', 'http://10.3.0.1/x', false],
  ['soar.lan 10.2.0.0/16, misp.lan:5000', 'http://evil-soar.lan/x', false],
  ['soar.lan 10.2.0.0/16, misp.lan:5000', 'http://soar.lan@127.0.0.1/x', false],
  ['soar.lan 10.2.0.0/33 10.2.0.0/', 'http://10.2.0.1/x', false],
  ['soar.lan', 'ftp://soar.lan/x', false],
  ['', 'http://soar.lan/x', false],
])('of the inner network a channel reaches what %j lists: %s %s', async (LOCAL_CHANNELS, url, isReached) => {
  const judged = requireChannelUrl({ ...scene.world.env, LOCAL_CHANNELS }, url)
  expect(
    await judged.then(
      () => true,
      () => false,
    ),
  ).toBe(isReached)
})

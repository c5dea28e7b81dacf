import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { createAlertFeed, listAlertFeeds, removeAlertFeed } from '../../worker/atom/contract'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { disableMember, enableMember, removeMember } from '../../worker/orgs/members/contract'
import { createView, removeView } from '../../worker/views/contract'
import { eachTest } from './support/each-test'
import { aScene, hostile, logChange, makeDue, type WatchingOrg } from './support/alerting'
import { aMember } from './support/member'
import { anOrg } from './support/org'

const scene = eachTest(aScene)

const make = ({ call }: Pick<WatchingOrg, 'call'>, view_id = 0) => call(createAlertFeed, { body: { view_id } })
const get = (url: string, headers = {}) => scene.world.request(new URL(url).pathname, { headers })

/** The texts of each element by its name; throws where it is no XML. */
function readXml(text: string) {
  const [found, path] = [[] as [string, string][], [] as string[]]
  const parser = new SaxesParser()
  parser.on('opentag', ({ name }) => path.push(name))
  parser.on('closetag', () => path.pop())
  parser.on('text', (part) => found.push([path.at(-1) ?? '', part]))
  parser.on('error', (error) => {
    throw error
  })
  parser.write(text).close()
  return found
}

test('a feed tells of the alerts in Atom and JSON, whatever a record says', async () => {
  const org = await scene.watching()
  await scene.modify(['CVE-2026-20001', hostile], ['CVE-2026-20002'])
  const { atom_url, json_url } = await make(org)
  const atom = await get(atom_url)
  expect([atom.status, atom.headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8'])
  const texts = readXml(await atom.text())
  expect(texts.filter(([name]) => name === 'title').map(([, text]) => text)).toEqual([
    expect.stringMatching(/^Earshot: alerts of org/),
    'CVE-2026-20002 · Critical: new',
    'CVE-2026-20001 · Critical: new',
  ])
  expect(texts.find(([name, text]) => name === 'content' && text.includes('<https://evil.example|click>'))).toBeTruthy()

  const json = await get(json_url)
  expect(json.headers.get('content-type')).toBe('application/feed+json; charset=utf-8')
  const feed = (await json.json()) as {
    version: string
    feed_url: string
    items: { id: string; url: string; title: string }[]
  }
  expect([feed.version, feed.feed_url, feed.items.length]).toEqual(['https://jsonfeed.org/version/1.1', json_url, 2])
  expect(feed.items[0]).toMatchObject({
    id: expect.stringMatching(/^urn:uuid:[0-9a-f-]{36}$/),
    url: expect.stringMatching(/^https:\/\/earshot\.test\/vulns\/\d+$/),
  })
})

test('a change that joins an alert raises its title and its time, under the same id, which holds no secret', async () => {
  const org = await scene.watching()
  await scene.modify(['CVE-2026-20001'])
  const view = await org.call(createView, { body: { name: 'All', query: 'search=CVE-2026-20001', is_shared: true } })
  const [all, viewed] = [await make(org), await make(org, view.id)]
  const read = async (url: string) =>
    ((await (await get(url)).json()) as { items: { id: string; title: string; date_modified: string }[] }).items[0]
  const readBoth = async () => [await read(all.json_url), await read(viewed.json_url)]
  const before = await readBoth()
  // Within its ten minutes.
  await scene.world.sql`UPDATE alerts SET updated_at = '2026-01-01T00:00:00Z'`
  const kev = { field: 'kev_added_at', from: null, to: '2026-11-20' }
  const changes = [kev, { field: 'fixes', added: ['acme:widget 2'], count: 1 }, { field: 'cvss3', from: 9.8, to: 8 }]
  await logChange(scene.world, 2, { kev_added_at: '2026-11-20', cvss3: 8 }, { changes })
  await scene.world.deliver('earshot-alerts', { reason: 'changes' })
  const after = await readBoth()
  expect(after.map((one) => one?.title)).toEqual([
    'CVE-2026-20001 · High: exploited, fixed versions named, new',
    'CVE-2026-20001 · High, exploited',
  ])
  expect(after.map((one) => one?.id)).toEqual(before.map((one) => one?.id))
  expect(after[0]?.date_modified).not.toBe('2026-01-01T00:00:00Z')
  const texts = readXml(await (await get(all.atom_url)).text())
  const [feed] = texts.filter(([name]) => name === 'updated')
  expect(feed?.[1]).toBe(after[0]?.date_modified)
  const ids = texts.filter(([name]) => name === 'id').map(([, text]) => text)
  expect(ids.filter((id) => !/^urn:uuid:[0-9a-f-]{36}$/.test(id))).toEqual([])
})

test('a reader that has it already is answered 304, until something is new', async () => {
  const org = await scene.watching()
  await scene.modify(['CVE-2026-20001'])
  const { atom_url } = await make(org)
  const etag = (await get(atom_url)).headers.get('etag') ?? ''
  const again = await get(atom_url, { 'if-none-match': `"other", W/${etag}` })
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
  await scene.modify(['CVE-2026-20002'])
  expect((await get(atom_url, { 'if-none-match': etag })).status).toBe(200)
})

test('a feed shows the newest hundred', async () => {
  const org = await scene.watching()
  await scene.modify(...Array.from({ length: 101 }, (_, at): [string] => [`CVE-2026-${40_000 + at}`]))
  const { json_url } = await make(org)
  expect(((await (await get(json_url)).json()) as { items: unknown[] }).items).toHaveLength(100)
})

test('a saved view has a feed of its own, which ends with the view', async () => {
  const org = await scene.watching()
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'])
  const view = await org.call(createView, { body: { name: 'One', query: 'search=CVE-2026-20002', is_shared: true } })
  const { json_url, name } = await make(org, view.id)
  expect(name).toBe('One')
  const { items } = (await (await get(json_url)).json()) as { items: { title: string }[] }
  expect(items.map(({ title }) => title)).toEqual(['CVE-2026-20002 · Critical'])
  await org.call(removeView, { params: { id: view.id } })
  expect((await get(json_url)).status).toBe(404)
  expect(await org.call(listAlertFeeds)).toEqual([])
})

test('an address is known to whom it was told alone, and ends when it is revoked or made anew', async () => {
  const org = await scene.watching()
  const first = await make(org)
  const second = await make(org)
  expect((await get(first.atom_url)).status).toBe(404)
  expect((await get(second.atom_url)).status).toBe(200)
  const stored = JSON.stringify([await scene.world.sql`SELECT * FROM alert_feeds`, await org.call(listAlertFeeds)])
  expect(stored).not.toContain(second.atom_url.split('/').at(-2)?.slice(-20))
  expect((await get(second.atom_url.replace(/-0-(.)/, (_, letter) => (letter === 'X' ? '-0-Y' : '-0-X')))).status).toBe(
    404,
  )
  await org.call(removeAlertFeed, { params: { view_id: 0 } })
  expect((await get(second.atom_url)).status).toBe(404)
})

test('nobody makes a feed of a view that they do not see, and a disabled organization has none', async () => {
  const [ours, theirs] = [await scene.watching(), await scene.watching()]
  const member = await anOrg({ world: scene.world })
  const view = await theirs.call(createView, { body: { name: 'Theirs', query: '', is_shared: true } })
  expect((await ours.answer(createAlertFeed, { body: { view_id: view.id } })).status).toBe(404)
  expect((await member.answer(createAlertFeed, { body: {} })).status).toBe(403)
  const { atom_url } = await make(ours)
  await scene.world.sql`UPDATE orgs SET is_active = 0 WHERE id = ${ours.org_id}`
  expect((await get(atom_url)).status).toBe(404)
})

test('an address ends with the membership of whoever made it, and shows no view that is private again', async () => {
  const org = await scene.watching()
  const maker = await aMember(scene.world, org.org_id)
  await scene.world.sql`UPDATE members SET manage_alert_email = 1 WHERE user_id = ${maker.user_id}`
  const view = await org.call(createView, { body: { name: 'Shared', query: '', is_shared: true } })
  const [all, one] = [await make(maker), await make(maker, view.id)]
  const statuses = async () => [(await get(all.atom_url)).status, (await get(one.json_url)).status]
  expect(await statuses()).toEqual([200, 200])
  await scene.world.sql`UPDATE saved_views SET is_shared = 0 WHERE id = ${view.id}`
  expect(await statuses()).toEqual([200, 404])
  const params = { org_id: org.org_id, user_id: maker.user_id }
  await org.call(disableMember, { params })
  expect(await statuses()).toEqual([404, 404])
  expect(await org.call(listAlertFeeds)).toEqual([])
  await org.call(enableMember, { params })
  expect((await statuses())[0]).toBe(200)
  await org.call(removeMember, { params })
  await scene.world.sql`INSERT INTO members(org_id, user_id) VALUES (${org.org_id}, ${maker.user_id})`
  expect(await statuses()).toEqual([404, 404])
})

test('a removed member hears nothing more, not even of what waited', async () => {
  const org = await scene.watching()
  const member = await aMember(scene.world, org.org_id)
  const { call, org_id } = org
  await call(updateOrgSettings, { body: { org_id, alerts_emails: [member.email] } })
  scene.world.mailServer.refuse = '451 later'
  await scene.modify(['CVE-2026-20001'])
  scene.world.mailServer.refuse = null
  await call(removeMember, { params: { org_id, user_id: member.user_id } })
  await makeDue(scene.world)
  await scene.modify(['CVE-2026-20002'])
  expect(scene.world.mails.map(({ to, subject }) => [to, subject.includes('nobody gets alerts')])).toEqual([
    [org.email, true],
  ])
  const [later, before] = (await call(listAlerts)).results
  expect([later?.reason, before?.deliveries[0]?.last_error]).toEqual([
    'No alert address is confirmed yet',
    'It is no member’s address, and nobody has confirmed it',
  ])
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { listRuns, listSources, runSync, syncInfo } from '../../worker/feeds/contract'
import { registeredFeeds } from '../../worker/feeds/run/registry'
import { listVulns } from '../../worker/vulns/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { aCve } from '../support/records'
import { anOrg } from './support/org'
import { fakeOrigins, originSettings, type Origins } from './support/origins'
import { toy } from './support/toy-source/toy'
import { aWorld, type World } from './support/world'

const entry = (cve: string, text = `The toy list knows ${cve}.`) =>
  JSON.stringify({ cve, text, vendor: 'acme', product: 'widget' })

let origins: Origins
let world: World
let list: string[]
beforeEach(() => {
  registeredFeeds.push(toy)
  list = [entry('CVE-2026-10001'), entry('CVE-2026-10002')]
  origins = fakeOrigins()
  origins.instead = ({ host }) => (host === 'toy.test' ? new Response(list.join('\n')) : null)
  world = aWorld({ ...originSettings, EPSS_URL: '', TOY_URL: 'https://toy.test/list.jsonl' })
})
afterEach(() => {
  registeredFeeds.splice(registeredFeeds.indexOf(toy), 1)
  origins.restore()
})

async function sync(now = new Date()) {
  await world.tick(now)
  await world.drain()
}
const tomorrow = () => new Date(Date.now() + 86_400_000)

async function findVuln(cveid: string) {
  const { call } = await anOrg({ world })
  const { results } = await call(listVulns, { query: { search: cveid } })
  return call(getVuln, { params: { id: results[0]?.id ?? 0 } })
}

test('a source that one line of the registry adds is read, shown, and believed after those that the rules name', async () => {
  origins.files.set(2026, [aCve('CVE-2026-10001', { descriptions: [{ lang: 'en', value: 'NVD knows it better.' }] })])
  await sync()

  expect(await findVuln('CVE-2026-10001')).toMatchObject({ summary: 'NVD knows it better.' })
  const vuln = await findVuln('CVE-2026-10002')
  expect(vuln).toMatchObject({ summary: 'The toy list knows CVE-2026-10002.', provenance: { summary: 'toy' } })
  expect(vuln.sources.map(({ source }) => source)).toEqual(['toy'])
  expect(vuln.products).toMatchObject([{ vendor: 'acme', name: 'widget' }])
})

test('the run of a new source is shown in Settings, by its name, and an admin starts another', async () => {
  list.push('{"cve":"CVE-2026-10003"}')
  await sync()

  const admin = await anOrg({ world, is_admin: true })
  const { feeds } = await admin.call(syncInfo)
  expect(feeds.find(({ id }) => id === 'toy')).toMatchObject({
    name: 'Toy list of the tests',
    state: 'idle',
    records: 3,
    changed: 2,
    skipped: 1,
    last_error: null,
  })
  const { sources } = await admin.call(listSources)
  expect(sources).toContainEqual({ id: 'toy', label: 'Toy list', lists_exploits: false })

  expect(await admin.call(runSync, { query: { feed: 'toy' } })).toEqual({ status: 'enqueued', feeds: ['toy'] })
  await world.drain()
  const { runs } = await admin.call(listRuns, { query: { feed: 'toy' } })
  expect(runs).toMatchObject([{ records: 3, changed: 0 }, { records: 3 }])
})

test('records that a new source takes back are gone, unless they are a tenth of all', async () => {
  list = Array.from({ length: 20 }, (_, at) => entry(`CVE-2026-${20_000 + at}`))
  await sync()
  list.splice(0, 2)
  await sync(tomorrow())
  expect((await findVuln('CVE-2026-20000')).sources).toEqual([])
  expect((await findVuln('CVE-2026-20002')).sources).toHaveLength(1)

  list.splice(0, 5)
  await sync(new Date(tomorrow().getTime() + 86_400_000))
  const { feeds } = await (await anOrg({ world })).call(syncInfo)
  expect(feeds.find(({ id }) => id === 'toy')?.last_error).toBe('5 of 18 records would be withdrawn at once')
  expect((await findVuln('CVE-2026-20003')).sources).toHaveLength(1)
})

test('a source without an address is off, and one that nobody registered is not there', async () => {
  world = aWorld({ ...originSettings, TOY_URL: '' })
  const admin = await anOrg({ world, is_admin: true })
  expect((await admin.answer(runSync, { query: { feed: 'toy' } })).status).toBe(409)
  expect((await admin.answer(runSync, { query: { feed: 'nobody' } })).status).toBe(404)
})

test('every source has an id of its own, a name, a rhythm, and an address that a variable replaces', () => {
  const ids = registeredFeeds.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const { env: offline } = aWorld()
  const { OFFLINE: _, ...rest } = offline
  const online = { ...rest, VULNCHECK_KEY: 'secret' }

  for (const feed of registeredFeeds) {
    expect(feed.id).toMatch(/^[a-z][a-z0-9]{1,19}$/)
    expect(feed.name && feed.label).toBeTruthy()
    expect(
      feed.every_minutes === null || (feed.every_minutes >= (feed.watch ? 2 : 5) && feed.every_minutes <= 1440),
    ).toBe(true)
    // A feed that reads nothing from outside runs only on request.
    if (feed.every_minutes === null) continue

    const addresses = feed.originIn(online).split(' ')
    expect(addresses.every((address) => /^https:\/\/[^/]+\/?/.test(address) && URL.canParse(address))).toBe(true)
    expect(feed.originIn(offline)).toBe('')
    const variable = `${feed.id.toUpperCase()}_URL`
    expect(feed.originIn({ ...online, [variable]: 'https://mirror.test' })).toBe('https://mirror.test')
    expect(feed.originIn({ ...online, [variable]: '' })).toBe('')
    if (feed.key) expect(feed.originIn(rest)).toBe('')
  }
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { unpackRanges } from '../../worker/domain/versions/stored-ranges'
import { aRedhatCve } from '../support/redhat'
import { fakeOrigins, type Origins } from './support/origins'
import { rows } from './support/org'
import { aWorld, type World } from './support/world'

const settings = {
  NVD_URL: '',
  KEV_URL: '',
  EPSS_URL: '',
  REDHAT_URL: 'https://redhat.test',
  REDHAT_PAUSE_SECONDS: '0',
}
let origins: Origins
let world: World
let cves: ReturnType<typeof aRedhatCve>[]

beforeEach(() => {
  cves = []
  origins = fakeOrigins()
  world = aWorld({ ...settings })
  origins.instead = (url) => (url.host === 'redhat.test' ? answer(url) : null)
})
afterEach(() => origins.restore())

function answer(url: URL) {
  const id = /^\/cve\/(CVE-[\d-]+)\.json$/.exec(url.pathname)?.[1]
  const [page, per_page] = [Number(url.searchParams.get('page')), Number(url.searchParams.get('per_page'))]
  if (!id) {
    const after = url.searchParams.get('after') ?? ''
    const found = cves
      .filter(({ public_date }) => public_date > after)
      .map(({ name, threat_severity }) => ({ CVE: name, severity: threat_severity }))
    return Response.json(found.slice((page - 1) * per_page, page * per_page))
  }
  const one = cves.find(({ name }) => name === id)
  return one ? Response.json(one) : new Response('', { status: 404 })
}
const days = (count: number) => new Date(Date.now() + count * 86_400_000)
async function sync(now = new Date()) {
  origins.requests.length = 0
  await world.tick(now)
  await world.drain()
}
const asked = (start: string) =>
  origins.requests.filter(({ host, pathname }) => host === 'redhat.test' && pathname.startsWith(start))
const feed = async () => (await world.sql<Record<string, unknown>>`SELECT * FROM feeds WHERE id = 'redhat'`)[0]

test('all are read once, the newest when their rows change, recent ones after hours, and all after a week', async () => {
  const recent = { public_date: new Date().toISOString() }
  cves = [aRedhatCve('CVE-2026-10003', recent), aRedhatCve('CVE-2019-10002', { public_date: '2019-01-01T00:00:00Z' })]
  await sync()
  expect(await feed()).toMatchObject({ state: 'idle', last_error: null })
  expect(await world.sql`SELECT cveid FROM vulns ORDER BY cveid`).toEqual([
    { cveid: 'CVE-2019-10002' },
    { cveid: 'CVE-2026-10003' },
  ])

  const read = () => asked('/cve/').map(({ pathname }) => pathname.slice('/cve/'.length, -'.json'.length))
  const setCursor = (field: string, at: Date) =>
    rows(
      world.env,
      `UPDATE feeds SET cursor = json_set(cursor, '$.${field}', ?1) WHERE id = 'redhat'`,
      at.toISOString(),
    )
  await sync(days(1))
  expect(read()).toEqual(['CVE-2026-10003'])
  await sync(days(2))
  expect([asked('/cve.json').length, read()]).toEqual([1, []])
  cves[0] = aRedhatCve('CVE-2026-10003', { ...recent, threat_severity: 'Critical' })
  await sync(days(3))
  expect(read()).toEqual(['CVE-2026-10003'])

  await setCursor('recent_at', days(-1))
  await sync(days(4))
  expect(read()).toEqual(['CVE-2026-10003'])
  await setCursor('swept_at', days(-8))
  await sync(days(8))
  expect(read()).toHaveLength(2)
  const runs = await world.sql<{ changed: number }>`SELECT changed FROM feed_runs WHERE feed_id = 'redhat'
    ORDER BY id`
  expect(runs.map(({ changed }) => changed)).toEqual([2, 0, 0, 0, 0, 0])
})

test('a long list is read page by page and step by step', async () => {
  cves = Array.from({ length: 1_150 }, (_, at) =>
    aRedhatCve(`CVE-2026-${10_000 + at}`, { affected_release: undefined }),
  )
  await sync()
  expect(await world.sql`SELECT count(*) AS n FROM vulns`).toEqual([{ n: 1_150 }])
  expect(new Set(asked('/cve.json').map(({ searchParams }) => searchParams.get('page')))).toEqual(new Set(['1', '2']))
  const [run] = await world.sql<{ steps: number }>`SELECT steps FROM feed_runs WHERE feed_id = 'redhat'`
  expect(run?.steps).toBe(4)
})

test('a CVE that is listed and not there, and one that cannot be read, are skipped with their reasons', async () => {
  cves = [
    aRedhatCve('CVE-2026-10001', { package_state: 'none' }),
    aRedhatCve('CVE-2026-10002'),
    aRedhatCve('CVE-2026-10003'),
  ]
  origins.instead = (url) => {
    if (url.host !== 'redhat.test') return null
    return url.pathname.includes('10002') ? new Response('', { status: 404 }) : answer(url)
  }
  await sync()
  const skips = await world.sql`SELECT record_id, reason FROM feed_skips WHERE feed_id = 'redhat' ORDER BY 1`
  expect(skips).toEqual([
    { record_id: 'CVE-2026-10001', reason: expect.stringMatching(/^package_state: /) },
    { record_id: 'CVE-2026-10002', reason: 'listed, and not there' },
  ])
  expect(await world.sql`SELECT cveid FROM vulns`).toEqual([{ cveid: 'CVE-2026-10003' }])
})

test('the states of packages stand beside their fixes in the knowledge base', async () => {
  cves = [aRedhatCve('CVE-2026-10001')]
  await sync()
  const [said] = await world.sql<{ type: string; name: string; ranges: string }>`SELECT p.type, p.name, a.ranges
    FROM affected_packages a JOIN packages p ON p.id = a.package_id`
  expect([said?.type, said?.name, unpackRanges(said?.ranges ?? '[]')]).toEqual([
    'rpm',
    'redhat/widget',
    expect.any(Array),
  ])
})

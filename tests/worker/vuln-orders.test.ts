import { expect, test } from 'vitest'
import { toggleProduct, toggleVendor } from '../../worker/monitoring/contract'
import { listVulns, toggleVuln, vulnCount, vulnSorts } from '../../worker/vulns/contract'
import { eachTest } from './support/each-test'
import { catchUp } from './support/catch-up'
import { anOrg, rows } from './support/org'
import { aCve, affecting, aMatch } from '../support/records'
import { aVulnListScene, apache, thing, bare, nginx, allListed } from './support/vuln-list-scene'
import { listIds, inOrder } from './support/vuln-cases'

const scene = eachTest(aVulnListScene)

test('each order runs both ways over the whole list, over a search and over a filter', async () => {
  const { world } = scene
  const { call } = await anOrg({ world })
  await call(toggleProduct, { body: { vendor_name: 'f5', product_name: 'nginx', monitored: true } })
  for (const field of vulnSorts)
    for (const query of [{}, { search: 'a' }, { q: 'NOT kev' }]) {
      const up = await call(listVulns, { query: { ...query, sorted_by: field } })
      const down = await call(listVulns, { query: { ...query, sorted_by: `-${field}` } })
      expect(up.results.length).toBeGreaterThan(1)
      expect([field, listIds(down)]).toEqual([field, listIds(up).toReversed()])
      const values = up.results.map((row) => row[field])
      expect([field, values]).toEqual([
        field,
        values.toSorted((a, b) => (a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1)),
      ])
    }
}, 60_000)

test('by relevance comes first what the words are about, beside the newest first', async () => {
  const { origins, world } = scene
  const { call } = await anOrg({ world })
  const lastModified = new Date().toISOString().slice(0, 19)
  const long = `A flaw, which was seen beside a kestrel, lets ${'many a visitor do one thing or another, '.repeat(9)}`
  origins.modified = [
    aCve('CVE-2024-20001', {
      lastModified,
      descriptions: [{ lang: 'en', value: 'A flaw in Kestrel.' }],
      configurations: affecting(aMatch('bird', 'kestrel')),
    }),
    aCve('CVE-2024-20002', { lastModified, descriptions: [{ lang: 'en', value: long }] }),
  ]
  await world.tick(new Date(Date.now() + 20 * 60_000))
  await world.drain()
  const found = async (sorted_by?: 'relevance', search = 'the kestrel') =>
    listIds(await call(listVulns, { query: { search, ...(sorted_by && { sorted_by }) } }))
  expect(await found()).toEqual([20_002, 20_001])
  expect(await found('relevance')).toEqual([20_001, 20_002])
  expect((await found('relevance', '')).length).toBe(6)
})

test('an order by a flag pages through both halves without losing a row', async () => {
  const { world } = scene
  const { call } = await anOrg({ world })
  const seen: number[] = []
  for (const page of [1, 2, 3, 4, 5]) {
    const { results, count } = await call(listVulns, { query: { sorted_by: '-is_in_the_wild', limit: 1, page } })
    expect(count).toBe(4)
    seen.push(...listIds({ results }))
  }
  expect(seen[0]).toBe(thing)
  expect(inOrder(seen)).toEqual(allListed)
})

test('monitored vulnerabilities come newest first, each once, by whatever item they are monitored', async () => {
  const { world } = scene
  const { call, org_id } = await anOrg({ world })
  await call(toggleVendor, { body: { vendor_name: 'other', monitored: true } })
  await call(toggleProduct, { body: { vendor_name: 'apache', product_name: 'http_server', monitored: true } })
  await call(toggleProduct, { body: { vendor_name: 'f5', product_name: 'nginx', monitored: true } })
  const [first] = (await call(listVulns, { query: { cveid: 'CVE-2024-10003' } })).results
  await call(toggleVuln, { params: { id: first?.id ?? 0 }, body: { monitored: true } })
  const monitored = () => call(listVulns, { query: { monitored: true } })
  const newest = listIds(await call(listVulns)).filter((id) => allListed.includes(id))
  expect(listIds(await monitored())).toEqual(newest)
  expect((await monitored()).count).toBe(4)

  await call(toggleProduct, { body: { vendor_name: 'other', product_name: 'thing', monitored: false } })
  await call(toggleProduct, { body: { vendor_name: 'other', product_name: 'thing_two', monitored: false } })
  expect(inOrder(listIds(await monitored()))).toEqual([apache, bare, nginx])
  expect(listIds(await call(listVulns, { query: { q: 'NOT monitored' } }))).toEqual([thing])
  expect(await world.sql`SELECT 1 FROM monitored_products WHERE org_id = ${org_id}`).toHaveLength(4)
})

test('of what has the same score what is described comes first, then what is exploited, then what is likely to be, then the newest', async () => {
  const { world } = scene
  const { call } = await anOrg({ world })
  const set = (number: number, values: string) =>
    rows(
      world.env,
      `UPDATE vulns SET score = 89, is_in_the_wild = 0, kev_added_at = NULL, ${values} WHERE cveid = 'CVE-2024-${number}'`,
    )
  await set(apache, "epss = 0.2, published = unixepoch('2026-01-01')")
  await set(thing, "epss = 0.01, is_in_the_wild = 1, kev_added_at = '2026-01-01', published = unixepoch('2020-01-01')")
  await set(bare, "epss = 0.2, published = unixepoch('2026-02-01')")
  await set(nginx, "epss = 0.9, published = unixepoch('2019-01-01')")
  const read = async (sorted_by: '-score' | 'score', more = {}) =>
    listIds(await call(listVulns, { query: { sorted_by, ...more } })).filter((id) => allListed.includes(id))
  expect(await read('-score')).toEqual([thing, nginx, bare, apache])
  expect(await read('score')).toEqual([apache, bare, nginx, thing])
  expect(await read('-score', { score__gte: 80 })).toEqual([thing, nginx, bare, apache])
  expect(await read('-score', { q: 'kev' })).toEqual([thing])
  expect(await read('-score', { q: 'wild' })).toEqual([thing])
  await set(thing, "state = 'awaiting', is_in_the_wild = 1, kev_added_at = '2026-01-01'")
  expect(await read('-score')).toEqual([nginx, bare, apache, thing])
})

test('a status belongs to one organization, and its filter finds it there alone', async () => {
  const { world } = scene
  const [ours, theirs] = [await anOrg({ world }), await anOrg({ world })]
  await world.sql`INSERT INTO decisions(org_id, vuln_id, scope, verdict, decided_at)
    SELECT ${ours.org_id}, id, 'vulnerability', 'fixed', '' FROM vulns WHERE cveid = 'CVE-2024-10001'`
  const fixed = { query: { q: 'status:fixed' } }
  expect(listIds(await ours.call(listVulns, fixed))).toEqual([apache])
  expect(await theirs.call(listVulns, fixed)).toMatchObject({ count: 0, results: [] })
  expect(inOrder(listIds(await ours.call(listVulns, { query: { q: 'NOT status:fixed' } })))).toEqual([
    thing,
    bare,
    nginx,
  ])
  expect(listIds(await theirs.call(listVulns, { query: { status: 'undefined' } }))).toHaveLength(4)
})

test('a private vulnerability is in the list, the counts and the searches of its organization alone', async () => {
  const { world } = scene
  const [ours, theirs] = [await anOrg({ world }), await anOrg({ world })]
  await world.sql`INSERT INTO vulns(org_id, cveid, state, summary, created_at, updated_at)
    VALUES (${ours.org_id}, NULL, 'published', 'A secret zanzibar hole', unixepoch('2026-11-20'), unixepoch('2026-11-20'))`
  await catchUp(world)
  for (const query of [
    { search: 'zanzibar' },
    { q: 'zanzibar' },
    { q: 'summary:zanzibar' },
    { q: 'updated>=2026-11-20 NOT kev', sorted_by: '-summary' as const },
  ]) {
    expect((await ours.call(listVulns, { query })).results.map(({ summary }) => summary)).toContain(
      'A secret zanzibar hole',
    )
    expect((await theirs.call(listVulns, { query })).results.map(({ summary }) => summary)).not.toContain(
      'A secret zanzibar hole',
    )
    const [mine, other] = [await ours.call(vulnCount, { query }), await theirs.call(vulnCount, { query })]
    expect(mine.count - other.count).toBe(1)
  }
})

test('by the due day each comes once while the days of another policy still stand', async () => {
  const { world } = scene
  const { call, org_id } = await anOrg({ world })
  for (const [number, day] of [
    [thing, '2026-02-01'],
    [apache, '2026-04-01'],
  ])
    await rows(
      world.env,
      `UPDATE vulns SET is_in_the_wild = 1, kev_added_at = '2026-01-01', kev_due_at = '${day}' WHERE cveid = 'CVE-2024-${number}'`,
    )
  await world.sql`UPDATE orgs SET due_policy = 'cisa_kev' WHERE id = ${org_id}`
  await rows(
    world.env,
    `INSERT INTO org_vulns(org_id, vuln_id, touched, due) SELECT ?1, id, 0, '2026-03-01' FROM vulns WHERE cveid IN ('CVE-2024-${thing}', 'CVE-2024-${nginx}')`,
    org_id,
  )
  for (const [sorted_by, first] of [
    ['due', [thing, apache]],
    ['-due', [apache, thing]],
  ] as const) {
    const ids = listIds(await call(listVulns, { query: { sorted_by } }))
    expect(ids.slice(0, 2)).toEqual(first)
    expect(inOrder(ids)).toEqual(allListed)
  }
})

import { expect, test } from 'vitest'
import type { Source, VulnRecord } from '../../worker/domain/words/record'
import { listPublicVulns } from '../../worker/public/contract'
import { searchAll } from '../../worker/search/contract'
import { listVulns } from '../../worker/vulns/contract'
import { eachTest } from './support/each-test'
import { sayIn } from './support/say'
import { anOrg, caller, rows } from './support/org'
import { aWorld } from './support/world'

const world = eachTest(aWorld)

const say = (...given: [Source, Omit<VulnRecord, 'state'>]) => sayIn(world, ...given)

test('Heartbleed: the product at fault stands first in lists and is found first, before those who have it inside or ship it', async () => {
  const holders = [
    'canonical/ubuntu_linux',
    'debian/debian_linux',
    'filezilla-project/filezilla_server',
    'mitel/micollab',
  ]
  const more = ['intellian/v60_firmware', 'intellian/v100_firmware', 'openssl/openssl', 'ricon/s9922l_firmware']
  const affected = [...holders, ...more].map((name) => {
    const [vendor = '', product = ''] = name.split('/')
    return { vendor, product, ranges: [] }
  })
  const summary = 'The TLS implementation in OpenSSL 1.0.1 before 1.0.1g does not properly handle Heartbeat packets.'
  const { call } = await anOrg({ world })
  const listFirst = async () => {
    const { results } = await call(listVulns, { query: { cveid: 'CVE-2014-0160' } })
    return results[0]?.products.map(({ name }) => name)
  }
  await say('nvd', { cveid: 'CVE-2014-0160', affected })
  expect((await listFirst())?.[0]).toBe('filezilla_server')
  await say('nvd', { cveid: 'CVE-2014-0160', affected, summary })
  expect(await listFirst()).toEqual([
    'openssl',
    'filezilla_server',
    'v100_firmware',
    'v60_firmware',
    'micollab',
    's9922l_firmware',
  ])

  const others: [cveid: string, product: string][] = [
    ['CVE-2023-49210', 'node-openssl'],
    ['CVE-2023-49211', 'widget'],
  ]
  for (const [cveid, product] of others)
    await say('nvd', { cveid, affected: [{ vendor: 'acme', product, ranges: [] }], summary })
  await world.sql`UPDATE vulns SET score = 50`
  const { results } = await call(listVulns, { query: { search: 'openssl', sorted_by: 'relevance' } })
  expect(results.map(({ cveid }) => cveid)).toEqual(['CVE-2014-0160', 'CVE-2023-49210', 'CVE-2023-49211'])
})

test('a famous name finds its vulnerability first, before those that speak of it more', async () => {
  const { call } = await anOrg({ world })
  for (const at of [1, 2, 3, 4])
    await say('nvd', {
      cveid: `CVE-2015-100${at}`,
      summary: 'Heartbleed, Heartbleed and heart bleed: a Heartbleed scanner.',
    })
  await say('nvd', { cveid: 'CVE-2014-0160', summary: 'The TLS heartbeat extension reads beyond its buffer.' })
  for (const search of ['Heartbleed', 'HEART BLEED']) {
    const { results } = await call(listVulns, { query: { search, sorted_by: 'relevance' } })
    expect(results[0]?.cveid).toBe('CVE-2014-0160')
  }
})

test('exploited vulnerabilities are found first, also behind more hits than are weighed at once, and by the beginning of a word', async () => {
  const { call } = await anOrg({ world })
  const kev = { name: 'Widgetry Hole', added: '2022-05-04', due: '2022-05-25', ransomware: false }
  await say('kev', { cveid: 'CVE-2014-0160', kev })
  await say('nvd', { cveid: 'CVE-2014-0160', summary: 'A hole in the widgetry.', published: '2026-01-01' })
  await world.sql`WITH RECURSIVE n(i) AS (SELECT 10000 UNION ALL SELECT i + 1 FROM n WHERE i < 11200)
     INSERT INTO vulns(cveid, state, summary, score, published, created_at, updated_at)
     SELECT 'CVE-2026-' || i, 'published', 'Another hole in the widgetry.', 90, 1790000000, 1790000000, 1790000000 FROM n`
  for (const search of ['widgetry', 'hole widget']) {
    const find = (page: number) => call(listVulns, { query: { search, sorted_by: 'relevance', page, limit: 100 } })
    const pages = await Promise.all(Array.from({ length: 13 }, (_, at) => find(at + 1)))
    const found = pages.flatMap(({ results }) => results.map(({ cveid }) => cveid))
    expect([search, found[0], found.length, new Set(found).size]).toEqual([search, 'CVE-2014-0160', 1_202, 1_202])
  }
})

test('a search weighs what is exploited, its score and its age, and answers everybody the same', async () => {
  const { call } = await anOrg({ world })
  const known: [cveid: string, score: number, published: string, kev: string | null][] = [
    ['CVE-2014-0160', 20, '2014-04-07', null],
    ['CVE-2012-2001', 90, '2012-01-01', null],
    ['CVE-2026-2002', 90, '2026-10-01', null],
    ['CVE-2026-2003', 30, '2026-10-01', null],
    ['CVE-2015-2004', 80, '2015-01-01', '2022-01-01'],
  ]
  for (const [cveid, score, published, kev] of known) {
    await say('nvd', { cveid, summary: `A hole in the widgetry of ${cveid}, once called heartbleed.` })
    const at = Date.parse(published) / 1000
    const set = 'UPDATE vulns SET score = ?2, published = ?3, kev_added_at = ?4 WHERE cveid = ?1'
    await rows(world.env, set, cveid, score, at, kev)
  }
  const anybody = caller(world, null)
  const order = ['CVE-2015-2004', 'CVE-2026-2002', 'CVE-2012-2001', 'CVE-2026-2003', 'CVE-2014-0160']
  const expected = new Map([
    ['widgetry', order],
    ['hole widget', order],
    ['the hole', order],
    ['heartbleed', ['CVE-2014-0160', ...order.slice(0, -1)]],
    ['CVE-2026-2003', ['CVE-2026-2003']],
    ['CVE-2026-9999', []],
    ['nothing', []],
  ])
  for (const [search, cveids] of expected) {
    const query = { search, sorted_by: 'relevance' as const }
    const lists = [
      (await call(listVulns, { query })).results,
      (await call(listVulns, { query: { ...query, count: 'quick' } })).results,
      (await anybody.call(listPublicVulns, { query: { search } })).results,
      (await call(searchAll, { params: { query: search } })).flatMap((one) => (one.type === 'vuln' ? [one.value] : [])),
    ]
    for (const list of lists) expect([search, list.map(({ cveid }) => cveid)]).toEqual([search, cveids])
    const page = await (await world.request(`/public/search?q=${encodeURIComponent(search)}`)).text()
    const shown = [...page.matchAll(/<h2><a[^>]*>[^<]*?(CVE-\d+-\d+)/g)].map(([, cveid]) => cveid)
    expect([search, shown]).toEqual([search, cveids])
    expect([search, page.includes('is not known yet')]).toEqual([search, search === 'CVE-2026-9999'])
  }
})

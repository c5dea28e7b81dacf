import { expect, test } from 'vitest'
import { listVulns } from '../../worker/vulns/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { aCve } from '../support/records'
import { aFeedsScene, minutes } from './support/feeds-scene'
import { anOrg } from './support/org'

const many = (count: number, make: (at: number) => string) => Array.from({ length: count }, (_, at) => make(at))
const good = 'CVE-2024-10001'
const purl = 'pkg:golang/example.com/app'
const assertion = (vulnId: string, more: object = {}) => ({
  vulnerability: { vulnId },
  status: { exploited: true, status_reason: 'confirmed' },
  ...more,
})
const said = (name: string, products: object[]) => ({ vulnerability: { name }, products, status: 'affected' })
const release = { name: '1', isEol: false, eolFrom: null }
const product = (name: string, more: object = {}) => ({
  name,
  label: name,
  identifiers: [],
  releases: [release],
  ...more,
})

/** Each list holds what nobody sane publishes, beside one entry that all others need not suffer for. */
const lists: Record<string, object> = {
  'eu.test/list': [
    { cveID: good, dateReported: '2026/08/17' },
    {
      cveID: 'CVE-2024-10002',
      dateReported: '2026/08/17',
      vendorProject: 'Acme',
      product: many(2_000, (at) => `Thing ${at}`).join(','),
      notes: many(900, (at) => `https://a.test/${at}`).join(' '),
      threatActorsExploiting: many(100, (at) => `${at}`.padEnd(200, 'x')),
      shortDescription: 'x'.repeat(1_000_000),
    },
    { cveID: 'x'.repeat(100_000), dateReported: '2026/08/17' },
  ],
  'gcve.test/list': { kev: [{ short_name: 'Evil', url: 'https://evil.test/', bcp_07_url: 'https://evil.test/kev' }] },
  'evil.test/kev': [
    assertion(good, { evidence: many(20_000, () => 'x') }),
    ...many(50, () => 'CVE-2024-10002').map((id) => assertion(id)),
    assertion('CVE-2024-10003', { references: many(500, () => 'javascript:alert(1)').map((url) => ({ url })) }),
    assertion('y'.repeat(101)),
  ],
  'check.test/list': {
    _meta: { total_documents: 2 },
    data: [{ cve: [good] }, { cve: many(101, (at) => `CVE-2024-${20_000 + at}`) }],
  },
  'eol.test/list': {
    result: [
      product('good'),
      product('evil', { releases: many(2_001, (at) => `${at}`).map((name) => ({ ...release, name })) }),
    ],
  },
  'hub.test/main/vex-repository.json': { name: 'Hub', versions: [{ spec_version: '0.1' }] },
  'hub.test/main/index.json': { packages: [{ id: purl, location: 'app.json' }] },
  'hub.test/main/app.json': {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    author: 'A',
    statements: [
      said(good, [{ '@id': purl }]),
      said(
        good,
        many(1_001, (at) => `${purl}@v${at}`).map((id) => ({ '@id': id })),
      ),
    ],
  },
}

test('lists of exploitation, ends of life and statements are bounded entry by entry, and their sane entries count', async () => {
  const { origins, world, sync, feed, restore } = aFeedsScene({
    EUKEV_URL: 'https://eu.test/list',
    GCVE_URL: 'https://gcve.test/list',
    VULNCHECK_URL: 'https://check.test/list',
    VULNCHECK_KEY: 'key',
    ENDOFLIFE_URL: 'https://eol.test/list',
    VEXHUB_URL: 'https://hub.test/main',
  })
  origins.files.set(2024, [aCve(good), aCve('CVE-2024-10002'), aCve('CVE-2024-10003')])
  origins.instead = ({ host, pathname }) => {
    const list = lists[host + pathname]
    return list ? Response.json(list) : null
  }
  await sync()
  await sync(minutes(2))
  for (const id of ['eukev', 'gcve', 'vulncheck', 'endoflife', 'vexhub'])
    expect([id, await feed(id)]).toEqual([id, expect.objectContaining({ state: 'idle', last_error: null })])
  const skips = await world.sql<{
    feed_id: string
    reason: string
    size: number
  }>`SELECT feed_id, reason, length(body) AS size
    FROM feed_skips ORDER BY feed_id`
  expect(skips).toMatchObject([
    { feed_id: 'endoflife', reason: expect.stringMatching(/^releases: /) },
    { feed_id: 'eukev', reason: ': names no vulnerability' },
    { feed_id: 'gcve', reason: expect.stringMatching(/^vulnerability\.vulnId: /) },
    { feed_id: 'vexhub', reason: ': speaks of too many products' },
    { feed_id: 'vulncheck', reason: expect.stringMatching(/^cve: /) },
  ])
  for (const { size } of skips) expect(size).toBeLessThanOrEqual(20_000)

  const { call } = await anOrg({ world })
  const read = async (search: string) => {
    const [row] = (await call(listVulns, { query: { search } })).results
    return call(getVuln, { params: { id: row?.id ?? 0 } })
  }
  expect((await read(good)).exploited_by.map(({ by }) => by).toSorted()).toEqual(['eu', 'evil', 'vulncheck'])
  expect((await read('CVE-2024-10003')).exploited_by[0]?.link).toBe('https://evil.test/')
  const evil = await read('CVE-2024-10002')
  // Twenty claims of the one catalogue and one of the other.
  expect([evil.exploited_by.length, JSON.stringify(evil).length < 100_000]).toEqual([21, true])
  restore()
})

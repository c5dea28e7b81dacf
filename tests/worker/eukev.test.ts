import { expect, test } from 'vitest'
import { listSkips, runSync, syncInfo } from '../../worker/feeds/contract'
import { listVulns } from '../../worker/vulns/contract'
import { getVuln, vulnHistory } from '../../worker/vulns/detail/contract'
import { getPublicVuln } from '../../worker/public/contract'
import { anOrg } from './support/org'
import { aCve } from '../support/records'
import { aFeedsScene, minutes } from './support/feeds-scene'
import { pageAt } from './support/public-rows'

test('the catalogue of the EU marks its vulnerability, in both spellings of the list, and by its own id', async () => {
  const { origins, world, sync, feed, restore } = aFeedsScene()
  const entry = {
    cveID: 'CVE-2024-10001',
    euvdID: 'EUVD-2024-1',
    vendorProject: 'Acme',
    product: 'Widget, Gadget',
    dateReported: '2026/08/17',
    patchedSince: '2026/08/20',
    originSource: 'CERT.PL',
    shortDescription: 'A door without a lock',
    exploitationType: ['ransomware'],
  }
  const older = { ...entry, cveID: undefined, euvdID: 'EUVD-2024-2', exploitationType: '-', patchedSince: 'tbc' }
  // Of the EU alone: CISA does not list it.
  const windchill = {
    ...entry,
    cveID: 'CVE-2026-12569',
    euvdID: 'EUVD-2026-37831',
    vendorProject: 'PTC',
    product: 'Windchill PDMLink, FlexPLM',
    dateReported: '2026/08/16',
    patchedSince: '2026/06/18',
    originSource: 'ENISA',
  }
  let list: object[] = [entry, older, windchill, { ...entry, dateReported: 'soon' }]
  origins.instead = (url) => (url.host === 'eukev.test' ? Response.json(list) : null)
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  await sync()
  const { call } = await anOrg({ world })
  const [known] = (await call(listVulns, { query: { search: 'EUVD-2024-1' } })).results
  expect(known).toMatchObject({ cveid: 'CVE-2024-10001', is_in_the_wild: true, is_exploitable: true, kev: null })
  const { exploited_by } = await call(getVuln, { params: { id: known?.id ?? 0 } })
  expect(exploited_by).toMatchObject([{ by: 'eu', name: 'EU KEV', added: '2026-08-17' }])
  expect(exploited_by[0]?.notes).toBe(
    'Known to be exploited; reported by CERT.PL; used by ransomware; patched since 2026-08-20; exploited before there was a patch',
  )
  const foundBy = async (by: string) =>
    (await call(listVulns, { query: { q: `exploited by:${by}` } })).results.map(({ known_as }) => known_as).toSorted()
  expect(await foundBy('eu')).toEqual(['CVE-2024-10001', 'CVE-2026-12569', 'EUVD-2024-2'])
  expect(await foundBy('any')).toEqual(['CVE-2024-10001', 'CVE-2026-12569', 'EUVD-2024-2'])
  expect(await foundBy('cisa')).toEqual([])
  expect((await call(listVulns, { query: { exploited_by: 'eu', search: 'EUVD-2024-2' } })).count).toBe(1)
  const [awaiting] = (await call(listVulns, { query: { search: 'EUVD-2024-2' } })).results
  expect(awaiting).toMatchObject({ state: 'awaiting', known_as: 'EUVD-2024-2', is_in_the_wild: true })
  expect((await call(listVulns, { query: { search: 'GCVE-0-2024-10001' } })).results).toMatchObject([{ id: known?.id }])
  expect(await feed('eukev')).toMatchObject({ state: 'idle', last_error: null })
  const { text } = await pageAt(world, `/public/vulns/${known?.id}`)
  const plain = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
  expect(plain).toContain('Other names EUVD-2024-1 at EUVD')
  expect(plain).toContain('CISA KEV not listed Called exploited by EU KEV on 2026-08-17')

  list = [older, windchill]
  await sync(minutes(60))
  const detail = () => call(getVuln, { params: { id: known?.id ?? 0 } })
  const withdrawn = expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/)
  const exploited = { by: 'eu', exploited: true, added: '2026-08-17', withdrawn }
  expect(await detail()).toMatchObject({ is_in_the_wild: false, exploited_by: [exploited] })
  expect(await foundBy('eu')).toEqual(['CVE-2026-12569', 'EUVD-2024-2'])

  list = [entry, older, windchill]
  await sync(minutes(120))
  expect(await detail()).toMatchObject({ is_in_the_wild: true, exploited_by: [{ by: 'eu', withdrawn: null }] })
  const history = await call(vulnHistory, { params: { id: known?.id ?? 0 } })
  const told = history.flatMap(({ changes }) => changes).filter((change) => change.includes('EU KEV'))
  expect(told).toEqual(['No longer called exploited by EU KEV', 'First claim that it is exploited: by EU KEV'])
  restore()
})

/** As the document of BCP-07 shows it, with another id. */
const anAssertion = (vulnId: string, status = {}) => ({
  vulnerability: { vulnId },
  status: { exploited: true, status_reason: 'confirmed', status_updated_at: '2021-11-03T00:00:00Z', ...status },
  timestamps: { first_seen_at: '2021-11-01T00:00:00Z', asserted_at: '2021-11-03T00:00:00Z' },
  evidence: [
    { type: 'vendor_report', signal: 'successful_exploitation', confidence: 0.8, source: 'honeypots', details: {} },
    { signal: ['in_the_wild_attempts', 'mass_scanning'], confidence: 'high', source: 'sensors' },
  ],
  references: [{ id: vulnId, url: 'https://circl.test/seen' }],
})

test('catalogues of GCVE claim, suspect and deny; one that does not answer keeps what it said', async () => {
  const GCVE_URL = 'https://gcve.test/references.json'
  const { origins, world, sync, feed, lastRun, restore } = aFeedsScene({ GCVE_URL })
  const cves = ['CVE-2024-10001', 'CVE-2024-10002', 'CVE-2024-10003'].map((id) => aCve(id))
  origins.files.set(2024, cves)
  const listed = (short_name: string) => ({
    short_name,
    url: `https://${short_name.toLowerCase()}.test/`,
    bcp_07_url: `https://${short_name.toLowerCase()}.test/kev.json`,
  })
  const named = ['CIRCL', 'CISA', 'Acme', 'CISA-KEV', 'EU']
  const directory = { kev: [...named.map(listed), { short_name: 'Shadow', url: 'x' }] }
  const [first] = [anAssertion('GCVE-0-2024-10001')]
  const own = {
    ...anAssertion('GCVE-1-2025-0007'),
    vulnerability: { vulnId: 'GCVE-1-2025-0007', altId: ['EUVD-2025-9'] },
  }
  const denial = anAssertion('CVE-2024-10003', { exploited: false, status_reason: 'disputed' })
  const strange = anAssertion('CVE-2020-29583', { exploited: false })
  let circl: () => Response = () =>
    Response.json([
      first,
      { ...anAssertion('CVE-2024-10002', { status_reason: 'suspected' }), uuid: 'a' },
      denial,
      own,
      strange,
      anAssertion('CNVD-1'),
    ])
  origins.instead = (url) => {
    if (url.host === 'eukev.test')
      return Response.json([{ cveID: 'CVE-2019-1', euvdID: 'EUVD-2019-1', dateReported: '2026/08/17' }])
    if (url.host === 'gcve.test') return Response.json(directory)
    if (url.host === 'circl.test') return circl()
    const claims = ['# comment', JSON.stringify(anAssertion('CVE-2024-10003'))].join('\n')
    return url.host === 'acme.test' || url.host === 'cisa-kev.test' || url.host === 'eu.test'
      ? new Response(claims, { headers: { 'content-type': 'application/x-ndjson' } })
      : null
  }
  await sync()
  await sync(minutes(2))
  const { call } = await anOrg({ world })
  const foundBy = async (by: string) =>
    (await call(listVulns, { query: { q: `exploited by:${by}` } })).results.map(({ known_as }) => known_as).toSorted()
  expect(await feed('gcve')).toMatchObject({ state: 'idle', last_error: null })
  expect(await foundBy('circl')).toEqual(['CVE-2024-10001', 'GCVE-1-2025-0007'])
  expect(await foundBy('other')).toEqual(['CVE-2024-10003'])
  expect(await lastRun('gcve')).toMatchObject({ skipped: 1 })
  expect((await call(listVulns, { query: { search: 'CVE-2020-29583' } })).count).toBe(0)
  expect((await call(listVulns, { query: { search: 'EUVD-2025-9' } })).results).toMatchObject([
    { known_as: 'GCVE-1-2025-0007' },
  ])
  const detail = async (search: string) => {
    const [found] = (await call(listVulns, { query: { search } })).results
    return call(getVuln, { params: { id: found?.id ?? 0 } })
  }
  expect(await detail('CVE-2024-10001')).toMatchObject({
    is_in_the_wild: true,
    exploited_by: [
      {
        by: 'circl',
        name: 'CIRCL KEV',
        exploited: true,
        added: '2021-11-03',
        notes: 'first seen 2021-11-01',
        link: 'https://circl.test/seen',
        evidence: [
          { type: 'vendor_report', signal: 'successful_exploitation', confidence: 0.8, source: 'honeypots' },
          { type: 'unknown', signal: 'in_the_wild_attempts, mass_scanning', source: 'sensors' },
        ],
      },
    ],
  })
  expect(await detail('CVE-2024-10002')).toMatchObject({
    is_in_the_wild: false,
    exploited_by: [{ exploited: true, reason: 'suspected' }],
  })
  const both = await detail('CVE-2024-10003')
  expect(both.exploited_by.map(({ by, exploited }) => [by, exploited]).toSorted()).toEqual([
    ['acme', true],
    ['circl', false],
  ])

  circl = () => new Response('busy', { status: 503 })
  await sync(minutes(120))
  expect(await foundBy('circl')).toEqual(['CVE-2024-10001', 'GCVE-1-2025-0007'])
  expect(await feed('gcve')).toMatchObject({ state: 'idle' })
  restore()
})

/** As VulnCheck documents an entry, with another id. */
const aVulnCheckEntry = (cve: unknown, more: object = {}) => ({
  vendorProject: 'Acme',
  product: 'Widget',
  shortDescription: 'A door without a lock',
  vulnerabilityName: 'Acme Widget Missing Lock Vulnerability',
  required_action: 'Apply mitigations.',
  knownRansomwareCampaignUse: 'Known',
  cve,
  cwes: ['CWE-78'],
  vulncheck_xdb: [{ xdb_id: '0249', xdb_url: 'https://vulncheck.com/xdb/0249', date_added: '2025-02-14T19:38:10Z' }],
  vulncheck_reported_exploitation: [
    { url: 'https://sensors.test/map?day=2024-06-11', date_added: '2024-06-11T00:00:00Z' },
    { url: 'https://press.test/first', date_added: '2024-06-07T00:00:00Z' },
    { url: 'https://press.test/second', date_added: '2024-06-10T00:00:00Z' },
    { url: 'https://api.vulncheck.com/v3/index/vulncheck-canaries?cve=x', date_added: '2024-06-01T00:00:00Z' },
    { url: 'javascript:alert(1)' },
  ],
  reported_exploited_by_vulncheck_canaries: true,
  date_added: '2024-06-07T00:00:00Z',
  ...more,
})

const secret = 'vulncheck_0123456789'
const vulncheckScene = (VULNCHECK_KEY = secret) =>
  aFeedsScene({ VULNCHECK_URL: 'https://vulncheck.test/v3/index/vulncheck-kev', VULNCHECK_KEY })

test('the catalogue of VulnCheck is read page by page where there is a key, which nobody is told', async () => {
  const { origins, world, sync, feed, lastRun, restore } = vulncheckScene()
  const bare = { cve: ['CVE-2024-10003', 7, 'CVE-2024-10002'], date_added: '0001-01-01T00:00:00Z' }
  let pages = [
    [aVulnCheckEntry(['CVE-2024-10001']), aVulnCheckEntry(['CNVD-1']), { product: 'x' }],
    [bare, aVulnCheckEntry(['CVE-2024-10002'])],
  ]
  let announced = 5
  const asked: [search: string, authorization: string | null][] = []
  origins.instead = (url, request) => {
    if (url.host === 'eukev.test') return Response.json([{ euvdID: 'EUVD-2019-1', dateReported: '2026/08/17' }])
    if (url.host !== 'vulncheck.test') return null
    asked.push([url.search, request.headers.get('authorization')])
    const at = Number(url.searchParams.get('cursor') ?? 0)
    const next_cursor = at + 1 < pages.length ? String(at + 1) : undefined
    return Response.json({ _benchmark: 0.8, _meta: { total_documents: announced, next_cursor }, data: pages[at] })
  }
  origins.files.set(2024, [aCve('CVE-2024-10001'), aCve('CVE-2024-10002')])
  await sync()
  expect(asked).toEqual([
    ['?limit=300&start_cursor=true', `Bearer ${secret}`],
    ['?limit=300&cursor=1', `Bearer ${secret}`],
  ])
  const { call } = await anOrg({ world, is_admin: true })
  const foundBy = async (by: string) =>
    (await call(listVulns, { query: { q: `exploited by:${by}` } })).results.map(({ known_as }) => known_as).toSorted()
  expect(await foundBy('vulncheck')).toEqual(['CVE-2024-10001', 'CVE-2024-10002', 'CVE-2024-10003'])
  const [known] = (await call(listVulns, { query: { search: 'CVE-2024-10001' } })).results
  const detail = () => call(getVuln, { params: { id: known?.id ?? 0 } })
  expect(await detail()).toMatchObject({
    is_in_the_wild: true,
    kev: null,
    exploited_by: [
      {
        by: 'vulncheck',
        name: 'VulnCheck KEV',
        exploited: true,
        added: '2024-06-07',
        link: 'https://press.test/first',
        notes:
          'Acme Widget Missing Lock Vulnerability; used by ransomware; seen by VulnCheck’s own sensors; first reported on 2024-06-07; with public exploits in VulnCheck XDB',
        evidence: [
          { type: 'report', source: 'press.test' },
          { type: 'report', source: 'sensors.test' },
        ],
      },
    ],
  })
  // Nor is anybody without the key told what it says.
  expect((await call(getPublicVuln, { params: { id: known?.id ?? 0 } })).exploited_by).toEqual([])
  expect(await lastRun('vulncheck')).toMatchObject({ skipped: 2, records: 5 })
  const { results } = await call(listSkips, { query: { feed: 'vulncheck' } })
  expect(results.map(({ reason }) => reason).toSorted()).toEqual([
    ': names no vulnerability',
    'cve: Invalid input: expected array, received undefined',
  ])

  announced = 6
  await sync(minutes(120))
  expect(await feed('vulncheck')).toMatchObject({ last_error: 'The list ended after 5 of 6 entries' })
  expect(await foundBy('vulncheck')).toHaveLength(3)

  announced = 2
  pages = [[aVulnCheckEntry(['CVE-2024-10001']), aVulnCheckEntry(['CVE-2024-10002'])]]
  await sync(minutes(240))
  expect(await foundBy('vulncheck')).toEqual(['CVE-2024-10001', 'CVE-2024-10002'])

  origins.instead = (url) =>
    url.host === 'vulncheck.test' ? Response.json({ error: true, errors: ['no'] }, { status: 401 }) : null
  await sync(minutes(360))
  expect(await feed('vulncheck')).toMatchObject({ last_error: 'vulncheck.test answered 401' })
  const { feeds } = await call(syncInfo)
  expect(feeds.find(({ id }) => id === 'vulncheck')).toMatchObject({ name: 'VulnCheck KEV' })
  expect(JSON.stringify([feeds, results])).not.toContain(secret)
  restore()
})

test('a key that no header takes is told without repeating it, and without one there is no such feed', async () => {
  const broken = vulncheckScene(`${secret}\nx`)
  await broken.sync()
  expect(await broken.feed('vulncheck')).toMatchObject({ last_error: 'VULNCHECK_KEY holds blanks or strange letters' })
  expect(broken.origins.requests.filter(({ host }) => host === 'vulncheck.test')).toEqual([])
  broken.restore()

  const { world, sync, restore } = vulncheckScene('')
  await sync()
  const { call, answer } = await anOrg({ world, is_admin: true })
  expect((await call(syncInfo)).feeds.map(({ id }) => id)).not.toContain('vulncheck')
  const refused = await answer(runSync, { query: { feed: 'vulncheck' } })
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('needs a key: VULNCHECK_KEY')])
  restore()
})

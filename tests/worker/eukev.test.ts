import { expect, test } from 'vitest'
import { listVulns } from '../../worker/vulns/contract'
import { getVuln, vulnHistory } from '../../worker/vulns/detail/contract'
import { anOrg } from './support/org'
import { aCve } from '../support/records'
import { aFeedsScene, minutes } from './support/feeds-scene'

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
  let list: object[] = [entry, older, { ...entry, dateReported: 'soon' }]
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
  expect(await foundBy('eu')).toEqual(['CVE-2024-10001', 'EUVD-2024-2'])
  expect(await foundBy('any')).toEqual(['CVE-2024-10001', 'EUVD-2024-2'])
  expect(await foundBy('cisa')).toEqual([])
  expect((await call(listVulns, { query: { exploited_by: 'eu', search: 'EUVD-2024-2' } })).count).toBe(1)
  const [awaiting] = (await call(listVulns, { query: { search: 'EUVD-2024-2' } })).results
  expect(awaiting).toMatchObject({ state: 'awaiting', known_as: 'EUVD-2024-2', is_in_the_wild: true })
  expect((await call(listVulns, { query: { search: 'GCVE-0-2024-10001' } })).results).toMatchObject([{ id: known?.id }])
  expect(await feed('eukev')).toMatchObject({ state: 'idle', last_error: null })

  list = [older]
  await sync(minutes(60))
  const detail = () => call(getVuln, { params: { id: known?.id ?? 0 } })
  expect(await detail()).toMatchObject({
    is_in_the_wild: false,
    exploited_by: [
      { by: 'eu', exploited: true, added: '2026-08-17', withdrawn: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/) },
    ],
  })
  expect(await foundBy('eu')).toEqual(['EUVD-2024-2'])

  list = [entry, older]
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
  ],
  references: [{ id: vulnId, url: 'https://circl.test/seen' }],
})

test('catalogues of GCVE claim, suspect and deny; one that does not answer keeps what it said', async () => {
  const { origins, world, sync, feed, lastRun, restore } = aFeedsScene({
    GCVE_URL: 'https://gcve.test/references.json',
  })
  const ids = ['CVE-2024-10001', 'CVE-2024-10002', 'CVE-2024-10003']
  origins.files.set(
    2024,
    ids.map((id) => aCve(id)),
  )
  const listed = (short_name: string) => ({
    short_name,
    url: `https://${short_name.toLowerCase()}.test/`,
    bcp_07_url: `https://${short_name.toLowerCase()}.test/kev.json`,
  })
  const directory = { kev: [listed('CIRCL'), listed('CISA'), listed('Acme'), { short_name: 'Shadow', url: 'x' }] }
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
    const named = ['# comment', JSON.stringify(anAssertion('CVE-2024-10003'))].join('\n')
    return url.host === 'acme.test'
      ? new Response(named, { headers: { 'content-type': 'application/x-ndjson' } })
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
        evidence: [{ type: 'vendor_report', signal: 'successful_exploitation', confidence: 0.8, source: 'honeypots' }],
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

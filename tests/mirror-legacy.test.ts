import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { cveOfItem, type NvdItem11 } from '../scripts/mirror/nvd-legacy.ts'
import { fromNvd, NvdCve } from '../worker/feeds/nvd/record.ts'
import { mirrorOfTest } from './support/mirror.ts'

const { get, put, readFeed } = mirrorOfTest()
const v31 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
const v2 = 'AV:N/AC:L/Au:N/C:P/I:P/A:P'
const scores = { exploitabilityScore: 3.9, impactScore: 5.9 }

function anItem(ID: string, more: Partial<NvdItem11> = {}, text = 'Widget lets anybody in.'): NvdItem11 {
  return {
    cve: {
      CVE_data_meta: { ID, ASSIGNER: 'cve@example.org' },
      problemtype: { problemtype_data: [{ description: [{ lang: 'en', value: 'CWE-79' }] }] },
      references: { reference_data: [{ url: 'https://example.org/a', tags: ['Patch'] }] },
      description: { description_data: [{ lang: 'en', value: text }] },
    },
    configurations: { nodes: [] },
    impact: {},
    publishedDate: '2017-03-17T00:59Z',
    lastModifiedDate: '2023-08-01T10:30Z',
    ...more,
  }
}
const feed11 = (items: NvdItem11[], count = items.length) =>
  JSON.stringify({ CVE_data_numberOfCVEs: String(count), CVE_Items: items }, undefined, 2)
const record20 = (id: string, lastModified: string) => ({ cve: { id, lastModified, vulnStatus: 'Analyzed' } })
const feed20 = (...vulnerabilities: unknown[]) => JSON.stringify({ format: 'NVD_CVE', vulnerabilities })

const normalised = (item: NvdItem11) => fromNvd(NvdCve.parse(cveOfItem(item).cve))
const cpe = (product: string) => `cpe:2.3:a:acme:${product}:*:*:*:*:*:*:*:*`

test('a record of NVD 1.1 says the same as one of 2.0', () => {
  const record = normalised(
    anItem('CVE-2017-10001', {
      impact: {
        baseMetricV3: { cvssV3: { version: '3.1', vectorString: v31, baseScore: 9.8 }, ...scores },
        baseMetricV2: { cvssV2: { version: '2.0', vectorString: v2, baseScore: 7.5 }, severity: 'HIGH', ...scores },
      },
      configurations: {
        nodes: [
          {
            operator: 'OR',
            cpe_match: [
              { vulnerable: true, cpe23Uri: cpe('widget'), versionStartIncluding: '1.0', versionEndExcluding: '1.4' },
            ],
          },
        ],
      },
    }),
  )
  expect(record).toMatchObject({
    cveid: 'CVE-2017-10001',
    state: 'published',
    summary: 'Widget lets anybody in.',
    assigner: 'cve@example.org',
    cvss: { score: 7.5, vector: v2, by: 'nvd@nist.gov' },
    cvss3: { score: 9.8, vector: v31 },
    cwe_ids: ['CWE-79'],
    references: [{ url: 'https://example.org/a', tags: ['Patch'] }],
    affected: [{ vendor: 'acme', product: 'widget', ranges: [{ cpe: 'a', ge: '1.0', lt: '1.4' }] }],
  })
})

test('dates of 1.1 have no seconds', () => {
  expect(normalised(anItem('CVE-2017-10001'))).toMatchObject({
    published: '2017-03-17T00:59:00Z',
    modified: '2023-08-01T10:30:00Z',
  })
})

test('CVSS 3.0 and 3.1 share one place in 1.1', () => {
  const metric = (version: string) => ({
    baseMetricV3: { cvssV3: { version, vectorString: `CVSS:${version}/${v31.slice(9)}`, baseScore: 9.8 }, ...scores },
  })
  const listMetrics = (version: string) => cveOfItem(anItem('CVE-2017-10001', { impact: metric(version) })).cve.metrics
  expect(Object.keys(listMetrics('3.0') ?? {})).toEqual(['cvssMetricV30'])
  expect(Object.keys(listMetrics('3.1') ?? {})).toEqual(['cvssMetricV31'])
})

test('an AND node with children is one configuration, whose hardware is not affected; other nodes are one each', () => {
  const firmware = { vulnerable: true, cpe23Uri: 'cpe:2.3:o:acme:router_firmware:1.0:*:*:*:*:*:*:*' }
  const hardware = { vulnerable: false, cpe23Uri: 'cpe:2.3:h:acme:router:-:*:*:*:*:*:*:*' }
  const nodes = [
    {
      operator: 'AND',
      cpe_match: [],
      children: [
        { operator: 'OR', cpe_match: [firmware] },
        { operator: 'AND', children: [{ operator: 'OR', cpe_match: [hardware] }] },
      ],
    },
    { operator: 'OR', children: [], cpe_match: [{ vulnerable: true, cpe23Uri: cpe('widget') }] },
  ]
  const item = anItem('CVE-2017-10001', { configurations: { nodes } })
  expect(cveOfItem(item).cve.configurations).toMatchObject([
    { operator: 'AND', nodes: [{ operator: 'OR' }, { operator: 'OR', cpeMatch: [{ vulnerable: false }] }] },
    { nodes: [{ operator: 'OR', cpeMatch: [{ criteria: cpe('widget') }] }] },
  ])
  expect(normalised(item).affected?.map(({ product }) => product)).toEqual(['router_firmware', 'widget'])
})

test('1.1 knows no vulnStatus: a rejected record is known by its words', () => {
  for (const words of ['** REJECT **  DO NOT USE THIS CANDIDATE NUMBER.', 'Rejected reason: DO NOT USE THIS.'])
    expect(normalised(anItem('CVE-2017-10001', {}, words)).state).toBe('rejected')
  expect(cveOfItem(anItem('CVE-2017-10002')).cve.vulnStatus).toBeUndefined()
})

test('weaknesses and configurations that name nothing are absent, as 2.0 has it', () => {
  const item = anItem('CVE-2017-10001')
  item.cve.problemtype.problemtype_data = [{ description: [] }]
  const { cve } = cveOfItem(item)
  expect([cve.weaknesses, cve.configurations]).toEqual([undefined, undefined])
})

test('a year is composed of both formats, and the 2.0 record of a CVE wins unless it is older', async () => {
  const oldest = { lastModifiedDate: '2023-01-01T00:00Z' }
  put(
    'nvd/1.1/nvdcve-1.1-2017.json.gz',
    gzipSync(feed11([anItem('CVE-2017-0003'), anItem('CVE-2017-0001'), anItem('CVE-2017-0002', oldest)])),
  )
  put('nvd/1.1/nvdcve-1.1-recent.2022-08-31.json', feed11([anItem('CVE-2017-0004'), anItem('CVE-2016-0009')], 660))
  put(
    'nvd/2.0/nvdcve-2.0-2017.json.gz',
    gzipSync(
      feed20(
        record20('CVE-2017-0001', '2023-08-01T10:30:17.000'),
        record20('CVE-2017-0002', '2022-05-05T00:00:00.000'),
        record20('CVE-2017-0003', '2024-05-05T00:00:00.000'),
      ),
    ),
  )
  const { totalResults, vulnerabilities } = await readFeed(2017)
  expect(totalResults).toBe(4)
  expect(vulnerabilities.map(({ cve }) => [cve.id, cve.vulnStatus ?? '1.1', cve.lastModified])).toEqual([
    ['CVE-2017-0001', 'Analyzed', '2023-08-01T10:30:17.000'],
    ['CVE-2017-0002', '1.1', '2023-01-01T00:00:00.000'],
    ['CVE-2017-0003', 'Analyzed', '2024-05-05T00:00:00.000'],
    ['CVE-2017-0004', '1.1', '2023-08-01T10:30:00.000'],
  ])
  expect((await readFeed(2016)).vulnerabilities.map(({ cve }) => cve.id)).toEqual(['CVE-2016-0009'])
})

test('the API answers records of 1.1 as 2.0 ones, however their text is spaced', async () => {
  const spaced = feed11([anItem('CVE-2018-0001')])
    .replaceAll('": ', '" : ')
    .replaceAll('\n', '\r\n')
  const compact = JSON.stringify({ CVE_Items: [anItem('CVE-2018-0002')] })
  put('nvd/1.1/nvdcve-1.1-2018.json', spaced)
  put('nvd/1.1/nvdcve-1.1-modified.2023-08-26.json', compact)
  const window = { lastModStartDate: '2023-08-01T10:30:00.000Z', lastModEndDate: '2023-08-02T00:00:00.000Z' }
  const reply = await get(`/nvd/rest/json/cves/2.0?${new URLSearchParams(window)}`)
  const { vulnerabilities } = (await reply.json()) as Awaited<ReturnType<typeof readFeed>>
  expect(vulnerabilities.map(({ cve }) => cve.id)).toEqual(['CVE-2018-0001', 'CVE-2018-0002'])
  expect(vulnerabilities.every(({ cve }) => NvdCve.safeParse(cve).success)).toBe(true)
})

test('a hand-edited file whose header miscounts is read as far as it goes', async () => {
  put('nvd/1.1/nvdcve-1.1-recent.2022-08-31.json', feed11([anItem('CVE-2019-0001'), anItem('CVE-2019-0002')], 1))
  expect((await readFeed(2019)).totalResults).toBe(2)
})

import { expect, test } from 'vitest'
import { aCisaAdp, aCve5, aDecision } from '../support/cve5'
import { readContainers, readCve5 } from '../support/cve5-read'
import { expectStatuses } from '../support/verdicts'
import { eachCase } from '../support/each-case'

const cvss = (version: string, baseScore: number) => ({ version, baseScore, vectorString: `CVSS:${version}/AV:N` })

test('a record says who gave it, when, in which state, and what', () => {
  expect(readContainers({})).toMatchObject({
    cveid: 'CVE-2026-0001',
    state: 'published',
    published: '2026-11-01T10:00:00Z',
    modified: '2026-11-18T10:00:00Z',
    assigner: 'acme',
    summary: 'A flaw in Widget lets a visitor do what CVE-2026-0001 says.',
  })
})

test('a rejected record has its reasons for a summary, and nothing else is said of it', () => {
  const raw = aCve5('CVE-2026-0001', {
    rejectedReasons: [{ lang: 'en', value: ' Not a flaw. ' }],
    descriptions: undefined,
  })
  const rejected = {
    ...raw,
    cveMetadata: { ...raw.cveMetadata, state: 'REJECTED', dateRejected: '2026-11-19T10:00:00' },
  }
  expect(readCve5(rejected)).toEqual({
    cveid: 'CVE-2026-0001',
    state: 'rejected',
    published: '2026-11-01T10:00:00Z',
    modified: '2026-11-18T10:00:00Z',
    assigner: 'acme',
    summary: 'Not a flaw.',
  })
})

test.each([
  ['2017-03-17T00:00:00', '2017-03-17T00:00:00Z'],
  ['2017-03-17T00:00:00Z', '2017-03-17T00:00:00Z'],
  ['2017-03-17T00:00:00.999Z', '2017-03-17T00:00:00Z'],
  ['2017-03-17T00:00:00.123456', '2017-03-17T00:00:00Z'],
  ['2017-03-17T00:00:00.123456Z', '2017-03-17T00:00:00Z'],
])('a date in the form %s is read as UTC', (datePublished, published) => {
  const raw = aCve5('CVE-2026-0001')
  expect(readCve5({ ...raw, cveMetadata: { ...raw.cveMetadata, datePublished } }).published).toBe(published)
})

test('a record without a date of publication has none', () => {
  const raw = aCve5('CVE-2026-0001')
  const { datePublished: _, ...cveMetadata } = raw.cveMetadata
  expect(readCve5({ ...raw, cveMetadata })).not.toHaveProperty('published')
})

eachCase({
  en: [
    [
      { lang: 'de', value: 'Ein Fehler' },
      { lang: 'en', value: 'A flaw' },
    ],
    'A flaw',
  ],
  'en-US': [
    [
      { lang: 'de', value: 'Ein Fehler' },
      { lang: 'en-US', value: 'A flaw' },
    ],
    'A flaw',
  ],
  'de alone': [[{ lang: 'de', value: 'Ein Fehler' }], 'Ein Fehler'],
})('a description in %s is the summary', (descriptions, summary) => {
  expect(readContainers({ descriptions }).summary).toBe(summary)
})

test('metrics are looked for in the CNA and in every ADP, the CNA first', () => {
  const adp = aCisaAdp({ metrics: [aDecision(), { cvssV3_1: cvss('3.1', 5), cvssV4_0: cvss('4.0', 6) }] })
  expect(
    readContainers({ metrics: [{ format: 'CVSS', scenarios: [], cvssV3_0: cvss('3.0', 9) }] }, [adp]),
  ).toMatchObject({ cvss3: { score: 9, vector: 'CVSS:3.0/AV:N', by: 'acme' }, cvss4: { score: 6, by: 'CISA-ADP' } })
  expect(readContainers({}, [adp]).cvss3).toEqual({ score: 5, vector: 'CVSS:3.1/AV:N', by: 'CISA-ADP' })
})

test('of two 3.x metrics of a container the newer version counts', () => {
  const metrics = [{ cvssV3_0: cvss('3.0', 9) }, { other: { type: 'x', content: {} } }, { cvssV3_1: cvss('3.1', 8) }]
  expect(readContainers({ metrics }).cvss3?.score).toBe(8)
})

test('a metric that breaks the rules costs the metric and not the record', () => {
  const metrics = [{ cvssV3_1: { version: '3.1', baseScore: 'high' } }, { cvssV2_0: cvss('2.0', 7.5) }, { other: 'x' }]
  expect(readContainers({ metrics })).toMatchObject({ state: 'published', cvss: { score: 7.5 } })
  expect(readContainers({ metrics })).not.toHaveProperty('cvss3')
})

test.each([
  ['PoC', 'Yes', 'Total', { exploitation: 'poc', automatable: true, technical_impact: 'total' }],
  ['none', 'no', 'partial', { exploitation: 'none', automatable: false, technical_impact: 'partial' }],
  ['Active', 'perhaps', 'some', { exploitation: 'active', automatable: null, technical_impact: null }],
])('SSVC is read in any case: %s, %s, %s', (exploitation, automatable, impact, ssvc) => {
  expect(readContainers({}, [aCisaAdp({ metrics: [aDecision(exploitation, automatable, impact)] })]).ssvc).toEqual(ssvc)
})

test.each([
  [{ cweId: 'CWE-79', description: 'XSS' }, ['CWE-79']],
  [{ type: 'CWE', description: 'CWE-89 SQL Injection (and CWE-079)' }, ['CWE-89', 'CWE-79']],
  [{ type: 'text', description: 'n/a' }, []],
  [{ cweId: 'CWE-noinfo', description: 'Insufficient information' }, []],
])('a weakness is read from its id, or else from its text: %j', (description, cwe_ids) => {
  expect(readContainers({ problemTypes: [{ descriptions: [{ lang: 'en', ...description }] }] }).cwe_ids).toEqual(
    cwe_ids,
  )
})

test('references of all containers are merged, with the tags that NVD has words for, and only links', () => {
  const { references } = readContainers(
    {
      references: [
        { url: 'https://a.example', tags: ['x_refsource_MISC', 'exploit'] },
        { url: 'javascript:alert(1)', tags: ['exploit'] },
        { url: 'ftp://b.example', tags: ['media-coverage', 'government-resource'] },
      ],
    },
    [
      { title: 'CVE Program Container', references: [{ url: 'https://a.example', tags: ['x_transferred', 'patch'] }] },
      aCisaAdp({ references: [{ url: 'https://c.example' }] }),
    ],
  )
  expect(references).toEqual([
    { url: 'https://a.example', tags: ['Exploit', 'Patch'] },
    { url: 'ftp://b.example', tags: ['Press/Media Coverage'] },
    { url: 'https://c.example', tags: [] },
  ])
})

test('CVE-2024-1301, Monitool: the summary says "4.6.3 and earlier" beside the one version that the CNA lists', () => {
  const { affected = [] } = readContainers({
    descriptions: [
      {
        lang: 'en',
        value: 'SQL injection vulnerability in Badger Meter Monitool affecting versions 4.6.3 and earlier.',
      },
    ],
    affected: [
      {
        vendor: 'Badger Meter',
        product: 'Monitool',
        defaultStatus: 'unaffected',
        versions: [{ version: '4.6.3', status: 'affected' }],
      },
    ],
  })
  expectStatuses(
    'cve',
    affected.flatMap(({ ranges }) => ranges),
    { affected: '4.6.3', unknown: '4.6.2 1.0', not_affected: '4.6.4 5.0' },
  )
})

test.each([
  [' A leak\n of\u202e  Widget ', 'A leak of Widget'],
  ['CVE-2027-1', undefined],
  ['A flaw in Widget.', undefined],
])('the title %j is read as %j', (title, read) => {
  const record = readContainers({ title, descriptions: [{ lang: 'en', value: 'A flaw in Widget.' }] })
  expect(record.title).toBe(read)
})

import { expect, test } from 'vitest'
import { fromNvd, NvdCve } from '../../worker/feeds/nvd/record'
import { aCve, affecting, aMatch, aMetric } from '../support/records'

const read = (more: Record<string, unknown>, id = 'CVE-2024-10001') => fromNvd(NvdCve.parse(aCve(id, more)))
const v31 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
const v30 = 'CVSS:3.0/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H'
const v2 = 'AV:N/AC:L/Au:N/C:P/I:P/A:P'
const v4 = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N'

test('of several metrics the newest version is taken, and NVD before a CNA', () => {
  const metrics = {
    cvssMetricV30: [aMetric('3.0', 8.1, v30)],
    cvssMetricV31: [
      aMetric('3.1', 7, v31, 'cna@example.org', 'Primary'),
      aMetric('3.1', 9.8, v31, 'nvd@nist.gov', 'Secondary'),
    ],
  }
  expect(read({ metrics }).cvss3).toEqual({ score: 9.8, vector: v31, by: 'nvd@nist.gov' })
})

test.each([
  ['v2 only', { cvssMetricV2: [aMetric('2.0', 7.5, v2)] }, { cvss: 7.5, cvss3: undefined, cvss4: undefined }],
  ['v3 only', { cvssMetricV30: [aMetric('3.0', 8.1, v30)] }, { cvss: undefined, cvss3: 8.1, cvss4: undefined }],
  ['v4 only', { cvssMetricV40: [aMetric('4.0', 9.3, v4)] }, { cvss: undefined, cvss3: undefined, cvss4: 9.3 }],
  ['none', {}, { cvss: undefined, cvss3: undefined, cvss4: undefined }],
  ['no metrics at all', undefined, { cvss: undefined, cvss3: undefined, cvss4: undefined }],
])('a record with %s', (_, metrics, expected) => {
  const { cvss, cvss3, cvss4 } = read({ metrics })
  expect({ cvss: cvss?.score, cvss3: cvss3?.score, cvss4: cvss4?.score }).toEqual(expected)
})

test('CVSS 4 comes in long names and with a vector that is padded; the vector says it all', () => {
  const vectorString = `${v4}/E:X/CR:X/IR:X/AR:X/MAV:X/S:X/AU:X/R:X/V:X/RE:X/U:X`
  const named = {
    vulnConfidentialityImpact: 'HIGH',
    subIntegrityImpact: 'NONE',
    exploitMaturity: 'NOT_DEFINED',
    Safety: 'X',
  }
  const metric = {
    ...aMetric('4.0', 10, vectorString),
    cvssData: { version: '4.0', baseScore: 10, vectorString, ...named },
  }
  expect(read({ metrics: { cvssMetricV40: [metric] } }).cvss4).toMatchObject({ score: 10, vector: vectorString })
})

test('a score is read wherever its severity stands, and 10 is 10.0', () => {
  const [beside, inside] = [aMetric('2.0', 10, v2), aMetric('3.1', 10.0, v31)]
  const metrics = {
    cvssMetricV2: [{ ...beside, baseSeverity: 'HIGH' }],
    cvssMetricV31: [{ ...inside, cvssData: { ...inside.cvssData, baseSeverity: 'CRITICAL' } }],
  }
  const { cvss, cvss3 } = read({ metrics })
  expect([cvss?.score, cvss3?.score]).toEqual([10, 10])
})

test('a text that its mirror damaged is read as it stands', () => {
  const damaged = 'A caf\uFFFD is not a hole.'
  expect(read({ descriptions: [{ lang: 'en', value: damaged }] }).summary).toBe(damaged)
})

test('the platform of a product is not affected', () => {
  const configurations = [
    {
      operator: 'AND',
      nodes: [
        {
          operator: 'OR',
          cpeMatch: [{ vulnerable: true, criteria: 'cpe:2.3:o:acme:router_firmware:1.0:*:*:*:*:*:*:*' }],
        },
        { operator: 'OR', cpeMatch: [{ vulnerable: false, criteria: 'cpe:2.3:h:acme:router:-:*:*:*:*:*:*:*' }] },
      ],
    },
  ]
  expect(read({ configurations }).affected).toEqual([{ vendor: 'acme', product: 'router_firmware', ranges: ['o:1.0'] }])
})

test('ranges keep all four bounds, versions their update, and equal statements stand once', () => {
  const configurations = affecting(
    aMatch('acme', 'widget', { versionStartIncluding: '1.0', versionEndExcluding: '2.0' }),
    aMatch('acme', 'widget', { versionStartExcluding: '2.0', versionEndIncluding: '2.5' }),
    { vulnerable: true, criteria: 'cpe:2.3:a:acme:widget:1.0.1:beta1:*:*:*:*:*:*' },
    { vulnerable: true, criteria: 'cpe:2.3:a:acme:widget:1.0.1:beta1:*:*:*:*:*:*' },
    { vulnerable: true, criteria: 'cpe:2.3:a:acme:widget:-:*:*:*:*:*:*:*' },
  )
  expect(read({ configurations }).affected).toEqual([
    {
      vendor: 'acme',
      product: 'widget',
      ranges: [{ cpe: 'a', ge: '1.0', lt: '2.0' }, { cpe: 'a', gt: '2.0', le: '2.5' }, 'a:1.0.1:beta1', 'a:-'],
    },
  ])
})

test('escaped names are unescaped, and split only where a colon is not escaped', () => {
  const configurations = affecting({
    vulnerable: true,
    criteria: 'cpe:2.3:a:ac\\:me:notepad\\+\\+:1.0\\(2\\):*:*:*:*:*:*:*',
  })
  expect(read({ configurations }).affected).toEqual([
    { vendor: 'ac:me', product: 'notepad++', ranges: ['a:1.0\\(2\\)'] },
  ])
})

test('a reference that two sources repeat stands once with the tags of both, and only links are kept', () => {
  const references = [
    { url: 'https://a.example/1', source: 'x', tags: ['Patch'] },
    { url: 'https://a.example/1', source: 'y', tags: ['Exploit', 'Patch'] },
    { url: 'javascript:alert(1)', source: 'y' },
  ]
  expect(read({ references }).references).toEqual([{ url: 'https://a.example/1', tags: ['Exploit', 'Patch'] }])
})

test('weaknesses that name nothing are left out', () => {
  const weaknesses = ['NVD-CWE-noinfo', 'CWE-79', 'NVD-CWE-Other', 'CWE-79'].map((value) => ({
    description: [{ lang: 'en', value }],
  }))
  expect(read({ weaknesses }).cwe_ids).toEqual(['CWE-79'])
})

test('times without a zone are UTC; six digits make a CVE id; a rejected record keeps no claims', () => {
  expect(read({ published: '2014-04-05T21:55:06.097' }).published).toBe('2014-04-05T21:55:06Z')
  expect(read({}, 'CVE-2024-123456').cveid).toBe('CVE-2024-123456')
  const rejected = read({ vulnStatus: 'Rejected' })
  expect([rejected.state, rejected.cvss3, rejected.affected]).toEqual(['rejected', undefined, undefined])
})

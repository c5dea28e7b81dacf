import { expect, test } from 'vitest'
import { fromCve5 } from '../../worker/feeds/cve5/record'
import { Cve5 } from '../../worker/feeds/cve5/schema'
import { aCisaAdp, aCve5, aDecision, anEntry, aRange } from '../support/cve5'

const read = (raw: unknown) => fromCve5(Cve5.parse(raw))
const withCna = (cna: Record<string, unknown>, adp?: Record<string, unknown>[]) =>
  read(aCve5('CVE-2026-0001', cna, adp))
const cvss = (version: string, baseScore: number) => ({ version, baseScore, vectorString: `CVSS:${version}/AV:N` })
const affectedBy = (cna: Record<string, unknown>[], adp: Record<string, unknown>[] = []) =>
  withCna({ affected: cna }, [aCisaAdp({ affected: adp })]).affected

test('a record says who gave it, when, in which state, and what', () => {
  expect(withCna({})).toMatchObject({
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
  expect(read(rejected)).toEqual({
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
  expect(read({ ...raw, cveMetadata: { ...raw.cveMetadata, datePublished } }).published).toBe(published)
})

test('a record without a date of publication has none', () => {
  const raw = aCve5('CVE-2026-0001')
  const { datePublished: _, ...cveMetadata } = raw.cveMetadata
  expect(read({ ...raw, cveMetadata })).not.toHaveProperty('published')
})

test.each([
  [
    'en',
    [
      { lang: 'de', value: 'Ein Fehler' },
      { lang: 'en', value: 'A flaw' },
    ],
    'A flaw',
  ],
  [
    'en-US',
    [
      { lang: 'de', value: 'Ein Fehler' },
      { lang: 'en-US', value: 'A flaw' },
    ],
    'A flaw',
  ],
  ['de alone', [{ lang: 'de', value: 'Ein Fehler' }], 'Ein Fehler'],
])('a description in %s is the summary', (_, descriptions, summary) => {
  expect(withCna({ descriptions }).summary).toBe(summary)
})

test('metrics are looked for in the CNA and in every ADP, the CNA first', () => {
  const adp = aCisaAdp({ metrics: [aDecision(), { cvssV3_1: cvss('3.1', 5), cvssV4_0: cvss('4.0', 6) }] })
  expect(withCna({ metrics: [{ format: 'CVSS', scenarios: [], cvssV3_0: cvss('3.0', 9) }] }, [adp])).toMatchObject({
    cvss3: { score: 9, vector: 'CVSS:3.0/AV:N', by: 'acme' },
    cvss4: { score: 6, by: 'CISA-ADP' },
  })
  expect(withCna({}, [adp]).cvss3).toEqual({ score: 5, vector: 'CVSS:3.1/AV:N', by: 'CISA-ADP' })
})

test('of two 3.x metrics of a container the newer version counts', () => {
  const metrics = [{ cvssV3_0: cvss('3.0', 9) }, { other: { type: 'x', content: {} } }, { cvssV3_1: cvss('3.1', 8) }]
  expect(withCna({ metrics }).cvss3?.score).toBe(8)
})

test('a metric that breaks the rules costs the metric and not the record', () => {
  const metrics = [{ cvssV3_1: { version: '3.1', baseScore: 'high' } }, { cvssV2_0: cvss('2.0', 7.5) }, { other: 'x' }]
  expect(withCna({ metrics })).toMatchObject({ state: 'published', cvss: { score: 7.5 } })
  expect(withCna({ metrics })).not.toHaveProperty('cvss3')
})

test.each([
  ['PoC', 'Yes', 'Total', { exploitation: 'poc', automatable: true, technical_impact: 'total' }],
  ['none', 'no', 'partial', { exploitation: 'none', automatable: false, technical_impact: 'partial' }],
  ['Active', 'perhaps', 'some', { exploitation: 'active', automatable: null, technical_impact: null }],
])('SSVC is read in any case: %s, %s, %s', (exploitation, automatable, impact, ssvc) => {
  expect(withCna({}, [aCisaAdp({ metrics: [aDecision(exploitation, automatable, impact)] })]).ssvc).toEqual(ssvc)
})

test('the mark of KEV is read from the ADP', () => {
  const kev = { other: { type: 'kev', content: { dateAdded: '2022-05-25', reference: 'https://cisa.example' } } }
  expect(withCna({}, [aCisaAdp({ metrics: [kev] })]).kev?.added).toBe('2022-05-25')
})

test.each([
  [{ cweId: 'CWE-79', description: 'XSS' }, ['CWE-79']],
  [{ type: 'CWE', description: 'CWE-89 SQL Injection (and CWE-079)' }, ['CWE-89', 'CWE-79']],
  [{ type: 'text', description: 'n/a' }, []],
  [{ cweId: 'CWE-noinfo', description: 'Insufficient information' }, []],
])('a weakness is read from its id, or else from its text: %j', (description, cwe_ids) => {
  expect(withCna({ problemTypes: [{ descriptions: [{ lang: 'en', ...description }] }] }).cwe_ids).toEqual(cwe_ids)
})

test('references of all containers are merged, with the tags that NVD has words for, and only links', () => {
  const { references } = withCna(
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

test.each([
  ['Apache Software Foundation', 'Apache HTTP Server', 'apache:http_server'],
  ['The Acme Corporation', 'Widget  Pro', 'acme:widget_pro'],
  ['Acme, Inc.', 'Acme', 'acme:acme'],
  ['ACME LLC', 'acme/widget', 'acme:widget'],
  ['Apache Software Foundation', 'Apache Log4j2', 'apache:log4j'],
  ['Linux', 'Linux', 'linux:linux_kernel'],
  ['D-Link', 'DIR-605L', 'dlink:dir-605l'],
  ['Acme GmbH & Co. KG', 'Widget', 'acme_gmbh_&:widget'],
])('a free name of a CNA is written as a CPE would: %s, %s', (vendor, product, name) => {
  expect(
    affectedBy([anEntry(vendor, product, aRange('0', '2.0'))])?.map((one) => `${one.vendor}:${one.product}`),
  ).toEqual([name])
})

test.each([
  ['n/a', 'n/a'],
  ['n/a', 'Widget'],
  ['Acme', 'unspecified'],
  ['', ''],
  ['Inc.', '-'],
])('a name that says nothing is no product: %j, %j', (vendor, product) => {
  expect(affectedBy([anEntry(vendor, product, aRange('0', '2.0'))])).toEqual([])
})

test('CPE names count before free ones, in CPE 2.3 or 2.2 and in any case', () => {
  const cpes = ['cpe:2.3:a:Acme:Widget_Server:*:*:*:*:*:*:*:*', 'cpe:/a:acme:widget_server', 'cpe:/o:acme:Box_Firmware']
  expect(affectedBy([anEntry('Acme', 'The Widget', aRange('1.0', '2.0'), { cpes })])).toEqual([
    { vendor: 'acme', product: 'widget_server', ranges: [{ order: 'loose', ge: '1.0', lt: '2.0' }] },
    { vendor: 'acme', product: 'box_firmware', ranges: [{ order: 'loose', ge: '1.0', lt: '2.0' }] },
  ])
})

const cisaEntry = (name: string, version: string) =>
  anEntry('acme', 'widget', aRange('1.0', version), {
    cpes: [`cpe:2.3:a:${name}:*:*:*:*:*:*:*:*`],
    defaultStatus: 'unknown',
  })

test('what CNA and CISA say of the same thing is one product with both statements', () => {
  expect(
    affectedBy([anEntry('ACME Ltd', 'The Widget Server', aRange('1.0', '2.0'))], [cisaEntry('acmecorp:widget', '3.0')]),
  ).toEqual([
    {
      vendor: 'acmecorp',
      product: 'widget',
      ranges: [
        { order: 'loose', ge: '1.0', lt: '2.0' },
        { order: 'loose', ge: '1.0', lt: '3.0' },
      ],
    },
  ])
})

test('of several products those of one name are one; what cannot be told stays apart', () => {
  const cna = [anEntry('D-Link', 'DIR-605L', aRange('1', '2')), anEntry('D-Link', 'Hub', aRange('1', '2'))]
  const affected = affectedBy(cna, [cisaEntry('dlink:dir-605l', '2'), cisaEntry('dlink:hub_firmware', '2')])
  expect(affected?.map(({ vendor, product }) => `${vendor}:${product}`)).toEqual([
    'dlink:dir-605l',
    'dlink:hub',
    'dlink:hub_firmware',
  ])
})

test('a product that is named only to say that it is not affected is left out', () => {
  const unaffected = { version: '1.0', status: 'unaffected' }
  expect(affectedBy([{ vendor: 'Acme', product: 'Widget', defaultStatus: 'unaffected' }])).toEqual([])
  expect(affectedBy([anEntry('Acme', 'Widget', unaffected)])).toEqual([])
  expect(affectedBy([{ vendor: 'Acme', product: 'Widget' }])).toEqual([
    { vendor: 'acme', product: 'widget', ranges: [] },
  ])
})

test('an entry without versions takes them from its CPE names', () => {
  const cpes = ['cpe:2.3:a:acme:widget:1.5:*:*:*:*:*:*:*', 'cpe:2.3:a:acme:gadget:*:*:*:*:*:*:*:*']
  expect(
    affectedBy([{ vendor: 'Acme', product: 'Widget', cpes, versions: [{ version: 'n/a', status: 'affected' }] }]),
  ).toEqual([
    { vendor: 'acme', product: 'widget', ranges: ['a:1.5'] },
    { vendor: 'acme', product: 'gadget', ranges: [] },
  ])
})

test('git hashes, stars, sentences and changes midway stay statements of versions', () => {
  const [hash, fix] = ['a1'.repeat(20), 'b2'.repeat(20)]
  const [linux] = affectedBy([anEntry('Linux', 'Linux', aRange(hash, fix, 'git'))]) ?? []
  expect(linux?.ranges).toEqual([{ order: 'git', ge: hash, lt: fix }])
  const changes = [{ at: '1.5', status: 'unaffected' }]
  const [changed] = affectedBy([anEntry('Acme', 'Widget', { ...aRange('1.0', '*', 'semver'), changes })]) ?? []
  expect(changed?.ranges).toEqual([
    { order: 'semver', ge: '1.0', lt: '1.5' },
    { order: 'semver', ge: '1.5', status: 'unaffected' },
  ])
  const [platform] = affectedBy([anEntry('Acme', 'Widget', aRange('1.0', '2.0', 'Platform Initialization'))]) ?? []
  expect(platform?.ranges).toEqual([{ order: 'loose', ge: '1.0', lt: '2.0' }])
})

test.each([
  [
    'https://repo.maven.apache.org/maven2/',
    'org.apache.logging.log4j:log4j-core',
    'maven',
    'org.apache.logging.log4j:log4j-core',
  ],
  ['https://repo.maven.apache.org/maven2', 'org.acme/widget', 'maven', 'org.acme:widget'],
  ['https://www.npmjs.com', '@acme/widget', 'npm', '@acme/widget'],
  ['https://www.npmjs.com/package/micromatch', undefined, 'npm', 'micromatch'],
  ['https://pypi.org/project/pip', 'Acme_Widget', 'pypi', 'acme-widget'],
  ['https://pypi.python.org', 'acme', 'pypi', 'acme'],
  ['https://packagist.org', 'Acme/Widget', 'composer', 'acme/widget'],
  ['https://pkg.go.dev', 'acme.example/widget/v2', 'golang', 'acme.example/widget/v2'],
  ['https://crates.io', 'widget', 'cargo', 'widget'],
  ['https://www.nuget.org/packages', 'Acme.Widget', 'nuget', 'Acme.Widget'],
  ['https://rubygems.org', 'widget', 'gem', 'widget'],
  ['https://wordpress.org/plugins/', 'acme-widget', 'wordpress', 'acme-widget'],
])('a package of %s named %s is %s/%s', (collectionURL, packageName, type, name) => {
  const entry = anEntry('Acme', 'Widget', aRange('0', '2.0'), { collectionURL, packageName })
  expect(withCna({ affected: [entry] }).packages).toMatchObject([{ type, name, ranges: [{ lt: '2.0' }] }])
})

test('an entry that names only a package on GitHub is its product and its package', () => {
  const xz = {
    packageName: 'xz',
    collectionURL: 'https://github.com/Tukaani-project/xz',
    defaultStatus: 'unaffected',
    versions: [{ version: '5.6.0', status: 'affected' }],
  }
  const others = { order: 'loose', status: 'unaffected' }
  expect(withCna({ affected: [xz] })).toMatchObject({
    affected: [{ vendor: 'tukaani', product: 'xz', ranges: ['a:5.6.0', others] }],
    packages: [{ type: 'github', name: 'tukaani-project/xz', ranges: [{ order: 'loose', is: '5.6.0' }, others] }],
  })
})

test('a package is read from its purl where there is one', () => {
  const purl = { packageURL: 'pkg:maven/org.apache.logging.log4j/log4j-core', collectionURL: 'https://acme.example' }
  expect(withCna({ affected: [anEntry('Apache', 'Log4j', aRange('2.0', '2.15.0'), purl)] }).packages).toEqual([
    {
      type: 'maven',
      name: 'org.apache.logging.log4j:log4j-core',
      ranges: [{ order: 'maven', ge: '2.0', lt: '2.15.0' }],
    },
  ])
})

test('versions of a package are in the order of its ecosystem', () => {
  const entry = anEntry('Acme', 'Widget', aRange('1.0', '2.0'), {
    collectionURL: 'https://pypi.org',
    packageName: 'widget',
  })
  expect(withCna({ affected: [entry] }).packages).toEqual([
    { type: 'pypi', name: 'widget', ranges: [{ order: 'pypi', ge: '1.0', lt: '2.0' }] },
  ])
})

test.each([
  ['https://access.redhat.com/downloads/content/package-browser/', 'kernel'],
  ['https://wordpress.org/themes', 'twenty'],
  ['not an address', 'widget'],
  ['https://www.npmjs.com', 'two words'],
  ['https://repo.maven.apache.org/maven2', 'widget'],
])('what stands at %s as %s is no package', (collectionURL, packageName) => {
  expect(
    withCna({ affected: [anEntry('Acme', 'Widget', aRange('0', '2.0'), { collectionURL, packageName })] }),
  ).not.toHaveProperty('packages')
})

test.each([
  ['another id', { cveId: 'CVE-1' }],
  ['another state', { state: 'RESERVED' }],
])('a record with %s is refused', (_, wrong) => {
  const raw = aCve5('CVE-2026-0001')
  expect(Cve5.safeParse({ ...raw, cveMetadata: { ...raw.cveMetadata, ...wrong } }).success).toBe(false)
})

test('a vendor that is called as a property of every object keeps its name', () => {
  const affected = affectedBy([{ vendor: 'Constructor', product: 'toString', defaultStatus: 'affected' }])
  expect(affected).toMatchObject([{ vendor: 'constructor', product: 'tostring' }])
})

import { expect, test } from 'vitest'
import { judgeStatements } from '../../worker/domain/versions/affected'
import { Cve5 } from '../../worker/feeds/cve5/schema'
import { aCisaAdp, aCve5, anEntry, aRange } from '../support/cve5'
import { readContainers } from '../support/cve5-read'
import { asRange, asRanges } from '../support/ranges'

const affectedBy = (cna: Record<string, unknown>[], adp: Record<string, unknown>[] = []) =>
  readContainers({ affected: cna }, [aCisaAdp({ affected: adp })]).affected

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
    { vendor: 'acme', product: 'widget_server', ranges: asRanges('>=1.0 <2.0') },
    { vendor: 'acme', product: 'box_firmware', ranges: asRanges('>=1.0 <2.0') },
  ])
})

const cisaEntry = (name: string, version: string) =>
  anEntry('acme', 'widget', aRange('1.0', version), {
    cpes: [`cpe:2.3:a:${name}:*:*:*:*:*:*:*:*`],
    defaultStatus: 'unknown',
  })

test('statements of CNA and CISA on the same thing are one product with both', () => {
  expect(
    affectedBy([anEntry('ACME Ltd', 'The Widget Server', aRange('1.0', '2.0'))], [cisaEntry('acmecorp:widget', '3.0')]),
  ).toEqual([{ vendor: 'acmecorp', product: 'widget', ranges: asRanges('>=1.0 <2.0', '>=1.0 <3.0') }])
})

test('of several products those of one name are one; unclear ones stay apart', () => {
  const cna = [anEntry('D-Link', 'DIR-605L', aRange('1', '2')), anEntry('D-Link', 'Hub', aRange('1', '2'))]
  const affected = affectedBy(cna, [cisaEntry('dlink:dir-605l', '2'), cisaEntry('dlink:hub_firmware', '2')])
  expect(affected?.map(({ vendor, product }) => `${vendor}:${product}`)).toEqual([
    'dlink:dir-605l',
    'dlink:hub',
    'dlink:hub_firmware',
  ])
})

test('CVE-2024-42398, Instant: nobody is comforted where elements do not agree on all other versions', () => {
  const instant = (defaultStatus: string, from: string, to: string) =>
    anEntry('arubanetworks', 'instant', aRange(from, to, 'semver'), { defaultStatus })
  const elements = [instant('unaffected', '8.10.0.0', '8.10.0.13'), instant('affected', '8.4.0.0', '8.6.0.0')]
  const judge = (version: string, entries: Record<string, unknown>[]) =>
    judgeStatements(version, [{ source: 'cve', ranges: affectedBy(entries)?.[0]?.ranges ?? [] }]).status
  expect(['8.5.0.0', '8.10.0.12', '8.6.0.0', '8.10.0.13'].map((version) => judge(version, elements))).toEqual([
    'affected',
    'affected',
    'unknown',
    'unknown',
  ])
  expect(judge('8.10.0.13', elements.slice(0, 1))).toBe('not_affected')
})

test('an end is no fix where elements do not agree, and the fix of its branch elsewhere', () => {
  const judge = (...entries: Record<string, unknown>[]) =>
    judgeStatements('2.5.1', [{ source: 'cve', ranges: affectedBy(entries)?.[0]?.ranges ?? [] }])
  const element = anEntry('acme', 'widget', aRange('2.0', '2.5.1'))
  expect(judge(element)).toMatchObject({
    status: 'not_affected',
    confidence: 'likely',
    reason: 'The record ends its range here, and says nothing of later versions.',
  })
  const [denied, other] = ['unaffected', 'affected'].map((defaultStatus, at) =>
    anEntry('acme', 'widget', aRange(`${at}.0`, `${at}.9`), { defaultStatus }),
  )
  expect(judge(element, denied ?? {}, other ?? {}).status).toBe('unknown')
})

test('CVE-2024-5171, libaom: versions that the CNA calls unaffected by default stay so beside a default of CISA', () => {
  const libaom = (defaultStatus: string) => anEntry('libaom', 'libaom', aRange('1.0.0', '3.9.0'), { defaultStatus })
  const [named] = affectedBy([libaom('unaffected')], [libaom('affected')]) ?? []
  const judge = (version: string) => judgeStatements(version, [{ source: 'cve', ranges: named?.ranges ?? [] }]).status
  expect([judge('3.8.2'), judge('3.9.0')]).toEqual(['affected', 'not_affected'])
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
  expect(changed?.ranges).toEqual(asRanges('semver >=1.0 <1.5', 'semver >=1.5 unaffected'))
  const [platform] = affectedBy([anEntry('Acme', 'Widget', aRange('1.0', '2.0', 'Platform Initialization'))]) ?? []
  expect(platform?.ranges).toEqual(asRanges('>=1.0 <2.0'))
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
  ['https://www.nuget.org/packages', 'Acme.Widget', 'nuget', 'acme.widget'],
  ['https://rubygems.org', 'widget', 'gem', 'widget'],
  ['https://wordpress.org/plugins/', 'acme-widget', 'wordpress', 'acme-widget'],
])('a package of %s named %s is %s/%s', (collectionURL, packageName, type, name) => {
  const entry = anEntry('Acme', 'Widget', aRange('0', '2.0'), { collectionURL, packageName })
  expect(readContainers({ affected: [entry] }).packages).toMatchObject([{ type, name, ranges: [{ lt: '2.0' }] }])
})

test('an entry that names only a package on GitHub is its product and its package', () => {
  const xz = {
    packageName: 'xz',
    collectionURL: 'https://github.com/Tukaani-project/xz',
    defaultStatus: 'unaffected',
    versions: [{ version: '5.6.0', status: 'affected' }],
  }
  const others = asRange('loose unaffected')
  expect(readContainers({ affected: [xz] })).toMatchObject({
    affected: [{ vendor: 'tukaani', product: 'xz', ranges: ['a:5.6.0', others] }],
    packages: [{ type: 'github', name: 'tukaani-project/xz', ranges: [asRange('=5.6.0'), others] }],
  })
})

test('a package is read from its purl where there is one', () => {
  const purl = { packageURL: 'pkg:maven/org.apache.logging.log4j/log4j-core', collectionURL: 'https://acme.example' }
  expect(readContainers({ affected: [anEntry('Apache', 'Log4j', aRange('2.0', '2.15.0'), purl)] }).packages).toEqual([
    { type: 'maven', name: 'org.apache.logging.log4j:log4j-core', ranges: asRanges('maven >=2.0 <2.15.0') },
  ])
})

test('versions of a package are in the order of its ecosystem', () => {
  const entry = anEntry('Acme', 'Widget', aRange('1.0', '2.0'), {
    collectionURL: 'https://pypi.org',
    packageName: 'widget',
  })
  expect(readContainers({ affected: [entry] }).packages).toEqual([
    { type: 'pypi', name: 'widget', ranges: asRanges('pypi >=1.0 <2.0') },
  ])
})

test.each([
  ['https://access.redhat.com/downloads/content/package-browser/', 'kernel'],
  ['https://wordpress.org/themes', 'twenty'],
  ['not an address', 'widget'],
  ['https://www.npmjs.com', 'two words'],
  ['https://repo.maven.apache.org/maven2', 'widget'],
])('a name at %s as %s is no package', (collectionURL, packageName) => {
  expect(
    readContainers({ affected: [anEntry('Acme', 'Widget', aRange('0', '2.0'), { collectionURL, packageName })] }),
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

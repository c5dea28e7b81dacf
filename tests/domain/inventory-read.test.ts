import { expect, test } from 'vitest'
import { cyclonedxVersions } from '../../worker/inventories/read/cyclonedx'
import { BadDocument } from '../../worker/inventories/read/bad-document'
import { readAtOnce } from '../support/read-inventory'
import { cyclonedxMistakes } from '../support/bom-mistakes'
import { aJsonBom, anSpdx, anSpdx3, anSpdxText, anXmlBom, log4j } from '../support/boms'

const read = (document: unknown) => readAtOnce(typeof document === 'string' ? document : JSON.stringify(document))

function refusal(document: unknown) {
  try {
    read(document)
  } catch (error) {
    if (error instanceof BadDocument) return error.message
    throw error
  }
  return 'read'
}

const shop = {
  subject: 'shop 1.0',
  components: [
    {
      key: log4j,
      name: 'org.apache.logging.log4j/log4j-core',
      version: '2.14.1',
      purl: log4j,
      cpe: null,
      scope: 'required',
      licence: 'Apache-2.0',
      path: ['shop 1.0'],
    },
    {
      name: 'log4j-api',
      scope: 'optional',
      licence: null,
      path: ['shop 1.0', 'org.apache.logging.log4j/log4j-core 2.14.1'],
    },
    { key: 'no-names@3', purl: null, cpe: null },
    { key: 'cpe:2.3:o:linux:linux_kernel:5.10:*:*:*:*:*:*:*', version: '5.10' },
  ],
}

test.each(cyclonedxVersions)('CycloneDX %s is read from JSON and from XML, and cycles end', (version) => {
  expect(read(aJsonBom(version))).toMatchObject({ format: `CycloneDX ${version} JSON`, ...shop })
  expect(read(anXmlBom(version))).toMatchObject({ format: `CycloneDX ${version} XML`, ...shop })
})

test.each(['JSON', 'XML'])(
  'the subject of a document in %s is a component where it has a purl or a CPE name',
  (form) => {
    const bom = aJsonBom('1.6')
    const component = { ...bom.metadata.component, purl: 'pkg:npm/shop@1.0' }
    const xml = anXmlBom('1.6').replace('<version>1.0</version>', '<version>1.0</version><purl>pkg:npm/shop@1.0</purl>')
    const { components } = read(form === 'XML' ? xml : { ...bom, metadata: { component } })
    const named = components.find(({ name }) => name === 'shop')
    expect(named).toMatchObject({ key: 'pkg:npm/shop@1.0', version: '1.0' })
    expect(components.find(({ key }) => key === log4j)?.path).toEqual(['shop 1.0'])
  },
)

test.each(
  cyclonedxVersions.flatMap((version) =>
    cyclonedxMistakes.map(([name, spoil, place]) => ({ version, name, spoil, place })),
  ),
)('CycloneDX $version with $name is refused, as its schema does, with the path', ({ version, spoil, place }) => {
  expect(refusal(spoil(aJsonBom(version)))).toContain(place)
})

test.each(cyclonedxVersions)('CycloneDX %s in XML that breaks its schema is refused with the line', (version) => {
  const xml = anXmlBom(version)
  const line = /^line \d+, column \d+[:,] /
  const broken: [string, RegExp][] = [
    [xml.replace(/<name>[^<]*log4j-api<\/name>/, ''), line],
    [xml.replace('<component type="library"', '<component type="spoon"'), line],
    [xml.replace('<scope>optional</scope>', '<scope>sometimes</scope>'), line],
    [xml.replace(/bom\/1\.\d/, 'bom/1.9'), /^specVersion: CycloneDX 1.9 is not read/],
    [xml.replace('</bom>', ''), /Not XML/],
  ]
  for (const [text, reason] of broken) {
    expect(text).not.toBe(xml)
    expect(refusal(text)).toMatch(reason)
  }
})

test('a version is needed until 1.3 and not from 1.4 on, and types came with their versions', () => {
  const spoiled = (version: string, component: object) => ({ ...aJsonBom(version), components: [component] })
  const answers = cyclonedxVersions.map((version) => [
    refusal(spoiled(version, { type: 'library', name: 'a' })) === 'read',
    refusal(spoiled(version, { type: 'platform', name: 'a', version: '1' })) === 'read',
    refusal(spoiled(version, { type: 'cryptographic-asset', name: 'a', version: '1' })) === 'read',
  ])
  expect(answers.map((row) => row.map(Number).join(''))).toEqual(['000', '000', '100', '110', '111', '111'])
})

test('unknown fields are ignored, and repeated components are one', () => {
  const bom = aJsonBom('1.6')
  const [core] = bom.components
  const document = {
    ...bom,
    strange: [{ deep: [1] }],
    components: [{ ...core, odd: true, scope: 'optional' }, core, core],
  }
  const { components } = read(document)
  expect(components).toHaveLength(1)
  expect(components[0]).toMatchObject({ scope: 'required', path: ['shop 1.0'] })
})

const core = {
  name: 'log4j-core',
  version: '2.14.1',
  purl: log4j,
  cpe: 'cpe:2.3:a:apache:log4j:2.14.1:*:*:*:*:*:*:*',
  licence: 'Apache-2.0',
  path: ['shop 1.0'],
}

test.each(['SPDX-2.2', 'SPDX-2.3'])('%s is read from JSON and from tags and values', (version) => {
  const plain = version.replace('-', ' ')
  expect(read(anSpdx(version))).toMatchObject({ format: `${plain} JSON`, subject: 'shop 1.0', components: [core] })
  expect(read(anSpdxText(version))).toMatchObject({
    format: `${plain} tag-value`,
    subject: 'shop 1.0',
    components: [core],
  })
})

test.each(['SPDX-2.2', 'SPDX-2.3'])('%s that breaks its schema is refused with the path or the line', (version) => {
  const document = anSpdx(version)
  const [first] = document.packages
  expect(refusal({ ...document, packages: [{ ...first, name: 7 }] })).toContain('packages[0].name: ')
  expect(refusal({ ...document, packages: {} })).toContain('packages: Must be an array')
  const text = anSpdxText(version)
  expect(refusal(text.replace(/^PackageName: .*$/m, 'PackageName'))).toMatch(/^line \d+: /)
})

test('SPDX 3.0 is read from JSON-LD', () => {
  expect(read(anSpdx3())).toMatchObject({ format: 'SPDX 3.0 JSON-LD', subject: 'shop 1.0', components: [core] })
})

test('SPDX that breaks its schema is refused with the path or the line', () => {
  const document = anSpdx('SPDX-2.3')
  const { SPDXID: _, ...nameless } = document.packages[1] ?? {}
  expect(refusal({ ...document, packages: [nameless] })).toContain('packages[0].SPDXID: ')
  expect(refusal({ ...document, spdxVersion: 'SPDX-2.1' })).toContain('spdxVersion: SPDX-2.1 is not read')
  expect(refusal({ ...document, relationships: [{ spdxElementId: 'a' }] })).toContain('relationships[0].')
  expect(refusal({ ...document, creationInfo: 'me' })).toContain('creationInfo: ')
  expect(refusal(anSpdxText('SPDX-2.2').replace('SPDXRef-core\nPackageV', '\nPackageV'))).toMatch(
    /^line \d+: A package needs an SPDXID/,
  )
  expect(refusal(`SPDXVersion: SPDX-2.2\nno tag\n`)).toBe('line 2: Expected "Tag: value"')
  expect(refusal(`SPDXVersion: SPDX-2.2\nPackageName: a\nComment: <text>endless`)).toBe('line 3: A <text> does not end')
  const graph = anSpdx3()
  expect(refusal({ ...graph, '@context': 'https://example.org' })).toContain('@context: ')
  expect(refusal({ ...graph, '@graph': [{ type: 'software_Package', spdxId: 'a' }] })).toContain('@graph[0].name: ')
})

test('the source package that Trivy tells of beside a package of a distribution is looked for, too', () => {
  const purl = 'pkg:deb/debian/libssl3@3.0.11-1~deb12u2?arch=amd64&distro=debian-12.5'
  const properties = (fields: Record<string, string>) =>
    Object.entries(fields).map(([name, value]) => ({ name: `aquasecurity:trivy:${name}`, value }))
  const library = { type: 'library', name: 'libssl3', purl }
  const source = { SrcName: 'openssl', SrcVersion: '3.0.11', SrcRelease: '1~deb12u2' }
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    components: [
      { ...library, properties: properties(source) },
      { ...library, 'bom-ref': 'b', purl: `${purl}&more=1`, properties: properties({ ...source, SrcEpoch: '1' }) },
      { ...library, 'bom-ref': 'c', purl: 'pkg:maven/g/a@1', properties: properties(source) },
      { ...library, 'bom-ref': 'd', purl: 'pkg:apk/alpine/openssl@1', properties: 'not a list' },
    ],
  }
  expect(read(bom).components.map((one) => one.purl)).toEqual([
    'pkg:deb/debian/libssl3@3.0.11-1~deb12u2?arch=amd64&distro=debian-12.5&upstream=openssl',
    'pkg:deb/debian/libssl3@3.0.11-1~deb12u2?arch=amd64&distro=debian-12.5&more=1&upstream=openssl%401:3.0.11-1~deb12u2',
    'pkg:maven/g/a@1',
    'pkg:apk/alpine/openssl@1',
  ])
  const info = 'built package from: openssl 3.0.11-1~deb12u2'
  const spdx = anSpdx('SPDX-2.3')
  const names = [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }]
  const told = {
    SPDXID: 'SPDXRef-libssl',
    name: 'libssl3',
    downloadLocation: 'NONE',
    sourceInfo: info,
    externalRefs: names,
  }
  const own = (document: unknown) =>
    read(document).components.flatMap((one) => (one.purl?.includes('libssl3') ? one.purl : []))
  expect(own({ ...spdx, packages: [...spdx.packages, told] })).toEqual([`${purl}&upstream=openssl`])
  const tags = [
    'PackageName: libssl3',
    'SPDXID: SPDXRef-libssl',
    `PackageSourceInfo: ${info}`,
    `ExternalRef: PACKAGE-MANAGER purl ${purl}`,
  ]
  expect(own(`${anSpdxText('SPDX-2.3')}\n${tags.join('\n')}\n`)).toEqual([`${purl}&upstream=openssl`])
})

test('a module of Go is looked for in the letters of its name where the purl has none of them', () => {
  const library = (name: string, purl: string, more = {}) => ({ type: 'library', name, purl, ...more })
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    components: [
      library('github.com/Masterminds/goutils', 'pkg:golang/github.com/masterminds/goutils@v1.1.0?type=module#sub'),
      library('toml', 'pkg:golang/github.com/burntsushi/toml@v1.0', { group: 'github.com/BurntSushi' }),
      library('github.com/Other/toml', 'pkg:golang/github.com/burntsushi/toml@v2.0'),
      library('Lodash', 'pkg:npm/lodash@1'),
    ],
  }
  expect(read(bom).components.map((one) => one.purl)).toEqual([
    'pkg:golang/github.com/Masterminds/goutils@v1.1.0?type=module#sub',
    'pkg:golang/github.com/BurntSushi/toml@v1.0',
    'pkg:golang/github.com/burntsushi/toml@v2.0',
    'pkg:npm/lodash@1',
  ])
})

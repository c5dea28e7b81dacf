/** Bills of materials made by hand, one of each version, that name the same components. */

export const log4j = 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1'
const api = 'pkg:maven/org.apache.logging.log4j/log4j-api@2.14.1'

export function aJsonBom(specVersion: string) {
  return {
    bomFormat: 'CycloneDX',
    specVersion,
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': 'app', name: 'shop', version: '1.0' } },
    components: [
      {
        type: 'library',
        'bom-ref': 'core',
        group: 'org.apache.logging.log4j',
        name: 'log4j-core',
        version: '2.14.1',
        purl: log4j,
        scope: 'required',
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
      { type: 'library', 'bom-ref': 'api', name: 'log4j-api', version: '2.14.1', purl: api, scope: 'optional' },
      { type: 'application', 'bom-ref': 'own', name: 'no-names', version: '3' },
      {
        type: 'operating-system',
        'bom-ref': 'os',
        name: 'linux',
        version: '5.10',
        cpe: 'cpe:2.3:o:linux:linux_kernel:5.10:*:*:*:*:*:*:*',
      },
    ],
    dependencies: [
      { ref: 'app', dependsOn: ['core'] },
      { ref: 'core', dependsOn: ['api'] },
      { ref: 'api', dependsOn: ['core'] },
    ],
  }
}

export const anXmlBom = (specVersion: string) => `<?xml version="1.0" encoding="UTF-8"?>
<bom xmlns="http://cyclonedx.org/schema/bom/${specVersion}" version="1">
  <metadata><component type="application" bom-ref="app"><name>shop</name><version>1.0</version></component></metadata>
  <components>
    <component type="library" bom-ref="core">
      <group>org.apache.logging.log4j</group><name>log4j-core</name><version>2.14.1</version><scope>required</scope>
      <licenses><license><id>Apache-2.0</id></license></licenses>
      <purl>${log4j}</purl>
      <pedigree><ancestors><component type="library"><name>not-this</name><version>1</version></component></ancestors></pedigree>
    </component>
    <component type="library" bom-ref="api"><name>log4j-api</name><version>2.14.1</version><scope>optional</scope><purl>${api}</purl></component>
    <component type="application" bom-ref="own"><name>no-names</name><version>3</version></component>
    <component type="operating-system" bom-ref="os"><name>linux</name><version>5.10</version><cpe>cpe:2.3:o:linux:linux_kernel:5.10:*:*:*:*:*:*:*</cpe></component>
  </components>
  <dependencies>
    <dependency ref="app"><dependency ref="core"/></dependency>
    <dependency ref="core"><dependency ref="api"/></dependency>
    <dependency ref="api"><dependency ref="core"/></dependency>
  </dependencies>
</bom>`

export const anSpdx = (version: string) => ({
  spdxVersion: version,
  SPDXID: 'SPDXRef-DOCUMENT',
  name: 'shop',
  dataLicense: 'CC0-1.0',
  documentNamespace: 'https://example.org/shop',
  creationInfo: { created: '2026-01-01T00:00:00Z', creators: ['Tool: hand'] },
  packages: [
    { SPDXID: 'SPDXRef-app', name: 'shop', versionInfo: '1.0', downloadLocation: 'NOASSERTION' },
    {
      SPDXID: 'SPDXRef-core',
      name: 'log4j-core',
      versionInfo: '2.14.1',
      downloadLocation: 'NOASSERTION',
      licenseConcluded: 'NOASSERTION',
      licenseDeclared: 'Apache-2.0',
      externalRefs: [
        { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: log4j },
        {
          referenceCategory: 'SECURITY',
          referenceType: 'cpe23Type',
          referenceLocator: 'cpe:2.3:a:apache:log4j:2.14.1:*:*:*:*:*:*:*',
        },
      ],
    },
  ],
  relationships: [
    { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: 'SPDXRef-app' },
    { spdxElementId: 'SPDXRef-app', relationshipType: 'DEPENDS_ON', relatedSpdxElement: 'SPDXRef-core' },
  ],
})

export const anSpdxText = (version: string) => `SPDXVersion: ${version}
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: shop
# a comment: of the author
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-app

PackageName: shop
SPDXID: SPDXRef-app
PackageVersion: 1.0
PackageDescription: <text>Several
lines: with colons
</text>

PackageName: log4j-core
SPDXID: SPDXRef-core
PackageVersion: 2.14.1
PackageLicenseConcluded: NOASSERTION
PackageLicenseDeclared: Apache-2.0
ExternalRef: PACKAGE-MANAGER purl ${log4j}
ExternalRef: SECURITY cpe23Type cpe:2.3:a:apache:log4j:2.14.1:*:*:*:*:*:*:*
Relationship: SPDXRef-app DEPENDS_ON SPDXRef-core
`

export const anSpdx3 = () => ({
  '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
  '@graph': [
    { type: 'SpdxDocument', spdxId: 'urn:doc', rootElement: ['urn:app'] },
    { type: 'software_Package', spdxId: 'urn:app', name: 'shop', software_packageVersion: '1.0' },
    {
      type: 'software_Package',
      spdxId: 'urn:core',
      name: 'log4j-core',
      software_packageVersion: '2.14.1',
      externalIdentifier: [
        { type: 'ExternalIdentifier', externalIdentifierType: 'packageUrl', identifier: log4j },
        {
          type: 'ExternalIdentifier',
          externalIdentifierType: 'cpe23',
          identifier: 'cpe:2.3:a:apache:log4j:2.14.1:*:*:*:*:*:*:*',
        },
      ],
    },
    {
      type: 'simplelicensing_LicenseExpression',
      spdxId: 'urn:licence',
      simplelicensing_licenseExpression: 'Apache-2.0',
    },
    {
      type: 'Relationship',
      spdxId: 'urn:r1',
      from: 'urn:core',
      to: ['urn:licence'],
      relationshipType: 'hasDeclaredLicense',
    },
    { type: 'Relationship', spdxId: 'urn:r2', from: 'urn:app', to: ['urn:core'], relationshipType: 'dependsOn' },
  ],
})

import { expect, test } from 'vitest'
import { toBulletin } from '../../worker/feeds/csaf/bulletin'
import { CsafDocument } from '../../worker/feeds/csaf/document'
import { BulletinBody } from '../../worker/kb/bulletins/contract'
import { aCsaf, aCsafVuln } from '../support/csaf'
import { eachCase } from '../support/each-case'

// Real advisories, made small, and the bulletin of each.
const read = (given: Parameters<typeof aCsaf>[0]) =>
  BulletinBody.parse(JSON.parse(toBulletin(CsafDocument.parse(aCsaf(given)), 'https://cert.example/x.json').body))

type Branch = { category: string; name: string; branches?: Branch[]; product?: { product_id: string; name: string } }
const leaf = (category: string, name: string, product_id: string, fullName: string): Branch => ({
  category,
  name,
  product: { product_id, name: fullName },
})
const product = (name: string, ...branches: Branch[]): Branch => ({ category: 'product_name', name, branches })
const vendor = (...branches: Branch[]) => ({ branches: [{ category: 'vendor', name: 'Acme', branches }] })
const versions = (body: BulletinBody) => body.products.map((one) => `${one.product} ${one.version}`)
const affected = (...ids: string[]) =>
  aCsafVuln('CVE-2026-10001', { product_status: { known_affected: ids }, remediations: [] })

test('a fix is told for the products and CVEs that have it alone (ICSA-20-196-07)', () => {
  const fix = (product_ids: string[]) => ({ category: 'vendor_fix', details: 'Update to V8.4', product_ids })
  const { remediations } = read({
    product_tree: vendor(
      product(
        'Core',
        leaf('product_version', 'V8.2', 'P1', 'Core: V8.2'),
        leaf('product_version', 'V8.3', 'P2', 'Core: V8.3'),
      ),
    ),
    vulnerabilities: [
      aCsafVuln('CVE-2020-7576', { product_status: { known_affected: ['P1', 'P2'] }, remediations: [fix(['P1'])] }),
      aCsafVuln('CVE-2020-7577', { product_status: { known_affected: ['P1', 'P2'] }, remediations: [fix(['P2'])] }),
      aCsafVuln('CVE-2020-7578', { product_status: { known_affected: ['P1', 'P2'] }, remediations: [fix(['P2'])] }),
    ],
  })
  expect(remediations.map(({ cveids, products, count }) => [cveids, products, count])).toEqual([
    [['CVE-2020-7576'], [0], 1],
    [['CVE-2020-7577', 'CVE-2020-7578'], [1], 1],
  ])
})

test('a fix for products that are cut away is none for all, and some of each status are left (ICSA-24-235-03)', () => {
  const ids = Array.from({ length: 300 }, (_, at) => `P${at}`)
  const { products, vulns, remediations } = read({
    product_tree: vendor(
      product('Widget', ...ids.map((id) => leaf('product_version', `${id} ${'x'.repeat(400)}`, id, id))),
    ),
    vulnerabilities: [
      aCsafVuln('CVE-2023-34873', {
        product_status: { known_affected: ids.slice(0, 250), fixed: ids.slice(250) },
        remediations: [{ category: 'vendor_fix', details: 'Update', product_ids: ids.slice(250) }],
      }),
    ],
  })
  expect(products.length).toBeLessThan(250)
  expect(remediations[0]?.products.length).toBeGreaterThan(5)
  expect(remediations[0]).toMatchObject({ count: 50 })
  // Some of each status are left.
  expect(vulns[0]?.statuses.map(({ status, products: places, count }) => [status, places.length > 5, count])).toEqual([
    ['affected', true, 250],
    ['fixed', true, 50],
  ])
})

test('the products of a fix may stand in groups, or have no status', () => {
  const tree = vendor(
    product('Widget', ...['1', '2', '3'].map((at) => leaf('product_version', at, `P${at}`, `Widget ${at}`))),
  )
  const remedy = { category: 'none_available', details: 'Wait' }
  const { products, remediations } = read({
    product_tree: { ...tree, product_groups: [{ group_id: 'G', product_ids: ['P2', 'P3'] }] },
    vulnerabilities: [
      aCsafVuln('CVE-2026-10001', {
        product_status: { known_affected: ['P1', 'P2'] },
        remediations: [
          { ...remedy, group_ids: ['G'] },
          { ...remedy, product_ids: ['Gone'] },
        ],
      }),
    ],
  })
  expect(products).toHaveLength(3)
  expect(remediations.map(({ products: places, count }) => [places, count])).toEqual([
    [[1, 2], 2],
    [[], 1],
  ])
})

test('a fix of what has no CVE names that', () => {
  const noCve = { cve: undefined, ids: [{ system_name: 'x', text: 'X-1' }] }
  const { remediations } = read({
    vulnerabilities: [
      aCsafVuln(),
      aCsafVuln('', { ...noCve, remediations: [{ category: 'mitigation', details: 'Wait' }] }),
    ],
  })
  expect(remediations.map(({ cveids }) => cveids)).toEqual([['CVE-2026-10001'], ['X-1']])
})

test('a number that only the full name has is told (ICSA-20-317-01, LinkOne 3.20, ICSA-21-350-07)', () => {
  const body = read({
    product_tree: vendor(
      product(
        'R00 CPU',
        leaf('product_version_range', '>= 05 | <=10', 'P1', 'R00 CPU: Firmware versions from 05 to 19'),
      ),
      product('LinkOne', leaf('product_version', '3.2', 'P2', 'LinkOne: v3.20')),
      product('Q100', leaf('product_version_range', '< V2.41', 'P3', 'Q100 (7KG9501-0AA01-0AA1)')),
      product('Cscape', leaf('product_version_range', '<= 9.80 SP4', 'P4', 'Cscape: 9.80 SP4 and prior')),
    ),
    vulnerabilities: [affected('P1', 'P2', 'P3', 'P4')],
  })
  expect(versions(body)).toEqual([
    'R00 CPU >= 05 | <=10 (Firmware versions from 05 to 19)',
    'LinkOne 3.2 (v3.20)',
    'Q100 < V2.41 (7KG9501-0AA01-0AA1)',
    'Cscape <= 9.80 SP4',
  ])
})

test.each([
  ['vers:all/*', 'all versions'],
  ['vers:all/<V2.9.7', '<V2.9.7'],
  ['vers:generic/>=1.0|<2.0', '>=1.0|<2.0'],
  ['versions before 2', 'versions before 2'],
])('the range %s reads "%s"', (range, words) => {
  const tree = vendor(product('Widget', leaf('product_version_range', range, 'P1', 'Widget')))
  expect(read({ product_tree: tree, vulnerabilities: [affected('P1')] }).products[0]?.version).toBe(words)
})

test('patch levels are versions of their own: one may be fixed where the other is not', () => {
  const at = (level: string, id: string): Branch => leaf('patch_level', level, id, `Widget 1.0 patch ${level}`)
  const tree = vendor(
    product('Widget', { category: 'product_version', name: '1.0', branches: [at('1', 'P1'), at('2', 'P2')] }),
  )
  const vuln = aCsafVuln('CVE-2026-10001', {
    product_status: { known_affected: ['P1'], fixed: ['P2'] },
    remediations: [],
  })
  const body = read({ product_tree: tree, vulnerabilities: [vuln] })
  expect(versions(body)).toEqual(['Widget 1.0 1', 'Widget 1.0 2'])
  expect(body.vulns[0]?.statuses.map(({ status, products }) => [status, products])).toEqual([
    ['affected', [0]],
    ['fixed', [1]],
  ])
})

test('firmware that is installed on a device is named beside it (ICSA-24-235-03), in any order', () => {
  const relate = (id: string, part: string, whole: string, name: string) => ({
    category: 'installed_on',
    product_reference: part,
    relates_to_product_reference: whole,
    full_product_name: { product_id: id, name },
  })
  const family: Branch = {
    category: 'product_family',
    name: 'P3',
    branches: [leaf('product_name', 'D24M', 'D', 'Acme P3 D24M')],
  }
  const body = read({
    product_tree: {
      ...vendor(family, product('P3 Firmware', leaf('product_version', 'MX-V4.0', 'F', 'Acme P3 Firmware MX-V4.0'))),
      relationships: [
        relate('FDX', 'X', 'FD', 'X in it'),
        relate('FD', 'F', 'D', 'Acme P3 Firmware MX-V4.0 installed on Acme P3 D24M'),
        relate('X', 'F', 'X', 'a part of itself'),
      ],
    },
    vulnerabilities: [affected('FD', 'FDX')],
  })
  expect(body.products).toEqual([
    { vendor: 'Acme', product: 'P3 D24M', version: 'P3 Firmware MX-V4.0' },
    { vendor: 'Acme', product: 'P3 D24M', version: '' },
  ])
})

test('exploitation is told, and each impact and reason with its products (RHBA-2025:1079, OASIS use case 8)', () => {
  const [vuln] = read({
    vulnerabilities: [
      aCsafVuln('CVE-2021-44228', {
        product_status: { known_not_affected: ['P1', 'P2'] },
        flags: [{ label: 'component_not_present', product_ids: ['P1'] }],
        threats: [
          { category: 'exploit_status', details: 'In the catalogue of CISA' },
          { category: 'impact', details: 'Removed before shipping', product_ids: ['P1'] },
          { category: 'impact', details: 'Never included', product_ids: ['P2'] },
        ],
        remediations: [],
      }),
    ],
  }).vulns
  expect(vuln).toMatchObject({
    impact: null,
    justifications: [{ label: 'component_not_present', products: [0], count: 1 }],
    threats: [
      { category: 'exploit_status', details: 'In the catalogue of CISA', products: [], count: 0 },
      { category: 'impact', details: 'Removed before shipping', products: [0], count: 1 },
      { category: 'impact', details: 'Never included', products: [1], count: 1 },
    ],
  })
})

test("all that is said of a flaw is its note: Red Hat's statement, too, and no title twice", () => {
  const title = 'jquery: Untrusted code execution'
  const notes = [
    { category: 'description', text: 'A flaw was found in jQuery.', title: 'Vulnerability description' },
    { category: 'summary', text: title, title: 'Vulnerability summary' },
    { category: 'other', text: 'PCS does not accept untrusted input.', title: 'Statement' },
    { category: 'general', text: 'The CVSS score(s) listed …', title: 'CVSS score applicability' },
  ]
  const body = read({ vulnerabilities: [aCsafVuln('CVE-2020-11023', { title, notes })] })
  expect(body.vulns[0]?.note).toBe('A flaw was found in jQuery.\n\nStatement: PCS does not accept untrusted input.')
})

test('credits, restarts and references of a flaw are told', () => {
  const { acknowledgments, remediations, references } = read({
    document: {
      acknowledgments: [
        { organization: 'BSI', summary: 'coordinating' },
        { names: ['Jane', 'Joe'], organization: 'Acme' },
      ],
      references: [{ category: 'self', summary: 'Web', url: 'https://cert.example/x' }],
    },
    vulnerabilities: [
      aCsafVuln('CVE-2026-10001', {
        acknowledgments: [{ names: ['Jane', 'Joe'], organization: 'Acme' }, {}],
        references: [
          { category: 'external', summary: 'CVE', url: 'https://www.cve.org/CVERecord?id=CVE-2026-10001' },
          { category: 'external', summary: 'Web', url: 'https://cert.example/x' },
          { category: 'external', summary: 'bz#1', url: 'https://bugs.example/1' },
        ],
        remediations: [{ category: 'vendor_fix', details: 'Update', restart_required: { category: 'machine' } }],
      }),
    ],
  })
  expect(acknowledgments).toEqual(['BSI: coordinating', 'Jane, Joe (Acme)'])
  expect(remediations[0]?.restart).toBe('machine')
  expect(references.map(({ summary }) => summary)).toEqual(['Web', 'bz#1'])
})

test('groups that name each other’s thousands again and again are refused', () => {
  const product_ids = Array.from({ length: 1_000 }, (_, at) => `P${at}`)
  const remediations = [
    { category: 'mitigation', details: 'Wait', group_ids: Array.from({ length: 1_000 }, () => 'G') },
  ]
  expect(() =>
    read({
      product_tree: { ...vendor(), product_groups: [{ group_id: 'G', product_ids }] },
      vulnerabilities: [aCsafVuln('CVE-2026-10001', { remediations })],
    }),
  ).toThrow('Groups name more than 500000 products')
})

eachCase<[Parameters<typeof aCsaf>[0]]>({
  'a name of a megabyte': [
    { product_tree: vendor(product('W'.repeat(1_000_000), leaf('product_version', '1', 'P1', 'W 1'))) },
  ],
  'hundreds of remedies for hundreds of CVEs': [
    {
      vulnerabilities: Array.from({ length: 400 }, (_, at) =>
        aCsafVuln(`CVE-2026-${10000 + at}`, {
          remediations: Array.from({ length: 100 }, (__, other) => ({
            category: 'mitigation',
            details: `${at % 2} ${other}`,
          })),
        }),
      ),
    },
  ],
  'addresses of megabytes': [{ document: { references: [{ url: `https://a.example/${'x'.repeat(1_000_000)}` }] } }],
})('%s are kept below 60 kB', (given) => expect(JSON.stringify(read(given)).length).toBeLessThanOrEqual(60_000))

test('a document that remains too long is refused, and a score that breaks the rules is left out', () => {
  const document = { tracking: { ...aCsaf().document.tracking, status: 'x'.repeat(100_000) } }
  expect(() => read({ document })).toThrow('Its texts are longer than 60000 bytes')
  const scores = [{ cvss_v3: { baseScore: 'high' } }, { cvss_v3: { baseScore: 5, vectorString: '' } }]
  expect(read({ vulnerabilities: [aCsafVuln('CVE-2026-10001', { scores })] }).vulns[0]?.cvss?.score).toBe(5)
})

test('weaknesses and scores of CSAF 2.1 are read, too', () => {
  const { cwe: _, scores: __, ...vuln } = aCsafVuln()
  const content = { cvss_v4: { version: '4.0', baseScore: 9.3, vectorString: 'CVSS:4.0/AV:N' } }
  const body = read({
    vulnerabilities: [{ ...vuln, cwes: [{ id: 'CWE-79' }], metrics: [{ content, products: ['P1'] }] }],
  })
  expect(body.vulns[0]).toMatchObject({ cwe_id: 'CWE-79', cvss: { version: 4, score: 9.3 } })
})

import { expect, test } from 'vitest'
import { aCsaf, aCsafVuln } from '../support/csaf'
import { eachTest } from './support/each-test'
import { aCsafScene, cert } from './support/csaf-scene'

const scene = eachTest(aCsafScene)

test('an advisory becomes a bulletin of the vendor it speaks of, with what it says of each CVE', async () => {
  const { publish, sync, findDetail } = scene
  publish(cert, [['2026/acsa-26-001.json', '2026-11-10T06:00:00Z', aCsaf()]])
  expect(await sync()).toMatchObject({ state: 'idle', records: 3, changed: 3, skipped: 0, last_error: null })

  const detail = await findDetail('ACSA-26-001')
  expect(detail).toMatchObject({
    publicid: 'ACSA-26-001',
    source: 'cert',
    vendor: 'Acme',
    title: 'Acme Widget',
    severity: 'High',
    impact: 'An attacker could stop the widget.',
    link: 'https://cert.example/ACSA-26-001',
    published: '2026-11-01T06:00:00Z',
    modified: '2026-11-10T06:00:00Z',
    monitored: false,
    vulns: [{ cveid: 'CVE-2026-10001', id: null, score: null, state: null }],
  })
  expect(detail.body).toEqual({
    category: 'csaf_security_advisory',
    publisher: 'CERT',
    status: 'final',
    version: '1',
    notes: [
      { category: 'summary', title: 'Risk evaluation', text: 'An attacker could stop the widget.' },
      { category: 'general', title: 'Recommended Practices', text: 'Keep it off the internet.\nUse a VPN.' },
    ],
    products: [
      { vendor: 'Acme', product: 'Widget', version: '<2.0' },
      { vendor: 'Acme', product: 'Widget', version: '2.0' },
    ],
    products_count: 2,
    vulns: [
      {
        cveid: 'CVE-2026-10001',
        title: null,
        cwe_id: 'CWE-79',
        cvss: { version: 3, score: 7.5, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H' },
        impact: null,
        note: 'What CVE-2026-10001 does.',
        statuses: [
          { status: 'affected', products: [0], count: 1 },
          { status: 'fixed', products: [1], count: 1 },
        ],
        justifications: [],
        threats: [],
      },
    ],
    vulns_count: 1,
    remediations: [
      {
        category: 'vendor_fix',
        details: 'Update to 2.0',
        url: 'https://acme.example/2.0',
        restart: null,
        cveids: [],
        products: [0],
        count: 1,
      },
    ],
    remediations_count: 1,
    acknowledgments: [],
    references: [
      { summary: 'JSON', url: 'https://cert.example/ACSA-26-001.json' },
      { summary: 'Web', url: 'https://cert.example/ACSA-26-001' },
      { summary: 'Vendor', url: 'https://acme.example/advisory' },
    ],
  })
})

test('severity is what the vendor says, else the band of the highest score', async () => {
  const { publish, sync, list } = scene
  const scored = (...scores: unknown[]) => [aCsafVuln('CVE-2026-10001', { scores })]
  const v3 = (baseScore: number) => ({ cvss_v3: { baseScore, vectorString: '' } })
  publish(cert, [
    [
      '2026/a.json',
      '2026-11-10T06:00:00Z',
      aCsaf({ id: 'A', document: { aggregate_severity: { text: 'Important' } } }),
    ],
    ['2026/b.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'B', vulnerabilities: scored(v3(5), v3(9.8)) })],
    [
      '2026/c.json',
      '2026-11-10T06:00:00Z',
      aCsaf({ id: 'C', vulnerabilities: scored({ cvss_v2: { baseScore: 10 } }) }),
    ],
    ['2026/d.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'D', vulnerabilities: [] })],
  ])
  await sync()
  const { results } = await list({ search: 'acme' })
  expect(Object.fromEntries(results.map(({ publicid, severity }) => [publicid, severity]))).toEqual({
    A: 'Important',
    B: 'Critical',
    C: 'High',
    D: null,
    FIRST: 'High',
  })
})

test('a package as part of a platform is that platform with the package as its version, once for all architectures', async () => {
  const { publish, sync, findDetail } = scene
  const arch = (name: string) => ({
    category: 'architecture',
    name,
    branches: [
      { category: 'product_version', name: `git-0:2.1.${name}`, product: { product_id: `git.${name}`, name: 'git' } },
    ],
  })
  const part = (name: string) => ({
    category: 'default_component_of',
    product_reference: `git.${name}`,
    relates_to_product_reference: 'EL',
    full_product_name: { product_id: `EL:git.${name}`, name: 'git in EL' },
  })
  const platform = { category: 'product_name', name: 'Linux 9', product: { product_id: 'EL', name: 'Linux 9' } }
  const product_tree = {
    branches: [{ category: 'vendor', name: 'Hat', branches: [platform, arch('x86_64'), arch('aarch64')] }],
    relationships: [part('x86_64'), part('aarch64')],
  }
  const vuln = aCsafVuln('CVE-2026-10001', {
    product_status: { fixed: ['EL:git.x86_64', 'EL:git.aarch64'] },
    threats: [{ category: 'impact', details: 'Moderate' }],
    remediations: [],
  })
  publish(cert, [['2026/x.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'X', product_tree, vulnerabilities: [vuln] })]])
  await sync()
  const { vendor: named, body } = await findDetail('X')
  expect(named).toBe('Hat')
  expect(body.products).toEqual([{ vendor: 'Hat', product: 'Linux 9', version: 'git-0:2.1' }])
  expect(body.vulns[0]).toMatchObject({ impact: 'Moderate', statuses: [{ status: 'fixed', products: [0], count: 1 }] })
})

test('a VEX document says why products are not affected; several vendors are all named', async () => {
  const { publish, sync, findDetail } = scene
  const branch = (vendor_name: string) => ({
    category: 'vendor',
    name: vendor_name,
    product: { product_id: vendor_name, name: `${vendor_name} thing` },
  })
  const vuln = aCsafVuln('CVE-2026-10001', {
    cve: undefined,
    ids: [{ system_name: 'x', text: 'X-1' }],
    product_status: { known_not_affected: ['A'], under_investigation: ['B', 'C', 'D', 'E'] },
    flags: [{ label: 'vulnerable_code_not_present', product_ids: ['A'] }],
  })
  const document = aCsaf({
    id: 'X',
    document: { category: 'csaf_vex' },
    product_tree: { branches: ['A', 'B', 'C', 'D', 'E'].map(branch) },
    vulnerabilities: [vuln],
  })
  publish(cert, [['2026/x.json', '2026-11-10T06:00:00Z', document]])
  await sync()
  const detail = await findDetail('X')
  expect(detail.vendor).toBe('A, B, C and 2 more')
  expect(detail.vulns).toEqual([])
  expect(detail.body.vulns[0]).toMatchObject({
    cveid: null,
    title: 'X-1',
    justifications: [{ label: 'vulnerable_code_not_present', products: [0], count: 1 }],
    statuses: [
      { status: 'not_affected', products: [0], count: 1 },
      { status: 'under_investigation', products: [1, 2, 3, 4], count: 4 },
    ],
  })
})

test('the CVEs with the highest score come first, and the remedy for some of them names these', async () => {
  const { publish, sync, findDetail } = scene
  const scored = (cve: string, baseScore: number, details: string) =>
    aCsafVuln(cve, {
      scores: [{ cvss_v3: { baseScore } }],
      remediations: [
        { category: 'vendor_fix', details, product_ids: ['P1'] },
        { category: 'mitigation', details: 'Wait', product_ids: [] },
      ],
    })
  const vulnerabilities = [scored('CVE-2026-10001', 5, 'Update'), scored('CVE-2026-10002', 9.8, 'Replace')]
  publish(cert, [['2026/x.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'X', vulnerabilities })]])
  await sync()
  const { body } = await findDetail('X')
  expect(body.vulns.map(({ cveid }) => cveid)).toEqual(['CVE-2026-10002', 'CVE-2026-10001'])
  expect(body.remediations.map(({ details, cveids }) => [details, cveids])).toEqual([
    ['Update', ['CVE-2026-10001']],
    ['Wait', []],
    ['Replace', ['CVE-2026-10002']],
  ])
})

test('a huge document is kept below 60 kB, and tells how much there was', async () => {
  const { world, publish, sync, findDetail } = scene
  const branches = Array.from({ length: 900 }, (_, at) => ({
    category: 'product_version',
    name: `version ${at} ${'x'.repeat(60)}`,
    product: { product_id: `P${at}`, name: `P${at}` },
  }))
  const ids = branches.map(({ product }) => product.product_id)
  const vulnerabilities = Array.from({ length: 400 }, (_, at) =>
    aCsafVuln(`CVE-2026-${10000 + at}`, {
      product_status: { known_affected: ids },
      remediations: [{ category: 'mitigation', details: 'Wait. '.repeat(800), product_ids: ids }],
    }),
  )
  publish(cert, [
    ['2026/x.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'X', product_tree: { branches }, vulnerabilities })],
  ])
  expect(await sync()).toMatchObject({ skipped: 0 })
  const [stored] = await world.sql<{ bytes: number }>`SELECT length(body) AS bytes FROM bulletins
    WHERE publicid = 'X'`
  expect(stored?.bytes).toBeLessThan(61_000)
  const { body, vulns } = await findDetail('X')
  expect(vulns).toHaveLength(400)
  expect(body).toMatchObject({ products_count: 900, vulns_count: 400 })
  expect(body.vulns.length).toBeGreaterThan(50)
  expect(body.vulns[0]?.statuses[0]?.count).toBe(900)
  expect(Math.max(...(body.vulns[0]?.statuses[0]?.products ?? []))).toBeLessThan(body.products.length)
})

import { expect, test } from 'vitest'
import { vexJustifications } from '../../worker/domain/decisions/vex'
import { writeCsafVex } from '../../worker/inventories/vex/csaf-vex'
import { writeCyclonedxVex } from '../../worker/inventories/vex/cyclonedx-vex'
import { writeOpenvex } from '../../worker/inventories/vex/openvex'
import { readVex } from '../../worker/inventories/vex/read-vex'
import type { VexStatement } from '../../worker/inventories/vex/statement'
import { growth, mostGrowth } from '../support/growth'
import { aStatement, vexComponent as component, vexSubject as subject } from '../support/vex-statement'
import { eachCase } from '../support/each-case'

const writers = { cyclonedx: writeCyclonedxVex, openvex: writeOpenvex, csaf: writeCsafVex }

test.each(Object.entries(writers))('a document written as %s says the same when it is read', (_, write) => {
  const every: VexStatement[] = [
    ...vexJustifications.map((justification, at) =>
      aStatement({
        vuln_id: at,
        cveid: `CVE-2026-1000${at}`,
        status: 'not_affected',
        justification,
        note: `Why: ${at}`,
      }),
    ),
    aStatement({ cveid: 'CVE-2026-20001', note: 'Wait for spring' }),
    aStatement({ cveid: 'CVE-2026-20002', status: 'fixed', fixed_in: null }),
    aStatement({ cveid: 'CVE-2026-20003', status: 'under_investigation', fixed_in: null }),
  ]
  const { author, proposals } = readVex(JSON.stringify(write(subject, every)))
  expect(author).toBe('Acme')
  const told = proposals.map(({ vulns, status, justification, note, products }) => ({
    name: vulns[0],
    status,
    justification,
    hasNote: note !== null,
    isNamed: products.includes(component.purl),
  }))
  expect(told.toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1))).toEqual(
    every.map(({ cveid, status, justification, note }) => ({
      name: cveid,
      status,
      justification,
      hasNote: note !== null,
      isNamed: true,
    })),
  )
  expect(proposals.flatMap(({ note }) => note ?? []).toSorted()).toEqual([
    'Wait for spring',
    ...vexJustifications.map((__, at) => `Why: ${at}`),
  ])
})

test('CSAF names products by groups, and its first and last ones are affected, too', () => {
  const tree = {
    full_product_names: ['a', 'b', 'c', 'd'].map((product_id): object => ({
      product_id,
      name: product_id,
      product_identification_helper: { purl: `pkg:npm/${product_id}@1` },
    })),
    product_groups: [{ group_id: 'g', product_ids: ['a', 'b'] }],
    branches: [{ branches: [{ product: { product_id: 'e', name: 'Widget 1' } }] }],
    relationships: [{ product_reference: 'c', full_product_name: { product_id: 'f', name: 'c in Widget 1' } }],
  }
  const vulnerability = {
    ids: [{ text: 'ACME-1' }, { text: 'CVE-2026-1' }],
    product_status: {
      known_not_affected: ['a', 'b'],
      last_affected: ['c'],
      first_fixed: ['d'],
      recommended: ['d'],
      under_investigation: ['e', 'f'],
    },
    flags: [{ label: 'component_not_present', group_ids: ['g'] }],
    threats: [
      { category: 'exploit_status', details: 'None', product_ids: ['a'] },
      { category: 'impact', details: 'Not built in', group_ids: ['g'] },
    ],
    remediations: [{ category: 'workaround', details: 'Turn it off', product_ids: ['c'] }],
  }
  const document = { category: 'csaf_vex', publisher: { name: 'Acme' } }
  const said = readVex(JSON.stringify({ document, product_tree: tree, vulnerabilities: [vulnerability] }))
  const vulns = ['ACME-1', 'CVE-2026-1']
  const absent = { vulns, status: 'not_affected', justification: 'component_not_present', note: 'Not built in' }
  const plain = { vulns, justification: null }
  expect(said.proposals).toEqual([
    { ...absent, products: ['pkg:npm/a@1'] },
    { ...absent, products: ['pkg:npm/b@1'] },
    { ...plain, products: ['Widget 1'], status: 'under_investigation', note: null },
    { ...plain, products: ['pkg:npm/c@1'], status: 'under_investigation', note: null },
    { ...plain, products: ['pkg:npm/c@1'], status: 'affected', note: 'Turn it off' },
    { ...plain, products: ['pkg:npm/d@1'], status: 'fixed', note: null },
  ])
})

test('CycloneDX names parts by links into other documents, inside of parts, and in some of their versions', () => {
  const vulnerabilities = [
    {
      id: 'CVE-2026-1',
      analysis: { state: 'exploitable' },
      recommendation: 'Upgrade',
      affects: [
        { ref: 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#pkg%3Anpm%2Fa%401' },
        {
          ref: 'inner',
          versions: [{ version: '1' }, { version: '2', status: 'unaffected' }, { range: 'vers:npm/>3' }],
        },
        { ref: 'app' },
      ],
    },
    { references: [{ id: 'GHSA-1' }], analysis: { state: 'in_triage' }, affects: [{ ref: 'nobody' }] },
    { id: 'CVE-2026-2', affects: [{ ref: 'app' }] },
  ]
  const document = {
    bomFormat: 'CycloneDX',
    metadata: { manufacture: { name: 'Acme' }, component: { 'bom-ref': 'app', purl: 'pkg:npm/app@1' } },
    components: [
      {
        'bom-ref': 'outer',
        components: [{ 'bom-ref': 'inner', purl: 'pkg:npm/b', cpe: 'cpe:2.3:a:b:b:*:*:*:*:*:*:*:*' }],
      },
    ],
    vulnerabilities,
  }
  expect(readVex(JSON.stringify(document))).toEqual({
    author: 'Acme',
    proposals: [
      {
        vulns: ['CVE-2026-1'],
        products: ['pkg:npm/a@1', 'pkg:npm/b@1', 'pkg:npm/app@1'],
        status: 'affected',
        justification: null,
        note: 'Upgrade',
      },
      { vulns: ['GHSA-1'], products: ['nobody'], status: 'under_investigation', justification: null, note: null },
    ],
  })
})

eachCase<[(size: number) => object]>({
  'groups that name one product again and again': [
    (size) => ({
      product_tree: { product_groups: [{ group_id: 'g', product_ids: Array.from({ length: size * 8 }, () => 'a') }] },
      vulnerabilities: [],
    }),
  ],
  'flags that name one product again and again': [
    (size) => ({
      product_tree: {},
      vulnerabilities: [
        {
          product_status: { fixed: Array.from({ length: size / 16 }, () => 'a') },
          flags: Array.from({ length: size }, (_, at) => ({ label: 'x', product_ids: [`b${at}`] })),
        },
      ],
    }),
  ],
})('%s cost no more than they are long', (more) => {
  const size = 64_000
  const documents = new Map(
    [size / 16, size].map((length) => [
      length,
      JSON.stringify({ document: { category: 'csaf_vex', publisher: { name: 'Acme' } }, ...more(length) }),
    ]),
  )
  expect(growth((length) => readVex(documents.get(length) ?? ''), size)).toBeLessThan(mostGrowth)
})

import { expect, test } from 'vitest'
import { writeCsafVex } from '../../worker/inventories/vex/csaf-vex'
import { writeCyclonedxVex } from '../../worker/inventories/vex/cyclonedx-vex'
import { writeOpenvex } from '../../worker/inventories/vex/openvex'
import type { VexStatement } from '../../worker/inventories/vex/statement'
import { csafErrors, cyclonedxErrors, hasSchemas, openvexErrors } from '../support/json-schemas'

const subject = {
  name: 'shop',
  page: 'https://earshot.example/monitoring/inventories/shop',
  author: 'Acme',
  now: '2026-11-20T12:00:00Z',
}
const component = {
  id: 1,
  name: 'log4j-core',
  version: '2.14.1',
  purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1',
  cpe: null,
}
const bare = { id: 2, name: 'no names', version: null, purl: null, cpe: null }
const named = {
  id: 3,
  name: 'kernel',
  version: '5.10',
  purl: null,
  cpe: 'cpe:2.3:o:linux:linux_kernel:5.10:*:*:*:*:*:*:*',
}
const aStatement = (given: Partial<VexStatement>): VexStatement => ({
  vuln_id: 1,
  cveid: 'CVE-2021-44228',
  summary: 'A flaw',
  component,
  status: 'affected',
  justification: null,
  note: null,
  fixed_in: '2.15.0',
  at: '2026-11-19T12:00:00Z',
  ...given,
})
const statements = [
  aStatement({}),
  aStatement({
    component: bare,
    status: 'not_affected',
    justification: 'vulnerable_code_not_present',
    note: 'The class is removed',
  }),
  aStatement({ component: named, status: 'not_affected', note: 'No network' }),
  aStatement({ vuln_id: 2, cveid: 'GHSA-jfh8-c2jp-5v3q', status: 'under_investigation', fixed_in: null }),
  aStatement({ vuln_id: 3, cveid: null, status: 'fixed', summary: '' }),
  aStatement({ vuln_id: 4, cveid: 'CVE-2021-45046', fixed_in: null, component: named }),
]

test.runIf(hasSchemas)('each format is valid by its official schema', () => {
  const read = (document: unknown) => JSON.parse(JSON.stringify(document)) as unknown
  expect(cyclonedxErrors('1.6', read(writeCyclonedxVex(subject, statements)))).toEqual([])
  expect(openvexErrors(read(writeOpenvex(subject, statements)))).toEqual([])
  expect(csafErrors(read(writeCsafVex(subject, statements)))).toEqual([])
})

test('what CSAF demands beyond its schema holds (section 6.1)', () => {
  const { product_tree, vulnerabilities, document } = writeCsafVex(subject, statements)
  const defined = product_tree.full_product_names.map(({ product_id }) => product_id)
  // 6.1.2: each product is defined once. 6.1.23: each CVE stands once.
  expect(new Set(defined).size).toBe(defined.length)
  const cves = vulnerabilities.flatMap((one) => ('cve' in one ? [one.cve] : []))
  expect(new Set(cves).size).toBe(cves.length)
  for (const one of vulnerabilities) {
    const listed = Object.values(one.product_status).flat()
    const told = (parts: { product_ids: string[] }[] | 0 | undefined) =>
      (parts || []).flatMap(({ product_ids }) => product_ids)
    // 6.1.1: what is named is defined. 6.1.6: a product has one status.
    for (const id of [...listed, ...told(one.flags), ...told(one.threats), ...told(one.remediations)])
      expect(defined).toContain(id)
    expect(new Set(listed).size).toBe(listed.length)
    // 6.1.27.7 to 10: a status, an id, an impact of what is not affected, an action for what is.
    expect(listed.length).toBeGreaterThan(0)
    expect('cve' in one || 'ids' in one).toBe(true)
    const lists = one.product_status as Record<string, string[] | undefined>
    for (const id of lists['known_not_affected'] ?? []) expect([...told(one.flags), ...told(one.threats)]).toContain(id)
    for (const id of lists['known_affected'] ?? []) expect(told(one.remediations)).toContain(id)
  }
  // 6.1.16 and 6.1.30: the version is that of the newest revision.
  expect(document.tracking.version).toBe(document.tracking.revision_history.at(-1)?.number)
})

test.skipIf(hasSchemas)('the official schemas are not here: nothing was validated', () => {
  expect(hasSchemas).toBe(false)
})

import fc from 'fast-check'
import { vexJustifications, vexStatuses } from '../../worker/domain/decisions/vex'
import { settleStatements, type VexStatement } from '../../worker/inventories/vex/statement'

export const vexSubject = {
  name: 'shop',
  page: 'https://earshot.example/monitoring/inventories/shop',
  author: 'Acme',
  now: '2026-11-20T12:00:00Z',
}

export const vexComponent = {
  id: 1,
  name: 'log4j-core',
  version: '2.14.1',
  purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1',
  cpe: null,
}

export const aStatement = (given: Partial<VexStatement>): VexStatement => ({
  vuln_id: 1,
  cveid: 'CVE-2021-44228',
  summary: 'A flaw',
  component: vexComponent,
  status: 'affected',
  justification: null,
  note: null,
  fixed_in: '2.15.0',
  at: '2026-11-19T12:00:00Z',
  ...given,
})

const bare = { id: 2, name: 'no names', version: null, purl: null, cpe: null }
const named = {
  id: 3,
  name: 'kernel',
  version: '5.10',
  purl: null,
  cpe: 'cpe:2.3:o:linux:linux_kernel:5.10:*:*:*:*:*:*:*',
}
/** One of each kind of decision and component. */
export const vexStatements = [
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

const text = fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom('', ' ', 'ä "x"', '\u0001', 'a/b c%', '<&>'))
const purl = fc.oneof(
  fc.constantFrom(
    vexComponent.purl,
    'pkg:npm/%40acme/widget@1.0#sub/dir',
    'pkg:deb/debian/openssl@3.0.11-1?distro=debian-12&epoch=1',
    'pkg:npm/two words@1',
    'pkg:generic/x@1#a#b',
    'pkg:npm/??@1',
    'PKG:npm/x',
    'pkg://npm/x',
    'not a purl',
  ),
  text.map((name) => `pkg:npm/${name}@1`),
)
const cpe = fc.constantFrom(
  named.cpe,
  'cpe:/a:acme:widget:1.0',
  'cpe:2.3:a:acme:wi dget:1',
  'no cpe',
  'cpe:2.3:a:ä:b:*:*:*:*:*:*:*:*',
)
const aPart = fc.record({
  id: fc.integer({ min: 1, max: 4 }),
  name: text.filter((name) => name !== ''),
  version: fc.option(text),
  purl: fc.option(purl),
  cpe: fc.option(cpe),
})
const anyStatement: fc.Arbitrary<VexStatement> = fc.record({
  vuln_id: fc.integer({ min: 1, max: 4 }),
  cveid: fc.option(fc.constantFrom('CVE-2021-44228', 'CVE-2021-45046', 'GHSA-jfh8-c2jp-5v3q')),
  summary: text,
  component: aPart,
  status: fc.constantFrom(...vexStatuses),
  justification: fc.option(fc.constantFrom(...vexJustifications)),
  note: fc.option(text),
  fixed_in: fc.option(text),
  at: fc.constant('2026-11-19T12:00:00Z'),
})
// A decision has a justification only where something is not affected, and an inventory has a component once.
export const anyStatements = fc.array(anyStatement, { minLength: 1, maxLength: 12 }).map((found) => {
  const parts = new Map(found.map((one) => [one.component.id, one.component]))
  return settleStatements(
    found.map((one) => ({
      ...one,
      component: parts.get(one.component.id) ?? one.component,
      justification: one.status === 'not_affected' ? one.justification : null,
    })),
  )
})
export const anyWords = fc.record({
  name: text.filter((name) => name.trim() !== '' && !name.includes('\u0001')),
  author: text.filter((name) => name.trim() !== ''),
})

/** As a receiver reads it. */
export const asSent = <Document>(document: Document) => JSON.parse(JSON.stringify(document)) as Document

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cyclonedxVersions } from '../../worker/inventories/read/cyclonedx'
import { writeCsafVex } from '../../worker/inventories/vex/csaf-vex'
import { writeCyclonedxVex } from '../../worker/inventories/vex/cyclonedx-vex'
import { writeOpenvex } from '../../worker/inventories/vex/openvex'
import type { VexStatement } from '../../worker/inventories/vex/statement'
import { cyclonedxMistakes } from '../support/bom-mistakes'
import { aJsonBom } from '../support/boms'
import { csafErrors, cyclonedxErrors, openvexErrors } from '../support/json-schemas'
import { anyStatements, anyWords, asSent, vexStatements, vexSubject } from '../support/vex-statement'

test.each(cyclonedxVersions)(
  'the schema of CycloneDX %s takes our example, and no mistake that we refuse',
  (version) => {
    expect(cyclonedxErrors(version, aJsonBom(version))).toEqual([])
    for (const [, spoil] of cyclonedxMistakes)
      expect(cyclonedxErrors(version, spoil(aJsonBom(version)))).not.toEqual([])
  },
)

const listErrors = (subject: typeof vexSubject, statements: VexStatement[]) => [
  ...cyclonedxErrors('1.6', asSent(writeCyclonedxVex(subject, statements))),
  ...openvexErrors(asSent(writeOpenvex(subject, statements))),
  ...csafErrors(asSent(writeCsafVex(subject, statements))),
]

test('each format of VEX is valid by its official schema, whatever is decided', () => {
  expect(listErrors(vexSubject, vexStatements)).toEqual([])
  fc.assert(
    fc.property(anyStatements, anyWords, (statements, words) => {
      const page = `https://earshot.example/${encodeURIComponent(words.name)}`
      expect(listErrors({ ...vexSubject, ...words, page }, statements)).toEqual([])
    }),
    { numRuns: 300 },
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeStatements, type Statement } from '../../worker/domain/versions/affected'
import { compileName } from '../../worker/domain/versions/compiled'
import type { AffectedRange, SourceKey } from '../../worker/domain/words/record'

const versionText = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.')),
  fc.constantFrom('1.0rc1', '2.0a', '1.0.1g', '2.0 beta1', 'v1.2', 'trunk', '1.*', '2.x', '1.2.x.x', '20240101'),
  fc.constantFrom(
    '2019',
    '22H2',
    '10.0.17763.5',
    '21.1',
    '21.1R1',
    '1:1.2-3',
    '1.2-3',
    '1.0_and_earlier',
    'abcdef1',
    '1234567',
    '1.2+dfsg-1',
    '-',
    '',
  ),
)
const bounds = fc.record({ ge: versionText, gt: versionText, le: versionText, lt: versionText }, { requiredKeys: [] })
const order = fc.constantFrom('loose' as const, 'loose' as const, 'semver' as const, 'git' as const, 'deb' as const)
const tail = fc.oneof(
  versionText.map((text) => `a:${text || '*'}`),
  versionText.map((text) => `a:${text || '*'}:rc1`),
  fc.constantFrom('a:*', 'a:-', 'a:*:*:*:*:*:windows', 'o:1.2:*:*:*:*:linux'),
)
const range: fc.Arbitrary<AffectedRange> = fc.oneof(
  tail,
  fc.tuple(tail, bounds).map(([cpe, own]) => ({ cpe, ...own })),
  fc
    .tuple(
      order,
      bounds,
      fc.record(
        {
          is: versionText,
          status: fc.constantFrom('unaffected' as const, 'unknown' as const),
          on: fc.constantFrom('Debian:11', 'Debian:12'),
          is_by_summary: fc.constant(true as const),
          is_fix_unstated: fc.constant(true as const),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([own, between, more]) => ({ order: own, ...between, ...more })),
)
const source = fc.constantFrom<SourceKey>('nvd', 'cve', 'osv', 'overrides')
const statement: fc.Arbitrary<Statement> = fc.record({ source, ranges: fc.array(range, { maxLength: 4 }) })
const said = fc.array(fc.array(statement, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })
const anyKind = { edition: '*', language: '*', sw_edition: '*', target_sw: '*', target_hw: '*', other: '*' }
const kind = fc.constantFrom(undefined, anyKind, { ...anyKind, target_sw: 'linux' })

test('many versions of a name are judged together as each by itself', () => {
  fc.assert(
    fc.property(said, fc.array(versionText, { minLength: 8, maxLength: 24 }), kind, (named, versions, of) => {
      const judge = compileName(named.map((statements, at) => ({ vuln_ids: [at], statements })))
      for (const on of [undefined, 'Debian:12'])
        for (const version of versions)
          for (const [{ statements }, verdict] of judge({ version, on, kind: of })) {
            const { by: _, ...alone } = judgeStatements(version, statements, { on, kind: of })
            expect(verdict).toEqual(alone)
          }
    }),
    { numRuns: 300 },
  )
})

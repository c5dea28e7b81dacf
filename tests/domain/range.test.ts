import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeRange, speakRange } from '../../worker/domain/versions/range'
import { packRanges, sortRanges, unpackRanges } from '../../worker/domain/versions/stored-ranges'
import { versionOrders, type AffectedRange } from '../../worker/domain/words/record'
import { asRange, asRanges } from '../support/ranges'

test.each([
  ['a:1.0.1', '1.0.1'],
  ['a:1.0.1:beta1', '1.0.1 beta1'],
  ['a', 'all versions'],
  ['a:*:*:*:*:*:windows', 'all versions windows'],
  ['a:-', 'not versioned'],
  ['a:1.0\\(2\\)', '1.0(2)'],
  [asRange('a >=1.0 <2.0'), '>= 1.0, < 2.0'],
  [asRange('a >1.0 <=2.0'), '> 1.0, <= 2.0'],
  [asRange('a:*:*:*:*:*:wordpress <2.0'), '< 2.0 (wordpress)'],
  [asRange('a:*:*:*:*:*:wordpress >=1.0 <2.0'), '>= 1.0, < 2.0 (wordpress)'],
  ['a:9.3.*', '9.3.*'],
  [asRange('loose'), 'all versions'],
  [asRange('loose guess'), 'all other versions: likely'],
  [asRange('semver =1.2.3'), '1.2.3'],
  [asRange('semver >=1.2.3'), '>= 1.2.3'],
  [asRange('semver >=5.10.1 <=5.10.* unaffected'), '>= 5.10.1, <= 5.10.*: unaffected'],
  [asRange('maven =2.3.1 unknown'), '2.3.1: unknown'],
  [asRange('deb <1.2.1-2.2+wheezy3 on Debian:7'), '< 1.2.1-2.2+wheezy3 on Debian:7'],
  [asRange('rpm unaffected on Red Hat Enterprise Linux 9'), 'all versions on Red Hat Enterprise Linux 9: unaffected'],
  [
    asRange('git >=1da177e4c3f41524e886b7f1b8a0c1fc7321cac2 <e5be15c63804e05b5a94197524023702a259e308'),
    'commits from 1da177e4c3f4 before e5be15c63804',
  ],
  [asRange('git <e5be15c63804e05b5a94197524023702a259e308'), 'commits before e5be15c63804'],
  [asRange('git >=1da177e4c3f41524e886b7f1b8a0c1fc7321cac2'), 'commits from 1da177e4c3f4'],
  [asRange('git <=1da177e4c3f41524e886b7f1b8a0c1fc7321cac2'), 'commits up to 1da177e4c3f4'],
  [asRange('git =1da177e4c3f41524e886b7f1b8a0c1fc7321cac2'), 'commit 1da177e4c3f4'],
  [asRange('git'), 'all commits'],
  [{ order: 'loose', is: 'Snapdragon 8 Gen 1' }, 'Snapdragon 8 Gen 1'],
] as [AffectedRange, string][])('%j reads "%s"', (range, words) => expect(describeRange(range)).toBe(words))

test.each([
  ['>= 1.0.1, < 1.0.1g', '1.0.1 – before 1.0.1g'],
  ['>= 2.0, <= 2.4', '2.0 – 2.4'],
  ['> 2.0, <= 2.4', 'after 2.0 – 2.4'],
  ['< 2.3.1', 'before 2.3.1'],
  ['<= 2.3.1', 'up to 2.3.1'],
  ['>= 3', '3 and later'],
  ['> 3', 'after 3'],
  ['< 0:2.3-27.el8 on Red Hat Enterprise Linux 8', 'before 0:2.3-27.el8 on Red Hat Enterprise Linux 8'],
  ['<= 1.5.0 (update35)', 'up to 1.5.0 (update35)'],
  ['2019 cumulative_update_14', '2019 CU14'],
  ['r2 sp1', 'r2 SP1'],
  ['all versions', 'all versions'],
])('%s is said as "%s"', (range, words) => expect(speakRange(range)).toBe(words))

const text = fc.string({ maxLength: 9 })
const bounds = { ge: text, gt: text, le: text, lt: text }
const mark = fc.constant(true as const)
const anyRange: fc.Arbitrary<AffectedRange> = fc.oneof(
  fc.constantFrom(...String.raw`a a:1.0 a:1.1 a:12.0\(1\)s o:1.0 o:2 a:- a:*:-:lts a:1\|2 a:3\\ a:4`.split(' ')),
  fc.record({ cpe: text, ...bounds }, { requiredKeys: ['cpe'] }),
  fc.record(
    {
      order: fc.constantFrom(...versionOrders),
      is: text,
      on: text,
      status: fc.constantFrom('unaffected' as const, 'unknown' as const),
      is_fix_unstated: mark,
      is_guess: mark,
      is_disputed: mark,
      is_by_summary: mark,
      ...bounds,
    },
    { requiredKeys: ['order'] },
  ),
)

test('stored ranges are read back as they were, also those that an older version stored', () => {
  expect(packRanges(asRanges('a:1.0', 'a:1.1', 'o:-', 'a >=5.0 <5.1', '<=2'))).toBe(
    '["a:1.0|1.1","o:-",[21,"5.1","5.0","a"],[2,"2"]]',
  )
  fc.assert(
    fc.property(fc.array(anyRange, { maxLength: 8 }), (ranges) => {
      expect(unpackRanges(packRanges(ranges))).toEqual(ranges)
      expect(unpackRanges(JSON.stringify(ranges))).toEqual(ranges)
      expect(sortRanges(packRanges(ranges))).toBe(sortRanges(JSON.stringify(ranges)))
    }),
  )
})

import { expect, test } from 'vitest'
import { parseOsvRanges, type OsvEvent } from '../../worker/domain/versions/osv-events'
import { parseOsvPackage } from '../../worker/domain/names/purl'
import type { VersionRange } from '../../worker/domain/words/record'
import { expectStatuses, type Expected } from '../support/verdicts'
import { asRange, asRanges } from '../support/ranges'
import { eachCase } from '../support/each-case'

eachCase<[OsvEvent[], Omit<VersionRange, 'order'>[]]>({
  fixed: [[{ introduced: '0' }, { fixed: '1.6.0' }], [{ lt: '1.6.0' }]],
  'never fixed': [[{ introduced: '1.2.0' }], [{ ge: '1.2.0' }]],
  'all versions': [[{ introduced: '0' }], [{}]],
  'the last affected one': [[{ introduced: '1.0.0' }, { last_affected: '1.4.0' }], [{ ge: '1.0.0', le: '1.4.0' }]],
  'a limit, which is no fix': [
    [{ introduced: '1.0.0' }, { limit: '2.0.0' }],
    [{ ge: '1.0.0', lt: '2.0.0', is_fix_unstated: true }],
  ],
  'no limit': [[{ introduced: '1.0.0' }, { limit: '*' }], [{ ge: '1.0.0' }]],
  'two branches, in any order': [
    [{ fixed: '1.15.7' }, { introduced: '1.15.0-0' }, { fixed: '1.14.14' }, { introduced: '0' }],
    [{ lt: '1.14.14' }, { ge: '1.15.0-0', lt: '1.15.7' }],
  ],
  'fixed, and introduced again for good': [
    [{ introduced: '0' }, { fixed: '0.47.10' }, { introduced: '0.50.0' }],
    [{ lt: '0.47.10' }, { ge: '0.50.0' }],
  ],
  'a second fix without another introduction': [
    [{ introduced: '0' }, { fixed: '1.0.0' }, { fixed: '2.0.0' }],
    [{ lt: '1.0.0' }],
  ],
  'nothing introduced': [[{ fixed: '1.0.0' }], []],
  'PYSEC-2022-42972, iotdb: fixed in one branch where the next one begins': [
    [{ introduced: '0.13.0' }, { fixed: '0.14.0' }, { introduced: '0.12.2' }, { fixed: '0.13.0' }],
    [
      { ge: '0.12.2', lt: '0.13.0' },
      { ge: '0.13.0', lt: '0.14.0' },
    ],
  ],
  'a version alone, and all from it on': [
    [{ introduced: '1.0.0' }, { last_affected: '1.0.0' }, { introduced: '2.0.0' }, { last_affected: '2.0.0' }],
    [
      { ge: '1.0.0', le: '1.0.0' },
      { ge: '2.0.0', le: '2.0.0' },
    ],
  ],
})('%s', (events, bounds) => {
  expect(parseOsvRanges({ ranges: [{ type: 'SEMVER', events }] }, 'semver')).toEqual(
    bounds.map((one) => ({ order: 'semver', ...one })),
  )
})

test('an enumerated version counts only where no range covers it', () => {
  const ranges = [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.2' }] }]
  const versions = ['1.0', '1.1rc1', '1.3', 'not a version']
  expect(parseOsvRanges({ ranges, versions }, 'pypi')).toEqual([
    asRange('pypi <1.2'),
    asRange('pypi =1.3'),
    { order: 'pypi', is: 'not a version' },
  ])
  expect(parseOsvRanges({ versions: ['1.0', '1.0'] }, 'pypi')).toEqual(asRanges('pypi =1.0'))
  expect(parseOsvRanges({}, 'pypi')).toEqual([])
})

test('commits cover no version, and each fix is told', () => {
  const events = [{ introduced: '0' }, { fixed: 'c13d0ba606' }, { fixed: '5438d3b5a2' }]
  expect(parseOsvRanges({ ranges: [{ type: 'GIT', events }], versions: ['1.0'] }, 'pypi')).toEqual(
    asRanges('git <c13d0ba606', 'git <5438d3b5a2', 'pypi =1.0'),
  )
})

test('a distribution says on which release', () => {
  const ranges = [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.2.1-2.2+wheezy3' }] }]
  expect(parseOsvRanges({ ranges }, 'deb', 'Debian:7')).toEqual(asRanges('deb <1.2.1-2.2+wheezy3 on Debian:7'))
})

test('events that are no versions of their ecosystem are in the loose order', () => {
  const ranges = [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.0-foo-bar' }] }]
  expect(parseOsvRanges({ ranges }, 'pypi')).toEqual(asRanges('<1.0-foo-bar'))
})

eachCase<[string, string, OsvEvent[], Expected]>({
  'CVE-2020-35669 (GHSA-4rgh-jx4f-qfcq), http of Pub': [
    'Pub',
    'http',
    [{ introduced: '0' }, { fixed: '0.13.3' }],
    { affected: '0.12.0 0.12.0+4 0.13.2', not_affected: '0.13.3 0.13.3+1' },
  ],
  'CVE-2020-5238 (RSEC-2023-6), commonmark of CRAN': [
    'CRAN',
    'commonmark',
    [{ introduced: '0.2' }, { fixed: '1.8' }],
    { affected: '0.2 0.2.0 1.7', not_affected: '0.1 1.8 1.8.0' },
  ],
  'CVE-2022-3433 (HSEC-2023-0001), aeson of Hackage': [
    'Hackage',
    'aeson',
    [{ introduced: '0.4.0.0' }, { fixed: '2.0.1.0' }],
    { affected: '0.4.0.0 1.5.6.0 2.0.1', not_affected: '0.3 2.0.1.0 2.1' },
  ],
})('%s', (ecosystem, name, events, expected) => {
  const { order = 'loose' } = parseOsvPackage(ecosystem, name) ?? {}
  expectStatuses('osv/1', parseOsvRanges({ ranges: [{ type: 'ECOSYSTEM', events }] }, order), expected)
})

test('CVE-2020-35669, http of Pub: of the listed versions each build is one of its own', () => {
  expectStatuses('osv/GHSA-4rgh-jx4f-qfcq', parseOsvRanges({ versions: ['0.12.0', '0.12.0+2'] }, 'pub'), {
    affected: '0.12.0 0.12.0+2',
    not_affected: '0.12.0+1 0.12.0+3',
  })
})

import { expect, test } from 'vitest'
import { judgeStatements, type Statement } from '../../worker/domain/versions/affected'
import { judgeVersion } from '../../worker/domain/versions/range-verdict'
import type { AffectedRange } from '../../worker/domain/words/record'
import { packageOrder } from '../../worker/domain/versions/versions'
import {
  heartbleed,
  log4shellByCpe,
  log4shellByMaven,
  log4shellByCna,
  xz,
  regresshion,
  splitNames,
} from '../support/statements'
import { asRange, asRanges } from '../support/ranges'
import { eachCase } from '../support/each-case'

eachCase<[Statement[], string[], string[]]>({
  Heartbleed: [
    heartbleed,
    splitNames('1.0.1 1.0.1-beta1 1.0.1a 1.0.1b 1.0.1c 1.0.1d 1.0.1e 1.0.1f'),
    splitNames('1.0.1g 1.0.1h 1.0.0 1.0.0t 0.9.8y 1.0.2 1.1.0'),
  ],
  'Log4Shell by CPE': [
    log4shellByCpe,
    splitNames('2.14.1 2.0-beta9 2.0 2.3.0 2.12.1 2.13.0'),
    splitNames('2.17.1 2.15.0 2.12.2 2.3.1 1.2.17 2.0-beta8'),
  ],
  'Log4Shell by Maven': [
    log4shellByMaven,
    splitNames('2.14.1 2.0-beta9 2.0 2.3 2.12.1 2.13.0'),
    splitNames('2.17.1 2.15.0 2.12.2 2.3.1 1.2.17 2.0-beta8'),
  ],
  'Log4Shell by its CNA': [
    log4shellByCna,
    splitNames('2.14.1 2.0-beta9 2.0 2.3 2.12.1 2.13.0'),
    splitNames('2.17.1 2.15.0 2.12.2 2.3.1'),
  ],
  XZ: [xz, splitNames('5.6.0 5.6.1'), splitNames('5.4.6 5.6.2 5.2.5')],
  regreSSHion: [regresshion, splitNames('8.5p1 8.6p1 9.7p1 9.6 4.3p2'), splitNames('9.8p1 9.9p2 5.0 5.0p1 8.4p1')],
})('%s', (statements, affected, others) => {
  const listVerdicts = (status: string) =>
    [...affected, ...others].filter((version) => judgeStatements(version, statements).status === status)
  expect(listVerdicts('affected')).toEqual(affected)
  expect(listVerdicts('not_affected')).toEqual(others)
})

test.each<[string, Statement[], string, string | null]>([
  ['Heartbleed, of which NVD says where it ends', heartbleed, '1.0.1a', null],
  ['Log4Shell, newest branch', log4shellByMaven, '2.14.1', '2.15.0'],
  ['Log4Shell, Java 7', log4shellByMaven, '2.12.0', '2.12.2'],
  ['Log4Shell, Java 6', log4shellByCna, '2.0-beta9', '2.3.1'],
  ['XZ, whose records name no fix', xz, '5.6.1', null],
])('the fix: %s', (_, statements, version, fixed_in) => {
  expect(judgeStatements(version, statements).fixed_in).toBe(fixed_in)
})

test.each<[string, Statement[], string, string | null]>([
  ['Heartbleed', heartbleed, '1.0.1a', '1.0.1g'],
  ['regreSSHion', regresshion, '9.7p1', '9.8'],
  ['Log4Shell, whose fix is named', log4shellByMaven, '2.14.1', null],
])('the first version that is not listed as affected: %s', (_, statements, version, first_unlisted) => {
  expect(judgeStatements(version, statements).first_unlisted).toBe(first_unlisted)
})

test('the narrowest statement counts, in whatever order they stand', () => {
  const ranges = asRanges(
    'semver',
    'semver <4.9.0 unaffected',
    'semver >=5.10.1 <=5.10.* unaffected',
    'semver =5.10.7',
    'semver >=5.16.0 unaffected',
  )
  for (const said of [ranges, ranges.toReversed()]) {
    const statuses = splitNames('4.8.1 4.9.0 5.10.0 5.10.1 5.10.7 5.10.240 5.11.0 5.16.0 6.1.0').map(
      (version) => judgeVersion(version, said).status,
    )
    expect(statuses).toEqual(
      splitNames(
        'not_affected affected affected not_affected affected not_affected affected not_affected not_affected',
      ),
    )
  }
  expect(judgeStatements('5.10.0', [{ source: 'cve', ranges }]).fixed_in).toBe('5.10.1')
})

test('affected wins where neither of two ranges is the narrower', () => {
  const ranges = asRanges('semver >=1.0.0 <2.0.0', 'semver >=1.5.0 <3.0.0 unaffected')
  const same = asRanges('semver >=1.0.0 <2.0.0', 'semver >=1.0.0 <2.0.0 unaffected')
  for (const said of [ranges, ranges.toReversed(), same, same.toReversed()])
    expect(judgeVersion('1.7.0', said).status).toBe('affected')
})

eachCase<[AffectedRange[], string, string, string]>({
  'the order of a standard': [asRanges('maven <2.15.0'), '2.14.1', 'affected', 'confirmed'],
  'the same name': [['a:1.0.1f'], '1.0.1f', 'affected', 'confirmed'],
  'the same name, written otherwise': [['a:8.5:p1'], 'v8.5p1', 'affected', 'confirmed'],
  'plain numbers in the loose order': [asRanges('a <2.15.0'), '2.14.1', 'affected', 'confirmed'],
  'plain numbers, not held': [asRanges('a <2.15.0'), '2.15.0', 'not_affected', 'confirmed'],
  'letters in the loose order': [asRanges('a <1.0.1g'), '1.0.1f', 'affected', 'likely'],
  'an update of a version that is named': [['a:1.0.1'], '1.0.1-beta1', 'affected', 'likely'],
  'a letter is another version': [['a:1.0.1'], '1.0.1a', 'not_affected', 'likely'],
  'another name': [['a:1.0_r2'], '1.0_r3', 'not_affected', 'likely'],
  'a number beside letters': [['a:1.0.1', 'a:1.0.1a'], '1.0.2', 'not_affected', 'likely'],
  'a version that is none of its order': [asRanges('semver <2.0.0'), '1.0.0.5.b', 'affected', 'likely'],
  'the product without versions': [['a'], '1.0', 'unknown', 'name_only'],
  'nothing but the product': [[], '1.0', 'unknown', 'name_only'],
  "CVE-2014-3910, EmFTP: CPE's NA is not its ANY": [['a:-'], '1.0', 'unknown', 'name_only'],
  'NA beside versions': [['a:-', 'a:1.0'], '1.1', 'not_affected', 'confirmed'],
  'all versions, said so': [asRanges('loose'), 'anything', 'affected', 'confirmed'],
  'a branch': [['a:9.3.*'], '9.3.4', 'affected', 'confirmed'],
  'another branch': [['a:9.3.*'], '9.30.4', 'not_affected', 'confirmed'],
  'a wildcard': [['a:2.1*'], '2.15', 'affected', 'confirmed'],
  'a sentence': [[{ order: 'loose', is: 'serial No. 26061 and prior' }], '1.0', 'unknown', 'name_only'],
  'a sentence beside versions': [[{ order: 'loose', is: 'versions of 2020' }, 'a:1.0'], '1.0', 'affected', 'confirmed'],
  'a sentence leaves the others open': [
    [{ order: 'loose', is: 'versions of 2020' }, 'a:1.0'],
    '1.1',
    'unknown',
    'name_only',
  ],
  'a commit that introduced it': [
    asRanges('git >=1da177e4c3f41524 <e5be15c63804e05b'),
    '1da177e4c3f41524e886b7f1b8a0c1fc7321cac2',
    'affected',
    'confirmed',
  ],
  'a commit that fixes it': [
    asRanges('git >=1da177e4c3f41524 <e5be15c63804e05b'),
    'e5be15c63804e05b5a94197524023702a259e308',
    'not_affected',
    'confirmed',
  ],
  'another commit': [
    asRanges('git >=1da177e4c3f41524 <e5be15c63804e05b'),
    'a42d985bd5b2aa42d985bd5b2aa42d985bd5b2aa',
    'unknown',
    'name_only',
  ],
  'the fix of a conan package, by its own text': [
    [{ order: packageOrder('conan'), lt: '1.1.1w' }],
    '1.1.1w',
    'not_affected',
    'confirmed',
  ],
  'another version of a conan package, whose order is not known here': [
    [{ order: packageOrder('conan'), lt: '1.1.1w' }],
    '1.1.1a',
    'unknown',
    'name_only',
  ],
  'a listed version of a Gentoo package': [
    [{ order: packageOrder('ebuild'), is: '1.2.3_p1' }],
    '1.2.3_p1',
    'affected',
    'confirmed',
  ],
  'a version, of which commits say nothing': [asRanges('git <e5be15c63804e05b'), '5.10', 'unknown', 'name_only'],
  'versions, of which only unaffected ones are said': [
    asRanges('semver >=2.0.0 unaffected'),
    '1.0.0',
    'unknown',
    'name_only',
  ],
  'a version whose status is not known': [asRanges('semver =1.0.0 unknown'), '1.0.0', 'unknown', 'confirmed'],
})('%s', (ranges, version, status, confidence) => {
  expect(judgeVersion(version, ranges)).toMatchObject({ status, confidence })
})

test('a release of a distribution has its own versions', () => {
  const ranges = asRanges('deb <1.1.1w-0+deb11u2 on Debian:11', 'deb <3.0.15-1~deb12u1 on Debian:12')
  const statusOn = (version: string, on?: string) => judgeStatements(version, [{ source: 'osv/DSA-1', ranges }], { on })
  expect(statusOn('1.1.1w-0+deb11u2', 'Debian:11').status).toBe('not_affected')
  expect(statusOn('3.0.11-1~deb12u2', 'Debian:12')).toMatchObject({ status: 'affected', fixed_in: '3.0.15-1~deb12u1' })
  expect(statusOn('3.0.15-1~deb12u1').status).toBe('not_affected')
  expect(statusOn('1.1.1w-0+deb11u2').status).toBe('affected')
  expect(statusOn('1.0', 'Debian:13').status).toBe('unknown')
})

test('a build of PyPI is its public version to ranges that name none, though it may be mended', () => {
  const tell = (version: string, ranges: AffectedRange[]) => {
    const { status, confidence } = judgeStatements(version, [{ source: 'ghsa/GHSA-1', ranges }])
    return `${status} ${confidence}`
  }
  const last = asRanges('pypi <=2.5.1')
  expect(tell('2.5.1+cu121', last)).toBe('affected likely')
  expect(tell('2.5.1+cu121', asRanges('pypi =2.5.1'))).toBe('affected likely')
  expect(tell('2.5.0+cu121', last)).toBe('affected confirmed')
  expect(tell('2.5.2+cu121', last)).toBe('not_affected confirmed')
  expect(tell('2.5.1+cu121', asRanges('pypi <2.5.1'))).toBe('not_affected confirmed')
  expect(tell('2.5.1+cu121', asRanges('pypi <=2.5.1+cu118'))).toBe('not_affected confirmed')
})

test.each(['1.16.5-arm64-darwin', '1.16.5-java', '1.16.5-x86_64-linux', '1.16.5-x64-mingw-ucrt'])(
  'the gem %s is a build of its version, and no pre-release',
  (version) => {
    const tell = (range: AffectedRange) => judgeStatements(version, [{ source: 'ghsa/GHSA-1', ranges: [range] }]).status
    expect(tell(asRange('gem <1.16.5'))).toBe('not_affected')
    expect(tell(asRange('gem >=1.16.5 <1.17'))).toBe('affected')
  },
)

test('the name of a release is not above its builds', () => {
  const tell = (version: string, ...ranges: AffectedRange[]) =>
    judgeStatements(version, [{ source: 'nvd', ranges }]).status
  const windows = asRange('o:* <10.0.17763.1999')
  const names = ['1809', '2019', '22H2', '10.0.17763.2000', '10.0.17763.1000']
  expect(names.map((version) => tell(version, windows))).toEqual(
    'unknown unknown unknown not_affected affected'.split(' '),
  )
  expect(tell('2019', asRange('>=0 <16.0.5'))).toBe('unknown')
  // Where years are versions they are compared.
  expect(tell('2019', asRange('>=2016 <2018'))).toBe('not_affected')
  expect(tell('2019', windows, asRange('<=2017.2'))).toBe('not_affected')
})

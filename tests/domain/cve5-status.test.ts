import { expect, test } from 'vitest'
import { judgeStatements } from '../../worker/domain/versions/affected'
import { parseCve5Ranges, parseCve5PackageRanges } from '../../worker/domain/versions/cve5-status'
import type { Cve5Affected, Cve5Version } from '../../worker/domain/versions/cve5-status'
import type { AffectedRange } from '../../worker/domain/words/record'
import { asRanges } from '../support/ranges'
import { eachCase } from '../support/each-case'

const affected = (version: string, more: Partial<Cve5Version> = {}): Cve5Version => ({
  version,
  status: 'affected',
  ...more,
})
const unaffected = (version: string, more: Partial<Cve5Version> = {}): Cve5Version => ({
  version,
  status: 'unaffected',
  ...more,
})

eachCase<[Cve5Version, AffectedRange[]]>({
  'one version is a compact CPE tail': [affected('1.2.3'), ['a:1.2.3']],
  'one version is in lower case, as CPE names are': [affected('9.8P1'), ['a:9.8p1']],
  'one version keeps what a tail escapes': [affected('12.2(25)SW10'), ['a:12.2\\(25\\)sw10']],
  'a branch is a wildcard': [affected('9.3.x'), ['a:9.3.*']],
  'from a version until before another': [affected('1.0', { lessThan: '2.0' }), asRanges('>=1.0 <2.0')],
  'to a version including it': [affected('1.0', { lessThanOrEqual: '2.0' }), asRanges('>=1.0 <=2.0')],
  'from the first version of all': [affected('0', { lessThan: '2.0' }), asRanges('<2.0')],
  'from a version that is not said': [affected('unspecified', { lessThan: '2.0' }), asRanges('<2.0')],
  'from n/a': [affected('n/a', { lessThanOrEqual: '1.1' }), asRanges('<=1.1')],
  'without end': [affected('1.0', { lessThan: '*' }), asRanges('>=1.0')],
  'without end, including it': [affected('1.0', { lessThanOrEqual: '*' }), asRanges('>=1.0')],
  'until a name and an asterisk': [affected('2.0', { lessThan: 'log4j-core*' }), asRanges('>=2.0')],
  'until an unspecified version': [affected('1.0', { lessThan: 'unspecified' }), asRanges('>=1.0')],
  'until the latest': [affected('1.0', { lessThanOrEqual: 'latest' }), asRanges('>=1.0')],
  'until "publication", as Microsoft writes': [affected('15.0.0', { lessThan: 'publication' }), asRanges('>=15.0.0')],
  'until an address': [affected('16.0.1', { lessThan: 'https://aka.ms/OfficeSecurityReleases' }), asRanges('>=16.0.1')],
  'the end of a branch': [
    affected('5.10', { lessThanOrEqual: '5.10.*', versionType: 'semver' }),
    asRanges('semver >=5.10 <=5.10.*'),
  ],
  'an asterisk excluded means the same': [affected('1.0', { lessThan: '1.0.*' }), asRanges('>=1.0 <=1.0.*')],
  'an operator alone as end': [affected('4.6.15', { lessThan: '<' }), asRanges('<4.6.15')],
  'an operator before the end': [affected('4.6.0', { lessThanOrEqual: '<=4.6.15' }), asRanges('>=4.6.0 <=4.6.15')],
  'a start that is the end, as Chrome writes': [affected('73.0', { lessThan: '73.0' }), asRanges('<73.0')],
  'a start that is the end, included': [affected('73.0', { lessThanOrEqual: '73.0' }), ['a:73.0']],
  'CPE escapes in a bound': [affected('0', { lessThan: '5.21\\(abag.14\\)' }), asRanges('<5.21(abag.14)')],
  'a branch of Juniper': [affected('21.1', { lessThan: '21.1*' }), asRanges('>=21.1 <=21.1.*')],
  'abbreviated commits that call themselves custom': [
    affected('1da177e4c3f4', { lessThan: '521f28eedd6b', versionType: 'custom' }),
    asRanges('git >=1da177e4c3f4 <521f28eedd6b'),
  ],
  'a commit alone': [affected('1da177e4c3f4'), asRanges('git =1da177e4c3f4')],
  'all by an asterisk': [affected('*'), asRanges('loose')],
  'all in words': [affected('All versions'), asRanges('loose')],
  'no version at all': [affected('n/a'), []],
  'no version in words': [affected('see references'), []],
  'a sentence with a fix': [affected('before 1.2.3'), asRanges('<1.2.3')],
  'a sentence with both ends': [affected('1.0 through 1.4'), asRanges('>=1.0 <=1.4')],
  'GitHub: below': [affected('< 2.1'), asRanges('<2.1')],
  'GitHub: both': [affected('>= 1.0, < 2.0'), asRanges('>=1.0 <2.0')],
  'GitHub: one': [affected('= 1.79.0'), ['a:1.79.0']],
  'a sentence that cannot be read is kept': [
    affected('The first 5 digits of serial No. "26061" and prior'),
    [{ order: 'loose', is: 'The first 5 digits of serial No. "26061" and prior' }],
  ],
  'a name is kept as it is written': [affected('Snapdragon 8 Gen 1'), [{ order: 'loose', is: 'Snapdragon 8 Gen 1' }]],
  'the versionType says the order': [
    affected('1.0', { lessThan: '2.0', versionType: 'maven' }),
    asRanges('maven >=1.0 <2.0'),
  ],
  'python is PEP 440': [affected('1.0rc1', { versionType: 'python' }), asRanges('pypi =1.0rc1')],
  'an unknown versionType is loose': [
    affected('1', { lessThan: '2', versionType: 'Platform Initialization' }),
    asRanges('>=1 <2'),
  ],
  'a versionType that does not fit is loose': [
    affected('r37p0', { lessThan: 'r46p0', versionType: 'semver' }),
    asRanges('>=r37p0 <r46p0'),
  ],
  'a commit': [
    affected('1da177e4c3f41524e886b7f1b8a0c1fc7321cac2', {
      lessThan: 'e5be15c63804e05b5a94197524023702a259e308',
      versionType: 'git',
    }),
    asRanges('git >=1da177e4c3f41524e886b7f1b8a0c1fc7321cac2 <e5be15c63804e05b5a94197524023702a259e308'),
  ],
  'versions that call themselves git': [
    affected('6.0', { lessThan: '6.1', versionType: 'git' }),
    asRanges('>=6.0 <6.1'),
  ],
  'unaffected versions are told': [unaffected('1.5'), asRanges('=1.5 unaffected')],
  'unknown versions are told': [{ version: '1.5', status: 'unknown' }, asRanges('=1.5 unknown')],
  'nothing that is unaffected': [unaffected('n/a'), []],
  'a change at the end is the fix': [
    affected('10.2.0', { lessThan: '10.2.9-h1', changes: [{ at: '10.2.9-h1', status: 'unaffected' }] }),
    asRanges('>=10.2.0 <10.2.9-h1', '=10.2.9-h1 unaffected'),
  ],
  'a change behind the last affected version names the fix': [
    affected('n/a', { lessThanOrEqual: '1.1.4', changes: [{ at: '1.1.5', status: 'unaffected' }] }),
    asRanges('<=1.1.4', '=1.1.5 unaffected'),
  ],
  'a change before the beginning changes nothing (CVE-2024-2048, CVE-2024-7263)': [
    affected('1.15.5', { lessThan: '1.16.0', changes: [{ at: '1.14.10', status: 'unaffected' }] }),
    asRanges('>=1.15.5 <1.16.0'),
  ],
  'a change at the last version leaves that one': [
    affected('1.0', { lessThanOrEqual: '1.4', changes: [{ at: '1.4', status: 'unaffected' }] }),
    asRanges('>=1.0 <1.4', '=1.4 unaffected'),
  ],
})('%s', (version, ranges) => expect(parseCve5Ranges({ versions: [version] })).toEqual(ranges))

test('changes split a range, in whatever order they are named', () => {
  const log4j = affected('2.0-beta9', {
    lessThan: 'log4j-core*',
    versionType: 'custom',
    changes: [
      { at: '2.13.0', status: 'affected' },
      { at: '2.3.1', status: 'unaffected' },
      { at: '2.4', status: 'affected' },
      { at: '2.12.2', status: 'unaffected' },
      { at: '2.15.0', status: 'unaffected' },
    ],
  })
  expect(parseCve5Ranges({ defaultStatus: 'unaffected', versions: [log4j] })).toEqual(
    asRanges(
      '>=2.0-beta9 <2.3.1',
      '>=2.3.1 <2.4 unaffected',
      '>=2.4 <2.12.2',
      '>=2.12.2 <2.13.0 unaffected',
      '>=2.13.0 <2.15.0',
      '>=2.15.0 unaffected',
      'loose unaffected',
    ),
  )
})

test('an affected default stands first and its exceptions follow', () => {
  const linux: Cve5Affected = {
    defaultStatus: 'affected',
    versions: [
      affected('4.9'),
      unaffected('0', { lessThan: '4.9', versionType: 'semver' }),
      unaffected('5.10.1', { lessThanOrEqual: '5.10.*', versionType: 'semver' }),
      unaffected('5.16', { lessThanOrEqual: '*', versionType: 'original_commit_for_fix' }),
    ],
  }
  expect(parseCve5Ranges(linux, 'o')).toEqual(
    asRanges('loose', 'o:4.9', 'semver <4.9 unaffected', 'semver >=5.10.1 <=5.10.* unaffected', '>=5.16 unaffected'),
  )
})

test('the version of a package is none of the product that ships it', () => {
  const openssh: Cve5Affected = {
    product: 'Red Hat Enterprise Linux 9',
    packageName: 'openssh',
    defaultStatus: 'affected',
    versions: [unaffected('0:8.7p1-38.el9_4.1', { lessThan: '*', versionType: 'rpm' })],
  }
  expect(parseCve5Ranges(openssh, 'o')).toEqual(['o'])
  expect(parseCve5Ranges({ ...openssh, defaultStatus: 'unaffected' }, 'o')).toEqual([])
  expect(parseCve5PackageRanges(openssh, 'rpm')).toEqual(asRanges('rpm', 'rpm >=0:8.7p1-38.el9_4.1 unaffected'))
})

test('an element says each thing once', () => {
  expect(parseCve5Ranges({ versions: [affected('1.0'), affected('1.0'), affected('v1.1')] })).toEqual([
    'a:1.0',
    'a:1.1',
  ])
  expect(parseCve5Ranges({})).toEqual([])
})

test('a package has versions in its own order unless another is said', () => {
  const versions = [affected('1.0', { lessThan: '2.0', versionType: 'custom' }), affected('3.0')]
  expect(parseCve5PackageRanges({ versions }, 'maven')).toEqual(asRanges('maven >=1.0 <2.0', 'maven =3.0'))
})

const judge = (entry: Cve5Affected, version: string) => {
  const { status, fixed_in } = judgeStatements(version, [{ source: 'cve', ranges: parseCve5Ranges(entry) }])
  return fixed_in ? `${status}, fixed in ${fixed_in}` : status
}

test('CVE-2018-20072, Chrome: a version that is its own lessThan means all before it', () => {
  const chrome = { versions: [affected('73.0.3683.75', { lessThan: '73.0.3683.75', versionType: 'custom' })] }
  expect(['73.0.3683.74', '72.0.1', '73.0.3683.75'].map((version) => judge(chrome, version))).toEqual([
    'affected',
    'affected',
    'not_affected',
  ])
})

test('CVE-2023-32564, Avalanche: a fix that "ends" where it begins is no comfort for what comes before it', () => {
  const fix = unaffected('6.4.1', { lessThan: '6.4.1', versionType: 'custom' })
  const avalanche: Cve5Affected = { versions: [fix], defaultStatus: 'affected' }
  expect(['5.9', '6.4.0', '6.4.1', '6.4.2'].map((version) => judge(avalanche, version))).toEqual([
    'affected, fixed in 6.4.1',
    'affected, fixed in 6.4.1',
    'not_affected',
    'not_affected',
  ])
})

test('CVE-2023-38546, curl: beside what is affected it means all before it', () => {
  const before = (status: 'affected' | 'unaffected', version: string) => ({ version, status, lessThan: version })
  const curl: Cve5Affected = { versions: [before('affected', '8.4.0'), before('unaffected', '7.9.1')] }
  expect(['7.9.0', '7.9.1', '8.3.0', '8.4.0'].map((version) => judge(curl, version))).toEqual([
    'not_affected',
    'affected',
    'affected',
    'not_affected',
  ])
})

test('CVE-2021-36821, Forminator: a change behind the last affected version names the fix', () => {
  const change = { at: '1.14.12', status: 'unaffected' as const }
  const more = { changes: [change], lessThanOrEqual: '1.14.11', versionType: 'custom' }
  const forminator: Cve5Affected = { versions: [affected('n/a', more)], defaultStatus: 'unaffected' }
  expect(['1.14.11', '1.14.12'].map((version) => judge(forminator, version))).toEqual([
    'affected, fixed in 1.14.12',
    'not_affected',
  ])
})

import { expect, test } from 'vitest'
import { findKnownVersions, judgeStatements } from '../../worker/domain/versions/affected'
import { parseCpe } from '../../worker/domain/names/cpe'
import { readNvdAffected } from '../../worker/feeds/nvd/record'
import { expectStatuses, type Expected } from '../support/verdicts'
import { eachCase } from '../support/each-case'

// Versions in real records of NVD, each cut down to the part that decides.

const match = (criteria: string, bounds: object = {}) => ({ vulnerable: true, criteria, ...bounds })
const rangesOfNvd = (...cpeMatch: ReturnType<typeof match>[]) =>
  readNvdAffected([{ nodes: [{ cpeMatch }] }]).flatMap(({ ranges }) => ranges)

test('CVE-2018-0330, NX-OS: bounds are read without the backslashes of CPE', () => {
  const ranges = rangesOfNvd(
    match('cpe:2.3:o:cisco:nx-os:*:*:*:*:*:*:*:*', {
      versionStartIncluding: '7.3',
      versionEndExcluding: '7.3\\(3\\)n1\\(1\\)',
    }),
  )
  expect(ranges).toEqual([{ cpe: 'o', ge: '7.3', lt: '7.3(3)n1(1)' }])
  expect(findKnownVersions(ranges)).toEqual(['7.3', '7.3(3)n1(1)'])
  expectStatuses('nvd', ranges, { affected: '7.3 7.3(2)N1(1) 7.3(3)N1(0)', not_affected: '7.3(3)N1(1) 7.2(1)N1(1)' })
})

test('CVE-2010-4671, IOS: bounds are read without the backslashes of CPE', () => {
  const ranges = rangesOfNvd(match('cpe:2.3:o:cisco:ios:*:*:*:*:*:*:*:*', { versionEndExcluding: '15.0\\(1\\)xa5' }))
  expect(findKnownVersions(ranges)).toEqual(['15.0(1)xa5'])
  expectStatuses('nvd', ranges, { affected: '15.0(1)XA4 12.4(24)T', not_affected: '15.0(1)XA5 15.1(1)T' })
})

test('CVE-2006-1194, ENet: a bound that is a name ends at that name', () => {
  const ranges = rangesOfNvd(match('cpe:2.3:a:enet:enet_library:*:*:*:*:*:*:*:*', { versionEndIncluding: 'jul_2005' }))
  expectStatuses('nvd', ranges, { affected: 'jul_2005', unknown: '1.2' })
})

test('CVE-2023-37925, ZyXEL: bounds are read without the backslashes of CPE', () => {
  const ranges = rangesOfNvd(
    match('cpe:2.3:o:zyxel:wax640s-6e_firmware:*:*:*:*:*:*:*:*', { versionEndIncluding: '6.70\\(accm.0\\)' }),
  )
  expectStatuses('nvd', ranges, { affected: '6.70(ACCM.0) 6.60(ACCM.3)', not_affected: '6.70(ACCM.1)' })
})

test('CVE-2004-0918, OpenPKG: a name among the CPEs is no number', () => {
  const ranges = rangesOfNvd(
    match('cpe:2.3:a:openpkg:openpkg:current:*:*:*:*:*:*:*'),
    match('cpe:2.3:a:openpkg:openpkg:2.1:*:*:*:*:*:*:*'),
  )
  expectStatuses('nvd', ranges, { affected: '2.1 current', not_affected: '2.0', unknown: 'trunk' })
})

eachCase<[string[], Expected]>({
  'CVE-2016-1629, Debian 8: nobody tells of its point releases': [
    ['o:debian:debian_linux:8.0'],
    { affected: '8.0 8', unknown: '8.1 8.11', not_affected: '9 9.1 7.11' },
  ],
  'CVE-2014-2038, Ubuntu 12.04 and 13.10: nobody tells of their point releases': [
    ['o:canonical:ubuntu_linux:12.04:*:*:*:esm', 'o:canonical:ubuntu_linux:13.10'],
    { affected: '12.04 13.10', unknown: '12.04.1 12.04.5', not_affected: '14.04.1 12.10' },
  ],
  'Debian 3.0 and 3.1 were releases of their own': [
    ['o:debian:debian_linux:3.0'],
    { affected: '3.0', not_affected: '3.1 4.0' },
  ],
  'CVE-2002-2189, Windows Server 2003: the name of a release says nothing of numbers': [
    ['o:microsoft:windows_2003_server:r2'],
    { affected: 'r2', unknown: '5.2 5.2.3790' },
  ],
  'CVE-2006-0005, Office v.X for Mac is no wildcard': [
    ['a:microsoft:office:v.x:*:mac', 'a:microsoft:office:2004:*:mac'],
    { affected: 'v.x 2004', not_affected: '2008', unknown: 'xp' },
  ],
  'CVE-2006-7236, xterm: NIL is no version': [
    ['a:invisible-island:xterm:_nil_'],
    { affected: '_nil_', unknown: '229' },
  ],
  'CVE-1999-1185, Internet FastStart: all versions, in words': [
    ['o:sco:internet_faststart:all_versions'],
    { affected: '1.0' },
  ],
  'CVE-2002-1577, SAP R/3: a sentence among CPE names is about many': [
    ['a:sap:sap_r_3:2.0b_to_4.6d'],
    { unknown: '3.1 4.6c 4.7' },
  ],
})('%s', (names, expected) => {
  const ranges = rangesOfNvd(
    ...names.map((name) => match(`cpe:2.3:${name}${':*'.repeat(11 - name.split(':').length)}`)),
  )
  expectStatuses('nvd', ranges, expected)
})

test.each([
  [
    'CVE-2016-1156, LINE',
    'linecorp:line',
    [
      ['macos', '4.3.1'],
      ['windows', '4.3.0.724'],
    ],
    '4.3.1',
    'windows',
    'macos',
  ],
  [
    'CVE-2016-1489, SHAREit',
    'lenovo:shareit',
    [
      ['windows', '2.5.1.1'],
      ['android', '3.0.18_ww'],
    ],
    '3.0.1',
    'windows',
    'android',
  ],
] as const)(
  '%s: a bound of another system does not count, and the answer says why',
  (_, name, bounds, version, own, other) => {
    const ranges = rangesOfNvd(
      ...bounds.map(([system, versionEndIncluding]) =>
        match(`cpe:2.3:a:${name}:*:*:*:*:*:${system}:*:*`, { versionEndIncluding }),
      ),
    )
    const ask = (target_sw: string) => {
      const cpe = parseCpe(`cpe:2.3:a:${name}:${version}:*:*:*:*:${target_sw}:*:*`)
      return judgeStatements(version, [{ source: 'nvd', ranges }], { kind: cpe ?? undefined })
    }
    expect(ask(own)).toMatchObject({
      status: 'not_affected',
      reason: `A range that contains it is only for use with ${other}, not ${own}.`,
    })
    expect(ask(other)).toMatchObject({ status: 'affected', reason: null })
    // A product without a system may run on any.
    for (const any of ['*', '-']) expect(ask(any)).toMatchObject({ status: 'affected', reason: null })
    expect(ask('ios')).toMatchObject({ status: 'not_affected', confidence: 'likely' })
  },
)

eachCase<[string[], string, Expected]>({
  'CVE-2013-0156, Rails: one product by two names': [
    ['a:rubyonrails:ruby_on_rails:3.1.9', 'a:rubyonrails:rails:3.0.7'],
    'rails',
    { affected: '3.0.7 3.1.9', not_affected: '3.2.11' },
  ],
  'CVE-2008-2099, VMware Workstation: the name of its vendor in front': [
    ['a:vmware:workstation:6.0', 'a:vmware:vmware_workstation:6.0.3'],
    'workstation',
    { affected: '6.0 6.0.3', not_affected: '6.0.4' },
  ],
  'CVE-2006-0005, Windows Server 2003: the same words in another order': [
    ['o:microsoft:windows_2003_server:sp1', 'o:microsoft:windows_server_2003:r2'],
    'windows_server_2003',
    { affected: 'sp1 r2' },
  ],
  'CVE-2012-3268, MA5200G: hardware is not the software in it': [
    ['h:huawei:-ma5200g:2', 'o:huawei:ma5200g:3'],
    'ma5200g',
    { affected: '3', not_affected: '2' },
  ],
  'CVE-2004-0200, Visual C++: another product': [
    ['a:microsoft:visual_c\\+\\+:7.0', 'a:microsoft:visual_c\\#:8.0'],
    'visual_c#',
    { affected: '8.0', not_affected: '7.0' },
  ],
  'a name without versions adds nothing to the list of its sister': [
    ['a:rubyonrails:rails:3.0.7', 'a:rubyonrails:ruby_on_rails'],
    'rails',
    { affected: '3.0.7', not_affected: '3.1.9' },
  ],
})('%s', (names, product, expected) => {
  const cpeMatch = names.map((name) => match(`cpe:2.3:${name}${':*'.repeat(11 - name.split(':').length)}`))
  const own = readNvdAffected([{ nodes: [{ cpeMatch }] }]).filter((one) => one.product === product)
  expectStatuses(
    'nvd',
    own.flatMap(({ ranges }) => ranges),
    expected,
  )
})

test.each([
  ['- sp1', { affected: 'o:-:sp1 o:-', not_affected: 'o:-:sp2 o:-:-', unknown: 'o:6.1.7601 o' }],
  ['-', { affected: 'o:- o:-:-', unknown: 'o:-:sp1 o:10.0.17763' }],
  ['6.1.7601', { affected: 'o:6.1.7601', unknown: 'o:-:sp1 o:-' }],
])('a product without a version, %s, is what NVD calls so (Windows 7 SP1, Server 2016)', (version, expected) => {
  for (const [status, tails = ''] of Object.entries(expected))
    for (const tail of tails.split(' '))
      expect([tail, judgeStatements(version, [{ source: 'nvd', ranges: [tail] }]).status]).toEqual([tail, status])
})

import { expect, test } from 'vitest'
import { findKnownVersions, judgeStatements } from '../../worker/domain/affected'
import { parseCpe } from '../../worker/domain/cpe'
import { readNvdAffected } from '../../worker/feeds/nvd/record'
import { expectStatuses } from '../support/verdicts'
import type { Expected } from '../support/verdicts'

// What real records of NVD say of versions, each cut down to the part that decides.

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

test.each<[string, string[], Expected]>([
  [
    'CVE-2016-1629, Debian 8: nobody tells of its point releases',
    ['o:debian:debian_linux:8.0'],
    { affected: '8.0 8', unknown: '8.1 8.11', not_affected: '9 9.1 7.11' },
  ],
  [
    'CVE-2014-2038, Ubuntu 12.04 and 13.10: nobody tells of their point releases',
    ['o:canonical:ubuntu_linux:12.04:*:*:*:esm', 'o:canonical:ubuntu_linux:13.10'],
    { affected: '12.04 13.10', unknown: '12.04.1 12.04.5', not_affected: '14.04.1 12.10' },
  ],
  [
    'Debian 3.0 and 3.1 were releases of their own',
    ['o:debian:debian_linux:3.0'],
    { affected: '3.0', not_affected: '3.1 4.0' },
  ],
  [
    'CVE-2002-2189, Windows Server 2003: the name of a release says nothing of numbers',
    ['o:microsoft:windows_2003_server:r2'],
    { affected: 'r2', unknown: '5.2 5.2.3790' },
  ],
  [
    'CVE-2015-8617, PHP: the list counts, though the summary says "before 7.0.1"',
    ['a:php:php:7.0.1'],
    { affected: '7.0.1', not_affected: '7.0.0 7.0.2' },
  ],
  [
    'CVE-2006-7236, xterm: NIL is no version',
    ['a:invisible-island:xterm:_nil_'],
    { affected: '_nil_', unknown: '229' },
  ],
  [
    'CVE-1999-1185, Internet FastStart: all versions, in words',
    ['o:sco:internet_faststart:all_versions'],
    { affected: '1.0' },
  ],
  [
    'CVE-2002-1577, SAP R/3: a sentence among CPE names is about many',
    ['a:sap:sap_r_3:2.0b_to_4.6d'],
    { unknown: '3.1 4.6c 4.7' },
  ],
])('%s', (_, names, expected) => {
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
      return judgeStatements(version, [{ source: 'nvd', ranges }], undefined, cpe ?? undefined)
    }
    expect(ask(own)).toMatchObject({
      status: 'not_affected',
      reason: `only for use with ${other}, not ${own}`,
    })
    expect(ask(other)).toMatchObject({ status: 'affected', reason: null })
    // A product without a system may run on any.
    for (const any of ['*', '-']) expect(ask(any)).toMatchObject({ status: 'affected', reason: null })
    expect(ask('ios')).toMatchObject({ status: 'not_affected', confidence: 'likely' })
  },
)

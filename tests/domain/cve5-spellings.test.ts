import { parseCve5Ranges, type Cve5Version } from '../../worker/domain/versions/cve5-status'
import { expectStatuses, type Expected } from '../support/verdicts'
import { eachCase } from '../support/each-case'

// Deviations of single CNAs from the format, each record cut down to the element that decides.

const below = (version: string, lessThan: string, versionType = 'custom'): Cve5Version => ({
  version,
  status: 'affected',
  lessThan,
  versionType,
})
const fixed = (version: string, lessThanOrEqual: string, at: string): Cve5Version => ({
  version,
  status: 'affected',
  lessThanOrEqual,
  versionType: 'semver',
  changes: [{ at, status: 'unaffected' }],
})
const jira = [
  below('unspecified', '8.5.14'),
  below('8.6.0', 'unspecified'),
  below('unspecified', '8.13.6'),
  below('8.14.0', 'unspecified'),
  below('unspecified', '8.16.1'),
]
const netscaler = [
  below('14.1', '12.35', 'patch'),
  below('13.0 ', '92.21', 'patch'),
  below(' 13.1-FIPS', '37.176', 'patch'),
]
const gitHub = [
  fixed('3.8', '3.8.14', '3.8.15'),
  fixed('3.11', '3.11.4', '3.11.5'),
  { version: '3.12', status: 'unaffected' } as const,
]

eachCase<[Cve5Version[], Expected]>({
  'CVE-2021-26078: the halves of a range of Atlassian are one': [
    jira,
    { affected: '8.5.13 8.6.0 8.13.5 8.14.0 8.16.0', not_affected: '8.5.14 8.13.6 8.16.1', unknown: '8.17.0' },
  ],
  'CVE-2022-26136: two starts before one end': [
    [below('7.7.0', 'unspecified'), below('7.16.0', 'unspecified'), below('unspecified', '7.17.8')],
    { affected: '7.7.0 7.15.0 7.17.7', not_affected: '7.17.8', unknown: '7.6.0 7.18.0' },
  ],
  'CVE-2023-6548: builds of NetScaler are those of their branch': [
    netscaler,
    { affected: '14.1-12.34 14.1-4.42 13.0-92.20 13.1-37.175', not_affected: '14.1-12.35 13.0-92.21 13.1-37.176' },
  ],
  'CVE-2022-23084: patches of FreeBSD are those of their release': [
    [
      below('13.1-RC1', 'p1', 'release'),
      below('13.0-RELEASE', 'p11', 'release'),
      below('12.3-RELEASE', 'p5', 'release'),
    ],
    {
      affected: '13.0-RELEASE 13.0-RELEASE-p10 13.0-p2 12.3-RELEASE-p4 13.1-RC1',
      not_affected: '13.0-RELEASE-p11 12.3-RELEASE-p5 13.1-RC1-p1 13.1-RELEASE',
      unknown: '12.2-RELEASE',
    },
  ],
  'CVE-2023-44197: each of two fixes of Junos is that of its branch': [
    [below('21.4', '21.4R2-S1, 21.4R3-S5', 'semver')],
    { affected: '21.4R1 21.4R2 21.4R3 21.4R3-S4', not_affected: '21.4R2-S1 21.4R3-S5' },
  ],
  'CVE-2023-6124: and of three, in any order': [
    [below('unspecified', '7.14.2, 8.4.2, 7.12.14')],
    { affected: '7.12.13 7.13.1 7.14.1 8.0 8.4.1', not_affected: '7.12.14 7.14.2 8.4.2' },
  ],
  'CVE-2023-29452: the end of a range that begins above it is affected where it is included': [
    [{ version: '7.0.0', status: 'affected', lessThanOrEqual: '7.0.0alpha1' }],
    { affected: '7.0.0 7.0.0alpha1' },
  ],
  'CVE-2024-42477, llama.cpp: a count behind a letter; without the letter it says nothing': [
    [{ version: '< b3561', status: 'affected' }],
    { affected: 'b99 b3560', not_affected: 'b3561', unknown: '3560 b3562' },
  ],
  'CVE-2019-1387: a comma may be a slip': [[below('0', '2,24.1')], { unknown: '2.23.0 2.24.0' }],
  'CVE-2024-1913: exceptions in words are not read': [
    [below('6.0.0', '6.15.06 except 6.10.10 and 6.13.07')],
    { unknown: '6.10.10 6.14.0' },
  ],
  'CVE-2023-36839: all of a branch of Junos OS Evolved': [
    [below('21.1R1-EVO', '21.1*-EVO', 'semver'), below('21.2-EVO', '21.2R3-S5-EVO', 'semver')],
    { affected: '21.1R1-EVO 21.1R3-S2-EVO 21.2-EVO 21.2R3-S4-EVO', not_affected: '21.2R3-S5-EVO', unknown: '21.1-EVO' },
  ],
  'CVE-2023-32537, Apex Central: a year as the beginning': [
    [below('2019 (8.0)', '8.0.0.6394', 'custom')],
    { affected: '8.0 8.0.0.6393', unknown: '2019 7.0', not_affected: '8.0.0.6394' },
  ],
  'CVE-2023-52325: and alone': [
    [below('2019', '8.0.0.6570', 'custom')],
    { affected: '2019 7.0 8.0.0.6393', not_affected: '8.0.0.6570' },
  ],
  'CVE-2024-20731, Acrobat: a short year, whose end is no fix': [
    [below('2020', '20.005.30539', 'custom')],
    { affected: '2020 20.001 20.005.30538', unknown: '19.9 20.005.30539' },
  ],
  'CVE-2024-36113, Discourse: channels': [
    ['stable < 3.2.3', 'tests-passed < 3.3.0.beta4-dev', 'beta < 3.3.0.beta3'].map((version) => ({ version })),
    { affected: '3.2.2 3.3.0.beta2', not_affected: '3.2.3 3.3.0 3.3.0.beta4', unknown: '3.4.0' },
  ],
  'CVE-2022-24762, sysend.js: a package as a bound': [
    [below('pkg:npm/sysend@0', 'pkg:npm/sysend@1.10.0', 'custom')],
    { affected: '1.9.0', not_affected: '1.10.0' },
  ],
  'CVE-2024-45504, InterScan WebManager: the last of a list': [
    ['9.1', 'and 9.1 Service Pack 4'].map((version) => ({ version })),
    { affected: '9.1', unknown: '9.2' },
  ],
})('%s', (versions, expected) => expectStatuses('cve', parseCve5Ranges({ versions }), expected))

eachCase<[Cve5Version[], Expected]>({
  'CVE-2024-1084: fixes beside an affected default are those of their branches': [
    gitHub,
    { affected: '3.7.0 3.8.14 3.11.4', not_affected: '3.8.15 3.8.16 3.11.5 3.12.0 3.12.2', unknown: '3.9.0 4.0.0' },
  ],
  'made by hand: a version that is excepted within what is affected is no fix': [
    [{ ...fixed('1.0.0', '2.0.0', '2.0.1') }, { version: '1.5.0', status: 'unaffected' }],
    { affected: '0.9.0 1.4.0 1.6.0 1.5.1', not_affected: '1.5.0 2.0.1' },
  ],
  'CVE-2024-0862: a patch by its name is no number, and the default counts': [
    [fixed('8.18.6', 'patch 4868', 'patch 4868')],
    { affected: '8.18.6 8.20.0' },
  ],
})('%s', (versions, expected) =>
  expectStatuses('cve', parseCve5Ranges({ versions, defaultStatus: 'affected' }), expected),
)

import { expect, test } from 'vitest'
import { compileName } from '../../worker/domain/versions/compiled'
import { judgeStatements } from '../../worker/domain/versions/affected'
import { parseCve5Ranges, type Cve5Affected } from '../../worker/domain/versions/cve5-status'
import type { AffectedRange } from '../../worker/domain/words/record'
import { parseVersionWords } from '../../worker/domain/versions/version-words'
import { fromOverride, Override } from '../../worker/feeds/nvd/overrides-record'
import { expectStatuses, type Expected } from '../support/verdicts'
import { asRange, asRanges } from '../support/ranges'
import { eachCase } from '../support/each-case'

// Starts and ends of real records, each cut down to the part that decides.

const until = (version: string, lessThan: string, versionType = 'semver') =>
  ({ version, lessThan, versionType, status: 'affected' }) as const
const through = (version: string, lessThanOrEqual: string, versionType = 'semver') =>
  ({ version, lessThanOrEqual, versionType, status: 'affected' }) as const

eachCase<[Cve5Affected, Expected]>({
  'CVE-2024-6685, GitLab: a start above the end': [
    {
      defaultStatus: 'unaffected',
      versions: [until('16.7', '17.1.7'), until('17.3', '17.2.5'), until('17.3', '17.3.2')],
    },
    { affected: '17.2.4 17.2.0 17.3 17.3.1 17.1.6', not_affected: '17.2.5 17.3.2 17.1.7 16.6' },
  ],
  'CVE-2023-45249, Acronis: a build is no pre-release': [
    { defaultStatus: 'unaffected', versions: [until('5.4.4', '5.4.4-132')] },
    { affected: '5.4.4 5.4.4-131', not_affected: '5.4.4-132 5.4.5 5.4.3' },
  ],
  'CVE-2024-8980, Liferay: an end that is a name': [
    { defaultStatus: 'unaffected', versions: [through('7.2.10', 'dxp-20', 'maven')] },
    { affected: '7.2.10' },
  ],
  'CVE-2023-41080, Tomcat: milestones go by their numbers, whatever the type says': [
    {
      defaultStatus: 'unaffected',
      versions: [through('11.0.0-M1', '11.0.0-M10'), through('10.1.0-M1', '10.0.12'), through('9.0.0-M1', '9.0.79')],
    },
    { affected: '11.0.0-M1 11.0.0-M5 11.0.0-M10 10.1.0-M1 9.0.0-M9 9.0.79', not_affected: '11.0.0-M11 11.0.0 9.0.80' },
  ],
  'CVE-2024-23672, Tomcat': [
    { defaultStatus: 'unaffected', versions: [through('11.0.0-M1', '11.0.0-M16')] },
    { affected: '11.0.0-M2 11.0.0-M9 11.0.0-M16', not_affected: '11.0.0-M17 11.0.0-M20' },
  ],
  'CVE-2024-24549, Tomcat: as it writes its milestones itself, too': [
    {
      defaultStatus: 'unaffected',
      versions: [
        through('11.0.0-M1', '11.0.0-M16'),
        through('10.1.0-M1', '10.1.18'),
        through('9.0.0-M1', '9.0.85'),
        through('8.5.0', '8.5.98'),
      ],
    },
    {
      affected: '11.0.0-M2 11.0.0-M9 11.0.0-M16 11.0.0.M5 10.1.0-M3 10.1.18 9.0.0-M27 9.0.0.M3 9.0.85 8.5.98',
      not_affected: '11.0.0-M17 11.0.0 10.1.19 9.0.86 8.5.99',
    },
  ],
  'CVE-2023-42795, Tomcat: an end of a branch beside that of the next': [
    {
      defaultStatus: 'unaffected',
      versions: [
        through('11.0.0-M1', '11.0.0-M11'),
        through('10.1.0-M1', '10.1.13'),
        through('9.0.0-M1', '9.0.80'),
        through('8.5.0', '8.5.93'),
      ],
    },
    { affected: '11.0.0-M5 11.0.0-M11 10.1.0-M10 9.0.0-M1 8.5.93', not_affected: '11.0.0-M12 10.1.14 9.0.81 8.5.94' },
  ],
  'Ubuntu: what stands behind a plus is no mere metadata': [
    { defaultStatus: 'unaffected', versions: [until('0', '1.1.1+esm5')] },
    { affected: '1.1.1+esm4 1.1.0', not_affected: '1.1.1+esm5 1.1.1+esm10' },
  ],
  'Adobe Commerce: the ninth patch is below the tenth': [
    { defaultStatus: 'unaffected', versions: [through('0', '2.4.4-p10')] },
    { affected: '2.4.4 2.4.4-p9 2.4.4-p10', not_affected: '2.4.4-p11' },
  ],
  'CVE-2024-9468, PAN-OS: each release has hotfixes of its own': [
    {
      defaultStatus: 'unaffected',
      versions: [
        {
          ...until('10.2.0', '10.2.9-h11', 'custom'),
          changes: ['10.2.9-h11', '10.2.10-h4', '10.2.11'].map((at) => ({ at, status: 'unaffected' as const })),
        },
      ],
    },
    {
      affected: '10.2.0 10.2.8-h9 10.2.9-h10 10.2.10 10.2.10-h3',
      not_affected: '10.2.9-h11 10.2.9-h12 10.2.10-h4 10.2.11 10.2.12 10.1.0',
    },
  ],
  'CVE-2024-0010, PAN-OS: an exception that begins above its end takes nothing back': [
    {
      defaultStatus: 'unaffected',
      versions: [
        until('10.1', '10.1.12', 'custom'),
        { ...until('11.0', '10.1.10-h1', 'custom'), status: 'unaffected' },
      ],
    },
    { affected: '10.1 10.1.9', not_affected: '10.1.12 11.0' },
  ],
  'two ranges in one text': [
    { defaultStatus: 'unaffected', versions: [{ version: '11.1.0-11.1.7 11.2.0-11.2.8', status: 'affected' }] },
    { affected: '11.1.0 11.1.5 11.2.8', not_affected: '11.1.8 11.2.9 11.0' },
  ],
  'a range from branch to branch': [
    { defaultStatus: 'unaffected', versions: [{ version: '1.2.x-1.4.x', status: 'affected' }] },
    { affected: '1.2.0 1.3 1.3.7 1.4.9', not_affected: '1.1.9 1.5.0' },
  ],
  'two versions in one text': [
    { defaultStatus: 'unaffected', versions: [{ version: '1.0/1.1', status: 'affected' }] },
    { affected: '1.0 1.1', not_affected: '1.2 0.9' },
  ],
  'CVE-2024-2051, Easergy T200: "prior" is all up to the version': [
    { defaultStatus: 'unaffected', versions: [{ version: 'SC2-04MOD-07000104', lessThanOrEqual: 'prior' }] },
    { affected: 'SC2-04MOD-07000103 SC2-04MOD-07000104', not_affected: 'SC2-04MOD-07000105' },
  ],
  'CVE-2024-3744, Azure File CSI: and so is a sign without a number': [
    { defaultStatus: 'unaffected', versions: [{ version: 'v1.29.3', lessThanOrEqual: '<=' }] },
    { affected: '1.28.0 1.29.3', not_affected: '1.29.4' },
  ],
  'CVE-2023-32182, SUSE: the builds of a package are no versions of the system': [
    { packageName: 'postfix', defaultStatus: 'unaffected', versions: [until('?', '3.7.3-150500.3.5.1', 'custom')] },
    { unknown: '15.5 3.7.3-150500.3.5.0' },
  ],
})('%s', (entry, expected) => expectStatuses('cve', parseCve5Ranges(entry), expected))

test('a SemVer of npm goes by the standard', () => {
  const ranges = asRanges('semver <1.0.0-rc2')
  expectStatuses('ghsa', ranges, { affected: '1.0.0-rc1 1.0.0-rc10', not_affected: '1.0.0-rc2 1.0.0' })
})

test('CVE-2024-3400, PAN-OS: the hotfix at the end is the fix', () => {
  const change = { at: '10.2.9-h1', status: 'unaffected' as const }
  const ranges = parseCve5Ranges({
    defaultStatus: 'unaffected',
    versions: [{ ...until('10.2.0', '10.2.9-h1', 'custom'), changes: [change] }],
  })
  const judge = (version: string) => judgeStatements(version, [{ source: 'cve', ranges }])
  expect(judge('10.2.9')).toMatchObject({ status: 'affected', fixed_in: '10.2.9-h1' })
  expect(judge('10.2.9-h1')).toMatchObject({ status: 'not_affected' })
})

test('CVE-2024-9400, Thunderbird: overrides repeat the ends of a CNA, each that of its branch', () => {
  const read = (...ends: [edition: string, versionEndExcluding: string][]) => {
    const cpeMatch = ends.map(([edition, versionEndExcluding]) => {
      return { vulnerable: true, criteria: `cpe:2.3:a:a:b:*:*:*:*:${edition}:*:*:*`, versionEndExcluding }
    })
    const raw = { _annotation: { cve_id: 'CVE-2024-9400' }, cve: { configurations: [{ nodes: [{ cpeMatch }] }] } }
    return fromOverride(Override.parse(raw)).affected?.[0]?.ranges ?? []
  }
  const expected = { affected: '115.0 128.2 129.0 130.0', not_affected: '128.3 128.4 131' }
  expectStatuses('overrides', read(['*', '128.3'], ['*', '131']), expected)
  // CVE-2008-5110, syslog-ng: a flaw fixed in one edition may be open in another.
  expectStatuses('overrides', read(['open', '2.0.10'], ['open', '2.1.3'], ['premium', '2.1.11']), {
    affected: '2.0.9 2.0.10 2.1.10',
    not_affected: '2.1.11',
  })
})

test('NVD has starts above ends, too, also among many versions', () => {
  const ranges = asRanges('a >=17.3 <17.2.5')
  const statements = [{ source: 'overrides', ranges }]
  expectStatuses('overrides', ranges, { affected: '17.3 17.2.4', not_affected: '17.2.5 17.3.1 17.1' })
  const judge = compileName([
    { vuln_ids: [1], statements },
    { vuln_ids: [2], statements: [{ source: 'nvd', ranges: ['a:17.0', 'a:18.0'] }] },
  ])
  for (const version of ['16.0', '17.0', '17.1', '17.2.4', '17.2.5', '17.3', '17.3.1', '18.0'])
    expect([version, judge({ version })[0]?.[1].status]).toEqual([version, judgeStatements(version, statements).status])
})

test.each([
  ['7.2.7 build1577', asRange('a <=7.2.7'), 'affected, likely'],
  ['7.2.7-build1577', asRange('<=7.2.7'), 'affected, likely'],
  ['7.2.8 build1', asRange('a <=7.2.7'), 'not_affected, likely'],
  ['7.2.7 build1577', asRange('a <7.2.7'), 'not_affected, likely'],
  ['7.2.7 build1577', { order: 'loose', le: '7.2.7 build1500' }, 'not_affected, likely'],
] satisfies [string, AffectedRange, string][])(
  'FortiOS as it names itself, %s, in %j is %s',
  (version, range, verdict) => {
    const { status, confidence } = judgeStatements(version, [{ source: 'nvd', ranges: [range] }])
    expect(`${status}, ${confidence}`).toBe(verdict)
  },
)

test('a date and a single number are no list of versions', () => {
  expect(parseVersionWords('11/2019')).toBeNull()
  expect(parseVersionWords('1.0 2')).toBeNull()
})

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { judgeStatements } from '../../worker/domain/versions/affected'
import { parseCve5Ranges, type Cve5Affected } from '../../worker/domain/versions/cve5-status'
import { parseOsvRanges } from '../../worker/domain/versions/osv-events'
import type { AffectedRange } from '../../worker/domain/words/record'
import { compareVersions } from '../../worker/domain/versions/versions'
import { expectStatuses, type Expected } from '../support/verdicts'
import { eachCase } from '../support/each-case'

// Versions in real records, each cut down to the part that decides.

const range = (version: string, lessThan: string, versionType = 'semver') =>
  ({ version, lessThan, versionType, status: 'affected' }) as const

const fixedAt = (...versions: string[]) => versions.map((at) => ({ at, status: 'unaffected' as const }))

eachCase<[Cve5Affected, Expected]>({
  'CVE-2024-1212, LoadMaster: four numbers are no semver': [
    { versions: [range('7.2.48.1', '7.2.48.10'), range('7.2.54.0', '7.2.54.8'), range('7.2.55.0', '7.2.59.2')] },
    { affected: '7.2.48.9 7.2.54.7 7.2.59.1', not_affected: '7.2.48.10 7.2.54.8 7.2.59.2', unknown: '7.3.1 8.0' },
  ],
  'CVE-2024-39515, Junos: 21.4R3-S8 is no pre-release': [
    { defaultStatus: 'unaffected', versions: [range('21.4', '21.4R3-S8')] },
    { affected: '21.4 21.4R1 21.4R3 21.4R3-S7', not_affected: '21.4R3-S8 21.4R3-S9 22.1R1 20.4R3' },
  ],
  'CVE-2024-39520, Junos Evolved: the name of the line stands behind each of its versions': [
    { defaultStatus: 'unaffected', versions: [range('22.4-EVO', '22.4R3-S1-EVO'), range('21.2-EVO', '21.2R3-S7-EVO')] },
    {
      affected: '22.4-EVO 22.4R1-EVO 22.4R2-S2-EVO 22.4R3-EVO 21.2R3-S6-EVO',
      not_affected: '22.4R3-S1-EVO 22.4R3-S2-EVO 23.2R1-EVO 21.2R3-S7-EVO 21.1R3-EVO 20.4-EVO',
    },
  ],
  'CVE-2023-44187, Junos Evolved: a branch alone may be any of its releases': [
    { defaultStatus: 'unaffected', versions: [range('0', '20.4R3-S7-EVO'), range('21.1R1', '21.1*')] },
    { affected: '20.4 21.1R1-EVO 21.1R3-S9-EVO', unknown: '21.1 21.1-EVO', not_affected: '20.4R3-S7-EVO 21.2' },
  ],
  'CVE-2023-44183, Junos: a branch that is affected from its second release on': [
    { defaultStatus: 'unaffected', versions: [range('18.4R2', '18.4*'), range('20.4', '20.4R3-S8')] },
    { affected: '18.4R2 18.4R3 20.4', unknown: '18.4', not_affected: '18.4R1 18.3 20.4R3-S8' },
  ],
  'CVE-2024-30389, Junos: a branch of which all before the first release is not affected': [
    {
      defaultStatus: 'unaffected',
      versions: [range('21.4', '21.4R3-S6'), { ...range('21.4', '21.4R1'), status: 'unaffected' }],
    },
    { affected: '21.4R1 21.4R3-S5', unknown: '21.4', not_affected: '21.4R3-S6 21.3' },
  ],
  'CVE-2023-38551, Connect Secure: the fixes of its branches, each called its own end': [
    { defaultStatus: 'unaffected', versions: [range('22.7R2', '22.7R2'), range('9.1R18.6', '9.1R18.6')] },
    { affected: '9.1R18.5 22.7R1', not_affected: '22.7R2 22.7R3' },
  ],
  'CVE-2023-5217, Firefox ESR: the line is no later release': [
    { defaultStatus: 'unaffected', versions: [range('115', '115.3.1esr', 'custom')] },
    { affected: '115.0 115.3esr 115.3.0', not_affected: '115.3.1 115.3.1esr 115.4esr' },
  ],
  'CVE-2024-38859, Checkmk: a patch comes after the release': [
    { defaultStatus: 'unaffected', versions: [range('2.2.0', '2.2.0p33')] },
    { affected: '2.2.0 2.2.0p1 2.2.0p32', not_affected: '2.2.0p33 2.2.0p34 2.1.0p40' },
  ],
  'CVE-2023-47148, Storage Protect: 10.1.15.2 is no pre-release of 10.1.1': [
    {
      defaultStatus: 'unaffected',
      versions: [{ version: '10.1.0', lessThanOrEqual: '10.1.15.2', versionType: 'semver', status: 'affected' }],
    },
    { affected: '10.1.0 10.1.14.9 10.1.15.2', not_affected: '10.1.15.3 10.1.16' },
  ],
  'true semver: a pre-release is below its release': [
    { defaultStatus: 'unaffected', versions: [range('6.1.0', '6.2.0-rc.2')] },
    { affected: '6.1.0 6.2.0-rc.1 6.2.0-alpha', not_affected: '6.2.0-rc.2 6.2.0' },
  ],
  'CVE-2021-2026, Oracle Marketing: from one version to another without a space, twice': [
    { versions: [{ version: '12.1.1-12.1.3' }, { version: '12.2.3-12.2.10' }] },
    { affected: '12.1.1 12.1.3 12.2.3 12.2.7 12.2.10', unknown: '12.1.4 12.2.2 12.2.11' },
  ],
  'CVE-2023-21851, Oracle Marketing: the same once': [
    { versions: [{ version: '12.2.3-12.2.12' }] },
    { affected: '12.2.3 12.2.7 12.2.12', unknown: '12.2.2 12.2.13' },
  ],
  'CVE-2019-2781, Hospitality Suite8: with two numbers each': [
    { versions: [{ version: '8.11-8.14' }] },
    { affected: '8.11 8.12 8.14', unknown: '8.10 8.15' },
  ],
  'CVE-2024-21723, Joomla: between two branches, and called semver': [
    { versions: [{ version: '1.5.0-3.10.14', versionType: 'semver' }] },
    { affected: '1.5.0 2.5.28 3.10.14', unknown: '1.0.0 3.10.15' },
  ],
  'CVE-2024-9174, Hubshare: from 0+ on': [
    { defaultStatus: 'unaffected', versions: [range('0+', '5.0.8.6')] },
    { affected: '1.0 5.0.8.5', not_affected: '5.0.8.6 5.1' },
  ],
  '1.5.0+, a version and all above it': [
    { defaultStatus: 'unaffected', versions: [{ version: '1.5.0+' }] },
    { affected: '1.5.0 1.6 2.0', not_affected: '1.4.9' },
  ],
  'CVE-2019-2753, Oracle Text: what a record leaves out is unknown': [
    { versions: [{ version: '12.1.0.2' }, { version: '12.2.0.1' }] },
    { affected: '12.1.0.2 12.2.0.1', unknown: '12.2.0.0 19.3' },
  ],
  'CVE-2024-3094, XZ: what a record calls unaffected by default is not affected': [
    { defaultStatus: 'unaffected', versions: [{ version: '5.6.0' }, { version: '5.6.1' }] },
    { affected: '5.6.0 5.6.1', not_affected: '5.4.6 5.6.2' },
  ],
  'CVE-2024-4577, PHP: nobody means an affected default beside affected branches that end': [
    { defaultStatus: 'affected', versions: [range('8.1.*', '8.1.29'), range('8.2.*', '8.2.20')] },
    { affected: '8.1.28 8.2.19', not_affected: '8.1.29 8.2.20', unknown: '7.4.33 8.3.1' },
  ],
  'an affected default with an exception is meant': [
    {
      defaultStatus: 'affected',
      versions: [{ version: '4.16.2', lessThan: '*', status: 'unaffected', versionType: 'semver' }],
    },
    { affected: '4.16.1 4.15.9', not_affected: '4.16.2 4.17.0' },
  ],
  'CVE-2024-47489, Junos Evolved: of two ends in one each is that of its branch': [
    { defaultStatus: 'unaffected', versions: [range('23.4', '23.4R1-S1-EVO, 23.4R2-EVO')] },
    { affected: '23.4R1-EVO', not_affected: '23.4R1-S1-EVO 23.4R2-EVO 24.1' },
  ],
  'CVE-2024-42258, Linux: a backport brought the fault into a branch that began before it': [
    {
      defaultStatus: 'affected',
      versions: [
        { version: '6.8' },
        { ...range('0', '6.8', 'custom'), status: 'unaffected' },
        { version: '6.1.105', lessThanOrEqual: '6.1.*', status: 'unaffected' },
        { version: '6.10.3', lessThanOrEqual: '6.10.*', status: 'unaffected' },
        { version: '6.11', lessThanOrEqual: '*', status: 'unaffected' },
      ],
    },
    { affected: '6.8 6.9 6.10.2', not_affected: '6.0.19 6.1 6.1.105 6.1.106 6.7.9 6.10.3', unknown: '6.1.1 6.1.104' },
  ],
  'CVE-2024-7594, Vault Enterprise: the fix of each branch as a change of one range': [
    {
      defaultStatus: 'unaffected',
      versions: [{ ...range('1.7.7', '1.17.6'), changes: fixedAt('1.16.10', '1.15.15') }],
    },
    {
      affected: '1.7.7 1.15.14 1.16.0 1.16.9 1.17.0 1.17.5',
      not_affected: '1.7.6 1.15.15 1.15.99 1.16.10 1.17.6 1.18.0',
    },
  ],
  'CVE-2024-7347, NGINX: the same without end': [
    { versions: [{ ...range('1.5.13', '*'), changes: fixedAt('1.26.2', '1.27.1') }] },
    { affected: '1.26.1 1.27.0', not_affected: '1.26.2 1.26.3 1.27.1 1.28.0', unknown: '1.5.12' },
  ],
  'CVE-2024-22155, WooCommerce: of what lies between the last affected one and the fix nobody speaks': [
    {
      defaultStatus: 'unaffected',
      versions: [{ version: 'n/a', lessThanOrEqual: '8.5.2', changes: fixedAt('8.6.0') }],
    },
    { affected: '8.5.2', unknown: '8.5.3 8.5.9', not_affected: '8.6.0 8.6.1' },
  ],
  'CVE-2024-26581, Linux: versions by commits alone say nothing of numbers': [
    { defaultStatus: 'unaffected', versions: [range('8284a79136c3', 'c60d252949ca', 'git')] },
    { affected: '8284a79136c3', not_affected: 'c60d252949ca', unknown: '6.1.5 60c0c230c6f0' },
  ],
  'CVE-2024-21160, MySQL Server: "8.0.36 and prior" beside "8.3.0 and prior"': [
    { versions: ['8.0.36 and prior', '8.3.0 and prior'].map((version) => ({ version, status: 'affected' })) },
    { affected: '5.7.44 8.0.36 8.1.0 8.3.0', unknown: '8.0.37 8.0.99 8.3.1' },
  ],
  'CVE-2023-32418, macOS: the ends of three branches, whose beginnings nobody names': [
    {
      versions: ['11.7', '12.6', '13.5'].map((lessThan) => ({
        version: '0',
        status: 'affected',
        lessThan,
        versionType: 'custom',
      })),
    },
    { affected: '11.6 12.0 12.5.1 13.4', not_affected: '11.7 11.7.1 12.6 12.7 13.5', unknown: '14.0' },
  ],
  'the end of one branch is within that of the next only where both are of one branch': [
    { versions: ['1.2.3', '1.2.9'].map((lessThan) => ({ version: '0', status: 'affected', lessThan })) },
    { affected: '1.2.2 1.2.3 1.2.8', not_affected: '1.2.9 1.2.10', unknown: '1.3' },
  ],
})('%s', (entry, expected) => expectStatuses('cve', parseCve5Ranges(entry), expected))

test.each(['10.1.15.2', '21.4R3-S8', '2.2.0p33', '19.03.1', '1.2.3.4-beta', '01.2.3'])('%s is no semver', (version) => {
  for (const order of ['semver', 'golang'] as const) expect(compareVersions(order, version, '1.0.0')).toBeNull()
})

test.each(['2.0.18-13', '7.1.1-7051', '6.95-1.1', '2.4.6-1.1', '11.8.0-414', '14.0.2-14.0.2', '3.5.2-3.5.1'])(
  '%s is one version',
  (version) => {
    expectStatuses('cve', parseCve5Ranges({ versions: [{ version }] }), { affected: version, unknown: '2.1 12.0' })
  },
)

test('CVE-2021-39371, pywps: a branch among the enumerated versions is no number', () => {
  const ranges = parseOsvRanges({ versions: ['4.2.0', '4.4.5', 'trunk'] }, 'pypi')
  expectStatuses('osv/PYSEC-2021-869', ranges, {
    affected: '4.2.0 trunk',
    not_affected: '4.5.0',
    unknown: 'see_the_vendor',
  })
})

test('CVE-2023-40542, BIG-IP: a branch without end holds all above it, as the standard has it', () => {
  const bigIp: Cve5Affected = {
    defaultStatus: 'unknown',
    versions: [
      { ...range('17.1.0', '*'), status: 'unaffected' },
      range('16.1.0', '16.1.4'),
      range('15.1.0', '15.1.9'),
      range('14.1.0', '*'),
    ],
  }
  expectStatuses('cve', parseCve5Ranges(bigIp), {
    affected: '14.1.5 15.1.8 16.1.3 16.1.4',
    not_affected: '17.1.0 17.1.1',
    unknown: '13.1.0',
  })
})

test("CVE-2024-3094, XZ: Debian's build 5.6.1-1 is of the version with the backdoor", () => {
  const xz: Cve5Affected = { defaultStatus: 'unaffected', versions: [{ version: '5.6.0' }, { version: '5.6.1' }] }
  expectStatuses('cve', parseCve5Ranges(xz), {
    affected: '5.6.1-1 5.6.0-0.2 1:5.6.1-3+deb13u1 5.6.1+dfsg-1 5.6.1-2.el9',
    not_affected: '5.6.1+really5.4.5-1 5.4.1-0.2 5.6.2-1',
  })
  expect(judgeStatements('5.6.1-1', [{ source: 'cve', ranges: parseCve5Ranges(xz) }]).confidence).toBe('likely')
})

test('CVE-2026-21483, listmonk: a pseudo-version of Go is no build of a distribution', () => {
  const ranges: AffectedRange[] = [{ order: 'golang', ge: '1.1.1', lt: '6.0.0' }]
  expectStatuses('osv/GO-2026-4283', ranges, { not_affected: '1.1.1-0.20251231125615-abcdefabcdef', affected: '1.1.1' })
})

test('CVE-2018-3131, Hospitality Gift and Loyalty: a full stop at the end is no part of a version', () => {
  expect(parseCve5Ranges({ versions: [{ version: '9.0.' }] })).toEqual(['a:9.0'])
})

test('a build stays a build where the source names builds, and a pre-release one of its order', () => {
  expectStatuses('nvd', [{ cpe: 'a', lt: '11.8.0-414' }], { affected: '11.8.0-413', not_affected: '11.8.0-500' })
  expectStatuses('osv/DSA-1', [{ order: 'deb', lt: '1.2-3' }], { affected: '1.2-2', not_affected: '1.2-4' })
})

test('each departure of the README has a record, and the record a test', () => {
  const readme = readFileSync(new URL('../../worker/domain/README.md', import.meta.url), 'utf8')
  const [, departures = ''] = readme.split('## Departures')
  const ids = new Set(departures.match(/CVE-\d{4}-\d+/g))
  expect(ids.size).toBeGreaterThan(10)
  const folder = new URL('../', import.meta.url)
  const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(?:domain|worker).*\.test\.ts$/.test(name))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  expect([...ids].filter((id) => !tests.some((text) => text.includes(id)))).toEqual([])
})

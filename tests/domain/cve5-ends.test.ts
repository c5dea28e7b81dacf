import { expect, test } from 'vitest'
import { judgeStatements } from '../../worker/domain/versions/affected'
import { leaveLateFixesOpen } from '../../worker/domain/versions/later-fixes'
import { readCve5 } from '../support/cve5-read'
import { asRanges } from '../support/ranges'
import { expectStatuses, type Expected } from '../support/verdicts'
import { eachCase } from '../support/each-case'

const text = (value: string) => [{ lang: 'en', value }]
/** Products of a record by a CNA. */
const readAffected = (assignerShortName: string, { summary = 'A flaw.', ...cna }: Record<string, unknown>) =>
  readCve5({
    cveMetadata: { cveId: 'CVE-2024-0001', state: 'PUBLISHED', assignerShortName },
    containers: { cna: { descriptions: text(String(summary)), ...cna } },
  }).affected ?? []
const element = (product: string, ...versions: Record<string, unknown>[]) => ({
  vendor: 'Example',
  product,
  defaultStatus: 'unaffected',
  versions: versions.map((version) => ({ status: 'affected', versionType: 'custom', ...version })),
})

type Written = { assigner: string; product: string; summary?: string; versions: string[] }

/** Records whose elements begin where they end, as the form of HackerOne has them. */
function judge(version: string, { assigner, product, summary, versions }: Written) {
  const ends = versions.map((end) => ({ version: end, lessThanOrEqual: end, versionType: 'semver' }))
  const ranges = readAffected(assigner, { summary, affected: [element(product, ...ends)] })[0]?.ranges ?? []
  const { status, confidence } = judgeStatements(version, [{ source: 'cve', ranges }])
  return status === 'unknown' ? status : `${status}, ${confidence}`
}

const node = { assigner: 'hackerone', product: 'Node', versions: ['20.12.0', '21.7.2', '18.20.0'] }
const curl = { assigner: 'curl', product: 'curl', versions: ['8.6.0', '8.5.0'] }

test.each([
  ['CVE-2024-27982, Node.js', '20.11.0', node, 'affected, likely'],
  ['CVE-2024-27982, Node.js, the last of its branch', '20.12.0', node, 'affected, likely'],
  ['CVE-2024-27982, Node.js, behind the last of its branch', '18.20.1', node, 'unknown'],
  ['CVE-2024-27982, Node.js, behind all', '21.7.3', node, 'not_affected, confirmed'],
  ['CVE-2024-39717, Versa', '22.1.0', { ...node, versions: ['21.2.2', '22.1.1'] }, 'affected, likely'],
  ['curl lists each version', '8.4.0', curl, 'not_affected, confirmed'],
  ['curl lists each version, this too', '8.5.0', curl, 'affected, confirmed'],
  ['curl of HackerOne', '8.4.0', { ...curl, assigner: 'hackerone' }, 'not_affected, confirmed'],
  [
    'CVE-2021-36870: the summary',
    '8.1.0',
    { assigner: 'Patchstack', product: 'WP', summary: 'XSS in WP (versions <= 8.1.12).', versions: ['8.1.12'] },
    'affected, likely',
  ],
  [
    'and behind',
    '8.1.0',
    { assigner: 'other', product: 'WP', summary: 'WP 8.1.12 and earlier are open.', versions: ['8.1.12'] },
    'affected, likely',
  ],
  [
    'one version alone',
    '8.1.0',
    { assigner: 'other', product: 'WP', summary: 'WP 8.1.12 is open.', versions: ['8.1.12'] },
    'not_affected, confirmed',
  ],
])('%s: %s', (_, version, record, verdict) => expect(judge(version, record)).toBe(verdict))

const cpe = (product: string) => [`cpe:2.3:a:microsoft:${product}:*:*:*:*:*:*:*:*`]
const microsoft = (product: string, name: string, version: string, lessThan: string) => ({
  vendor: 'Microsoft',
  product,
  cpes: cpe(name),
  versions: [{ version, lessThan, status: 'affected', versionType: 'custom' }],
})

eachCase<[string, ReturnType<typeof microsoft>[], Expected]>({
  'CVE-2021-1675, Windows: three releases by the name of one': [
    'windows_10_1809',
    [
      microsoft('Windows 10 Version 1809', 'windows_10_1809', '10.0.0', '10.0.17763.1999'),
      microsoft('Windows 10 Version 1909', 'windows_10_1809', '10.0.0', '10.0.18363.1621'),
      microsoft('Windows 10 Version 2004', 'windows_10_1809', '10.0.0', '10.0.19041.1052'),
    ],
    {
      affected: '10.0.17763.1998 10.0.18363.1620 10.0.19041.1051',
      not_affected: '10.0.17763.1999 10.0.17763.2300 10.0.18363.1621 10.0.19041.1052',
    },
  ],
  'CVE-2024-21386, ASP.NET Core: the last branch begins at 1.0.0': [
    'asp.net_core',
    [
      microsoft('ASP.NET Core 6.0', 'asp.net_core', '6.0', '6.0.27'),
      microsoft('ASP.NET Core 7.0', 'asp.net_core', '7.0.0', '7.0.16'),
      microsoft('ASP.NET Core 8.0', 'asp.net_core', '1.0.0', '8.0.2'),
    ],
    { affected: '6.0.26 7.0.15 8.0.1', not_affected: '6.0.27 7.0.16 8.0.2' },
  ],
  'CVE-2022-30187: libraries for several languages are no branches': [
    'azure_storage_blobs',
    ['12.4.0', '12.13.0'].map((end) => microsoft('Azure Storage Blobs', 'azure_storage_blobs', '12.0.0', end)),
    { affected: '12.3.0 12.4.0', not_affected: '12.13.0' },
  ],
})('%s', (product, affected, expected) => {
  const read = readAffected('microsoft', { affected }).find((one) => one.product === product)
  expectStatuses('cve', read?.ranges ?? [], expected)
})

const before = (lessThan: string) => ({ version: 'unspecified', lessThan, status: 'affected', versionType: 'custom' })

eachCase<[string, string[], Expected]>({
  'CVE-2023-41077, macOS: the number that the form of Apple cuts off': [
    'This issue is fixed in macOS Ventura 13.6.1. An app may be able to access protected user data.',
    ['13.6'],
    { affected: '13.5 13.6 13.6.0', not_affected: '13.6.1 13.7', unknown: '14.0' },
  ],
  'CVE-2023-42823, macOS: of several branches': [
    'This issue is fixed in watchOS 10.1, macOS Sonoma 14.1, macOS Monterey 12.7.1, macOS Ventura 13.6.1. An app may.',
    ['14.1', '13.6', '12.7'],
    { affected: '12.7 13.6 14.0', not_affected: '12.7.1 12.8 13.6.1 14.1' },
  ],
  'CVE-2024-44176, macOS: an end that is whole is the fix': [
    'This issue is fixed in macOS Ventura 13.7, iOS 18 and iPadOS 18, macOS Sonoma 14.7, macOS Sequoia 15. An app.',
    ['13.7', '15', '14.7'],
    { affected: '13.6.9 14.6.1', not_affected: '13.7 13.7.1 14.7 15' },
  ],
  'made by hand: an end that the summary does not tell may lack its last number': [
    'This issue is fixed in macOS Ventura 13.7. Exploited before macOS 12.6.9.',
    ['13.7', '12.6'],
    { affected: '12.5 13.6', unknown: '12.6 12.6.9', not_affected: '13.7' },
  ],
})('%s', (summary, ends, expected) => {
  const affected = ends.map((end) => ({ vendor: 'Apple', product: 'macOS', versions: [before(end)] }))
  expectStatuses('cve', readAffected('apple', { summary, affected })[0]?.ranges ?? [], expected)
})

const moxa = 'One: Upgrade to the 1.4.1 version. Manager: Upgrade to the 1.0.3 version.'

test.each<[string, string, string[], Expected]>([
  [
    'CVE-2024-31409, CyberPower: a later fix than the end',
    'A new version (v4.10.1 or later version) fixes it.',
    ['4.9.0'],
    { affected: '4.8.9', unknown: '4.9.0 4.10.0', not_affected: '4.10.1' },
  ],
  ['CVE-2024-6785, Moxa: of two products', moxa, ['1.3.0', '1.0.0'], { affected: '1.2.9', unknown: '1.3.0' }],
  ['and the other', moxa, ['1.0.0', '1.3.0'], { affected: '0.9', unknown: '1.0.0', not_affected: '1.0.3' }],
  ['the fix is the end of another', moxa, ['1.0.0', '1.0.3', '1.4.1'], { not_affected: '1.0.0' }],
  ['the end is named', 'Upgrade to 3.1.4, or to 3.2.7.', ['3.1.4'], { affected: '3.1.3', not_affected: '3.1.4' }],
  ['another branch', 'Upgrade to 5.0.2.', ['3.1.4'], { affected: '3.1.3', not_affected: '3.1.4' }],
  ['no version of numbers', 'See 10.x, 3.1.4-rc1 and §4.', ['3.1.3'], { affected: '3.1.2', not_affected: '3.1.3' }],
])('solutions, %s', (_, solution, ends, expected) => {
  const affected = ends.map((lessThan, at) => element(`Widget ${at}`, { version: '0', lessThan }))
  const [first] = readAffected('example', { solutions: text(solution), affected })
  expectStatuses('cve', first?.ranges ?? [], expected)
})

test('a fix of the solution later than the end of the range is the version that is not listed any more', () => {
  const ranges = leaveLateFixesOpen('Upgrade to 4.10.1.', [
    { vendor: 'a', product: 'b', ranges: asRanges('<4.9.0', 'loose unaffected') },
  ]).flatMap((one) => one.ranges)
  const statements = [{ source: 'cve', ranges }]
  const judgeOpen = (version: string) => judgeStatements(version, statements)
  const reason = 'A range that contains it is told by the words of the record alone, not by its list of versions.'
  expect(judgeOpen('4.8.9')).toMatchObject({ status: 'affected', fixed_in: null, first_unlisted: '4.10.1' })
  expect(judgeOpen('4.9.0')).toMatchObject({ status: 'unknown', first_unlisted: '4.10.1', reason })
  const beside = (lt: string) => [...statements, { source: 'nvd', ranges: [{ cpe: 'a', lt }] }]
  expect(judgeStatements('4.9.0', beside('4.9.0'))).toMatchObject({ status: 'unknown', first_unlisted: '4.10.1' })
  expect(judgeStatements('4.9.0', beside('4.8.9'))).toMatchObject({ status: 'not_affected', source: 'nvd' })
})

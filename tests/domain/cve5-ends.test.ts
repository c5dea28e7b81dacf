import { expect, test } from 'vitest'
import { judgeStatements } from '../../worker/domain/versions/affected'
import { fromCve5 } from '../../worker/feeds/cve5/record'
import { Cve5 } from '../../worker/feeds/cve5/schema'
import { expectStatuses } from '../support/verdicts'
import type { Expected } from '../support/verdicts'

type Written = { assigner: string; product: string; summary?: string; versions: string[] }

/** Records whose elements begin where they end, as the form of HackerOne has them. */
function judge(version: string, { assigner, product, summary = 'A flaw.', versions }: Written) {
  const cna = {
    descriptions: [{ lang: 'en', value: summary }],
    affected: [
      {
        vendor: 'Example',
        product,
        defaultStatus: 'unaffected',
        versions: versions.map((one) => ({
          version: one,
          lessThanOrEqual: one,
          status: 'affected',
          versionType: 'semver',
        })),
      },
    ],
  }
  const record = fromCve5(
    Cve5.parse({
      cveMetadata: { cveId: 'CVE-2024-0001', state: 'PUBLISHED', assignerShortName: assigner },
      containers: { cna },
    }),
  )
  const ranges = record.affected?.[0]?.ranges ?? []
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
const element = (product: string, name: string, version: string, lessThan: string) => ({
  vendor: 'Microsoft',
  product,
  cpes: cpe(name),
  versions: [{ version, lessThan, status: 'affected', versionType: 'custom' }],
})

test.each<[string, string, ReturnType<typeof element>[], Expected]>([
  [
    'CVE-2021-1675, Windows: three releases by the name of one',
    'windows_10_1809',
    [
      element('Windows 10 Version 1809', 'windows_10_1809', '10.0.0', '10.0.17763.1999'),
      element('Windows 10 Version 1909', 'windows_10_1809', '10.0.0', '10.0.18363.1621'),
      element('Windows 10 Version 2004', 'windows_10_1809', '10.0.0', '10.0.19041.1052'),
    ],
    {
      affected: '10.0.17763.1998 10.0.18363.1620 10.0.19041.1051',
      not_affected: '10.0.17763.1999 10.0.17763.2300 10.0.18363.1621 10.0.19041.1052',
    },
  ],
  [
    'CVE-2024-21386, ASP.NET Core: the last branch begins at 1.0.0',
    'asp.net_core',
    [
      element('ASP.NET Core 6.0', 'asp.net_core', '6.0', '6.0.27'),
      element('ASP.NET Core 7.0', 'asp.net_core', '7.0.0', '7.0.16'),
      element('ASP.NET Core 8.0', 'asp.net_core', '1.0.0', '8.0.2'),
    ],
    { affected: '6.0.26 7.0.15 8.0.1', not_affected: '6.0.27 7.0.16 8.0.2' },
  ],
  [
    'CVE-2022-30187: libraries for several languages are no branches',
    'azure_storage_blobs',
    ['12.4.0', '12.13.0'].map((end) => element('Azure Storage Blobs', 'azure_storage_blobs', '12.0.0', end)),
    { affected: '12.3.0 12.4.0', not_affected: '12.13.0' },
  ],
])('%s', (_, product, affected, expected) => {
  const parsed = Cve5.parse({
    cveMetadata: { cveId: 'CVE-2024-0001', state: 'PUBLISHED', assignerShortName: 'microsoft' },
    containers: { cna: { descriptions: [{ lang: 'en', value: 'A flaw.' }], affected } },
  })
  const own = fromCve5(parsed).affected?.find((one) => one.product === product)
  expectStatuses('cve', own?.ranges ?? [], expected)
})

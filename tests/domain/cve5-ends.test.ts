import { expect, test } from 'vitest'
import { judgeStatements } from '../../worker/domain/affected'
import { fromCve5 } from '../../worker/feeds/cve5/record'
import { Cve5 } from '../../worker/feeds/cve5/schema'

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

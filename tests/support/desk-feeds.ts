import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { aCsaf, aCsafVuln } from './csaf.ts'
import { aCve5 } from './cve5.ts'
import { aModule, aRow, exploitsFile } from './exploits.ts'
import { feedsFolder } from './feeds-folder.ts'
import { aCve, affecting, aKevEntry, aMatch, aMetric } from './records.ts'

/** The CVEs of the desk: one that every source knows, one for each range of widget, and a page of others. */
export const knownCve = 'CVE-2026-10001'
export const middle = 'CVE-2026-10002'
export const single = 'CVE-2026-10003'

const others = Array.from({ length: 9 }, (_, at) =>
  aCve(`CVE-2026-2000${at}`, {
    descriptions: [{ lang: 'en', value: `A buffer of Thing ${at} is read beyond its end.` }],
    configurations: affecting(aMatch('other', `thing_${at}`)),
    metrics: { cvssMetricV31: [aMetric('3.1', 5.3, 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N')] },
  }),
)

const cves = [
  aCve(knownCve),
  aCve(middle, {
    configurations: affecting(aMatch('acme', 'widget', { versionStartIncluding: '2.0', versionEndExcluding: '3.1' })),
    metrics: { cvssMetricV31: [aMetric('3.1', 6.1, 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N')] },
  }),
  aCve(single, {
    configurations: affecting(aMatch('acme', 'widget', { criteria: 'cpe:2.3:a:acme:widget:1.4:*:*:*:*:*:*:*' })),
    metrics: { cvssMetricV2: [aMetric('2.0', 7.5, 'AV:N/AC:L/Au:N/C:P/I:P/A:P')] },
  }),
  aCve('CVE-2026-10004', { metrics: {} }),
  ...others,
]

const files: Record<string, unknown> = {
  'cisa-kev/known_exploited_vulnerabilities.json': {
    catalogVersion: '2',
    count: 1,
    vulnerabilities: [aKevEntry(knownCve)],
  },
  [`cve5/extra/${knownCve}.json`]: aCve5(knownCve),
  'exploitdb/files_exploits.csv': exploitsFile(
    aRow({ codes: knownCve, description: 'Acme Widget 1.4 - Code Execution' }),
  ),
  'metasploit/modules_metadata_base.json': {
    widget: aModule({ name: 'Acme Widget', rank: 600, references: [knownCve] }),
  },
  'csaf/redhat/2026/acsa-26-001.json': aCsaf({ vulnerabilities: [aCsafVuln(knownCve)] }),
  'cwe/cwe_v1.json': {
    weaknesses: [{ id: '79', name: 'Cross-site Scripting', abstraction: 'Base', description: 'Input stays as it is.' }],
  },
  'osv/misc/PYSEC-2026-1.json': {
    id: 'PYSEC-2026-1',
    modified: '2026-11-18T10:00:00Z',
    published: '2026-11-01T10:00:00Z',
    aliases: [knownCve],
    summary: 'Widget opens the door',
    details: 'Widget opens the door to anybody who knocks.',
    affected: [
      {
        package: { ecosystem: 'PyPI', name: 'acme-widget' },
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '2.0' }] }],
      },
    ],
  },
}

/** A folder of feeds with something for every screen of the desk. */
export function deskFeeds() {
  const { folder } = feedsFolder(cves)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return folder
}

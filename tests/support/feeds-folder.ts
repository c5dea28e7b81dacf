import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** A folder of feeds as the mirror serves it, filled with these NVD records; later ones arrive as a delta. */
export function feedsFolder(cves: unknown[]) {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-feeds-'))
  const write = (path: string, data: string | Buffer) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), data)
  }
  write('nvd/2.0/nvdcve-2.0-fixture.json', page(cves))
  write(
    'cisa-kev/known_exploited_vulnerabilities.json',
    JSON.stringify({ catalogVersion: '1', count: 0, vulnerabilities: [] }),
  )
  // Older ones would count as late.
  const today = new Date().toISOString().slice(0, 10)
  const epss = `#model_version:test,score_date:${today}T00:00:00+0000\ncve,epss,percentile\nCVE-2026-10001,0.5,0.9\n`
  write('epss/epss_scores-current.csv.gz', gzipSync(epss))
  let deltas = 0
  return { folder, arrive: (more: unknown[]) => write(`nvd/delta/${++deltas}.json`, page(more)) }
}

const page = (cves: unknown[]) =>
  JSON.stringify({
    resultsPerPage: cves.length,
    startIndex: 0,
    totalResults: cves.length,
    format: 'NVD_CVE',
    version: '2.0',
    timestamp: '2026-11-01T00:00:00.000',
    vulnerabilities: cves.map((cve) => ({ cve })),
  })

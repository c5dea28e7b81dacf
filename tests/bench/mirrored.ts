import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { startMirror } from '../../scripts/mirror.ts'
import { osvEcosystems } from '../../scripts/mirror/packages-osv.ts'

const changedYear = 2024

export type PublishedCve = {
  cveMetadata: { cveId: string; dateUpdated?: string }
  containers: { cna: { descriptions?: { lang: string; value: string }[]; metrics?: unknown[]; affected?: unknown[] } }
}

export const readPublished = (folder: string) =>
  JSON.parse(gunzipSync(readFileSync(join(folder, `cve5/cves-${changedYear}.json.gz`))).toString()) as PublishedCve[]

export function writeRecords(folder: string, records: PublishedCve[]) {
  mkdirSync(join(folder, 'cve5/delta'), { recursive: true })
  writeFileSync(join(folder, 'cve5/delta/delta.json'), JSON.stringify(records))
}

type Get = (path: string) => Promise<string>

/** Makes the mirror compose its files in advance, so that we do not measure its work. */
export const warmMirror = (folder: string, cache: string) =>
  withMirror(folder, cache, async (get) => {
    for (let year = 2002; year <= new Date().getUTCFullYear(); year++)
      await get(`/nvd/feeds/nvdcve-2.0-${year}.json.gz`)
    await getReleases(get)
    for (const ecosystem of osvEcosystems(folder)) await get(`/osv/${ecosystem}/all.zip`)
    for (const path of [
      '/anchore/nvd-data-overrides/zip/refs/heads/main',
      '/redhat/cve.json',
      '/nomi-sec/PoC-in-GitHub/zip/refs/heads/master',
    ])
      await get(path)
  })

/** The same for the archives of the CVE list alone: the real origin has them ready, too. */
export const warmCveList = (folder: string, cache: string) => withMirror(folder, cache, getReleases)

async function getReleases(get: Get) {
  for (const [, url = ''] of (await get('/cve/releases')).matchAll(/"browser_download_url":\s*"([^"]+)"/g))
    await get(url)
}

async function withMirror(folder: string, cache: string, work: (get: Get) => Promise<void>) {
  const mirror = await startMirror({ folder, cache })
  await work(async (path) => {
    const response = await fetch(new URL(path, mirror.url))
    // The mirror answers 404 for files that its folder lacks.
    const bytes = await response.arrayBuffer()
    return response.ok ? new TextDecoder().decode(bytes.slice(0, 1_000_000)) : ''
  })
  await mirror.close()
}

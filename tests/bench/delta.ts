import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { signInByApi } from '../support/product.ts'
import { startMirror } from '../../scripts/mirror.ts'
import { osvEcosystems } from '../../scripts/mirror/packages-osv.ts'

const changedRecords = 1_000
const unchangedRecords = 20_000
const deltaYear = 2024
const quiet_ms = 5_000

export type PublishedCve = {
  cveMetadata: { cveId: string; dateUpdated?: string }
  containers: { cna: { descriptions?: { lang: string; value: string }[]; metrics?: unknown[]; affected?: unknown[] } }
}

export const readPublished = (folder: string) =>
  JSON.parse(gunzipSync(readFileSync(join(folder, `cve5/cves-${deltaYear}.json.gz`))).toString()) as PublishedCve[]

export function writeRecords(folder: string, records: PublishedCve[]) {
  mkdirSync(join(folder, 'cve5/delta'), { recursive: true })
  writeFileSync(join(folder, 'cve5/delta/delta.json'), JSON.stringify(records))
}

/** An hour's delta of the CVE list with 21,000 known records, of which 1,000 have a new text. */
export function writeDelta(folder: string) {
  const published = readPublished(folder).filter(({ containers }) => containers.cna.descriptions?.length)
  const records = published.slice(0, changedRecords + unchangedRecords)
  for (const { cveMetadata, containers } of records.slice(0, changedRecords)) {
    cveMetadata.dateUpdated = new Date().toISOString()
    containers.cna.descriptions = [{ lang: 'en', value: `Said otherwise: ${cveMetadata.cveId}` }]
  }
  writeRecords(folder, records)
  const cveids = records.map(({ cveMetadata }) => cveMetadata.cveId)
  return { cveids, changed: new Set(cveids.slice(0, changedRecords)) }
}

/** Runs the feed of the CVE list; answers how long it took and how many records changed. */
export async function runCveList(url: string, file: string) {
  const client = await signInByApi(url)
  // Feeds give way to readers for some seconds, so we look for the end in the database file instead of asking the API.
  await sleep(quiet_ms)
  const db = new DatabaseSync(file, { readOnly: true })
  const last = Number(db.prepare('SELECT max(id) AS id FROM feed_runs').get()?.id)
  const ended = db.prepare(
    "SELECT records, changed, error FROM feed_runs WHERE feed_id = 'cve' AND id > ? AND finished_at IS NOT NULL",
  )
  const began = performance.now()
  await client.post('/api/data/sync/run?feed=cve')
  let run = ended.get(last)
  for (; !run; run = ended.get(last)) await sleep(20)
  const seconds = (performance.now() - began) / 1000
  db.close()
  if (run.error !== null) throw new Error(`The delta failed: ${String(run.error)}`)
  return { seconds, records: Number(run.records), changed: Number(run.changed) }
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

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { untilFeeds } from '../support/product.ts'
import type { Client } from '../support/product.ts'

const changedRecords = 1_000
const unchangedRecords = 20_000
const year = 2024

type CveRecord = {
  cveMetadata: { cveId: string; dateUpdated?: string }
  containers: { cna: { descriptions?: { lang: string; value: string }[] } }
}

/** An hour's delta of the CVE list with 21,000 records that are here, of which 1,000 are reworded. */
export function writeDelta(folder: string) {
  const file = readFileSync(join(folder, `cve5/cves-${year}.json.gz`))
  const all = JSON.parse(gunzipSync(file).toString()) as CveRecord[]
  const published = all.filter(({ containers }) => containers.cna.descriptions?.length)
  const records = published.slice(0, changedRecords + unchangedRecords)
  for (const { cveMetadata, containers } of records.slice(0, changedRecords)) {
    cveMetadata.dateUpdated = new Date().toISOString()
    containers.cna.descriptions = [{ lang: 'en', value: `Said otherwise: ${cveMetadata.cveId}` }]
  }
  mkdirSync(join(folder, 'cve5/delta'), { recursive: true })
  writeFileSync(join(folder, 'cve5/delta/delta.json'), JSON.stringify(records))
  const cveids = records.map(({ cveMetadata }) => cveMetadata.cveId)
  return { cveids, changed: new Set(cveids.slice(0, changedRecords)) }
}

/** Lets the CVE list be read, and answers how long that took and how many records changed. */
export async function runCveList(url: string, client: Client) {
  // Runs are told apart by whole seconds; and a connection that was closed meanwhile is noticed.
  await sleep(1_100)
  const before = await untilFeeds(url, () => true)
  const lastSuccess = before.get('cve')?.last_success
  const began = performance.now()
  await client.post('/api/data/sync/run?feed=cve')
  const after = await untilFeeds(
    url,
    (all) => all.get('cve')?.state !== 'running' && all.get('cve')?.last_success !== lastSuccess,
    300,
  )
  const { records = 0, changed = 0 } = after.get('cve') ?? {}
  return { seconds: (performance.now() - began) / 1000, records, changed }
}
